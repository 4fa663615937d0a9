"""How are D, Z and R computed from the labels of sentences, and how sure are they?

Of one item: D = Correct / (Total − Record) · 100, as formula (1) of the paper has it; D as published, which is
Correct / Total · 100 (the printed values are such numbers); R = Record / Total. Z is the mean of D over items [1].
Where a denominator is zero there is no score, and Z is the mean of the others.

Intervals of D are Wilson's [2], for a share of few sentences that is often 0 or 1. Sentences of one cluster are counted
as if they always went together: n is divided by Kish's design effect at its largest, Σm²/Σm for clusters of m sentences
[3]. That is Wilson's own interval when no cluster has two sentences, and never narrower.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18, section 3.3.
[2] Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. JASA 22.
[3] Kish, L. (1965). Survey sampling. Wiley, chapter 5.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.signature import Signature
from hengliang.measures.tagging_items import CORRECT, LABELS, RECORD
from hengliang.statistics.resampling import Floats, Integers, Intervals, cluster_codes, cluster_counts

SCORES: tuple[str, ...] = ("D published", "D", "R")
"""D as published comes first: by formula (1) a tagger that gets next to nothing right is judged by the few items of
which some sentence is not Record, and may look better than any other."""

FULL = 100.0


@dataclass(frozen=True, slots=True, eq=False)
class ItemScores:
    """D by formula (1), D as published and R: a row a resample, a column an item; NaN where nothing divides."""

    formula: Floats
    published: Floats
    record: Floats

    @property
    def all(self) -> tuple[Floats, Floats, Floats]:
        """The three in the order of `SCORES`."""
        return self.published, self.formula, self.record


def label_sums(rows: pl.DataFrame, pairs: Sequence[str], codes: Integers, shape: int) -> scipy.sparse.csr_array:
    """Count Correct, Wrong and Record of each pair by cluster: three blocks of a column a pair, one row a cluster.

    `codes` are the numbers of the rows' clusters, `shape` how many clusters there are. Rows without a label count for
    nothing.
    """
    place = {pair: number for number, pair in enumerate(pairs)}
    block = {label: number * len(pairs) for number, label in enumerate(LABELS)}
    judged = rows["label"].is_not_null().to_numpy()
    held = rows.filter(pl.col("label").is_not_null())
    column = held["label"].replace_strict(block, return_dtype=pl.Int64)
    column += held["pair"].replace_strict(place, return_dtype=pl.Int64)
    return cluster_counts(codes[judged], column.to_numpy(), shape=(shape, len(LABELS) * len(pairs)))


def item_scores(totals: Floats) -> ItemScores:
    """Return the scores of each row of counts: all Correct, then all Wrong, then all Record."""
    correct, wrong, record = np.split(totals, len(LABELS), axis=1)
    decided, total = correct + wrong, correct + wrong + record
    return ItemScores(FULL * _ratio(correct, decided), FULL * _ratio(correct, total), _ratio(record, total))


def _ratio(part: Floats, whole: Floats) -> Floats:
    ratio: Floats = np.divide(part, whole, out=np.full_like(part, np.nan), where=whole > 0)
    return ratio


def mean_score(scores: Floats, chosen: NDArray[np.bool_]) -> Floats:
    """Return the mean over the chosen items that have a score, row by row; NaN where none has."""
    held = scores[:, chosen]
    known = ~np.isnan(held)
    return _ratio(np.where(known, held, 0.0).sum(axis=1), known.sum(axis=1).astype(np.float64))


def interval_at(intervals: Intervals, column: int) -> tuple[float | None, float | None, float | None]:
    """Return the value in one column and the ends of its interval; nothing where there is no number."""
    value, low, high = (
        None if np.isnan(part[column]) else float(part[column])
        for part in (intervals.value, intervals.low, intervals.high)
    )
    return value, low, high


def wilson_clustered(successes: int, sizes: Floats, level: float = 0.95) -> tuple[float, float] | None:
    """Return Wilson's interval of a share whose cases come in clusters of these sizes; nothing without cases."""
    cases = float(sizes.sum())
    if not cases:
        return None
    share, n = successes / cases, cases * cases / float((sizes * sizes).sum())
    quantile = float(scipy.special.ndtri((1 + level) / 2))
    square = quantile * quantile
    centre = (share + square / (2 * n)) / (1 + square / n)
    half = quantile * math.sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    # At 0 and 1 the bound is the share itself, which rounding would miss by an ulp.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    return low, 1.0 if successes == cases else min(1.0, centre + half)


def cluster_sizes(rows: pl.DataFrame) -> Floats:
    """Return how many rows each cluster has."""
    codes, count = cluster_codes(rows["cluster"])
    sizes: Floats = np.bincount(codes, minlength=count).astype(np.float64)
    return sizes


def score_intervals(rows: pl.DataFrame, level: float) -> dict[str, tuple[float, float] | None]:
    """Return the interval of each score of one item, whose labelled sentences `rows` are."""
    decided = rows.filter(pl.col("label") != RECORD)
    correct = rows.filter(pl.col("label") == CORRECT).height
    every = cluster_sizes(rows)
    found = {
        "D": wilson_clustered(correct, cluster_sizes(decided), level),
        "D published": wilson_clustered(correct, every, level),
        "R": wilson_clustered(rows.height - decided.height, every, level),
    }
    scale = {"D": FULL, "D published": FULL, "R": 1.0}
    return {
        name: None if ends is None else (scale[name] * ends[0], scale[name] * ends[1]) for name, ends in found.items()
    }


def signed(rows: Iterable[Estimate], signature: Signature) -> pl.DataFrame:
    """Return the estimate table with one signature on every row: to compute it for thousands of rows takes seconds."""
    return estimates_frame(rows).with_columns(signature=pl.lit(str(signature), dtype=pl.String))
