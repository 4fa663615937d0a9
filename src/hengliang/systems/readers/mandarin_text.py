"""Into which sentences and clauses does a typed Mandarin text fall?

Widths, digits and traditional characters are made ordinary first (the latter by OpenCC where it is installed; without
it simplified text is read all the same). White space has no meaning in Chinese and is dropped; a line break ends a
sentence. Every clause keeps what was really written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hengliang.core.errors import UserError
from hengliang.core.text.characters import folded_numerals, normalise, to_simplified

_FULL_STOP = r"[。！？!?；;…\n\r]|(?<![0-9])\.|\.(?![0-9])"
_COMMA = r"[，,:：()（）—–]"
_NOTHING = re.compile(r"[\s\"'“”‘’「」『』《》]")
_FINAL = re.compile(r"(?<=[^了呢吧啊呀哦])[了呢吧啊呀哦]+$")


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause as it was written, and in ordinary characters without white space."""

    written: str
    text: str


def ordinary(text: str) -> str:
    """Return a text in simplified characters, with ordinary digits and widths.

    >>> ordinary("３個图形")
    '3个图形'
    """
    folds = folded_numerals(normalise(text, width=("alphanumeric", "space", "halfwidth")).text)
    try:
        return to_simplified(folds)
    except UserError:  # Without OpenCC the text stays as it is.
        return folds


def sentences(text: str) -> list[list[Clause]]:
    """Return the clauses of each sentence; what holds nothing but punctuation is none.

    >>> [[clause.text for clause in sentence] for sentence in sentences("都是方形, 一半蓝 一半红。没有圆形！")]
    [['都是方形', '一半蓝一半红'], ['没有圆形']]
    """
    found = []
    for sentence in _parts(text, ordinary_aligned(text), _FULL_STOP):
        clauses = [Clause(*part) for part in _parts(*sentence, _COMMA)]
        cleaned = [Clause(one.written.strip(), _FINAL.sub("", _NOTHING.sub("", one.text))) for one in clauses]
        kept = [clause for clause in cleaned if clause.text]
        if kept:
            found.append(kept)
    return found


def ordinary_aligned(text: str) -> str:
    """Return the ordinary text, character for character.

    Phrases decide how a character is simplified, so all of it is converted at once; where that changes the length,
    each character is converted alone.
    """
    whole = ordinary(text)
    if len(whole) == len(text):
        return whole
    alone = [ordinary(character) for character in text]
    return "".join(one if len(one) == 1 else character for one, character in zip(alone, text, strict=True))


def _parts(written: str, text: str, divider: str) -> list[tuple[str, str]]:
    """Return the stretches between dividers, as written and in ordinary characters."""
    found, start = [], 0
    for mark in re.finditer(divider, text):
        found.append((written[start : mark.start()], text[start : mark.start()]))
        start = mark.end()
    return [*found, (written[start:], text[start:])]
