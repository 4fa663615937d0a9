"""How are classifier slots exchanged with others, in the format of the Chinese Classifier Dataset?

A row of the dataset [1] is `id,sentence,head noun,classifier`, then perhaps the choices of models; there is no header.
The words of the sentence are apart by spaces, and `<CL>` stands where the classifier was.

Three quirks are met. The head noun is sometimes wrong; it is taken as it stands. It may occur more than once, and then
the nearest one after the slot is meant, else the nearest before it. A sentence may have two marks; the row is then
about the last one before its head noun, and the others become spans named `open`.

[1] Peinelt, N., Liakata, M., Hsieh, S.-K. (2017). ClassifierGuesser: a context-based classifier prediction system for
    Chinese language learners. IJCNLP 2017, system demonstrations, 41-44.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.io.delimited import AS_RECOGNISED, TableOptions
from hengliang.core.io.files import write_text
from hengliang.core.io.tables import UserTable, read_user_table
from hengliang.core.records import ITEM_SCHEMA, RESERVED_ATTRIBUTES, check_items
from hengliang.core.text.characters import SLOT_MARK
from hengliang.core.text.segmentation import join_words
from hengliang.corpora.catalogue import reads
from hengliang.materials.slot_extraction import ATTRIBUTES

_FORM = f"A row is id,sentence,head noun,classifier; the words are apart by spaces and {SLOT_MARK} is one of them."
_FIXED = 4
_HEADINGS = frozenset(("id", "ids", "item", "sentence_id", "编号"))
_WITHOUT_NAMES = (".csv", ".tsv", ".xlsx")
ENDINGS = (*_WITHOUT_NAMES, ".jsonl", ".ndjson", ".json", ".parquet", ".sav")
"""How the name of a file in this format may end; `.txt` is that of corpora."""
_SKIPPING = TableOptions(errors="skip")


class BrokenLine(NamedTuple):
    """A line of a file that could not be used, and why."""

    line: int
    reason: str


class CcdRows(NamedTuple):
    """The usable rows of a file as an item table, and the lines that were left out."""

    items: pl.DataFrame
    broken: tuple[BrokenLine, ...]


@reads("ccd")
def read_ccd(
    path: Path | str,
    choices: Sequence[str] = (),
    *,
    material: str = "ccd",
    repeated_ids: Literal["raise", "number"] = "raise",
    table: TableOptions = AS_RECOGNISED,
) -> pl.DataFrame:
    """Read a table of the dataset as an item table with the columns of `ClassifierSlots`.

    `choices` names the columns after the fourth, as attributes; unnamed ones are called as a header calls them, else
    `choice_1`, `choice_2`, …. `paragraph` is the line of the file and `segmented` the sentence as it stands; what the
    format does not tell (construction, trigger, offset) is null. An item whose head noun is not in its sentence has no
    span `head`. Where `table` says that errors are skipped, broken lines are left out (`read_ccd_rows` says which). A
    second row of the same id is broken, or with `repeated_ids="number"` gets the id with ~2 behind it.
    """
    return read_ccd_rows(path, choices, material=material, repeated_ids=repeated_ids, table=table).items


def read_ccd_rows(
    path: Path | str,
    choices: Sequence[str] = (),
    *,
    material: str = "ccd",
    repeated_ids: Literal["raise", "number"] = "raise",
    table: TableOptions = _SKIPPING,
) -> CcdRows:
    """Read a table of the dataset like `read_ccd`, and return the lines that were left out beside the items."""
    file = Path(path)
    _check_names(choices)
    # Most files have no header, and a sentence may look like one: whether there is one is told by the first cell.
    named = file.suffix.lower() not in _WITHOUT_NAMES
    read = read_user_table(file, table if named else replace(table, header="no"))
    found = _Rows(read, repeated_ids, list(read.columns) if named else [])
    broken = [BrokenLine(bad.line, bad.problem) for bad in read.skipped]
    for line, cells in zip(read.numbers, read.rows, strict=True):
        try:
            found.add(line, cells)
        except UserError as problem:
            if table.errors == "raise":
                raise
            broken.append(BrokenLine(line, problem.problem.removeprefix(f"{read.where(line)}: ").removesuffix(".")))
    if not found.rows:
        reason = f" ({len(broken)} are broken, the first: {broken[0].reason})" if broken else ""
        raise UserError(f"{file} holds no rows{reason}.", valid=_FORM)
    names = _choice_names(file, choices, found.header[_FIXED:], found.width - _FIXED)
    return CcdRows(_table(found.rows, names, material), tuple(sorted(broken)))


class _Rows:
    """The rows of a file so far, its header if it has one, and how many columns it has."""

    def __init__(self, table: UserTable, repeated_ids: Literal["raise", "number"], header: list[str]) -> None:
        self.table = table
        self.repeated_ids = repeated_ids
        self.rows: list[dict[str, Any]] = []
        self.header = header
        self.width = 0
        self.lines: dict[str, list[int]] = {}

    def add(self, line: int, cells: Sequence[str]) -> None:
        """Take a row in, or raise what is wrong with it."""
        if not self.rows and not self.header and _is_header(cells):
            self.header = [cell.strip() for cell in cells]
            return
        row = _row(self.table, line, cells)
        name = row["id"]
        earlier = self.lines.get(name, [])
        if earlier and self.repeated_ids == "raise":
            problem = f"the id '{name}' is that of {self.table.row_name} {earlier[0]}"
            raise self.table.fault(line, problem, valid=_FORM)
        self.lines[name] = [*earlier, line]
        self.width = len(cells)
        numbered = f"{name}~{len(earlier) + 1}" if earlier else name
        self.rows.append({**row, "set": name, "id": numbered, "choices": cells[_FIXED:]})


def _is_header(cells: Sequence[str]) -> bool:
    return cells[0].strip().casefold() in _HEADINGS and not any(SLOT_MARK in cell for cell in cells)


def _check_names(choices: Sequence[str]) -> None:
    reserved = [name for name in choices if name in RESERVED_ATTRIBUTES or name in ATTRIBUTES]
    if reserved:
        raise UserError(f"A column of choices cannot be called '{reserved[0]}'.", valid="Any name that is not in use.")
    twice = [name for name, count in Counter(choices).items() if count > 1]
    if twice:
        raise UserError(f"Two columns of choices are called '{twice[0]}'.", valid="Every column has its own name.")


def _choice_names(file: Path, choices: Sequence[str], header: Sequence[str], count: int) -> list[str]:
    """Return the names of the columns of choices: those given, then those of the header, then numbers."""
    if len(choices) > count:
        raise UserError(
            f"{len(choices)} columns of choices are named, but {file} has {count}.", remedy=f"Name at most {count}."
        )
    named = [*choices, *header[len(choices) : count]]
    names = [*named, *(f"choice_{number}" for number in range(len(named) + 1, count + 1))]
    _check_names(names)
    return names


def _row(table: UserTable, line: int, cells: Sequence[str]) -> dict[str, Any]:
    if len(cells) < _FIXED:
        raise table.fault(line, f"there are {len(cells)} columns", valid=_FORM)
    name, sentence, noun, classifier = (cell.strip() for cell in cells[:_FIXED])
    for what, value in (("id", name), ("sentence", sentence), ("classifier", classifier)):
        if not value:
            raise table.fault(line, f"the {what} is empty", valid=_FORM)
    words = sentence.split()
    if SLOT_MARK not in words:
        inside = SLOT_MARK in sentence
        fault = f"{SLOT_MARK} does not stand apart" if inside else f"there is no {SLOT_MARK}"
        raise table.fault(line, f"{fault} in '{sentence[:40]}'", valid=_FORM)
    content, spans = _spans(words, unicodedata.normalize("NFC", noun))
    return {
        "id": name,
        "content": content,
        "spans": spans,
        "gold": classifier,
        "head": noun,
        "segmented": sentence,
        "paragraph": line,
    }


def _spans(words: Sequence[str], noun: str) -> tuple[str, list[dict[str, str | int]]]:
    """Return the sentence without marks, and where slot, head and further slots are."""
    marks = [index for index, word in enumerate(words) if word == SLOT_MARK]
    joined = join_words("" if word == SLOT_MARK else word for word in words)
    nouns = [index for index, word in enumerate(words) if unicodedata.normalize("NFC", word) == noun]
    mark, head = _pair(marks, nouns)
    spans: list[dict[str, str | int]] = [_span("slot", joined.spans[mark][0], joined.spans[mark][0])]
    if head is not None:
        start, end = joined.spans[head]
        space = joined.content.encode()[start : start + 1] == b" "
        spans.append(_span("head", start + space, end))
    spans.extend(_span("open", *joined.spans[other]) for other in marks if other != mark)
    return joined.content, spans


def _span(name: str, start: int, end: int) -> dict[str, str | int]:
    return {"name": name, "start": start, "end": end}


def _pair(marks: Sequence[int], nouns: Sequence[int]) -> tuple[int, int | None]:
    """Return the mark that the row is about, and the noun that is meant."""
    best: tuple[int, int | None] = (marks[0], None)
    distance = 0
    for noun in nouns:
        for mark in marks:
            # A noun after its classifier is nearer than any before it.
            away = noun - mark if noun > mark else 10**6 + mark - noun
            if best[1] is None or away < distance:
                best, distance = (mark, noun), away
    return best


def _table(rows: Sequence[dict[str, Any]], names: Sequence[str], material: str) -> pl.DataFrame:
    def column(name: str) -> list[Any]:
        return [row[name] for row in rows]

    empty = pl.lit(None, dtype=pl.String)
    frame = pl.DataFrame(
        {name: column(name) for name in ("id", "set", "content", "gold", "head", "segmented", "paragraph")}
    )
    frame = frame.with_columns(
        pl.lit(material).alias("material"),
        pl.lit("").alias("condition"),
        pl.lit("").alias("source"),
        pl.Series("spans", column("spans"), dtype=ITEM_SCHEMA["spans"]),
        empty.alias("construction"),
        empty.alias("trigger"),
        empty.alias("alternative"),
        pl.lit(None, dtype=pl.Int64).alias("offset"),
        *(pl.Series(name, [row["choices"][place] for row in rows]) for place, name in enumerate(names)),
    )
    return check_items(frame.select(*ITEM_SCHEMA, *ATTRIBUTES, *names))


def write_ccd(items: pl.DataFrame, path: Path | str, choices: Sequence[str] = ()) -> None:
    """Write slots in the format of the dataset; `choices` names attributes that become the columns after the fourth.

    The words are those of the attribute `segmented`. An item without it is written unsegmented, with `<CL>` apart where
    the slot is, so that what others read of it is one word before and one word after the slot.
    """
    missing = [name for name in choices if name not in items.columns]
    if missing:
        raise UserError(
            f"The items have no attribute '{missing[0]}'.", valid=f"Attributes: {', '.join(items.columns)}."
        )
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in items.iter_rows(named=True):
        if row["gold"] is None:
            raise UserError(f"The item '{row['id']}' has no classifier to write.", valid="Gold is the classifier.")
        sentence = row.get("segmented") or _marked(row)
        writer.writerow([row["id"], sentence, row.get("head") or "", row["gold"], *(row[name] for name in choices)])
    write_text(Path(path), text.getvalue())


def _marked(row: dict[str, Any]) -> str:
    slots = [span["start"] for span in row["spans"] if span["name"] == "slot"]
    if not slots:
        raise UserError(
            f"The item '{row['id']}' has no slot.", valid="A span named 'slot' says where the classifier goes."
        )
    raw = row["content"].encode()
    before, after = raw[: slots[0]].decode(), raw[slots[0] :].decode()
    return " ".join(part for part in (before.strip(), SLOT_MARK, after.strip()) if part)
