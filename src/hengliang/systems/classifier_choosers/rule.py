"""Which classifier does this noun take most often in the training data?

The rule of Peinelt et al. [1] and Järnfors [2]: the classifier that is most frequent with the head noun; of several
equally frequent ones one is drawn at random; a noun that was never seen gets 个.

[1] Peinelt, N., Liakata, M., Hsieh, S.-K. (2017). ClassifierGuesser: a context-based classifier prediction system for
    Chinese language learners. IJCNLP 2017, system demonstrations.
[2] Järnfors, J. (2021). Master's thesis, as reported by de Bruijn (2023).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError
from hengliang.core.io.files import read_table, write_table
from hengliang.core.learning import CARD, read_card, train_once
from hengliang.core.records import Attribute
from hengliang.core.registry import register
from hengliang.core.signature import Signature, digest
from hengliang.core.terms import Bilingual
from hengliang.systems.classifier_choosers.base import RANKING, ClassifierChooser
from hengliang.systems.classifier_choosers.general import GENERAL_CLASSIFIER
from hengliang.systems.classifier_choosers.slots import slots_of

COUNT_SCHEMA: dict[str, pl.DataType] = {"noun": pl.String(), "label": pl.String(), "count": pl.Int64()}
COUNTS = "counts.parquet"
"""The file of the counts in the folder of a saved rule."""

_DRAW_BITS = 40
_DRAWN_AT_ONCE = 20_000
"""Slots whose ties are drawn together; the 24 bits above a draw number their blocks of equal counts."""


@dataclass(frozen=True, eq=False)
class NounCounts:
    """How often each noun was seen with each classifier, and in which data."""

    table: pl.DataFrame
    data: str
    licence: str = "unclear"

    def signature(self) -> Signature:
        """Name the counts by a checksum of their content: nothing else of the data can change an answer."""
        columns = self.table.sort("noun", "label").select(list(COUNT_SCHEMA))
        return Signature.of(counts=digest(*(str(value) for row in columns.iter_rows() for value in row)))


@register("RULE")
class Rule(ClassifierChooser):
    """The classifier most frequent with the head noun in the training data; ties are drawn, unseen nouns get 个.

    A ranking holds all classifiers of the noun with their relative frequencies. Equal frequencies are ordered by a hash
    of seed, sentence, slot, noun and classifier: a draw that is uniform over slots and yet the same alone, in a batch
    and in another order. `tied` says which answers were drawn.

    The counts are taken at the first use, and travel with a pickled copy, so that worker processes do not count again.
    """

    title = Bilingual("Most frequent classifier of the noun", "名词的最常用量词")

    def __init__(self, train: Material | NounCounts | None = None, seed: int = 1, name: str = "RULE") -> None:
        self.train = default_training() if train is None else train
        self.seed = seed
        self.name = name

    def choose(self, slots: pl.DataFrame) -> pl.Series:
        """Return the classifiers of each slot's noun by frequency."""
        rankings, entries = self._fitted
        found = slots.select(pl.int_range(pl.len()).alias("row"), "sentence", "slot", "noun").join(
            rankings, on="noun", how="left", maintain_order="left"
        )
        repeated = found.filter(pl.col("repeated"))
        starts = range(0, max(repeated.height, 1), _DRAWN_AT_ONCE)
        drawn = pl.concat([self._drawn(repeated.slice(start, _DRAWN_AT_ONCE), entries) for start in starts])
        return (
            found.join(drawn, on="row", how="left", maintain_order="left")
            .select(pl.coalesce("drawn", "content", pl.lit(_UNSEEN.implode())))
            .to_series()
            .alias("content")
        )

    def _drawn(self, slots: pl.DataFrame, entries: pl.DataFrame) -> pl.DataFrame:
        """Return the rankings of the slots in whose noun's counts some are equal, ordered by this slot's draw."""
        rows = slots.select("row", "noun", draw=pl.Series(self._slot_keys(slots), dtype=pl.UInt64)).join(
            entries, on="noun", how="inner", maintain_order="left"
        )
        new = (pl.col("row") != pl.col("row").shift()) | (pl.col("count") != pl.col("count").shift())
        block = rows.select(new.fill_null(True).cum_sum().cast(pl.UInt64)).to_series().to_numpy()
        draw = _mixed(rows["draw"].to_numpy() ^ rows["key"].to_numpy())
        # The rows stand by slot and count already; one number for block and draw sorts six times faster than a lexsort.
        order = np.argsort((block << np.uint64(_DRAW_BITS)) | (draw >> np.uint64(64 - _DRAW_BITS)))
        return rows[order].group_by("row", maintain_order=True).agg(drawn=pl.struct("label", "probability"))

    def _slot_keys(self, slots: pl.DataFrame) -> NDArray[np.uint64]:
        # Not polars' own hash: it may differ between its versions, and a draw must not.
        digests = [
            hashlib.blake2b(f"{self.seed} {slot} {len(noun)} {noun}{sentence}".encode(), digest_size=8).digest()
            for sentence, slot, noun in slots.select("sentence", "slot", "noun").iter_rows()
        ]
        return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)

    def tied(self, slots: pl.DataFrame) -> pl.Series:
        """Say of each slot whether its first classifier was drawn among equally frequent ones."""
        rankings, _ = self._fitted
        found = slots.select("noun").join(rankings, on="noun", how="left", maintain_order="left")
        return found["tied"].fill_null(False)

    def traits(self) -> Mapping[str, Attribute]:
        """Return the family and how many slots were counted, by which analyses may group."""
        return {"family": "RULE", "training_slots": int(self.counts().table["count"].sum())}

    # --- counting ---

    def counts(self) -> NounCounts:
        """Return the counts, taken now if they have not been taken before."""
        held: NounCounts | None = self.__dict__.get("_counts")
        if held is None:
            held = self.train if isinstance(self.train, NounCounts) else count_nouns(self.train)
            self.__dict__["_counts"] = held
        return held

    @property
    def _fitted(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return one row a noun with its ranking, and one row an entry of the rankings that hold equal counts."""
        held: tuple[pl.DataFrame, pl.DataFrame] | None = self.__dict__.get("_tables")
        if held is None:
            held = _tables(self.counts().table)
            self.__dict__["_tables"] = held
        return held

    def __getstate__(self) -> dict[str, Any]:
        """Count before leaving for a worker process; the rankings are quickly made again from the counts."""
        self.counts()
        return {name: value for name, value in self.__dict__.items() if name != "_tables"}

    # --- on disk ---

    def save(self, folder: str | Path) -> Path:
        """Write the counts and a card that describes them into a folder of their own, and return it."""
        place = Path(folder)

        def learn() -> Mapping[str, Any]:
            counts = self.counts()
            write_table(place / COUNTS, counts.table)
            return {
                "kind": self.role,
                "class": type(self).__qualname__,
                "name": self.name,
                "seed": self.seed,
                "data": counts.data,
                "licence": counts.licence,
                "signature": str(self.signature()),
                "nouns": counts.table["noun"].n_unique(),
                "classifiers": counts.table["label"].n_unique(),
                "slots": int(counts.table["count"].sum()),
            }

        recipe = {"name": self.name, "seed": self.seed, "train": str(self.train.signature())}
        return train_once(place, recipe, learn, wait=True)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read what `save` wrote."""
        place = Path(folder)
        card = read_card(place, single=COUNTS)
        if card.get("kind") != cls.role or not {"data", "licence", "seed", "name"} <= set(card):
            raise UserError(
                f"{place / CARD} is not the card of a {cls.role} that counts nouns.",
                remedy="See which models there are: hengliang models list",
            )
        counts = NounCounts(read_table(place / COUNTS, COUNT_SCHEMA), card["data"], card["licence"])
        return cls(counts, seed=card["seed"], name=card["name"])


def default_training() -> Material:
    """Return the training part of the default corpus."""
    from hengliang.materials.classifier_slots import ClassifierSlots

    return ClassifierSlots(part="train")


def count_nouns(material: Material) -> NounCounts:
    """Count the classifiers of each head noun in a material; items without a gold answer or a noun do not count."""
    items = material.items()
    seen = (
        slots_of(items)
        .with_columns(label=items["gold"])
        .filter((pl.col("problem") == "") & (pl.col("noun") != "") & (pl.col("label").fill_null("") != ""))
    )
    if not seen.height:
        raise UserError(
            f"The material '{material.name}' has no slot with a head noun and a gold classifier to learn from.",
            remedy="Train on a material of classifier slots, such as ClassifierSlots(part='train').",
        )
    table = seen.group_by("noun", "label").agg(count=pl.len().cast(pl.Int64)).sort("noun", "label")
    return NounCounts(table, str(material.signature()), material.licence)


# --- rankings -------------------------------------------------------------------------------------------------------

_UNSEEN = pl.Series([{"label": GENERAL_CLASSIFIER, "probability": 1.0}], dtype=RANKING.inner)  # type: ignore[attr-defined]


def _tables(table: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    labels = table.select("label").unique(maintain_order=True)
    keys = [hashlib.blake2b(label.encode(), digest_size=8).digest() for label in labels["label"].to_list()]
    labels = labels.with_columns(key=pl.Series(np.frombuffer(b"".join(keys), dtype="<u8"), dtype=pl.UInt64))
    entries = (
        table.join(labels, on="label", maintain_order="left")
        .with_columns(probability=pl.col("count") / pl.col("count").sum().over("noun"))
        .sort("noun", "count", "label", descending=[False, True, False])
    )
    rankings = entries.group_by("noun", maintain_order=True).agg(
        content=pl.struct("label", "probability"),
        repeated=pl.col("count").is_duplicated().any(),
        tied=(pl.col("count") == pl.col("count").max()).sum() > 1,
    )
    equal = rankings.filter("repeated").select("noun")
    return rankings, entries.join(equal, on="noun", how="semi", maintain_order="left")


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return well mixed bits of each number (the finishing step of SplitMix64 [3]).

    [3] Steele, G., Lea, D., Flood, C. (2014). Fast splittable pseudorandom number generators. OOPSLA 2014.
    """
    mixed = numbers.astype(np.uint64)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
