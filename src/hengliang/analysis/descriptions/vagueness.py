"""Which quantifiers count as vague, as logical forms and as words of a text?

A quantifier is vague when it has borderline cases: there is no number from which on things are *many*. Two bounds are
drawn, since authors differ. The narrow one holds those whose meaning has to be fitted (*a few*, *several*, *many*,
*almost all* and their like). The wide one adds *some*, *most*, *a majority* and *a minority*, which have a definition
in logic and yet are used as if they had none. Words are looked for in the text itself, so that a description counts
whether or not a grammar can parse it.
"""

from __future__ import annotations

import re
from typing import Literal

from hengliang.materials.quantifiers import QUANTIFIERS

Width = Literal["narrow", "wide"]
WIDTHS: tuple[Width, ...] = ("narrow", "wide")

NARROW: frozenset[str] = frozenset(name for name, held in QUANTIFIERS.items() if held.vague)
WIDE: frozenset[str] = NARROW | {"some", "most", "majority", "minority"}
"""The names of the quantifiers that count as vague."""

# *As many … as* and *equally many* compare numbers, *how many* asks for one; *about* and *around* also tell places.
_NARROW_WORDS = re.compile(
    r"\b(?:few|couple|several|handful|bunch|various|lots|a lot|plenty|numerous|almost|nearly|roughly"
    r"|approximately|circa|more or less|a number of|(?:quite|fairly|pretty) (?:equal|equally|even|evenly)"
    r"|(?<!as )(?<!equally )(?<!how )(?<!times )many"
    r"|(?:about|around) (?:an? |the )?(?:half|third|quarter|equal|equally|same|even|as|one|two|three|\d+)"
    r"|(?:slightly|a bit|much|far) (?:more|less|fewer)"
    r"|(?:small|large|great|big) (?:number|amount|part|proportion)s?)\b"
    r"|几|很少|两三|若干|许多|很多|不少|大约|大概|左右|差不多|接近",
    re.IGNORECASE,
)
_FURTHER_WORDS = re.compile(
    r"\b(?:some|most|mostly|mainly|largely|majority|minority|predominan\w+|dominan\w+)\b"
    r"|一些|有些|大多|大部分|多数|少数|主要",
    re.IGNORECASE,
)


def vague_quantifiers(width: Width = "narrow") -> frozenset[str]:
    """Return the names of the quantifiers that count as vague."""
    return NARROW if width == "narrow" else WIDE


def has_vague_word(text: str, width: Width = "narrow") -> bool:
    """Return whether a text says something vague.

    >>> has_vague_word("There are many red ones."), has_vague_word("There are as many red ones as blue ones.")
    (True, False)
    """
    spaced = " ".join(text.split())
    found = _NARROW_WORDS.search(spaced) or (width == "wide" and _FURTHER_WORDS.search(spaced))
    return bool(found)
