"""One-way analysis of variance: Fisher's F and Welch's F, from samples or from published summaries.

The analysis compares the spread between means with the spread within groups. With a common variance that is Fisher's F;
without, Welch's [1], which R's `oneway.test` runs by default. The moments on which all tests of means in this folder
rest come first.

[1] Welch, B. L. (1951). On the comparison of several mean values: an alternative approach. Biometrika 38.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.conventions import Convention
from hengliang.statistics.effect_sizes import eta_squared, omega_squared
from hengliang.statistics.ranks.samples import check_names
from hengliang.statistics.results import (
    Effect,
    Sample,
    TestResult,
    check_alpha,
    check_choice,
    check_magnitude,
    checksum,
    listed,
)

# --- moments of groups ------------------------------------------------------------------------------------------------
# Tests of means need the size, mean and spread of each group and no more. A group is therefore a sample, or the
# `Summary` that a paper prints.

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Summary:
    """A group of which only size, mean and sample standard deviation (n − 1) are known."""

    n: int
    mean: float
    sd: float


Group = ArrayLike | Summary
"""What may be compared: the observations themselves, or their summary."""


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Size, mean, sample variance and missing values of each group; a group of one has no variance (NaN)."""

    names: tuple[str, ...]
    n: Floats
    means: Floats
    variances: Floats
    missing: tuple[int, ...]
    data: str

    @property
    def n_missing(self) -> int:
        """How many values were missing in all groups."""
        return sum(self.missing)

    @property
    def total(self) -> int:
        """All observations."""
        return int(self.n.sum())

    def pooled_variance(self) -> float:
        """Return the variance within groups, common to all of them."""
        df = self.total - len(self.n)
        if df < 1:
            raise UserError(
                "No group has more than one observation, so that nothing is known of their spread.",
                valid="At least one group with two observations or more.",
            )
        variance = float(np.nansum((self.n - 1) * self.variances) / df)
        if variance == 0:
            raise UserError(
                "The values do not vary within any group: there is no error to hold a difference against.",
                valid="At least one group whose values are not all equal.",
            )
        return variance

    def separate_variances(self) -> Floats:
        """Return the variance of each group, none of which may be 0 or unknown."""
        for name, n, variance in zip(self.names, self.n, self.variances, strict=True):
            if n < 2 or variance == 0:
                why = "has only one observation" if n < 2 else "has no spread: all its values are equal"
                raise UserError(
                    f"{name} {why}, so that its own variance is of no use.",
                    valid="At least two different values in each group.",
                    remedy='Use the common variance (variances="equal"), or a test by ranks.',
                )
        return self.variances

    def details(self) -> dict[str, float]:
        """Return what a reader wants to see of each group."""
        numbers: dict[str, float] = {}
        for name, mean, variance in zip(self.names, self.means, self.variances, strict=True):
            numbers[f"mean {name}"] = float(mean)
            if not math.isnan(variance):
                numbers[f"standard deviation {name}"] = math.sqrt(variance)
        return numbers


def take_moments(groups: Sequence[Group], names: Sequence[str] | None) -> Moments:
    """Read two or more groups."""
    labels = check_names(names, len(groups))
    if len(groups) < 2:
        raise UserError(f"There is {len(groups)} group to compare.", valid="Two groups or more.")
    missing, rows, data = [], [], []
    for group, label in zip(groups, labels, strict=True):
        if isinstance(group, Summary):
            rows.append(_of_summary(group, label))
            data.append(checksum(rows[-1]))
            missing.append(0)
            continue
        sample = Sample.of(group, f"Group {label}")
        missing.append(sample.n_missing)
        rows.append(_of_sample(sample.values, label))
        data.append(checksum(sample.values))
    n, means, variances = np.array(rows).T
    return Moments(labels, n, means, variances, tuple(missing), "+".join(data))


def _of_sample(values: Floats, label: str) -> tuple[float, float, float]:
    if not len(values):
        raise UserError(f"Group {label} holds no observation.", valid="At least one number in each group.")
    check_magnitude(values, f"group {label}")
    variance = float(values.var(ddof=1)) if len(values) > 1 else math.nan
    # Equal numbers such as 0.1 may have a deviation of some 1e-17 in binary.
    if variance <= (1e-14 * float(np.abs(values).max())) ** 2:
        variance = 0.0
    return float(len(values)), float(values.mean()), variance


def _of_summary(group: Summary, label: str) -> tuple[float, float, float]:
    if group.n < 1 or group.n != int(group.n) or not math.isfinite(group.mean) or not group.sd >= 0:
        raise UserError(
            f"Group {label} cannot have n = {group.n}, mean = {group.mean:g} and sd = {group.sd:g}.",
            valid="n of 1 or more, a finite mean, sd of 0 or more.",
        )
    return float(group.n), float(group.mean), math.nan if group.n == 1 else float(group.sd) ** 2


# --- analysis of variance ---------------------------------------------------------------------------------------------


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
