"""Which characters, columns and lines does a text file of ratings hold?

The encoding and the delimiter are found out and stated. Every row keeps the number of its line, so that a message can
name it as a text editor or a spreadsheet shows it.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hengliang.core.io.delimited import Quoting, csv_quoting
from hengliang.errors import UserError

DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "vertical bar"}
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_ENCODING_NAMES = {"utf-8-sig": "UTF-8 with byte order mark", "utf-8": "UTF-8", "utf-16": "UTF-16"}
_SNIFFED = 50
_IMPORT_ID = '{"ImportId"'


@dataclass(frozen=True, slots=True)
class Lines:
    """The cells of a file as text: the header, the rows, the number of each row in the file, and how it was read."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...]
    form: str
    decimal_comma: bool = False


def decode(raw: bytes, name: str, encoding: str = "auto") -> tuple[str, str]:
    """Return the text and the name of its encoding: UTF-8, or UTF-16 if a mark says so, or else GB18030."""
    if encoding != "auto":
        return _decoded(raw, name, encoding), encoding
    for mark, found in _MARKS:
        if raw.startswith(mark):
            return _decoded(raw, name, found), _ENCODING_NAMES[found]
    try:
        return raw.decode("utf-8"), "UTF-8"
    except UnicodeDecodeError:
        return _decoded(raw, name, "gb18030"), "GB18030"


def _decoded(raw: bytes, name: str, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except LookupError as error:
        raise UserError(
            f"The encoding '{encoding}' does not exist.", valid="For example utf-8, gb18030, big5, utf-16."
        ) from error
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise UserError(
            f"{name} is no text in {encoding.upper()}: line {line} holds bytes that mean nothing there.",
            valid="UTF-8, UTF-16 with a byte order mark, and GB18030 are found out by themselves.",
            remedy="Name the encoding, for example: --encoding big5",
        ) from error


def sniff_delimiter(text: str) -> str:
    """Return the delimiter that parts the first lines into the most columns, the same number in most lines."""
    head = [line for line in text.splitlines()[:_SNIFFED] if line.strip()]
    best, points = ",", (0, 0.0)
    for delimiter in DELIMITERS:
        widths = Counter(len(row) for row in csv.reader(head, delimiter=delimiter))
        width, lines = max(widths.items(), key=lambda item: (item[1], item[0])) if widths else (1, 0)
        reached = (1 if width > 1 else 0, width * lines / max(1, len(head)))
        best, points = (delimiter, reached) if reached > points else (best, points)
    return best


def read_delimited(
    raw: bytes, name: str, *, delimiter: str | None = None, encoding: str = "auto", quoting: Quoting = "auto"
) -> Lines:
    """Return the cells of delimited text; a row that is too long or a quotation mark left open is named by its line."""
    text, encoding_name = decode(raw, name, encoding)
    if "\x00" in text:
        raise UserError(f"{name} is no text: it holds zero bytes.", remedy="Save it as CSV in UTF-8, or as .xlsx.")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    chosen = delimiter or sniff_delimiter(text)
    marks = csv_quoting(text, chosen, name, quoting)
    header, rows, numbers = _parsed(text, chosen, name, marks)
    remark = ", quotation marks as text" if marks == csv.QUOTE_NONE else ""
    if len(rows) > 1 and _names_questions(rows[1]):
        rows, numbers = rows[2:], numbers[2:]
        remark += ", the two rows of questions below the header left out"
    form = f"{DELIMITERS.get(chosen, chosen)}-separated text, {encoding_name}{remark}"
    return Lines(header, tuple(rows), tuple(numbers), form, decimal_comma=chosen == ";")


def _parsed(
    text: str, delimiter: str, name: str, marks: Literal[0, 3]
) -> tuple[tuple[str, ...], list[tuple[str, ...]], list[int]]:
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, quoting=marks, strict=True)
    header: tuple[str, ...] | None = None
    rows: list[tuple[str, ...]] = []
    numbers: list[int] = []
    before = 0
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise UserError(
                f"{name}, line {before + 1}: a quotation mark is not closed or stands inside a word ({error}).",
                valid='Text with a delimiter in it stands between quotation marks: "一, 二".',
                remedy="If the marks are part of the text: --quoting none",
            ) from error
        if cells is None:
            break
        number, before = before + 1, reader.line_num
        if not any(cell.strip() for cell in cells):
            continue
        if header is None:
            header = tuple(cell.strip() for cell in cells)
            continue
        rows.append(_as_wide_as(header, cells, name, number, delimiter))
        numbers.append(number)
    return header or (), rows, numbers


def _names_questions(cells: Sequence[str]) -> bool:
    """Say whether a row holds the ids that Qualtrics writes below the questions, `{"ImportId":"QID1"}`."""
    return any(cells) and all(cell.startswith(_IMPORT_ID) for cell in cells if cell)


def _as_wide_as(header: Sequence[str], cells: Sequence[str], name: str, number: int, delimiter: str) -> tuple[str, ...]:
    """Return the cells of one line; cells that are missing at its end are empty, cells too many are refused."""
    kept = list(cells)
    while len(kept) > len(header) and not kept[-1].strip():
        kept.pop()
    if len(kept) > len(header):
        raise UserError(
            f"{name}, line {number} has {len(kept)} cells, the header has {len(header)}.",
            valid=f"As many cells in each line as in the header, parted by a {DELIMITERS.get(delimiter, delimiter)}.",
            remedy="Put text that holds the delimiter between quotation marks.",
        )
    return tuple(kept + [""] * (len(header) - len(kept)))
