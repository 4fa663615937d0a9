"""Validation of settings and stored records: TOML and JSON become frozen dataclasses, or the mistake is named by path.

A dataclass says by its annotations what its file may hold: texts, numbers, truth values, `Literal`s, `X | None`,
tuples, mappings and other dataclasses. `Annotated` says the rest: what an entry is called in the file (`Key`), what a
value must be besides its type (`Must`, `Within`), that one value may stand for a list of one (`OneOrMany`), that a
whole number stays one (`AsWritten`), that files of former versions lack an entry (`Later`).

Settings are written by people: unknown entries are refused with the closest known one, entries that are left out have
their defaults. Records are written by us (`to_json`): every entry is needed, what we do not know was written by a later
version and is passed over. JSON has no word for what is not finite: NaN is null, the infinite are texts.
"""

from __future__ import annotations

import functools
import json
import math
import re
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from hengliang.core.closure import outside_signatures
from hengliang.core.errors import UserError, closest_name, unknown_name
from hengliang.core.io.files import read_json, read_toml

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class Key:
    """What an entry is called in the file; `time.spread` is the entry `spread` of the table `time`."""

    path: str


@dataclass(frozen=True, slots=True)
class Must:
    """What else is asked of a value: `fault` says what is wrong (perhaps nothing but that it is), or returns None."""

    fault: Callable[[Any], str | None]
    valid: str


@dataclass(frozen=True, slots=True)
class Within:
    """The least and the greatest that a finite number may be; with `open`, neither of them itself."""

    valid: str
    low: float = -math.inf
    high: float = math.inf
    open: bool = False

    def fault(self, number: float | None) -> str | None:
        """Return None for a number that is right, or for none."""
        if number is None:
            return None
        inside = self.low < number < self.high if self.open else self.low <= number <= self.high
        return None if inside and math.isfinite(number) else ""


@dataclass(frozen=True, slots=True)
class OneOrMany:
    """One value may stand for a list of one."""


@dataclass(frozen=True, slots=True)
class AsWritten:
    """A whole number that stands for another one stays whole: 0 is not 0.0 where a digest is made of the record."""


@dataclass(frozen=True, slots=True)
class Later:
    """Records of former versions lack this entry; it has its default then."""


@dataclass(frozen=True, slots=True)
class WrittenAs:
    """How a value that is not a record is written and read back."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


FINITE = Within("A finite number.")
NOT_NEGATIVE = Within("A finite number, 0 or more.", 0.0)
POSITIVE = Within("A finite number above 0.", 0.0, open=True)
SHARE = Within("A share from 0 to 1.", 0.0, 1.0)


def _shares_fault(shares: Sequence[float]) -> str | None:
    whole = len(shares) > 1 and all(share > 0 for share in shares) and abs(sum(shares) - 1) <= 0.005
    return None if whole else f"sum {sum(shares):.4g}"


SHARES = Must(_shares_fault, "One share above 0 for each answer of the scale, together 1.")


def _blank(text: str | None) -> str | None:
    return None if text is None or text.strip() else ""


NOT_BLANK = Must(_blank, "A text that is not empty.")


# --- reading and writing records --------------------------------------------------------------------------------------


@outside_signatures("what is read is signed itself")
def read_settings(kind: type[Record], file: Path, *, remedy: str = "", passed_over: Sequence[str] = ()) -> Record:
    """Return the record that a TOML or JSON file describes, or say at which entry of which line it does not.

    The entries `passed_over` are there for another reader.
    """
    if file.suffix == ".json":
        return settings_from(kind, read_json(file), str(file), remedy=remedy, passed_over=passed_over)
    tables = read_toml(file, remedy or "Mend the line that is named.")
    reader = _Reader(str(file), remedy, file.read_text(encoding="utf-8-sig"), passed_over=tuple(passed_over))
    return reader.value(kind, tables, ())  # type: ignore[no-any-return]


@outside_signatures("what is read is signed itself")
def settings_from(
    kind: type[Record],
    value: object,
    source: str,
    *,
    remedy: str = "",
    passed_over: Sequence[str] = (),
    entry: str = "entry",
) -> Record:
    """Return the record that a mapping describes; `source` is what messages call it, and `entry` one of its entries."""
    return _Reader(source, remedy, passed_over=tuple(passed_over), entry=entry).value(kind, value, ())  # type: ignore[no-any-return]


@outside_signatures("what is checked is signed itself")
def check_settings(record: object, source: str) -> None:
    """Refuse a record that was made by hand and that no file could describe."""
    reader = _Reader(source)
    for entry in _entries_of(record):
        reader.value(entry.hint, getattr(record, entry.name), (*entry.path,))


@outside_signatures("what is read is signed itself")
def from_json(kind: type[Record], value: object, source: str, *, remedy: str = "") -> Record:
    """Return the record that `to_json` wrote."""
    return _Reader(source, remedy, stored=True).value(kind, value, ())  # type: ignore[no-any-return]


@outside_signatures("what is written is signed itself")
def to_json(value: object) -> Any:
    """Return a record, or any value of one, as plain JSON, a class with a `to_json` of its own as it says itself."""
    if isinstance(value, float):
        return json_number(value)
    if isinstance(value, Mapping):
        return {name: to_json(each) for name, each in value.items()}
    if hasattr(value, "to_json"):
        return value.to_json()
    if is_dataclass(value) or hasattr(value, "_fields"):
        return record_to_json(value)
    return [to_json(each) for each in value] if isinstance(value, list | tuple) else value


@outside_signatures("what is written is signed itself")
def record_to_json(record: object) -> dict[str, Any]:
    """Return the entries of a record as plain JSON, whatever its class says itself."""
    return {
        ".".join(entry.path): (entry.written_as or to_json)(getattr(record, entry.name))
        for entry in _entries_of(record)
    }


_INFINITE = {"Infinity": math.inf, "-Infinity": -math.inf}


def json_number(value: float | None) -> float | str | None:
    """Return a number as strict JSON can hold it."""
    if value is None or math.isnan(value):
        return None
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def number_from_json(value: float | str | None) -> float | None:
    """Read back what `json_number` gave."""
    if isinstance(value, str):
        if value not in _INFINITE:
            raise UserError(f"'{value}' is not a number.", valid="A number, null, 'Infinity' or '-Infinity'.")
        return _INFINITE[value]
    return None if value is None else float(value)


def _stored_number(value: str | None) -> float:
    return math.nan if value is None else _INFINITE[value]


Steps = tuple[str | int, ...]
"""A path into a file: names of entries and places in lists."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A field of a record: its name there, where it stands in the file, its type, whether it may be left out."""

    name: str
    path: tuple[str, ...]
    hint: Any
    has_default: bool
    later: bool
    written_as: Callable[[Any], Any] | None


def _entries_of(record: object) -> tuple[_Entry, ...]:
    kind: Any = type(record)
    return _entries(kind)


@functools.cache
def _entries(kind: type[Any]) -> tuple[_Entry, ...]:
    """Return the fields of a dataclass or of a named tuple."""
    hints = get_type_hints(kind, include_extras=True)
    if is_dataclass(kind):
        defaults = {
            each.name: each.default is not MISSING or each.default_factory is not MISSING
            for each in fields(kind)
            if each.init
        }
    else:
        defaults = {name: name in kind._field_defaults for name in kind._fields}
    entries = []
    for name, has_default in defaults.items():
        marks = get_args(hints[name])[1:] if get_origin(hints[name]) is Annotated else ()
        path = next((mark.path for mark in marks if isinstance(mark, Key)), name)
        later = any(isinstance(mark, Later) for mark in marks)
        written_as = next((mark.write for mark in marks if isinstance(mark, WrittenAs)), None)
        entries.append(_Entry(name, tuple(path.split(".")), hints[name], has_default, later, written_as))
    return tuple(entries)


_PLAIN: dict[object, tuple[tuple[type, ...], str]] = {
    str: ((str,), "A text."),
    bool: ((bool,), "true or false."),
    int: ((int,), "A whole number."),
    float: ((int, float), "A number."),
}


@dataclass(frozen=True, slots=True)
class _Reader:
    """Turns plain values into what annotations ask for; `text` is the TOML file in which lines are looked up."""

    source: str
    remedy: str = ""
    text: str = ""
    stored: bool = False
    passed_over: tuple[str, ...] = ()
    entry: str = "entry"

    def value(self, kind: Any, value: Any, path: Steps) -> Any:
        """Return a value as its annotation wants it."""
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self._marked(arguments[0], arguments[1:], value, path)
        if kind in (Any, object):
            return value
        if origin is Literal:
            return self._known(arguments, value, path)
        if origin in (Union, types.UnionType):
            inner = [each for each in arguments if each is not types.NoneType]
            return None if value is None else self.value(inner[0] if len(inner) == 1 else object, value, path)
        if origin is tuple:
            return self._several(arguments, value, path)
        if isinstance(origin, type) and issubclass(origin, Mapping):
            if not isinstance(value, Mapping):
                raise self.refusal(path, value, _table(path))
            return {name: self.value(arguments[1], each, (*path, name)) for name, each in value.items()}
        return self._record(kind, value, path) if kind not in _PLAIN else self._plain(kind, value, path)

    def refusal(self, path: Steps, value: object, valid: str, remark: str = "") -> UserError:
        """Return the error about the value at a path."""
        remark = f" ({remark})" if remark else ""
        where = written_path(path)
        what = f"{self._place(path)}: {where} is" if where else f"{self.source} is"
        return UserError(f"{what} {_shown(value)}{remark}.", valid=valid, remedy=self.remedy)

    def _place(self, path: Steps) -> str:
        line = line_of(self.text, path) if self.text else None
        return self.source if line is None else f"{self.source}, line {line}"

    def _marked(self, kind: Any, marks: Sequence[object], value: Any, path: Steps) -> Any:
        for mark in marks:
            if isinstance(mark, WrittenAs):
                return self._own(mark.read, value, path)
        alone = any(isinstance(mark, OneOrMany) for mark in marks) and not isinstance(value, list | tuple)
        made = self.value(kind, [value] if alone else value, path)
        for mark in marks:
            if isinstance(mark, AsWritten):
                made = value
            if isinstance(mark, Must | Within):
                remark = mark.fault(made)
                if remark is not None:
                    raise self.refusal(path, value, mark.valid, remark)
        return made

    def _plain(self, kind: object, value: Any, path: Steps) -> Any:
        if self.stored and kind is float and (value is None or isinstance(value, str)):
            return self._own(_stored_number, value, path)
        wanted, valid = _PLAIN[kind]
        if (kind is not bool and isinstance(value, bool)) or not isinstance(value, wanted):
            raise self.refusal(path, value, valid)
        number: Any = value
        try:
            return float(number) if kind is float else value
        except OverflowError:
            raise self.refusal(path, value, valid) from None

    def _known(self, known: tuple[Any, ...], value: Any, path: Steps) -> Any:
        if not any(value == each and type(value) is type(each) for each in known):
            close = closest_name(value, map(str, known)) if isinstance(value, str) else None
            valid = f"One of: {', '.join(map(str, known))}."
            raise self.refusal(path, value, (f"Did you mean {close}? " if close else "") + valid)
        return value

    def _several(self, kinds: tuple[Any, ...], value: Any, path: Steps) -> Any:
        if not isinstance(value, list | tuple):
            raise self.refusal(path, value, "A list: […].")
        if kinds[-1] is Ellipsis:
            kinds = (kinds[0],) * len(value)
        if len(kinds) != len(value):
            raise self.refusal(path, value, f"A list of {len(kinds)}.")
        return tuple(
            self.value(kind, each, (*path, number))
            for number, (kind, each) in enumerate(zip(kinds, value, strict=True))
        )

    def _record(self, kind: Any, value: Any, path: Steps) -> Any:
        if isinstance(value, kind):
            return value
        # A class that reads itself may have called us for its entries: it is not asked again.
        if self.stored and path and hasattr(kind, "from_json"):
            return self._own(kind.from_json, value, path)
        entries = {entry.path: entry for entry in _entries(kind)}
        if not isinstance(value, Mapping):
            raise self.refusal(path, value, _object(entries))
        values = dict(self._flat(value, entries, path))
        read: dict[str, Any] = {}
        for at, entry in entries.items():
            if at in values:
                read[entry.name] = self.value(entry.hint, values[at], (*path, *at))
            elif not entry.has_default or (self.stored and not entry.later):
                raise self._missing(path, at, entries)
        return kind(**read)

    def _own(self, read: Callable[[Any], Any], value: Any, path: Steps) -> Any:
        try:
            return read(value)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self.refusal(path, value, "What hengliang writes here.") from error

    def _flat(
        self, value: Mapping[str, Any], entries: Mapping[tuple[str, ...], _Entry], path: Steps
    ) -> Iterator[tuple[tuple[str, ...], Any]]:
        """Yield the entries of an object, and those of its tables that are written into the same record."""
        tables = dict.fromkeys(at[0] for at in entries if len(at) > 1)
        names = list(dict.fromkeys(at[0] for at in entries))
        for name, each in value.items():
            if name in tables:
                known = [at[1] for at in entries if at[0] == name]
                if not isinstance(each, Mapping):
                    raise self.refusal((*path, name), each, _table((*path, name)))
                for inner, content in each.items():
                    if inner not in known:
                        raise self._unknown(inner, known, (*path, name))
                    yield (name, inner), content
            elif (name,) in entries:
                yield (name,), each
            elif not self.stored and (path or name not in self.passed_over):
                raise self._unknown(str(name), names, path)

    def _unknown(self, name: str, known: Sequence[str], path: Steps) -> UserError:
        inside = f"{written_path(path)} of " if path else ""
        where = f"{inside}{self.source}{self._line((*path, name))}"
        return unknown_name(f"{self.entry} in {where}", name, known, remedy=self.remedy)

    def _missing(self, path: Steps, at: tuple[str, ...], entries: Mapping[tuple[str, ...], _Entry]) -> UserError:
        problem = f"{self.source} has no {written_path((*path, *at))}{self._line(path)}."
        if self.stored:
            return UserError(problem, remedy=self.remedy)
        remedy = f"Write {at[-1]} = … under [{'.'.join(at[:-1])}]." if len(at) > 1 else ""
        valid = "" if remedy else _object(entries)
        return UserError(problem, valid=valid, remedy=" ".join(filter(None, (remedy, self.remedy))))

    def _line(self, path: Steps) -> str:
        line = line_of(self.text, path) if self.text and path else None
        return "" if line is None else f" (line {line})"


# --- wording of messages ----------------------------------------------------------------------------------------------


def _object(entries: Mapping[tuple[str, ...], _Entry]) -> str:
    return f"An object with {', '.join(dict.fromkeys(at[0] for at in entries))}."


def _table(path: Steps) -> str:
    return f"A table: begin it with the line [{written_path(path)}]."


def _shown(value: object) -> str:
    """Return a value as its file has it, shortened."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= 100 else f"{text[:99]}…"


def written_path(path: Steps) -> str:
    """Return a path as it is written: names with dots between them, places in brackets.

    >>> written_path(("tasks", 2, "scale")), written_path(("scales", "very clear"))
    ('tasks[2].scale', 'scales."very clear"')
    """
    parts: list[str] = []
    for step in path:
        name = str(step) if re.fullmatch(r"[\w-]+", str(step)) else json.dumps(step, ensure_ascii=False)
        parts.append(f"[{step}]" if isinstance(step, int) else f"{'.' if parts else ''}{name}")
    return "".join(parts)


_TEXT_OF_LINES = re.compile(r'"""(?:\\.|[^\\])*?"""' + r"|'''.*?'''", re.DOTALL)


def line_of(text: str, path: Steps) -> int | None:
    """Return the line of a TOML file in which the entry at a path begins, as far as its lines tell; else None.

    >>> line_of("[time]\\nspread = 1\\n\\n[[task]]\\n[[task]]\\nname = 2", ("task", 1, "name"))
    6
    """
    here: list[str | int] = []
    counts: dict[tuple[str, ...], int] = {}
    best: tuple[int, int] | None = None
    # What a text of several lines holds may look like entries.
    text = _TEXT_OF_LINES.sub(lambda written: "\n" * written[0].count("\n"), text)
    for number, line in enumerate(text.split("\n"), 1):
        header = re.match(r"\s*(\[\[?)\s*([^\]]+?)\s*\]", line)
        entry = re.match(r"""\s*([\w-]+|"[^"]*"|'[^']*')((?:\s*\.\s*(?:[\w-]+|"[^"]*"))*)\s*=""", line)
        if header:
            names = [*_names(header[2])]
            if header[1] == "[[":
                counts[tuple(names)] = counts.get(tuple(names), -1) + 1
            here = []
            for depth, name in enumerate(names, 1):
                here += [name, *([counts[tuple(names[:depth])]] if tuple(names[:depth]) in counts else [])]
            steps = here
        elif entry:
            steps = [*here, *_names(entry[1] + entry[2])]
        else:
            continue
        # The deepest line that leads to the entry: an inline table or a list stands in the line of its name.
        if steps == list(path[: len(steps)]) and (best is None or len(steps) > best[0]):
            best = len(steps), number
    return None if best is None else best[1]


def _names(written: str) -> Iterator[str]:
    for name in re.findall(r"""[\w-]+|"[^"]*"|'[^']*'""", written):
        yield name.strip("\"'")
