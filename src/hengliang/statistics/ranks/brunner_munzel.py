"""Brunner–Munzel test: the nonparametric Behrens–Fisher problem.

The estimate is P(X < Y) + ½P(X = Y); unlike the Mann–Whitney test this one does not assume that both samples have the
same spread [1]. Its reference is t with Satterthwaite's degrees of freedom, the normal distribution, or, for small
samples, all ways to share the values out between the samples [2].

[1] Brunner, E., & Munzel, U. (2000). The nonparametric Behrens–Fisher problem. Biometrical Journal 42.
[2] Neubert, K., & Brunner, E. (2007). A studentized permutation test for the non-parametric Behrens–Fisher problem.
    Computational Statistics & Data Analysis 51.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations, islice
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from hengliang.core.errors import UserError
from hengliang.core.signature import Value
from hengliang.core.terms import Bilingual
from hengliang.statistics.conventions import Convention
from hengliang.statistics.ranks.samples import check_settings, take_groups, tell_direction
from hengliang.statistics.results import Effect, TestResult, check_choice, checksum

Floats = NDArray[np.float64]
Reference = Literal["t", "normal", "permutation"]
MOST_WAYS = 200_000
"""Up to how many ways to share out the values all are tried; beyond, `draws` of them at random."""
_LOG_MOST_WAYS = math.log(MOST_WAYS)
_CHUNK, _CELLS = 5_000, 2_000_000

CONVENTIONS: tuple[Convention, ...] = (
    Convention({"reference": "t"}, ("SciPy",)),
    Convention({"reference": "normal"}),
    Convention({"reference": "permutation"}),
)
"""Ways to run the test that are in use, with those who run them by default."""


@dataclass(frozen=True, slots=True)
class _Estimate:
    """P(X < Y) + ½P(X = Y), its standard error and degrees of freedom."""

    probability: float
    error: float
    df: float

    @property
    def statistic(self) -> float:
        return (self.probability - 0.5) / self.error


def brunner_munzel_test(
    x: ArrayLike,
    y: ArrayLike,
    *,
    reference: Reference = "t",
    draws: int = 10_000,
    seed: int = 1,
    names: tuple[str, str] = ("A", "B"),
    alternative: str = "two-sided",
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test whether values of x and y are equally likely to be above each other.

    As in the literature, `statistic` is positive and the estimate above ½ where y is higher. `alternative="greater"`
    nevertheless asks, as everywhere, whether x is higher. `draws` and `seed` are used only by permutation, and there
    only when there are more than 200,000 ways.
    """
    check_choice("reference", reference, ("t", "normal", "permutation"))
    check_settings(alpha, level, alternative)
    groups = take_groups((x, y), names, smallest=2)
    first, second = groups.values
    estimate = _estimate(first, second)
    _check_spread(estimate, reference, groups.names)
    statistic = estimate.statistic if estimate.error else math.copysign(math.inf, estimate.probability - 0.5)
    conventions: dict[str, Value] = {"reference": reference, "ties": "half"}
    if reference == "permutation":
        p, drawn = _permutation_p(groups.pooled, len(first), statistic, alternative, draws, seed)
        conventions |= drawn
    else:
        p = _p(statistic, estimate.df, reference, alternative)
    significant, otherwise = tell_direction(groups.names, 0.5 - estimate.probability, alternative)
    return TestResult(
        test="brunner-munzel",
        title=Bilingual("Brunner–Munzel test", "Brunner–Munzel 检验"),
        symbol="BM",
        statistic=statistic,
        p=p,
        alternative=alternative,
        n=len(groups.pooled),
        n_missing=groups.n_missing,
        significant=significant,
        otherwise=otherwise,
        df=(estimate.df,) if reference == "t" else (),
        effects=_effects(estimate, reference, level),
        conventions=conventions,
        details={"n first": float(len(first)), "n second": float(len(second))},
        alpha=alpha,
        data=checksum(first, second),
    )


def _estimate(first: Floats, second: Floats) -> _Estimate:
    n_x, n_y = len(first), len(second)
    ranks = scipy.stats.rankdata(np.concatenate([first, second]))
    # How many of the other sample lie below each value, ties as half.
    below_first, below_second = ranks[:n_x] - scipy.stats.rankdata(first), ranks[n_x:] - scipy.stats.rankdata(second)
    share_x, share_y = below_first.var(ddof=1) / (n_x * n_y**2), below_second.var(ddof=1) / (n_y * n_x**2)
    variance = float(share_x + share_y)
    df = variance**2 / float(share_x**2 / (n_x - 1) + share_y**2 / (n_y - 1)) if variance else math.nan
    return _Estimate(float(below_second.mean()) / n_x, math.sqrt(variance), df)


def _check_spread(found: _Estimate, reference: str, names: tuple[str, ...]) -> None:
    if found.error:
        return
    if found.probability == 0.5:
        raise UserError("All observations are equal: there is nothing to compare.", valid="At least two values.")
    if reference != "permutation":
        raise UserError(
            f"{names[0]} and {names[1]} do not overlap: the variance of the estimate is 0.",
            remedy="Use reference='permutation', or mann_whitney_test.",
        )


def _p(statistic: float, df: float, reference: str, alternative: str) -> float:
    distribution = scipy.stats.norm() if reference == "normal" else scipy.stats.t(df)
    if alternative == "greater":
        return float(distribution.cdf(statistic))
    if alternative == "less":
        return float(distribution.sf(statistic))
    return min(1.0, 2 * float(distribution.sf(abs(statistic))))


def _effects(found: _Estimate, reference: str, level: float) -> tuple[Effect, ...]:
    value = found.probability
    if not found.error:
        how = "no interval where the samples do not overlap"
        return (
            Effect("probability", "P(X<Y)", value, level=level, method=how),
            Effect("cliff-delta", "δ", 1 - 2 * value, level=level, method=how),
        )
    normal = reference == "normal"
    tail = (1 - level) / 2
    half = found.error * float(scipy.stats.norm.isf(tail) if normal else scipy.stats.t.isf(tail, found.df))
    low, high = max(0.0, value - half), min(1.0, value + half)
    how = f"Brunner–Munzel variance, {'normal' if normal else f't with {found.df:.6g} degrees of freedom'}"
    return (
        Effect("probability", "P(X<Y)", value, low, high, level, f"P(X<Y) + ½P(X=Y); {how}"),
        Effect("cliff-delta", "δ", 1 - 2 * value, 1 - 2 * high, 1 - 2 * low, level, how),
    )


def _permutation_p(
    pooled: Floats, n_x: int, statistic: float, alternative: str, draws: int, seed: int
) -> tuple[float, dict[str, Value]]:
    # The number of ways has millions of digits where there are millions of values; its logarithm is enough.
    if math.lgamma(len(pooled) + 1) - math.lgamma(n_x + 1) - math.lgamma(len(pooled) - n_x + 1) <= _LOG_MOST_WAYS:
        statistics = np.concatenate([_statistics(pooled[order], n_x) for order in _all_orders(len(pooled), n_x)])
        return _share(statistics, statistic, alternative, 0), {"permutations": "all"}
    if draws < 1:
        raise UserError(f"draws = {draws} permutations are too few.", valid="1 or more, for example 10000.")
    random = np.random.default_rng(seed)
    chunk = max(1, min(_CHUNK, _CELLS // len(pooled)))
    sizes = [min(chunk, draws - start) for start in range(0, draws, chunk)]
    drawn = [_statistics(random.permuted(np.tile(pooled, (size, 1)), axis=1), n_x) for size in sizes]
    return _share(np.concatenate(drawn), statistic, alternative, 1), {"permutations": draws, "seed": seed}


def _share(statistics: Floats, observed: float, alternative: str, extra: int) -> float:
    """Return the share of permutations as far out; two-sided is twice the smaller tail [2]."""
    slack = 1e-9 * max(1.0, abs(observed)) if math.isfinite(observed) else 0.0
    n = len(statistics) + extra
    higher = (int((statistics >= observed - slack).sum()) + extra) / n
    lower = (int((statistics <= observed + slack).sum()) + extra) / n
    return {"greater": lower, "less": higher}.get(alternative, min(1.0, 2 * min(lower, higher)))


def _all_orders(total: int, n_x: int) -> Iterator[NDArray[np.int64]]:
    """Give, some thousand at a time, all ways to put `n_x` of the values first."""
    chosen = combinations(range(total), n_x)
    while block := list(islice(chosen, _CHUNK)):
        first = np.fromiter(chain.from_iterable(block), dtype=np.int64).reshape(-1, n_x)
        taken = np.zeros((len(first), total), dtype=bool)
        np.put_along_axis(taken, first, True, axis=1)
        yield np.argsort(~taken, axis=1, kind="stable")


def _statistics(values: Floats, n_x: int) -> Floats:
    """Return the statistic of each row, of which the first `n_x` values are the first sample."""
    n_y = values.shape[1] - n_x
    ranks = scipy.stats.rankdata(values, axis=1)
    below_first = ranks[:, :n_x] - scipy.stats.rankdata(values[:, :n_x], axis=1)
    below_second = ranks[:, n_x:] - scipy.stats.rankdata(values[:, n_x:], axis=1)
    variance = below_first.var(axis=1, ddof=1) / (n_x * n_y**2) + below_second.var(axis=1, ddof=1) / (n_y * n_x**2)
    deviation = below_second.mean(axis=1) / n_x - 0.5
    separated = np.where(deviation == 0, 0.0, np.copysign(np.inf, deviation))
    statistics: Floats = np.where(variance > 0, deviation / np.sqrt(np.where(variance > 0, variance, 1)), separated)
    return statistics
