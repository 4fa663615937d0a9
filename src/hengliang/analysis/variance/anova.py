"""Do the means of several groups differ?

The one-way analysis of variance holds the spread between means against the spread within groups. With a common variance
that is Fisher's F; without, Welch's [1], which R's `oneway.test` runs by default.

[1] Welch, B. L. (1951). On the comparison of several mean values: an alternative approach. Biometrika 38.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

import scipy

from hengliang.analysis.effect_sizes import eta_squared, omega_squared
from hengliang.analysis.multiverse import Convention
from hengliang.analysis.results import Effect, TestResult, check_alpha, check_choice
from hengliang.analysis.variance.moments import Group, Moments, take_moments
from hengliang.analysis.wording import listed
from hengliang.core.terms import Bilingual

Variances = Literal["equal", "unequal"]
CONVENTIONS: tuple[Convention, ...] = (
    Convention({"variances": "equal"}, ("SPSS", "R (aov)", "SciPy", "Excel")),
    Convention({"variances": "unequal"}, ("R (oneway.test)",)),
)
"""The two ways to run a one-way analysis, with those who run them by default."""
_TITLES = {
    "equal": Bilingual("One-way analysis of variance", "单因素方差分析"),
    "unequal": Bilingual("Welch's analysis of variance", "Welch 方差分析"),
}


def one_way_anova(
    *groups: Group,
    variances: Variances = "equal",
    names: Sequence[str] | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test whether the means of the groups (samples, or a `Summary` each) are equal.

    The effect sizes are η² and ω² with intervals from noncentral F; with unequal variances they come from Welch's F and
    its degrees of freedom, and are approximate.

    >>> one_way_anova([1, 2, 3], [2, 3, 4], [5, 6, 7]).statistic_text()
    'F(2, 6, N = 9) = 13.00, p = .007, η² = .81, 95 % CI [.17, .89]'
    """
    check_choice("variances", variances, get_args(Variances))
    check_alpha(alpha)
    moments = take_moments(groups, names)
    statistic, df_between, df_within = _fisher(moments) if variances == "equal" else _welch(moments)
    labels = listed(moments.names)
    return TestResult(
        test="one-way-anova",
        title=_TITLES[variances],
        symbol="F",
        statistic=statistic,
        p=float(scipy.stats.f.sf(statistic, df_between, df_within)),
        alternative="undirected",
        n=moments.total,
        n_missing=moments.n_missing,
        significant=Bilingual(f"The means of {labels.en} differ", f"{labels.zh}的均值有显著差异"),
        otherwise=Bilingual(
            f"A difference between the means of {labels.en} was not shown", f"未能证明{labels.zh}的均值存在差异"
        ),
        df=(df_between, df_within),
        effects=_effects(statistic, df_between, df_within, variances, level),
        conventions={"variances": variances},
        details=moments.details(),
        alpha=alpha,
        data=moments.data,
    )


def _fisher(moments: Moments) -> tuple[float, float, float]:
    within = moments.pooled_variance()
    grand = float((moments.n * moments.means).sum() / moments.total)
    df_between = len(moments.n) - 1
    between = float((moments.n * (moments.means - grand) ** 2).sum() / df_between)
    return between / within, df_between, moments.total - len(moments.n)


def _welch(moments: Moments) -> tuple[float, float, float]:
    weights = moments.n / moments.separate_variances()
    grand = float((weights * moments.means).sum() / weights.sum())
    k = len(moments.n)
    spread = float(((1 - weights / weights.sum()) ** 2 / (moments.n - 1)).sum())
    between = float((weights * (moments.means - grand) ** 2).sum() / (k - 1))
    statistic = between / (1 + 2 * (k - 2) / (k**2 - 1) * spread)
    return statistic, k - 1, (k**2 - 1) / (3 * spread)


def _effects(f: float, df1: float, df2: float, variances: str, level: float) -> tuple[Effect, ...]:
    effects = eta_squared(f, df1, df2, level=level), omega_squared(f, df1, df2, level=level)
    if variances == "equal":
        return effects
    return tuple(replace(effect, method=f"approximate, from Welch's F; {effect.method}") for effect in effects)
