"""Which beginnings do sentences share, and which are read together?

A lane is a beginning that at least one of the sentences has: all lanes of as many words are a level, and each goes on
from a lane of the level before it. Sentences that are neighbours in the order of their words share most of their
beginnings, so they are cut into bundles in that order, and a bundle is read level by level. That way each shared
beginning of a bundle is read once, no level has more lanes than asked for, and nothing but the level last read has to
be remembered. (Depth first would need a stack of levels, and its levels would be narrower. What bundles lose is
little: a beginning that two of them share is read twice.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hengliang.core.text.characters import Offsets


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """The lanes of one level: the lane of the level before it from which each goes on, and with which word.

    Before the first level there is one lane, that without any word.
    """

    parents: Offsets
    words: Offsets


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """Some sentences, by their numbers, that are read together.

    `places[i, n]` is the lane of the level of n words that is on the way of the i-th of them, and -1 past its end.
    """

    sentences: Offsets
    lengths: Offsets
    levels: tuple[Level, ...]
    places: Offsets


def bundles(sentences: Sequence[Sequence[int]], lanes: int) -> Iterator[Bundle]:
    """Yield the sentences, given by the numbers of their words, in bundles whose levels have so many lanes at most."""
    group = _Group()
    for number in sorted(range(len(sentences)), key=lambda number: tuple(sentences[number])):
        sentence = sentences[number]
        if group.is_full_for(sentence, lanes):
            yield group.bundle()
            group = _Group()
        group.add(number, sentence)
    if group.numbers:
        yield group.bundle()


class _Group:
    """A bundle in the making."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.last: Sequence[int] = ()
        self.rows: list[list[int]] = [[0]]
        self.parents: list[list[int]] = []
        self.words: list[list[int]] = []

    def _shared(self, sentence: Sequence[int]) -> int:
        """Return how many words a sentence and the last one have in common before they part."""
        pairs = zip(self.last, sentence, strict=False)
        alike = min(len(self.last), len(sentence))
        return next((place for place, (one, other) in enumerate(pairs) if one != other), alike)

    def is_full_for(self, sentence: Sequence[int], lanes: int) -> bool:
        """Tell whether a level would get more lanes than this by one more sentence."""
        return any(len(words) >= lanes for words in self.words[self._shared(sentence) : len(sentence)])

    def add(self, number: int, sentence: Sequence[int]) -> None:
        """Take one more sentence, which is not before the last one in the order of words."""
        shared = self._shared(sentence)
        row = self.rows[-1][: shared + 1]
        for depth in range(shared, len(sentence)):
            if depth == len(self.words):
                self.parents.append([])
                self.words.append([])
            self.parents[depth].append(row[-1])
            self.words[depth].append(sentence[depth])
            row.append(len(self.words[depth]) - 1)
        self.numbers.append(number)
        self.rows.append(row)
        self.last = sentence

    def bundle(self) -> Bundle:
        """Return the bundle of the sentences taken."""
        rows = self.rows[1:]  # the first row is that of no sentence
        places = np.full((len(rows), len(self.words) + 1), -1, np.int64)
        for place, row in zip(places, rows, strict=True):
            place[: len(row)] = row
        levels = tuple(
            Level(np.array(parents, np.int64), np.array(words, np.int64))
            for parents, words in zip(self.parents, self.words, strict=True)
        )
        lengths = np.array([len(row) - 1 for row in rows], np.int64)
        return Bundle(np.array(self.numbers, np.int64), lengths, levels, places)
