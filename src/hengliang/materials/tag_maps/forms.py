"""Of what kind of characters is a word made?

Some taggers give one tag to things that the corpus tells apart: jieba tags a comma and a wide digit alike. What the
word looks like then decides. A word has one form; the space before it does not count.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Literal, get_args

from hengliang.core.text.characters import is_han, is_han_text

Form = Literal["punctuation", "digits", "latin", "han", "other"]
"""Marks and symbols alone; digits with the marks of numbers; letters of an alphabet without a Chinese character;
Chinese characters alone (those for numbers too); anything else."""

FORMS: tuple[Form, ...] = get_args(Form)

_MARKS_OF_NUMBERS = frozenset(".,%:/-+~．，％：／－＋～‰·")


@lru_cache(maxsize=65536)
def form_of(word: str) -> Form:
    """Return the form of a word.

    >>> [form_of(word) for word in ("，", "９８．５％", "ＣＤ－２", "一九九八年", "Ｔ恤")]
    ['punctuation', 'digits', 'latin', 'han', 'other']
    """
    body = word.strip()
    if is_han_text(body):
        return "han"
    kinds = [unicodedata.category(character)[0] for character in body]
    if kinds and all(kind in "PS" for kind in kinds):
        return "punctuation"
    if "N" in kinds and all(kind == "N" or mark in _MARKS_OF_NUMBERS for kind, mark in zip(kinds, body, strict=True)):
        return "digits"
    if "L" in kinds and not any(is_han(character) for character in body):
        return "latin"
    return "other"
