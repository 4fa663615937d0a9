"""Which pairs of groups differ in their means, when all pairs are asked at once?

Tukey's honestly significant difference takes one variance for all groups (Tukey and Kramer for unequal sizes [1]);
Games and Howell [2] take the two variances of each pair, as Welch does. Both refer to the studentized range, so that p
and interval hold for all pairs together and need no further correction. The p-values are true ones: old tables and
packages stop at .001 and .900.

[1] Kramer, C. Y. (1956). Extension of multiple range tests to group means with unequal numbers of replications.
    Biometrics 12.
[2] Games, P. A., Howell, J. F. (1976). Pairwise multiple comparison procedures with unequal n's and/or variances.
    Journal of Educational Statistics 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from hengliang.analysis.noncentral import check_level
from hengliang.analysis.results import Effect, TestResult, check_alpha
from hengliang.analysis.variance.moments import Group, Moments, take_moments
from hengliang.analysis.variance.studentized_range import critical_value, survival
from hengliang.analysis.variance.t_tests import satterthwaite
from hengliang.core.terms import Bilingual

TUKEY = Bilingual("Tukey's HSD", "Tukey HSD 检验")
GAMES_HOWELL = Bilingual("Games–Howell test", "Games–Howell 检验")


@dataclass(frozen=True, slots=True)
class _Pair:
    """One comparison: which groups, the standard error of their difference, and its degrees of freedom."""

    first: int
    second: int
    error: float
    df: float


def tukey_hsd(
    *groups: Group, names: Sequence[str] | None = None, alpha: float = 0.05, level: float = 0.95
) -> tuple[TestResult, ...]:
    """Compare all pairs with the variance common to all groups; p and intervals are simultaneous.

    The difference is that of the first of a pair less the second.
    """
    moments = take_moments(groups, names)
    variance, df = moments.pooled_variance(), moments.total - len(moments.n)
    pairs = [
        _Pair(i, j, math.sqrt(variance * (1 / moments.n[i] + 1 / moments.n[j])), df)
        for i, j in combinations(range(len(moments.n)), 2)
    ]
    return _compared("tukey-hsd", TUKEY, moments, pairs, alpha, level)


def games_howell(
    *groups: Group, names: Sequence[str] | None = None, alpha: float = 0.05, level: float = 0.95
) -> tuple[TestResult, ...]:
    """Compare all pairs, each with the variances of its own two groups; p and intervals are simultaneous."""
    moments = take_moments(groups, names)
    shares = moments.separate_variances() / moments.n
    pairs = []
    for i, j in combinations(range(len(moments.n)), 2):
        df = satterthwaite(shares[i], shares[j], moments.n[i], moments.n[j])
        pairs.append(_Pair(i, j, math.sqrt(shares[i] + shares[j]), df))
    return _compared("games-howell", GAMES_HOWELL, moments, pairs, alpha, level)


def _compared(
    test: str, title: Bilingual, moments: Moments, pairs: list[_Pair], alpha: float, level: float
) -> tuple[TestResult, ...]:
    check_alpha(alpha)
    check_level(level)
    critical = {df: critical_value(1 - level, len(moments.n), df) for df in {pair.df for pair in pairs}}
    return tuple(_result(test, title, moments, pair, critical[pair.df], alpha, level) for pair in pairs)


def _result(
    test: str, title: Bilingual, moments: Moments, pair: _Pair, critical: float, alpha: float, level: float
) -> TestResult:
    size = len(moments.n)
    difference = float(moments.means[pair.first] - moments.means[pair.second])
    # The studentized range is in units of one mean, the error that of a difference of two.
    q = math.sqrt(2) * abs(difference) / pair.error
    half = critical * pair.error / math.sqrt(2)
    first, second = moments.names[pair.first], moments.names[pair.second]
    higher, lower = (first, second) if difference >= 0 else (second, first)
    method = f"simultaneous over {size} groups, studentized range"
    effect = Effect(
        "mean-difference", "Δ", difference, difference - half, difference + half, level, method, bounded=False
    )
    return TestResult(
        test=test,
        title=title,
        symbol="q",
        statistic=q,
        p=survival(q, size, pair.df),
        alternative="two-sided",
        n=int(moments.n[pair.first] + moments.n[pair.second]),
        n_missing=moments.missing[pair.first] + moments.missing[pair.second],
        significant=Bilingual(f"The mean of {higher} is higher than that of {lower}", f"{higher}的均值显著高于{lower}"),
        otherwise=Bilingual(
            f"A difference between the means of {first} and {second} was not shown",
            f"未能证明{first}与{second}的均值存在差异",
        ),
        df=(size, pair.df),
        effects=(effect,),
        conventions={
            "variances": "equal" if test == "tukey-hsd" else "unequal",
            "groups": size,
            "p": "simultaneous, true studentized range",
        },
        alpha=alpha,
        data=moments.data,
    )
