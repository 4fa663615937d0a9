"""Friedman test of related samples, with Kendall's W and post-hoc pairs (signed ranks, Nemenyi).

Values are ranked within each block (a rater, a sentence); χ² is corrected for ties [1]. The approximation is better in
the form of Iman and Davenport's F [2]. Kendall's W says how far the blocks agree. Which pairs of conditions differ is
for `friedman_pairs` to say.

[1] Friedman, M. (1937). The use of ranks to avoid the assumption of normality. JASA 32.
[2] Iman, R. L., & Davenport, J. M. (1980). Approximations of the critical region of the Friedman statistic.
    Communications in Statistics A9.
[3] Nemenyi, P. (1963). Distribution-free multiple comparisons. Princeton.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.conventions import Convention
from hengliang.statistics.effect_sizes import Zeros, holding, matched_rank_biserial, noncentral_chi_squared
from hengliang.statistics.multiple_testing import Correction, adjust
from hengliang.statistics.ranks.samples import DIGITS, check_names, check_settings, take_differences, tell_direction
from hengliang.statistics.ranks.wilcoxon import Method, signed_rank_test
from hengliang.statistics.results import Sample, TestResult, check_choice, checksum, is_missing, listed, unmasked
from hengliang.statistics.variance.tukey import survival

Floats = NDArray[np.float64]
Reference = Literal["chi-squared", "f"]
FollowUp = Literal["signed-ranks", "nemenyi"]

CONVENTIONS: tuple[Convention, ...] = (
    Convention({"reference": "chi-squared"}, ("SPSS", "R", "SciPy")),
    Convention({"reference": "f"}),
)
"""Ways to run the test that are in use, with those who run them by default."""


@dataclass(frozen=True, slots=True, eq=False)
class _Blocks:
    """Values with one row per block and one column per condition."""

    values: Floats
    names: tuple[str, ...]
    n_missing: int


def friedman_test(
    *conditions: ArrayLike,
    reference: Reference = "chi-squared",
    names: Sequence[str] | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test whether three or more conditions (two will do) are ranked alike within blocks.

    The values of one block stand at one place of all conditions; blocks with a missing value are left out. The effect
    is Kendall's W = χ²/(n(k − 1)), with an interval from noncentral χ².
    """
    check_choice("reference", reference, ("chi-squared", "f"))
    check_settings(alpha, level)
    blocks = _take_blocks(conditions, names)
    n, k = blocks.values.shape
    ranks = scipy.stats.rankdata(blocks.values, axis=1)
    statistic = _chi_squared(ranks)
    low, high = (min(1.0, bound / (n * (k - 1))) for bound in noncentral_chi_squared(statistic, k - 1, level))
    w = statistic / (n * (k - 1))
    shown, p, df = _read(statistic, n, k, reference)
    listing = listed(blocks.names)
    return TestResult(
        test="friedman",
        title=Bilingual("Friedman's test", "Friedman 检验"),
        symbol="F" if reference == "f" else "χ²",
        statistic=shown,
        p=p,
        alternative="undirected",
        n=n,
        n_missing=blocks.n_missing,
        significant=Bilingual(f"{listing.en} differ in their ranks", f"{listing.zh}的秩次存在差异"),
        otherwise=Bilingual(f"No difference between {listing.en} was found", f"未发现{listing.zh}之间存在差异"),
        df=df,
        effects=(holding("kendall-w", "W", w, low, high, level, "noncentral χ²"),),
        conventions={"reference": "F of Iman and Davenport" if reference == "f" else reference, "ties": "corrected"},
        details={
            "chi-squared": statistic,
            **{f"mean rank {name}": float(mean) for name, mean in zip(blocks.names, ranks.mean(axis=0), strict=True)},
        },
        alpha=alpha,
        data=checksum(blocks.values),
    )


def _take_blocks(conditions: Sequence[ArrayLike], names: Sequence[str] | None) -> _Blocks:
    labels = check_names(names, len(conditions))
    if len(conditions) < 2:
        raise UserError(f"There is {len(conditions)} condition to compare.", valid="Two conditions or more.")
    lengths = [int(np.size(np.asarray(values, dtype=object))) for values in conditions]
    if len(set(lengths)) > 1:
        raise UserError(
            f"The conditions hold {', '.join(map(str, lengths))} values and make no blocks.",
            valid="As many values in each condition, those of one block at the same place.",
        )
    columns = [np.ravel(np.asarray(unmasked(values), dtype=object)) for values in conditions]
    missing = [[is_missing(value) for value in column] for column in columns]
    whole = ~np.array(missing, dtype=bool).reshape(len(columns), -1).any(axis=0)
    kept = [
        Sample.of(column[whole], f"Condition {label}").values for column, label in zip(columns, labels, strict=True)
    ]
    if whole.sum() < 2:
        raise UserError(f"There are {int(whole.sum())} whole blocks.", valid="At least two blocks without a gap.")
    return _Blocks(np.stack(kept, axis=1), labels, int((~whole).sum()))


def _chi_squared(ranks: Floats) -> float:
    n, k = ranks.shape
    # The spread of the ranks as they are, which ties make smaller: this is the correction for ties.
    scale = float(np.square(ranks - (k + 1) / 2).sum() / (k - 1))
    if not scale:
        raise UserError("Within each block all values are equal: there is nothing to rank.")
    deviation = float(np.square(ranks.sum(axis=0) - n * (k + 1) / 2).sum())
    return deviation / scale


def _read(statistic: float, n: int, k: int, reference: str) -> tuple[float, float, tuple[float, ...]]:
    if reference == "chi-squared":
        return statistic, float(scipy.stats.chi2.sf(statistic, k - 1)), (k - 1.0,)
    df = (k - 1.0, (k - 1.0) * (n - 1))
    left = n * (k - 1) - statistic
    # Blocks in full agreement leave nothing to divide by.
    f = math.inf if left <= 1e-12 * n else (n - 1) * statistic / left
    return f, float(scipy.stats.f.sf(f, *df)), df


def friedman_pairs(
    *conditions: ArrayLike,
    follow_up: FollowUp = "signed-ranks",
    adjustment: Correction = "holm",
    zeros: Zeros = "wilcox",
    method: Method = "auto",
    correction: bool = False,
    names: Sequence[str] | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
) -> tuple[TestResult, ...]:
    """Compare each pair of conditions.

    "signed-ranks" runs Wilcoxon's test for each pair (with `zeros`, `method` and `correction` as there) and adjusts p
    for the number of pairs; a pair without any difference is the user's to leave out. "nemenyi" compares mean ranks
    within blocks with the studentised range [3], which covers all pairs at once, so that nothing is adjusted.
    """
    check_choice("follow_up", follow_up, ("signed-ranks", "nemenyi"))
    check_settings(alpha, level)
    blocks = _take_blocks(conditions, names)
    pairs = list(combinations(range(len(conditions)), 2))
    if follow_up == "nemenyi":
        return tuple(_nemenyi(blocks, pair, alpha, level) for pair in pairs)
    results = [
        signed_rank_test(
            blocks.values[:, i],
            blocks.values[:, j],
            zeros=zeros,
            method=method,
            correction=correction,
            names=(blocks.names[i], blocks.names[j]),
            alpha=alpha,
            level=level,
        )
        for i, j in pairs
    ]
    adjusted = adjust([result.p for result in results], method=adjustment)
    return tuple(
        replace(
            result,
            p=p,
            conventions={**result.conventions, "adjustment": adjustment, "family size": len(pairs)},
            details={**result.details, "p unadjusted": math.nan if result.p is None else result.p},
        )
        for result, p in zip(results, adjusted, strict=True)
    )


def _nemenyi(blocks: _Blocks, pair: tuple[int, int], alpha: float, level: float) -> TestResult:
    n, k = blocks.values.shape
    first, second = pair
    means = scipy.stats.rankdata(blocks.values, axis=1).mean(axis=0)
    q = float(means[first] - means[second]) / math.sqrt(k * (k + 1) / (12 * n))
    names = (blocks.names[first], blocks.names[second])
    significant, otherwise = tell_direction(names, q, "two-sided")
    differences = take_differences(blocks.values[:, first], blocks.values[:, second], DIGITS).values
    return TestResult(
        test="nemenyi",
        title=Bilingual("Nemenyi's test", "Nemenyi 检验"),
        symbol="q",
        statistic=q,
        p=survival(abs(q), k, math.inf),
        alternative="two-sided",
        n=n,
        n_missing=blocks.n_missing,
        significant=significant,
        otherwise=otherwise,
        effects=(matched_rank_biserial(differences, level=level),) if differences.any() else (),
        conventions={"reference": "studentised range", "family size": k * (k - 1) // 2, "ties": "mean ranks"},
        alpha=alpha,
        data=checksum(blocks.values, pair),
    )
