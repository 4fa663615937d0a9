"""Mann–Whitney U test (Wilcoxon rank-sum test) of two independent samples.

U counts the pairs in which the first sample is higher, ties as half [1]. The variance is corrected for ties. Ratings
that are known only as counts over a scale come in through `expand_counts`.

[1] Mann, H. B., & Whitney, D. R. (1947). On a test of whether one of two random variables is stochastically larger than
    the other. Annals of Mathematical Statistics 18.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.conventions import Convention
from hengliang.statistics.effect_sizes import cliffs_delta, r_from_z, rank_biserial
from hengliang.statistics.ranks.samples import (
    METHODS,
    SMALL,
    Groups,
    check_settings,
    expand_counts,
    normal_p,
    rank_sum_p,
    take_groups,
    tell_direction,
    tie_sum,
)
from hengliang.statistics.results import TestResult, check_choice, checksum

__all__ = ["CONVENTIONS", "expand_counts", "mann_whitney_test"]

Floats = NDArray[np.float64]
Method = Literal["exact", "asymptotic", "auto", "auto-r", "auto-scipy"]

CONVENTIONS: tuple[Convention, ...] = (
    Convention({"method": "asymptotic", "correction": False}, ("SPSS",)),
    Convention({"method": "auto-r", "correction": True}, ("R",)),
    Convention({"method": "auto-scipy", "correction": True}, ("SciPy",)),
    Convention({"method": "asymptotic", "correction": True}),
    Convention({"method": "exact", "correction": False}),
)
"""Ways to run the test that are in use, with those who run them by default (R 4.2, SciPy 1.17)."""


def mann_whitney_test(
    x: ArrayLike,
    y: ArrayLike,
    *,
    correction: bool = False,
    method: Method = "auto",
    names: tuple[str, str] = ("A", "B"),
    alternative: str = "two-sided",
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test whether a value of x is as often above one of y as below it.

    `statistic` is U of the first sample (R's W). `method="auto"` counts exactly, ties included, where there are up to
    50 observations in all. r = z/√N takes z without continuity correction and N as all observations.
    """
    check_choice("method", method, METHODS)
    check_settings(alpha, level, alternative)
    groups = take_groups((x, y), names)
    n_x, n_y = (len(values) for values in groups.values)
    ranks = scipy.stats.rankdata(groups.pooled)
    error = _error(groups)
    u = float(ranks[:n_x].sum()) - n_x * (n_x + 1) / 2
    deviation = u - n_x * n_y / 2
    plain_z, _ = normal_p(deviation, error, alternative, correction=False)
    z, p = normal_p(deviation, error, alternative, correction)
    chosen = _choose(method, groups)
    if chosen == "exact":
        z, p = plain_z, rank_sum_p(ranks, n_x, alternative)
    significant, otherwise = tell_direction(groups.names, deviation, alternative)
    return TestResult(
        test="mann-whitney",
        title=Bilingual("Mann–Whitney U test", "Mann–Whitney U 检验"),
        symbol="U",
        statistic=u,
        p=p,
        alternative=alternative,
        n=n_x + n_y,
        n_missing=groups.n_missing,
        significant=significant,
        otherwise=otherwise,
        effects=(
            r_from_z(plain_z, n_x + n_y, level),
            rank_biserial(*groups.values, level=level),
            cliffs_delta(*groups.values, level=level),
        ),
        conventions={
            "method": chosen,
            "correction": correction and chosen == "asymptotic",
            "ties": "mean ranks, variance corrected",
            "r": "z without correction by the root of all observations",
        },
        details={**_sizes(ranks, n_x), "U second": n_x * n_y - u, "z": z},
        alpha=alpha,
        data=checksum(*groups.values),
    )


def _sizes(ranks: Floats, n_x: int) -> dict[str, float]:
    return {
        "n first": float(n_x),
        "n second": float(len(ranks) - n_x),
        "mean rank first": float(ranks[:n_x].mean()),
        "mean rank second": float(ranks[n_x:].mean()),
    }


def _error(groups: Groups) -> float:
    n_x, n_y = (len(values) for values in groups.values)
    total = n_x + n_y
    variance = n_x * n_y / 12 * (total + 1 - tie_sum(groups.pooled) / (total * (total - 1)))
    if len(np.unique(groups.pooled)) < 2:
        raise UserError(
            f"All {total} observations are equal: there is nothing to rank.", valid="At least two different values."
        )
    return math.sqrt(variance)


def _choose(method: str, groups: Groups) -> str:
    """Decide between exact and asymptotic as `method` says."""
    n_x, n_y = (len(values) for values in groups.values)
    untied = len(np.unique(groups.pooled)) == n_x + n_y
    exact = {
        "exact": True,
        "asymptotic": False,
        "auto": n_x + n_y <= SMALL,
        "auto-r": untied and max(n_x, n_y) < 50,
        "auto-scipy": untied and min(n_x, n_y) <= 8,
    }[method]
    return "exact" if exact else "asymptotic"
