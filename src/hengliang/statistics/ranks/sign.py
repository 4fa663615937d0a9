"""Sign test of paired samples, with the exact (Clopper–Pearson) interval of a share.

Only the direction of each difference counts, not its size: the test for ratings whose distances mean nothing. Pairs
without a difference are dropped, or split evenly between the sides (of an odd number one is dropped). The interval of
the share is exact [1].

[1] Clopper, C., & Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in the case of the
    binomial. Biometrika 26.
"""

from __future__ import annotations

import math
from typing import Literal

import scipy
from numpy.typing import ArrayLike

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.conventions import Convention
from hengliang.statistics.effect_sizes import check_level
from hengliang.statistics.ranks.samples import (
    DIGITS,
    check_names,
    check_settings,
    normal_p,
    take_differences,
    tell_direction,
)
from hengliang.statistics.results import Effect, TestResult, check_choice

Zeros = Literal["drop", "split"]
Method = Literal["exact", "asymptotic"]

CONVENTIONS: tuple[Convention, ...] = (
    Convention({"zeros": "drop", "method": "exact"}),
    Convention({"zeros": "drop", "method": "asymptotic", "correction": True}),
    Convention({"zeros": "drop", "method": "asymptotic", "correction": False}),
    Convention({"zeros": "split", "method": "exact"}),
)
"""Ways to run the test that are in use."""


def sign_test(
    x: ArrayLike,
    y: ArrayLike | None = None,
    *,
    zeros: Zeros = "drop",
    method: Method = "exact",
    correction: bool = True,
    digits: int | None = DIGITS,
    names: tuple[str, str] = ("A", "B"),
    alternative: str = "two-sided",
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test whether x − y (or x, where it holds differences) is as often above 0 as below.

    `statistic` is the number of pairs in favour of x. `correction` is for continuity, in the asymptotic test only.
    """
    check_choice("zeros", zeros, ("drop", "split"))
    check_choice("method", method, ("exact", "asymptotic"))
    check_settings(alpha, level, alternative)
    taken = take_differences(x, y, digits)
    above, below = int((taken.values > 0).sum()), int((taken.values < 0).sum())
    n_zero = len(taken.values) - above - below
    half = n_zero // 2 if zeros == "split" else 0
    favour, total = above + half, above + below + 2 * half
    if not total:
        raise UserError(
            f"All {n_zero} pairs are equal: no sign can be counted.", valid="At least one pair that differs."
        )
    z, p = normal_p(favour - total / 2, math.sqrt(total) / 2, alternative, correction)
    if method == "exact":
        p = _binomial_p(favour, total, alternative)
    significant, otherwise = tell_direction(check_names(names, 2), favour - total / 2, alternative)
    return TestResult(
        test="sign",
        title=Bilingual("sign test", "符号检验"),
        symbol="n₊",
        statistic=float(favour),
        p=p,
        alternative=alternative,
        n=len(taken.values),
        n_missing=taken.n_missing,
        significant=significant,
        otherwise=otherwise,
        effects=_effects(favour, total, level),
        conventions={
            "zeros": zeros,
            "method": method,
            "correction": correction and method == "asymptotic",
            "digits": digits,
        },
        details={"n positive": float(above), "n negative": float(below), "n zero": float(n_zero)}
        | ({"z": z} if method == "asymptotic" else {}),
        alpha=alpha,
        data=taken.data,
    )


def _binomial_p(favour: int, total: int, alternative: str) -> float:
    greater, less = (
        float(scipy.stats.binom.sf(favour - 1, total, 0.5)),
        float(scipy.stats.binom.cdf(favour, total, 0.5)),
    )
    return {"greater": greater, "less": less}.get(alternative, min(1.0, 2 * min(greater, less)))


def clopper_pearson(favour: int, total: int, level: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of a share."""
    check_level(level)
    if total < 1 or not 0 <= favour <= total:
        raise UserError(f"{favour} of {total} is no share.", valid="A whole number out of 1 or more.")
    tail = (1 - level) / 2
    low = float(scipy.stats.beta.ppf(tail, favour, total - favour + 1)) if favour else 0.0
    high = float(scipy.stats.beta.isf(tail, favour + 1, total - favour)) if favour < total else 1.0
    return low, high


def _effects(favour: int, total: int, level: float) -> tuple[Effect, ...]:
    low, high = clopper_pearson(favour, total, level)
    share = favour / total
    return (
        Effect("share", "P₊", share, low, high, level, "Clopper–Pearson"),
        Effect("cliff-delta", "δ_w", 2 * share - 1, 2 * low - 1, 2 * high - 1, level, "within pairs; Clopper–Pearson"),
    )
