"""Which sentence stands in this row of a file, and why is there none?

A row is a line of plain text, a row of CSV or TSV, or a line of JSON. What is wrong with one row is said of that row,
in one line, and never stops the others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from hengliang.core.io.delimited import DELIMITERS as NAMES_OF_DELIMITERS
from hengliang.core.io.delimited import ENCODINGS_TO_TRY, fields_of
from hengliang.core.signature import digest
from hengliang.core.text.characters import Offsets

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
        faults = (f"{place}:{fault}" for place, fault in self.faults.items())
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
            found = [_pair(row, place, self.layout, problems) for place, row in enumerate(decoded)]
            texts = pl.Series("text", [text for _, text in found], dtype=pl.String)
            if self.layout.id_column:
                given = pl.Series("id", [identity for identity, _ in found], dtype=pl.String)
                ids = pl.select(pl.coalesce(given, ids).alias("id"))["id"]
        return Sentences(numbers, ids, _checked(texts, self.layout, problems), problems)


def _decoded(rows: Sequence[bytes], encoding: str, problems: dict[int, str]) -> list[str]:
    found = []
    for place, row in enumerate(rows):
        try:
            found.append(row.decode(encoding))
        except UnicodeError as error:
            found.append("")
            problems.setdefault(place, _undecodable(row, encoding, error))
    return found


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
    """Return the texts without the white space around them; those that are no sentence are emptied."""
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
    for found, problem in faults:
        for place in np.flatnonzero(found).tolist():
            problems.setdefault(place, problem or too_long(int(lengths[place]), "line" if plain else "text"))
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

# --- tables ---------------------------------------------------------------------------------------------------------


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


# --- JSON -----------------------------------------------------------------------------------------------------------


def _json_pair(row: str, layout: Layout) -> Read:
    if not row.strip():
        return None, "", EMPTY_LINE
    try:
        held = json.loads(row)
    except (ValueError, RecursionError) as error:
        said = f"{error.msg} at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else str(error)
        return None, "", f"not JSON: {said}"
    if not isinstance(held, dict):
        return None, "", f"the line is {_kind(held)}, not a JSON object"
    identity, problem = _value(held, layout.id_column) if layout.id_column else (None, "")
    text, wrong = _value(held, layout.column)
    if not wrong and not isinstance(held[layout.column], str):
        wrong = f"the value of '{layout.column}' is {_kind(held[layout.column])}, not text"
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
