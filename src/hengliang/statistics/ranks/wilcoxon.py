"""Wilcoxon signed-rank test of paired samples.

Differences are ranked by size [1]. Pairs without a difference are dropped before ranking ("wilcox", as Wilcoxon did),
ranked and then dropped ("pratt" [2]), or counted half on each side ("split"). The test assumes that differences can be
ordered: 7 against 5 is more than 3 against 2. For ratings where that is in doubt, the sign test is beside it.

[1] Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1.
[2] Pratt, J. W. (1959). Remarks on zeros and ties in the Wilcoxon signed rank procedures. JASA 54.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.conventions import Convention
from hengliang.statistics.effect_sizes import ZEROS, Zeros, matched_rank_biserial, r_from_z
from hengliang.statistics.ranks.samples import (
    DIGITS,
    METHODS,
    SMALL,
    check_names,
    check_settings,
    normal_p,
    signed_rank_p,
    take_differences,
    tell_direction,
)
from hengliang.statistics.results import TestResult, check_choice

Floats = NDArray[np.float64]
Method = Literal["exact", "asymptotic", "auto", "auto-r", "auto-scipy"]
Counted = Literal["pairs", "nonzero"]

CONVENTIONS: tuple[Convention, ...] = (
    Convention({"zeros": "wilcox", "method": "asymptotic", "correction": False}, ("SPSS",)),
    Convention({"zeros": "wilcox", "method": "auto-r", "correction": True}, ("R",)),
    Convention({"zeros": "wilcox", "method": "auto-scipy", "correction": False}, ("SciPy",)),
    Convention({"zeros": "wilcox", "method": "asymptotic", "correction": True}),
    Convention({"zeros": "wilcox", "method": "exact", "correction": False}),
    Convention({"zeros": "pratt", "method": "asymptotic", "correction": False}),
    Convention({"zeros": "pratt", "method": "asymptotic", "correction": True}),
    Convention({"zeros": "pratt", "method": "exact", "correction": False}),
    Convention({"zeros": "split", "method": "asymptotic", "correction": False}),
)
"""Ways to run the test that are in use, with those who run them by default (R 4.2, SciPy 1.17)."""


@dataclass(frozen=True, slots=True, eq=False)
class _Ranked:
    """Differences with their ranks; where zeros are dropped, they are gone."""

    differences: Floats
    ranks: Floats
    zeros: str

    @property
    def nonzero(self) -> NDArray[np.bool_]:
        return np.asarray(self.differences != 0)

    def sums(self) -> tuple[float, float]:
        """The rank sums in favour and against."""
        shared = float(self.ranks[~self.nonzero].sum()) / 2 if self.zeros == "split" else 0.0
        above, below = self.ranks[self.differences > 0].sum(), self.ranks[self.differences < 0].sum()
        return float(above) + shared, float(below) + shared

    def error(self) -> float:
        """The standard deviation of a rank sum under chance signs; split zeros count as if they had signs, too."""
        counted = self.ranks if self.zeros == "split" else self.ranks[self.nonzero]
        return math.sqrt(float((counted**2).sum()) / 4)


def signed_rank_test(
    x: ArrayLike,
    y: ArrayLike | None = None,
    *,
    zeros: Zeros = "wilcox",
    correction: bool = False,
    method: Method = "auto",
    digits: int | None = DIGITS,
    n_for_r: Counted = "pairs",
    names: tuple[str, str] = ("A", "B"),
    alternative: str = "two-sided",
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test whether x − y (or x, where it holds differences) is symmetric about 0.

    `statistic` is W₊, the rank sum in favour of x (R's V). `method="auto"` counts exactly, ties and zeros included, up
    to 50 differences that are not 0. r = z/√N takes z without continuity correction, and N as all pairs or only those
    with a difference (`n_for_r`).
    """
    _check(zeros, method, n_for_r, alternative, alpha, level)
    labels = check_names(names, 2)
    taken = take_differences(x, y, digits)
    ranked = _rank(taken.values, zeros)
    n_nonzero = int(ranked.nonzero.sum())
    favour, against = ranked.sums()
    deviation = (favour - against) / 2
    chosen = _choose(method, len(taken.values), ranked)
    plain_z, _ = normal_p(deviation, ranked.error(), alternative, correction=False)
    z, p = normal_p(deviation, ranked.error(), alternative, correction)
    if chosen == "exact":
        z = plain_z
        p = signed_rank_p(ranked.ranks[ranked.nonzero], ranked.differences[ranked.nonzero] > 0, alternative)
    n_counted = len(taken.values) if n_for_r == "pairs" else n_nonzero
    significant, otherwise = tell_direction(labels, deviation, alternative)
    return TestResult(
        test="signed-rank",
        title=Bilingual("Wilcoxon's signed-rank test", "Wilcoxon 符号秩检验"),
        symbol="W₊",
        statistic=favour,
        p=p,
        alternative=alternative,
        n=len(taken.values),
        n_missing=taken.n_missing,
        significant=significant,
        otherwise=otherwise,
        effects=(r_from_z(plain_z, n_counted, level), matched_rank_biserial(taken.values, zeros=zeros, level=level)),
        conventions=_conventions(zeros, chosen, correction, digits, n_for_r),
        details={
            "n positive": float((taken.values > 0).sum()),
            "n negative": float((taken.values < 0).sum()),
            "n zero": float((taken.values == 0).sum()),
            "W+": favour,
            "W-": against,
            "z": z,
        },
        alpha=alpha,
        data=taken.data,
    )


def _check(zeros: str, method: str, n_for_r: str, alternative: str, alpha: float, level: float) -> None:
    check_choice("zeros", zeros, ZEROS)
    check_choice("method", method, METHODS)
    check_choice("n_for_r", n_for_r, ("pairs", "nonzero"))
    check_settings(alpha, level, alternative)


def _rank(differences: Floats, zeros: str) -> _Ranked:
    if not differences.any():
        raise UserError(
            f"All {len(differences)} pairs are equal: there is no difference to rank.",
            valid="At least one pair whose values differ.",
        )
    ranked = differences[differences != 0] if zeros == "wilcox" else differences
    return _Ranked(ranked, scipy.stats.rankdata(np.abs(ranked)), zeros)


def _choose(method: str, n_pairs: int, ranked: _Ranked) -> str:
    """Decide between exact and asymptotic as `method` says."""
    n_nonzero = int(ranked.nonzero.sum())
    ranks = ranked.ranks[ranked.nonzero]
    clean = n_nonzero == n_pairs and len(np.unique(ranks)) == len(ranks)
    exact = {
        "exact": True,
        "asymptotic": False,
        "auto": n_nonzero <= SMALL,
        "auto-r": clean and n_nonzero < 50,
        "auto-scipy": n_pairs <= (50 if clean else 13),
    }[method]
    return "exact" if exact else "asymptotic"


def _conventions(
    zeros: str, chosen: str, correction: bool, digits: int | None, n_for_r: str
) -> dict[str, str | int | bool | None]:
    return {
        "zeros": zeros,
        "method": chosen,
        "correction": correction and chosen == "asymptotic",
        "digits": digits,
        "r": f"z without correction by the root of the number of {'pairs' if n_for_r == 'pairs' else 'nonzero pairs'}",
    }
