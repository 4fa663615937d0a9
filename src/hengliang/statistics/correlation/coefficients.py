"""Correlation coefficients: Pearson's r, Spearman's ρ, Kendall's τ-b and Stuart's τ-c, with tests and intervals.

Pearson's r measures how close observations lie to a straight line, Spearman's ρ how far they stand in the same order,
Kendall's τ how much more likely two observations stand in the same order than in opposite ones. Intervals come from
Fisher's z with the standard error that fits the coefficient [1, 2], or from a bootstrap that draws whole items, raters,
or both. Before the tests themselves stand what they need: the exact null distributions, the choice of complete
observations, and the coefficients of weighted observations.

[1] Bonett, D. G., Wright, T. A. (2000). Sample size requirements for estimating Pearson, Kendall and Spearman
    correlations. Psychometrika 65.
[2] Fieller, E. C., Hartley, H. O., Pearson, E. S. (1957). Tests for rank correlation coefficients. I. Biometrika 44.
[3] Kendall, M. G. (1970). Rank correlation methods. Fourth edition, chapters 3 to 5.
[4] Stuart, A. (1953). The estimation and comparison of strengths of association in contingency tables. Biometrika 40.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Any, Literal, get_args

import numpy as np
import scipy
from numpy.typing import ArrayLike

from hengliang.core.errors import UserError
from hengliang.core.linear_algebra import on_one_thread
from hengliang.core.signature import Value
from hengliang.core.terms import Bilingual
from hengliang.statistics.conventions import Convention
from hengliang.statistics.resampling import (
    Floats,
    Integers,
    Intervals,
    Resampling,
    Way,
    describe_crossed,
    percentile_intervals,
    row_weights,
    ways_of,
    widest_ways,
)
from hengliang.statistics.results import (
    Effect,
    TestResult,
    check_alpha,
    check_choice,
    check_magnitude,
    check_sidedness,
    checksum,
    is_missing,
    unmasked,
)

# --- exact null distributions -----------------------------------------------------------------------------------------
# The functions of this section count how often each value of a rank correlation occurs when all orders of one side are
# equally likely.

MOST_FOR_SPEARMAN = 12
"""Up to so many observations the distribution of Spearman's ρ is counted out."""

MOST_FOR_KENDALL_TIES = 8
"""Up to so many observations with ties the orders are gone through one by one for Kendall's τ."""


def product_counts(first: Integers, second: Integers) -> tuple[Integers, Floats]:
    """Return each value that Σ first · permuted second can take, and in how many of the n! orders it does.

    Values are placed one by one, and only which of `second` are used up matters for the rest: 2ⁿ states, not n! orders.
    Both hold whole numbers from 0 on.
    """
    largest = int(np.sort(first) @ np.sort(second))
    layer = {0: np.eye(1, largest + 1)[0]}
    for factor in first.tolist():
        following: dict[int, Floats] = {}
        for used, counts in layer.items():
            for free, other in enumerate(second.tolist()):
                if not used >> free & 1:
                    step = factor * other
                    reached = following.setdefault(used | 1 << free, np.zeros(largest + 1))
                    reached[step:] += counts[: largest + 1 - step]
        layer = following
    (counts,) = layer.values()
    values = np.flatnonzero(counts)
    return values, counts[values]


@cache
def inversion_counts(n: int) -> tuple[int, ...]:
    """Return how many orders of n different things have 0, 1, 2, … pairs the wrong way round."""
    counts = [1]
    for size in range(2, n + 1):
        running, longer = 0, []
        for inversions in range(len(counts) + size - 1):
            running += counts[inversions] if inversions < len(counts) else 0
            running -= counts[inversions - size] if inversions >= size else 0
            longer.append(running)
        counts = longer
    return tuple(counts)


def concordance_counts(x: Floats, y: Floats) -> tuple[Integers, Floats]:
    """Return each value of concordant minus discordant pairs and how many orders of `y` give it, ties included."""
    first, second = np.triu_indices(len(x), 1)
    signs = np.sign(x[first] - x[second])
    orders = y[np.array(list(permutations(range(len(y)))))]
    scores = (signs * np.sign(orders[:, first] - orders[:, second])).sum(axis=1).astype(np.int64)
    values, counts = np.unique(scores, return_counts=True)
    return values, counts.astype(np.float64)


def tail_probability(values: Floats, counts: Floats, observed: float, centre: float, alternative: str) -> float:
    """Return p: the share of orders as far up, as far down, or as far from the centre on either side."""
    slack = 1e-9 * max(1.0, abs(observed), abs(centre))
    if alternative == "greater":
        extreme = values >= observed - slack
    elif alternative == "less":
        extreme = values <= observed + slack
    else:
        extreme = np.abs(values - centre) >= abs(observed - centre) - slack
    return float(counts[extreme].sum() / counts.sum())


# --- complete observations --------------------------------------------------------------------------------------------
# `complete` selects the observations that have a value on every side, and refuses those of which no correlation can be
# computed.

Column = ArrayLike | Sequence[float | None]
"""Numbers, one an observation; None and NaN are missing."""

FEWEST = 4
"""Below this neither Fisher's z nor Williams' t has a standard error."""


@dataclass(frozen=True, slots=True, eq=False)
class Complete:
    """The observations without a missing value, how they are clustered, and how many were left out."""

    columns: tuple[Floats, ...]
    ways: tuple[Way, ...]
    n_missing: int

    @property
    def n(self) -> int:
        """How many complete observations there are."""
        return len(self.columns[0])


def complete(columns: Sequence[Column], names: Sequence[str], clusterings: Mapping[str, Any] | None = None) -> Complete:
    """Take the observations that have every value; too few of them or a column without variation are refused."""
    numbers = [as_numbers(column, name) for column, name in zip(columns, names, strict=True)]
    for column, name in zip(numbers, names, strict=True):
        if len(column) != len(numbers[0]):
            raise UserError(
                f"'{names[0]}' has {len(numbers[0])} values, '{name}' has {len(column)}.",
                valid="As many values on every side, in the same order; a missing one is None or NaN.",
            )
    present = np.flatnonzero(~np.isnan(np.vstack(numbers)).any(axis=0))
    kept = tuple(column[present] for column in numbers)
    n = len(present)
    if n < FEWEST:
        raise UserError(
            f"{n} complete observations of {', '.join(names)} are too few for a correlation.",
            valid=f"{FEWEST} or more observations without a missing value.",
        )
    for column, name in zip(kept, names, strict=True):
        if is_constant(column):
            raise UserError(
                f"All values of '{name}' are {column[0]:g}: a constant correlates with nothing.",
                valid="Two or more different values in every column.",
            )
    ways = tuple(way.keep(present) for way in ways_of(dict(clusterings or {}), len(numbers[0])))
    return Complete(kept, ways, len(numbers[0]) - n)


def check_squares(data: Complete, names: Sequence[str]) -> None:
    """Refuse columns whose squares are beyond what a computer can hold; ranks do not mind them."""
    for column, name in zip(data.columns, names, strict=True):
        check_magnitude(column, f"'{name}'")


def is_constant(column: Floats) -> bool:
    """Whether all values are equal but for the noise of binary fractions, as 0.3 and 0.1 + 0.2 are."""
    return bool(np.ptp(column) <= 1e-14 * np.abs(column).max())


def as_numbers(values: Column, name: str) -> Floats:
    """Return the numbers with NaN for what is missing; text and infinite values are the user's mistake."""
    try:
        numbers = np.asarray(
            [np.nan if is_missing(value) else value for value in np.ravel(np.asarray(unmasked(values), dtype=object))],
            dtype=np.float64,
        )
    except (TypeError, ValueError) as error:
        raise UserError(f"'{name}' holds something that is no number: {error}.", valid="Numbers only.") from error
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0]) + 1
        raise UserError(
            f"'{name}' holds an infinite value in row {row}.", valid="Finite numbers; a missing one is None or NaN."
        )
    return numbers


def check_settings(alternative: str, alpha: float, level: float) -> None:
    """Refuse a direction, an alpha or a level that does not exist."""
    check_sidedness(alternative)
    check_alpha(alpha)
    if not 0 < level < 1:
        raise UserError(f"The level {level} is no probability.", valid="0 < level < 1, for example 0.95.")


# --- coefficients of weighted observations ----------------------------------------------------------------------------
# The bootstrap needs coefficients in which some observations count twice and others not at all, and it needs thousands
# of them: each function takes a (draws × observations) table of weights and gives the coefficient of every draw. A
# weight of two is the same as the observation written twice. A draw in which a side does not vary has no coefficient
# and gives NaN.

Weighted = Callable[[Floats, Floats, Floats], Floats]
"""From two columns and a table of weights to the coefficient of every row of weights."""

ROUNDING = 1e-12
"""A variation below this share of its usual size is rounding, and the side is constant."""
MOST_FOR_WEIGHTED_KENDALL = 2000
"""Kendall's τ compares all pairs; beyond this the bootstrap would take minutes."""


def weighted_pearson(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Return Pearson's r of every row of weights.

    `x` and `y` are columns of observations, or tables with such a column in each row: the result then has one
    row per row of weights and one column per pair of rows.
    """
    # Centred first: sums of squares of large numbers would lose the digits that matter.
    u, v = (_centred(values) for values in (x, y))
    n = weights.sum(axis=1) if u.ndim == v.ndim == 1 else weights.sum(axis=1, keepdims=True)
    su, sv, suu, svv, suv = (weights @ values.T for values in (u, v, u * u, v * v, u * v))
    scales = [n**2 * (values * values).mean(axis=-1) for values in (u, v)]
    return _ratio(n * suv - su * sv, (n * suu - su**2, n * svv - sv**2), scales)


def _centred(values: Floats) -> Floats:
    """Return the deviations from the mean in units of the largest: products of probabilities of 1e-90 would be 0."""
    deviations = values - values.mean(axis=-1, keepdims=True)
    largest = np.abs(deviations).max(axis=-1, keepdims=True)
    scaled: Floats = deviations / np.where(largest > 0, largest, 1.0)
    return scaled


def weighted_spearman(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Return Spearman's ρ of every row of weights: r of the ranks within the draw, ties at their middle."""
    u, v = weighted_ranks(x, weights), weighted_ranks(y, weights)
    n = weights.sum(axis=1)
    middle = (n / 2)[:, None]
    u, v = u - middle, v - middle
    products = (weights * u * v).sum(axis=1)
    return _ratio(products, ((weights * u * u).sum(axis=1), (weights * v * v).sum(axis=1)), (n**3, n**3))


def weighted_ranks(values: Floats, weights: Floats) -> Floats:
    """Return the middle rank, less one half, that each observation has in each draw."""
    codes: Integers = scipy.stats.rankdata(values, method="dense").astype(np.int64) - 1
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(codes.max() + 1))
    sizes = np.add.reduceat(weights[:, order], starts, axis=1)
    middles = np.cumsum(sizes, axis=1) - sizes / 2
    ranks: Floats = middles[:, codes]
    return ranks


def weighted_kendall(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Return Kendall's τ-b of every row of weights."""
    if len(x) > MOST_FOR_WEIGHTED_KENDALL:
        raise UserError(
            f"The bootstrap of Kendall's τ over {len(x)} observations compares too many pairs.",
            valid=f"Up to {MOST_FOR_WEIGHTED_KENDALL} observations.",
            remedy="Use interval='fieller', or Spearman's ρ.",
        )
    signs = np.sign(x[:, None] - x), np.sign(y[:, None] - y)
    concordance, of_x, of_y = (
        ((weights @ table) * weights).sum(axis=1) for table in (signs[0] * signs[1], np.abs(signs[0]), np.abs(signs[1]))
    )
    pairs = weights.sum(axis=1) ** 2
    return _ratio(concordance, (of_x, of_y), (pairs, pairs))


def _ratio(product: Floats, squares: Sequence[Floats], scales: Sequence[Floats]) -> Floats:
    """Return product / √(first · second); NaN where a side has no variation beyond rounding."""
    varies = np.logical_and(*(square > ROUNDING * scale for square, scale in zip(squares, scales, strict=True)))
    result = np.full_like(product, np.nan)
    np.divide(product, np.sqrt(np.where(varies, squares[0] * squares[1], 1.0)), out=result, where=varies)
    return np.clip(result, -1.0, 1.0)


@on_one_thread
def bootstrap_coefficient(
    coefficient: Weighted, x: Floats, y: Floats, ways: Sequence[Way], resampling: Resampling
) -> Intervals:
    """Return a coefficient with its interval from observations, items, raters, or both of these, drawn anew."""
    resampling.check()
    used = widest_ways(ways) or (Way("observation", np.arange(len(x)), len(x)),)
    value = coefficient(x, y, np.ones((1, len(x))))
    fewest = min(way.levels for way in used)
    if fewest < 2:
        return Intervals(value, np.array([np.nan]), np.array([np.nan]), fewest, 0)
    weights = row_weights(used, resampling.draws, resampling.seed)
    drawn = np.concatenate([coefficient(x, y, weight) for weight in weights])
    return percentile_intervals(value, drawn[:, None], resampling.level, fewest)


# --- tests and intervals ----------------------------------------------------------------------------------------------


PearsonInterval = Literal["fisher", "bootstrap"]
SpearmanInterval = Literal["bonett-wright", "fieller", "bootstrap"]
KendallInterval = Literal["fieller", "bootstrap"]
SpearmanP = Literal["auto", "exact", "t"]
KendallP = Literal["auto", "exact", "asymptotic", "continuity"]

SPEARMAN_CONVENTIONS: tuple[Convention, ...] = (
    Convention({"p_method": "exact"}, ("R for fewer than 10 without ties",)),
    Convention({"p_method": "t"}, ("SciPy", "SPSS")),
)
KENDALL_CONVENTIONS: tuple[Convention, ...] = (
    Convention({"p_method": "exact"}, ("R for fewer than 50 without ties",)),
    Convention({"p_method": "asymptotic"}, ("SPSS", "R and SciPy with ties")),
    Convention({"p_method": "continuity"}),
)

MOST_FOR_KENDALL = 50
"""Up to so many observations without ties the distribution of Kendall's τ is counted out."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """The settings that the tests of all three coefficients share."""

    names: tuple[str, str]
    resampling: Resampling
    alternative: str
    alpha: float
    level: float


@dataclass(frozen=True, slots=True)
class _Tested:
    symbol: str
    statistic: float
    p: float
    df: tuple[float, ...]
    how: str


def pearson(
    x: Column,
    y: Column,
    *,
    names: tuple[str, str] = ("x", "y"),
    interval: PearsonInterval = "fisher",
    items: Any = None,
    raters: Any = None,
    draws: int = 2000,
    seed: int = 1,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Return Pearson's r with t and its interval: Fisher's z with 1/√(n − 3), or the bootstrap.

    `items` and `raters` (labels, one per observation) say what the bootstrap draws; p takes observations as
    independent.
    """
    data, asked = _prepared(x, y, names, (items, raters), interval, (draws, seed, alternative, alpha, level))
    check_choice("interval", interval, get_args(PearsonInterval))
    check_squares(data, names)
    r = float(weighted_pearson(data.columns[0], data.columns[1], np.ones((1, data.n)))[0])
    error = 1 / math.sqrt(data.n - 3)
    effect = _effect("Pearson's r", "r", r, interval, error, weighted_pearson, data, asked)
    return _result(
        "pearson", Bilingual("Pearson correlation", "皮尔逊相关"), effect, _t_test(r, data.n, asked), data, asked
    )


def spearman(
    x: Column,
    y: Column,
    *,
    names: tuple[str, str] = ("x", "y"),
    p_method: SpearmanP = "auto",
    interval: SpearmanInterval = "bonett-wright",
    items: Any = None,
    raters: Any = None,
    draws: int = 2000,
    seed: int = 1,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Return Spearman's ρ (tied values share their middle rank) with p and interval.

    p counts all orders (`exact`, up to 12 observations, ties as they are) or takes t with n − 2 degrees of freedom;
    `auto` counts where it can. The standard error of Fisher's z is √((1 + ρ²/2)/(n − 3)) [1] or √(1.06/(n − 3)) [2].
    """
    data, asked = _prepared(x, y, names, (items, raters), interval, (draws, seed, alternative, alpha, level))
    check_choice("interval", interval, get_args(SpearmanInterval))
    check_choice("p_method", p_method, get_args(SpearmanP))
    ranks = [scipy.stats.rankdata(column) for column in data.columns]
    rho = float(weighted_pearson(ranks[0], ranks[1], np.ones((1, data.n)))[0])
    factor = 1.06 if interval == "fieller" else 1 + rho**2 / 2
    error = math.sqrt(factor / (data.n - 3))
    effect = _effect("Spearman's ρ", "ρ", rho, interval, error, weighted_spearman, data, asked)
    counted = p_method == "exact" or (p_method == "auto" and data.n <= MOST_FOR_SPEARMAN)
    tested = _spearman_exact(ranks[0], ranks[1], asked) if counted else _t_test(rho, data.n, asked)
    return _result("spearman", Bilingual("Spearman correlation", "斯皮尔曼相关"), effect, tested, data, asked)


def kendall(
    x: Column,
    y: Column,
    *,
    names: tuple[str, str] = ("x", "y"),
    variant: Literal["b", "c"] = "b",
    p_method: KendallP = "auto",
    interval: KendallInterval = "fieller",
    items: Any = None,
    raters: Any = None,
    draws: int = 2000,
    seed: int = 1,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Return Kendall's τ-b, or Stuart's τ-c [4] for scales of different length, with p and interval.

    p counts all orders (`exact`: up to 50 observations without ties, 8 with), or takes the normal distribution with the
    variance for ties [3], with a correction for `continuity` if so wished. `auto` counts where it can. The standard
    error of Fisher's z is √(0.437/(n − 4)) [1, 2]; the bootstrap is for τ-b.
    """
    data, asked = _prepared(x, y, names, (items, raters), interval, (draws, seed, alternative, alpha, level))
    check_choice("interval", interval, get_args(KendallInterval))
    check_choice("p_method", p_method, get_args(KendallP))
    check_choice("variant", variant, ("b", "c"))
    if variant == "c" and interval == "bootstrap":
        raise UserError("The bootstrap is for τ-b, not for τ-c.", remedy="Use variant='b', or interval='fieller'.")
    pairs = _Concordance.of(*data.columns)
    tau = pairs.tau(variant)
    error = math.sqrt(0.437 / (data.n - 4)) if data.n > 4 else math.nan
    effect = _effect(f"Kendall's τ-{variant}", f"τ-{variant}", tau, interval, error, weighted_kendall, data, asked)
    counted = p_method == "exact" or (p_method == "auto" and data.n <= pairs.most_counted())
    tested = _kendall_exact(pairs, data, asked) if counted else _kendall_normal(pairs, p_method, asked)
    return _result(f"kendall-{variant}", Bilingual("Kendall correlation", "肯德尔相关"), effect, tested, data, asked)


def _prepared(
    x: Column,
    y: Column,
    names: tuple[str, str],
    labels: tuple[Any, Any],
    interval: str,
    settings: tuple[int, int, str, float, float],
) -> tuple[Complete, _Asked]:
    draws, seed, alternative, alpha, level = settings
    check_settings(alternative, alpha, level)
    if interval != "bootstrap" and any(label is not None for label in labels):
        raise UserError(
            f"Items and raters say what a bootstrap draws; interval='{interval}' draws nothing.",
            remedy="Add interval='bootstrap', or leave items and raters away.",
        )
    data = complete((x, y), names, {"item": labels[0], "rater": labels[1]})
    return data, _Asked(names, Resampling(draws, seed, level), alternative, alpha, level)


def fisher_interval(coefficient: float, error: float, level: float) -> tuple[float, float] | None:
    """Return the interval of a correlation from Fisher's z; none at ±1, where z is infinite."""
    if abs(coefficient) >= 1 or math.isnan(error):
        return None
    reach = float(scipy.stats.norm.ppf((1 + level) / 2)) * error
    z = math.atanh(coefficient)
    return math.tanh(z - reach), math.tanh(z + reach)


_METHODS = {
    "fisher": "Fisher's z with standard error 1/√(n − 3)",
    "bonett-wright": "Fisher's z with the standard error of Bonett and Wright",
    "fieller": "Fisher's z with the standard error of Fieller, Hartley and Pearson",
}


def _effect(
    name: str,
    symbol: str,
    value: float,
    interval: str,
    error: float,
    weighted: Weighted,
    data: Complete,
    asked: _Asked,
) -> Effect:
    if interval != "bootstrap":
        bounds = fisher_interval(value, error, asked.level)
        method = _METHODS[interval]
        if bounds is None:
            method = f"no interval: {method} does not exist for {symbol} = {value:.3g}, n = {data.n}"
        low, high = bounds or (None, None)
        return Effect(name, symbol, value, low, high, asked.level, method)
    ways = data.ways or (Way("observation", np.arange(data.n), data.n),)
    intervals = bootstrap_coefficient(weighted, data.columns[0], data.columns[1], ways, asked.resampling)
    drawn = [None if np.isnan(bound[0]) else float(bound[0]) for bound in (intervals.low, intervals.high)]
    method = describe_crossed(asked.resampling, intervals, ways)
    return Effect(name, symbol, value, drawn[0], drawn[1], asked.level, method)


def one_sided(greater: float, less: float, alternative: str) -> float:
    """Return p from the two tails of a symmetric distribution."""
    if alternative == "two-sided":
        return min(1.0, 2 * min(greater, less))
    return greater if alternative == "greater" else less


def _t_test(r: float, n: int, asked: _Asked) -> _Tested:
    df = n - 2
    t = math.copysign(math.inf, r) if abs(r) >= 1 else r * math.sqrt(df / (1 - r * r))
    p = one_sided(float(scipy.stats.t.sf(t, df)), float(scipy.stats.t.cdf(t, df)), asked.alternative)
    return _Tested("t", t, p, (float(df),), "t with n − 2 degrees of freedom")


def _spearman_exact(first: Floats, second: Floats, asked: _Asked) -> _Tested:
    n = len(first)
    if n > MOST_FOR_SPEARMAN:
        raise UserError(
            f"{n} observations have too many orders to count out.",
            valid=f"p_method='exact' for up to {MOST_FOR_SPEARMAN} observations.",
            remedy="Use p_method='t'.",
        )
    doubled = [np.rint(2 * ranks).astype(np.int64) for ranks in (first, second)]
    steps = [int(np.gcd.reduce(ranks - ranks.min())) for ranks in doubled]
    whole = [(ranks - ranks.min()) // step for ranks, step in zip(doubled, steps, strict=True)]
    values, counts = product_counts(whole[0], whole[1])
    observed, centre = float(whole[0] @ whole[1]), float(whole[0].sum() * whole[1].sum() / n)
    p = tail_probability(values.astype(np.float64), counts, observed, centre, asked.alternative)
    return _Tested("S", float(np.square(first - second).sum()), p, (), "all orders counted")


@dataclass(frozen=True, slots=True)
class _Concordance:
    """Concordant minus discordant pairs, and how large the groups of tied values are on each side."""

    n: int
    score: int
    ties: tuple[Floats, Floats]

    @classmethod
    def of(cls, x: Floats, y: Floats) -> _Concordance:
        ties = tuple(np.unique(column, return_counts=True)[1].astype(np.float64) for column in (x, y))
        apart = [len(x) * (len(x) - 1) / 2 - float((t * (t - 1)).sum()) / 2 for t in ties]
        tau = float(scipy.stats.kendalltau(x, y, method="asymptotic").statistic)
        return cls(len(x), round(tau * math.sqrt(apart[0] * apart[1])), (ties[0], ties[1]))

    def tau(self, variant: str) -> float:
        if variant == "c":
            smaller = min(len(ties) for ties in self.ties)
            return 2 * self.score / (self.n**2 * (smaller - 1) / smaller)
        total = self.n * (self.n - 1) / 2
        apart = [total - float((ties * (ties - 1)).sum()) / 2 for ties in self.ties]
        return max(-1.0, min(1.0, self.score / math.sqrt(apart[0] * apart[1])))

    def tied(self) -> bool:
        return any(len(ties) < self.n for ties in self.ties)

    def most_counted(self) -> int:
        return MOST_FOR_KENDALL_TIES if self.tied() else MOST_FOR_KENDALL

    def variance(self) -> float:
        """Return the variance of the score when all orders are equally likely [3, chapter 4]."""
        n, (t, u) = float(self.n), self.ties
        plain = n * (n - 1) * (2 * n + 5) - sum(float((g * (g - 1) * (2 * g + 5)).sum()) for g in (t, u))
        pairs = float((t * (t - 1)).sum() * (u * (u - 1)).sum()) / (2 * n * (n - 1))
        triples = float((t * (t - 1) * (t - 2)).sum() * (u * (u - 1) * (u - 2)).sum()) / (9 * n * (n - 1) * (n - 2))
        return plain / 18 + pairs + triples


def _kendall_exact(pairs: _Concordance, data: Complete, asked: _Asked) -> _Tested:
    if data.n > pairs.most_counted():
        raise UserError(
            f"{data.n} observations{' with ties' if pairs.tied() else ''} have too many orders to count out.",
            valid=f"p_method='exact' for up to {MOST_FOR_KENDALL} observations, {MOST_FOR_KENDALL_TIES} with ties.",
            remedy="Use p_method='asymptotic'.",
        )
    if pairs.tied():
        values, counts = concordance_counts(*data.columns)
    else:
        # Python's whole numbers hold n!; as shares of it they fit a float.
        total, wrong = data.n * (data.n - 1) // 2, inversion_counts(data.n)
        values = total - 2 * np.arange(len(wrong))
        counts = np.array([count / math.factorial(data.n) for count in wrong])
    p = tail_probability(values.astype(np.float64), counts, float(pairs.score), 0.0, asked.alternative)
    return _Tested("K", float(pairs.score), p, (), "all orders counted")


def _kendall_normal(pairs: _Concordance, p_method: str, asked: _Asked) -> _Tested:
    corrected = p_method == "continuity"
    score = math.copysign(max(0, abs(pairs.score) - 1), pairs.score) if corrected else pairs.score
    z = score / math.sqrt(pairs.variance())
    p = one_sided(float(scipy.stats.norm.sf(z)), float(scipy.stats.norm.cdf(z)), asked.alternative)
    how = "normal, variance for ties" + (", continuity correction" if corrected else "")
    return _Tested("z", z, p, (), how)


def _result(test: str, title: Bilingual, effect: Effect, tested: _Tested, data: Complete, asked: _Asked) -> TestResult:
    significant, otherwise = _findings(asked.names, effect.value, asked.alternative)
    conventions: dict[str, Value] = {"p": tested.how, "interval": effect.method, "level": asked.level}
    if test == "spearman" or test.startswith("kendall"):
        conventions["ties"] = "middle ranks" if test == "spearman" else f"τ-{test[-1]}"
    return TestResult(
        test=test,
        title=title,
        symbol=tested.symbol,
        statistic=tested.statistic,
        p=min(1.0, tested.p),
        alternative=asked.alternative,
        n=data.n,
        n_missing=data.n_missing,
        significant=significant,
        otherwise=otherwise,
        df=tested.df,
        effects=(effect,),
        conventions=conventions,
        notes=_CLUSTERED if data.ways else (),
        alpha=asked.alpha,
        data=checksum(*data.columns, *(way.codes for way in data.ways)),
    )


def _findings(names: tuple[str, str], value: float, alternative: str) -> tuple[Bilingual, Bilingual]:
    x, y = names
    rising = value >= 0 if alternative == "two-sided" else alternative == "greater"
    verb, sign = ("rise", "正") if rising else ("fall", "负")
    significant = Bilingual(f"{y} {verb}s as {x} rises", f"{x}与{y}呈{sign}相关")
    if alternative == "two-sided":
        return significant, Bilingual(f"No correlation between {x} and {y} was found", f"未发现{x}与{y}相关")
    return significant, Bilingual(f"{y} was not found to {verb} as {x} rises", f"未发现{x}与{y}呈{sign}相关")


_CLUSTERED = (
    Bilingual(
        "p takes the observations as independent; with clusters the interval is what counts.",
        "p 值假定各观测相互独立；数据有聚类时应以区间为准。",
    ),
)
