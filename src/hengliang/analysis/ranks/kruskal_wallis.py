"""Does any of several groups tend to be higher or lower than the others (Kruskal and Wallis's H)?

H compares the mean ranks of independent groups and is corrected for ties [1]. Which pairs differ is for `dunn_tests`
to say.

[1] Kruskal, W. H., & Wallis, W. A. (1952). Use of ranks in one-criterion variance analysis. JASA 47.
[2] Tomczak, M., & Tomczak, E. (2014). The need to report effect size estimates revisited. Trends in Sport Sciences 21.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from hengliang.analysis.effect_sizes import holding
from hengliang.analysis.multiverse import Convention
from hengliang.analysis.noncentral import noncentral_chi_squared
from hengliang.analysis.ranks.samples import Groups, check_settings, take_groups, tie_sum
from hengliang.analysis.results import Effect, TestResult, checksum
from hengliang.analysis.wording import listed
from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual

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
    h = 12 / (n * (n + 1)) * sum(len(held) * (float(held.mean()) - (n + 1) / 2) ** 2 for held in ranks)
    if tie_correction:
        h /= 1 - tie_sum(taken.pooled) / (n**3 - n)
    said = listed(taken.names)
    return TestResult(
        test="kruskal-wallis",
        title=Bilingual("Kruskal–Wallis test", "Kruskal–Wallis 检验"),
        symbol="H",
        statistic=h,
        p=float(scipy.stats.chi2.sf(h, k - 1)),
        alternative="undirected",
        n=n,
        n_missing=taken.n_missing,
        significant=Bilingual(f"{said.en} differ in how high they tend to be", f"{said.zh}的高低存在差异"),
        otherwise=Bilingual(f"No difference between {said.en} was found", f"未发现{said.zh}之间存在差异"),
        df=(k - 1.0,),
        effects=_effects(h, n, k, level),
        conventions={"tie_correction": tie_correction, "reference": "chi-squared"},
        details={f"mean rank {name}": float(held.mean()) for name, held in zip(taken.names, ranks, strict=True)},
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
