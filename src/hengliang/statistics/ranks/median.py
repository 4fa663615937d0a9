"""Median test (Mood) of two or more independent groups.

The median of all values together splits each group into those above and those below; the 2 × k table is then tested
like any other [1]. On a scale of few points many values equal the median, and where they go decides the result:
`ties="below"` counts them with those below, "above" with those above, "ignore" leaves them out.

[1] Mood, A. M. (1954). On the asymptotic efficiency of certain nonparametric two-sample tests. Annals of Mathematical
    Statistics 25.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.conventions import Convention
from hengliang.statistics.effect_sizes import cramers_v, phi
from hengliang.statistics.ranks.samples import Groups, check_settings, take_groups
from hengliang.statistics.results import Effect, TestResult, check_choice, checksum, listed

Floats = NDArray[np.float64]
Ties = Literal["below", "above", "ignore"]
Correction = Literal["none", "yates", "fisher"]

CONVENTIONS: tuple[Convention, ...] = (
    Convention({"ties": "below", "correction": "none"}, ("SPSS from 31 cases",)),
    Convention({"ties": "below", "correction": "yates"}, ("SciPy",)),
    Convention({"ties": "below", "correction": "fisher"}, ("SPSS up to 30 cases",)),
    Convention({"ties": "above", "correction": "none"}),
    Convention({"ties": "above", "correction": "yates"}),
    Convention({"ties": "above", "correction": "fisher"}),
    Convention({"ties": "ignore", "correction": "none"}),
    Convention({"ties": "ignore", "correction": "yates"}),
    Convention({"ties": "ignore", "correction": "fisher"}),
)
"""Ways to run the test that are in use, with those who run them by default (SciPy 1.17, NPAR TESTS of SPSS)."""


def median_test(
    *groups: ArrayLike,
    ties: Ties = "below",
    correction: Correction = "none",
    names: Sequence[str] | None = None,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test whether two or more groups share their median.

    `correction` is for tables of 2 × 2: none, that of Yates, or Fisher's exact test instead (the statistic is then
    that of the plain χ²); with more groups Yates changes nothing and Fisher is refused. With two groups φ is positive
    where the first is higher, and `alternative` may be one-sided.
    """
    check_choice("ties", ties, ("below", "above", "ignore"))
    check_choice("correction", correction, ("none", "yates", "fisher"))
    check_settings(alpha, level, alternative)
    taken = take_groups(groups, names)
    if len(groups) > 2 and (alternative != "two-sided" or correction == "fisher"):
        what = "Fisher's exact test" if correction == "fisher" else f"alternative '{alternative}'"
        raise UserError(f"With {len(groups)} groups there is no {what}.", valid="Exactly two groups for it.")
    grand = float(np.median(taken.pooled))
    table = _table(taken, grand, ties)
    applied = correction if len(groups) == 2 else "none"
    statistic = chi_squared_of(table, yates=applied == "yates")
    effect = _effect(table, level)
    significant, otherwise = _sentences(taken.names, effect.value, alternative)
    return TestResult(
        test="median",
        title=Bilingual("Mood's median test", "Mood 中位数检验"),
        symbol="χ²",
        statistic=statistic,
        p=_p(table, statistic, applied, alternative),
        alternative=alternative if len(groups) == 2 else "undirected",
        n=int(table.sum()),
        n_missing=taken.n_missing,
        significant=significant,
        otherwise=otherwise,
        df=(len(groups) - 1.0,),
        effects=(effect,),
        conventions={"ties": ties, "correction": applied},
        details={"grand median": grand, **_cells(taken.names, table)},
        notes=_notes(table, len(taken.pooled), applied),
        alpha=alpha,
        data=checksum(*taken.values),
    )


def _table(groups: Groups, grand: float, ties: str) -> Floats:
    """Count the values above (first row) and below the grand median in each group."""
    above = [(values >= grand if ties == "above" else values > grand).sum() for values in groups.values]
    below = [(values <= grand if ties == "below" else values < grand).sum() for values in groups.values]
    table = np.array([above, below], dtype=np.float64)
    for row, side in zip(table, ("above", "below"), strict=True):
        if not row.sum():
            raise UserError(
                f"With ties='{ties}' no value lies {side} the grand median {grand:g}.",
                valid="Values on both sides of the median.",
                remedy="Choose another ties: below, above or ignore.",
            )
    for column, name in zip(table.T, groups.names, strict=True):
        if not column.sum():
            raise UserError(
                f"All values of {name} equal the grand median {grand:g} and are left out.",
                remedy="Choose ties='below' or ties='above'.",
            )
    return table


def chi_squared_of(table: Floats, *, yates: bool = False) -> float:
    """Return Pearson's χ² of a table of counts; Yates' correction takes up to ½ off each deviation."""
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    gaps = np.abs(table - expected)
    gaps = np.maximum(gaps - 0.5, 0.0) if yates else gaps
    return float((gaps**2 / expected).sum())


def _p(table: Floats, statistic: float, correction: str, alternative: str) -> float:
    # The first column above the median is the cell whose growth speaks for "greater".
    if correction == "fisher":
        return float(scipy.stats.fisher_exact(table.astype(np.int64), alternative=alternative).pvalue)
    if alternative == "two-sided":
        return float(scipy.stats.chi2.sf(statistic, table.shape[1] - 1))
    sign = float(np.sign(np.linalg.det(table)))
    z = sign * math.sqrt(statistic)
    return float(scipy.stats.norm.sf(z) if alternative == "greater" else scipy.stats.norm.cdf(z))


def _effect(table: Floats, level: float) -> Effect:
    if table.shape[1] == 2:
        return phi(table, level=level)
    return cramers_v(chi_squared_of(table), int(table.sum()), *table.shape, level=level)


def _cells(names: Sequence[str], table: Floats) -> Mapping[str, float]:
    sides = ("above", "below")
    return {f"{name} {side}": float(table[row, k]) for k, name in enumerate(names) for row, side in enumerate(sides)}


def _notes(table: Floats, n_given: int, correction: str) -> tuple[Bilingual, ...]:
    notes = []
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    if expected.min() < 5 and correction != "fisher":
        notes.append(
            Bilingual(
                f"The smallest expected count is {expected.min():.1f}; χ² is not reliable below 5.",
                f"最小期望频数为 {expected.min():.1f}；低于 5 时 χ² 不可靠。",
            )
        )
    if n_given > table.sum():
        left_out = n_given - int(table.sum())
        notes.append(
            Bilingual(
                f"{left_out} values that equal the median are left out.", f"有 {left_out} 个等于中位数的值未计入。"
            )
        )
    return tuple(notes)


def _sentences(names: Sequence[str], effect: float, alternative: str) -> tuple[Bilingual, Bilingual]:
    listing = listed(names)
    where, share = "above the common median", "高于共同中位数的比例"
    none = Bilingual(
        f"No difference between {listing.en} was found in how often they lie {where}",
        f"未发现{listing.zh}{share}存在差异",
    )
    if len(names) > 2:
        return Bilingual(f"{listing.en} differ in how often they lie {where}", f"{listing.zh}{share}存在差异"), none
    first, second = names
    if alternative == "two-sided":
        higher, lower = (first, second) if effect > 0 else (second, first)
        return Bilingual(f"{higher} lies {where} more often than {lower}", f"{higher} {share}大于 {lower}"), none
    word, character = ("more", "大于") if alternative == "greater" else ("less", "小于")
    return (
        Bilingual(f"{first} lies {where} {word} often than {second}", f"{first} {share}{character} {second}"),
        Bilingual(
            f"{first} was not found to lie {where} {word} often than {second}",
            f"未发现 {first} {share}{character} {second}",
        ),
    )
