"""Files of ratings, from whatever a laboratory keeps them in.

A `RatingsFile` holds the cells of a user's table (`hengliang.core.io.tables`) as text, with the number of the row in
the file beside each row; `table.py` says which columns are numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.io.delimited import AS_RECOGNISED, TableOptions
from hengliang.core.io.spreadsheet_guards import is_export, unguarded
from hengliang.core.io.tables import READERS as READERS
from hengliang.core.io.tables import read_user_table

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
