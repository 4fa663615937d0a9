"""Which items does a survey show, as an experiment folder or a researcher's own table has them?

A table in any form that is read elsewhere (CSV, Excel, JSON Lines, …) has a row a text:

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
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.io.delimited import AS_RECOGNISED, TableOptions
from hengliang.core.io.files import read_table
from hengliang.core.io.tables import UserTable, read_user_table
from hengliang.core.records import response_id
from hengliang.core.text.characters import width_folding
from hengliang.experiments import Compared, Experiment, read_experiment, stimuli_frame

ITEM_ROLES = ("target", "practice", "filler", "catch")
TARGET = "target"
_LONG_NAME = 40
_NARROW = width_folding("digits=half marks=half")
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


def read_items(source: Path, role: str = TARGET, table: TableOptions = AS_RECOGNISED) -> Items:
    """Read an experiment folder or a table of one's own; `role` is that of rows that name none."""
    return _of_folder(source) if source.is_dir() else _of_table(read_user_table(source, table, what="item"), role)


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


def _of_table(table: UserTable, role: str) -> Items:
    _check_columns(table)
    merged: dict[str, dict[str, Any]] = {}
    lines: dict[str, int] = {}
    roles: dict[str, str] = {}
    for line, row in table:
        stimulus, own_role = _stimulus(table, line, row, role)
        about = stimulus["about"]
        if about not in merged:
            merged[about], lines[about], roles[about] = stimulus, line, own_role
            continue
        known = merged[about]
        column = _difference(known, stimulus)
        if column:
            other = f"{table.row_name} {lines[about]}"
            raise _fault(table, line, column, f"differs from {other}, which has the same item and text")
        if roles[about] != own_role:
            other = f"{roles[about]!r} in {table.row_name} {lines[about]}"
            raise _fault(table, line, "role", f"is {own_role!r}, but {other}")
        known["systems"] = list(dict.fromkeys([*known["systems"], *stimulus["systems"]]))
    conditions = "condition" in table.columns and "system" not in table.columns
    return Items(stimuli_frame(merged.values()), roles, compared="condition" if conditions else "system")


def _check_columns(table: UserTable) -> None:
    for needed in ("item", "text"):
        if needed not in table.columns:
            named = ", ".join(name if len(name) <= _LONG_NAME else f"{name[:_LONG_NAME]}…" for name in table.columns)
            # A sentence with a gap: a file of classifiers, whose columns have no names.
            gap = any("<CL>" in cell for cell in (*table.columns, *next(table.rows, ())))
            raise UserError(
                f"{table.path} has no column '{needed}'; it has: {named or 'none'}.",
                valid="The columns item and text, and perhaps system, target, block, role, expected and others.",
                remedy=f"hengliang classifiers experiment {table.path} --choices NAMES --out FOLDER" if gap else "",
            )


def _difference(known: Mapping[str, Any], stimulus: Mapping[str, Any]) -> str | None:
    """Return the column in which two rows of one stimulus differ, or nothing."""
    if known["spans"] != stimulus["spans"]:
        return TARGET
    first, second = json.loads(known["details"]), json.loads(stimulus["details"])
    return next((name for name in sorted({*first, *second}) if first.get(name) != second.get(name)), None)


def _stimulus(table: UserTable, line: int, row: Mapping[str, str], role: str) -> tuple[dict[str, Any], str]:
    cells = {name: unicodedata.normalize("NFC", value.strip()) for name, value in row.items()}
    # A choice between options may do without a context.
    for needed in ("item",) if cells.get("options") else ("item", "text"):
        if not cells.get(needed):
            raise _fault(table, line, needed, "is empty")
    for name, value in cells.items():
        if any(unicodedata.category(sign) == "Cc" and sign not in "\n\r\t" for sign in value):
            raise _fault(table, line, name, f"holds a control character: {value[:_LONG_NAME]!r}")
    own_role = cells.get("role") or role
    if own_role not in ITEM_ROLES:
        raise table.fault(line, f"the column 'role' is '{own_role}'", valid=f"Roles: {', '.join(ITEM_ROLES)}.")
    # Tables of practice, fillers and catch items count from 1, too: their items are not those of the targets.
    item = cells["item"] if role == TARGET else f"{role}: {cells['item']}"
    text = cells.get("text", "")
    named = next((name for name in ("system", "condition") if cells.get(name)), None)
    system = cells[named] if named else ""
    # Beside a system the condition is a column like any other.
    own = [name for name in _OWN if name != "condition" or named == "condition"]
    details = {name: _value(value) for name, value in cells.items() if name not in own and value}
    if cells.get("expected"):
        details["expected"] = _expected(cells["expected"])
    elif own_role == "catch":
        raise _fault(table, line, "expected", "is empty: the right answer to a catch item is to be known")
    stimulus = {
        "about": response_id(item, "text", text),
        "item": item,
        "text": text,
        "spans": _spans(table, line, text, cells.get("target", "")),
        "systems": [system] if system else [],
        "details": json.dumps(details, ensure_ascii=False, sort_keys=True),
    }
    return stimulus, own_role


def _fault(table: UserTable, line: int, column: str, what: str) -> UserError:
    return table.fault(line, f"the column '{column}' {what}")


def _spans(table: UserTable, line: int, text: str, target: str) -> list[dict[str, Any]]:
    """Return where the target is, in bytes; its neighbours may stand around its brackets."""
    if not target:
        return []
    before, word, after = "", target, ""
    bracketed = re.fullmatch(r"([^\[\]]*)\[([^\[\]]+)\]([^\[\]]*)", word)
    if bracketed:
        before, word, after = bracketed.groups()
    whole = before + word + after
    start = text.find(whole)
    if start < 0:
        raise _fault(table, line, "target", f"is '{target}', which is not in the text '{text}'")
    if text.find(whole, start + 1) >= 0:
        raise table.fault(
            line,
            f"the column 'target' is '{target}', which is more than once in the text '{text}'",
            remedy=f"Write it with its neighbours: …[{word}]…",
        )
    first = len(text[: start + len(before)].encode())
    return [{"name": TARGET, "start": first, "end": first + len(word.encode())}]


def _value(value: str) -> Any:
    """Return a cell as what it looks like: a number, a list or an object, or else a text."""
    # Full-width digits are digits, but ① and ² are signs of their own; in a list they may be part of a text.
    plain = value if value[0] in "[{" else "".join(_NARROW.get(sign, sign) for sign in value)
    if plain[0] in "-0123456789" or value[0] in "[{" or value in ("true", "false"):
        try:
            read = json.loads(plain)
        except ValueError:
            return value
        return value if isinstance(read, float) and not math.isfinite(read) else read
    return value


def _expected(value: str) -> Any:
    """Return the right answer to a catch item; of a range, all whole numbers in it are right."""
    between = re.fullmatch(r"(\d{1,3})\s*[-–]\s*(\d{1,3})", value)
    return list(range(int(between[1]), int(between[2]) + 1)) if between else _value(value)
