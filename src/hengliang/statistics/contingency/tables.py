"""Contingency tables of counts, and the chi-squared tests of independence: Pearson's χ² and the likelihood ratio G.

A `CountTable` is what all tests of this folder take: whole numbers, with names for the rows (the groups) and the
columns (the answers). Plain nested lists do as well. The tests in this chapter ask whether all rows have the same
distribution over the columns.

[1] Yates, F. (1934). Contingency tables involving small numbers and the χ² test. Supplement to the JRSS 1.
[2] Agresti, A. (2013). Categorical data analysis. 3rd ed. Wiley. Chapter 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, get_args

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.conventions import Convention
from hengliang.statistics.effect_sizes import cramers_v, phi
from hengliang.statistics.results import Effect, TestResult, check_alpha, check_choice, checksum, is_missing, listed

# --- tables of counts -------------------------------------------------------------------------------------------------


SMALL = 5
"""Below this expected count the χ² distribution is a poor guide (Cochran's rule)."""


@dataclass(frozen=True, slots=True)
class CountTable:
    """Counts by group (rows) and answer (columns); `n_missing` pairs were left out because a value was missing."""

    counts: tuple[tuple[int, ...], ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    n_missing: int = 0

    @classmethod
    def of(
        cls, counts: ArrayLike | Self, *, rows: Sequence[str] | None = None, columns: Sequence[str] | None = None
    ) -> Self:
        """Check the counts and name rows and columns; a table that is one already may be renamed."""
        if isinstance(counts, cls):
            table = counts
        else:
            cells = _whole_numbers(counts)
            shape = cells.shape
            table = cls(tuple(map(tuple, cells.tolist())), _letters(shape[0]), _numbers(shape[1]))
        table = replace(table, rows=_names(rows, table.rows, "row"))
        return replace(table, columns=_names(columns, table.columns, "column"))

    @classmethod
    def cross(
        cls,
        first: Sequence[Any],
        second: Sequence[Any],
        *,
        rows: Sequence[Any] | None = None,
        columns: Sequence[Any] | None = None,
        square: bool = False,
    ) -> Self:
        """Count how often each value of `first` (rows) meets each of `second` (columns).

        Levels come in the order given by `rows` and `columns`, else sorted. `square` gives both the levels of either,
        for two judgements of the same things. A pair with None or NaN is missing.
        """
        firsts, seconds = list(first), list(second)
        if len(firsts) != len(seconds):
            raise UserError(
                f"The two columns hold {len(firsts)} and {len(seconds)} values.",
                valid="Two columns of one length, a row for each observation.",
            )
        pairs = [(a, b) for a, b in zip(firsts, seconds, strict=True) if not (is_missing(a) or is_missing(b))]
        both = [a for a, _ in pairs] + [b for _, b in pairs]
        row_levels = _levels(both if square else [a for a, _ in pairs], rows)
        column_levels = _levels(both if square else [b for _, b in pairs], columns)
        if min(len(row_levels), len(column_levels)) < 2:
            raise UserError(
                "A table needs at least two rows and two columns.", valid="Columns with two values or more."
            )
        counts = np.zeros((len(row_levels), len(column_levels)), dtype=np.int64)
        np.add.at(counts, ([row_levels[a] for a, _ in pairs], [column_levels[b] for _, b in pairs]), 1)
        n_missing = len(firsts) - len(pairs)
        return cls(
            tuple(map(tuple, counts.tolist())), tuple(map(str, row_levels)), tuple(map(str, column_levels)), n_missing
        )

    def array(self) -> NDArray[np.float64]:
        """Return the counts as numbers to compute with."""
        return np.array(self.counts, dtype=np.float64)

    @property
    def n(self) -> int:
        """How many observations were counted."""
        return sum(map(sum, self.counts))

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns there are."""
        return len(self.rows), len(self.columns)

    def expected(self) -> NDArray[np.float64]:
        """Return the counts that independence of rows and columns would give."""
        cells = self.array()
        expected: NDArray[np.float64] = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / cells.sum()
        return expected

    def checksum(self) -> str:
        """Return the checksum of the counts, for signatures."""
        return checksum(self.array(), np.array(self.shape))

    def refuse_empty(self) -> None:
        """Say which row or column holds nothing, for tests that such a one leaves undefined."""
        cells = self.array()
        for what, names, sums in (("row", self.rows, cells.sum(axis=1)), ("column", self.columns, cells.sum(axis=0))):
            for name, total in zip(names, sums, strict=True):
                if total == 0:
                    raise UserError(
                        f"The {what} '{name}' of the table holds no observation.",
                        valid="Each row and each column holds at least one.",
                        remedy=f"Leave the {what} out, or merge it with another one.",
                    )

    def refuse_other_than_two_by_two(self, what: str, remedy: str = "") -> None:
        """Say that a test is for 2 × 2 tables."""
        if self.shape != (2, 2):
            rows, columns = self.shape
            raise UserError(f"{what} is defined for 2 × 2 tables, not {rows} × {columns}.", remedy=remedy)

    def few_expected(self) -> tuple[Bilingual, ...]:
        """Warn where expected counts are small (Cochran's rule)."""
        expected = self.expected()
        few = int((expected < SMALL).sum())
        if not few:
            return ()
        smallest = f"{expected.min():.2f}"
        return (
            Bilingual(
                f"{few} of {expected.size} cells have an expected count below {SMALL} (smallest {smallest}): "
                "the χ² distribution is a poor guide here, an exact test a better one.",
                f"{expected.size} 个单元格中有 {few} 个的期望频数小于 {SMALL}（最小为 {smallest}）："
                "卡方近似不可靠，宜用精确检验。",
            ),
        )

    def findings(self, alternative: str = "two-sided") -> tuple[Bilingual, Bilingual]:
        """Return the sentences for a difference between the rows that was shown and for one that was not.

        One-sided, of a 2 × 2 table, they are about the share of the first column.
        """
        if alternative != "two-sided":
            (first, second), answer = self.rows, self.columns[0]
            word, character = ("higher", "高于") if alternative == "greater" else ("lower", "低于")
            return (
                Bilingual(
                    f"The share of {answer} is {word} in {first} than in {second}",
                    f"{first}中 {answer} 的比例显著{character}{second}",
                ),
                Bilingual(
                    f"The share of {answer} was not shown to be {word} in {first} than in {second}",
                    f"未能证明{first}中 {answer} 的比例{character}{second}",
                ),
            )
        names = listed(self.rows)
        return (
            Bilingual(f"The answers of {names.en} are distributed differently", f"{names.zh}的回答分布有显著差异"),
            Bilingual(
                f"A difference between the distributions of {names.en} was not shown",
                f"未能证明{names.zh}的回答分布存在差异",
            ),
        )


def _whole_numbers(counts: ArrayLike | CountTable) -> NDArray[np.int64]:
    valid = "A table of whole numbers, 0 or more, with at least two rows and two columns."
    try:
        cells = np.asarray(counts, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UserError(f"The table holds something that is no number: {error}.", valid=valid) from error
    if cells.ndim != 2 or min(cells.shape) < 2:
        raise UserError(f"The table has the shape {cells.shape}.", valid=valid)
    wrong = ~np.isfinite(cells) | (cells < 0) | (cells != np.floor(cells))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise UserError(
            f"The table holds {cells[row, column]:g} in row {row + 1}, column {column + 1}, which is no count.",
            valid=valid,
            remedy="Give counts, not shares or percentages.",
        )
    if not cells.sum():
        raise UserError("The table holds no observation.", valid=valid)
    return cells.astype(np.int64)


def _names(given: Sequence[str] | None, held: tuple[str, ...], what: str) -> tuple[str, ...]:
    if given is None:
        return held
    if len(given) != len(held):
        raise UserError(f"{len(given)} names were given for {len(held)} {what}s.", valid=f"One name for each {what}.")
    return tuple(map(str, given))


def _letters(count: int) -> tuple[str, ...]:
    return tuple(chr(ord("A") + i) if i < 26 else f"row {i + 1}" for i in range(count))


def _numbers(count: int) -> tuple[str, ...]:
    return tuple(f"column {i + 1}" for i in range(count))


def _levels(values: list[Any], given: Sequence[Any] | None) -> dict[Any, int]:
    present = set(values)
    if given is None:
        try:
            ordered = sorted(present)
        except TypeError:
            ordered = sorted(present, key=str)
    else:
        ordered = list(given)
        unknown = sorted(map(str, present - set(ordered)))
        if unknown:
            known = ", ".join(map(str, ordered))
            raise UserError(f"The value '{unknown[0]}' is none of the levels.", valid=f"Levels: {known}.")
    return {level: index for index, level in enumerate(ordered)}


# --- chi-squared tests of independence --------------------------------------------------------------------------------
# Pearson's χ² and the likelihood ratio G compare the counts with those that equal distributions would give. Yates's
# correction [1] exists for 2 × 2 tables; R and SciPy apply it there unasked, Excel does not, SPSS prints both. The
# effect size is φ with its sign for a 2 × 2 table (positive where the main diagonal outweighs the other) and Cramér's V
# otherwise; both are taken from the uncorrected table.

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
