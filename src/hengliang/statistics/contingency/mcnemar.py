"""McNemar's test for paired proportions: exact, mid-p and χ².

Only the items on which two systems differ speak for one of them [1]. Their number follows a binomial distribution with
a share of one half when neither is better. The exact test uses it as it is; mid-p [2] counts the observed split half,
which brings the error close to α; χ² approximates it, with Edwards's continuity correction or without.

[1] McNemar, Q. (1947). Note on the sampling error of the difference between correlated proportions. Psychometrika 12.
[2] Fagerland, M., Lydersen, S., Laake, P. (2013). The McNemar test for binary matched-pairs data: mid-p and asymptotic
    are better than exact conditional. BMC Medical Research Methodology 13.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import scipy
from numpy.typing import ArrayLike

from hengliang.core.terms import Bilingual
from hengliang.statistics.contingency.tables import CountTable
from hengliang.statistics.conventions import Convention
from hengliang.statistics.effect_sizes import check_level
from hengliang.statistics.results import (
    Effect,
    Sidedness,
    TestResult,
    check_alpha,
    check_choice,
    check_sidedness,
    is_missing,
)

Method = Literal["exact", "mid-p", "chi-squared", "corrected"]
TITLES: Mapping[str, Bilingual] = {
    "exact": Bilingual("McNemar's exact test", "麦克尼马尔精确检验"),
    "mid-p": Bilingual("McNemar's mid-p test", "麦克尼马尔 mid-p 检验"),
    "chi-squared": Bilingual("McNemar's χ² test", "麦克尼马尔卡方检验"),
    "corrected": Bilingual("McNemar's χ² test with continuity correction", "麦克尼马尔卡方检验（连续性校正）"),
}
CONVENTIONS: tuple[Convention, ...] = (
    Convention({"method": "exact"}, ("SPSS (crosstabs)", "statsmodels")),
    Convention({"method": "mid-p"}),
    Convention({"method": "chi-squared"}),
    Convention({"method": "corrected"}, ("R",)),
)
"""The ways to run McNemar's test."""


def mcnemar(
    counts: ArrayLike | CountTable,
    *,
    method: Method = "exact",
    alternative: Sidedness = "two-sided",
    names: tuple[str, str] = ("A", "B"),
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test a 2 × 2 table of pairs: rows are what the first of `names` did (success, failure), columns the second.

    `greater` means that the first succeeds more often. Effect sizes are Cohen's g, the share of the pairs that speak
    for the first less one half, and the odds ratio of these pairs, with exact (Clopper–Pearson) intervals.
    """
    check_choice("method", method, get_args(Method))
    check_sidedness(alternative)
    check_alpha(alpha)
    check_level(level)
    table = CountTable.of(counts)
    table.refuse_other_than_two_by_two("McNemar's test")
    first_only, second_only = table.counts[0][1], table.counts[1][0]
    statistic, p = _p_value(first_only, second_only, method, alternative)
    significant, otherwise = _findings(names, first_only - second_only, alternative)
    return TestResult(
        test="mcnemar",
        title=TITLES[method],
        symbol="χ²" if method in ("chi-squared", "corrected") else "",
        statistic=statistic,
        p=p,
        alternative=alternative,
        n=table.n,
        n_missing=table.n_missing,
        significant=significant,
        otherwise=otherwise,
        df=(1,) if method in ("chi-squared", "corrected") else (),
        effects=_effects(first_only, second_only, level),
        conventions={"method": method},
        details={f"only {names[0]} succeeds": first_only, f"only {names[1]} succeeds": second_only},
        notes=_notes(first_only + second_only, method),
        alpha=alpha,
        data=table.checksum(),
    )


def mcnemar_pairs(first: Sequence[Any], second: Sequence[Any], *, success: Any = True, **settings: Any) -> TestResult:
    """Run `mcnemar` on two columns of outcomes of the same items; `success` is the value that counts as a success."""
    return mcnemar(paired_table(first, second, success=success), **settings)


def paired_table(first: Sequence[Any], second: Sequence[Any], *, success: Any = True) -> CountTable:
    """Count in how many pairs both succeed, the first alone, the second alone, and neither."""
    outcomes = [[_outcome(value, success) for value in column] for column in (first, second)]
    levels = ("success", "failure")
    return CountTable.cross(*outcomes, rows=levels, columns=levels)


def _outcome(value: Any, success: Any) -> str | None:
    if is_missing(value):
        return None
    return "success" if value == success else "failure"


def _p_value(b: int, c: int, method: str, alternative: str) -> tuple[float, float | None]:
    total = b + c
    if method in ("chi-squared", "corrected"):
        if not total:
            return math.nan, None
        gap = max(abs(b - c) - (1 if method == "corrected" else 0), 0)
        z = math.copysign(gap, b - c) / math.sqrt(total)
        tail = {
            "greater": float(scipy.stats.norm.sf(z)),
            "less": float(scipy.stats.norm.cdf(z)),
            "two-sided": 2 * float(scipy.stats.norm.sf(abs(z))),
        }
        if alternative != "two-sided" and method == "corrected":
            # A correction makes each tail larger, also the one that the data speak against.
            step = -1 if alternative == "greater" else 1
            z_tail = (b - c + step) / math.sqrt(total)
            tail[alternative] = float(
                scipy.stats.norm.sf(z_tail) if alternative == "greater" else scipy.stats.norm.cdf(z_tail)
            )
        return z * z, tail[alternative]
    half = 0.5 * float(scipy.stats.binom.pmf(b, total, 0.5)) if method == "mid-p" else 0.0
    upper, lower = (
        float(scipy.stats.binom.sf(b - 1, total, 0.5)) - half,
        float(scipy.stats.binom.cdf(b, total, 0.5)) - half,
    )
    p = {"greater": upper, "less": lower, "two-sided": 2 * min(upper, lower)}[alternative]
    return math.nan, min(1.0, p)


def _effects(b: int, c: int, level: float) -> tuple[Effect, ...]:
    total, tail = b + c, (1 - level) / 2
    if not total:
        nothing = "not defined without a pair that differs"
        return (
            Effect("cohen-g", "g", math.nan, level=level, method=nothing),
            Effect("odds-ratio", "OR", math.nan, level=level, method=nothing, bounded=False),
        )
    low = float(scipy.stats.beta.ppf(tail, b, c + 1)) if b else 0.0
    high = float(scipy.stats.beta.isf(tail, b + 1, c)) if c else 1.0
    value, least, most = (math.inf if share == 1 else share / (1 - share) for share in (b / total, low, high))
    odds_method = "b/c; Clopper–Pearson interval of b/(b + c)"
    return (
        Effect("cohen-g", "g", b / total - 0.5, low - 0.5, high - 0.5, level, "Clopper–Pearson"),
        Effect("odds-ratio", "OR", value, least, most, level, odds_method, bounded=False),
    )


def _findings(names: tuple[str, str], lead: int, alternative: str) -> tuple[Bilingual, Bilingual]:
    if alternative != "two-sided":
        word, character = ("more", "高于") if alternative == "greater" else ("less", "低于")
        first, second = names
        return (
            Bilingual(f"{first} succeeds {word} often than {second}", f"{first}的成功率显著{character}{second}"),
            Bilingual(
                f"{first} was not shown to succeed {word} often than {second}",
                f"未能证明{first}的成功率{character}{second}",
            ),
        )
    better, worse = names if lead >= 0 else names[::-1]
    return (
        Bilingual(f"{better} succeeds more often than {worse}", f"{better}的成功率显著高于{worse}"),
        Bilingual(
            f"A difference between {names[0]} and {names[1]} was not shown",
            f"未能证明{names[0]}与{names[1]}的成功率存在差异",
        ),
    )


def _notes(differing: int, method: str) -> tuple[Bilingual, ...]:
    if not differing:
        return (Bilingual("There is no pair in which the two differ.", "没有任何一对结果不同。"),)
    if method in ("chi-squared", "corrected") and differing < 25:
        return (
            Bilingual(
                f"Only {differing} pairs differ: the χ² distribution is a poor guide here, the exact or mid-p test a "
                "better one.",
                f"只有 {differing} 对结果不同：卡方近似不可靠，宜用精确检验或 mid-p 检验。",
            ),
        )
    return ()
