"""Area under the ROC curve (AUC) with clustered bootstrap intervals, and the difference of two areas.

The area under the curve is the probability that an acceptable sentence has a higher score than an unacceptable one, a
tie counting half: Mann and Whitney's U divided by the number of pairs [1]. Sentences made from one source sentence
resemble each other and stay together: intervals draw whole clusters with replacement, and so does the difference of two
scores on the same sentences [2, 3]. Beside it stand the correlations of acceptability, as 0 and 1, with the score
(Pearson's r, which is then the point-biserial correlation) and with its rank (Spearman's ρ).

A source that is drawn twice stands for two sources, but its copies are more alike than any two sources are. An original
is compared with its own version once for each copy, and never with the version of another copy: such pairs do not occur
in a sample, and if they were kept they would shift all draws towards the share of own pairs. With few sources the
interval would then often miss the true value (docs/discrimination.md).

Each function of a weighted sample takes a (draws × sentences) table of weights and gives its statistic in every draw; a
draw that has sentences of one side only has no statistic and gives NaN.

[1] Hanley, J. A., McNeil, B. J. (1982). The meaning and use of the area under a receiver operating characteristic (ROC)
    curve. Radiology 143.
[2] Obuchowski, N. A. (1997). Nonparametric analysis of clustered ROC curve data. Biometrics 53.
[3] Rutter, C. M. (2000). Bootstrap estimation of diagnostic accuracy with patient-clustered data. Academic Radiology 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import UserError
from hengliang.core.linear_algebra import on_one_thread
from hengliang.statistics.correlation.coefficients import as_numbers, weighted_pearson
from hengliang.statistics.resampling import (
    Floats,
    Integers,
    Intervals,
    Resampling,
    Statistic,
    Way,
    percentile_intervals,
    row_weights,
)

Flags = npt.NDArray[np.bool_]

STATISTICS = ("AUC", "Pearson", "Spearman")
"""What `discriminate` gives, in this order."""


@dataclass(frozen=True, slots=True)
class AreaDifference:
    """The AUC of two scores on the same sentences, and the second less the first.

    `intervals` are those of the first AUC, of the second, and of their difference. `p` is that of no difference: the
    interval of the level 1 − p has 0 as one of its bounds. It is never below 2 / (draws + 1), and None where there is
    no interval.
    """

    intervals: Intervals
    p: float | None

    @property
    def value(self) -> float:
        """The second AUC less the first."""
        return float(self.intervals.value[2])


# --- areas, correlations and their intervals --------------------------------------------------------------------------


def area_under_curve(acceptable: Any, scores: Any) -> float:
    """Return the probability that an acceptable sentence has the higher score, a tie counting half.

    >>> area_under_curve([True, True, False, False], [3, 1, 1, 0])
    0.875
    """
    side, numbers = _checked(acceptable, scores)
    return float(weighted_area(side, numbers[0], np.ones((1, len(side))))[0])


def discriminate(acceptable: Any, scores: Any, clusters: Any, resampling: Resampling) -> Intervals:
    """Return AUC, Pearson's r and Spearman's ρ with intervals from resampled clusters.

    `scores` has one score per sentence, or one row per seed; the statistics are then the means over seeds. A
    coefficient that does not exist, because no score differs from another, is NaN.
    """
    side, numbers = _checked(acceptable, scores)
    way = _way(clusters, len(side))

    own = [own_pairs(side, row, way) for row in numbers]

    def statistics(weights: Floats) -> Floats:
        rows = zip(numbers, own, strict=True)
        mean: Floats = np.mean([weighted_discrimination(side, row, weights, pairs) for row, pairs in rows], axis=0)
        return mean

    value = statistics(np.ones((1, len(side))))[0]
    return percentile_intervals(value, _drawn(way, resampling, statistics), resampling.level, way.levels)


def area_difference(acceptable: Any, first: Any, second: Any, clusters: Any, resampling: Resampling) -> AreaDifference:
    """Return by how much better the second score separates the same sentences than the first.

    Every draw of clusters gives both areas, so that what makes sentences hard for both does not blur the difference.
    """
    side, of_first = _checked(acceptable, first)
    _, of_second = _checked(acceptable, second)
    way = _way(clusters, len(side))

    samples = [[(row, own_pairs(side, row, way)) for row in rows] for rows in (of_first, of_second)]

    def areas(weights: Floats) -> Floats:
        first_area, second_area = (
            np.mean([weighted_area(side, row, weights, pairs) for row, pairs in sample], axis=0) for sample in samples
        )
        return np.column_stack([first_area, second_area, second_area - first_area])

    value = areas(np.ones((1, len(side))))[0]
    drawn = _drawn(way, resampling, areas)
    intervals = percentile_intervals(value, drawn, resampling.level, way.levels)
    return AreaDifference(intervals, _two_sided(drawn[:, 2]) if way.levels > 1 else None)


def pairs_won(originals: Any, changed: Any) -> Floats:
    """Return 1 where the original has the higher score, 0 where the changed sentence has, and a half for a tie.

    With several rows on both sides, one per seed, it is the mean over them.
    """
    of_originals, of_changed = (np.atleast_2d(np.asarray(scores, np.float64)) for scores in (originals, changed))
    won: Floats = ((of_originals > of_changed) + 0.5 * (of_originals == of_changed)).mean(axis=0)
    return won


# --- statistics of weighted samples -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class OwnPairs:
    """The pairs of acceptable and unacceptable sentences within each cluster.

    `first` is a row of each cluster, where its weight is found; `won` counts the pairs in the right order, ties half.
    """

    first: Integers
    won: Floats
    pairs: Floats


def own_pairs(acceptable: Flags, scores: Floats, way: Way) -> OwnPairs:
    """Count the pairs within each cluster, and those in the right order."""
    order = np.argsort(way.codes, kind="stable")
    starts = np.searchsorted(way.codes[order], np.arange(way.levels))
    won, pairs = np.zeros(way.levels), np.zeros(way.levels)
    for cluster, rows in enumerate(np.split(order, starts[1:])):
        sides = acceptable[rows]
        better, worse = scores[rows[sides]][:, None], scores[rows[~sides]]
        won[cluster] = np.count_nonzero(better > worse) + np.count_nonzero(better == worse) / 2
        pairs[cluster] = better.size * worse.size
    return OwnPairs(order[starts], won, pairs)


def weighted_area(acceptable: Flags, scores: Floats, weights: Floats, own: OwnPairs | None = None) -> Floats:
    """Return the AUC of every row of weights; with `own` no sentence is compared with the copies of its cluster."""
    return _area_and_ties(acceptable, scores, weights, own)[0]


def _area_and_ties(acceptable: Flags, scores: Floats, weights: Floats, own: OwnPairs | None) -> tuple[Floats, Floats]:
    """Return the AUC of every row of weights, and the sum of the cubes of what shares a score."""
    order = np.argsort(scores, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(scores[order]) > 0]))
    ordered = weights[:, order]
    better = np.where(acceptable[order], ordered, 0.0)
    worse = ordered - better
    if len(starts) < len(order):
        better, worse = (np.add.reduceat(table, starts, axis=1) for table in (better, worse))
    below = np.cumsum(worse, axis=1) - worse / 2
    won, pairs = (better * below).sum(axis=1), better.sum(axis=1) * worse.sum(axis=1)
    if own is not None:
        copies = weights[:, own.first] * (weights[:, own.first] - 1)
        won, pairs = won - copies @ own.won, pairs - copies @ own.pairs
    area = np.full(len(weights), np.nan)
    np.divide(won, pairs, out=area, where=pairs > 0)
    ties: Floats = ((better + worse) ** 3).sum(axis=1)
    return area, ties


def weighted_discrimination(acceptable: Flags, scores: Floats, weights: Floats, own: OwnPairs | None = None) -> Floats:
    """Return AUC, Pearson's r and Spearman's ρ of acceptability and score, one row per row of weights.

    The ranks of a side that is 0 or 1 are themselves two numbers, so that ρ follows from the AUC A: with N sentences,
    a share p of them acceptable, and t of them with the k-th score, ρ = (A − ½) √(p (1 − p)) N / σ, where
    σ² = (N² − Σ t³ / N) / 12 is the variance of the ranks.
    """
    area, ties = _area_and_ties(acceptable, scores, weights, own)
    n = np.maximum(weights.sum(axis=1), 1.0)
    share = weights @ acceptable.astype(np.float64) / n
    spread = np.maximum(n**2 - ties / n, 0.0) / 12
    varies = spread > 1e-12 * n**2
    rho = np.full(len(weights), np.nan)
    product = (area - 0.5) * np.sqrt(share * (1 - share)) * n
    np.divide(product, np.sqrt(np.where(varies, spread, 1.0)), out=rho, where=varies)
    r = weighted_pearson(acceptable.astype(np.float64), scores, weights)
    return np.column_stack([area, r, rho])


# --- bootstrap draws --------------------------------------------------------------------------------------------------


@on_one_thread
def _drawn(way: Way, resampling: Resampling, statistic: Statistic) -> Floats:
    resampling.check()
    if resampling.interval != "percentile":
        raise UserError(f"The AUC has no {resampling.interval} interval.", valid="Intervals of the AUC: percentile.")
    if way.levels < 2:
        return np.full((0, 3), np.nan)
    return np.concatenate([statistic(weights) for weights in row_weights([way], resampling.draws, resampling.seed)])


def _two_sided(drawn: Floats) -> float:
    """Return twice the smaller share of draws on one side of 0, the sample itself counted among them."""
    known = drawn[~np.isnan(drawn)]
    slack = 1e-12
    tails = [1 + int((known <= slack).sum()), 1 + int((known >= -slack).sum())]
    return min(1.0, 2 * min(tails) / (len(known) + 1))


# --- input checks -----------------------------------------------------------------------------------------------------


def _checked(acceptable: Any, scores: Any) -> tuple[Flags, Floats]:
    table = np.atleast_2d(np.asarray(scores, dtype=object))
    rows = [as_numbers(row, "scores") for row in table]
    numbers = np.array(rows, np.float64).reshape(len(rows), -1)
    side = as_numbers(acceptable, "acceptable")
    if np.isnan(numbers).any() or np.isnan(side).any():
        raise UserError(
            "A sentence without a score, or of which nobody says whether it is acceptable, cannot be compared.",
            valid="A number for every sentence.",
            remedy="Leave such sentences out, and count them.",
        )
    if not np.isin(side, (0, 1)).all():
        raise UserError(
            f"{side[~np.isin(side, (0, 1))][0]:g} is no side.", valid="Acceptable is true (1) or false (0)."
        )
    if numbers.shape[1] != len(side):
        raise UserError(
            f"There are {numbers.shape[1]} scores for {len(side)} sentences.", valid="One score a sentence, in order."
        )
    flags = side == 1
    if not flags.any() or flags.all():
        raise UserError(
            f"There is nothing to tell apart: {int(flags.sum())} of {len(flags)} sentences are acceptable.",
            valid="One acceptable sentence or more, and one unacceptable or more.",
        )
    return flags, numbers


def _way(clusters: Any, n: int) -> Way:
    way = Way.of("cluster", clusters)
    if len(way.codes) != n:
        raise UserError(f"There are {len(way.codes)} clusters for {n} sentences.", valid="One label a sentence.")
    return way
