"""Which classifiers go into the marked slots of these sentences, what are they, and what should one know about it?

Inside, everything is in simplified characters, which is what the choosers have read. A sentence in traditional ones is
turned into simplified ones for the chooser, and its classifiers are given back in traditional ones.

What a chooser says of many slots is kept in the cache, with the nouns that were found: work that was stopped goes on.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import polars as pl

from hengliang.core import places
from hengliang.core.engine.cache import BatchCache
from hengliang.core.errors import UserError
from hengliang.core.labelling.remembered_spans import FEW
from hengliang.core.signature import Signature, code_checksum, digest
from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import script_of, to_simplified, to_traditional
from hengliang.materials.classifier_inventory import Classifier, own_classifiers
from hengliang.systems.classifier_choosers.adviser import Adviser, counted_nouns, listed_forms
from hengliang.systems.classifier_choosers.base import RANKING, ClassifierChooser
from hengliang.systems.classifier_choosers.marked_sentences import MarkedLine, MarkedSlot
from hengliang.systems.classifier_choosers.noun_finding import (
    FoundNoun,
    Method,
    find_nouns,
    finder_signature,
)
from hengliang.systems.classifier_choosers.rule import Rule
from hengliang.systems.slot_finding.simplified import simplified

SHOWN_NOUNS = 3
_ANSWER = {
    "noun": pl.String(),
    "start": pl.Int64(),
    "end": pl.Int64(),
    "how": pl.String(),
    "ranking": RANKING,
}
"""What is kept of a slot: the noun, where it stands and how it was found, and the best classifiers."""


@dataclass(frozen=True, slots=True)
class AdvisedClassifier:
    """A classifier that may go into a slot, with its probability, what it counts, and nouns it goes with.

    The probability is None where the chooser did not name the classifier, but a dictionary does.
    """

    classifier: str
    probability: float | None
    pinyin: str = ""
    counts: Bilingual | None = None
    nouns: tuple[str, ...] = ()

    def to_json(self, rank: int) -> dict[str, Any]:
        """Return the classifier as a JSON object."""
        return {
            "rank": rank,
            "classifier": self.classifier,
            "pinyin": self.pinyin,
            "probability": self.probability,
            "counts": None if self.counts is None else self.counts.to_json(),
            "nouns": list(self.nouns),
        }


@dataclass(frozen=True, slots=True)
class Advice:
    """What is said about one slot: the classifiers, the best first, the noun they count, and remarks."""

    line: int
    number: int
    sentence: str
    slot: int
    noun: FoundNoun
    choices: tuple[AdvisedClassifier, ...]
    notes: tuple[Bilingual, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the advice as a JSON object; offsets are bytes of the sentence's UTF-8."""
        return {
            "line": self.line,
            "number": self.number,
            "sentence": self.sentence,
            "slot": self.slot,
            "noun": self.noun.noun,
            "noun_found_by": self.noun.how,
            "choices": [choice.to_json(rank) for rank, choice in enumerate(self.choices, 1)],
            "notes": [note.to_json() for note in self.notes],
        }


def advise(
    lines: Sequence[MarkedLine], chooser: ClassifierChooser, top: int = 5, method: Method | None = None
) -> list[Advice]:
    """Return advice for every slot of the lines, in their order; lines with a problem have no slots."""
    if top < 1:
        raise UserError(f"{top} classifiers cannot be shown.", valid="A whole number from 1.")
    slots = [slot for line in lines for slot in line.slots]
    if not slots:
        return []
    plain = [_simplified(slot) for slot in slots]
    answers = _kept(plain, chooser, top, method) if len(plain) > FEW else _answers(chooser, top, method, plain)
    return [
        _advice(slot, FoundNoun(noun, (start, end), how), ranking, chooser)
        for slot, (noun, start, end, how, ranking) in zip(slots, answers.iter_rows(), strict=True)
    ]


def _kept(slots: Sequence[MarkedSlot], chooser: ClassifierChooser, top: int, method: Method | None) -> pl.DataFrame:
    """Return the answers from the cache, where these slots were answered before."""
    asked, finder = chooser.signature(), finder_signature(method)
    signature = Signature.of(chooser=asked, finder=finder, top=top, code=code_checksum(_answers))
    key = digest(*(part for slot in slots for part in (slot.sentence, f"{slot.slot} {slot.others}", slot.noun)))
    work = partial(_answers, chooser, top, method)
    return next(BatchCache(places.cache() / "advice", signature).worked(work, [(key, slots)], schema=_ANSWER))


def _answers(chooser: ClassifierChooser, top: int, method: Method | None, slots: Sequence[MarkedSlot]) -> pl.DataFrame:
    """Return the noun and the ranking of each slot (`_ANSWER`)."""
    nouns = _nouns(slots, method)
    found = pl.DataFrame(
        [(noun.noun, *noun.span, noun.how) for noun in nouns],
        schema={name: dtype for name, dtype in _ANSWER.items() if name != "ranking"},
        orient="row",
    )
    table = found.select(
        pl.Series("sentence", [slot.sentence for slot in slots], dtype=pl.String),
        pl.Series("slot", [slot.slot for slot in slots], dtype=pl.Int64),
        "noun",
    )
    return found.with_columns(chooser.ranked(table).list.head(top).alias("ranking"))


def _nouns(slots: Sequence[MarkedSlot], method: Method | None) -> list[FoundNoun]:
    asked = [index for index, slot in enumerate(slots) if not slot.noun]
    found = find_nouns(
        [slots[index].sentence for index in asked],
        [slots[index].slot for index in asked],
        [slots[index].others for index in asked],
        method,
    )
    by_index = dict(zip(asked, found, strict=True))
    return [by_index.get(index, FoundNoun(slot.noun, (0, 0), "given")) for index, slot in enumerate(slots)]


def describe(classifier: str, probability: float | None, traditional: bool = False) -> AdvisedClassifier:
    """Return a classifier with what our table says of it, in simplified or in traditional characters."""
    own = _table().get(classifier)
    shown = as_traditional(classifier) if traditional else classifier
    if own is None:
        return AdvisedClassifier(shown, probability)
    nouns = own.nouns[:SHOWN_NOUNS]
    return AdvisedClassifier(
        shown, probability, own.pinyin, own.counts, tuple(map(to_traditional, nouns)) if traditional else nouns
    )


@cache
def _table() -> Mapping[str, Classifier]:
    return {one.form: one for one in own_classifiers()}


# --- script ---------------------------------------------------------------------------------------------------------


def is_traditional(text: str) -> bool:
    """Say whether a text is written in traditional characters; where nothing tells, it is taken for simplified."""
    return not text.isascii() and _has_opencc() and script_of(text) == "traditional"


@cache
def _has_opencc() -> bool:
    try:
        to_simplified("書")
    except UserError:
        return False
    return True


def _simplified(slot: MarkedSlot) -> MarkedSlot:
    if not _has_opencc():
        return slot
    form = simplified(slot.sentence)
    place, *others = (form.from_original(edge, edge)[0] for edge in (slot.slot, *slot.others))
    return MarkedSlot(slot.line, slot.number, form.text, place, tuple(others), to_simplified(slot.noun))


def as_traditional(classifier: str) -> str:
    """Return a classifier in traditional characters; a numeral before it tells 隻 from 只, 齣 from 出."""
    return to_traditional(f"一{classifier}")[1:]


# --- one slot -------------------------------------------------------------------------------------------------------


def _advice(slot: MarkedSlot, noun: FoundNoun, ranking: Sequence[Any], chooser: ClassifierChooser) -> Advice:
    traditional = is_traditional(slot.sentence + slot.noun)
    choices = tuple(describe(choice["label"], choice["probability"], traditional) for choice in ranking)
    shown = FoundNoun(to_traditional(noun.noun), noun.span, noun.how) if traditional else noun
    notes = tuple(_notes(slot, noun, shown.noun, choices, chooser))
    return Advice(slot.line, slot.number, slot.sentence, slot.slot, shown, choices, notes)


def _notes(
    slot: MarkedSlot,
    noun: FoundNoun,
    shown: str,
    choices: Sequence[AdvisedClassifier],
    chooser: ClassifierChooser,
) -> Iterator[Bilingual]:
    if slot.others:
        count = len(slot.others)
        en = "the other slot of the sentence is" if count == 1 else f"the {count} other slots of the sentence are"
        yield Bilingual(f"{en} left open", f"句中另外{count}个空位留空")
    if not noun.noun:
        yield Bilingual(
            "no noun was found; name it with --noun, or after a tab in a file",
            "没有找到名词；请用 --noun 指明，或在文件中写在制表符之后",
        )
    elif not _is_known(noun.noun, chooser):
        yield Bilingual(
            f"{shown} is not among the nouns that {chooser.name} or our lists know",
            f"{chooser.name} 和词表中都没有“{shown}”",
        )
    strange = strange_characters(slot.sentence + slot.noun)
    if strange:
        shown_codes = ", ".join(f"U+{ord(character):04X}" for character in strange)
        yield Bilingual(f"unknown characters: {shown_codes}", f"无法识别的字符：{shown_codes}")
    if not choices:
        yield Bilingual(f"{chooser.name} gave no classifier", f"{chooser.name} 没有给出量词")


def _is_known(noun: str, chooser: ClassifierChooser) -> bool:
    asked = chooser.asked if isinstance(chooser, Adviser) else chooser
    seen = isinstance(asked, Rule) and noun in counted_nouns(asked)
    looks_up = isinstance(chooser, Adviser) or not isinstance(asked, Rule)
    return seen or (looks_up and bool(listed_forms(noun)))


def strange_characters(text: str) -> tuple[str, ...]:
    """Return the characters that no Chinese text should hold: unassigned, private, the sign for a lost character."""
    return tuple(sorted({one for one in text if one == "\ufffd" or unicodedata.category(one) in {"Cn", "Co", "Cc"}}))
