"""Which rated sentences does a user's own table hold?

Comma-, semicolon- or tab-separated text, JSON Lines, Parquet and Excel, with the names of the columns in the first row.
What every row needs is a sentence and a rating, or a list of single ratings; a cell without a rating is a sentence
that nobody has rated.
"""

from __future__ import annotations

import csv
import io
import json
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from hengliang.errors import UserError, file_errors, unknown_name
from hengliang.materials.rated_sentences.rated_row import (
    RatedRow,
    check_keys,
    number_of,
    numbers_of,
    problem,
    spread,
)
from hengliang.records import RESERVED_ATTRIBUTES

COLUMNS = {
    "text": "sentence",
    "rating": "rating",
    "ratings": "ratings",
    "id": "id",
    "mode": "mode",
    "origin": "origin",
    "raters": "raters",
    "rating_sd": "rating_sd",
    "source_sentence": "source_sentence",
}
"""What a column may be for, and how it is called unless the user says otherwise."""

Cells = Mapping[str, str]
Line = tuple[int, Cells]

_DELIMITERS = ",;\t"


def read_rated_table(
    path: Path | str,
    columns: Mapping[str, str] | None = None,
    *,
    keep: Sequence[str] = (),
    sheet: str | None = None,
) -> tuple[RatedRow, ...]:
    """Read a table of rated sentences; `columns` says which column is for what, `keep` names further attributes."""
    file = Path(path)
    names = _names(columns or {})
    lines = list(_lines(file, sheet))
    if not lines:
        raise UserError(f"{file} holds no rated sentences.", valid="A row with names of columns, then one a sentence.")
    present = dict.fromkeys(name for _, cells in lines for name in cells)
    used = _used(names, columns or {}, tuple(present), file)
    for name in keep:
        if name not in present:
            raise unknown_name(f"column of {file.name}", name, present)
        if name in RESERVED_ATTRIBUTES or name in {*COLUMNS, "dataset", "textbook", "rating_z", "length"}:
            raise UserError(f"The column '{name}' cannot be kept: the name is taken.", remedy="Rename the column.")
    rows = tuple(_row(file, line, place, cells, used, keep) for place, (line, cells) in enumerate(lines, 1))
    check_keys(rows, file)
    return rows


def _names(columns: Mapping[str, str]) -> dict[str, str]:
    for purpose in columns:
        if purpose not in COLUMNS:
            raise unknown_name("purpose of a column", purpose, COLUMNS)
    return {**COLUMNS, **columns}


def _used(names: Mapping[str, str], asked: Mapping[str, str], present: Sequence[str], file: Path) -> dict[str, str]:
    """Return the columns that are there; one that was asked for, and the sentence and its rating, must be."""
    used = {purpose: name for purpose, name in names.items() if name in present}
    for purpose in (*asked, "text"):
        if purpose not in used:
            raise unknown_name(
                f"column of {file.name}", names[purpose], present, remedy=f"Say which: {purpose}='COLUMN'."
            )
    if "rating" not in used and "ratings" not in used:
        raise unknown_name(f"column of {file.name}", names["rating"], present, remedy="Say which: rating='COLUMN'.")
    return used


def _row(file: Path, line: int, place: int, cells: Cells, used: Mapping[str, str], keep: Sequence[str]) -> RatedRow:
    held = {purpose: cells.get(name, "").strip() for purpose, name in used.items()}
    if not held["text"]:
        raise problem(file, line, "there is no sentence", valid="Every row has a sentence; its rating may be empty.")
    ratings = numbers_of(held["ratings"], file, line) if held.get("ratings") else ()
    rating = number_of(held["rating"], file, line, "rating") if held.get("rating") else None
    if rating is None and ratings:
        rating = statistics.fmean(ratings)
    raters = _raters(held.get("raters", ""), file, line)
    deviation = number_of(held["rating_sd"], file, line, "deviation") if held.get("rating_sd") else None
    if deviation is not None and deviation < 0:
        raise problem(file, line, f"the standard deviation {held['rating_sd']} is negative")
    return RatedRow(
        line,
        held.get("id") or str(place),
        held["text"],
        held.get("mode", ""),
        held.get("origin") or None,
        None,
        rating,
        ratings,
        raters if raters is not None else len(ratings) or None,
        deviation if deviation is not None else spread(ratings),
        held.get("source_sentence", ""),
        tuple((name, cells.get(name, "").strip()) for name in keep),
    )


def _raters(text: str, file: Path, line: int) -> int | None:
    if not text:
        return None
    count = number_of(text, file, line, "number of raters")
    if count < 1 or count != int(count):
        raise problem(file, line, f"'{text}' is no number of raters", valid="A whole number, 1 or more.")
    return int(count)


# --- files ------------------------------------------------------------------------------------------------------------


def _lines(file: Path, sheet: str | None) -> Iterator[Line]:
    with file_errors(file, "read"):
        file.stat()
    reader = READERS.get(file.suffix.lower())
    if reader is None or file.is_dir():
        raise UserError(
            f"The ending of '{file.name}' names no table that can be read.",
            valid=f"Endings: {', '.join(READERS)}.",
            remedy="Save the table as CSV in UTF-8.",
        )
    if sheet is not None and reader is not _excel:
        raise UserError(f"{file.name} has no sheets.", valid="A sheet is named for an Excel file.")
    return reader(file, sheet)


def _text(file: Path) -> str:
    with file_errors(file, "read"):
        raw = file.read_bytes()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise problem(
            file,
            line,
            "it is not UTF-8",
            remedy=f"Convert the file first: iconv -f gb18030 -t utf-8 {file.name} > NEW{file.suffix}",
        ) from error


def _delimited(file: Path, _sheet: str | None) -> Iterator[Line]:
    text = _text(file)
    head = text.lstrip("\r\n").partition("\n")[0]
    tab = "\t" if file.suffix.lower() == ".tsv" else max(_DELIMITERS, key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=tab, strict=True)
    header: list[str] = []
    before = 0
    try:
        for cells in reader:
            line, before = before + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if header:
                yield line, _named(file, line, header, cells)
            else:
                header = _header(file, cells)
    except csv.Error as error:
        raise problem(
            file,
            before + 1,
            f"a quotation mark is not closed or stands inside a cell ({error})",
            valid='A sentence with a delimiter or quotation marks in it is written "so, with ""doubled"" marks".',
        ) from error


def _header(file: Path, cells: Sequence[str]) -> list[str]:
    names = [cell.strip() for cell in cells]
    twice = next((name for place, name in enumerate(names) if name and name in names[:place]), None)
    if twice is not None:
        raise UserError(f"{file} has two columns called '{twice}'.", valid="Every column has a name of its own.")
    return names


def _named(file: Path, line: int, header: Sequence[str], cells: Sequence[str]) -> Cells:
    surplus = [cell for cell in cells[len(header) :] if cell.strip()]
    if surplus:
        raise problem(
            file,
            line,
            f"there are {len(cells)} cells, in the header {len(header)}",
            remedy="Put a sentence that holds the delimiter between quotation marks.",
        )
    return {name: cell for name, cell in zip(header, cells, strict=False) if name}


def _json_lines(file: Path, _sheet: str | None) -> Iterator[Line]:
    for line, text in enumerate(_text(file).split("\n"), 1):
        if not text.strip():
            continue
        try:
            held = json.loads(text)
        except ValueError as error:
            raise problem(file, line, f"it is no JSON ({error})") from error
        if not isinstance(held, dict):
            raise problem(file, line, "it is no JSON object", valid='{"sentence": "…", "rating": 3.5}')
        yield line, {str(name): _cell(value) for name, value in held.items()}


def _parquet(file: Path, _sheet: str | None) -> Iterator[Line]:
    try:
        frame = pl.read_parquet(file, memory_map=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise UserError(f"{file} is not a whole Parquet file: {error}.", remedy="Export it again.") from error
    for line, row in enumerate(frame.iter_rows(named=True), 1):
        yield line, {name: _cell(value) for name, value in row.items()}


def _excel(file: Path, sheet: str | None) -> Iterator[Line]:
    try:
        import fastexcel
    except ImportError as error:
        raise UserError(
            f"To read {file.name}, the package fastexcel is needed and is not installed.",
            remedy="Install it: pip install 'hengliang[spreadsheets]'",
        ) from error
    try:
        book = fastexcel.read_excel(str(file))
    except Exception as error:
        raise UserError(f"{file} is no Excel file: {error}.", remedy="Save it as .xlsx or CSV.") from error
    if sheet is not None and sheet not in book.sheet_names:
        raise unknown_name(f"sheet of {file.name}", sheet, book.sheet_names)
    # Without a header and without skipping, the rows are those that the spreadsheet numbers.
    held = book.load_sheet(sheet or book.sheet_names[0], header_row=None, skip_rows=0, dtypes="string").to_polars()
    header: list[str] = []
    for line, cells in enumerate(held.iter_rows(), 1):
        row = [cell or "" for cell in cells]
        if not any(cell.strip() for cell in row):
            continue
        if header:
            yield line, _named(file, line, header, row)
        else:
            header = _header(file, row)


def _cell(value: Any) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, list):
        return ", ".join(map(_cell, value))
    return str(value)


READERS: Mapping[str, Callable[[Path, str | None], Iterator[Line]]] = {
    ".csv": _delimited,
    ".tsv": _delimited,
    ".txt": _delimited,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".parquet": _parquet,
    ".xlsx": _excel,
}
"""How a file is read, by the ending of its name."""
