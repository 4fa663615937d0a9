"""Which classifier did a published model choose, if its choices are a column of the data?

The Chinese Classifier Dataset is passed on with the choices of models in further columns. Read with `read_ccd`, they
are attributes of the items, and a published model is then a system like any other.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from hengliang.core.base_classes import answer_schema
from hengliang.core.errors import UserError
from hengliang.core.records import Attribute
from hengliang.core.registry import register
from hengliang.core.terms import Bilingual
from hengliang.systems.classifier_choosers.base import RANKING, ClassifierChooser

NOT_RECORDED = "no choice is recorded for this item"


@register("RECORDED")
class RecordedChoices(ClassifierChooser):
    """The choices in a column of the items, each with probability 1; an item without one is missing."""

    title = Bilingual("Recorded choices", "已记录的选择")

    def __init__(self, column: str = "choice_1", name: str = "") -> None:
        self.column = column
        self.name = name or column

    def choose(self, slots: pl.DataFrame) -> pl.Series:
        """Return empty rankings: what was recorded belongs to an item, not to any slot that looks like it."""
        return pl.Series([[]] * slots.height, dtype=RANKING)

    def answer(self, items: pl.DataFrame) -> pl.DataFrame:
        """Return what the column holds."""
        if items.height and self.column not in items.columns:
            raise UserError(
                f"The items have no column '{self.column}' with recorded choices.",
                valid=f"Columns: {', '.join(items.columns)}.",
                remedy="Name the columns when the file is read: read_ccd(path, choices=['RULE', …])",
            )
        held = items[self.column].cast(pl.String) if items.height else pl.Series([], dtype=pl.String)
        label = held.str.strip_chars().str.normalize("NFC")
        found = items.select(item="id").with_columns(label=label.fill_null(""))
        given = pl.col("label") != ""
        choice = pl.concat_list(pl.struct(label="label", probability=pl.lit(1.0)))
        return found.with_columns(
            content=pl.when(given).then(choice).cast(RANKING),
            status=pl.when(given).then(pl.lit("ok")).otherwise(pl.lit("missing")),
            reason=pl.when(given).then(pl.lit("")).otherwise(pl.lit(NOT_RECORDED)),
        ).select(list(answer_schema("ranking")))

    def traits(self) -> Mapping[str, Attribute]:
        """Say that these choices were not made here."""
        return {"family": "recorded"}
