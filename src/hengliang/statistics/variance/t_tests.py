"""t-tests of two means: Student's, Welch's and the paired test.

Student's test takes a common variance, Welch's [1] one for each group; the paired test looks at the differences within
pairs.

[1] Welch, B. L. (1947). The generalization of "Student's" problem when several different population variances are
    involved. Biometrika 34.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import scipy
from numpy.typing import ArrayLike

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.conventions import Convention
from hengliang.statistics.effect_sizes import check_level, cohens_d, noncentral_t, paired_values
from hengliang.statistics.results import (
    Effect,
    Sidedness,
    TestResult,
    check_alpha,
    check_choice,
    check_magnitude,
    check_sidedness,
    checksum,
)
from hengliang.statistics.variance.anova import Group, Moments, take_moments

Variances = Literal["unequal", "equal"]
CONVENTIONS: tuple[Convention, ...] = (
    Convention({"variances": "unequal"}, ("R", "SPSS (equal variances not assumed)")),
    Convention({"variances": "equal"}, ("SciPy", "SPSS (equal variances assumed)")),
)
"""The two ways to run the test of independent samples, with those who run them by default."""


@dataclass(frozen=True, slots=True)
class MeanDifference:
    """A difference of two means, its standard error and degrees of freedom."""

    value: float
    error: float
    df: float

    def p_value(self, alternative: str = "two-sided", at: float = 0.0) -> float:
        """Return the p of the hypothesis that the true difference is `at`."""
        statistic = (self.value - at) / self.error
        if alternative == "greater":
            return float(scipy.stats.t.sf(statistic, self.df))
        if alternative == "less":
            return float(scipy.stats.t.cdf(statistic, self.df))
        return 2 * float(scipy.stats.t.sf(abs(statistic), self.df))

    def interval(self, level: float) -> tuple[float, float]:
        """Return the two-sided interval of the difference."""
        half = float(scipy.stats.t.isf((1 - level) / 2, self.df)) * self.error
        return self.value - half, self.value + half


def independent_difference(moments: Moments, variances: Variances) -> MeanDifference:
    """Return the mean of the first of two groups less that of the second."""
    check_choice("variances", variances, get_args(Variances))
    n_x, n_y = moments.n
    difference = float(moments.means[0] - moments.means[1])
    if variances == "equal":
        error = math.sqrt(moments.pooled_variance() * (1 / n_x + 1 / n_y))
        return MeanDifference(difference, error, float(n_x + n_y - 2))
    share_x, share_y = moments.separate_variances() / moments.n
    return MeanDifference(difference, math.sqrt(share_x + share_y), satterthwaite(share_x, share_y, n_x, n_y))


def satterthwaite(share_x: float, share_y: float, n_x: float, n_y: float) -> float:
    """Return the degrees of freedom of a sum of two variances of means, by their parts of it."""
    part_x, part_y = share_x / (share_x + share_y), share_y / (share_x + share_y)
    return float(1 / (part_x**2 / (n_x - 1) + part_y**2 / (n_y - 1)))


def paired_difference(first: np.ndarray, second: np.ndarray) -> MeanDifference:
    """Return the mean of the differences within pairs."""
    check_magnitude(np.concatenate([first, second]), "the pairs")
    gaps = first - second
    if len(gaps) < 2:
        raise UserError(f"There are {len(gaps)} complete pairs.", valid="At least two pairs without missing values.")
    spread, largest = float(gaps.std(ddof=1)), float(np.abs(np.concatenate([first, second])).max())
    # Equal differences of numbers such as 0.1 may deviate by some 1e-17 in binary.
    if spread <= 1e-14 * largest:
        raise UserError(
            "All differences within pairs are equal: there is no error to hold them against.",
            valid="Pairs whose differences vary.",
        )
    return MeanDifference(float(gaps.mean()), spread / math.sqrt(len(gaps)), float(len(gaps) - 1))


def t_test(
    first: Group,
    second: Group,
    *,
    variances: Variances = "unequal",
    alternative: Sidedness = "two-sided",
    names: tuple[str, str] = ("A", "B"),
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test whether two independent groups (samples, or a `Summary` each) have the same mean."""
    _check(alternative, alpha, level)
    moments = take_moments((first, second), names)
    difference = independent_difference(moments, variances)
    title = {
        "equal": Bilingual("Student's t-test", "Student t 检验"),
        "unequal": Bilingual("Welch's t-test", "Welch t 检验"),
    }
    effects = (_difference_effect(difference, level), _cohens_d(moments, level))
    return _result(
        "t-test", title[variances], difference, moments.total, moments.n_missing, alternative, names, effects,
        {"variances": variances}, moments.details(), alpha, moments.data,
    )  # fmt: skip


def paired_t_test(
    first: ArrayLike,
    second: ArrayLike,
    *,
    alternative: Sidedness = "two-sided",
    names: tuple[str, str] = ("A", "B"),
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test whether the differences within pairs have the mean 0; a pair of which one half is missing is left out."""
    _check(alternative, alpha, level)
    x, y = paired_values(first, second)
    difference = paired_difference(x, y)
    effects = (_difference_effect(difference, level), cohens_d(x, y, paired=True, level=level))
    details = {f"mean {names[0]}": float(x.mean()), f"mean {names[1]}": float(y.mean())}
    return _result(
        "paired-t-test", Bilingual("Paired t-test", "配对 t 检验"), difference, len(x), np.size(first) - len(x),
        alternative, names, effects, {}, details, alpha, checksum(x, y),
    )  # fmt: skip


def _check(alternative: str, alpha: float, level: float) -> None:
    check_sidedness(alternative)
    check_alpha(alpha)
    check_level(level)


def _result(
    test: str,
    title: Bilingual,
    found: MeanDifference,
    n: int,
    n_missing: int,
    alternative: str,
    names: tuple[str, str],
    effects: tuple[Effect, ...],
    conventions: dict[str, str],
    details: dict[str, float],
    alpha: float,
    data: str,
) -> TestResult:
    significant, otherwise = _findings(names, found.value, alternative)
    return TestResult(
        test=test,
        title=title,
        symbol="t",
        statistic=found.value / found.error,
        p=found.p_value(alternative),
        alternative=alternative,
        n=n,
        n_missing=n_missing,
        significant=significant,
        otherwise=otherwise,
        df=(found.df,),
        effects=effects,
        conventions=conventions,
        details=details,
        alpha=alpha,
        data=data,
    )


def _findings(names: tuple[str, str], difference: float, alternative: str) -> tuple[Bilingual, Bilingual]:
    first, second = names
    if alternative == "two-sided":
        higher, lower = names if difference >= 0 else (second, first)
        return (
            Bilingual(f"The mean of {higher} is higher than that of {lower}", f"{higher}的均值显著高于{lower}"),
            Bilingual(
                f"A difference between the means of {first} and {second} was not shown",
                f"未能证明{first}与{second}的均值存在差异",
            ),
        )
    word, character = ("higher", "高于") if alternative == "greater" else ("lower", "低于")
    return (
        Bilingual(f"The mean of {first} is {word} than that of {second}", f"{first}的均值显著{character}{second}"),
        Bilingual(
            f"The mean of {first} was not shown to be {word} than that of {second}",
            f"未能证明{first}的均值{character}{second}",
        ),
    )


def _difference_effect(found: MeanDifference, level: float) -> Effect:
    low, high = found.interval(level)
    method = f"t with {found.df:.6g} degrees of freedom"
    return Effect("mean-difference", "Δ", found.value, low, high, level, method, bounded=False)


def _cohens_d(moments: Moments, level: float) -> Effect:
    """Return d by the pooled deviation; unlike `cohens_d` it needs no more than the summaries."""
    n_x, n_y = moments.n
    value = float(moments.means[0] - moments.means[1]) / math.sqrt(moments.pooled_variance())
    scale, df = math.sqrt(n_x * n_y / (n_x + n_y)), float(n_x + n_y - 2)
    low, high = (bound / scale for bound in noncentral_t(value * scale, df, level))
    method = f"pooled deviation; noncentral t, {df:g} degrees of freedom"
    return Effect("cohen-d", "d", value, low, high, level, method, bounded=False)
