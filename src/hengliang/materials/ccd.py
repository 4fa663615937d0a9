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
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from hengliang.errors import UserError, file_errors
from hengliang.files import write_text
from hengliang.materials.slot_extraction import ATTRIBUTES, SLOT_MARK
from hengliang.records import ITEM_SCHEMA, RESERVED_ATTRIBUTES, check_items
from hengliang.segmentation import join_words

_FORM = f"A row is id,sentence,head noun,classifier; the words are apart by spaces and {SLOT_MARK} is one of them."
_FIXED = 4


def read_ccd(path: Path | str, choices: Sequence[str] = (), *, material: str = "ccd") -> pl.DataFrame:
    """Read a file of the dataset as an item table with the columns of `ClassifierSlots`.

    `choices` names the columns after the fourth, as attributes; unnamed ones are called `choice_1`, `choice_2`, ….
    `paragraph` is the line of the file and `segmented` the sentence as it stands; what the format does not tell
    (construction, trigger, offset) is null. An item whose head noun is not in its sentence has no span `head`.
    """
    file = Path(path)
    reserved = [name for name in choices if name in RESERVED_ATTRIBUTES or name in ATTRIBUTES]
    if reserved:
        raise UserError(f"A column of choices cannot be called '{reserved[0]}'.", valid="Any name that is not in use.")
    rows: list[dict[str, Any]] = []
    lines: dict[str, int] = {}
    width = 0
    for line, cells in _cells(file):
        row = _row(file, line, cells)
        first = lines.setdefault(row["id"], line)
        if first != line:
            raise _problem(file, line, f"the id '{row['id']}' is that of line {first}")
        width = width or len(cells)
        if len(cells) != width:
            raise _problem(file, line, f"there are {len(cells)} columns, on the lines before {width}")
        rows.append(row | {"choices": cells[_FIXED:]})
    if not rows:
        raise UserError(f"{file} has no rows.", valid=_FORM)
    names = [*choices, *(f"choice_{number}" for number in range(len(choices) + 1, width - _FIXED + 1))]
    if len(choices) > width - _FIXED:
        raise UserError(
            f"{len(choices)} columns of choices are named, but {file} has {width - _FIXED}.",
            remedy=f"Name at most {width - _FIXED}.",
        )
    return _table(rows, names, material)


def _cells(file: Path) -> Iterator[tuple[int, list[str]]]:
    with file_errors(file, "read"):
        raw = file.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _problem(
            file, line, "it is not UTF-8", "Convert the file first: iconv -f gb18030 -t utf-8 OLD > NEW."
        ) from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, cells
    except csv.Error as error:
        raise _problem(file, reader.line_num, f"it is not CSV ({error})") from error


def _problem(file: Path, line: int, fault: str, remedy: str = "") -> UserError:
    return UserError(f"{file}, line {line}: {fault}.", valid=_FORM, remedy=remedy)


def _row(file: Path, line: int, cells: list[str]) -> dict[str, Any]:
    if len(cells) < _FIXED:
        raise _problem(file, line, f"there are {len(cells)} columns")
    name, sentence, noun, classifier = (cell.strip() for cell in cells[:_FIXED])
    for what, value in (("id", name), ("sentence", sentence), ("classifier", classifier)):
        if not value:
            raise _problem(file, line, f"the {what} is empty")
    words = sentence.split()
    if SLOT_MARK not in words:
        inside = SLOT_MARK in sentence
        fault = f"{SLOT_MARK} does not stand apart" if inside else f"there is no {SLOT_MARK}"
        raise _problem(file, line, f"{fault} in '{sentence[:40]}'")
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
    frame = pl.DataFrame({name: column(name) for name in ("id", "content", "gold", "head", "segmented", "paragraph")})
    frame = frame.with_columns(
        pl.col("id").alias("set"),
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
