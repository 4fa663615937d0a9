"""Which pairs of groups differ in their mean ranks (Dunn's tests after Kruskal and Wallis)?

All groups stay ranked together, and the variance is that of all of them [1]; p is adjusted over the family of all
pairs.

[1] Dunn, O. J. (1964). Multiple comparisons using rank sums. Technometrics 6.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from numpy.typing import ArrayLike

from hengliang.analysis.effect_sizes import cliffs_delta, r_from_z
from hengliang.analysis.families import Correction, adjust
from hengliang.analysis.ranks.kruskal_wallis import split_ranks
from hengliang.analysis.ranks.reference import normal_p
from hengliang.analysis.ranks.samples import Groups, check_settings, take_groups, tell_direction, tie_sum
from hengliang.analysis.results import TestResult, checksum
from hengliang.core.terms import Bilingual


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
    first, second = (taken.values[place] for place in pair)
    names = tuple(taken.names[place] for place in pair)
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
        n_missing=sum(taken.missing[place] for place in pair),
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
