"""From which slots with known classifiers does a chooser learn?"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError
from hengliang.core.signature import digest, number_of
from hengliang.systems.classifier_choosers.slots import SLOT_SCHEMA, slots_of

EXAMPLE_SCHEMA: dict[str, pl.DataType] = {**SLOT_SCHEMA, "label": pl.String()}

_HELD_OUT = 10


def examples_of(material: Material) -> pl.DataFrame:
    """Return the usable slots of a material with their classifiers: `sentence`, `slot`, `noun`, `label`.

    Items without a gold answer teach nothing and are left out. A noun may be empty.
    """
    items = material.items()
    found = (
        slots_of(items)
        .with_columns(label=items["gold"].str.normalize("NFC"))
        .filter((pl.col("problem") == "") & (pl.col("label").fill_null("") != ""))
        .select(list(EXAMPLE_SCHEMA))
    )
    if not found.height:
        raise UserError(
            f"The material '{material.name}' has no slot with a gold classifier to learn from.",
            remedy="Train on a material of classifier slots, such as ClassifierSlots(part='train').",
        )
    return found


def labels_of(examples: pl.DataFrame) -> tuple[str, ...]:
    """Return the classifiers of the examples, the most frequent first, equally frequent ones by their characters."""
    counts = examples.group_by("label").len().sort("len", "label", descending=[True, False])
    return tuple(counts["label"].to_list())


def examples_checksum(examples: pl.DataFrame) -> str:
    """Return a hash of what the examples say; it does not change with the code that found them."""
    columns = examples.select(list(EXAMPLE_SCHEMA))
    return digest(*("\t".join(map(str, row)) for row in columns.iter_rows()))


def hold_out(examples: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return nine tenths of the examples and one tenth; all slots of one sentence fall on the same side."""
    sentences: Sequence[str] = examples["sentence"].to_list()
    apart = pl.Series([number_of(sentence) % _HELD_OUT == 0 for sentence in sentences], dtype=pl.Boolean)
    held, kept = examples.filter(apart), examples.filter(~apart)
    return (kept, held) if kept.height and held.height else (examples, examples)
