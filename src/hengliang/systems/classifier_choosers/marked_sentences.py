"""Which places of a sentence are marked as wanting a classifier?

The mark is `<CL>`, in narrow or wide characters. A sentence with several marks has several slots. Each is asked about
by itself, in the sentence without the other marks: they are left open, for what goes there is not known either.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hengliang.core.text.characters import half_character, is_han

SLOT = re.compile(r"[<＜]\s*[CcＣｃ][LlＬｌ]\s*[>＞]")
NO_SLOT = "there is no slot: mark it with <CL>, as in 他牵着一<CL>马"
EMPTY = "the sentence is empty"
NO_TEXT = "there is no Chinese character besides the mark, so there is no noun to count"
_NUMERALS = frozenset("零〇一二三四五六七八九十百千万亿两几半这那每各某哪第")
NO_NOUN = "there is nothing to count: besides the mark the sentence has only numerals and pointing words"


@dataclass(frozen=True, slots=True)
class MarkedSlot:
    """One slot of a marked sentence: the sentence without any mark, the byte offset of the slot, and the others'.

    `noun` is the head noun if the user named it. `line` counts from 1 in what was read, `number` from 1 in the line.
    """

    line: int
    number: int
    sentence: str
    slot: int
    others: tuple[int, ...] = ()
    noun: str = ""


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """What was read on one line: its slots, or the problem for which it has none."""

    line: int
    text: str
    slots: tuple[MarkedSlot, ...] = ()
    problem: str = ""


def read_marked(text: str, line: int = 1, noun: str | None = None) -> MarkedLine:
    """Read one sentence with its marks; what is wrong with it is said in `problem`, so that other lines go on.

    `noun` names the head noun of all its slots; None asks to find it in the sentence. Without a `noun`, what follows a
    tab is taken for it.
    """
    given, tab, column = unicodedata.normalize("NFC", text).partition("\t")
    named = column.strip() if noun is None else unicodedata.normalize("NFC", noun).strip()
    if noun is not None and tab:
        given = f"{given}{tab}{column}"
    pieces = SLOT.split(given.strip())
    problem = _problem(pieces, named) or ("the noun that was given is empty" if noun is not None and not named else "")
    if problem:
        return MarkedLine(line, text, problem=problem)
    return MarkedLine(line, text, tuple(_slots(pieces, line, named)))


def read_marked_lines(texts: Sequence[str], noun: str | None = None, first: int = 1) -> list[MarkedLine]:
    """Read many sentences, a sentence a line; the first has the number `first`."""
    return [read_marked(text, line, noun) for line, text in enumerate(texts, first)]


def _problem(pieces: Sequence[str], noun: str) -> str:
    sentence = "".join(pieces)
    half = half_character(sentence + noun)
    if half:
        return half
    if len(pieces) == 1:
        return NO_SLOT if sentence else EMPTY
    if not unicodedata.is_normalized("NFC", sentence):
        return "right after the mark stands an accent that joins the character before it"
    han = [character for character in sentence if is_han(character)]
    if noun:
        return ""
    if not han and not any(character.isalpha() for character in sentence):
        return NO_TEXT
    return NO_NOUN if han and _NUMERALS.issuperset(han) and not re.search(r"[A-Za-z]", sentence) else ""


def _slots(pieces: Sequence[str], line: int, noun: str) -> Iterator[MarkedSlot]:
    sentence = "".join(pieces)
    places, size = [], 0
    for piece in pieces[:-1]:
        size += len(piece.encode())
        places.append(size)
    for number, place in enumerate(places, 1):
        others = tuple(other for index, other in enumerate(places, 1) if index != number)
        yield MarkedSlot(line, number, sentence, place, others, noun)
