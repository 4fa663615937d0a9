"""Excel workbooks: the rows of a sheet, and limits on the size of a workbook once it is unpacked.

Two megabytes may hold gigabytes: a workbook is a ZIP archive, and what it says about the sizes of its parts need not be
true. So every part is unpacked here first, a piece at a time and only as far as is allowed, and nothing of it is kept.
A sheet is held in memory from its first to its last cell, whatever lies between: two cells far apart make a large one.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from hengliang.core.errors import UserError, file_errors, unknown_name

ENDING = ".xlsx"

MOST_BYTES = 200_000_000
"""Unpacked. A sheet of a million rows in four columns has some 170 million."""

MOST_CELLS = 5_000_000
"""From the first to the last cell of a sheet, the empty ones included; each takes some 50 bytes."""

_PIECE = 1 << 20
_LOCAL_HEADER = struct.Struct("<26xHH")
_PLACE = re.compile(rb"""r\s*=\s*["']([A-Z]{0,3})(\d{1,7})["']""")
_LONGEST_PLACE = 64


class Sheet(NamedTuple):
    """A sheet of a workbook: its name, how many sheets there are, and its rows, numbered as the spreadsheet shows."""

    name: str
    sheets: int
    rows: tuple[tuple[int, tuple[str, ...]], ...]


def read_sheet(file: Path, sheet: str | None = None) -> Sheet:
    """Read a sheet, the first one unless it is named.

    Rows without any text are left out; a cell that is empty or holds no text is an empty text.
    """
    book = _opened(file)
    if sheet is not None and sheet not in book.sheet_names:
        raise unknown_name(f"sheet of {file.name}", sheet, book.sheet_names)
    name: str = sheet or book.sheet_names[0]
    try:
        # Without a header and without skipping, the rows are those that the spreadsheet numbers.
        cells = book.load_sheet(name, header_row=None, skip_rows=0, dtypes="string").to_polars()
    except Exception as error:
        raise UserError(f"The sheet '{name}' of {file} cannot be read: {error}.") from error
    rows = ((number, tuple(cell or "" for cell in row)) for number, row in enumerate(cells.iter_rows(), 1))
    filled = tuple((number, row) for number, row in rows if any(cell.strip() for cell in row))
    return Sheet(name, len(book.sheet_names), filled)


def _opened(file: Path) -> Any:
    try:
        import fastexcel
    except ImportError as error:
        raise UserError(
            f"To read {file.name}, the package fastexcel is needed and is not installed.",
            remedy="Install it: pip install 'hengliang[spreadsheets]'",
        ) from error
    check_workbook(file)
    try:
        return fastexcel.read_excel(str(file))
    except Exception as error:
        raise UserError(f"{file} is no Excel file: {error}.", remedy="Save it as .xlsx or CSV.") from error


def check_workbook(path: Path) -> None:
    """Refuse a workbook that is too large once it is unpacked; what is not an archive at all is left to its reader."""
    with file_errors(path, "read"), path.open("rb") as stream:
        try:
            parts = zipfile.ZipFile(stream).infolist()
        except (zipfile.BadZipFile, NotImplementedError):
            return
        # The directory is asked first: it costs nothing, and most are honest.
        size = sum(part.file_size for part in parts)
        if size > MOST_BYTES:
            raise _too_large(path)
        size = 0
        for part in parts:
            rows, columns, before = 0, 0, b""
            for piece in _unpacked(path, stream, part):
                size += len(piece)
                if size > MOST_BYTES:
                    raise _too_large(path)
                if part.filename.startswith("xl/worksheets/"):
                    rows, columns = _extent(before + piece, rows, columns)
                    before = piece[-_LONGEST_PLACE:]
                    if rows * columns > MOST_CELLS:
                        raise _too_wide(path, part.filename, rows, columns)


def _unpacked(path: Path, stream: IO[bytes], part: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield a part of an archive in pieces, to its true end and not to the one that the directory tells."""
    stream.seek(part.header_offset)
    head = stream.read(_LOCAL_HEADER.size)
    if len(head) < _LOCAL_HEADER.size or part.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise UserError(
            f"{path} is no Excel file: its part {part.filename} is not packed as Excel does it.",
            remedy="Save it as .xlsx or CSV.",
        )
    stream.seek(sum(_LOCAL_HEADER.unpack(head)), 1)
    if part.compress_type == zipfile.ZIP_STORED:
        left = part.compress_size
        while left > 0 and (piece := stream.read(min(_PIECE, left))):
            left -= len(piece)
            yield piece
        return
    inflated = zlib.decompressobj(-zlib.MAX_WBITS)
    packed = b""
    try:
        while not inflated.eof and (packed := inflated.unconsumed_tail or stream.read(_PIECE)):
            yield inflated.decompress(packed, _PIECE)
    except zlib.error as error:
        raise UserError(f"{path} is no whole Excel file: {error}.", remedy="Save it again as .xlsx or CSV.") from error


def _extent(text: bytes, rows: int, columns: int) -> tuple[int, int]:
    """Return the last row and column so far: places are written as `r="7"` (a row) and `r="C7"` (a cell)."""
    places = _PLACE.findall(text)
    widest = max((_column(letters) for letters in {letters for letters, _ in places}), default=0)
    return max(rows, *(int(row) for _, row in places), 0), max(columns, widest)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


def _too_large(path: Path) -> UserError:
    return UserError(
        f"{path} holds more than {MOST_BYTES // 1_000_000} megabytes once it is unpacked.",
        valid=f"A workbook of at most {MOST_BYTES // 1_000_000} megabytes, unpacked.",
        remedy="Save the sheet that you need as CSV, which is read at any size.",
    )


def _too_wide(path: Path, part: str, rows: int, columns: int) -> UserError:
    return UserError(
        f"A sheet of {path} ({part}) reaches to row {rows:,} and column {columns:,}.",
        valid=f"A sheet of at most {MOST_CELLS // 1_000_000} million cells, the empty ones between others included.",
        remedy="Delete what lies far from the table, or save the sheet as CSV, which is read at any size.",
    )
