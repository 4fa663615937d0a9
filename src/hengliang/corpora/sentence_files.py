"""Sentence files: one sentence per line or row, from plain text, CSV, TSV, JSON Lines and whole tables.

A file is read some rows at a time, so that memory does not grow with it. It is read as it was when it was opened: what
somebody adds meanwhile is counted and left for the next time. Plain text has one sentence per line; CSV and TSV have a
header, unless somebody says that they have none, and quoted fields, which may hold line ends; JSONL has one object per
line. Encoding, delimiter and quoting are recognised before the rows are read (`hengliang.core.io.delimited`). What
cannot be cut into lines (UTF-16, workbooks, Parquet, SPSS, arrays of JSON) is read as a whole first.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, get_args

import numpy as np
import polars as pl

from hengliang.core.errors import Failure, UserError, file_errors, unknown_name
from hengliang.core.io.delimited import (
    AS_RECOGNISED,
    ENCODINGS_TO_TRY,
    MARK,
    Cut,
    Quoting,
    TableOptions,
    codec_of,
    delimiter_of,
    doubtful,
    fields_of,
    file_encoding,
    is_quoted,
    joined_rows,
    recognised_delimiter,
    text_lines,
    two_readings,
)
from hengliang.core.io.delimited import DELIMITERS as NAMES_OF_DELIMITERS
from hengliang.core.io.tables import is_one_array, read_user_table
from hengliang.core.signature import digest, file_checksum
from hengliang.core.text.characters import Offsets, utf8

# --- the sentence of a row --------------------------------------------------------------------------------------------
# A row is a line of plain text, a row of CSV or TSV, or a line of JSON. What is wrong with one row is said of that row,
# in one line, and never stops the others.

Form = Literal["txt", "csv", "tsv", "jsonl"]

LONGEST = 10_000
"""How many characters a sentence has at most unless the user says otherwise."""

DELIMITERS: Mapping[Form, str] = {"csv": ",", "tsv": "\t"}
EMPTY_LINE = "the line is empty"
NUL = "a NUL character is in the text"
STILL_WRITTEN = "the line was still being written"
_SHOWN_KEYS = 5
# The four separators of ASCII are white space to Python, and to us, but not to polars.
_BLANK = r"^[\s\x1c-\x1f]*$"
_LINE_ENDS = re.compile(r"[^\S\r\n]*[\r\n]+\s*")


@dataclass(frozen=True, slots=True)
class Layout:
    """How rows are to be read: their form and encoding, which field is the sentence and, if any is, which its id.

    `fields` are the columns of a table in their order; plain text and JSON have none. `quoted` says that quotation
    marks may stand around a field; otherwise they are part of the text.
    """

    form: Form = "txt"
    encoding: str = "utf-8"
    longest: int = LONGEST
    fields: tuple[str, ...] = ()
    column: str = ""
    id_column: str = ""
    quoted: bool = True
    delimiter: str = ","

    def cells(self, row: str) -> list[str]:
        """Return the fields of a row of a table."""
        return fields_of(row, self.delimiter) if self.quoted else row.rstrip("\r\n").split(self.delimiter)

    @property
    def row_name(self) -> str:
        """What to call a row in a message."""
        return "row" if self.form in DELIMITERS else "line"


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """The sentences of some rows. `problems` says of a row, by its place, why it has none; its text is then empty."""

    numbers: Offsets
    ids: pl.Series
    texts: pl.Series
    problems: Mapping[int, str]

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def written(self) -> pl.Series:
        """The texts for people, null where there is none."""
        return self.texts.replace("", None) if self.problems else self.texts


@dataclass(frozen=True, slots=True)
class RowChunk:
    """Some rows of a file, verbatim: the number of the first (from 1), and what was wrong when they were cut."""

    first: int
    rows: tuple[bytes, ...]
    faults: Mapping[int, str]
    layout: Layout

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def key(self) -> str:
        """A hash of everything in it."""
        faults = (f"{index}:{fault}" for index, fault in self.faults.items())
        return digest(str(self.first), str(self.layout), *faults, b"".join(self.rows))

    @property
    def last(self) -> int:
        """The number of its last row."""
        return self.first + len(self.rows) - 1

    def sentences(self) -> Sentences:
        """Read the rows."""
        problems = dict(self.faults)
        decoded = _decoded(self.rows, self.layout.encoding, problems)
        numbers = np.arange(self.first, self.first + len(self.rows), dtype=np.int64)
        ids = pl.Series("id", numbers).cast(pl.String)
        if self.layout.form == "txt":
            texts = pl.Series("text", decoded, dtype=pl.String)
        else:
            pairs = [_pair(row, index, self.layout, problems) for index, row in enumerate(decoded)]
            texts = pl.Series("text", [text for _, text in pairs], dtype=pl.String)
            if self.layout.id_column:
                identities = pl.Series("id", [identity for identity, _ in pairs], dtype=pl.String)
                ids = pl.select(pl.coalesce(identities, ids).alias("id"))["id"]
        return Sentences(numbers, ids, _checked(texts, self.layout, problems), problems)


def _decoded(rows: Sequence[bytes], encoding: str, problems: dict[int, str]) -> list[str]:
    decoded = []
    for index, row in enumerate(rows):
        try:
            decoded.append(row.decode(encoding))
        except UnicodeError as error:
            decoded.append("")
            problems.setdefault(index, _undecodable(row, encoding, error))
    return decoded


def _undecodable(row: bytes, encoding: str, error: UnicodeError) -> str:
    where = f"byte {error.start + 1}" if isinstance(error, UnicodeDecodeError) else "it"
    other = next((name for name in ENCODINGS_TO_TRY if name != encoding and _decodes(row, name)), "")
    return f"not {encoding}: {where} does not decode" + (f"; it may be {other}" if other else "")


def _decodes(row: bytes, encoding: str) -> bool:
    try:
        row.decode(encoding)
    except UnicodeError:
        return False
    return True


def _checked(texts: pl.Series, layout: Layout, problems: dict[int, str]) -> pl.Series:
    """Return the texts without the white space around them; those that are not sentences are emptied."""
    texts = texts.str.strip_chars()
    if layout.form != "txt":
        broken = np.flatnonzero(texts.str.contains(r"[\r\n]").to_numpy()).tolist()
        if broken:
            texts = texts.scatter(broken, [on_one_line(text) for text in texts.gather(broken).to_list()])
    lengths = texts.str.len_chars().to_numpy()
    plain = layout.form == "txt"
    faults = (
        (texts.str.contains("\0", literal=True).to_numpy(), NUL),
        (texts.str.contains(_BLANK).to_numpy(), EMPTY_LINE if plain else f"the field '{layout.column}' is empty"),
        (lengths > layout.longest, ""),
    )
    for faulty, problem in faults:
        for index in np.flatnonzero(faulty).tolist():
            problems.setdefault(index, problem or too_long(int(lengths[index]), "line" if plain else "text"))
    if not problems:
        return texts
    return texts.scatter(sorted(problems), "")


def on_one_line(text: str) -> str:
    """Return a text without line ends: they part its words only where others are parted by spaces, or letters are.

    White space within Chinese says that its words stand apart, and a line end in a cell was put there for the eye.
    """
    pieces = _LINE_ENDS.split(text)
    if any(character.isspace() for piece in pieces for character in piece):
        return " ".join(pieces)
    joined = pieces[0]
    for piece in pieces[1:]:
        letters = joined[-1:].isascii() and piece[:1].isascii()
        joined += f" {piece}" if letters else piece
    return joined


def too_long(characters: int, what: str) -> str:
    """Say that a line or a field is too long for a sentence."""
    return f"a {what} of {characters:,} characters is too long for a sentence; --longest raises the limit"


def _pair(row: str, place: int, layout: Layout, problems: dict[int, str]) -> tuple[str | None, str]:
    """Return the id, if the row gives one, and the sentence of a row of a table or of JSON."""
    if place in problems:
        return None, ""
    read = _json_pair if layout.form == "jsonl" else _table_pair
    identity, text, problem = read(row, layout)
    if problem:
        problems[place] = problem
    return identity, text


Read = tuple[str | None, str, str]
"""Id, sentence, problem."""

# --- rows of tables ---------------------------------------------------------------------------------------------------


def _table_pair(row: str, layout: Layout) -> Read:
    if not row.strip():
        return None, "", EMPTY_LINE
    fields = layout.cells(row)
    if len(fields) != len(layout.fields):
        what = NAMES_OF_DELIMITERS.get(layout.delimiter, layout.delimiter)
        expected = f"the row has {len(fields)} {'field' if len(fields) == 1 else 'fields'} instead of"
        hint = (
            f"; a {what} within a field needs quotation marks"
            if len(fields) > len(layout.fields) and layout.quoted
            else ""
        )
        return None, "", f"{expected} {len(layout.fields)}{hint}"
    identity = fields[layout.fields.index(layout.id_column)] if layout.id_column else None
    problem = f"the field '{layout.id_column}' is empty" if identity == "" else ""
    return identity or None, fields[layout.fields.index(layout.column)], problem


# --- lines of JSON ----------------------------------------------------------------------------------------------------


def _json_pair(row: str, layout: Layout) -> Read:
    if not row.strip():
        return None, "", EMPTY_LINE
    try:
        content = json.loads(row)
    except (ValueError, RecursionError) as error:
        message = f"{error.msg} at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else str(error)
        return None, "", f"not JSON: {message}"
    if not isinstance(content, dict):
        return None, "", f"the line is {_kind(content)}, not a JSON object"
    identity, problem = _value(content, layout.id_column) if layout.id_column else (None, "")
    text, wrong = _value(content, layout.column)
    if not wrong and not isinstance(content[layout.column], str):
        wrong = f"the value of '{layout.column}' is {_kind(content[layout.column])}, not text"
    return identity, "" if wrong else text or "", wrong or problem


def _value(held: Mapping[str, Any], key: str) -> tuple[str | None, str]:
    """Return the value of a key as text, or what is wrong with it."""
    if key not in held:
        return None, f"the object has no key '{key}'; it has: {_listed(held)}"
    value = held[key]
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None, f"the value of '{key}' is {_kind(value)}, not text"
    written = str(value)
    try:
        written.encode()
    except UnicodeEncodeError as error:
        return None, f"character {error.start + 1} of '{key}' is half a character (U+{ord(written[error.start]):04X})"
    return written, ""


def _listed(keys: Iterable[str]) -> str:
    named = [key.encode(errors="replace").decode() for key in keys]
    return ", ".join(named[:_SHOWN_KEYS]) + (", …" if len(named) > _SHOWN_KEYS else "") or "none"


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


# --- reading a file in chunks -----------------------------------------------------------------------------------------


BATCH = 1000
STANDARD_INPUT = "-"
SENTENCE_COLUMNS = ("sentence", "text")

_FORMS: Mapping[str, Form] = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl"}
_NOT_TEXT = {".gz", ".bz2", ".xz", ".zst", ".zip", ".xls", ".ods", ".pdf", ".docx"}
WHOLE_TABLES = (".xlsx", ".parquet", ".sav")
"""Tables that are read as a whole, by the endings of their names; their rows become lines of JSON."""

_BLOCK = 1 << 20
_CHUNK_BYTES = 1 << 23
_ROW_BYTES = 1 << 20
_LOOKED_AT = 100
_SENTENCE_ENDS = ("。", "！")  # a name may end in a question mark
_ONE_LINE = b"\n"


class SentenceReading:
    """The rows of a file as chunks, once. Afterwards it is known what was read.

    `path` may be "-", the standard input. `column` and `id_column` name the fields of a table, or the keys of JSON
    objects, that hold the sentence and its id. `table` says how the file is to be read where that is not recognised; a
    row that cannot be read is told and stops nothing. `size` stops the reading after so many bytes.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        form: Form | None = None,
        column: str | None = None,
        id_column: str | None = None,
        table: TableOptions = AS_RECOGNISED,
        longest: int = LONGEST,
        batch: int = BATCH,
        size: int | None = None,
    ) -> None:
        table.check()
        if batch < 1 or longest < 1:
            what = f"A batch of {batch} rows" if batch < 1 else f"A sentence of at most {longest} characters"
            raise UserError(f"{what} is not possible.", valid="A whole number from 1.")
        self.name = "standard input" if str(path) == STANDARD_INPUT else str(path)
        self.batch = batch
        if form is not None and form not in get_args(Form):
            raise unknown_name("form of a file", form, get_args(Form))
        opened = _opened(path, form, table, self.name, size)
        self._source, self._original = opened.source, opened.original
        self._stream = io.BufferedReader(self._source, _BLOCK)
        # What is found out from the beginning of a pipe must not depend on how much of it has arrived.
        self._source.filling = self._source.size is None and opened.form in DELIMITERS
        codec = opened.codec
        self.head = self._mark(codec)
        layout = Layout(opened.form, codec, longest, delimiter=self._delimiter(opened, table))
        if opened.form in DELIMITERS:
            layout = replace(layout, quoted=self._quoted(opened, layout.delimiter.encode(), table.quoting))
        rows = self._rows(layout, table.quoting)
        self.layout, self._cuts = self._laid_out(layout, rows, column, id_column, table.header != "no")
        self.rows = 0

    @property
    def size(self) -> int | None:
        """How many bytes there were when the file was opened; None for what can be read only once."""
        return self._source.size if self._original is None else self._original[0]

    @property
    def grown(self) -> int:
        """By how many bytes the file has grown since it was opened."""
        return self._source.grown

    @property
    def checksum(self) -> str:
        """The SHA-256 of what has been read, in hexadecimal digits."""
        return self._source.state.hexdigest() if self._original is None else self._original[1]

    def peek(self, count: int = BATCH) -> RowChunk:
        """Return the first rows, which are read again afterwards."""
        seen: list[Cut] = []
        size = 0
        for cut in islice(self._cuts, count):
            seen.append(cut)
            size += len(cut[0])
            if size > _CHUNK_BYTES:
                break
        self._cuts = chain(seen, self._cuts)
        faults = {index: fault for index, (_, fault) in enumerate(seen) if fault}
        return RowChunk(1, tuple(row for row, _ in seen), faults, self.layout)

    def __iter__(self) -> Iterator[RowChunk]:
        rows: list[bytes] = []
        faults: dict[int, str] = {}
        size = 0
        with self._stream:
            for row, fault in self._cuts:
                if fault:
                    faults[len(rows)] = fault
                rows.append(row)
                size += len(row)
                if len(rows) == self.batch or size > _CHUNK_BYTES:
                    yield self._chunk(rows, faults)
                    rows, faults, size = [], {}, 0
            if rows:
                yield self._chunk(rows, faults)
        if not self.rows:
            raise UserError(
                f"{self.name} holds no sentences.", remedy="Check that it is the right file and that it arrived whole."
            )

    def _chunk(self, rows: list[bytes], faults: dict[int, str]) -> RowChunk:
        self.rows += len(rows)
        return RowChunk(self.rows - len(rows) + 1, tuple(rows), faults, self.layout)

    # --- cutting ----------------------------------------------------------------------------------------------------

    def _mark(self, encoding: str) -> bytes:
        """Take the byte-order mark off, and refuse encodings that cannot be cut into lines."""
        begin = self._stream.peek(4)[:4]
        if begin.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise UserError(
                f"{self.name} is in UTF-16, which cannot be read line by line.",
                remedy="Convert it first: iconv -f utf-16 -t utf-8 OLD > NEW",
            )
        mark = "\ufeff".encode(encoding, errors="ignore")
        return self._stream.read(len(mark)) if mark and begin.startswith(mark) else b""

    def _delimiter(self, opened: _Opened, table: TableOptions) -> str:
        """Return what parts the fields of a table: as stated, or as the beginning of the file shows."""
        if opened.form not in DELIMITERS:
            return ""
        if table.delimiter != "auto":
            return delimiter_of(table.delimiter)
        return _shown_delimiter(self._stream.peek(1), opened.form, opened.codec)

    def _quoted(self, opened: _Opened, delimiter: bytes, quoting: Quoting) -> bool:
        """Find out whether marks quote fields: in the whole file, or in the beginning of what can be read only once."""
        whole = self._source.size
        if quoting != "auto":
            return quoting == "standard"
        if whole is None or opened.again is None:
            begun = self._stream.peek(1).splitlines(keepends=True)
            cut_off = len(begun) > 1 and not begun[-1].endswith(b"\n")
            return is_quoted(begun[:-1] if cut_off else begun, delimiter, self.name)
        with file_errors(self.name, "read"), opened.again() as stream:
            if not any(MARK in block for block in iter(partial(stream.read, _BLOCK), b"")):
                return True
            stream.seek(len(self.head))
            lines = iter(partial(stream.readline, _ROW_BYTES), b"")
            return is_quoted(_up_to(lines, whole - len(self.head)), delimiter, self.name)

    def _rows(self, layout: Layout, quoting: Quoting) -> Iterator[Cut]:
        # No encoding that is read here takes more than four bytes per character.
        plain = layout.form == "txt"
        limit = 4 * layout.longest + 2 if plain else max(_ROW_BYTES, 8 * layout.longest)
        lines = self._lines(limit, layout.encoding, "line" if plain else "row")
        if layout.form not in DELIMITERS or not layout.quoted:
            return lines
        return self._joined(lines, layout.delimiter.encode(), limit, stated=quoting == "standard")

    def _joined(self, lines: Iterator[Cut], delimiter: bytes, limit: int, *, stated: bool) -> Iterator[Cut]:
        """Join the lines of rows whose quoted fields hold line ends; what may be several rows is refused."""
        width, line = 0, 1
        for joined in joined_rows(lines, delimiter, limit):
            width = width or joined.fields
            # Marks of one column are told by the whole file (`is_quoted`), of which a pipe shows the beginning only.
            settled = stated or (width == 1 and self._source.size is not None)
            if not settled and doubtful(joined, delimiter, width):
                raise two_readings(f"{self.name}, line {line}", len(joined.lines))
            line += len(joined.lines)
            yield joined.row, joined.fault

    def _lines(self, limit: int, encoding: str, what: str) -> Iterator[Cut]:
        while line := self._stream.readline(limit):
            if line.endswith(b"\n"):
                yield line, ""
            elif len(line) == limit:
                yield _ONE_LINE, too_long(self._characters(line, encoding), what)
            else:
                yield line, STILL_WRITTEN if self.grown > 0 else ""

    def _characters(self, line: bytes, encoding: str) -> int:
        """Return how many characters a line has of which only the beginning was read, and read the rest of it."""
        decoder = codecs.getincrementaldecoder(encoding)("replace")
        count, piece = len(decoder.decode(line)), line
        while not piece.endswith(b"\n") and (piece := self._stream.readline(_BLOCK)):
            count += len(decoder.decode(piece)) - (piece.endswith(b"\n") + piece.endswith(b"\r\n"))
        return count

    # --- layout -----------------------------------------------------------------------------------------------------

    def _laid_out(
        self, layout: Layout, rows: Iterator[Cut], column: str | None, id_column: str | None, header: bool
    ) -> tuple[Layout, Iterator[Cut]]:
        """Find the fields of the sentence and its id, in the header and, where that does not say, in the first rows."""
        if layout.form == "txt":
            if column or id_column:
                raise UserError(
                    f"{self.name} is read as plain text, which has no column '{column or id_column}'.",
                    valid="A file of a table ends in .csv, .tsv or .jsonl, or --format says what it is.",
                )
            return layout, rows
        named = layout.form in DELIMITERS and header
        if named:
            layout = replace(layout, fields=self._header(rows, layout))
        seen = list(islice(rows, _LOOKED_AT))
        if layout.form in DELIMITERS and not header:
            layout = replace(layout, fields=_numbers(seen, layout))
        values = _values(seen, layout)
        names = list(layout.fields) or list(values)
        for name in (column, id_column):
            if name and name not in names and (layout.fields or seen):
                by_number = named and name.isdecimal()
                remedy = "Without a row of names columns are called by their numbers: --no-header" if by_number else ""
                raise unknown_name("column", name, names, remedy=remedy)
        chosen = column or _sentence_column(values, id_column, self.name)
        return replace(layout, column=chosen, id_column=id_column or ""), chain(seen, rows)

    def _header(self, rows: Iterator[Cut], layout: Layout) -> tuple[str, ...]:
        raw, fault = next(rows, (b"", ""))
        try:
            line = "" if fault else raw.decode(layout.encoding)
        except UnicodeError:
            fault = f"it is not {layout.encoding}"
        if fault:
            raise UserError(f"The header of {self.name} cannot be read: {fault}.")
        fields = tuple(field.strip() for field in layout.cells(line)) if line.strip() else ()
        twice = next((field for field in fields if fields.count(field) > 1), None)
        if not fields or twice is not None:
            problem = "has no header" if not fields else f"has two columns called '{twice}'"
            raise UserError(
                f"{self.name} {problem}.",
                valid="The first row names the columns, each by another name.",
                remedy="If it has no such row: --no-header" if fields else "",
            )
        self._check_names(fields)
        self.head += raw
        return fields

    def _check_names(self, fields: tuple[str, ...]) -> None:
        """Refuse a header that says that the rows are parted otherwise, or that is the first sentence."""
        other = next((mark for mark in ";\t" if len(fields) == 1 and mark in fields[0]), "")
        if other:
            raise UserError(
                f"{self.name} has one column, called '{fields[0]}'.",
                valid="Fields are parted by commas in CSV, by tabs in TSV.",
                remedy="Read it with --format tsv." if other == "\t" else "Save it with commas or tabs.",
            )
        sentence = next((field for field in fields if field.endswith(_SENTENCE_ENDS)), None)
        if sentence is not None:
            raise UserError(
                f"{self.name} has no header: '{sentence[:40]}' is a sentence.",
                valid="The first row names the columns, each by another name.",
                remedy="Read columns by their numbers with --no-header, or lines of plain text with --format txt.",
            )


def form_of(path: Path | str) -> Form:
    """Return the form that the name of a file tells; what is not text is refused."""
    suffix = Path(path).suffix.lower()
    if suffix in _NOT_TEXT:
        packed = suffix in {".gz", ".bz2", ".xz", ".zst"}
        raise UserError(
            f"{path} is no text file.",
            valid=f"Sentences are read from plain text, .csv, .tsv, .jsonl, .json, {', '.join(WHOLE_TABLES)}.",
            remedy=f"Unpack it first, or pipe it: zcat {path} | hengliang score -" if packed else "Save it as one.",
        )
    return "jsonl" if suffix in WHOLE_TABLES else _FORMS.get(suffix, "txt")


def _values(rows: list[Cut], layout: Layout) -> dict[str, list[object]]:
    """Return the values of each field in some rows; rows that cannot be read say nothing."""
    values: dict[str, list[object]] = {name: [] for name in layout.fields}
    for row, fault in rows:
        try:
            line = "" if fault else row.decode(layout.encoding)
            fields: Any = json.loads(line) if layout.form == "jsonl" else {}
        except (ValueError, RecursionError):
            continue
        if layout.form != "jsonl" and line:
            fields = dict(zip(layout.fields, layout.cells(line), strict=False))
        for name, value in fields.items() if isinstance(fields, dict) else ():
            values.setdefault(name, []).append(value)
    return values


def _sentence_column(values: Mapping[str, list[object]], id_column: str | None, name: str) -> str:
    """Return the field that must be meant: `sentence`, `text`, or the only one that holds text."""
    usual = next((column for column in SENTENCE_COLUMNS if column in values), None)
    if usual is not None:
        return usual
    names = [column for column in values if column != id_column]
    texts = [column for column in names if any(_is_text(value) for value in values[column])]
    chosen = names if len(names) == 1 else texts
    if len(chosen) == 1:
        return chosen[0]
    listed = ", ".join(values) if values else "none that can be read"
    raise UserError(
        f"It is not clear which column of {name} holds the sentences.",
        valid=f"Columns: {listed}.",
        remedy="Name it with --column COLUMN.",
    )


def _is_text(value: object) -> bool:
    if not isinstance(value, str) or not value.strip():
        return False
    try:
        float(value)
    except ValueError:
        return True
    return False


def _numbers(rows: list[Cut], layout: Layout) -> tuple[str, ...]:
    """Return the numbers of the columns, as many as the first row has that can be read."""
    for row, fault in rows:
        try:
            line = "" if fault else row.decode(layout.encoding)
        except UnicodeError:
            continue
        if line.strip():
            return tuple(str(number) for number in range(1, len(layout.cells(line)) + 1))
    return ()


def _up_to(lines: Iterator[bytes], size: int) -> Iterator[bytes]:
    """Yield lines of so many bytes together."""
    for line in lines:
        if size <= 0:
            return
        yield line[:size]
        size -= len(line)


# --- the file as it was when it was opened ----------------------------------------------------------------------------


class _Opened(NamedTuple):
    """A file that can be read line by line: itself, or a copy of one that cannot; `again` opens it anew.

    `original` has the size of the file that was copied and its checksum, as they were then.
    """

    source: _Snapshot
    form: Form
    codec: str
    again: Callable[[], BinaryIO] | None = None
    original: tuple[int, str] | None = None


def _opened(path: Path | str, form: Form | None, table: TableOptions, name: str, size: int | None) -> _Opened:
    file = Path(path)
    is_input = str(path) == STANDARD_INPUT
    if not is_input:
        with file_errors(file, "read"):
            is_regular = stat.S_ISREG(file.stat().st_mode)
        if file.is_dir():
            raise UserError(f"Cannot read {file}: it is a folder.", valid="A file is expected here.")
    if table.sheet is not None and file.suffix.lower() != ".xlsx":
        raise UserError(f"{name} has no sheets.", valid="A sheet is named for an Excel file: --sheet.")
    if is_input or not is_regular:
        stream = _standard_input() if is_input else file.open("rb", buffering=0)
        codec = codec_of("utf-8" if table.encoding in {"auto", "utf-8-sig"} else table.encoding)
        if "\n".encode(codec) != b"\n":
            raise UserError(
                f"{name} in {table.encoding} cannot be read line by line.",
                remedy=f"Convert it first: iconv -f {table.encoding} -t utf-8, or save it to a file.",
            )
        return _Opened(_Snapshot(stream, name, None), form or form_of(path), codec)
    is_table = form is None and (file.suffix.lower() in WHOLE_TABLES or _is_array(file, table.encoding))
    codec = "utf-8" if is_table else file_encoding(file, table.encoding)
    chosen: Form = "jsonl" if is_table else form or form_of(path)
    if is_table or not _has_lines(file, codec, chosen, table.delimiter):
        original = (file.stat().st_size, file_checksum(file))
        rows = _rows_of_table(file, table) if is_table else _lines_of_text(file, codec)
        data = b"".join(rows)
        return _Opened(
            _Snapshot(io.BytesIO(data), name, len(data)), chosen, "utf-8", partial(io.BytesIO, data), original
        )
    with file_errors(file, "read"):
        stream = file.open("rb", buffering=0)
        known = os.fstat(stream.fileno()).st_size
    again: Callable[[], Any] = partial(file.open, "rb")
    return _Opened(_Snapshot(stream, name, known if size is None else min(size, known)), chosen, codec, again)


def _standard_input() -> Any:
    return getattr(sys.stdin, "buffer", None) or io.BytesIO(utf8(sys.stdin.read()))


def _is_array(file: Path, encoding: str) -> bool:
    if file.suffix.lower() != ".json":
        return False
    with file_errors(file, "read"), file.open("rb") as stream:
        return is_one_array(text_lines(stream.read(_BLOCK), str(file), encoding)[0])


def _has_lines(file: Path, codec: str, form: Form, delimiter: str) -> bool:
    """Say whether a file can be cut into lines and fields before it is decoded.

    In the encodings of Chinese, the second byte of a character may be that of a letter or of a bar, but of no comma.
    """
    if "\n".encode(codec) != b"\n":
        return False
    if codec == "utf-8" or form not in DELIMITERS:
        return True
    with file_errors(file, "read"), file.open("rb") as stream:
        shown = _shown_delimiter(stream.read(_BLOCK), form, codec)
    return (shown if delimiter == "auto" else delimiter_of(delimiter)) in ",;\t"


def _rows_of_table(file: Path, table: TableOptions) -> Iterator[bytes]:
    """Yield the rows of a table that is not a text file, as JSON objects; one that cannot be read is told."""
    for _, cells in read_user_table(file, replace(table, errors="skip"), what="sentence"):
        yield f"{json.dumps(cells, ensure_ascii=False)}\n".encode()


def _lines_of_text(file: Path, codec: str) -> Iterator[bytes]:
    """Yield the lines of a text in UTF-8; one that does not decode stays as it is, and is told when it is read."""
    with file_errors(file, "read"):
        cuts, _ = text_lines(file.read_bytes(), str(file), codec)
    yield from (line for line, _ in cuts)


def _shown_delimiter(beginning: bytes, form: Form, codec: str) -> str:
    """Return the delimiter that the lines at the beginning of a table show, without one that is cut off."""
    lines = beginning.decode(codec, "replace").encode().splitlines(keepends=True)
    is_cut_off = len(lines) > 1 and len(beginning) > _BLOCK // 2 and not lines[-1].endswith(b"\n")
    return recognised_delimiter(lines[:-1] if is_cut_off else lines, DELIMITERS[form])


class _Snapshot(io.RawIOBase):
    """The bytes that a file had when it was opened, with their checksum; one that has lost some is refused.

    `filling` waits for as many bytes as are asked for, or for the end.
    """

    def __init__(self, stream: Any, name: str, size: int | None) -> None:
        self.stream = stream
        self.name = name
        self.size = size
        self.done = 0
        self.state = hashlib.sha256()
        self.final: int | None = None
        self.filling = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        view = view if self.size is None else view[: max(0, self.size - self.done)]
        if not len(view):
            return 0
        with file_errors(self.name, "read"):
            count: int = self.stream.readinto(view) or 0
            while self.filling and 0 < count < len(view) and (more := self.stream.readinto(view[count:]) or 0):
                count += more
        if not count and self.size is not None:
            raise Failure(
                f"{self.name} became shorter while it was read: it had {self.size:,} bytes, "
                f"and now ends after {self.done:,}.",
                remedy="Wait until nobody writes to it, then give the same command again.",
            )
        self.done += count
        self.state.update(view[:count])
        return count

    @property
    def grown(self) -> int:
        if self.size is None:
            return 0
        if self.final is not None:
            return self.final - self.size
        return self._length() - self.size

    def _length(self) -> int:
        if isinstance(self.stream, io.BytesIO):
            return len(self.stream.getbuffer())
        return os.fstat(self.stream.fileno()).st_size

    def close(self) -> None:
        if not self.closed and self.size is not None:
            self.final = self._length()
            self.stream.close()
        super().close()
