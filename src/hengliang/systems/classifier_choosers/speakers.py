"""Which classifier did each speaker put into each slot, once spellings are put aside?

Answers to a cloze come from a table (with the columns `sentence` or `item`, `participant`, `answer`) or from
an experiment folder with a scale without points. People write 隻 for 只, 一个 for 个, 匹马 for 匹: such answers are
made comparable, and how many were changed in which way is kept. Nobody is corrected: 棵 for 颗 stays what it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.delimited import AS_RECOGNISED, TableOptions
from hengliang.core.io.tables import UserTable, read_user_table
from hengliang.core.signature import digest
from hengliang.core.text.characters import is_han_text, to_simplified
from hengliang.core.text.segmentation import join_words
from hengliang.corpora.plain_text import OnBroken
from hengliang.experiments import read_experiment
from hengliang.materials.classifier_inventory import own_classifiers
from hengliang.systems.classifier_choosers.marked_sentences import SLOT, read_marked
from hengliang.systems.classifier_choosers.slots import slots_of

SPEAKER_SCHEMA: dict[str, pl.DataType] = {
    "sentence": pl.String(),
    "slot": pl.Int64(),
    "participant": pl.String(),
    "answer": pl.String(),
    "given": pl.String(),
}

_COLUMNS = "Columns: participant, answer, and sentence (with <CL>) or item."
_NUMERALS = "零〇一二三四五六七八九十百千万亿两几半多数好这那每各某哪第0123456789"
_NO_ANSWERS = frozenset(("不知道", "不清楚", "不确定", "无", "没有", "不需要", "不用", "n/a", "na", "none"))
_SEVERAL = re.compile(r"[/、,，;；|或]+")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")


class SlotPlace(NamedTuple):
    """A sentence without its classifier, and the byte offset where it goes."""

    sentence: str
    slot: int


class BrokenRow(NamedTuple):
    """A row of a file that could not be used, and why."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class SpeakerAnswers:
    """One row an answer (`SPEAKER_SCHEMA`): `given` is what was written, `answer` the classifier, or null.

    `changes` counts the answers that were made comparable, by the kind of change; `broken` are rows left out.
    """

    table: pl.DataFrame
    changes: Mapping[str, int]
    broken: tuple[BrokenRow, ...] = ()

    @property
    def participants(self) -> tuple[str, ...]:
        """The speakers, by name."""
        return tuple(self.table["participant"].unique().sort().to_list())

    def of(self, participant: str) -> pl.DataFrame:
        """Return the answers of one speaker."""
        if participant not in self.participants:
            raise unknown_name("participant", participant, self.participants)
        return self.table.filter(pl.col("participant") == participant)

    def checksum(self) -> str:
        """Return a hash of who answered what where."""
        rows = self.table.sort("sentence", "slot", "participant").rows()
        return digest(*("\t".join(map(str, row)) for row in rows))


# --- spellings ------------------------------------------------------------------------------------------------------


@cache
def _inventory() -> frozenset[str]:
    return frozenset(classifier.form for classifier in own_classifiers())


def normalise_answer(given: str, place: SlotPlace | None = None) -> tuple[str | None, tuple[str, ...]]:
    """Return the classifier that was meant, None if there is none, and what had to be done to see it.

    In this order: spaces, wide letters and marks around it go; of several answers the first counts; traditional
    characters become simplified; numerals and pointing words before it go, and words of the sentence after it. The last
    three are not tried on a form of the inventory.
    """
    changes: list[str] = []
    text = unicodedata.normalize("NFKC", given)
    bare = "".join(character for character in text if not character.isspace() and character.isprintable())
    if not bare:
        return None, ()
    if bare != given:
        changes.append("spaces or width")
    if bare.casefold() in _NO_ANSWERS:
        return None, ("said that there is none",)
    first = next((part for part in _SEVERAL.split(bare) if part), "")
    trimmed = _EDGES.sub("", first)
    if first != bare:
        changes.append(
            "first of several" if len([part for part in _SEVERAL.split(bare) if part]) > 1 else "punctuation"
        )
    if trimmed != first:
        changes.append("punctuation")
    for kind, changed in _spellings(trimmed, place):
        trimmed = changed
        changes.append(kind)
    if not trimmed or not is_han_text(trimmed):
        return None, ("not in Chinese characters",)
    return trimmed, tuple(dict.fromkeys(changes))


def _spellings(text: str, place: SlotPlace | None) -> Iterator[tuple[str, str]]:
    """Yield the changes that bring a form nearer to the inventory, each with the form after it."""
    if text and text not in _inventory():
        simplified = to_simplified(text)
        if simplified != text:
            text = simplified
            yield "traditional characters", text
    rest = text
    while rest not in _inventory() and rest[:1] in _NUMERALS and len(rest) > 1:
        rest = rest[1:]
    if rest != text:
        text = rest
        yield "numeral", text
    behind = place.sentence.encode()[place.slot :].decode() if place else ""
    for length in range(len(text) - 1, 0, -1):
        if text not in _inventory() and text[:length] in _inventory() and behind.startswith(text[length:]):
            yield "words after it", text[:length]
            return


# --- files ----------------------------------------------------------------------------------------------------------


def read_speakers(
    path: Path | str,
    *,
    items: Material | None = None,
    scale: str = "",
    errors: OnBroken = "raise",
    table: TableOptions = AS_RECOGNISED,
) -> SpeakerAnswers:
    """Read the answers in a table or an experiment folder.

    `items` is the material whose ids the column `item` holds, where the table has no sentences. `scale` names the scale
    of an experiment that has several without points. With `errors="skip"` rows that cannot be used are left out and
    listed. `table` says how a table is read.
    """
    source = Path(path)
    if source.is_dir():
        return _from_experiment(source, scale, errors)
    return _from_table(read_user_table(source, replace(table, errors=errors), what="answer"), items, errors)


def _from_table(table: UserTable, items: Material | None, errors: OnBroken) -> SpeakerAnswers:
    names = {name.casefold(): name for name in table.columns}
    missing = [name for name in ("participant", "answer") if name not in names]
    if missing or not {"sentence", "item"} & set(names):
        lacking = missing[0] if missing else "sentence' or 'item"
        raise UserError(
            f"{table.path} has no column '{lacking}'.", valid=_COLUMNS, remedy="Write the names on its first line."
        )
    by_sentence = "sentence" in names
    places = {} if by_sentence else _places(table.path, items)
    where, participant, answer = names["sentence" if by_sentence else "item"], names["participant"], names["answer"]
    rows = (
        (line, _place(row[where], places, marked=by_sentence), row[participant].strip(), row[answer])
        for line, row in table
    )
    return _answers(table.path, rows, errors, [BrokenRow(bad.line, bad.problem) for bad in table.skipped])


def _places(path: Path, items: Material | None) -> dict[str, SlotPlace | str]:
    """Return where each item of a material has its slot, or why it has none."""
    if items is None:
        raise UserError(
            f"{path} names items and has no sentences.",
            valid="Items are found in a material.",
            remedy="Give it, as in Human(answers, items=ClassifierSlots(part='test')), or add a column 'sentence'.",
        )
    table = items.items()
    rows = zip(table["id"].to_list(), slots_of(table).iter_rows(named=True), strict=True)
    return {name: row["problem"] or SlotPlace(row["sentence"], row["slot"]) for name, row in rows}


def _place(where: str, places: Mapping[str, SlotPlace | str], *, marked: bool) -> SlotPlace | str:
    if not marked:
        return places.get(where.strip(), f"no item is called '{where.strip()}'")
    return place_of(where)


def place_of(marked: str) -> SlotPlace | str:
    """Return sentence and slot of a sentence with one <CL>, or what is wrong with it.

    White space within it means that its words stand apart, and is taken out as it is everywhere.
    """
    text = marked.strip()
    pieces = SLOT.split(text)
    if len(pieces) > 2:
        return "there is more than one <CL>"
    if len(pieces) == 2 and len(text.split()) > 1:
        left, right = (piece.split() for piece in pieces)
        joined = join_words([*left, "", *right])
        return SlotPlace(joined.content, joined.spans[len(left)][0])
    # The noun plays no part here, so a sentence without one will do.
    read = read_marked(text, noun="名词")
    return SlotPlace(read.slots[0].sentence, read.slots[0].slot) if read.slots else read.problem


def _from_experiment(folder: Path, scale: str, errors: OnBroken) -> SpeakerAnswers:
    experiment = read_experiment(folder)
    named = [held.name for held in experiment.scales if not held.points]
    if scale and scale not in named:
        raise unknown_name("scale without points", scale, named)
    if not scale and len(named) != 1:
        raise UserError(
            f"{folder} has {len(named)} scales without points.",
            valid=f"A cloze has one: {', '.join(named) or 'there is none'}.",
            remedy="Name it with scale=…",
        )
    places: dict[str, SlotPlace | str] = {}
    for row in experiment.stimuli.iter_rows(named=True):
        span = next((span for span in row["spans"] or () if span["name"] == "slot"), None)
        places[row["about"]] = SlotPlace(row["text"], span["start"]) if span else place_of(row["text"])
    answers = experiment.answers.filter(pl.col("scale") == (scale or named[0]))
    rows = answers.select("about", "participant", "label", "status").iter_rows()
    located = [
        (line, places[about], who, label if label and status == "ok" else "")
        for line, (about, who, label, status) in enumerate(rows, 1)
    ]
    return _answers(folder, located, errors)


def _answers(
    path: Path,
    rows: Iterable[tuple[int, SlotPlace | str, str, str]],
    errors: OnBroken,
    unread: Iterable[BrokenRow] = (),
) -> SpeakerAnswers:
    """Make the answers comparable; a row that cannot be used is an error or is listed."""
    held: dict[tuple[SlotPlace, str], tuple[str | None, str]] = {}
    changes: Counter[str] = Counter()
    broken = list(unread)
    for line, place, who, given in rows:
        problem = place if isinstance(place, str) else "" if who else "there is no participant"
        if not problem and not isinstance(place, str) and (place, who) in held:
            problem = f"'{who}' answers twice here"
        if problem or isinstance(place, str):
            broken.append(BrokenRow(line, problem))
            continue
        answer, changed = normalise_answer(given, place)
        held[place, who] = (answer, given)
        changes.update(changed)
    if broken and errors == "raise":
        raise UserError(
            f"{path}, line {broken[0].line}: {broken[0].reason}"
            + (f" ({len(broken) - 1} more lines cannot be used)." if len(broken) > 1 else "."),
            valid=_COLUMNS,
            remedy="Mend the line, or leave such lines out with errors='skip'.",
        )
    if not held:
        raise UserError(f"{path} has no answers.", valid=_COLUMNS)
    flat = [(*place, who, answer, given) for (place, who), (answer, given) in held.items()]
    table = pl.DataFrame(flat, schema=SPEAKER_SCHEMA, orient="row")
    return SpeakerAnswers(table, dict(changes), tuple(sorted(broken)))
