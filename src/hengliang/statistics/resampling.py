"""Bootstrap and jackknife intervals for clustered data, by one way of clustering or by crossed items and raters.

Sentences of one article resemble each other, so a thousand of them say less than a thousand sentences from a thousand
articles. The clustered bootstrap draws whole clusters with replacement [1, 2]. Statistics of the items are summed
within clusters first; a resample then only sums the clusters again, each as often as it was drawn, and a statistic is a
function of such sums. Where raters and items are crossed both are drawn, and where there are few of them the jackknife
takes the place of the bootstrap.

[1] Davison, A., Hinkley, D. (1997). Bootstrap methods and their application. Chapter 3.8.
[2] Cameron, A. C., Gelbach, J., Miller, D. (2008). Bootstrap-based improvements for inference with clustered errors.
    Review of Economics and Statistics 90.
[3] Efron, B., Tibshirani, R. (1993). An introduction to the bootstrap. Chapter 14.3 (BCa).
[4] Owen, A. B. (2007). The pigeonhole bootstrap. Annals of Applied Statistics 1.
[5] Owen, A. B., Eckles, D. (2012). Bootstrapping data arrays of arbitrary order. Annals of Applied Statistics 6.
[6] McCullagh, P. (2000). Resampling and exchangeable arrays. Bernoulli 6.
[7] Cameron, A. C., Gelbach, J., Miller, D. (2011). Robust inference with multiway clustering. Journal of Business &
    Economic Statistics 29.
[8] Banerjee, S. K. (1961). On confidence interval for two-means problem based on separate estimates of variances and
    tabulated values of t-table. Sankhyā A 23.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, Self, get_args

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from hengliang.core.errors import UserError
from hengliang.core.linear_algebra import on_one_thread

# --- the clustered bootstrap ------------------------------------------------------------------------------------------


IntervalKind = Literal["percentile", "bca"]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Statistic = Callable[[Floats], Floats]
"""From sums (one row a resample, one column a sum) to values (one row a resample, one column a value)."""

FEW_CLUSTERS = 20
"""Below this a percentile interval covers visibly less than it says (docs/resampling.md has the numbers)."""

_CELLS = 2_000_000
"""Numbers held at once in each array of a chunk of draws: 16 MB."""


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are made: everything that can change one, besides the data."""

    draws: int = 2000
    seed: int = 1
    level: float = 0.95
    interval: IntervalKind = "percentile"

    def check(self) -> None:
        """Refuse what cannot be computed."""
        if self.draws < 1:
            raise UserError(f"{self.draws} draws cannot give an interval.", valid="draws is a whole number, 1 or more.")
        if not 0 < self.level < 1:
            raise UserError(f"The level {self.level} is no probability.", valid="0 < level < 1, for example 0.95.")
        if self.interval not in get_args(IntervalKind):
            raise UserError(f"No interval is called '{self.interval}'.", valid="Intervals: percentile, bca.")


@dataclass(frozen=True, slots=True)
class Intervals:
    """Values with their intervals; bounds are NaN where there is no interval that could hold the value."""

    value: Floats
    low: Floats
    high: Floats
    clusters: int
    undefined: int
    """The draws in which some value was not defined; they are left out of its interval."""


def cluster_codes(clusters: pl.Series) -> tuple[Integers, int]:
    """Number the clusters from 0 in the order of their names, and return each row's number and how many there are."""
    codes = clusters.rank("dense").cast(pl.Int64).to_numpy() - 1
    return codes, int(codes.max()) + 1 if len(codes) else 0


def cluster_counts(
    cluster: Integers, column: Integers, weight: Floats | None = None, *, shape: tuple[int, int]
) -> scipy.sparse.csr_array:
    """Sum the weights (1 if there are none) by cluster and column into a sparse table, one row per cluster."""
    import scipy

    weights = np.ones(len(cluster)) if weight is None else weight
    return scipy.sparse.coo_array((weights, (cluster, column)), shape=shape).tocsr()


def bootstrap_weights(n_clusters: int, draws: int, seed: int, *, chunk: int | None = None) -> Iterator[Floats]:
    """Give in chunks the (draws × clusters) table of how often each resample holds each cluster.

    Each row is multinomial: `n_clusters` draws with replacement. The chunks together are the same whatever their size.
    """
    generator = np.random.default_rng(seed)
    size = chunk or max(1, _CELLS // max(n_clusters, 1))
    for start in range(0, draws, size):
        rows = min(size, draws - start)
        drawn = generator.integers(0, n_clusters, (rows, n_clusters))
        drawn += np.arange(rows)[:, None] * n_clusters
        counts = np.bincount(drawn.ravel(), minlength=rows * n_clusters)
        yield counts.reshape(rows, n_clusters).astype(np.float64)


@on_one_thread
def bootstrap(sums: scipy.sparse.csr_array, statistic: Statistic, resampling: Resampling) -> Intervals:
    """Return the values of a statistic with intervals from resampled clusters; one cluster gives no interval.

    A statistic that is biased under resampling (a mean over classes, of which each resample lacks some) can have all
    its draws beside the value. An interval that would not hold its own value is withheld.

    `sums` has one row per cluster. Memory stays within some tens of megabytes, however many draws there are.
    """
    resampling.check()
    n_clusters, n_columns = sums.shape
    total = np.asarray(sums.sum(axis=0)).reshape(1, -1)
    value = statistic(total)[0]
    nothing = np.full(len(value), np.nan)
    if n_clusters < 2:
        return Intervals(value, nothing, nothing, n_clusters, 0)
    chunk = max(1, _CELLS // max(n_clusters, n_columns))
    weights = bootstrap_weights(n_clusters, resampling.draws, resampling.seed, chunk=chunk)
    drawn = np.concatenate([statistic(weight @ sums) for weight in weights])
    tail = (1 - resampling.level) / 2
    tails = np.repeat([[tail], [1 - tail]], len(value), axis=1)
    if resampling.interval == "bca":
        tails = _bca_tails(value, drawn, _left_one_out(sums, total, statistic), tail)
    bounds = np.column_stack([_quantiles(drawn[:, k], tails[:, k]) for k in range(len(value))])
    # The slack is for sums that were added in another order, not for statistics.
    slack = 1e-9 * np.maximum(1e-3, np.abs(value))
    bounds[:, (value < bounds[0] - slack) | (value > bounds[1] + slack)] = np.nan
    undefined = int(np.isnan(drawn).any(axis=1).sum())
    return Intervals(value, bounds[0], bounds[1], n_clusters, undefined)


def _quantiles(drawn: Floats, probabilities: Floats) -> Floats:
    defined = drawn[~np.isnan(drawn)]
    if not len(defined) or np.isnan(probabilities).any():
        return np.full(2, np.nan)
    bounds: Floats = np.quantile(defined, probabilities)
    return bounds


def _left_one_out(sums: scipy.sparse.csr_array, total: Floats, statistic: Statistic) -> Floats:
    """Return the values without each cluster in turn."""
    n_clusters, n_columns = sums.shape
    chunk = max(1, _CELLS // n_columns)
    parts = [
        statistic(total - sums[start : min(start + chunk, n_clusters)].toarray())
        for start in range(0, n_clusters, chunk)
    ]
    return np.concatenate(parts)


def _bca_tails(value: Floats, drawn: Floats, left_out: Floats, tail: float) -> Floats:
    """Return the two tail probabilities of each value, corrected for bias and skewness.

    Where all draws lie on one side of the value the correction does not exist and the result is NaN.
    """
    import scipy

    defined = (~np.isnan(drawn)).sum(axis=0)
    below = ((drawn < value).sum(axis=0) + (drawn <= value).sum(axis=0)) / (2 * np.maximum(defined, 1))
    infinite = (below <= 0) | (below >= 1)
    bias = scipy.special.ndtri(np.where(infinite, np.nan, below))
    influence = np.nanmean(left_out, axis=0) - left_out
    spread = np.nansum(influence**2, axis=0) ** 1.5
    skew = np.nansum(influence**3, axis=0)
    acceleration = np.divide(skew, 6 * spread, out=np.zeros_like(skew), where=spread > 0)
    tails = []
    for side in (scipy.special.ndtri(tail), -scipy.special.ndtri(tail)):
        shifted = bias + side
        tails.append(scipy.special.ndtr(bias + shifted / (1 - acceleration * shifted)))
    return np.vstack(tails)


def describe_interval(resampling: Resampling, intervals: Intervals, cluster: str) -> str:
    """Say in a line how an interval was made, with the number of clusters, which decides what it is worth."""
    if intervals.clusters < 2:
        return f"no interval: {intervals.clusters} cluster ({cluster}) cannot be resampled"
    kind = {"percentile": "percentile", "bca": "BCa"}[resampling.interval]
    parts = [
        f"{resampling.level:.6g} {kind} bootstrap interval",
        f"{intervals.clusters} clusters ({cluster}) drawn with replacement",
        f"{resampling.draws} draws",
        f"seed {resampling.seed}",
    ]
    if intervals.clusters < FEW_CLUSTERS:
        parts.append("so few clusters make the interval too narrow")
    if intervals.undefined:
        parts.append(f"{intervals.undefined} draws without a value left out")
    return ", ".join(parts)


# --- crossed items and raters: pigeonhole bootstrap, jackknife, two-way variance --------------------------------------
# A rating belongs to an item and to a rater, and neither contains the other. The pigeonhole bootstrap draws items and
# raters separately, each with replacement, and a rating counts as often as its item was drawn times as often as its
# rater was [4, 5]. With many items and raters its variance is right for the parts due to items and to raters and three
# times too large for what is peculiar to a single rating [4]: no resampling is exact here [6], this one errs on the
# safe side. The two-way variance [7] has no such excess; it, too, relies on large numbers of both.
#
# With few raters no bootstrap can be right: two raters drawn anew give three different samples, and the interval is the
# range of their two means, which misses the truth every other time whatever its level. There the values without each
# level in turn (the jackknife) give the variance, and t with one degree of freedom less than there are levels gives the
# width (`jackknife_intervals`). Where items and raters are crossed, the squares of the two half-widths are added, which
# covers at least what it says [8].


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """One way in which observations are clustered: by item, by rater. `codes` number the levels from 0."""

    name: str
    codes: Integers
    levels: int

    @classmethod
    def of(cls, name: str, labels: Any) -> Self:
        """Number the labels (names or numbers, one per observation); a missing label is refused."""
        column = pl.Series(name, list(labels))
        if column.dtype == pl.Object:
            raise UserError(f"The labels of '{name}' are of mixed types.", valid="All names, or all whole numbers.")
        missing = column.is_null() | (column.is_nan() if column.dtype.is_float() else False)
        if missing.any():
            row = int(missing.arg_max() or 0) + 1
            raise UserError(
                f"Observation {row} has no {name}.", valid=f"Every observation has its {name}.", remedy="Fill it in."
            )
        codes, levels = cluster_codes(column)
        return cls(name, codes, levels)

    def keep(self, rows: Any) -> Self:
        """Return the way of some of the observations, its levels numbered anew."""
        _, codes = np.unique(self.codes[rows], return_inverse=True)
        return type(self)(self.name, codes.astype(np.int64), int(codes.max()) + 1 if len(codes) else 0)


def ways_of(clusterings: Mapping[str, Any], n: int) -> tuple[Way, ...]:
    """Return the ways of clustering that are given (those that are None are not), each with `n` labels."""
    ways = tuple(Way.of(name, labels) for name, labels in clusterings.items() if labels is not None)
    for way in ways:
        if len(way.codes) != n:
            raise UserError(
                f"There are {len(way.codes)} labels of '{way.name}' for {n} observations.",
                valid="One label an observation.",
            )
    return ways


def widest_ways(ways: Sequence[Way]) -> tuple[Way, ...]:
    """Leave out every way that lies within another: whoever draws whole raters draws their items with them.

    With one rater for each item the items lie within the raters, and what remains is the bootstrap by rater. Where two
    ways divide the observations alike, the first remains.
    """
    kept = list(ways)
    for first, second in combinations(ways, 2):
        pairs = len(np.unique(first.codes * second.levels + second.codes))
        if pairs == second.levels and second in kept:
            kept.remove(second)
        elif pairs == first.levels and first in kept:
            kept.remove(first)
    return tuple(kept)


def way_weights(ways: Sequence[Way], draws: int, seed: int, *, chunk: int) -> Iterator[tuple[Floats, ...]]:
    """Give in chunks how often each draw holds each level of each way: one (draws × levels) table a way.

    The first way is drawn as `bootstrap_weights` draws it with this seed, so that one way alone is the plain bootstrap.
    """
    seeds = [seed, *(int(np.random.SeedSequence([seed, k]).generate_state(1)[0]) for k in range(1, len(ways)))]
    drawn = [bootstrap_weights(way.levels, draws, own, chunk=chunk) for way, own in zip(ways, seeds, strict=True)]
    yield from zip(*drawn, strict=True)


def row_weights(ways: Sequence[Way], draws: int, seed: int) -> Iterator[Floats]:
    """Give in chunks the (draws × observations) table of how often each draw holds each observation."""
    rows = len(ways[0].codes)
    for tables in way_weights(ways, draws, seed, chunk=max(1, _CELLS // max(rows, 1))):
        product = tables[0][:, ways[0].codes]
        for way, table in zip(ways[1:], tables[1:], strict=True):
            product *= table[:, way.codes]
        yield product


@on_one_thread
def crossed_draws(values: Floats, statistic: Statistic, ways: Sequence[Way], resampling: Resampling) -> Floats:
    """Return the statistic in every draw: one row per draw, one column per value.

    `values` has one row per observation and one column per sum; the statistic is a function of the weighted sums.
    """
    weights = row_weights(ways, resampling.draws, resampling.seed)
    return np.concatenate([statistic(weight @ values) for weight in weights])


def crossed_bootstrap(values: Floats, statistic: Statistic, ways: Sequence[Way], resampling: Resampling) -> Intervals:
    """Return the values of a statistic with intervals from items and raters drawn apart.

    Ways that lie within another are left out first (`widest_ways`). A way with one level gives no interval: one rater
    says nothing about raters. `clusters` of the result is the smallest number of levels.
    """
    _check(resampling)
    value = statistic(values.sum(axis=0, keepdims=True))[0]
    used = widest_ways(ways)
    if min(way.levels for way in used) < 2:
        nothing = np.full(len(value), np.nan)
        return Intervals(value, nothing, nothing, 1, 0)
    drawn = crossed_draws(values, statistic, used, resampling)
    return percentile_intervals(value, drawn, resampling.level, min(way.levels for way in used))


def _check(resampling: Resampling) -> None:
    resampling.check()
    if resampling.interval != "percentile":
        raise UserError(
            f"The crossed bootstrap has no {resampling.interval} interval.",
            valid="Intervals of the crossed bootstrap: percentile.",
        )


def percentile_intervals(value: Floats, drawn: Floats, level: float, clusters: int) -> Intervals:
    """Return the quantiles of the draws of each value; an interval that would not hold its value is withheld."""
    tail = (1 - level) / 2
    bounds = np.full((2, len(value)), np.nan)
    for index in range(len(value)):
        defined = drawn[~np.isnan(drawn[:, index]), index]
        if len(defined):
            bounds[:, index] = np.quantile(defined, [tail, 1 - tail])
    # The slack is for sums that were added in another order, not for statistics.
    slack = 1e-9 * np.maximum(1e-3, np.abs(value))
    bounds[:, ~((value >= bounds[0] - slack) & (value <= bounds[1] + slack))] = np.nan
    return Intervals(value, bounds[0], bounds[1], clusters, int(np.isnan(drawn).any(axis=1).sum()))


def has_few_levels(ways: Sequence[Way]) -> bool:
    """Return whether some way that would be drawn has so few levels that a percentile interval is too narrow."""
    return min(way.levels for way in widest_ways(ways)) < FEW_CLUSTERS


def sums_left_out(values: Floats, codes: Integers, levels: int, more: tuple[Floats, Integers] | None = None) -> Floats:
    """Return the sums of the columns without each level in turn: one row per level.

    `more` are rows that go with another level too, and the codes of that.
    """
    sums = values.sum(axis=0)
    parts = [(values, codes)] if more is None else [(values, codes), more]
    by_level = sum(
        np.column_stack([np.bincount(own, column, minlength=levels) for column in columns.T]) for columns, own in parts
    )
    rest: Floats = sums - by_level
    # Where nothing is left the sum is 0, and not what rounding leaves of it.
    rest[np.abs(rest) <= 1e-12 * np.abs(values).sum(axis=0)] = 0.0
    return rest


def jackknife_intervals(value: Floats, left_out: Sequence[Floats], ways: Sequence[Way], level: float) -> Intervals:
    """Return intervals for few levels, from the values without each level of each way (one row per level).

    A way's half-width is t with one degree of freedom less than it has levels, times the jackknife's standard error.
    The squares of the half-widths of crossed ways are added [8]: what is peculiar to a single rating counts twice. Of
    ways that lie within each other the widest stands: raters contain what their items add, and their variance, with few
    degrees of freedom, may fall below that of the items by chance. Where a value does not exist without some level, or
    nothing varies, there is no interval.
    """
    squares = []
    for way, values in zip(ways, left_out, strict=True):
        t = float(scipy.special.stdtrit(way.levels - 1, (1 + level) / 2)) if way.levels > 1 else np.nan
        squares.append(t**2 * (way.levels - 1) / way.levels * np.square(values - value).sum(axis=0))
    nested = len(widest_ways(ways)) < len(ways)
    half = np.sqrt(np.max(squares, axis=0) if nested else np.sum(squares, axis=0))
    half[half <= 1e-9 * np.maximum(1e-3, np.abs(value))] = np.nan
    fewest = min(way.levels for way in widest_ways(ways))
    return Intervals(value, value - half, value + half, fewest, int(np.isnan(half).sum()))


def crossed_intervals(
    values: Floats, statistic: Statistic, ways: Sequence[Way], resampling: Resampling
) -> tuple[Intervals, str]:
    """Return intervals and how they were made: by `crossed_bootstrap`, or by the jackknife where levels are few."""
    if not has_few_levels(ways):
        intervals = crossed_bootstrap(values, statistic, ways, resampling)
        return intervals, describe_crossed(resampling, intervals, ways)
    _check(resampling)
    value = statistic(values.sum(axis=0, keepdims=True))[0]
    with np.errstate(divide="ignore", invalid="ignore"):  # nothing is left without the only level
        left_out = [statistic(sums_left_out(values, way.codes, way.levels)) for way in ways]
    intervals = jackknife_intervals(value, left_out, ways, resampling.level)
    return intervals, describe_jackknife(resampling.level, intervals, ways)


def describe_jackknife(level: float, intervals: Intervals, ways: Sequence[Way]) -> str:
    """Say in a line how an interval for few levels was made."""
    used = widest_ways(ways)
    lone = [way.name for way in used if way.levels < 2]
    if lone:
        return f"no interval: 1 {lone[0]} says nothing about others"
    counts = " and ".join(f"{way.levels} levels of {way.name}" for way in used)
    freedom = " and ".join(str(way.levels - 1) for way in used)
    parts = [f"{level:.6g} t interval", f"jackknife variance by {counts}", f"degrees of freedom {freedom}"]
    if len(used) > 1:
        parts.append("squares of the half-widths added (too wide where single ratings vary most)")
    parts += [
        f"{way.name} lies within {used[0].name}, and the interval is no narrower than with {way.levels} levels of "
        f"{way.name} for units"
        for way in ways
        if way not in used
    ]
    if intervals.undefined:
        parts.append("none where nothing varies or one level decides whether there is a value")
    return ", ".join(parts)


def two_way_variance(influence: Floats, ways: Sequence[Way]) -> float:
    """Return the variance of an estimate from what each observation adds to it, clustered by one way or two [7].

    The variance by item plus that by rater minus that by cell. Where this falls below the larger of the first two, that
    one stands.
    """
    single = [_clustered(influence, way.codes) for way in ways]
    if len(ways) == 1:
        return single[0]
    if len(ways) > 2:
        raise UserError(f"There are {len(ways)} ways of clustering.", valid="One way or two.")
    cells = ways[0].codes * ways[1].levels + ways[1].codes
    _, codes = np.unique(cells, return_inverse=True)
    return max(sum(single) - _clustered(influence, codes), *single)


def _clustered(influence: Floats, codes: Integers) -> float:
    return float(np.square(np.bincount(codes, weights=influence)).sum())


def describe_crossed(resampling: Resampling, intervals: Intervals, ways: Sequence[Way]) -> str:
    """Say in a line how an interval was made, with the number of levels of each way and what that makes of it."""
    used = widest_ways(ways)
    lone = [way.name for way in used if way.levels < 2]
    if lone:
        return f"no interval: 1 {lone[0]} cannot be resampled"
    counts = " and ".join(f"{way.levels} levels of {way.name}" for way in used)
    parts = [f"{resampling.level:.6g} percentile bootstrap interval", f"{counts} drawn with replacement"]
    if len(used) > 1:
        parts.append("products of their weights (pigeonhole bootstrap, too wide where single ratings vary most)")
    within = [way.name for way in ways if way not in used]
    if within:
        parts.append(f"{' and '.join(within)} not drawn, for it lies within {used[0].name}")
    parts += [f"{resampling.draws} draws", f"seed {resampling.seed}"]
    few = [way.name for way in used if way.levels < FEW_CLUSTERS]
    if few:
        parts.append(f"so few levels of {' and '.join(few)} make it too narrow for that part")
    if intervals.undefined:
        parts.append(f"{intervals.undefined} draws without a value left out")
    return ", ".join(parts)
