"""Which rows has a researcher's own table, as a spreadsheet or an editor saved it?

Rows without any cell are left out, names of columns lose spaces around them. What would be read wrongly without a word
is refused: another encoding, another separator, a quotation mark that is not closed. Only where no cell of a
tab-separated table stands between marks, such a mark is text.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from hengliang.core.io.delimited import ONE_LINE, csv_quoting
from hengliang.errors import UserError, file_errors

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
_NAMES = {",": "commas", "\t": "tabs", ";": "semicolons"}


def delimited_rows(source: Path) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """Return the columns of a .csv or .tsv file, and its rows, each with the line on which it ends."""
    separator = SEPARATORS[source.suffix.lower()]
    rows = _cells(source, _text(source), separator)
    _, header = next(rows, (0, []))
    columns = [name.strip() for name in header]
    _check_separator(source, columns, separator)
    held = []
    for line, cells in rows:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) > len(columns):
            raise UserError(
                f"{source}, line {line}: there are more cells than columns ({len(cells)}, not {len(columns)}).",
                remedy=f"Put a text that has {_NAMES[separator]} in quotation marks.",
            )
        # A column without a name is an index that some programs write; nobody can ask for it.
        held.append((line, {name: cell for name, cell in zip(columns, cells, strict=False) if name}))
    return [name for name in columns if name], held


def _text(source: Path) -> str:
    with file_errors(source, "read"):
        content = source.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        raise UserError(
            f"{source} is not in UTF-8 (byte {error.start}).",
            remedy=f"iconv -f {'UTF-16' if wide else 'GB18030'} -t UTF-8 {source} > converted{source.suffix}",
        ) from error


def _cells(source: Path, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    marks = csv_quoting(text, separator, str(source), remedy=ONE_LINE)
    read = csv.reader(io.StringIO(text, newline=""), delimiter=separator, quoting=marks, strict=True)
    try:
        for cells in read:
            if marks == csv.QUOTE_NONE and any(len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in cells):
                # People would be shown marks that were meant as quoting.
                raise UserError(
                    f"{source}, line {read.line_num}: a cell stands between quotation marks, but in another line a "
                    "mark that opens a cell is not closed.",
                    valid='Either all marks quote, as in "he said ""yes""", or all are part of the text.',
                    remedy="Close the mark, or take those around whole cells away.",
                )
            yield read.line_num, cells
    except csv.Error as error:
        raise UserError(
            f"{source}, line {read.line_num}: this is no table: {error}.",
            valid='A text with a quotation mark is written "he said ""yes""", and every mark is closed.',
        ) from error


def _check_separator(source: Path, columns: Sequence[str], separator: str) -> None:
    other = next((sign for sign in _NAMES if sign != separator and len(columns) == 1 and sign in columns[0]), None)
    if other:
        suffix = next((name for name, sign in SEPARATORS.items() if sign == other), None)
        raise UserError(
            f"{source} has {_NAMES[other]} between its columns: '{columns[0][:80]}'.",
            valid=f"A {source.suffix} file has {_NAMES[separator]}.",
            remedy=f"Call it {source.with_suffix(suffix)}." if suffix else f"Save it with {_NAMES[separator]}.",
        )
