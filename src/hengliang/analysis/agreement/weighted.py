"""How do counts of pairs change when units are drawn again, many times at once?

A resample says how often it holds each unit. Pairs of units are counted with the products of these numbers, all
resamples at once; where there are many units, resample by resample. (Pearson's and Spearman's coefficients of resamples
are in `hengliang.analysis.correlation.weighted`.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from hengliang.analysis.agreement.matrix import Floats, Integers
from hengliang.analysis.resampling import Resampling, bootstrap_weights

ALL_AT_ONCE = 1000
"""Units up to which quadratic forms are used: 1,000 draws of 600 units take 0.15 s, counted one by one 1.1 s."""


def weighted_pairs(weights: Floats, first: Floats, second: Floats) -> Floats:
    """Return Kendall's τ-b and pairwise accuracy with and without ties of each resample, a row a draw.

    Few units are done all at once as quadratic forms of the weights, which is many times faster; the numbers are the
    same as those of `PairCounts`.
    """
    if len(first) > ALL_AT_ONCE:
        counts = [PairCounts.of(first, second, times) for times in weights.astype(np.int64)]
        return np.array([(held.tau, held.accuracy, held.strict_accuracy) for held in counts])
    signs = [np.sign(values[:, None] - values[None, :]) for values in (first, second)]
    apart = [np.abs(sign) for sign in signs]
    forms = (signs[0] * signs[1], apart[0] * apart[1], apart[0], apart[1])
    balance, strict, one, two = (((weights @ form) * weights).sum(axis=1) / 2 for form in forms)
    pairs = (weights.sum(axis=1) ** 2 - (weights**2).sum(axis=1)) / 2
    concordant = (strict + balance) / 2
    columns = (
        (balance, np.sqrt(one * two)),
        (concordant + pairs - one - two + strict, pairs),
        (concordant, strict),
    )
    return np.column_stack([_share(above, below) for above, below in columns])


def _share(above: Floats, below: Floats) -> Floats:
    found: Floats = np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan)
    return found


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How two scores order all pairs of units; pairs of a unit with its own copy are not counted."""

    concordant: float
    discordant: float
    tied_first: float
    """Tied in the first score only."""
    tied_second: float
    """Tied in the second score only."""
    tied_both: float

    @classmethod
    def of(cls, first: Floats, second: Floats, times: Integers | None = None) -> PairCounts:
        """Count the pairs, each unit taken as often as `times` says."""
        copies = 0.0
        if times is not None:
            first, second = np.repeat(first, times), np.repeat(second, times)
            copies = float((times * (times - 1)).sum()) / 2
        n = len(first)
        pairs = n * (n - 1) / 2
        one, two = _tied(first), _tied(second)
        # Not a row of pairs: a level of the first and a level of the second as one number.
        both = _tied(np.unique(first, return_inverse=True)[1] * n + np.unique(second, return_inverse=True)[1])
        strict = pairs - one - two + both
        reach = math.sqrt((pairs - one) * (pairs - two))
        balance = round(float(scipy.stats.kendalltau(first, second).statistic) * reach) if reach > 0 else 0
        return cls((strict + balance) / 2, (strict - balance) / 2, one - both, two - both, both - copies)

    @property
    def pairs(self) -> float:
        """All pairs."""
        return self.concordant + self.discordant + self.tied_first + self.tied_second + self.tied_both

    @property
    def tau(self) -> float:
        """Kendall's τ-b."""
        strict = self.concordant + self.discordant
        reach = math.sqrt((strict + self.tied_first) * (strict + self.tied_second))
        return (self.concordant - self.discordant) / reach if reach > 0 else math.nan

    @property
    def accuracy(self) -> float:
        """The share of pairs that both order alike or both hold equal."""
        return (self.concordant + self.tied_both) / self.pairs if self.pairs else math.nan

    @property
    def strict_accuracy(self) -> float:
        """The share of pairs ordered alike, among those that neither holds equal."""
        strict = self.concordant + self.discordant
        return self.concordant / strict if strict else math.nan


def _tied(values: NDArray[np.generic]) -> float:
    counts = np.unique(values, return_counts=True)[1].astype(np.float64)
    return float((counts * (counts - 1)).sum()) / 2


def resampled(
    statistic: Callable[[Floats], Floats], clusters: Integers, how: Resampling
) -> tuple[Floats, Floats, Floats]:
    """Return a statistic of unit weights with its bounds, from resamples of whole clusters.

    `statistic` takes (draws × units) weights and returns a row a draw and a column a value. One cluster gives no
    bounds; draws without a value are left out. Infinite values count as the largest.
    """
    count = int(clusters.max()) + 1
    value = statistic(np.ones((1, len(clusters))))[0]
    nothing = np.full(len(value), np.nan)
    if count < 2:
        return value, nothing, nothing
    chunk = max(1, min(how.draws, 2_000_000 // max(count, len(clusters))))
    weights = bootstrap_weights(count, how.draws, how.seed, chunk=chunk)
    drawn = np.concatenate([statistic(part[:, clusters]) for part in weights])
    bounds = np.array([_bounds(drawn[:, place], how.level) for place in range(drawn.shape[1])])
    bounds[np.isnan(value)] = np.nan
    return value, bounds[:, 0], bounds[:, 1]


def _bounds(drawn: Floats, level: float) -> tuple[float, float]:
    defined = drawn[~np.isnan(drawn)]
    if not len(defined):
        return math.nan, math.nan
    tails = [(1 - level) / 2, (1 + level) / 2]
    if np.isfinite(defined).all():
        low, high = np.quantile(defined, tails)
    else:
        # A quantile that is one of the draws, because between a number and infinity there is none.
        low, high = np.quantile(defined, tails, method="inverted_cdf")
    return float(low), float(high)
