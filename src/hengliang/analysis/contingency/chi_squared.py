"""Are the answers of the groups distributed differently?

Pearson's χ² and the likelihood ratio G compare the counts with those that equal distributions would give. Yates's
correction [1] exists for 2 × 2 tables; R and SciPy apply it there unasked, Excel does not, SPSS prints both. The effect
size is φ with its sign for a 2 × 2 table (positive where the main diagonal outweighs the other) and Cramér's V
otherwise; both are taken from the uncorrected table.

[1] Yates, F. (1934). Contingency tables involving small numbers and the χ² test. Supplement to the JRSS 1.
[2] Agresti, A. (2013). Categorical data analysis. 3rd ed. Wiley. Chapter 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from hengliang.analysis.contingency.tables import CountTable
from hengliang.analysis.effect_sizes import cramers_v, phi
from hengliang.analysis.multiverse import Convention
from hengliang.analysis.results import Effect, TestResult, check_alpha, check_choice
from hengliang.core.terms import Bilingual

Correction = Literal["none", "yates"]
CONVENTIONS: tuple[Convention, ...] = (
    Convention({"correction": "none"}, ("Excel", "SPSS (Pearson)")),
    Convention({"correction": "yates"}, ("R (2 × 2)", "SciPy (2 × 2)", "SPSS (continuity correction)")),
)
"""The two ways to run Pearson's test on a 2 × 2 table."""


def chi_squared(
    counts: ArrayLike | CountTable,
    *,
    correction: Correction = "none",
    names: Sequence[str] | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test with Pearson's χ² whether the rows of a table have the same distribution; `names` are those of the rows.

    >>> chi_squared([[408, 476], [220, 96]]).statistic_text()
    'χ²(1, N = 1200) = 51.39, p < .001, φ = −.21, 95 % CI [−.26, −.15]'
    """
    title = Bilingual("Pearson's χ² test", "皮尔逊卡方检验")
    return _independence("chi-squared", title, "χ²", counts, correction, names, alpha, level)


def g_test(
    counts: ArrayLike | CountTable,
    *,
    correction: Correction = "none",
    names: Sequence[str] | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test with the likelihood ratio G whether the rows of a table have the same distribution."""
    title = Bilingual("Likelihood-ratio G test", "似然比G检验")
    return _independence("g-test", title, "G", counts, correction, names, alpha, level)


def pearson_statistic(observed: NDArray[np.float64], expected: NDArray[np.float64]) -> float:
    """Return Σ (O − E)²/E."""
    return float(((observed - expected) ** 2 / expected).sum())


def likelihood_ratio_statistic(observed: NDArray[np.float64], expected: NDArray[np.float64]) -> float:
    """Return 2 Σ O ln(O/E), where an empty cell adds nothing."""
    return float(2 * scipy.special.xlogy(observed, observed / expected).sum())


def _independence(
    test: str,
    title: Bilingual,
    symbol: str,
    counts: ArrayLike | CountTable,
    correction: Correction,
    names: Sequence[str] | None,
    alpha: float,
    level: float,
) -> TestResult:
    check_choice("correction", correction, get_args(Correction))
    check_alpha(alpha)
    table = CountTable.of(counts, rows=names)
    table.refuse_empty()
    if correction == "yates":
        table.refuse_other_than_two_by_two("Yates's correction", 'Use correction="none".')
    observed, expected = table.array(), table.expected()
    compared = _drawn_together(observed, expected) if correction == "yates" else observed
    statistic = (pearson_statistic if test == "chi-squared" else likelihood_ratio_statistic)(compared, expected)
    statistic = max(statistic, 0.0)  # G of a perfectly even table is some −1e-16
    df = (table.shape[0] - 1) * (table.shape[1] - 1)
    significant, otherwise = table.findings()
    return TestResult(
        test=test,
        title=title,
        symbol=symbol,
        statistic=statistic,
        p=float(scipy.stats.chi2.sf(statistic, df)),
        alternative="undirected",
        n=table.n,
        n_missing=table.n_missing,
        significant=significant,
        otherwise=otherwise,
        df=(df,),
        effects=(association(table, level=level),),
        conventions={"correction": correction},
        details=_details(table),
        notes=table.few_expected(),
        alpha=alpha,
        data=table.checksum(),
    )


def association(table: CountTable, *, level: float = 0.95) -> Effect:
    """Return signed φ for a 2 × 2 table, else Cramér's V."""
    if table.shape == (2, 2):
        return phi(table.array(), level=level)
    return cramers_v(pearson_statistic(table.array(), table.expected()), table.n, *table.shape, level=level)


def _drawn_together(observed: NDArray[np.float64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move each count half a unit towards what is expected, but not past it."""
    difference = expected - observed
    moved: NDArray[np.float64] = observed + np.sign(difference) * np.minimum(0.5, np.abs(difference))
    return moved


def _details(table: CountTable) -> dict[str, float]:
    details = {"smallest expected count": float(table.expected().min())}
    if table.shape[1] == 2:
        shares = table.array()[:, 0] / table.array().sum(axis=1)
        details |= {
            f"share of {table.columns[0]} in {row}": float(share) for row, share in zip(table.rows, shares, strict=True)
        }
    return details
