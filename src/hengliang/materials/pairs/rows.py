"""Lines of files of minimal pairs: objects of JSON or cells of a table, and the lines that cannot be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from hengliang.core.errors import file_errors
from hengliang.core.io.delimited import ONE_LINE, BadLine, parsed_rows
from hengliang.core.io.tables import read_json_objects
from hengliang.materials.pairs.pair_set import BrokenLine

TABLES = {".csv": ",", ".tsv": "\t"}
OBJECTS = (".jsonl", ".json")
SUFFIXES = (*OBJECTS, *TABLES)


class Row(NamedTuple):
    """A JSON object with the line on which it begins; its keys are in lower case, as files differ in that."""

    line: int
    values: Mapping[str, Any]

    def text(self, *keys: str) -> str:
        """Return the text or number under the first of these keys that has one, else nothing."""
        for key in keys:
            value = self.values.get(key.lower())
            if isinstance(value, str):
                return value.strip()
            if isinstance(value, int) and not isinstance(value, bool):
                return str(value)
        return ""


class Cells(NamedTuple):
    """The cells of a line of a table."""

    line: int
    cells: Sequence[str]


Found = TypeVar("Found", Row, Cells)


def read_objects(path: Path) -> Iterator[Row | BrokenLine]:
    """Yield the objects of a file of JSON Lines, or of one JSON array, and the lines that hold none."""
    read = read_json_objects(path)
    rows = [Row(one.line, {str(key).lower(): value for key, value in one.values.items()}) for one in read.objects]
    yield from _in_order(path, rows, read.bad, read.blank)


def read_cells(path: Path) -> Iterator[Cells | BrokenLine]:
    """Yield the lines of a table, whatever their line ends; a cell may hold commas and line breaks in quotes."""
    with file_errors(path, "read"):
        raw = path.read_bytes()
    usual = TABLES.get(path.suffix.lower(), ",")
    read = parsed_rows(raw, str(path), usual=usual, remedy=ONE_LINE)
    rows = [Cells(row.line, [cell.strip() for cell in row.cells]) for row in read.rows]
    yield from _in_order(path, rows, read.bad, read.blank)


def _in_order(
    path: Path, rows: Iterable[Found], bad: Iterable[BadLine], blank: Iterable[int]
) -> Iterator[Found | BrokenLine]:
    every: list[Found | BrokenLine] = list(rows)
    every.extend(BrokenLine(str(path), one.line, one.problem) for one in bad)
    every.extend(BrokenLine(str(path), line, "the line is empty") for line in blank)
    every.sort(key=_line)
    yield from every


def _line(row: Row | Cells | BrokenLine) -> int:
    return row.line


def first_object(path: Path) -> Row | None:
    """Return the first object of a file, or None where there is none."""
    if path.suffix.lower() not in OBJECTS:
        return None
    return next((row for row in read_objects(path) if isinstance(row, Row)), None)


def first_cells(path: Path) -> Cells | None:
    """Return the first line of a table, or None where there is none."""
    if path.suffix.lower() not in TABLES:
        return None
    return next((row for row in read_cells(path) if isinstance(row, Cells)), None)
