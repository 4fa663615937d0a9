"""Delimited text: recognition of its encoding, delimiter, quoting and header, and its rows.

Whatever the encoding, a file is cut into lines of UTF-8 first, so that a byte that does not decode spoils one line
only. Lines are counted as an editor counts them. A byte-order mark names the encoding; text without one is UTF-8 if
most of its lines beyond ASCII are, UTF-16 if that is evident (its header holds zero bytes, and all is text once it is
decoded), else GB18030.

By the standard [1] a field that begins with a quotation mark goes on to the mark that closes it, over line ends too,
and a delimiter or the end of the line follows. In tab-separated files quoting is often not meant: a sentence that
begins with a mark would then swallow the rows up to the next one. So of a tab-separated table both readings are tried,
and the one that leaves fewer lines over is taken, or if both leave as many over, the one that does not join lines that
are rows by themselves. Other tables are quoted unless somebody says otherwise; one in which marks join lines that look
like rows by themselves, numbers and all, can be read in two ways, and is refused.

In a table of one column every line has all the fields, so that numbers of fields tell nothing. If a quoted cell of
several lines is found there, the other marks tell: doubled inside quoted cells only a program writes them, and inside
cells that are not quoted they are text. Where neither is found the table is refused.

[1] Shafranovich, Y. (2005). Common format and MIME type for comma-separated values (CSV) files. RFC 4180.
"""

from __future__ import annotations

import codecs
import io
import re
import unicodedata
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import AnyStr, Literal, NamedTuple, get_args

from hengliang.core.errors import UserError, file_errors, unknown_name
from hengliang.core.signature import Signature

Quoting = Literal["auto", "standard", "none"]
"""Whether marks quote fields as the standard has it, are text, or whether the table tells."""

Header = Literal["auto", "yes", "no"]
"""Whether the first row names the columns, or whether the table tells."""

OnBroken = Literal["raise", "skip"]
"""Whether a line that cannot be read stops the reading, or is left out and told."""

DELIMITERS: Mapping[str, str] = {",": "comma", "\t": "tab", ";": "semicolon", "|": "vertical bar"}
"""What parts the cells of a line, and its name."""

ENCODINGS_TO_TRY = ("utf-8", "gb18030", "big5", "big5hkscs")
"""The encodings in which files of Chinese text are met, the likeliest first."""

UNCLOSED = "a quotation mark opens a field in this row and is never closed"
MARK = b'"'
TAB = b"\t"
LONGEST_ROW = 1 << 20

OPTION = "--quoting standard joins the lines, --quoting none reads the marks as text."
BOTH_OPTIONS = "--quoting standard takes them for quoting, --quoting none says that they are none."
ONE_LINE = "Put each text on one line, or save the table with tabs."
"""What to do where no option says how marks are meant."""

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BINARY_FORMS = (
    (b"PK\x03\x04", "an Excel workbook or another ZIP archive"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook (.xls)"),
    (b"PAR1", "a Parquet file"),
    (b"$FL2", "an SPSS file"),
    (b"\x1f\x8b", "a file packed with gzip"),
)
_NAMED_DELIMITERS = {**{name: sign for sign, name in DELIMITERS.items()}, "bar": "|", "pipe": "|", "\\t": "\t"}
_ENCODING_NAMES = {"utf-8-sig": "UTF-8 with byte order mark", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16"}
_SENTENCE_ENDS = ("。", "！")  # a name may end in a question mark
_SNIFFED_BYTES = 1 << 16
_LOOKED_AT = 1 << 20
_SNIFFED_LINES = 200
_FIRST_LINE_END = re.compile(rb"\r\n|\n|\r")
_SECOND_BYTES = re.compile(rb"[\x81-\xfe]([\x40-\xfe])")
_IMPORT_ID = '{"ImportId"'

NAME_THE_ENCODING = "Name the encoding, for example: --encoding big5."
"""What to do about bytes that do not decode."""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """How a user's table is to be read; whatever is `auto` is recognised and told.

    `delimiter` is a sign or its name (comma, tab, semicolon, bar), `header` says whether the first row names the
    columns (without one they are called by their numbers, from 1), `sheet` is that of a workbook, the first one unless
    it is named. `errors` says whether a line that cannot be read stops the reading or is left out and told.
    """

    encoding: str = "auto"
    delimiter: str = "auto"
    quoting: Quoting = "auto"
    header: Header = "auto"
    sheet: str | None = None
    errors: OnBroken = "raise"

    def check(self) -> None:
        """Refuse a value that no option can have."""
        check_quoting(self.quoting)
        if self.header not in get_args(Header):
            raise unknown_name("kind of header", self.header, get_args(Header))
        if self.errors not in get_args(OnBroken):
            raise UserError(f"errors='{self.errors}' is no way to treat broken lines.", valid="Valid: raise, skip.")
        if self.encoding != "auto":
            codec_of(self.encoding)
        if self.delimiter != "auto":
            delimiter_of(self.delimiter)

    def signature(self) -> Signature:
        """Return the signature: what is read depends on every option."""
        return Signature.of(
            encoding=self.encoding,
            delimiter=self.delimiter,
            quoting=self.quoting,
            header=self.header,
            sheet=self.sheet,
            errors=self.errors,
        )


AS_RECOGNISED = TableOptions()
"""Whatever can be recognised is, and a line that cannot be read is refused."""


class TableWarning(UserWarning):
    """What a user should know of how a table was read: lines are left out, quotation marks are part of the text."""


def check_quoting(quoting: str) -> None:
    """Refuse what is not a kind of quoting."""
    if quoting not in get_args(Quoting):
        raise unknown_name("quoting", quoting, get_args(Quoting))


def delimiter_of(named: str) -> str:
    """Return the sign that is meant by a sign or its name.

    >>> delimiter_of("semicolon"), delimiter_of("|")
    (';', '|')
    """
    sign = _NAMED_DELIMITERS.get(named.strip().lower() or named, named)
    if len(sign) != 1 or sign in '"\r\n':
        valid = f"One sign, or its name: {', '.join(DELIMITERS.values())}."
        raise UserError(f"'{named}' is no delimiter.", valid=valid)
    return sign


# --- encoding and lines -----------------------------------------------------------------------------------------------

Cut = tuple[bytes, str]
"""A line or a row as it stands in a file, and what was wrong when it was cut."""


def codec_of(encoding: str) -> str:
    """Return Python's name of an encoding, or say that there is none of this name."""
    try:
        codec = codecs.lookup(encoding).name
        "\n".encode(codec)
        return codec
    except (LookupError, UnicodeError, ValueError) as error:
        raise UserError(
            f"The encoding '{encoding}' does not exist.", valid="For example utf-8, gb18030, big5, utf-16."
        ) from error


def recognised_encoding(raw: bytes) -> str:
    """Return Python's name of the encoding of a text, or of its beginning up to the end of a line.

    >>> recognised_encoding("项目,评分".encode("gb18030")), recognised_encoding("a,b\\n1,2\\n".encode("utf-16-le"))
    ('gb18030', 'utf-16-le')
    """
    for mark, codec in _BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            return codec
    whole = _decodes(raw, "utf-8")
    # A name of a column has no zero bytes, so that they tell of UTF-16 there; in a cell they may be text.
    header, _, body = raw.partition(b"\n")
    if b"\0" in header or (body.startswith(b"\0") and body.endswith(b"\n\0")):
        evident = next((codec for codec in ("utf-16-le", "utf-16-be") if _is_evidently(raw, codec)), None)
        if evident is not None:
            return evident
    if whole:
        return "utf-8"
    # One broken line does not make another encoding of the others.
    lines = [line for line in raw.split(b"\n") if not line.isascii()]
    good, chinese = sum(_decodes(line, "utf-8") for line in lines), sum(map(_is_chinese, lines))
    return "utf-8" if 2 * good >= min(len(lines), 2 * chinese) else "gb18030"


def file_encoding(path: Path, encoding: str = "auto") -> str:
    """Return Python's name of the encoding of a text file: the one that is named, or else the one that is recognised.

    A file of any size is looked through up to the first lines that are not ASCII.
    """
    if encoding != "auto":
        return _unmarked(codec_of(encoding))
    with file_errors(path, "read"), path.open("rb") as stream:
        block = stream.read(_LOOKED_AT)
        while block and block.isascii() and b"\0" not in block:
            block = stream.read(_LOOKED_AT)
    whole_lines = block[: block.rfind(b"\n") + 1]
    if not whole_lines and len(block) == _LOOKED_AT:
        # A line of a megabyte ends in the middle of a character, perhaps.
        whole_lines = block if not _decodes(block[:-4], "utf-8") else b""
    return _unmarked(recognised_encoding(block if len(block) < _LOOKED_AT else whole_lines))


def _unmarked(codec: str) -> str:
    # A byte-order mark is taken off in any case.
    return "utf-8" if codec == "utf-8-sig" else codec


def _decodes(raw: bytes, codec: str) -> bool:
    try:
        raw.decode(codec)
    except UnicodeError:
        return False
    return True


def _is_chinese(line: bytes) -> bool:
    """Say whether a line is GB18030, and not letters with accents, each of which seems to begin a rare character."""
    second = _SECOND_BYTES.findall(line)
    return _decodes(line, "gb18030") and 2 * sum(byte >= b"\x80" for byte in second) >= len(second)


def _is_evidently(raw: bytes, codec: str) -> bool:
    """Say whether bytes are lines of text in UTF-16: all of their characters exist, and the first has no zero bytes."""
    try:
        text = codecs.getincrementaldecoder(codec)().decode(raw[:_SNIFFED_BYTES])
    except UnicodeError:
        return False
    first = re.match("[^\\0\r\n]+[\r\n]", text)
    return first is not None and all(unicodedata.category(sign) not in {"Cn", "Cs"} for sign in set(text))


def encoding_name(codec: str) -> str:
    """Return the name of an encoding for people."""
    return _ENCODING_NAMES.get(codec, codec.upper())


def text_lines(raw: bytes, name: str, encoding: str = "auto") -> tuple[list[Cut], str]:
    """Return the lines of a text in UTF-8, each with what is wrong with it, and the encoding that it was read in."""
    form = next((form for begin, form in _BINARY_FORMS if raw.startswith(begin)), None)
    if form is not None:
        raise UserError(
            f"{name} is not text: it is {form}.", remedy="Give it the ending of its form, or save it as CSV in UTF-8."
        )
    codec = recognised_encoding(raw) if encoding == "auto" else codec_of(encoding)
    if codec in {"utf-8", "utf-8-sig"}:
        data = raw.removeprefix(codecs.BOM_UTF8)
        whole = _decodes(data, "utf-8")
        return [(line, "" if whole else _undecodable(line, "utf-8")) for line in _cut(data)], codec
    try:
        return [(line, "") for line in _cut(_transcoded(raw, codec))], codec
    except UnicodeError:
        pass
    if "\n".encode(codec) == b"\n":
        faulty = ((line, _undecodable(line, codec)) for line in _cut(raw))
        return [(line if fault else _transcoded(line, codec), fault) for line, fault in faulty], codec
    # Lines of two bytes per character are cut after they are decoded, with halves of characters and half a character.
    try:
        text = raw[: len(raw) - len(raw) % 2].decode(codec, "surrogatepass").removeprefix("\ufeff")
    except UnicodeError as error:
        raise UserError(f"{name} is not {encoding_name(codec)}.", remedy=NAME_THE_ENCODING) from error
    lines = _cut(text.encode("utf-8", "surrogatepass"))
    cuts = [(line, _undecodable(line, "utf-8") and f"it is not {encoding_name(codec)}") for line in lines]
    if len(raw) % 2:
        cuts[-1:] = [(cuts[-1][0] if cuts else b"", f"it is not {encoding_name(codec)}: its last byte is missing")]
    return cuts, codec


def read_text_lines(path: Path, encoding: str = "auto", *, remedy: str = "Save the file as UTF-8.") -> list[str]:
    """Return the lines of a text file without their ends; the first that does not decode is refused."""
    with file_errors(path, "read"):
        cuts, _ = text_lines(path.read_bytes(), str(path), encoding)
    for number, (_, fault) in enumerate(cuts, 1):
        if fault:
            raise UserError(f"{path}, line {number}: {fault}.", remedy=remedy)
    return [line.decode().rstrip("\r\n") for line, _ in cuts]


def _transcoded(raw: bytes, codec: str) -> bytes:
    return raw.decode(codec).removeprefix("\ufeff").encode()


def _cut(data: bytes) -> list[bytes]:
    """Cut a text in UTF-8 into lines; a carriage return by itself ends lines only where it ends the first."""
    first = _FIRST_LINE_END.search(data)
    if first is not None and first[0] == b"\r":
        return data.splitlines(keepends=True)
    return io.BytesIO(data).readlines()


def _undecodable(line: bytes, codec: str) -> str:
    try:
        line.decode(codec)
    except UnicodeDecodeError as error:
        other = next((name for name in ENCODINGS_TO_TRY if name != codec and _decodes(line, name)), "")
        hint = f" (it may be {other.upper()})" if other else ""
        return f"byte {error.start + 1} of the line is not {encoding_name(codec)}{hint}"
    return ""


# --- quoting ----------------------------------------------------------------------------------------------------------


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
    position = text.find(mark, start)
    while position >= 0 and text.startswith(mark, position + 1):
        position = text.find(mark, position + 2)
    return position + 1 if position >= 0 else -1


def all_quoted(row: AnyStr, delimiter: AnyStr, mark: AnyStr) -> int:
    """Return how many fields a row without its end has if all are quoted, and no mark stands in any of them; else 0.

    Then its marks are the first and the last sign, and within two around each delimiter between fields: so rows as many
    programs write them are known by two counts, and not read sign by sign.

    >>> all_quoted('"a","","b,c"', ",", '"'), all_quoted('"a",b', ",", '"'), all_quoted('"a""b"', ",", '"')
    (3, 0, 0)
    """
    if not (row.startswith(mark) and row.endswith(mark) and len(row) > 1):
        return 0
    borders = row.count(mark + delimiter + mark, 1, -1)
    return borders + 1 if row.count(mark, 1, -1) == 2 * borders else 0


def known_fields(line: bytes, delimiter: bytes) -> int:
    """Return how many fields a line that is a row by itself has, as far as counts tell; 0 where it must be read."""
    if MARK not in line:
        return line.count(delimiter) + 1
    return all_quoted(line.rstrip(b"\r\n"), delimiter, MARK)


class Scanned(NamedTuple):
    """Whether a quoted field is open at the end of a line, whether all marks pair up, and the number of delimiters."""

    within: bool
    pairs: bool
    delimiters: int


def scanned(line: bytes, delimiter: bytes, within: bool) -> Scanned:
    """Look for the quoted fields of a line; `within` says that one was open at its beginning."""
    line, position, count = line.rstrip(b"\r\n"), 0, 0
    while True:
        if within or line.startswith(MARK, position):
            position = closing(line, position if within else position + 1, MARK)
            if position < 0:
                return Scanned(True, True, count)
            within = False
            if position < len(line) and not line.startswith(delimiter, position):
                return Scanned(False, False, count)
        position = line.find(delimiter, position) + 1
        if not position:
            return Scanned(False, True, count)
        count += 1


def joined_rows(lines: Iterator[Cut], delimiter: bytes, most: int = LONGEST_ROW) -> Iterator[Joined]:
    """Join the lines of each row by the standard.

    A field that nobody closes as it should be spoils its own line only: the lines after it are read by themselves.
    """
    waiting: deque[Cut] = deque()
    while cut := waiting.popleft() if waiting else next(lines, None):
        line, fault = cut
        if known := line.count(delimiter) + 1 if fault else known_fields(line, delimiter):
            yield Joined([line], known, fault)
            continue
        scan = scanned(line, delimiter, False)
        taken, size, fields = [line], len(line), scan.delimiters + 1
        while scan.within and size <= most and (following := waiting.popleft() if waiting else next(lines, None)):
            if following[1]:
                waiting.appendleft(following)
                break
            taken.append(following[0])
            size += len(following[0])
            scan = scanned(following[0], delimiter, True)
            fields += scan.delimiters
        if scan.within or (len(taken) > 1 and not scan.pairs):
            waiting.extendleft((row, "") for row in reversed(taken[1:]))
            yield Joined([line], line.count(delimiter) + 1, UNCLOSED, False)
        else:
            yield Joined(taken, fields, "", scan.pairs)


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

    `name` and `remedy` are for the message if a table can be read in two ways. Where the marks are found to be text, a
    `TableWarning` tells it, and what speaks against quoting.
    """
    check_quoting(quoting)
    if quoting != "auto":
        return quoting == "standard"
    width, number = 0, 1
    # How many lines are not rows of as many fields as the header: of the quoted reading, of the other. And how many
    # rows of the quoted reading are lines that are rows by themselves.
    over = {True: 0, False: 0}
    joining = 0
    against = ""
    refusal: UserError | None = None
    shown: set[bool | None] = set()
    lines = iter(lines)
    for line in lines if delimiter != TAB else ():  # of no other table two readings are compared
        fields = known_fields(line, delimiter)
        width = width or (fields if line.strip() else 0)
        if not fields or width == 1:
            lines = chain([line], lines)
            break
        number += 1
    for joined in joined_rows(((line, "") for line in lines), delimiter):
        first, number = number, number + len(joined.lines)
        if not joined.row.strip():
            continue
        width = width or joined.fields
        unclear = len(joined.lines) > 1 and doubtful(joined, delimiter, width)
        if unclear and refusal is None:
            refusal = two_readings(f"{name}, line {first}", len(joined.lines), remedy)
        # A line of a table of one column is always a whole row: that speaks against no reading.
        joining += unclear and width > 1
        if not against and MARK in joined.row and (unclear or not joined.pairs or joined.fields != width):
            last = first + len(joined.lines) - 1
            against = (
                f"make one row of the lines {first} to {last}" if unclear else f"leave no whole row on line {first}"
            )
        over[True] += not joined.pairs or joined.fields != width
        if delimiter == TAB:
            over[False] += sum(line.count(delimiter) + 1 != width for line in joined.lines if line.strip())
        if width == 1:
            shown.add(_shown(joined.row))
    standard = delimiter != TAB or (over[True], joining) <= (over[False], 0)
    if refusal is not None and width == 1:
        standard = standard and False not in shown
        refusal = None if True in shown else refusal
    if standard and refusal is not None:
        raise refusal
    if not standard:
        warning = f"The quotation marks of {name} are read as part of the text: as quoting, they would {against}."
        warnings.warn(TableWarning(warning if remedy else f"{warning} {BOTH_OPTIONS}"), stacklevel=2)
    return standard


def two_readings(where: str, count: int, remedy: str = "") -> UserError:
    """Return the error for a table whose marks may quote a field of several lines or stand in several rows."""
    return UserError(
        f"{where}: a quotation mark opens a field that is closed {count - 1} "
        f"{'line' if count == 2 else 'lines'} below, but each of these lines is a row by itself.",
        valid="Either they are one row with line ends in a field, or the marks are part of the text.",
        remedy=remedy or OPTION,
    )


def fields_of(row: str, delimiter: str) -> list[str]:
    """Return the fields of a row: one that begins with a quotation mark goes on to the next single one."""
    row = row.removesuffix("\n").removesuffix("\r")
    if '"' not in row:
        return row.split(delimiter)
    if all_quoted(row, delimiter, '"'):
        return row[1:-1].split(f'"{delimiter}"')
    fields, position, end = [], 0, 0
    while end >= 0:
        quoted = ""
        if row.startswith('"', position):
            after = closing(row, position + 1, '"')
            after = len(row) + 1 if after < 0 else after
            quoted, position = row[position + 1 : after - 1].replace('""', '"'), after
        end = row.find(delimiter, position)
        fields.append(quoted + (row[position:] if end < 0 else row[position:end]))
        position = end + 1
    return fields


# --- delimiter and header ---------------------------------------------------------------------------------------------


def recognised_delimiter(lines: Sequence[bytes], usual: str = ",") -> str:
    """Return the delimiter that parts as many lines as possible into as many fields as the first, two or more.

    A tab is taken where it is the `usual` one (the file is called so) and parts the first line; `usual` it is as well
    where no delimiter parts the first line.
    """
    head = [(line, "") for line in islice((line for line in lines if line.strip()), _SNIFFED_LINES)]
    best, reached = usual, (0.0, 1)
    for delimiter in DELIMITERS:
        widths = [row.fields for row in joined_rows(iter(head), delimiter.encode())]
        if not widths or widths[0] == 1:
            continue
        if delimiter == usual == "\t":
            return delimiter
        points = (widths.count(widths[0]) / len(widths), widths[0])
        if points > reached and (usual != "\t" or points[0] == 1 < len(widths)):
            best, reached = delimiter, points
    return best


def is_header(cells: Sequence[str]) -> bool:
    """Say whether a first row may name the columns: no number stands there twice, nor a sentence beside a number.

    Sentences may be names, where each has a column of its own.

    >>> is_header(["句子", "评分"]), is_header(["我走了。", "5"]), is_header(["7", "5", "5"])
    (True, False, False)
    >>> is_header(["rater", "我走了。", "他来了。"]), is_header(["我走了。"])
    (True, False)
    """
    names = [cell.strip() for cell in cells if cell.strip()]
    sentences = [name for name in names if name.endswith(_SENTENCE_ENDS)]
    numbers = [name for name in names if _is_number(name.encode())]
    if sentences and (numbers or len(sentences) == len(names)):
        return False
    return len(numbers) < len(names) or len(set(names)) == len(names)


# --- rows of a table --------------------------------------------------------------------------------------------------


class BadLine(NamedTuple):
    """A line that is not a row: its number, what is wrong with it, and what would be right."""

    line: int
    problem: str
    valid: str = ""
    remedy: str = ""

    def error(self, where: str, row_name: str = "line") -> UserError:
        """Return the error for this line of a file."""
        remedy = " ".join(part for part in (self.remedy, "To leave such lines out: --errors skip") if part)
        return UserError(f"{where}, {row_name} {self.line}: {self.problem}.", valid=self.valid, remedy=remedy)


@dataclass(frozen=True, slots=True, eq=False)
class DelimitedText:
    """The cells of delimited text, the line on which each row begins, the lines that are not rows, and how it was read.

    `columns` are the names in the header, or the numbers of the columns where there is no header.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    bad: tuple[BadLine, ...]
    encoding: str
    delimiter: str
    quoting: Literal["standard", "none"]
    header: bool
    questions: bool = False
    comments: tuple[tuple[int, str], ...] = ()

    @property
    def form(self) -> str:
        """What was recognised, for people."""
        parted = f"{DELIMITERS.get(self.delimiter, repr(self.delimiter))}-separated text"
        remarks = [parted, encoding_name(self.encoding)]
        remarks += ["quotation marks as text"] if self.quoting == "none" else []
        remarks += ["without a header"] if not self.header else []
        remarks += [QUESTIONS] if self.questions else []
        return ", ".join(remarks)


QUESTIONS = "the two rows of questions below the header left out"


def read_delimited(
    raw: bytes, name: str, options: TableOptions = AS_RECOGNISED, *, usual: str = ",", comment: str = ""
) -> DelimitedText:
    """Read the cells of delimited text; lines that are not rows are reported, never passed over.

    `usual` is the delimiter that the name of the file makes likely. Lines without any text are not rows, nor are those
    that begin with the sign of a `comment`.
    """
    parsed = parsed_rows(raw, name, options, usual=usual, comment=comment)
    rows, bad = parsed.rows, list(parsed.bad)
    if bad and (not rows or bad[0].line < rows[0].line):
        # Nobody knows the columns of a table whose first row cannot be read.
        raise UserError(f"{name}, line {bad[0].line}: {bad[0].problem}.", valid=bad[0].valid, remedy=bad[0].remedy)
    first = rows[0].cells if rows else ()
    header = options.header == "yes" or (options.header == "auto" and is_header(first))
    columns = tuple(cell.strip() for cell in first) if header else numbered(len(first))
    body = list(rows[1:] if header else rows)
    questions = header and names_questions([row.cells for row in body[:2]])
    body = _without(bad, _fitted(body[2:] if questions else body, len(columns), parsed.delimiter))
    return DelimitedText(
        columns,
        tuple(row.cells for row in body),
        tuple(row.line for row in body),
        tuple(sorted(bad)),
        parsed.encoding,
        parsed.delimiter,
        "standard" if parsed.quoted else "none",
        header,
        questions,
        parsed.comments,
    )


class Parsed(NamedTuple):
    """The rows of delimited text as they stand there, whatever their widths, and how they were read.

    `bad` are the lines that are not rows, `blank` those without any text.
    """

    rows: list[Row]
    bad: list[BadLine]
    blank: list[int]
    encoding: str
    delimiter: str
    quoted: bool
    comments: tuple[tuple[int, str], ...] = ()


def parsed_rows(
    raw: bytes,
    name: str,
    options: TableOptions = AS_RECOGNISED,
    *,
    usual: str = ",",
    remedy: str = "",
    comment: str = "",
) -> Parsed:
    """Cut delimited text into rows of cells, without asking what they are; the arguments are those of the table.

    `remedy` is what to do about a table that can be read in two ways.
    """
    cuts, codec = text_lines(raw, name, options.encoding)
    comments = _comments(cuts, comment.encode()) if comment else {}
    cuts = [(b"\n", "") if number in comments else cut for number, cut in enumerate(cuts, 1)]
    # Lines are counted also where one does not decode.
    lines = [b"\n" if fault else line for line, fault in cuts]
    auto = options.delimiter == "auto"
    delimiter = recognised_delimiter(lines, usual) if auto else delimiter_of(options.delimiter)
    quoting = options.quoting
    if quoting == "auto" and not any(MARK in line for line in lines):
        quoting = "standard"
    quoted = is_quoted(lines, delimiter.encode(), name, quoting, remedy)
    bad: list[BadLine] = []
    every = _without(bad, _parsed(cuts, delimiter, quoted=quoted))
    rows = [row for row in every if any(cell.strip() for cell in row.cells)]
    blank = [row.line for row in every if not any(cell.strip() for cell in row.cells) and row.line not in comments]
    return Parsed(rows, bad, blank, codec, delimiter, quoted, tuple(comments.items()))


def _comments(cuts: Iterable[Cut], sign: bytes) -> dict[int, str]:
    lines = enumerate(cuts, 1)
    return {number: line.decode().rstrip() for number, (line, fault) in lines if not fault and line.startswith(sign)}


def numbered(width: int) -> tuple[str, ...]:
    """Return what the columns of a table without a header are called: their numbers, from 1."""
    return tuple(str(number) for number in range(1, width + 1))


class Row(NamedTuple):
    """The cells of a row and the line on which it begins."""

    line: int
    cells: tuple[str, ...]


def _without(bad: list[BadLine], rows: Iterable[Row | BadLine]) -> list[Row]:
    """Return the rows, and add the lines that are not rows to `bad`."""
    kept: list[Row] = []
    for row in rows:
        if isinstance(row, BadLine):
            bad.append(row)
        else:
            kept.append(row)
    return kept


def _parsed(cuts: Iterable[Cut], delimiter: str, *, quoted: bool) -> Iterator[Row | BadLine]:
    """Yield each row, also one without any text."""
    number = 1
    rows = joined_rows(iter(cuts), delimiter.encode()) if quoted else (Joined([line], 0, fault) for line, fault in cuts)
    for row in rows:
        first, number = number, number + len(row.lines)
        if row.fault or not row.pairs:
            yield _bad(first, row)
            continue
        text = row.row.decode()
        cells = fields_of(text, delimiter) if quoted else text.removesuffix("\n").removesuffix("\r").split(delimiter)
        yield Row(first, tuple(cells))


def _bad(line: int, row: Joined) -> BadLine:
    if row.fault and row.fault != UNCLOSED:
        return BadLine(line, row.fault, "UTF-8, UTF-16 and GB18030 are found out.", NAME_THE_ENCODING)
    return BadLine(
        line,
        row.fault or "a quotation mark closes a cell, and more text follows before the next delimiter",
        'Text with a delimiter in it stands between quotation marks, and marks in it are doubled: "a ""b"", c".',
        "If the marks are part of the text: --quoting none.",
    )


def _fitted(rows: Iterable[Row], width: int, delimiter: str) -> Iterator[Row | BadLine]:
    """Yield rows of as many cells as there are columns; empty cells beyond the last column are no fault.

    A row with fewer is not filled up: nobody knows whether an empty cell at its end was left away, or a delimiter or
    part of the line was lost, or a line end stands in a text that is not quoted.
    """
    sign = DELIMITERS.get(delimiter, repr(delimiter))
    put = f"Put text that holds a {sign} or a line end between quotation marks; if something else parts the cells: "
    few = "If only empty cells are missing at its end, write their delimiters, or save the table as .xlsx. "
    for row in rows:
        count = len(row.cells)
        if count == width:
            yield row
        elif count > width and not any(cell.strip() for cell in row.cells[width:]):
            yield Row(row.line, row.cells[:width])
        else:
            yield BadLine(
                row.line,
                f"there {'is 1 cell' if count == 1 else f'are {count} cells'}, and {width} "
                f"{'column' if width == 1 else 'columns'}",
                f"As many cells in each line as there are columns, parted by a {sign}.",
                f"{few if count < width else ''}{put}--delimiter SIGN.",
            )


def names_questions(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether the rows below a header are those of Qualtrics: questions, and ids such as `{"ImportId":"QID1"}`."""
    ids = rows[1] if len(rows) > 1 else []
    return any(ids) and all(cell.startswith(_IMPORT_ID) for cell in ids if cell)
