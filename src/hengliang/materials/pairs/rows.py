"""What does each line of a JSON Lines, JSON or CSV file hold, and which lines cannot be read?"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hengliang.core.io.delimited import ONE_LINE, csv_quoting
from hengliang.errors import UserError, file_errors
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


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file without a byte-order mark."""
    with file_errors(path, "read"):
        return path.read_bytes().removeprefix(b"\xef\xbb\xbf")


def read_objects(path: Path) -> Iterator[Row | BrokenLine]:
    """Yield the objects of a file of JSON Lines, or of one JSON array, and the lines that hold none."""
    raw = read_bytes(path)
    if raw.lstrip()[:1] == b"[":
        yield from _of_array(path, raw)
        return
    lines = raw.split(b"\n")
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _object(path, number, line)
        elif number < len(lines):
            yield BrokenLine(str(path), number, "the line is empty")


def _object(path: Path, number: int, line: bytes) -> Row | BrokenLine:
    try:
        value = json.loads(line)
    except UnicodeDecodeError as error:
        return BrokenLine(str(path), number, f"byte {error.start + 1} of the line is not UTF-8")
    except ValueError as error:
        return BrokenLine(str(path), number, f"it is not JSON ({error})")
    return _row(path, number, value)


def _row(path: Path, number: int, value: object) -> Row | BrokenLine:
    if not isinstance(value, dict):
        return BrokenLine(str(path), number, "it is no JSON object")
    return Row(number, {str(key).lower(): held for key, held in value.items()})


def _of_array(path: Path, raw: bytes) -> Iterator[Row | BrokenLine]:
    text = _decoded(path, raw)
    decoder, place = json.JSONDecoder(), text.index("[") + 1
    line, counted = 1, 0
    while True:
        while place < len(text) and (text[place].isspace() or text[place] == ","):
            place += 1
        line, counted = line + text.count("\n", counted, place), place
        if text[place : place + 1] == "]":
            return
        try:
            value, place = decoder.raw_decode(text, place)
        except ValueError as error:
            # What follows a broken object cannot be told apart from it.
            yield BrokenLine(str(path), line, f"it is not JSON from here on ({error})")
            return
        yield _row(path, line, value)


def read_cells(path: Path) -> Iterator[Cells | BrokenLine]:
    """Yield the lines of a table, whatever their line ends; a cell may hold commas and line breaks in quotes."""
    text = _decoded(path, read_bytes(path))
    tab = TABLES.get(path.suffix.lower(), ",")
    marks = csv_quoting(text, tab, str(path), remedy=ONE_LINE)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=tab, quoting=marks, strict=True)
    before = 0
    try:
        for cells in reader:
            number, before = before + 1, reader.line_num
            if any(cell.strip() for cell in cells):
                yield Cells(number, [cell.strip() for cell in cells])
            else:
                yield BrokenLine(str(path), number, "the line is empty")
    except csv.Error as error:
        yield BrokenLine(str(path), before + 1, f"it is no row of a table from here on ({error})")


def _decoded(path: Path, raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"{path}, line {line}: it is not UTF-8.",
            valid="Files in UTF-8, with or without a byte-order mark.",
            remedy=f"Convert the file first: iconv -f gb18030 -t utf-8 {path.name} > NEW{path.suffix}",
        ) from error


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
