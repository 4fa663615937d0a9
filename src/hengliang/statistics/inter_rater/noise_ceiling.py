"""Noise ceiling: split-half reliability of mean ratings, and the highest correlation that any score can reach.

Raters do not agree among themselves, which limits how well any score can agree with them. The raters of each item are
split at random into two halves, many times; the correlation of the two means, stepped up to all raters after Spearman
and Brown, is the reliability of their mean, and its square root the highest correlation that even the true scores could
have with that mean [1]. An odd number of raters has unequal halves, for which Horst's formula [3] stands in place of
Spearman and Brown's, which would put the reliability of three raters too low. One rater against the mean of the others,
and against the mean of all with the rater's own vote in it, are the lower and upper bounds of [2].

[1] Spearman, C. (1910). Correlation calculated from faulty data. British Journal of Psychology 3.
[2] Nili, H., Wingfield, C., Walther, A., Su, L., Marslen-Wilson, W., Kriegeskorte, N. (2014). A toolbox for
    representational similarity analysis. PLoS Computational Biology 10.
[3] Horst, P. (1951). Estimating total test reliability from parts of unequal length. Educational and Psychological
    Measurement 11.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual, both
from hengliang.statistics.correlation.coefficients import weighted_pearson
from hengliang.statistics.inter_rater.ratings import AgreementResult, AgreementValue, Floats, Integers
from hengliang.statistics.inter_rater.score_tables import RatingLists, ScoreTable
from hengliang.statistics.resampling import Resampling, bootstrap_weights
from hengliang.statistics.results import checksum

# --- pairs of units in resamples --------------------------------------------------------------------------------------
# A resample says how often it holds each unit. Concordant and tied pairs of units are counted with the products of
# these numbers, for all resamples at once; where there are many units, resample by resample. (Pearson's and Spearman's
# coefficients of resamples are in `hengliang.statistics.correlation.coefficients`.)

ALL_AT_ONCE = 1000
"""Units up to which quadratic forms are used: 1,000 draws of 600 units take 0.15 s, counted one by one 1.1 s."""


def weighted_pairs(weights: Floats, first: Floats, second: Floats) -> Floats:
    """Return Kendall's τ-b and pairwise accuracy with and without ties of each resample, one row per draw.

    Few units are done all at once as quadratic forms of the weights, which is many times faster; the numbers are the
    same as those of `PairCounts`.
    """
    if len(first) > ALL_AT_ONCE:
        counts = [PairCounts.of(first, second, times) for times in weights.astype(np.int64)]
        return np.array([(counted.tau, counted.accuracy, counted.strict_accuracy) for counted in counts])
    signs = [np.sign(values[:, None] - values[None, :]) for values in (first, second)]
    apart = [np.abs(sign) for sign in signs]
    forms = (signs[0] * signs[1], apart[0] * apart[1], apart[0], apart[1])
    balance, strict, untied_first, untied_second = (((weights @ form) * weights).sum(axis=1) / 2 for form in forms)
    pairs = (weights.sum(axis=1) ** 2 - (weights**2).sum(axis=1)) / 2
    concordant = (strict + balance) / 2
    columns = (
        (balance, np.sqrt(untied_first * untied_second)),
        (concordant + pairs - untied_first - untied_second + strict, pairs),
        (concordant, strict),
    )
    return np.column_stack([_share(above, below) for above, below in columns])


def _share(above: Floats, below: Floats) -> Floats:
    share: Floats = np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan)
    return share


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
        tied_first, tied_second = _tied(first), _tied(second)
        # Not a row of pairs: a level of the first and a level of the second as one number.
        both = _tied(np.unique(first, return_inverse=True)[1] * n + np.unique(second, return_inverse=True)[1])
        strict = pairs - tied_first - tied_second + both
        reach = math.sqrt((pairs - tied_first) * (pairs - tied_second))
        balance = round(float(scipy.stats.kendalltau(first, second).statistic) * reach) if reach > 0 else 0
        return cls((strict + balance) / 2, (strict - balance) / 2, tied_first - both, tied_second - both, both - copies)

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

    `statistic` takes (draws × units) weights and returns one row per draw and one column per value. One cluster gives
    no bounds; draws without a value are left out. Infinite values count as the largest.
    """
    count = int(clusters.max()) + 1
    value = statistic(np.ones((1, len(clusters))))[0]
    nothing = np.full(len(value), np.nan)
    if count < 2:
        return value, nothing, nothing
    chunk = max(1, min(how.draws, 2_000_000 // max(count, len(clusters))))
    weights = bootstrap_weights(count, how.draws, how.seed, chunk=chunk)
    drawn = np.concatenate([statistic(part[:, clusters]) for part in weights])
    bounds = np.array([_bounds(drawn[:, column], how.level) for column in range(drawn.shape[1])])
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


# --- split halves and the ceiling -------------------------------------------------------------------------------------


SPLITS = 100

_NAMES = (
    ("split-half correlation", "r", "折半相关"),
    ("reliability of the mean", "rel", "均值信度"),
    ("noise ceiling", "r", "噪声上限"),
    ("one rater with the mean of the others", "r", "一名评分者与其他人均值"),
    ("one rater with the mean of all", "r", "一名评分者与全体均值"),
)
_METHODS = (
    "mean Pearson correlation of the means of two random halves of each item's raters",
    "split-half correlation stepped up to all raters after Spearman and Brown, from unequal halves after Horst",
    "square root of the reliability: the correlation of the true scores with the mean of the raters",
    "mean Pearson correlation of a random rater of each item with the mean of the others (lower bound)",
    "mean Pearson correlation of a random rater of each item with the mean of all, the own vote in it (upper bound)",
)
_NEGATIVE = Bilingual("the halves do not correlate positively.", "两半评分者之间不存在正相关。")


def shuffled_ratings(ratings: RatingLists, splits: int, seed: int) -> Floats:
    """Return the ratings `splits` times, one row per split, those of each unit in a random order."""
    generator = np.random.default_rng(seed)
    unit = np.repeat(np.arange(len(ratings.counts)), ratings.counts)
    rows = [ratings.values[np.lexsort((generator.random(len(unit)), unit))] for _ in range(splits)]
    return np.array(rows)


def means_of_first(shuffled: Floats, ratings: RatingLists, first: Integers) -> tuple[Floats, Floats]:
    """Return the mean of the first ratings of each unit and the mean of the rest, one row per split.

    `first` says for each unit how many are the first; at least one must be left.
    """
    sums = np.concatenate([np.zeros((len(shuffled), 1)), np.cumsum(shuffled, axis=1)], axis=1)
    starts, ends = ratings.starts, ratings.starts + ratings.counts
    middle = starts + first
    return (sums[:, middle] - sums[:, starts]) / first, (sums[:, ends] - sums[:, middle]) / (ratings.counts - first)


def noise_ceiling(
    ratings: ScoreTable, *, splits: int = SPLITS, level: float = 0.95, draws: int = 1000, seed: int = 1
) -> AgreementResult:
    """Return the noise ceiling of a score table with single ratings; intervals resample items."""
    if not ratings.has_raters:
        raise UserError(
            f"'{ratings.name}' has no single ratings.",
            valid="A table with a column for the rater and several ratings of an item.",
        )
    ordered = ratings.frame.unique(["item", "response", "rater"] if ratings.has_responses else None)
    keys = ["item", "response"] if ratings.has_responses else ["item", "system"]
    ordered = ordered.sort(*keys, "rater")
    counts = ordered.group_by(keys, maintain_order=True).len()
    lists = RatingLists(ordered["score"].to_numpy(), counts["len"].to_numpy().astype(np.int64))
    clusters = counts["item"].rank("dense").to_numpy().astype(np.int64) - 1
    return ceiling_of(lists, clusters, ratings.name, splits=splits, how=Resampling(draws, seed, level))


def ceiling_of(ratings: RatingLists, clusters: Integers, name: str, *, splits: int, how: Resampling) -> AgreementResult:
    """Return the noise ceiling of ratings in lists; units with one rating are left out and counted."""
    how.check()
    if splits < 1:
        raise UserError(f"{splits} splits give no ceiling.", valid="splits is a whole number, 1 or more.")
    several = ratings.counts >= 2
    if several.sum() < 3:
        raise UserError(
            f"{int(several.sum())} items of '{name}' have two ratings or more.",
            valid="A noise ceiling needs at least three such items.",
        )
    kept = ratings.only(several)
    codes = np.unique(clusters[several], return_inverse=True)[1]
    values = _values(kept, codes, splits, how)
    fewest, most = int(kept.counts.min()), int(kept.counts.max())
    span = f"{fewest}" if fewest == most else f"{fewest}–{most}"
    return AgreementResult(
        measure="noise ceiling",
        title=both(name),
        subject=Bilingual(
            f"No score can be expected to correlate better with the mean of the {span} raters of an item",
            f"任何分数与每项 {span} 名评分者均值的相关预期都不会更高",
        ),
        values=(values[2], values[1], values[0], values[3], values[4]),
        n=len(kept.counts),
        raters=most,
        n_missing=int((~several).sum()),
        shown=2,
        conventions={
            "splits": splits,
            "split": "within items",
            "stepped up": "Horst (Spearman–Brown for equal halves)",
            "correlation": "Pearson",
            "draws": how.draws,
            "seed": how.seed,
            "level": how.level,
            "resampled": "items",
        },
        data=checksum(kept.values, kept.counts),
    )


def _values(held: RatingLists, codes: Integers, splits: int, how: Resampling) -> tuple[AgreementValue, ...]:
    statistic = _Ceiling(held, splits, how.seed)
    value, low, high = resampled(statistic, codes, how)
    described = (
        f"{splits} random splits within items, {how.draws} resamples of {codes.max() + 1} items, seed {how.seed}"
    )
    return tuple(
        AgreementValue(
            statistic=name,
            symbol=symbol,
            value=float(value[index]),
            n=len(held.counts),
            low=float(low[index]),
            high=float(high[index]),
            level=how.level,
            method=f"{_METHODS[index]}; {described}",
            reason=_NEGATIVE if np.isnan(value[index]) else None,
            title=Bilingual(name, chinese),
        )
        for index, (name, symbol, chinese) in enumerate(_NAMES)
    )


class _Ceiling:
    """The five numbers as a function of how often each unit was drawn."""

    def __init__(self, ratings: RatingLists, splits: int, seed: int) -> None:
        shuffled = shuffled_ratings(ratings, splits, seed)
        self.halves = means_of_first(shuffled, ratings, ratings.counts // 2)
        self.share = smaller_half(ratings.counts)
        self.one, self.others = means_of_first(shuffled, ratings, np.ones_like(ratings.counts))
        self.all = np.broadcast_to(ratings.means(), self.one.shape)

    def __call__(self, weights: Floats) -> Floats:
        half = nan_mean(weighted_pearson(*self.halves, weights))
        reliability = stepped_up(half, self.share)
        root = np.sqrt(np.where(reliability > 0, reliability, np.nan))
        single = nan_mean(weighted_pearson(self.one, self.others, weights))
        own = nan_mean(weighted_pearson(self.one, self.all, weights))
        return np.column_stack([half, reliability, root, single, own])


def smaller_half(counts: Integers) -> float:
    """Return which share of an item's raters is in the smaller half, on average over items."""
    return float((counts // 2 / counts).mean())


def stepped_up(correlation: Floats, share: float = 0.5) -> Floats:
    """Return the reliability of two halves together, of which the one holds this share of the raters [3].

    For one half this is Spearman and Brown's 2r / (1 + r); written so that it holds at r = 1, too.
    """
    product = share * (1 - share)
    left = np.where(correlation > -1, 1 - correlation**2, np.nan)
    stepped: Floats = 2 * correlation / (np.sqrt(correlation**2 + 4 * product * left) + correlation)
    return stepped


def nan_mean(values: Floats) -> Floats:
    """Return the mean of each row over what is defined, NaN where nothing is."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=1)
    total = np.where(defined, values, 0.0).sum(axis=1)
    mean: Floats = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return mean
