"""Which small models do the tests of the command line and of streaming share?

Everything about them can be worked out by hand. The file can also be loaded as a plug-in: `--file small_models.py`.
"""

from __future__ import annotations

import os
import time
from itertools import pairwise

import numpy as np

from hengliang import register
from hengliang.core import ScoredUnit
from hengliang.language_models import Texts, edges_of, ranges
from hengliang.language_models.base import END, Conventions, LanguageModel, NextUnits
from hengliang.language_models.scores import Scores, scores_of

# Sentences of our own: eight words and the end are the vocabulary of the bigrams.
LESSONS = ("他 买 了 书 。", "她 买 了 车 。", "他 来 了 。")
WORDS = ("他", "她", "买", "来", "了", "书", "车", "。", END)


@register("small bigrams")
class SmallBigrams(LanguageModel):
    """Bigrams of three sentences with one added to each count, over nine symbols and one for unknown words.

    P(b | a) = (count(a b) + 1) / (count(a) + 10).
    """

    name = "small bigrams"
    script = "simplified"

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds

    def conventions(self) -> Conventions:
        return Conventions("causal", "word", True, True, "<unk>", "none", "1 word", "rjieba")

    def _pairs(self) -> dict[tuple[str, str], int]:
        counts: dict[tuple[str, str], int] = {}
        for lesson in LESSONS:
            for pair in pairwise(["<s>", *lesson.split(), END]):
                counts[pair] = counts.get(pair, 0) + 1
        return counts

    def _logprob(self, before: str, word: str) -> float:
        counts = self._pairs()
        seen = sum(count for (first, _), count in counts.items() if first == before)
        return float(np.log((counts.get((before, word), 0) + 1) / (seen + len(WORDS) + 1)))

    def score(self, texts: Texts) -> Scores:
        time.sleep(self.seconds or float(os.environ.get("SMALL_MODEL_SECONDS", "0")))
        texts = texts.with_words("rjieba")
        edges, words = texts.offsets.tolist(), texts.words.to_list()
        logprobs: list[float] = []
        unknown: list[bool] = []
        table: dict[tuple[str, str], float] = {}
        for first, last in pairwise(edges):
            for pair in pairwise(["<s>", *words[first:last], END]):
                if pair not in table:
                    table[pair] = self._logprob(*pair)
                logprobs.append(table[pair])
                unknown.append(pair[1] not in WORDS)
        counts = np.diff(texts.offsets) + 1
        sizes = texts.contents.str.len_bytes().to_numpy().astype(np.int64)
        offsets = edges_of(counts)
        within = ranges(offsets[:-1], counts - 1)
        starts, ends = np.repeat(sizes, counts), np.repeat(sizes, counts)
        starts[within], ends[within] = texts.starts, texts.ends
        nothing = np.full(len(logprobs), np.nan)
        return Scores(
            offsets, starts, ends, np.array(logprobs), nothing, np.array(unknown, np.bool_), ("",) * len(texts)
        )

    def next_units(self, prefixes: Texts) -> NextUnits:
        units = (*WORDS, "<unk>")
        last = [(["<s>", *prefix.words])[-1] for prefix in prefixes.with_words("rjieba")]
        return NextUnits(units, np.array([[self._logprob(before, unit) for unit in units] for before in last]))


@register("pairs of characters")
class CharacterPairs(LanguageModel):
    """Two characters at a time, ln p = −1 a unit, no end of sentence: its units cross the edges of words.

    A text with x in it cannot be scored.
    """

    name = "pairs of characters"

    def conventions(self) -> Conventions:
        return Conventions("causal", "subword", False, False, "none", "none", "nothing")

    def score(self, texts: Texts) -> Scores:
        return scores_of(self._units(content) for content in texts.contents.to_list())

    def _units(self, content: str) -> list[ScoredUnit] | str:
        if "x" in content:
            return "there is an x in it"
        pieces = [content[place : place + 2] for place in range(0, len(content), 2)]
        edges = np.cumsum([0, *(len(piece.encode()) for piece in pieces)]).tolist()
        return [ScoredUnit(start, end, -1.0, None) for start, end in pairwise(edges)]


class Bytes(LanguageModel):
    """Two bytes at a time, ln p = −1 a unit: units end within characters."""

    name = "bytes"

    def conventions(self) -> Conventions:
        return Conventions("causal", "byte", False, False, "none", "none", "nothing")

    def score(self, texts: Texts) -> Scores:
        sizes = texts.contents.str.len_bytes().to_list()
        return scores_of(
            [ScoredUnit(start, min(start + 2, size), -1.0, None) for start in range(0, size, 2)] for size in sizes
        )
