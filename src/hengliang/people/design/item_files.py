"""Which items does a survey show, as an experiment folder or a researcher's own table has them?

A table (CSV, TSV or Parquet) has a row a text:

item      which rows are variants of one another
text      what is shown
system    who wrote it (or `condition`); rows of one item with the same text are one stimulus of several systems
target    the word that stands out; where the text has it twice, with its neighbours: 一[个]人
role      target (unless said otherwise), practice, filler or catch
expected  the right answer to a catch item: 7, a range 1-3, a word, or for each scale {"fluency": [1, 2, 3]}

Every other column goes to the details of the stimulus, numbers and lists as such: `scene_size`, `options`, `scene`.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from hengliang.errors import UserError, file_errors, unknown_name
from hengliang.experiments import Experiment, read_experiment, stimuli_frame
from hengliang.files import read_table
from hengliang.records import response_id

ITEM_ROLES = ("target", "practice", "filler", "catch")
TARGET = "target"
_OWN = ("item", "text", "system", "condition", "target", "role", "expected")
_SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}


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
    if source.suffix == ".parquet":
        frame = read_table(source)
        rows: Iterator[tuple[int, dict[str, Any]]] = enumerate(frame.iter_rows(named=True), 1)
        return _of_rows(source, rows, frame.columns, role)
    if source.suffix not in _SEPARATORS:
        raise UserError(
            f"{source} is neither an experiment folder nor a table.",
            valid="A folder, or a .csv, .tsv or .parquet file.",
        )
    with file_errors(source, "read"):
        content = source.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(
            f"{source} is not in UTF-8 (byte {error.start}).",
            remedy=f"iconv -f GB18030 -t UTF-8 {source} > converted{source.suffix}",
        ) from error
    read = csv.DictReader(io.StringIO(text, newline=""), delimiter=_SEPARATORS[source.suffix])
    columns = list(read.fieldnames or ())
    return _of_rows(source, ((read.line_num, row) for row in read), columns, role)


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
    return Items(held.stimuli, roles, strata, attributes, held)


def _of_rows(source: Path, rows: Iterator[tuple[int, dict[str, Any]]], columns: Sequence[str], role: str) -> Items:
    for needed in ("item", "text"):
        if needed not in columns:
            raise UserError(
                f"{source} has no column '{needed}'; it has: {', '.join(map(str, columns)) or 'none'}.",
                valid="The columns item and text, and perhaps system, target, block, role, expected and others.",
            )
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
        for name in ("spans", "details"):
            if known[name] != stimulus[name]:
                raise _fault(source, line, name, f"differs from line {lines[about]}, which has the same item and text")
        if roles[about] != own_role:
            raise _fault(source, line, "role", f"is {own_role!r}, but {roles[about]!r} in line {lines[about]}")
        known["systems"] = list(dict.fromkeys([*known["systems"], *stimulus["systems"]]))
    if not merged:
        raise UserError(f"{source} has no rows.")
    return Items(stimuli_frame(merged.values()), roles)


def _stimulus(source: Path, line: int, row: Mapping[Any, Any], role: str) -> tuple[dict[str, Any], str]:
    if None in row:
        raise UserError(f"{source}, line {line}: there are more cells than columns.")
    cells = {str(name): _clean(value) for name, value in row.items()}
    for needed in ("item", "text"):
        if cells[needed] in (None, ""):
            raise _fault(source, line, needed, "is empty")
    own_role = cells.get("role") or role
    if own_role not in ITEM_ROLES:
        raise unknown_name(f"role ({source}, line {line}, column 'role')", str(own_role), ITEM_ROLES)
    # Tables of practice, fillers and catch items count from 1, too: their items are not those of the targets.
    item = str(cells["item"]) if role == TARGET else f"{role}: {cells['item']}"
    text = str(cells["text"])
    system = cells.get("system") or cells.get("condition")
    details = {name: _value(value) for name, value in cells.items() if name not in _OWN and value not in (None, "")}
    if cells.get("expected") not in (None, ""):
        details["expected"] = _expected(cells["expected"])
    elif own_role == "catch":
        raise _fault(source, line, "expected", "is empty: the right answer to a catch item is to be known")
    stimulus = {
        "about": response_id(item, "text", text),
        "item": item,
        "text": text,
        "spans": _spans(source, line, text, cells.get("target")),
        "systems": [str(system)] if system else [],
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
