"""Minimal pairs: the pair set, its lint, and the lines of files from which layouts read pairs.

The set comes first, then its lint; the reading of lines at the end is shared by the modules of the layouts.

A minimal pair is a good sentence and a bad one that differ in the thing under test. Pairs of one construction make up
a paradigm, paradigms make up a phenomenon. A set keeps what it leaves out: pairs of two identical sentences, which no
model can tell apart, and lines that could not be read.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar, get_args

import polars as pl

from hengliang.core.errors import file_errors, unknown_name
from hengliang.core.io.delimited import ONE_LINE, BadLine, parsed_rows
from hengliang.core.io.tables import read_json_objects
from hengliang.core.text.segmentation import plain_content

# --- the pair set -----------------------------------------------------------------------------------------------------


Code = Literal["identical", "broken", "repeated", "contradictory", "ending"]
CODES: tuple[Code, ...] = get_args(Code)


@dataclass(frozen=True, slots=True)
class Pair:
    """A good and a bad sentence. `id` is unique within its paradigm; `field` is the branch of linguistics, if any."""

    id: str
    phenomenon: str
    paradigm: str
    good: str
    bad: str
    file: str
    line: int
    field: str = ""

    @property
    def is_identical(self) -> bool:
        """Whether the two sentences are the same."""
        return plain_content(self.good) == plain_content(self.bad)


@dataclass(frozen=True, slots=True)
class RatedSentence:
    """One sentence with its labels, which belongs to no pair; None where a label is missing."""

    id: str
    sentence: str
    linguist: bool | None
    crowd: bool | None
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """A line that holds no pair, and why."""

    file: str
    line: int
    problem: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.problem}."


def _no_selections() -> Mapping[str, Sequence[str]]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PairSet:
    """All pairs of a set that differ, and what was left out of it.

    `pairs` are in the order of the files; `identical` pairs and `broken` lines are not among them. `repeated` pairs are
    among them: each has the same two sentences as an earlier one of its paradigm. `rated` are sentences that belong to
    no pair. `selections` names groups of paradigms. `unread` are files in which no layout was recognised.
    """

    name: str
    layout: str
    pairs: tuple[Pair, ...]
    identical: tuple[Pair, ...] = ()
    repeated: tuple[Pair, ...] = ()
    broken: tuple[BrokenLine, ...] = ()
    rated: tuple[RatedSentence, ...] = ()
    unread: tuple[str, ...] = ()
    selections: Mapping[str, Sequence[str]] = field(default_factory=_no_selections)

    @property
    def read(self) -> int:
        """How many pairs were read, the identical ones counted."""
        return len(self.pairs) + len(self.identical)

    def paradigms(self, names: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the paradigms of these paradigms, phenomena or selections, in order; all when nothing is named."""
        phenomena_of: dict[str, set[str]] = defaultdict(set)
        for pair in (*self.pairs, *self.identical):
            phenomena_of[pair.paradigm].add(pair.phenomenon)
        if not names:
            return tuple(phenomena_of)
        wanted: set[str] = set()
        for name in names:
            matching = {
                paradigm for paradigm, phenomena in phenomena_of.items() if name == paradigm or name in phenomena
            }
            matching |= set(self.selections.get(name, ())) & set(phenomena_of)
            if not matching:
                phenomena = {phenomenon for group in phenomena_of.values() for phenomenon in group}
                raise unknown_name(
                    f"phenomenon or paradigm of {self.name}", name, [*phenomena, *phenomena_of, *self.selections]
                )
            wanted |= matching
        return tuple(paradigm for paradigm in phenomena_of if paradigm in wanted)


def repeated_pairs(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """Return every pair whose two sentences an earlier pair of its paradigm has."""
    seen: set[tuple[str, str, str]] = set()
    repeated = []
    for pair in pairs:
        key = (pair.paradigm, plain_content(pair.good), plain_content(pair.bad))
        if key in seen:
            repeated.append(pair)
        seen.add(key)
    return tuple(repeated)


# --- lint -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PairFinding:
    """Something that is wrong with a pair or a line; `pair` is empty for a line that holds none."""

    code: Code
    paradigm: str
    pair: str
    file: str
    line: int
    message: str

    def to_json(self) -> dict[str, Any]:
        """Return the finding as a JSON object."""
        return asdict(self)


def lint_pairs(held: PairSet) -> list[PairFinding]:
    """Return what is wrong with the pairs of a set.

    identical: the two sentences are the same. broken: a line holds no pair. repeated: an earlier pair has the same two
    sentences. contradictory: a sentence is good here and bad in another pair of the paradigm. ending: the two sentences
    end in different punctuation, so that the last mark may decide.
    """
    findings = [_finding("identical", pair, f"both sentences are '{pair.good}'") for pair in held.identical]
    findings += [PairFinding("broken", "", "", line.file, line.line, line.problem) for line in held.broken]
    findings += [_finding("repeated", pair, "an earlier pair has the same two sentences") for pair in held.repeated]
    findings += _contradictory(held.pairs)
    findings += _endings(held.pairs)
    return findings


def _finding(code: Code, pair: Pair, message: str) -> PairFinding:
    return PairFinding(code, pair.paradigm, pair.id, pair.file, pair.line, message)


def _contradictory(pairs: Sequence[Pair]) -> Iterator[PairFinding]:
    bad: dict[str, dict[str, Pair]] = defaultdict(dict)
    for pair in pairs:
        bad[pair.paradigm].setdefault(plain_content(pair.bad), pair)
    for pair in pairs:
        other = bad[pair.paradigm].get(plain_content(pair.good))
        if other is not None:
            yield _finding("contradictory", pair, f"'{pair.good}' is good here and bad in pair {other.id}")


def _endings(pairs: Sequence[Pair]) -> Iterator[PairFinding]:
    for pair in pairs:
        good, bad = _last_mark(pair.good), _last_mark(pair.bad)
        if good != bad:
            shown = " and ".join(f"'{mark}'" if mark else "no mark" for mark in (good, bad))
            yield _finding("ending", pair, f"the good and the bad sentence end in {shown}")


def _last_mark(sentence: str) -> str:
    last = sentence.strip()[-1:]
    return last if last and unicodedata.category(last)[0] == "P" else ""


def pair_counts(held: PairSet) -> pl.DataFrame:
    """Return how many pairs of each paradigm were read, and how many were identical, repeated or contradictory."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for finding in lint_pairs(held):
        counts[finding.code][finding.paradigm] += 1
    read = Counter(pair.paradigm for pair in (*held.pairs, *held.identical))
    phenomena = {pair.paradigm: pair.phenomenon for pair in (*held.pairs, *held.identical)}
    rows = [
        (phenomena[paradigm], paradigm, read[paradigm], *(counts[code][paradigm] for code in CODES if code != "broken"))
        for paradigm in held.paradigms()
    ]
    names = ["phenomenon", "paradigm", "read", *(code for code in CODES if code != "broken")]
    types = [pl.String, pl.String, *[pl.Int64] * (len(names) - 2)]
    return pl.DataFrame(rows, schema=dict(zip(names, types, strict=True)), orient="row")


# --- lines of files ---------------------------------------------------------------------------------------------------
# Objects of JSON or cells of a table, and the lines that cannot be read.

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
    rows = [Row(entry.line, {str(key).lower(): value for key, value in entry.values.items()}) for entry in read.objects]
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
    every.extend(BrokenLine(str(path), record.line, record.problem) for record in bad)
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
