"""Surprisal of regions, words and sentences from the scores of units.

Surprisal is −log p, in nats. A region is a byte span; its surprisal is the sum over the units inside it [1]. A unit
that crosses the edge of a region is never silently given to one side: `edges` says what becomes of it. The end of a
sentence belongs to the sentence, never to a region.

[1] Hale, J. (2001). A probabilistic Earley parser as a psycholinguistic model. NAACL 2001.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts, edges_of
from hengliang.core.text.characters import Offsets
from hengliang.language_models.scores import Numbers, Scores

Edges = Literal["refuse", "include", "exclude"]
"""A unit that crosses an edge makes the region unscored, counts in every region it touches, or counts in none."""

CROSSED = "a unit of the model crosses the edge of the region"


@dataclass(frozen=True, slots=True, eq=False)
class Regions:
    """Byte spans in a batch of texts: `rows` names the text of each."""

    rows: Offsets
    starts: Offsets
    ends: Offsets


@dataclass(frozen=True, slots=True, eq=False)
class RegionScores:
    """What the units of each region say: NaN and a problem where there is no score.

    A region without units (zero bytes wide) has the log-probability 0 and no units.
    """

    logprobs: Numbers
    unigram_logprobs: Numbers
    units: Offsets
    problems: tuple[str, ...]

    @property
    def surprisals(self) -> Numbers:
        """−log p of each region, in nats."""
        return -self.logprobs + 0.0


def sentence_logprobs(scores: Scores) -> Numbers:
    """Return the log-probability of each text, its end included where the model scores it; NaN where there is none."""
    return np.where(scores.scored, _sums(scores.logprobs, scores.offsets), np.nan)


def sentence_unigram_logprobs(scores: Scores) -> Numbers:
    """Return the sum of the unigram log-probabilities of each text; NaN where one of them is not known."""
    return np.where(scores.scored, _sums(scores.unigram_logprobs, scores.offsets), np.nan)


def _sums(values: Numbers, offsets: Offsets) -> Numbers:
    # Only groups with values: reduceat cannot sum an empty one. A zero added after the last would change the order in
    # which it is summed, and the same text would differ in the last digit from batch to batch.
    filled = np.flatnonzero(np.diff(offsets))
    sums = np.zeros(len(offsets) - 1)
    if len(filled):
        sums[filled] = np.add.reduceat(values, offsets[:-1][filled])
    return sums


def word_regions(texts: Texts) -> Regions:
    """Return the words of the texts as regions."""
    rows = np.repeat(np.arange(len(texts), dtype=np.int64), np.diff(texts.offsets))
    return Regions(rows, texts.starts, texts.ends)


def region_scores(scores: Scores, regions: Regions, edges: Edges = "refuse") -> RegionScores:
    """Return the summed log-probability of the units in each region.

    Units and regions lie on one line, text after text, so that two searches find the units of all regions at once.
    """
    if edges not in get_args(Edges):
        raise UserError(f"No treatment of edges is called '{edges}'.", valid=f"Valid: {', '.join(get_args(Edges))}.")
    wide = scores.ends > scores.starts
    reach = int(max(scores.ends.max(initial=0), regions.ends.max(initial=0))) + 1
    base = scores.rows[wide] * reach
    starts, ends = scores.starts[wide] + base, scores.ends[wide] + base
    region_base = regions.rows * reach
    first, last, crossed = _inside(starts, ends, regions.starts + region_base, regions.ends + region_base, edges)
    problems = _problems(scores, regions, crossed if edges == "refuse" else np.zeros_like(crossed))
    good = np.array([not problem for problem in problems], np.bool_)
    return RegionScores(
        np.where(good, _between(scores.logprobs[wide], first, last), np.nan),
        np.where(good, _between(scores.unigram_logprobs[wide], first, last), np.nan),
        np.where(good, last - first, 0),
        problems,
    )


def _inside(
    starts: Offsets, ends: Offsets, left: Offsets, right: Offsets, edges: Edges
) -> tuple[Offsets, Offsets, npt.NDArray[np.bool_]]:
    """Return the first unit of each region, the one after its last, and whether a unit crosses an edge of it.

    Units are bytes: one of a byte-level vocabulary may end inside a character, and that is not an edge of a region.
    """
    touched_first, touched_last = np.searchsorted(ends, left, "right"), np.searchsorted(starts, right, "left")
    inner_first, inner_last = np.searchsorted(starts, left, "left"), np.searchsorted(ends, right, "right")
    empty = left == right
    crossed = ~empty & ((touched_first != inner_first) | (touched_last != inner_last))
    first, last = (touched_first, touched_last) if edges == "include" else (inner_first, inner_last)
    return first, np.where(empty, first, np.maximum(first, last)), crossed


def _between(values: Numbers, first: Offsets, last: Offsets) -> Numbers:
    counts = last - first
    flat = values[np.arange(counts.sum()) + np.repeat(first - edges_of(counts)[:-1], counts)]
    return _sums(flat, edges_of(counts))


def _problems(scores: Scores, regions: Regions, crossed: npt.NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(
        scores.problems[row] or (CROSSED if crosses else "")
        for row, crosses in zip(regions.rows.tolist(), crossed.tolist(), strict=True)
    )
