"""Post-hoc comparisons of means: Tukey's HSD (Tukey–Kramer) and Games–Howell.

Tukey's honestly significant difference takes one variance for all groups (Tukey and Kramer for unequal sizes [1]);
Games and Howell [2] take the two variances of each pair, as Welch does. Both refer to the studentized range, so that p
and interval hold for all pairs together and need no further correction. The p-values are true ones: old tables and
packages stop at .001 and .900.

[1] Kramer, C. Y. (1956). Extension of multiple range tests to group means with unequal numbers of replications.
    Biometrics 12.
[2] Games, P. A., Howell, J. F. (1976). Pairwise multiple comparison procedures with unequal n's and/or variances.
    Journal of Educational Statistics 1.
[3] Copenhaver, M., Holland, B. (1988). Computation of the distribution of the maximum studentized range statistic.
    Journal of Statistical Computation and Simulation 30.
[4] Trefethen, L., Weideman, J. (2014). The exponentially convergent trapezoidal rule. SIAM Review 56.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy
from numpy.typing import NDArray

from hengliang.core.terms import Bilingual
from hengliang.statistics.effect_sizes import check_level
from hengliang.statistics.results import Effect, TestResult, check_alpha
from hengliang.statistics.variance.anova import Group, Moments, take_moments
from hengliang.statistics.variance.t_tests import satterthwaite

# --- the studentized range --------------------------------------------------------------------------------------------
# The studentized range is the range of `groups` standard normal values over an independent estimate of their standard
# deviation with `df` degrees of freedom [3]. Other implementations take 1 minus the probability below, which loses all
# digits near 1e-14. Here the probability above is integrated itself, so that its relative error stays small far out in
# the tail:
#
#     P(range > w) = k ∫ φ(z) Φ(z)^(k−1) {1 − [1 − Φ(z − w)/Φ(z)]^(k−1)} dz,
#
# and this over the distribution of the standard deviation. Both integrals are trapezoid sums over an analytic function
# that vanishes on both sides, which converge exponentially [4].

Floats = NDArray[np.float64]
_STEP, _REACH = 0.125, 11.0


def range_survival(width: Floats, groups: int) -> Floats:
    """Return the probability that the range of `groups` standard normal values exceeds each width."""
    # The integrand has its bulk around w/2 when w is large, and around the largest of the values when it is small.
    z = width[:, None] / 2 + np.arange(-_REACH, _REACH + _STEP, _STEP)
    below = scipy.special.log_ndtr(z)
    ratio = np.exp(np.minimum(scipy.special.log_ndtr(z - width[:, None]) - below, 0.0))
    log_density = -0.5 * z**2 - 0.5 * math.log(2 * math.pi)
    with np.errstate(divide="ignore"):
        chance = -np.expm1((groups - 1) * np.log1p(-ratio))
    sums: Floats = groups * _STEP * (np.exp(log_density + (groups - 1) * below) * chance).sum(axis=1)
    return np.minimum(sums, 1.0)


def survival(q: float, groups: int, df: float) -> float:
    """Return the probability that the studentized range exceeds q.

    With two groups it is the two-sided p of t = q/√2.
    """
    if q <= 0:
        return 1.0
    if math.isinf(df):
        return float(range_survival(np.array([q]), groups)[0])
    if groups * (groups - 1) * scipy.stats.t.sf(q / math.sqrt(2), df) == 0:
        return 0.0  # what bounds it from above (all pairs of groups) is below the smallest number already
    # u = ln s. Between 0 and `mode` lies the peak of the integrand: near 0 for small q, near `mode` far out. The step
    # must resolve the peak, and for few degrees of freedom the strip of π/4 in which the integrand stays tame.
    mode, width = -0.5 * math.log1p(q * q / (2 * df)), 1 / math.sqrt(2 * df)
    step = min(width / 2, 0.12)
    u = np.arange(mode - 9 * width - 40 / df, 9 * width + step, step)
    density = np.exp(df * (u - 0.5 * np.expm1(2 * u)))
    return min(float((density * range_survival(q * np.exp(u), groups)).sum() / density.sum()), 1.0)


def critical_value(probability: float, groups: int, df: float) -> float:
    """Return the q that the studentized range exceeds with this probability."""

    def excess(q: float) -> float:
        return math.log(survival(q, groups, df)) - math.log(probability)

    # With two groups q is √2 t. More groups need more, but no more than all pairs one by one (Bonferroni).
    low = math.sqrt(2) * float(scipy.stats.t.isf(probability / 2, df))
    high = math.sqrt(2) * float(scipy.stats.t.isf(probability / (groups * (groups - 1)), df))
    return low if groups == 2 else float(scipy.optimize.brentq(excess, low, high, xtol=1e-12, rtol=1e-13))


# --- comparisons of all pairs -----------------------------------------------------------------------------------------


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
