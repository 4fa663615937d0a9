"""Quotation marks of delimited tables: quoting of fields, or part of the text?

By the standard [1] a field that begins with a quotation mark goes on to the mark that closes it, over line ends too,
and a delimiter or the end of the line follows. In tab-separated files quoting is often not meant: a sentence that
begins with a mark would then swallow the rows up to the next one. So of a tab-separated table both readings are tried,
and the one that leaves fewer lines over is taken. Other tables are quoted unless somebody says otherwise; one in which
marks join lines that look like rows by themselves, numbers and all, can be read in two ways, and is refused.

In a table of one column every line has all the fields, so that numbers of fields tell nothing. If a quoted cell of
several lines is found there, the other marks tell: doubled inside quoted cells only a program writes them, and inside
cells that are not quoted they are text. Where neither is found the table is refused.

[1] Shafranovich, Y. (2005). Common format and MIME type for comma-separated values (CSV) files. RFC 4180.
"""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Iterable, Iterator
from typing import AnyStr, Literal, NamedTuple, get_args

from hengliang.errors import UserError, unknown_name

Quoting = Literal["auto", "standard", "none"]
"""Whether marks quote fields as the standard has it, are text, or whether the table tells."""

UNCLOSED = "a quotation mark opens a field in this row and is never closed"
MARK = b'"'
TAB = b"\t"
LONGEST_ROW = 1 << 20

OPTION = "--quoting standard joins the lines, --quoting none reads the marks as text."
ONE_LINE = "Put each text on one line, or save the table with tabs."
"""What to do where no option says how marks are meant."""


def check_quoting(quoting: str) -> None:
    """Refuse what is no kind of quoting."""
    if quoting not in get_args(Quoting):
        raise unknown_name("quoting", quoting, get_args(Quoting))


Cut = tuple[bytes, str]
"""A line or a row as it stands in a file, and what was wrong when it was cut."""


class Joined(NamedTuple):
    """The lines of one row, more than one where a quoted field holds line ends, and how many fields it has.

    `fault` is that of a line which could not be cut, or says that a quoted field is not closed; `pairs` says that a
    delimiter or the end of the line follows each mark that closes a field.
    """

    lines: list[bytes]
    fields: int
    fault: str = ""
    pairs: bool = True

    @property
    def row(self) -> bytes:
        """The row as it stands in the file."""
        return self.lines[0] if len(self.lines) == 1 else b"".join(self.lines)


def closing(text: AnyStr, start: int, mark: AnyStr) -> int:
    """Return the place after the next quotation mark that is not doubled, or −1."""
    place = text.find(mark, start)
    while place >= 0 and text.startswith(mark, place + 1):
        place = text.find(mark, place + 2)
    return place + 1 if place >= 0 else -1


class Scanned(NamedTuple):
    """Whether a quoted field is open at the end of a line, whether all marks pair up, and the number of delimiters."""

    within: bool
    pairs: bool
    delimiters: int


def scanned(line: bytes, delimiter: bytes, within: bool) -> Scanned:
    """Look for the quoted fields of a line; `within` says that one was open at its beginning."""
    line, place, count = line.rstrip(b"\r\n"), 0, 0
    while True:
        if within or line.startswith(MARK, place):
            place = closing(line, place if within else place + 1, MARK)
            if place < 0:
                return Scanned(True, True, count)
            within = False
            if place < len(line) and not line.startswith(delimiter, place):
                return Scanned(False, False, count)
        place = line.find(delimiter, place) + 1
        if not place:
            return Scanned(False, True, count)
        count += 1


def joined_rows(lines: Iterator[Cut], delimiter: bytes, most: int = LONGEST_ROW) -> Iterator[Joined]:
    """Join the lines of each row by the standard.

    A field that nobody closes as it should be spoils its own line only: the lines after it are read by themselves.
    """
    waiting: deque[Cut] = deque()
    while cut := waiting.popleft() if waiting else next(lines, None):
        line, fault = cut
        if fault or MARK not in line:
            yield Joined([line], line.count(delimiter) + 1, fault)
            continue
        found = scanned(line, delimiter, False)
        taken, size, fields = [line], len(line), found.delimiters + 1
        while found.within and size <= most and (following := waiting.popleft() if waiting else next(lines, None)):
            if following[1]:
                waiting.appendleft(following)
                break
            taken.append(following[0])
            size += len(following[0])
            found = scanned(following[0], delimiter, True)
            fields += found.delimiters
        if found.within or (len(taken) > 1 and not found.pairs):
            waiting.extendleft((row, "") for row in reversed(taken[1:]))
            yield Joined([line], line.count(delimiter) + 1, UNCLOSED, False)
        else:
            yield Joined(taken, fields, "", found.pairs)


def doubtful(row: Joined, delimiter: bytes, fields: int) -> bool:
    """Say whether a row of several lines may be so many rows: each of them has all the fields by itself.

    A text may well hold commas, so that in a table of commas a field with numbers must be found in all of them too.
    """
    if len(row.lines) < 2 or any(line.count(delimiter) + 1 != fields for line in row.lines):
        return False
    columns = zip(*(line.rstrip(b"\r\n").split(delimiter) for line in row.lines), strict=True)
    return delimiter == TAB or any(all(map(_is_number, column)) for column in columns)


def _is_number(cell: bytes) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _shown(row: bytes) -> bool | None:
    """Say what the row of a table of one column shows: its marks are quoting (True), text (False), or may be both."""
    if row.startswith(MARK):
        return True if 2 * MARK in row.strip()[1:-1] else None
    return False if MARK in row else None


def is_quoted(lines: Iterable[bytes], delimiter: bytes, name: str, quoting: Quoting = "auto", remedy: str = "") -> bool:
    """Say whether the fields of a table are quoted by the standard.

    `name` and `remedy` are for the message if a table can be read in two ways.
    """
    check_quoting(quoting)
    if quoting != "auto":
        return quoting == "standard"
    width, number = 0, 1
    # How many lines are no row of as many fields as the header: of the quoted reading, of the other.
    over = {True: 0, False: 0}
    refusal: UserError | None = None
    shown: set[bool | None] = set()
    for joined in joined_rows(((line, "") for line in lines), delimiter):
        first, number = number, number + len(joined.lines)
        if not joined.row.strip():
            continue
        width = width or joined.fields
        unclear = doubtful(joined, delimiter, width)
        if unclear and refusal is None:
            refusal = two_readings(f"{name}, line {first}", len(joined.lines), remedy)
        # A line of a table of one column is always a whole row: that speaks against no reading.
        over[True] += not joined.pairs or (unclear and width > 1) or joined.fields != width
        over[False] += sum(line.count(delimiter) + 1 != width for line in joined.lines if line.strip())
        if width == 1:
            shown.add(_shown(joined.row))
    standard = delimiter != TAB or over[True] <= over[False]
    if refusal is not None and width == 1:
        standard = standard and False not in shown
        refusal = None if True in shown else refusal
    if standard and refusal is not None:
        raise refusal
    return standard


def two_readings(where: str, count: int, remedy: str = "") -> UserError:
    """Return the error for a table whose marks may quote a field of several lines or stand in several rows."""
    return UserError(
        f"{where}: a quotation mark opens a field that is closed {count - 1} "
        f"{'line' if count == 2 else 'lines'} below, but each of these lines is a row by itself.",
        valid="Either they are one row with line ends in a field, or the marks are part of the text.",
        remedy=remedy or OPTION,
    )


def csv_quoting(text: str, delimiter: str, name: str, quoting: Quoting = "auto", remedy: str = "") -> Literal[0, 3]:
    """Return how `csv.reader` is to read a table: with quoted fields or without."""
    if quoting == "auto" and '"' not in text:
        return csv.QUOTE_MINIMAL
    lines = (line.encode(errors="replace") for line in io.StringIO(text, newline=""))
    standard = is_quoted(lines, delimiter.encode(), name, quoting, remedy)
    return csv.QUOTE_MINIMAL if standard else csv.QUOTE_NONE
