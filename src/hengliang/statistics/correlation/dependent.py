"""Comparison of dependent correlations: Williams' t, Meng's and Hittner's z, permutation, and Zou's interval.

Two measures are correlated with a third, and all three were taken on the same observations. Both correlations share one
variable (the readers' ratings, say), so they are not independent. Williams' t [1, 2] is the classical test; Meng's and
Hittner's z [3, 4] come close to it. The permutation test lets the two measures change places, observation by
observation or cluster by cluster, after each was brought to the same scale [5]. The interval of the difference is Zou's
[6], which combines Fisher's intervals, or the bootstrap's.

[1] Williams, E. J. (1959). The comparison of regression variables. Journal of the Royal Statistical Society B 21.
[2] Steiger, J. H. (1980). Tests for comparing elements of a correlation matrix. Psychological Bulletin 87.
[3] Meng, X.-L., Rosenthal, R., Rubin, D. B. (1992). Comparing correlated correlation coefficients. Psychological
    Bulletin 111.
[4] Hittner, J. B., May, K., Silver, N. C. (2003). A Monte Carlo evaluation of tests for comparing dependent
    correlations. Journal of General Psychology 130.
[5] Deutsch, D., Dror, R., Roth, D. (2021). A statistical analysis of summarization evaluation metrics using resampling
    methods. Transactions of the Association for Computational Linguistics 9.
[6] Zou, G. Y. (2007). Toward using confidence intervals to compare correlations. Psychological Methods 12.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import scipy

from hengliang.core.errors import UserError
from hengliang.core.linear_algebra import on_one_thread
from hengliang.core.signature import Value
from hengliang.core.terms import Bilingual
from hengliang.statistics.conventions import Convention
from hengliang.statistics.correlation.coefficients import (
    Column,
    Complete,
    Weighted,
    check_settings,
    check_squares,
    complete,
    fisher_interval,
    one_sided,
    weighted_pearson,
    weighted_spearman,
)
from hengliang.statistics.permutation import rearranged_p, sign_flips
from hengliang.statistics.resampling import (
    Floats,
    Intervals,
    Resampling,
    Way,
    describe_crossed,
    percentile_intervals,
    row_weights,
    widest_ways,
)
from hengliang.statistics.results import Effect, TestResult, check_choice, checksum

Coefficient = Literal["pearson", "spearman"]
Method = Literal["williams", "meng", "hittner", "permutation", "bootstrap"]
CONVENTIONS: tuple[Convention, ...] = (
    Convention({"method": "williams"}, ("R psych",)),
    Convention({"method": "meng"}),
    Convention({"method": "hittner"}),
    Convention({"method": "permutation"}),
)


@dataclass(frozen=True, slots=True)
class Triple:
    """The correlations of the shared variable with the first and the second, and of these two with each other."""

    first: float
    second: float
    between: float
    n: int


@dataclass(frozen=True, slots=True)
class _Tested:
    symbol: str
    statistic: float
    p: float
    df: tuple[float, ...]
    how: str
    details: dict[str, float]


def dependent_correlations(
    shared: Column,
    first: Column,
    second: Column,
    *,
    names: tuple[str, str, str] = ("the shared variable", "the first", "the second"),
    coefficient: Coefficient = "pearson",
    method: Method = "williams",
    interval: Literal["zou", "bootstrap"] = "zou",
    items: Any = None,
    raters: Any = None,
    draws: int = 9999,
    seed: int = 1,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test whether `first` correlates more closely with `shared` than `second` does; the sign counts.

    With `coefficient='spearman'` all formulas work on ranks. `items` and `raters` are what the permutation swaps whole
    (one of the two) and what the bootstrap draws. A correlation of −.6 is less than one of .1: turn a measure that runs
    the other way round before.
    """
    check_settings(alternative, alpha, level)
    for what, value, known in (
        ("coefficient", coefficient, get_args(Coefficient)),
        ("method", method, get_args(Method)),
        ("interval", interval, ("zou", "bootstrap")),
    ):
        check_choice(what, value, known)
    data = complete((shared, first, second), names, {"item": items, "rater": raters})
    _check_clusters(data, method, interval)
    if coefficient == "pearson":
        check_squares(data, names)
    columns = (
        tuple(scipy.stats.rankdata(column) for column in data.columns) if coefficient == "spearman" else data.columns
    )
    triple = correlations_of_three(columns[0], columns[1], columns[2])
    how = Resampling(draws, seed, level)
    ways = data.ways or (Way("observation", np.arange(data.n), data.n),)
    bootstrapped = None
    if "bootstrap" in (method, interval):
        weighted = weighted_spearman if coefficient == "spearman" else weighted_pearson
        bootstrapped = _bootstrap(data.columns, weighted, ways, how)
    if method == "permutation":
        tested = _permutation((columns[0], columns[1], columns[2]), ways, how, alternative)
    elif method == "bootstrap" and bootstrapped:
        tested = _bootstrap_test(triple, bootstrapped[1], how, alternative)
    else:
        tested = _FORMULAS[method](triple, alternative)
    effect = _effect(
        triple, level, (bootstrapped[0], describe_crossed(how, bootstrapped[0], ways)) if bootstrapped else None
    )
    return _result(data, triple, tested, effect, names, (coefficient, alternative, alpha))


def _check_clusters(data: Complete, method: str, interval: str) -> None:
    if not data.ways:
        return
    if method == "permutation" and len(widest_ways(data.ways)) > 1:
        raise UserError(
            "The permutation test swaps whole items or whole raters, not both.",
            remedy="Give one of the two, or use method='bootstrap'.",
        )
    if method not in ("permutation", "bootstrap") and interval != "bootstrap":
        raise UserError(
            f"The method '{method}' takes every observation as independent and knows no items or raters.",
            remedy="Use method='permutation' or method='bootstrap', or leave items and raters away.",
        )


def correlations_of_three(shared: Floats, first: Floats, second: Floats) -> Triple:
    """Return Pearson's r of each two of three columns."""
    matrix = np.corrcoef([shared, first, second])
    if abs(matrix[1, 2]) > 1 - 1e-12:
        raise UserError(
            "The two measures are the same but for scale: their correlations cannot differ.",
            valid="Two measures that do not determine each other.",
        )
    return Triple(float(matrix[0, 1]), float(matrix[0, 2]), float(matrix[1, 2]), len(shared))


def _williams(triple: Triple, alternative: str) -> _Tested:
    """Return Williams' T2 [1], formula 7 of [2], with n − 3 degrees of freedom."""
    r, s, b, n = triple.first, triple.second, triple.between, triple.n
    determinant = max(0.0, 1 - r * r - s * s - b * b + 2 * r * s * b)
    middle = (r + s) / 2
    below = 2 * (n - 1) / (n - 3) * determinant + middle**2 * (1 - b) ** 3
    t = _over(r - s, below / ((n - 1) * (1 + b)))
    p = one_sided(float(scipy.stats.t.sf(t, n - 3)), float(scipy.stats.t.cdf(t, n - 3)), alternative)
    return _Tested("t", t, p, (float(n - 3),), "Williams' t with n − 3 degrees of freedom", {})


def _meng(triple: Triple, alternative: str) -> _Tested:
    """Return the z of [3]."""
    _below_one(triple)
    r, s, b, n = triple.first, triple.second, triple.between, triple.n
    square = (r * r + s * s) / 2
    f = min(1.0, (1 - b) / (2 * (1 - square)))
    h = (1 - f * square) / (1 - square)
    z = _over(math.atanh(r) - math.atanh(s), 2 * (1 - b) * h / (n - 3))
    return _normal(z, "Meng's z", alternative)


def _hittner(triple: Triple, alternative: str) -> _Tested:
    """Return the z of Dunn and Clark with the averaged correlation that [4] puts back from Fisher's z."""
    _below_one(triple)
    r, s, b, n = triple.first, triple.second, triple.between, triple.n
    square = math.tanh((math.atanh(r) + math.atanh(s)) / 2) ** 2
    covariance = (b * (1 - 2 * square) - square * (1 - 2 * square - b * b) / 2) / (1 - square) ** 2
    z = _over(math.atanh(r) - math.atanh(s), (2 - 2 * covariance) / (n - 3))
    return _normal(z, "Hittner's z", alternative)


def _below_one(triple: Triple) -> None:
    if max(abs(triple.first), abs(triple.second)) >= 1 - 1e-12:
        raise UserError(
            "A correlation of ±1 has no Fisher's z.", remedy="Use method='williams' or method='permutation'."
        )


def _over(difference: float, variance: float) -> float:
    if variance <= 0:
        return 0.0 if difference == 0 else math.copysign(math.inf, difference)
    return difference / math.sqrt(variance)


def _normal(z: float, how: str, alternative: str) -> _Tested:
    p = one_sided(float(scipy.stats.norm.sf(z)), float(scipy.stats.norm.cdf(z)), alternative)
    return _Tested("z", z, p, (), how, {})


_FORMULAS = {"williams": _williams, "meng": _meng, "hittner": _hittner}


@on_one_thread
def _permutation(
    columns: tuple[Floats, Floats, Floats], ways: tuple[Way, ...], how: Resampling, alternative: str
) -> _Tested:
    """Swap the two standardised measures in whole clusters; a swapped column's sums are linear in what is swapped."""
    (way,) = widest_ways(ways)
    shared, first, second = ((column - column.mean()) / column.std() for column in columns)
    half, apart = (first + second) / 2, (first - second) / 2
    # A column is half ± sign · apart, so its sum, its product with `shared` and its squares need these sums only.
    sums = [np.bincount(way.codes, weights=part) for part in (apart, shared * apart, 2 * half * apart)]
    base = half.sum(), float(shared @ half), float(np.square(half).sum() + np.square(apart).sum())
    n = len(shared)

    def difference(signs: Floats) -> Floats:
        total, product, square = (signs @ part for part in sums)
        columns = []
        for side in (1, -1):
            variance = base[2] + side * square - (base[0] + side * total) ** 2 / n
            columns.append((base[1] + side * product) / np.sqrt(np.maximum(variance, 1e-12) * n))
        result: Floats = columns[0] - columns[1]
        return result

    plan, chunks = sign_flips(way.levels, how.draws, how.seed)
    observed = float(difference(np.ones((1, way.levels)))[0])
    values = np.concatenate([difference(signs) for signs in chunks])
    p = rearranged_p(observed, values, plan, "absolute", alternative)
    details = {} if plan.exact else {"Monte-Carlo standard error of p": plan.error(p)}
    text = f"measures change places by {way.name}, {plan.describe()}"
    return _Tested("", observed, p, (), text, details)


@on_one_thread
def _bootstrap(
    columns: tuple[Floats, ...], weighted: Weighted, ways: tuple[Way, ...], how: Resampling
) -> tuple[Intervals, Floats]:
    used = widest_ways(ways)
    if min(way.levels for way in used) < 2:
        raise UserError("One cluster cannot be resampled.", valid="2 or more items and 2 or more raters.")
    shared, first, second = columns

    def difference(weights: Floats) -> Floats:
        result: Floats = weighted(shared, first, weights) - weighted(shared, second, weights)
        return result

    drawn = np.concatenate([difference(weights) for weights in row_weights(used, how.draws, how.seed)])
    value = difference(np.ones((1, len(shared))))
    return percentile_intervals(value, drawn[:, None], how.level, min(way.levels for way in used)), drawn


def _bootstrap_test(triple: Triple, drawn: Floats, how: Resampling, alternative: str) -> _Tested:
    defined = drawn[~np.isnan(drawn)]
    above, below = ((side.sum() + 1) / (len(defined) + 1) for side in (defined <= 0, defined >= 0))
    p = one_sided(float(above), float(below), alternative)
    text = f"share of bootstrap draws beyond zero, {how.draws} draws, seed {how.seed}"
    return _Tested("", triple.first - triple.second, p, (), text, {})


def zou_interval(triple: Triple, level: float) -> tuple[float, float] | None:
    """Return Zou's interval of the difference [6] from Fisher's intervals; none where one of them does not exist."""
    r, s, b, n = triple.first, triple.second, triple.between, triple.n
    error = 1 / math.sqrt(n - 3)
    of_first, of_second = fisher_interval(r, error, level), fisher_interval(s, error, level)
    if of_first is None or of_second is None:
        return None
    above = (b - r * s / 2) * (1 - r * r - s * s - b * b) + b**3
    between = above / ((1 - r * r) * (1 - s * s))
    reach = []
    for mine, other in ((r - of_first[0], of_second[1] - s), (of_first[1] - r, s - of_second[0])):
        reach.append(math.sqrt(max(0.0, mine**2 + other**2 - 2 * between * mine * other)))
    return r - s - reach[0], r - s + reach[1]


def _effect(triple: Triple, level: float, bootstrapped: tuple[Intervals, str] | None) -> Effect:
    difference = triple.first - triple.second
    if bootstrapped:
        intervals, method = bootstrapped
        drawn = [None if np.isnan(bound[0]) else float(bound[0]) for bound in (intervals.low, intervals.high)]
        return Effect("difference of correlations", "Δr", difference, drawn[0], drawn[1], level, method, bounded=False)
    low, high = zou_interval(triple, level) or (None, None)
    method = "Zou's interval from Fisher's z" if low is not None else "no interval: a correlation is ±1"
    return Effect("difference of correlations", "Δr", difference, low, high, level, method, bounded=False)


def _findings(names: tuple[str, str, str], difference: float, alternative: str) -> tuple[Bilingual, Bilingual]:
    shared, first, second = names
    if alternative == "two-sided":
        closer, other = (first, second) if difference >= 0 else (second, first)
        return (
            Bilingual(
                f"{closer} correlates higher with {shared} than {other} does", f"{closer}与{shared}的相关高于{other}"
            ),
            Bilingual(
                f"{first} and {second} were not found to differ in their correlation with {shared}",
                f"未发现{first}和{second}与{shared}的相关有差异",
            ),
        )
    word, character = ("higher", "高于") if alternative == "greater" else ("lower", "低于")
    return (
        Bilingual(
            f"{first} correlates {word} with {shared} than {second} does",
            f"{first}与{shared}的相关{character}{second}",
        ),
        Bilingual(
            f"{first} was not found to correlate {word} with {shared} than {second} does",
            f"未发现{first}与{shared}的相关{character}{second}",
        ),
    )


def _result(
    data: Complete,
    triple: Triple,
    tested: _Tested,
    effect: Effect,
    names: tuple[str, str, str],
    settings: tuple[str, str, float],
) -> TestResult:
    shared, first, second = names
    coefficient, alternative, alpha = settings
    significant, otherwise = _findings(names, effect.value, alternative)
    conventions: dict[str, Value] = {"coefficient": coefficient, "p": tested.how, "interval": effect.method}
    return TestResult(
        test="dependent-correlations",
        title=Bilingual("difference of dependent correlations", "相依相关系数之差"),
        symbol=tested.symbol,
        statistic=tested.statistic,
        p=min(1.0, tested.p),
        alternative=alternative,
        n=data.n,
        n_missing=data.n_missing,
        significant=significant,
        otherwise=otherwise,
        df=tested.df,
        effects=(effect,),
        conventions=conventions | {"level": effect.level},
        details={
            f"correlation of {shared} and {first}": triple.first,
            f"correlation of {shared} and {second}": triple.second,
            f"correlation of {first} and {second}": triple.between,
            **tested.details,
        },
        alpha=alpha,
        data=checksum(*data.columns, *(way.codes for way in data.ways)),
    )
