"""Effect sizes with confidence intervals: φ, Cramér's V, rank-biserial r, Cliff's δ, η², ω², ε², Cohen's d.

Every function gives an `Effect`: the value, its interval, and in `method` how the interval was made. An interval that
is not defined, or that would not hold its own value, is withheld, and `method` says why. Samples may hold missing
values (None, NaN); they are left out, in paired samples with their pair. The intervals from noncentral distributions,
on which many of the others rest, come first.

[1] Bishop, Y., Fienberg, S., & Holland, P. (1975). Discrete multivariate analysis. MIT Press. Section 11.3.
[2] Kerby, D. S. (2014). The simple difference formula. Comprehensive Psychology 3.
[3] Cliff, N. (1996). Ordinal methods for behavioral data analysis. Erlbaum.
[4] Feng, D., & Cliff, N. (2004). Monte Carlo evaluation of ordinal d with improved confidence interval. Journal of
    Modern Applied Statistical Methods 3.
[5] Smithson, M. (2003). Confidence intervals. Sage.
[6] Cohen, J. (1988). Statistical power analysis for the behavioral sciences. 2nd ed. Erlbaum.
[7] Hedges, L. V. (1981). Distribution theory for Glass's estimator of effect size. Journal of Educational Statistics 6.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from hengliang.core.errors import Failure, UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.results import Effect, Sample, check_choice, check_magnitude, is_missing, unmasked

# --- noncentral distributions -----------------------------------------------------------------------------------------
# An interval of an effect size is often an interval of the noncentrality of χ², F or t, brought to another scale [5].
# Its bounds are the noncentralities under which the observed statistic lies exactly at either tail. Those of χ² and F
# cannot be negative: a bound that would be negative is 0.

Bounds = tuple[float, float]


def check_level(level: float) -> None:
    """Refuse a level of an interval that is not a probability."""
    if not 0 < level < 1:
        raise UserError(f"level = {level} is no level of an interval.", valid="0 < level < 1, for example 0.95.")


def _chi_squared_below(noncentrality: float, chi_squared: float, df: float) -> float:
    return float(scipy.stats.ncx2.cdf(chi_squared, df, noncentrality))


def _f_below(noncentrality: float, f: float, df1: float, df2: float) -> float:
    return float(scipy.stats.ncf.cdf(f, df1, df2, noncentrality))


def _t_below(noncentrality: float, t: float, df: float) -> float:
    share = float(scipy.stats.nct.cdf(t, df, noncentrality))
    # SciPy gives no number for some large t with few degrees of freedom.
    return share if math.isfinite(share) else _far_t_below(noncentrality, t, df)


def _far_t_below(noncentrality: float, t: float, df: float) -> float:
    """Return the share below a large positive t: the mean, over normal z, of P(√(χ²/df) ≥ (z + noncentrality)/t)."""
    z = np.linspace(-9.0, 9.0, 3601)
    bound = np.maximum(z + noncentrality, 0.0) / t
    weights = scipy.stats.norm.pdf(z)
    return float((weights * scipy.stats.chi2.sf(df * bound**2, df)).sum() / weights.sum())


def noncentral_chi_squared(chi_squared: float, df: float, level: float = 0.95) -> Bounds:
    """Return the interval of the noncentrality of an observed χ²."""
    return _from_zero(partial(_chi_squared_below, chi_squared=chi_squared, df=df), chi_squared, level)


def noncentral_f(f: float, df1: float, df2: float, level: float = 0.95) -> Bounds:
    """Return the interval of the noncentrality of an observed F."""
    return _from_zero(partial(_f_below, f=f, df1=df1, df2=df2), f * df1, level)


def noncentral_t(t: float, df: float, level: float = 0.95) -> Bounds:
    """Return the interval of the noncentrality of an observed t."""
    check_level(level)
    tail = (1 - level) / 2
    # The left tail of t is computed less exactly than the right one; t and −t are mirror images.
    low, high = (_solve(partial(_t_below, t=abs(t), df=df), abs(t), share) for share in (1 - tail, tail))
    return (low, high) if t >= 0 else (-high, -low)


def _from_zero(below: Callable[[float], float], start: float, level: float) -> Bounds:
    check_level(level)
    tail = (1 - level) / 2
    at_zero = below(0.0)
    low, high = (_solve(below, start, share, floor=0.0) if at_zero > share else 0.0 for share in (1 - tail, tail))
    return low, high


def _solve(below: Callable[[float], float], start: float, share: float, floor: float | None = None) -> float:
    """Find the noncentrality that leaves `share` below the statistic; the share falls as noncentrality grows."""
    step = 1.0 + abs(start) ** 0.5
    low = high = start
    for _ in range(60):
        if below(high) < share:
            break
        high, step = high + step, 2 * step
    step = 1.0 + abs(start) ** 0.5
    for _ in range(60):
        if below(low) > share or low == floor:
            break
        low, step = low - step, 2 * step
        low = low if floor is None else max(floor, low)
    if not below(low) >= share >= below(high):
        raise Failure(f"No interval of the noncentrality was found for the statistic {start:g}.")
    return float(scipy.optimize.brentq(lambda value: below(value) - share, low, high, xtol=1e-12, rtol=1e-13))


# --- effect sizes -----------------------------------------------------------------------------------------------------


Floats = NDArray[np.float64]
Zeros = Literal["wilcox", "pratt", "split"]
ZEROS: tuple[str, ...] = ("wilcox", "pratt", "split")
"""Pairs without a difference: dropped before ranking, ranked and then dropped, or counted half on each side."""

COHEN_LABELS: tuple[tuple[float, Bilingual], ...] = (
    (0.26, Bilingual("substantial", "较强")),
    (0.13, Bilingual("moderate", "中等")),
    (0.02, Bilingual("weak", "弱")),
    (0.0, Bilingual("very weak", "很弱")),
)
"""The smallest R² to which each of Cohen's words applies [6]."""


def phi(table: ArrayLike, *, level: float = 0.95) -> Effect:
    """Return φ of a 2 × 2 table, positive where the main diagonal outweighs the other.

    The interval is symmetric on the scale of Fisher's z. Its standard error is the multinomial one of φ [1], which is
    1/√N only where φ is 0: the 1/√(N − 3) of a normal correlation does not hold for two dichotomies.
    """
    check_level(level)
    cells = check_two_by_two(table)
    total = cells.sum()
    shares = cells / total
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    if (rows == 0).any() or (columns == 0).any():
        raise UserError(
            "φ is not defined for a table in which a row or a column is empty.",
            valid="Each row and each column holds at least one observation.",
        )
    spread_rows, spread_columns = math.sqrt(rows[0] * rows[1]), math.sqrt(columns[0] * columns[1])
    value = float(np.linalg.det(shares) / (spread_rows * spread_columns))
    skew_rows, skew_columns = (rows[0] - rows[1]) / spread_rows, (columns[0] - columns[1]) / spread_columns
    variance = 1 - value**2 + (value + value**3 / 2) * skew_rows * skew_columns
    variance -= 0.75 * value**2 * (skew_rows**2 + skew_columns**2)
    how = "Fisher z with the multinomial standard error"
    return _fisher("phi", "φ", value, math.sqrt(max(variance, 0.0) / total) / (1 - value**2 or 1), level, how)


def phi_from_chi_squared(chi_squared: float, n: int, *, sign: int | None = None, level: float = 0.95) -> Effect:
    """Return φ = √(χ²/N), for a χ² of which only the value and N are known.

    Without `sign` it is the size alone, with an interval from noncentral χ² with 1 degree of freedom (which holds 0
    where p > (1 − level)/2). With `sign` (1 or −1) the interval is Fisher's z with standard error 1/√N.
    """
    _check_chi_squared(chi_squared, n)
    if sign is None:
        return _from_noncentral_chi_squared("phi", "φ", chi_squared, 1, float(n), level)
    if sign not in (1, -1):
        raise UserError(f"sign = {sign} is no sign.", valid="1, −1, or None where only the size is known.")
    check_level(level)
    value = _within_one(sign * math.sqrt(chi_squared / n), f"χ² = {chi_squared:g} and N = {n}")
    return _fisher("phi", "φ", value, 1 / math.sqrt(n), level, "Fisher z, standard error 1/√N")


def r_from_z(z: float, n: int, level: float = 0.95) -> Effect:
    """Return r = z/√N with Fisher's interval (standard error 1/√(N − 3)); what N counts is for the caller to state."""
    check_level(level)
    if n < 1 or math.isnan(z):
        raise UserError(f"r = z/√N cannot be had from z = {z:g} and N = {n}.", valid="A number z and N of 1 or more.")
    value = _within_one(z / math.sqrt(n), f"z = {z:g} and N = {n}")
    if n <= 3:
        return Effect("r", "r", value, level=level, method=f"z/√{n}; no interval from 3 observations or fewer")
    return _fisher("r", "r", value, 1 / math.sqrt(n - 3), level, f"z/√{n}; Fisher z, standard error 1/√(N − 3)")


def matched_rank_biserial(differences: ArrayLike, *, zeros: Zeros = "wilcox", level: float = 0.95) -> Effect:
    """Return the share of rank sums in favour minus the share against [2]: (R₊ − R₋)/(R₊ + R₋).

    `zeros`: dropped ("wilcox"), ranked but on neither side ("pratt"), or half on each side ("split", which draws the
    value towards 0). R₊ − R₋ is the sum of the signs of all dᵢ + dⱼ with i ≤ j, so that the standard error follows
    from how much each difference adds to it (infinitesimal jackknife); the interval is built on Fisher's z. Where all
    differences have one sign, the bound is Wilson's for as many successes.
    """
    check_level(level)
    check_choice("zeros", zeros, ZEROS)
    values = Sample.of(differences, "The sample of differences").values
    ranked = values[values != 0] if zeros == "wilcox" else values
    nonzero = int(np.count_nonzero(ranked))
    if not nonzero:
        raise UserError("The rank-biserial correlation is not defined without a difference that is not 0.")
    n, n_zeros = len(ranked), len(ranked) - nonzero
    ordered = np.sort(ranked)
    above = n - np.searchsorted(ordered, -ranked, side="right")
    signs = (above - np.searchsorted(ordered, -ranked, side="left")).astype(np.float64)
    pairs = np.where((ranked == 0) & (zeros == "pratt"), n - n_zeros, n).astype(np.float64)
    # Each pair i < j is met twice in the sums over all i and j, each i = j once.
    own = np.sign(ranked).sum()
    total = n * (n + 1) / 2 - (n_zeros * (n_zeros + 1) / 2 if zeros == "pratt" else 0)
    value = float((signs.sum() + own) / 2 / total)
    name, symbol = "rank-biserial", "r_rb"
    if abs(value) == 1:
        return _at_the_edge(name, symbol, value, nonzero, level)
    error = math.sqrt(float(np.square(signs - value * pairs).sum()) * n / max(n - 1, 1)) / total
    return _fisher(name, symbol, value, error / (1 - value**2), level, "Fisher z, infinitesimal jackknife")


def rank_biserial(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Effect:
    """Return P(X > Y) − P(X < Y), the rank-biserial correlation of two independent samples; it equals Cliff's δ."""
    return _dominance("rank-biserial", "r_rb", x, y, level)


def cliffs_delta(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Effect:
    """Return Cliff's δ = P(X > Y) − P(X < Y).

    The interval is that of Feng and Cliff [4], asymmetric, with Cliff's consistent variance [3]. Where the samples do
    not overlap, the bound is Wilson's for as many successes as the smaller sample has observations.
    """
    return _dominance("cliff-delta", "δ", x, y, level)


def _dominance(name: str, symbol: str, x: ArrayLike, y: ArrayLike, level: float) -> Effect:
    check_level(level)
    first, second = Sample.of(x, "The first sample").values, Sample.of(y, "The second sample").values
    n_x, n_y = len(first), len(second)
    if not n_x or not n_y:
        raise UserError(f"{symbol} needs two samples; they hold {n_x} and {n_y} observations.")
    of_x, of_y = _dominances(first, second), _dominances(second, first)
    value = float(of_x.mean())
    if abs(value) == 1:
        return _at_the_edge(name, symbol, value, min(n_x, n_y), level)
    if min(n_x, n_y) < 2:
        return Effect(name, symbol, value, level=level, method="no interval from a sample of one")
    untied = float(_counts_beside(first, second).sum())
    if not untied:
        return Effect(name, symbol, value, level=level, method="no interval where all values are equal")
    spread = (untied - n_x * n_y * value**2) / ((n_x - 1) * (n_y - 1))
    variance = ((n_y - 1) * of_x.var(ddof=1) + (n_x - 1) * of_y.var(ddof=1) + spread) / (n_x * n_y)
    quantile = float(scipy.stats.norm.isf((1 - level) / 2))
    shrunk = 1 - value**2 + quantile**2 * variance
    half = quantile * math.sqrt(variance * ((1 - value**2) ** 2 + quantile**2 * variance))
    low, high = (value - value**3 - half) / shrunk, (value - value**3 + half) / shrunk
    return Effect(
        name, symbol, value, max(-1.0, low), min(1.0, high), level, "Feng and Cliff, with Cliff's consistent variance"
    )


def _counts_beside(values: Floats, others: Floats) -> NDArray[np.int64]:
    """Return for each value how many of the others lie below it and above it."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, values, side="left")
    return np.stack([below, len(ordered) - np.searchsorted(ordered, values, side="right")])


def _dominances(values: Floats, others: Floats) -> Floats:
    below, above = _counts_beside(values, others)
    share: Floats = (below - above) / len(others)
    return share


def cramers_v(chi_squared: float, n: int, rows: int, columns: int, *, level: float = 0.95) -> Effect:
    """Return V = √(χ²/(N·(min(rows, columns) − 1))), which has no sign, with an interval from noncentral χ² [5]."""
    _check_chi_squared(chi_squared, n)
    if rows < 2 or columns < 2:
        raise UserError(f"V needs a table of at least 2 × 2, not {rows} × {columns}.")
    scale = float(n * (min(rows, columns) - 1))
    return _from_noncentral_chi_squared("cramer-v", "V", chi_squared, (rows - 1) * (columns - 1), scale, level)


def eta_squared(f: float, df1: float, df2: float, *, level: float = 0.95) -> Effect:
    """Return η² = df₁F/(df₁F + df₂), the share of variance explained in a one-way analysis.

    The interval is that of noncentral F, with λ/(λ + df₁ + df₂ + 1) [5].
    """
    _check_f(f, df1, df2)
    return _explained("eta-squared", "η²", df1 * f / (df1 * f + df2), f, df1, df2, level)


def epsilon_squared(f: float, df1: float, df2: float, *, level: float = 0.95) -> Effect:
    """Return ε² = df₁(F − 1)/(df₁F + df₂), η² less its bias; below 0 where F < 1."""
    _check_f(f, df1, df2)
    return _explained("epsilon-squared", "ε²", df1 * (f - 1) / (df1 * f + df2), f, df1, df2, level)


def omega_squared(f: float, df1: float, df2: float, *, level: float = 0.95) -> Effect:
    """Return ω² = df₁(F − 1)/(df₁F + df₂ + 1), less biased still; below 0 where F < 1."""
    _check_f(f, df1, df2)
    return _explained("omega-squared", "ω²", df1 * (f - 1) / (df1 * f + df2 + 1), f, df1, df2, level)


def _explained(name: str, symbol: str, value: float, f: float, df1: float, df2: float, level: float) -> Effect:
    low, high = (bound / (bound + df1 + df2 + 1) for bound in noncentral_f(f, df1, df2, level))
    return holding(name, symbol, value, low, high, level, "noncentral F")


def cohens_d(x: ArrayLike, y: ArrayLike, *, paired: bool = False, hedges: bool = False, level: float = 0.95) -> Effect:
    """Return the difference of means in standard deviations, positive where x is larger.

    Unpaired: d, by the pooled deviation. Paired: d_z, by the deviation of the differences. `hedges` takes the bias out
    (g, g_z) [7]. The interval comes from noncentral t; it is one of the true difference, so that `hedges` leaves it.
    """
    if paired:
        first, second = paired_values(x, y)
        check_magnitude(np.concatenate([first, second]), "the pairs")
        gaps = first - second
        n, df, scale = len(gaps), len(gaps) - 1, math.sqrt(len(gaps))
        spread = float(gaps.std(ddof=1)) if n > 1 else 0.0
        middle = float(gaps.mean()) if n else 0.0
    else:
        first, second = Sample.of(x, "The first sample").values, Sample.of(y, "The second sample").values
        n_x, n_y = len(first), len(second)
        if not n_x or not n_y:
            raise UserError(f"Cohen's d needs two samples; they hold {n_x} and {n_y} observations.")
        check_magnitude(np.concatenate([first, second]), "the samples")
        df, scale = n_x + n_y - 2, math.sqrt(n_x * n_y / (n_x + n_y))
        squares = n_x * float(first.var()) + n_y * float(second.var())
        spread = math.sqrt(squares / df) if df > 0 else 0.0
        middle = float(first.mean() - second.mean())
    largest = float(np.abs(np.concatenate([first, second])).max(initial=0.0))
    # Equal numbers such as 0.1 may have a deviation of some 1e-17 in binary, and so may equal differences of 100.1.
    if spread <= 1e-14 * largest or df < 1:
        raise UserError(
            f"Cohen's d{'_z' if paired else ''} is not defined: " + _why_no_spread(df, paired),
            valid="At least two observations a sample that are not all equal.",
            remedy="Ordinal data are better served by cliffs_delta or matched_rank_biserial.",
        )
    value = middle / spread
    low, high = (bound / scale for bound in noncentral_t(value * scale, df, level))
    value *= hedges_correction(df) if hedges else 1.0
    symbol = ("g" if hedges else "d") + ("_z" if paired else "")
    return Effect("cohen-d", symbol, value, low, high, level, f"noncentral t, {df} degrees of freedom", bounded=False)


def _why_no_spread(df: int, paired: bool) -> str:
    if df < 1:
        return "there are too few observations."
    return "all differences are equal." if paired else "neither sample varies."


def hedges_correction(df: float) -> float:
    """Return the factor that takes the bias out of Cohen's d [7]: Γ(df/2) / (√(df/2) Γ((df − 1)/2))."""
    if df <= 1:
        raise UserError("Hedges' correction needs more than one degree of freedom.", remedy="Use hedges=False.")
    return math.exp(scipy.special.gammaln(df / 2) - scipy.special.gammaln((df - 1) / 2)) / math.sqrt(df / 2)


def cohen_r_squared_label(r_squared: float) -> Bilingual:
    """Return Cohen's word for an R²: very weak below .02, weak below .13, moderate below .26, else substantial [6].

    >>> cohen_r_squared_label(0.15).en
    'moderate'
    """
    if not 0 <= r_squared <= 1:
        raise UserError(f"R² = {r_squared:g} is no share of variance.", valid="A number from 0 to 1.")
    return next(label for smallest, label in COHEN_LABELS if r_squared >= smallest)


def paired_values(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Return two samples of pairs without the pairs of which one half is missing."""
    first, second = (np.ravel(np.asarray(unmasked(side), dtype=object)) for side in (x, y))
    if len(first) != len(second):
        raise UserError(
            f"The samples hold {len(first)} and {len(second)} values and are no pairs.",
            valid="Two samples of one length, of which the first values belong together, the second, and so on.",
        )
    missing = np.array([is_missing(a) or is_missing(b) for a, b in zip(first, second, strict=True)], dtype=bool)
    return (
        Sample.of(first[~missing], "The first sample").values,
        Sample.of(second[~missing], "The second sample").values,
    )


def check_two_by_two(table: ArrayLike) -> Floats:
    """Return the four counts of a table, or say what is wrong with it."""
    try:
        cells = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UserError(f"The table holds something that is no number: {error}.", valid="2 × 2 counts.") from error
    if cells.shape != (2, 2):
        raise UserError(f"The table has the shape {cells.shape}.", valid="2 rows of 2 counts.")
    if not np.isfinite(cells).all() or (cells < 0).any() or cells.sum() <= 0:
        raise UserError(f"The table {cells.tolist()} holds what is no count.", valid="Counts of 0 or more, not all 0.")
    return cells


def _check_chi_squared(chi_squared: float, n: int) -> None:
    if not (math.isfinite(chi_squared) and chi_squared >= 0) or n < 1:
        raise UserError(f"χ² = {chi_squared:g} with N = {n} cannot be.", valid="χ² of 0 or more, N of 1 or more.")


def _check_f(f: float, df1: float, df2: float) -> None:
    if not (math.isfinite(f) and f >= 0) or df1 <= 0 or df2 <= 0:
        raise UserError(f"F({df1:g}, {df2:g}) = {f:g} cannot be.", valid="F of 0 or more, df above 0.")


def _within_one(value: float, what: str) -> float:
    if abs(value) > 1 + 1e-9:
        raise UserError(
            f"{what} would make an effect of {value:.3g}, beyond 1.",
            valid="The statistic and the number of observations it was computed from.",
        )
    return max(-1.0, min(1.0, value))


def _fisher(name: str, symbol: str, value: float, error: float, level: float, how: str) -> Effect:
    if abs(value) > 1 - 1e-12:
        return Effect(name, symbol, value, level=level, method=f"{how}: no interval at the edge")
    middle, half = math.atanh(value), float(scipy.stats.norm.isf((1 - level) / 2)) * error
    return Effect(name, symbol, value, math.tanh(middle - half), math.tanh(middle + half), level, how)


def _at_the_edge(name: str, symbol: str, value: float, n: int, level: float) -> Effect:
    squared = float(scipy.stats.norm.isf((1 - level) / 2)) ** 2
    bound = (n - squared) / (n + squared)
    low, high = (bound, 1.0) if value > 0 else (-1.0, -bound)
    return Effect(name, symbol, value, low, high, level, f"Wilson bound for {n} of {n}")


def _from_noncentral_chi_squared(
    name: str, symbol: str, chi_squared: float, df: int, scale: float, level: float
) -> Effect:
    value = _within_one(math.sqrt(chi_squared / scale), f"χ² = {chi_squared:g}")
    low, high = (min(1.0, math.sqrt(bound / scale)) for bound in noncentral_chi_squared(chi_squared, df, level))
    return holding(name, symbol, value, low, high, level, "noncentral χ²")


def holding(name: str, symbol: str, value: float, low: float, high: float, level: float, how: str) -> Effect:
    """Withhold an interval that does not hold its value, as happens where the statistic is below what chance gives."""
    if not low <= value <= high:
        return Effect(name, symbol, value, level=level, method=f"{how}: the interval does not hold the value")
    return Effect(name, symbol, value, low, high, level, how)
