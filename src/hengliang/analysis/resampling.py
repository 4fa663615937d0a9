"""How sure is a number when the items come in clusters?

Sentences of one article resemble each other, so a thousand of them say less than a thousand sentences from a thousand
articles. The clustered bootstrap draws whole clusters with replacement [1, 2]. Statistics of the items are summed
within clusters first; a resample then only sums the clusters again, each as often as it was drawn, and a statistic is
a function of such sums.

[1] Davison, A., Hinkley, D. (1997). Bootstrap methods and their application. Chapter 3.8.
[2] Cameron, A. C., Gelbach, J., Miller, D. (2008). Bootstrap-based improvements for inference with clustered errors.
    Review of Economics and Statistics 90.
[3] Efron, B., Tibshirani, R. (1993). An introduction to the bootstrap. Chapter 14.3 (BCa).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hengliang.core.errors import UserError
from hengliang.core.linear_algebra import on_one_thread

if TYPE_CHECKING:
    import scipy

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
    """Sum the weights (1 if there are none) by cluster and column into a sparse table, one row a cluster."""
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

    `sums` has one row a cluster. Memory stays within some tens of megabytes, however many draws there are.
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
