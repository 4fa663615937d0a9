"""Kruskal–Wallis test of independent groups, with Dunn's post-hoc comparisons.

H compares the mean ranks of independent groups and is corrected for ties [1]. Which pairs of groups differ is for
`dunn_tests` to say.

[1] Kruskal, W. H., & Wallis, W. A. (1952). Use of ranks in one-criterion variance analysis. JASA 47.
[2] Tomczak, M., & Tomczak, E. (2014). The need to report effect size estimates revisited. Trends in Sport Sciences 21.
[3] Dunn, O. J. (1964). Multiple comparisons using rank sums. Technometrics 6.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.conventions import Convention
from hengliang.statistics.effect_sizes import cliffs_delta, holding, noncentral_chi_squared, r_from_z
from hengliang.statistics.multiple_testing import Correction, adjust
from hengliang.statistics.ranks.samples import Groups, check_settings, normal_p, take_groups, tell_direction, tie_sum
from hengliang.statistics.results import Effect, TestResult, checksum, listed

# --- the Kruskal–Wallis test ------------------------------------------------------------------------------------------


Floats = NDArray[np.float64]

CONVENTIONS: tuple[Convention, ...] = (
    Convention({"tie_correction": True}, ("SPSS", "R", "SciPy")),
    Convention({"tie_correction": False}),
)
"""Ways to run the test that are in use, with those who run them by default."""


def kruskal_wallis_test(
    *groups: ArrayLike,
    tie_correction: bool = True,
    names: Sequence[str] | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test whether two or more independent groups come from one distribution; p is that of χ² with k − 1 degrees.

    Effects [2]: ε² = H/(N − 1), from 0 to 1, and η²_H = (H − k + 1)/(N − k), less biased and below 0 where H is less
    than chance gives. Both have an interval from noncentral χ² (λ/(N − 1)), which is good for small differences.
    """
    check_settings(alpha, level)
    taken = take_groups(groups, names)
    ranks = split_ranks(taken)
    n, k = len(taken.pooled), len(groups)
    h = 12 / (n * (n + 1)) * sum(len(group) * (float(group.mean()) - (n + 1) / 2) ** 2 for group in ranks)
    if tie_correction:
        h /= 1 - tie_sum(taken.pooled) / (n**3 - n)
    listing = listed(taken.names)
    return TestResult(
        test="kruskal-wallis",
        title=Bilingual("Kruskal–Wallis test", "Kruskal–Wallis 检验"),
        symbol="H",
        statistic=h,
        p=float(scipy.stats.chi2.sf(h, k - 1)),
        alternative="undirected",
        n=n,
        n_missing=taken.n_missing,
        significant=Bilingual(f"{listing.en} differ in how high they tend to be", f"{listing.zh}的高低存在差异"),
        otherwise=Bilingual(f"No difference between {listing.en} was found", f"未发现{listing.zh}之间存在差异"),
        df=(k - 1.0,),
        effects=_effects(h, n, k, level),
        conventions={"tie_correction": tie_correction, "reference": "chi-squared"},
        details={f"mean rank {name}": float(group.mean()) for name, group in zip(taken.names, ranks, strict=True)},
        alpha=alpha,
        data=checksum(*taken.values),
    )


def split_ranks(groups: Groups) -> list[Floats]:
    """Return the ranks of all values together, group by group."""
    pooled = groups.pooled
    if len(np.unique(pooled)) < 2:
        raise UserError(
            f"All {len(pooled)} observations are equal: there is nothing to rank.",
            valid="At least two different values.",
        )
    borders = np.cumsum([len(values) for values in groups.values])[:-1]
    return np.split(scipy.stats.rankdata(pooled), borders)


def _effects(h: float, n: int, k: int, level: float) -> tuple[Effect, ...]:
    low, high = (min(1.0, bound / (n - 1)) for bound in noncentral_chi_squared(h, k - 1, level))
    epsilon = holding("epsilon-squared", "ε²", min(1.0, h / (n - 1)), low, high, level, "noncentral χ²")
    if n == k:
        return (epsilon,)
    eta = (h - k + 1) / (n - k)
    return epsilon, holding("eta-squared", "η²_H", eta, low, high, level, "noncentral χ²")


# --- Dunn's post-hoc comparisons --------------------------------------------------------------------------------------
# All groups stay ranked together, and the variance is that of all of them [3]; p is adjusted over the family of all
# pairs.


def dunn_tests(
    *groups: ArrayLike,
    adjustment: Correction = "holm",
    names: Sequence[str] | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
) -> tuple[TestResult, ...]:
    """Compare each pair of groups; p is two-sided and adjusted for the number of pairs (SPSS: "bonferroni").

    z is positive where the first of the pair is higher. r = z/√N takes N as the observations of the pair.
    """
    check_settings(alpha, level)
    taken = take_groups(groups, names)
    ranks = split_ranks(taken)
    n = len(taken.pooled)
    spread = n * (n + 1) / 12 - tie_sum(taken.pooled) / (12 * (n - 1))
    pairs = list(combinations(range(len(groups)), 2))
    read = []
    for i, j in pairs:
        error = math.sqrt(spread * (1 / len(ranks[i]) + 1 / len(ranks[j])))
        read.append(normal_p(float(ranks[i].mean() - ranks[j].mean()), error, "two-sided", correction=False))
    adjusted = adjust([p for _, p in read], method=adjustment)
    return tuple(
        _result(taken, pair, z, p, raised, adjustment, len(pairs), alpha, level)
        for pair, (z, p), raised in zip(pairs, read, adjusted, strict=True)
    )


def _result(
    taken: Groups,
    pair: tuple[int, int],
    z: float,
    p: float,
    adjusted: float | None,
    adjustment: str,
    size: int,
    alpha: float,
    level: float,
) -> TestResult:
    first, second = (taken.values[index] for index in pair)
    names = tuple(taken.names[index] for index in pair)
    significant, otherwise = tell_direction(names, z, "two-sided")
    n = len(first) + len(second)
    bounded = max(-math.sqrt(n), min(math.sqrt(n), z))  # other groups may push z a little beyond its pair
    return TestResult(
        test="dunn",
        title=Bilingual("Dunn's test", "Dunn 检验"),
        symbol="z",
        statistic=z,
        p=adjusted,
        alternative="two-sided",
        n=n,
        n_missing=sum(taken.missing[index] for index in pair),
        significant=significant,
        otherwise=otherwise,
        effects=(r_from_z(bounded, n, level), cliffs_delta(first, second, level=level)),
        conventions={
            "adjustment": adjustment,
            "family size": size,
            "ties": "mean ranks of all groups, variance corrected",
            "r": "z by the root of the observations of the pair",
        },
        details={"p unadjusted": p},
        alpha=alpha,
        data=checksum(first, second, *taken.values),
    )
