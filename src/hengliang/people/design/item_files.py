"""Which items does a survey show, as an experiment folder or a researcher's own table has them?

A table (CSV, TSV or Parquet) has a row a text:

item      which rows are variants of one another
text      what is shown
system    who wrote it, or else `condition`; rows of one item with the same text are one stimulus of several systems
target    the word that stands out; where the text has it twice, with its neighbours: 一[个]人
role      target (unless said otherwise), practice, filler or catch
expected  the right answer to a catch item: 7, a range 1-3, a word, or for each scale {"fluency": [1, 2, 3]}

Every other column goes to the details of the stimulus, numbers and lists as such: `scene_size`, `options`, `scene`; so
does `condition` beside `system`.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from hengliang.errors import UserError
from hengliang.experiments import Compared, Experiment, read_experiment, stimuli_frame
from hengliang.files import read_table
from hengliang.people.design.delimited_rows import SEPARATORS, delimited_rows
from hengliang.records import response_id

ITEM_ROLES = ("target", "practice", "filler", "catch")
TARGET = "target"
_LONG_NAME = 40
_OWN = ("item", "text", "system", "condition", "target", "role", "expected")


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a survey: stimuli, their roles, and what is known of items besides."""

    stimuli: pl.DataFrame
    roles: Mapping[str, str]
    """The role of each stimulus."""
    strata: Mapping[str, str] = field(default_factory=dict)
    """To which sample an item belongs."""
    attributes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What a folder says of an item besides its stimuli."""
    experiment: Experiment | None = None
    """The experiment that the items come from, where they come from a folder."""
    compared: Compared = "system"
    """What the `systems` of the stimuli are."""

    def of_role(self, role: str) -> list[str]:
        """Return the stimuli of a role, in their order."""
        return [about for about in self.stimuli["about"] if self.roles[about] == role]

    def values(self, column: str) -> dict[str, Any]:
        """Return what a column says of each stimulus that has it: a detail of its own, or an attribute of its item."""
        found: dict[str, Any] = {}
        for about, item, details in self.stimuli.select("about", "item", "details").iter_rows():
            held = {**self.attributes.get(item, {}), **json.loads(details or "{}")}
            if held.get(column) is not None:
                found[about] = held[column]
        return found


def read_items(source: Path, role: str = TARGET) -> Items:
    """Read an experiment folder or a table of one's own; `role` is that of rows that name none."""
    if source.is_dir():
        return _of_folder(source)
    suffix = source.suffix.lower()
    if suffix == ".parquet":
        frame = read_table(source)
        return _of_rows(source, enumerate(frame.iter_rows(named=True), 1), frame.columns, role)
    if suffix not in SEPARATORS:
        raise UserError(
            f"{source} is neither an experiment folder nor a table.",
            valid="A folder, or a .csv, .tsv or .parquet file.",
        )
    columns, rows = delimited_rows(source)
    return _of_rows(source, rows, columns, role)


def _of_folder(folder: Path) -> Items:
    held = read_experiment(folder)
    if not held.stimuli.height:
        raise UserError(f"{folder} holds no stimuli.")
    file = folder / "items.parquet"
    attributes: dict[str, dict[str, Any]] = {}
    if file.exists():
        frame = read_table(file)
        if "id" in frame.columns:
            plain = [name for name, kind in frame.schema.items() if not kind.is_nested()]
            attributes = {str(row["id"]): row for row in frame.select(plain).iter_rows(named=True)}
    strata = {item: str(row["sample"]) for item, row in attributes.items() if row.get("sample") is not None}
    roles = dict.fromkeys(held.stimuli["about"], TARGET)
    roles |= dict(
        held.versions.filter(pl.col("role").is_in(ITEM_ROLES))
        .select("about", "role")
        .unique()
        .sort("about")
        .iter_rows()
    )
    return Items(held.stimuli, roles, strata, attributes, held, held.compared)


def _of_rows(source: Path, rows: Iterable[tuple[int, Mapping[str, Any]]], columns: Sequence[str], role: str) -> Items:
    _check_columns(source, columns)
    merged: dict[str, dict[str, Any]] = {}
    lines: dict[str, int] = {}
    roles: dict[str, str] = {}
    for line, row in rows:
        stimulus, own_role = _stimulus(source, line, row, role)
        about = stimulus["about"]
        if about not in merged:
            merged[about], lines[about], roles[about] = stimulus, line, own_role
            continue
        known = merged[about]
        column = _difference(known, stimulus)
        if column:
            raise _fault(source, line, column, f"differs from line {lines[about]}, which has the same item and text")
        if roles[about] != own_role:
            raise _fault(source, line, "role", f"is {own_role!r}, but {roles[about]!r} in line {lines[about]}")
        known["systems"] = list(dict.fromkeys([*known["systems"], *stimulus["systems"]]))
    if not merged:
        raise UserError(f"{source} has no rows.")
    conditions = "condition" in columns and "system" not in columns
    return Items(stimuli_frame(merged.values()), roles, compared="condition" if conditions else "system")


def _check_columns(source: Path, columns: Sequence[str]) -> None:
    for needed in ("item", "text"):
        if needed not in columns:
            named = ", ".join(name if len(name) <= _LONG_NAME else f"{name[:_LONG_NAME]}…" for name in columns)
            # A sentence with a gap in place of a name: a file of classifiers, which has no names.
            gap = any("<CL>" in name for name in columns)
            raise UserError(
                f"{source} has no column '{needed}'; it has: {named or 'none'}.",
                valid="The columns item and text, and perhaps system, target, block, role, expected and others.",
                remedy=f"hengliang classifiers experiment {source} --choices NAMES --out FOLDER" if gap else "",
            )
    twice = [name for name, count in Counter(columns).items() if count > 1]
    if twice:
        raise UserError(f"{source} has the column '{twice[0]}' twice.", remedy="Give one of them another name.")


def _difference(known: Mapping[str, Any], stimulus: Mapping[str, Any]) -> str | None:
    """Return the column in which two rows of one stimulus differ, or nothing."""
    if known["spans"] != stimulus["spans"]:
        return TARGET
    first, second = json.loads(known["details"]), json.loads(stimulus["details"])
    return next((name for name in sorted({*first, *second}) if first.get(name) != second.get(name)), None)


def _stimulus(source: Path, line: int, row: Mapping[str, Any], role: str) -> tuple[dict[str, Any], str]:
    cells = {name: _clean(value) for name, value in row.items()}
    # A choice between options may do without a context.
    for needed in ("item",) if cells.get("options") else ("item", "text"):
        if cells.get(needed) in (None, ""):
            raise _fault(source, line, needed, "is empty")
    for name, value in cells.items():
        if isinstance(value, str) and any(
            unicodedata.category(sign) == "Cc" and sign not in "\n\r\t" for sign in value
        ):
            raise _fault(source, line, name, f"holds a control character: {value[:_LONG_NAME]!r}")
    own_role = cells.get("role") or role
    if own_role not in ITEM_ROLES:
        valid = f"Roles: {', '.join(ITEM_ROLES)}."
        raise UserError(f"{source}, line {line}: the column 'role' is '{own_role}'.", valid=valid)
    # Tables of practice, fillers and catch items count from 1, too: their items are not those of the targets.
    item = str(cells["item"]) if role == TARGET else f"{role}: {cells['item']}"
    text = str(cells.get("text") or "")
    # A condition may be the number 0.
    named = next((name for name in ("system", "condition") if cells.get(name) not in (None, "")), None)
    system = str(cells[named]) if named else ""
    # Beside a system the condition is a column like any other.
    own = [name for name in _OWN if name != "condition" or named == "condition"]
    details = {name: _value(value) for name, value in cells.items() if name not in own and value not in (None, "")}
    if cells.get("expected") not in (None, ""):
        details["expected"] = _expected(cells["expected"])
    elif own_role == "catch":
        raise _fault(source, line, "expected", "is empty: the right answer to a catch item is to be known")
    stimulus = {
        "about": response_id(item, "text", text),
        "item": item,
        "text": text,
        "spans": _spans(source, line, text, cells.get("target")),
        "systems": [system] if system else [],
        "details": json.dumps(details, ensure_ascii=False, sort_keys=True),
    }
    return stimulus, str(own_role)


def _clean(value: Any) -> Any:
    return unicodedata.normalize("NFC", value.strip()) if isinstance(value, str) else value


def _fault(source: Path, line: int, column: str, what: str) -> UserError:
    return UserError(f"{source}, line {line}: the column '{column}' {what}.")


def _spans(source: Path, line: int, text: str, target: Any) -> list[dict[str, Any]]:
    """Return where the target is, in bytes; its neighbours may stand around its brackets."""
    if target in (None, ""):
        return []
    before, word, after = "", str(target), ""
    bracketed = re.fullmatch(r"([^\[\]]*)\[([^\[\]]+)\]([^\[\]]*)", word)
    if bracketed:
        before, word, after = bracketed.groups()
    whole = before + word + after
    start = text.find(whole)
    if start < 0:
        raise _fault(source, line, "target", f"is '{target}', which is not in the text '{text}'")
    if text.find(whole, start + 1) >= 0:
        raise UserError(
            f"{source}, line {line}: the column 'target' is '{target}', which is more than once in the text '{text}'.",
            remedy=f"Write it with its neighbours: …[{word}]…",
        )
    first = len(text[: start + len(before)].encode())
    return [{"name": TARGET, "start": first, "end": first + len(word.encode())}]


def _value(value: Any) -> Any:
    """Return a cell as what it looks like: a number, a list or an object, or else a text."""
    if not isinstance(value, str):
        return value
    if value[0] in "-0123456789[{" or value in ("true", "false"):
        try:
            read = json.loads(value)
        except ValueError:
            return value
        return value if isinstance(read, float) and not math.isfinite(read) else read
    return value


def _expected(value: Any) -> Any:
    """Return the right answer to a catch item; of a range, all whole numbers in it are right."""
    between = re.fullmatch(r"\s*(\d{1,3})\s*[-–]\s*(\d{1,3})\s*", value) if isinstance(value, str) else None
    return list(range(int(between[1]), int(between[2]) + 1)) if between else _value(value)
