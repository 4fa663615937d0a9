"""What does the trainable tagger look at to find words and to tag them?

Two sequences, two sets of features, in the manner of Ng and Low [1]. A character is seen with its neighbours, the kinds
of characters around it, whether it is repeated, and the longest known words that begin, end or run on there. A word is
seen with its neighbours, its first and last characters, its shape, and the tags it is known to take. Narrow letters,
digits and marks count as their wide forms, which is how the newspaper writes them.

[1] Ng, H. T., & Low, J. K. (2004). Chinese part-of-speech tagging: one-at-a-time or all-at-once? Word-based or
    character-based? EMNLP 2004, 277–284.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from hengliang.systems.taggers.trained.lexicon import LONGEST_WORD, UNKNOWN, Lexicon

VERSION = 1
"""Raised when the same sentence has other features than before: a model fits one version only."""

Features = list[list[str]]
"""One list of features for each character or word of a sentence."""

_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
_OUTSIDE = "\x02"
_NUMERALS = frozenset("〇零一二三四五六七八九十百千万亿两")
_TIMES = frozenset("年月日时分秒")
_LONGEST_SHAPE = 4


def widened(text: str) -> str:
    """Return the text with narrow letters, digits and marks in their wide forms; no character is added or lost."""
    return text.translate(_WIDE)


class _Kinds(dict[str, str]):
    """The kind of each character that was ever asked for."""

    def __missing__(self, character: str) -> str:
        found = self[character] = _kind(character)
        return found


def _kind(character: str) -> str:
    if character == _OUTSIDE:
        return "O"
    if character in _NUMERALS:
        return "N"
    if character in _TIMES:
        return "T"
    category = unicodedata.category(character)
    if category[0] in "PSZ":
        return "P"
    if category[0] == "N":
        return "D"
    return "H" if category == "Lo" else "A" if category[0] == "L" else "X"


_KINDS = _Kinds()


def character_features(text: str, lexicon: Lexicon, fold: int | None = None) -> Features:
    """Return the features of each character of a widened text without white space.

    `fold` is the part of the training sentences to which the text belongs; words known from there alone do not count.
    """
    padded = f"{_OUTSIDE}{_OUTSIDE}{text}{_OUTSIDE}{_OUTSIDE}"
    kinds = "".join([_KINDS[character] for character in padded])
    begins, ends, runs = _known_stretches(text, lexicon, fold)
    found = []
    for place, here in enumerate(text):
        earlier, before, after, later = padded[place], padded[place + 1], padded[place + 3], padded[place + 4]
        begin, end, run = begins[place], ends[place], runs[place]
        repeated = f"{'r' if here == before else ''}{'s' if here == earlier else ''}{'t' if here == after else ''}"
        found.append(
            [
                *(f"1{here}", f"2{before}", f"3{after}", f"4{earlier}", f"5{later}"),
                *(
                    f"6{before}{here}",
                    f"7{here}{after}",
                    f"8{before}{after}",
                    f"9{earlier}{before}",
                    f"a{after}{later}",
                ),
                *(f"b{kinds[place + 1 : place + 4]}", f"c{kinds[place : place + 5]}", f"d{repeated}"),
                *(f"e{begin}{end}{run}", f"f{begin}{here}", f"g{end}{here}", f"h{end}{begin}{before}"),
            ]
        )
    return found


def _known_stretches(text: str, lexicon: Lexicon, fold: int | None) -> tuple[list[int], list[int], list[int]]:
    """Return the lengths of the longest known words of two characters and more that begin, end and run on at each."""
    size = len(text)
    begins, ends, runs = [0] * size, [0] * size, [0] * size
    held = lexicon.folds.get
    for first in range(size - 1):
        for length in range(min(LONGEST_WORD, size - first), 1, -1):
            only = held(text[first : first + length])
            if only is None or only == fold:
                continue
            if not begins[first]:
                begins[first] = length
            last = first + length - 1
            if length > ends[last]:
                ends[last] = length
            for place in range(first + 1, last):
                if length > runs[place]:
                    runs[place] = length
    return begins, ends, runs


def word_features(words: Sequence[str], lexicon: Lexicon, fold: int | None = None) -> Features:
    """Return the features of each word of a sentence; the words are widened and hold no white space."""
    known = [lexicon.tags_of(word, fold) for word in words]
    padded = [_OUTSIDE, _OUTSIDE, *words, _OUTSIDE, _OUTSIDE]
    classes = [_OUTSIDE, _OUTSIDE, *known, _OUTSIDE, _OUTSIDE]
    found = []
    for place, word in enumerate(words, start=2):
        before, after = padded[place - 1], padded[place + 1]
        tags, left, right = classes[place], classes[place - 1], classes[place + 1]
        row = [
            *(f"1{word}", f"2{before}", f"3{after}", f"4{padded[place - 2]}", f"5{padded[place + 2]}"),
            *(f"6{before} {word}", f"7{word} {after}", f"8{tags}", f"9{left} {tags}", f"a{tags} {right}"),
            *(f"b{left} {right}", f"c{word} {left}", f"d{word} {right}", f"e{classes[place - 2]} {left}"),
            *(f"f{right} {classes[place + 2]}", f"g{_shape(word)}"),
            *(f"h{before[-1]}", f"i{after[0]}"),
        ]
        if len(word) > 1 or tags == UNKNOWN:
            row += [f"j{word[0]}", f"k{word[-1]}", f"l{len(word)}"]
        if len(word) > 2:
            row += [f"m{word[:2]}", f"n{word[-2:]}"]
        if tags == UNKNOWN:
            row += [f"o{word[0]}{len(word)}", f"p{word[-1]}{len(word)}"]
            # In the order of the word: the order of a set would differ from process to process, and the model with it.
            row += [f"q{character}" for character in dict.fromkeys(word[:6])]
        found.append(row)
    return found


def _shape(word: str) -> str:
    """Return the kinds of characters in a word, a run of one kind counted once, and the length of a short word."""
    shape = ""
    for character in word[:32]:
        kind = _KINDS[character]
        if not shape.endswith(kind):
            shape += kind
    return shape[:_LONGEST_SHAPE] + str(min(len(word), 5))
