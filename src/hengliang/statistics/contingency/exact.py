"""Exact tests of contingency tables: Fisher's exact test and its extension by Freeman and Halton.

Fisher's exact test [1] needs no large counts. For a 2 × 2 table it comes with the odds ratio: the conditional maximum
likelihood estimate with its exact interval, as R gives it, or the cross product of the cells with Woolf's interval. For
larger tables (Freeman and Halton [2]) all tables with the same sums of rows and columns are enumerated, or drawn at
random with a seed.

[1] Fisher, R. A. (1935). The logic of inductive inference. Journal of the Royal Statistical Society 98.
[2] Freeman, G. H., Halton, J. H. (1951). Note on an exact treatment of contingency. Biometrika 38.
[3] Agresti, A. (1992). A survey of exact inference for contingency tables. Statistical Science 7.
[4] Phipson, B., Smyth, G. K. (2010). Permutation p-values should never be zero. Statistical Applications in Genetics 9.
[5] Mehta, C. R., Patel, N. R. (1983). A network algorithm for performing Fisher's exact test in r × c contingency
    tables. Journal of the American Statistical Association 78.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.contingency.tables import CountTable, association
from hengliang.statistics.conventions import Convention
from hengliang.statistics.effect_sizes import check_level
from hengliang.statistics.results import Effect, Sidedness, TestResult, check_alpha, check_choice, check_sidedness

# --- enumeration of tables with fixed sums ----------------------------------------------------------------------------
# Tables are built column by column, from both ends. After each column, all half-built tables with the same remaining
# sums of rows and the same probability so far are one node with a weight: what can follow is the same for all of them.
# In the middle, each node meets the nodes from the other end that leave what it has used. That keeps the number of
# nodes far below the number of tables. It is the idea of the network algorithm [5], without its bounds.

Nodes = NDArray[np.float64]
Half = tuple[NDArray[np.int64], Nodes, Nodes]
"""Half-built tables: what is left of each row, the log of the probability so far, and how many tables it stands for."""
MOST_NODES = 3_000_000
"""More half-built tables than this would fill the memory."""


def share_not_likelier(counts: Sequence[Sequence[int]], same: float) -> float:
    """Return the probability of all tables that are not likelier than this one, given the sums of rows and columns.

    Probabilities that differ relatively by less than `same` are equal.
    """
    cells = np.array(counts, dtype=np.int64)
    # Few rows make few states.
    cells = cells if cells.shape[0] <= cells.shape[1] else cells.T
    rows, columns = cells.sum(axis=1), np.sort(cells.sum(axis=0))
    front, back = _half_built(rows, columns[::2], same), _half_built(rows, columns[1::2], same)
    observed = float(-scipy.special.gammaln(cells + 1.0).sum())
    constant = float(
        scipy.special.gammaln(rows + 1.0).sum()
        + scipy.special.gammaln(columns + 1.0).sum()
        - scipy.special.gammaln(rows.sum() + 1.0)
    )
    # Where all tables count, their sum is 1 up to rounding.
    return min(1.0, _joined(rows, front, back, observed + same, constant))


def _half_built(rows: NDArray[np.int64], columns: NDArray[np.int64], same: float) -> Half:
    """Fill these columns in all ways."""
    half: Half = rows[None, :], np.zeros(1), np.ones(1)
    for total in columns:
        half = _extended(*half, int(total), same)
    return half


def _joined(rows: NDArray[np.int64], front: Half, back: Half, limit: float, constant: float) -> float:
    """Sum the probabilities of all pairs of halves that fit together and whose logs add up to no more than the limit.

    What one half leaves of each row is what the other has used. For each such state the logs of one half are sorted,
    so that a prefix sum holds the weight of all partners below any bound.
    """
    left, front_logs, front_weights = front
    back_left, back_logs, back_weights = back
    front_state, back_state = _codes(left, rows), _codes(rows - back_left, rows)
    order = np.lexsort((back_logs, back_state))
    back_state, back_logs = back_state[order], back_logs[order]
    front_shift, back_shift = float(front_logs.max()), float(back_logs.max())
    shares = back_weights[order] * np.exp(back_logs - back_shift)
    by_state = np.argsort(front_state, kind="stable")
    cuts = np.flatnonzero(np.diff(front_state[by_state])) + 1
    total = 0.0
    for members in np.split(by_state, cuts):
        begin, end = np.searchsorted(back_state, [front_state[members[0]], front_state[members[0]] + 1])
        sums = np.concatenate([[0.0], np.cumsum(shares[begin:end])])
        partners = sums[np.searchsorted(back_logs[begin:end], limit - front_logs[members], side="right")]
        total += float((front_weights[members] * np.exp(front_logs[members] - front_shift) * partners).sum())
    return total * math.exp(front_shift + back_shift + constant)


def _extended(remaining: NDArray[np.int64], logs: Nodes, weights: Nodes, total: int, same: float) -> Half:
    """Add one column of this total in all ways, and merge what cannot be distinguished afterwards."""
    left = np.full(len(logs), total, dtype=np.int64)
    for row in range(remaining.shape[1]):
        # What this cell may hold: no more than its row or the column have left, and no less than later rows leave over.
        later = remaining[:, row + 1 :].sum(axis=1)
        lowest, highest = np.maximum(0, left - later), np.minimum(remaining[:, row], left)
        choices = highest - lowest + 1
        if choices.sum() > MOST_NODES:
            raise _too_many()
        index = np.repeat(np.arange(len(logs)), choices)
        start = np.repeat(np.cumsum(choices) - choices, choices)
        value = lowest[index] + np.arange(len(index)) - start
        remaining, logs, weights = remaining[index].copy(), logs[index], weights[index]
        remaining[:, row] -= value
        left = left[index] - value
        logs = logs - scipy.special.gammaln(value + 1.0)
    return _merged(remaining, logs, weights, same)


def _merged(remaining: NDArray[np.int64], logs: Nodes, weights: Nodes, same: float) -> Half:
    # Equal products of factorials differ by some 1e-13 after rounding. What is closer than a thousandth of `same` may
    # be merged without harm to the comparison at the end.
    rounded, codes = np.rint(logs / (same / 1000)), _codes(remaining, remaining.max(axis=0))
    order = np.lexsort((rounded, codes))
    rounded, codes = rounded[order], codes[order]
    starts = np.flatnonzero(np.concatenate([[True], (rounded[1:] != rounded[:-1]) | (codes[1:] != codes[:-1])]))
    first = order[starts]
    return remaining[first], logs[first], np.add.reduceat(weights[order], starts)


def _codes(states: NDArray[np.int64], largest: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return one whole number for each state, whose digits are the sums of the rows."""
    if float(np.prod(largest + 1.0)) >= 2.0**62:
        raise _too_many()
    strides = np.concatenate([[1], np.cumprod(largest[:-1] + 1)])
    codes: NDArray[np.int64] = states @ strides
    return codes


def _too_many() -> UserError:
    return UserError(
        f"The table has too many others of the same sums to enumerate (over {MOST_NODES:,} half-built ones).",
        remedy='Use method="monte-carlo".',
    )


# --- Fisher's exact test and the Freeman–Halton test ------------------------------------------------------------------


OddsRatio = Literal["conditional", "sample"]
TwoSided = Literal["likelihood", "doubled"]
Method = Literal["enumeration", "monte-carlo"]
SAME = 1e-7
"""Relative difference below which two probabilities are the same number, computed on two ways."""
MOST_VALUES = 5_000_000
"""Up to how many values of one cell probabilities are computed."""
CONVENTIONS: tuple[Convention, ...] = (
    Convention({"two_sided": "likelihood"}, ("R", "SciPy")),
    Convention({"two_sided": "doubled"}),
    Convention({"two_sided": "likelihood", "mid_p": True}),
)
"""The ways to make Fisher's p two-sided in a 2 × 2 table."""


@dataclass(frozen=True, slots=True)
class Hypergeometric:
    """The upper left cell of a 2 × 2 table whose sums are fixed: its possible values and their log-probabilities."""

    support: NDArray[np.float64]
    log_probability: NDArray[np.float64]

    @classmethod
    def of(cls, table: CountTable) -> Hypergeometric:
        """Take the sums from a table."""
        (a, b), (c, d) = table.counts
        if min(a + b, a + c, b + d, c + d) > MOST_VALUES:
            raise UserError(
                f"The upper left cell may take more than {MOST_VALUES:,} values, which are too many to go through.",
                remedy="Use chi_squared, which is as good with such counts.",
            )
        support = np.arange(max(0, a - d), min(a + b, a + c) + 1, dtype=np.float64)
        cells = np.stack([support, a + b - support, a + c - support, d - a + support])
        weights = -scipy.special.gammaln(cells + 1).sum(axis=0)
        return cls(support, weights - scipy.special.logsumexp(weights))

    def probabilities(self, log_odds_ratio: float = 0.0) -> NDArray[np.float64]:
        """Return the probabilities under an odds ratio (Fisher's noncentral hypergeometric distribution)."""
        weights = self.log_probability + self.support * log_odds_ratio
        shares: NDArray[np.float64] = np.exp(weights - scipy.special.logsumexp(weights))
        return shares

    def p_value(self, observed: int, alternative: str, two_sided: str, *, mid_p: bool) -> float:
        """Return the probability of the observed value or one farther out; mid-p counts half of what is as far."""
        shares = self.probabilities()
        own = float(shares[self.support == observed].sum())
        upper, lower = float(shares[self.support >= observed].sum()), float(shares[self.support <= observed].sum())
        if alternative == "two-sided" and two_sided == "likelihood":
            log_own = self.log_probability[self.support == observed][0]
            equal = np.abs(self.log_probability - log_own) <= SAME
            farther = float(shares[(self.log_probability < log_own) & ~equal].sum())
            p = farther + float(shares[equal].sum()) * (0.5 if mid_p else 1.0)
        else:
            half = own / 2 if mid_p else 0.0
            tails = {"greater": upper - half, "less": lower - half}
            p = tails[alternative] if alternative in tails else 2 * min(tails.values())
        return max(0.0, min(1.0, p))


def fisher_exact(
    counts: ArrayLike | CountTable,
    *,
    odds_ratio: OddsRatio = "conditional",
    two_sided: TwoSided = "likelihood",
    mid_p: bool = False,
    alternative: Sidedness = "two-sided",
    names: Sequence[str] | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test a 2 × 2 table exactly; `greater` means that the odds of the first column are greater in the first row.

    A two-sided p sums all tables that are not likelier than the observed one ("likelihood"), or doubles the smaller
    tail. `mid_p` counts the observed table (and those as likely) half, which makes the test less conservative [3].
    """
    check_choice("odds_ratio", odds_ratio, get_args(OddsRatio))
    check_choice("two_sided", two_sided, get_args(TwoSided))
    check_sidedness(alternative)
    check_alpha(alpha)
    check_level(level)
    table = CountTable.of(counts, rows=names)
    table.refuse_other_than_two_by_two("This test", "Use freeman_halton for a larger table.")
    table.refuse_empty()
    cell = Hypergeometric.of(table)
    effect = _conditional_odds_ratio(table, level) if odds_ratio == "conditional" else sample_odds_ratio(table, level)
    significant, otherwise = table.findings(alternative)
    return TestResult(
        test="fisher-exact",
        title=Bilingual("Fisher's exact test", "费希尔精确检验"),
        symbol="",
        statistic=math.nan,
        p=cell.p_value(table.counts[0][0], alternative, two_sided, mid_p=mid_p),
        alternative=alternative,
        n=table.n,
        n_missing=table.n_missing,
        significant=significant,
        otherwise=otherwise,
        effects=(effect, association(table, level=level)),
        conventions={"odds_ratio": odds_ratio, "two_sided": two_sided, "mid_p": mid_p},
        alpha=alpha,
        data=table.checksum(),
    )


def sample_odds_ratio(table: CountTable, level: float = 0.95) -> Effect:
    """Return the cross product ad/bc with Woolf's interval, which an empty cell leaves undefined."""
    (a, b), (c, d) = table.counts
    value = math.inf if b * c == 0 else a * d / (b * c)
    if 0 in (a, b, c, d):
        method = "cross product; no Woolf interval with an empty cell"
        return Effect("odds-ratio", "OR", value, level=level, method=method, bounded=False)
    half = float(scipy.stats.norm.isf((1 - level) / 2)) * math.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
    low, high = value * math.exp(-half), value * math.exp(half)
    return Effect("odds-ratio", "OR", value, low, high, level, "cross product; Woolf interval", bounded=False)


def _conditional_odds_ratio(table: CountTable, level: float) -> Effect:
    cell, observed, tail = Hypergeometric.of(table), table.counts[0][0], (1 - level) / 2
    support = cell.support
    at_most, at_least = support <= observed, support >= observed

    def mean_above(log_ratio: float) -> float:
        return float((cell.probabilities(log_ratio) * support).sum()) - observed

    def upper_tail_above(log_ratio: float) -> float:
        return float(cell.probabilities(log_ratio)[at_least].sum()) - tail

    def lower_tail_below(log_ratio: float) -> float:
        return tail - float(cell.probabilities(log_ratio)[at_most].sum())

    lowest, highest = observed == support[0], observed == support[-1]
    value = 0.0 if lowest else math.inf if highest else math.exp(_root(mean_above))
    low = 0.0 if lowest else math.exp(_root(upper_tail_above))
    high = math.inf if highest else math.exp(_root(lower_tail_below))
    method = "conditional maximum likelihood; exact interval from both tails"
    return Effect("odds-ratio", "OR", value, low, high, level, method, bounded=False)


def _root(rising: Callable[[float], float]) -> float:
    """Return where a function of the log odds ratio that rises from below 0 to above 0 passes 0."""
    reach = 1.0
    while not rising(-reach) <= 0 <= rising(reach):
        reach *= 2
    return float(scipy.optimize.brentq(rising, -reach, reach, xtol=1e-12, rtol=1e-13))


def freeman_halton(
    counts: ArrayLike | CountTable,
    *,
    method: Method = "enumeration",
    draws: int = 10_000,
    seed: int = 1,
    names: Sequence[str] | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test a table of any size: p is the probability of all tables with the same sums that are not likelier.

    `method="enumeration"` is exact and refuses tables that are too large for it; "monte-carlo" draws `draws` tables
    at random and counts the observed one among them, so that p is never 0 [4].
    """
    check_choice("method", method, get_args(Method))
    check_alpha(alpha)
    table = CountTable.of(counts, rows=names)
    table.refuse_empty()
    conventions: dict[str, str | int] = {"method": method}
    details: dict[str, float] = {}
    if method == "enumeration":
        p = share_not_likelier(table.counts, SAME)
    else:
        conventions |= {"draws": draws, "seed": seed}
        p = _share_of_drawn(table, draws, seed)
        details["standard error of p"] = math.sqrt(p * (1 - p) / (draws + 1))
    significant, otherwise = table.findings()
    return TestResult(
        test="freeman-halton",
        title=Bilingual("Fisher–Freeman–Halton exact test", "费希尔–弗里曼–霍尔顿精确检验"),
        symbol="",
        statistic=math.nan,
        p=p,
        alternative="undirected",
        n=table.n,
        n_missing=table.n_missing,
        significant=significant,
        otherwise=otherwise,
        effects=(association(table, level=level),),
        conventions=conventions,
        details=details,
        alpha=alpha,
        data=table.checksum(),
    )


def _share_of_drawn(table: CountTable, draws: int, seed: int) -> float:
    if draws < 1:
        raise UserError(f"{draws} draws give no p-value.", valid="draws is a whole number, 1 or more.")
    cells = np.array(table.counts, dtype=np.int64)
    generator = np.random.default_rng(seed)
    margins = scipy.stats.random_table(cells.sum(axis=1), cells.sum(axis=0))
    observed, hits, left = -scipy.special.gammaln(cells + 1.0).sum(), 0, draws
    while left:
        size = min(left, max(1, 1_000_000 // cells.size))
        drawn = margins.rvs(size=size, random_state=generator).reshape(size, *cells.shape)
        hits += int((-scipy.special.gammaln(drawn + 1.0).sum(axis=(1, 2)) <= observed + SAME).sum())
        left -= size
    return (hits + 1) / (draws + 1)
