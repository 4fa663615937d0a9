"""Reading of rating files: cells as numbers, the scale, survey exports, and wide tables made long.

From the meaning of one cell to the file: which number a cell means and on which scale it lies, files of ratings from
whatever a laboratory keeps them in, and tables with one column per system or rater.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.delimited import AS_RECOGNISED, TableOptions
from hengliang.core.io.spreadsheet_guards import is_export, unguarded
from hengliang.core.io.tables import READERS as READERS
from hengliang.core.io.tables import read_user_table
from hengliang.core.terms import Bilingual

# --- numbers and scales -----------------------------------------------------------------------------------------------


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
        """Say where the scale comes from, and when its answers are not steps."""
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
    match = re.fullmatch(r"(-?\d+(?:\.\d+)?)\s*(?:-|–|—|~|\.\.|:|to|,)\s*(-?\d+(?:\.\d+)?)", plain)
    if not match or float(match[1]) >= float(match[2]):
        raise UserError(f"'{text}' is no scale.", valid="The lowest and the highest rating: --scale 1-7")
    low, high = float(match[1]), float(match[2])
    return Scale(low, high, whole=low.is_integer() and high.is_integer())


def inferred_scale(measures: pl.DataFrame) -> Scale:
    """Return the scale from the smallest to the largest rating of all measures."""
    values = pl.concat([measures[name] for name in measures.columns]).drop_nulls()
    if not values.len():
        return Scale(0.0, 1.0, inferred=True)
    low, high = float(values.min()), float(values.max())  # type: ignore[arg-type]
    whole = bool((values == values.round()).all())
    return Scale(low, high, inferred=True, whole=whole)


# --- files of ratings -------------------------------------------------------------------------------------------------
# A `RatingsFile` holds the cells of a user's table (`hengliang.core.io.tables`) as text, with the number of the row in
# the file beside each row; `table.py` says which columns are numbers.

ROW = "source row"
"""The column with the number of the row in the file, as a text editor or a spreadsheet counts."""

EXPERIMENT = "experiment"
"""The form of ratings that were no file but the answers of an experiment."""


@dataclass(frozen=True, slots=True, eq=False)
class RatingsFile:
    """What a file holds: its cells as text, how it was read, and the value labels of an SPSS file."""

    path: Path
    frame: pl.DataFrame
    form: str
    checksum: str
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    decimal_comma: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of the file."""
        return tuple(name for name in self.frame.columns if name != ROW)


def read_ratings_file(path: str | Path, table: TableOptions = AS_RECOGNISED, *, row: str = "rating") -> RatingsFile:
    """Read a file of ratings; `table` says how, where that is not recognised, and `row` what a row is in messages."""
    read = read_user_table(path, table, what=row)
    if ROW in read.columns:
        raise UserError(f"{path} has a column '{ROW}', a name that we need ourselves.", remedy="Rename it.")
    frame = _without_guards(read.frame) if read.delimiter and is_export(read.columns) else read.frame
    numbers = pl.Series(ROW, read.numbers, dtype=pl.Int64)
    form = read.form
    if read.skipped:
        form += f", {len(read.skipped)} of {len(read.skipped) + len(read)} rows left out that cannot be read"
    # Where semicolons part the cells, a comma is free for fractions, and is used so.
    decimal_comma = read.delimiter == ";"
    return RatingsFile(
        read.path, frame.insert_column(0, numbers), form, read.checksum, read.labels, decimal_comma=decimal_comma
    )


def _without_guards(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the texts of a survey's export as they were before its CSV kept spreadsheets from running them."""
    return pl.DataFrame(
        [pl.Series(unguarded(name), list(map(unguarded, frame[name])), dtype=pl.String) for name in frame.columns]
    )


# --- wide tables ------------------------------------------------------------------------------------------------------
# Turns a table with one column per system (or rater) into one row per rating.


def melted_part(by: str, pair: Sequence[str], identifiers: Sequence[str]) -> str:
    """Return what the rating columns of a wide file stand for: the one part that has no column of its own."""
    parts = [part for part in dict.fromkeys((by, *pair)) if part not in identifiers]
    if len(parts) == 1:
        return parts[0]
    named = ", ".join(identifiers)
    if not parts:
        raise UserError(
            f"With --wide {named} every part is a column already, and the other columns stand for nothing.",
            valid="One of --by and --pair is left out of --wide: the rating columns are its levels.",
            remedy=f"For one column a {by}: --wide {','.join(name for name in identifiers if name != by) or 'item'}",
        )
    raise UserError(
        f"With --wide {named} the rating columns could stand for {' or '.join(parts)}.",
        valid="--wide names all columns of --by and --pair but one: the rating columns are the levels of that one.",
        remedy=f"For one column a {parts[0]}: --wide {','.join((*identifiers, *parts[1:]))}",
    )


def melt(file: RatingsFile, measure: str, part: str, identifiers: Sequence[str]) -> RatingsFile:
    """Return the file with one row per rating: `part` holds the name of its former column, `measure` the rating."""
    for name in identifiers:
        if name not in file.columns:
            raise unknown_name("column", name, file.columns)
    for name, option in ((measure, "--measure"), (part, "--by or --pair")):
        if name in identifiers:
            raise UserError(f"'{name}' is named by {option} and by --wide.", valid="A column has one part to play.")
        if name in file.columns:
            raise UserError(
                f"{file.path} has a column '{name}': one row a rating, not one column a {part}.",
                valid=f"The rating columns of a wide file are called by the levels of '{part}'.",
                remedy=f"Leave --wide away, or choose another name with {option}.",
            )
    rated = [name for name in file.columns if name not in identifiers]
    if len(rated) < 2:
        raise UserError(
            f"{file.path} has {len(rated)} columns besides those that --wide names.",
            valid=f"One column of ratings for every {part}, two at least.",
        )
    frame = file.frame.unpivot(on=rated, index=[ROW, *identifiers], variable_name=part, value_name=measure)
    labels = {name: value_labels for name, value_labels in file.labels.items() if name in identifiers}
    kept = next((value_labels for name, value_labels in file.labels.items() if name in rated), None)
    if kept is not None:
        labels[measure] = kept
    return replace(file, frame=frame, form=f"{file.form}; wide, one column a {part}", labels=labels)
