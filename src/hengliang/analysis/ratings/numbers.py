"""Which number does a cell mean, and on which scale does it lie?"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual

MISSING = ("", ".", "-", "—", "na", "n/a", "#n/a", "nan", "null", "none", "missing", "缺失")
"""What stands for a rating that is not there, in small letters."""

_MOST_STEPS = 21


def as_numbers(cells: pl.Series, *, decimal_comma: bool = False) -> tuple[pl.Series, pl.Series]:
    """Return the numbers that the cells mean, and the places of the cells that mean none.

    Full-width digits (５) are digits. `decimal_comma` reads `4,5` as four and a half, as files with semicolons have it.
    """
    text = cells.cast(pl.String).fill_null("").str.normalize("NFKC").str.strip_chars().str.replace_all("−", "-")
    if decimal_comma:
        text = text.str.replace(r"^([+-]?\d+),(\d+)$", "$1.$2")
    missing = text.str.to_lowercase().is_in(MISSING)
    numbers = text.cast(pl.Float64, strict=False)
    numbers = numbers.zip_with(numbers.is_finite().fill_null(False), pl.Series([None], dtype=pl.Float64))
    wrong = (numbers.is_null() & ~missing).arg_true()
    return numbers.zip_with(~missing, pl.Series([None], dtype=pl.Float64)), wrong


def write_rating(value: float) -> str:
    """Write a rating as people do: 7, or 4.5."""
    return f"{value:.10g}"


@dataclass(frozen=True, slots=True)
class Scale:
    """From where to where ratings go; `whole` says that all of them are whole numbers."""

    low: float
    high: float
    inferred: bool = False
    whole: bool = True

    def __str__(self) -> str:
        return f"{write_rating(self.low)}–{write_rating(self.high)}"

    @property
    def steps(self) -> tuple[int, ...]:
        """The answers of a scale of whole numbers; none where there are too many to be answers of a scale."""
        if not self.whole or self.high - self.low >= _MOST_STEPS:
            return ()
        return tuple(range(int(self.low), int(self.high) + 1))

    def note(self) -> Bilingual:
        """Say where the scale comes from, and when its answers are no steps."""
        parted = Bilingual("", "")
        if not self.steps:
            parted = Bilingual(
                " Its ratings are not a few whole numbers: there are no cut-offs, no table of answers and no ordinal "
                "model.",
                "评分并非少数几个整数，因此没有分界点检验、回答频数表和有序模型。",
            )
        if self.inferred:
            return Bilingual(
                f"The scale {self} was inferred from the smallest and the largest rating; --scale states it and "
                f"refuses what lies outside.{parted.en}",
                f"量表 {self} 由最小和最大的评分推断；用 --scale 指定后，超出范围的评分会被拒绝。{parted.zh}",
            )
        return Bilingual(f"The scale {self} was given.{parted.en}", f"量表 {self} 由用户给定。{parted.zh}")


def parse_scale(text: str) -> Scale:
    """Read `1-7`, `1–7` or `-3..3`."""
    plain = unicodedata.normalize("NFKC", text).replace("−", "-").strip()
    found = re.fullmatch(r"(-?\d+(?:\.\d+)?)\s*(?:-|–|—|~|\.\.|:|to|,)\s*(-?\d+(?:\.\d+)?)", plain)
    if not found or float(found[1]) >= float(found[2]):
        raise UserError(f"'{text}' is no scale.", valid="The lowest and the highest rating: --scale 1-7")
    low, high = float(found[1]), float(found[2])
    return Scale(low, high, whole=low.is_integer() and high.is_integer())


def inferred_scale(measures: pl.DataFrame) -> Scale:
    """Return the scale from the smallest to the largest rating of all measures."""
    values = pl.concat([measures[name] for name in measures.columns]).drop_nulls()
    if not values.len():
        return Scale(0.0, 1.0, inferred=True)
    low, high = float(values.min()), float(values.max())  # type: ignore[arg-type]
    whole = bool((values == values.round()).all())
    return Scale(low, high, inferred=True, whole=whole)
