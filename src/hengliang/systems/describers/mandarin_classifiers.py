"""Which classifiers does a chooser put into the open slots of a Mandarin text?

A text under construction marks each place where a classifier is wanted, together with the noun that is counted. When it
is finished, one question is put to the chooser for all its slots at once; each slot is shown in its own sentence, in
which the other slots are open too, since nobody has filled them yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import polars as pl

from hengliang.materials.classifier_inventory import own_classifiers
from hengliang.systems.classifier_choosers.base import ClassifierChooser
from hengliang.systems.classifier_choosers.general import GENERAL_CLASSIFIER, General
from hengliang.systems.classifier_choosers.slots import SLOT_SCHEMA

# Characters of the private use area: no word holds them.
_OPEN, _CLOSE = "\ue000", "\ue001"
_SLOT = re.compile(f"{_OPEN}([^{_CLOSE}]*){_CLOSE}")
_SENTENCE = re.compile(r"[^。]*。?")


@dataclass(frozen=True, slots=True)
class OpenSlot:
    """A slot of a finished sentence: the sentence without classifiers, the byte at which one goes, and the noun."""

    sentence: str
    slot: int
    noun: str


def open_slot(noun: str) -> str:
    """Return the mark of a place where a classifier for this noun is wanted."""
    return f"{_OPEN}{noun}{_CLOSE}"


def open_slots(text: str) -> list[OpenSlot]:
    """Return the slots that are marked in a text, in its order."""
    found = []
    for sentence in _SENTENCE.findall(text):
        plain = _SLOT.sub("", sentence)
        for mark in _SLOT.finditer(sentence):
            before = _SLOT.sub("", sentence[: mark.start()])
            found.append(OpenSlot(plain, len(before.encode()), mark[1]))
    return found


def filled(text: str, chooser: ClassifierChooser | None = None) -> str:
    """Return the text with the chooser's best choice that counts things; without chooser or such a choice, 个."""
    slots = open_slots(text)
    if not slots:
        return text
    asked = pl.DataFrame([(one.sentence, one.slot, one.noun) for one in slots], schema=SLOT_SCHEMA, orient="row")
    rankings = (chooser or General()).ranked(asked)
    chosen = (_of_things([choice["label"] for choice in ranking]) for ranking in rankings.to_list())
    return _SLOT.sub(lambda _: next(chosen), text)


def _of_things(ranking: Iterable[str]) -> str:
    """Return the best classifier that counts things: 两种马 are two kinds of horses, not two horses."""
    return next((label for label in ranking if label not in _of_kinds()), GENERAL_CLASSIFIER)


@cache
def _of_kinds() -> frozenset[str]:
    return frozenset(one.form for one in own_classifiers() if one.kind == "kind")
