"""In which columns does an n-gram model live?

Each length of n-gram is a level: arrays sorted by the row of the first n − 1 words in the level below, then by the last
word. So a prefix has its continuations side by side, and the whole model is a trie without pointers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

UNKNOWN_ID, BEGIN_ID, END_ID = 0, 1, 2
"""The first three words of every model: <unk>, <s> and </s>."""

Rows = npt.NDArray[np.uint32]
Logs = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """All n-grams of one length, sorted by (prefix, word), with natural-log probabilities and back-off weights.

    `prefixes` are rows of the level below (zeros at the first level, whose row is the word itself). `backoffs` are
    zeros at the highest level. The log-probability of <s>, which is never predicted, is minus infinity.
    """

    prefixes: Rows
    words: Rows
    logprobs: Logs
    backoffs: Logs

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, slots=True, eq=False)
class NgramTables:
    """An n-gram model: the words by their ids, how often each was seen in training (0: not known), and the levels."""

    words: pl.Series
    counts: npt.NDArray[np.int64]
    levels: tuple[Level, ...]

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self.levels)
