"""How do correlations change when units are drawn again, many times at once?

A resample says how often it holds each unit. A correlation of the resample is the correlation of the sample with those
numbers as weights, and so thousands of resamples are a few products of matrices. Kendall's τ counts pairs and is
computed resample by resample where there are many units.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.stats import kendalltau

from hengliang.analysis.agreement.matrix import Floats, Integers
from hengliang.analysis.resampling import Resampling, bootstrap_weights

ALL_AT_ONCE = 1000
"""Units up to which quadratic forms are used: 1,000 draws of 600 units take 0.15 s, counted one by one 1.1 s."""
FLAT = 1e-12
"""A variance below this share of the mean square is rounding, and the values are constant."""


def weighted_pearson(weights: Floats, first: Floats, second: Floats) -> Floats:
    """Return Pearson's r of each resample: (draws × units) weights with one or several pairs of rows of values.

    `first` and `second` are vectors, or have one row a pair: the result then has a row a draw and a column a pair.
    """
    one, two = (values - values.mean(axis=-1, keepdims=True) for values in (first, second))
    total = weights.sum(axis=1)
    if one.ndim > 1 or two.ndim > 1:
        total = total[:, None]
    mean_one, mean_two = (weights @ values.T / total for values in (one, two))
    covariance = weights @ (one * two).T / total - mean_one * mean_two
    spread = [weights @ (v * v).T / total - m * m for v, m in ((one, mean_one), (two, mean_two))]
    return _quotient(covariance, spread, [float(np.square(v).mean()) for v in (one, two)])


def _quotient(covariance: Floats, spread: list[Floats], scale: list[float]) -> Floats:
    defined = (spread[0] > FLAT * scale[0]) & (spread[1] > FLAT * scale[1])
    product = np.where(defined, spread[0] * spread[1], 1.0)
    found: Floats = np.where(defined, np.clip(covariance / np.sqrt(product), -1.0, 1.0), np.nan)
    return found


def weighted_ranks(weights: Floats, values: Floats) -> Floats:
    """Return the mean ranks of the values within each resample, a row a draw."""
    levels, places = np.unique(values, return_inverse=True)
    member = csr_array((np.ones(len(values)), (np.arange(len(values)), places)), shape=(len(values), len(levels)))
    held = weights @ member
    ranks: Floats = (np.cumsum(held, axis=1) - (held - 1) / 2)[:, places]
    return ranks


def weighted_spearman(weights: Floats, first: Floats, second: Floats) -> Floats:
    """Return Spearman's ρ of each resample, with the ranks that the values have in it."""
    ranks = [weighted_ranks(weights, values) for values in (first, second)]
    total = weights.sum(axis=1)
    centred = [held - ((weights * held).sum(axis=1) / total)[:, None] for held in ranks]
    covariance = (weights * centred[0] * centred[1]).sum(axis=1)
    spread = [(weights * held * held).sum(axis=1) for held in centred]
    return _quotient(covariance, spread, [1.0, 1.0])


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
        balance = round(float(kendalltau(first, second).statistic) * reach) if reach > 0 else 0
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
