"""Is Fisher's test exact: as R and SciPy have it, and as counting all tables has it?"""

import math
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact as scipy_fisher
from scipy.stats import nchypergeom_fisher
from scipy.stats.contingency import odds_ratio
from statsmodels.stats.contingency_tables import Table2x2

from hengliang import UserError
from hengliang.statistics.contingency.exact import CONVENTIONS, fisher_exact, freeman_halton
from hengliang.statistics.contingency.tables import CountTable
from hengliang.statistics.conventions import multiverse
from tests.statistics.contingency.oracle import squares, tables

counts_2x2 = st.lists(st.integers(0, 14), min_size=4, max_size=4)


@pytest.mark.parametrize("case", squares().values(), ids=squares().keys())
def test_against_r(case: dict[str, Any]) -> None:
    for side in ("two-sided", "greater", "less"):
        result = fisher_exact(case["counts"], alternative=side)
        assert result.p == pytest.approx(case[f"fisher_{side.replace('-', '.')}"], rel=1e-9)
    effect = fisher_exact(case["counts"], level=0.9).effect("odds-ratio")
    # R finds its bounds with uniroot, whose tolerance is 1.2e-4.
    assert effect.value == pytest.approx(float(case["odds_ratio"]), rel=1e-3)
    bounds = [float(bound) for bound in case["odds_interval_90"]]
    assert [effect.low, effect.high] == pytest.approx(bounds, rel=2e-3)


@pytest.mark.parametrize("case", squares().values(), ids=squares().keys())
def test_odds_ratios_against_scipy_and_statsmodels(case: dict[str, Any]) -> None:
    table = np.array(case["counts"])
    theirs = odds_ratio(table)
    low, high = theirs.confidence_interval(0.95)
    ours = fisher_exact(table).effect("odds-ratio")
    assert (ours.value, ours.low, ours.high) == pytest.approx((theirs.statistic, low, high), rel=1e-6)
    if table.all():
        woolf = Table2x2(table)
        ours = fisher_exact(table, odds_ratio="sample").effect("odds-ratio")
        assert (ours.low, ours.high) == pytest.approx(woolf.oddsratio_confint(0.05), rel=1e-9)
        assert ours.value == pytest.approx(woolf.oddsratio)


def by_counting(cells: list[int]) -> dict[str, Fraction]:
    a, b, c, d = cells
    shares = {
        x: Fraction(comb(a + b, x) * comb(c + d, a + c - x), comb(a + b + c + d, a + c))
        for x in range(max(0, a - d), min(a + b, a + c) + 1)
    }
    own = shares[a]
    return {
        "greater": sum((share for x, share in shares.items() if x >= a), Fraction(0)),
        "less": sum((share for x, share in shares.items() if x <= a), Fraction(0)),
        "two-sided": sum((share for share in shares.values() if share <= own), Fraction(0)),
        "as likely": sum((share for share in shares.values() if share == own), Fraction(0)),
        "own": own,
    }


@pytest.mark.untraced
@given(counts_2x2)
def test_against_fractions(cells: list[int]) -> None:
    table = np.reshape(cells, (2, 2))
    assume(table.sum(axis=0).all() and table.sum(axis=1).all())
    truth = by_counting(cells)
    for side in ("greater", "less", "two-sided"):
        assert fisher_exact(table, alternative=side).p == pytest.approx(float(truth[side]), rel=1e-9)
    doubled = min(1.0, float(2 * min(truth["greater"], truth["less"])))
    assert fisher_exact(table, two_sided="doubled").p == pytest.approx(doubled)
    assert fisher_exact(table, mid_p=True).p == pytest.approx(float(truth["two-sided"] - truth["as likely"] / 2))
    one_sided = fisher_exact(table, mid_p=True, alternative="less").p
    assert one_sided == pytest.approx(float(truth["less"] - truth["own"] / 2))
    assert freeman_halton(table).p == pytest.approx(float(truth["two-sided"]), rel=1e-9)


def all_tables(rows: list[int], columns: list[int]) -> list[list[list[int]]]:
    """Every table with these sums, one row after the other."""
    if len(rows) == 1:
        return [[columns]]
    found: list[list[list[int]]] = []

    def fill(left: int, room: list[int], row: list[int]) -> None:
        if len(row) == len(room):
            if left == 0:
                rest = [space - value for space, value in zip(room, row, strict=True)]
                found.extend([row, *table] for table in all_tables(rows[1:], rest))
            return
        for value in range(min(left, room[len(row)]) + 1):
            fill(left - value, room, [*row, value])

    fill(rows[0], columns, [])
    return found


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=9, max_size=9))
def test_three_by_three_tables_against_counting_them_all(cells: list[int]) -> None:
    table = np.reshape(cells, (3, 3))
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    assume(rows.all() and columns.all())
    weights = [
        Fraction(1, math.prod(math.factorial(cell) for row in other for cell in row))
        for other in all_tables(rows.tolist(), columns.tolist())
    ]
    own = Fraction(1, math.prod(math.factorial(cell) for cell in cells))
    truth = sum(weight for weight in weights if weight <= own) / sum(weights)
    assert freeman_halton(table).p == pytest.approx(float(truth), rel=1e-9)
    assert freeman_halton(table.T).p == pytest.approx(float(truth), rel=1e-9)


@pytest.mark.parametrize("case", tables().values(), ids=tables().keys())
def test_tables_of_any_size_against_r(case: dict[str, Any]) -> None:
    assert freeman_halton(case["counts"]).p == pytest.approx(case["fisher"], rel=1e-9)


def test_drawn_tables_come_close_to_enumerated_ones_and_depend_on_the_seed_alone() -> None:
    table = [[3, 2, 1], [1, 2, 8]]
    # 0.0556 is R's fisher.test of "three" in contingency.R.
    drawn = freeman_halton(table, method="monte-carlo", draws=20_000, seed=3)
    # Four standard errors of a share of .0556 in 20,000 draws are .0065.
    assert drawn.p == pytest.approx(0.0555914673561732, abs=0.0065)
    assert drawn.p == freeman_halton(table, method="monte-carlo", draws=20_000, seed=3).p
    assert drawn.p != freeman_halton(table, method="monte-carlo", draws=20_000, seed=4).p
    assert "seed:3" in str(drawn.signature())
    few = freeman_halton([[40, 0, 0], [0, 3, 40]], method="monte-carlo", draws=9)
    assert few.p == pytest.approx(0.1)  # never 0: (0 + 1)/(9 + 1)


def test_a_table_too_large_to_enumerate_says_what_to_do() -> None:
    large = [[40, 30, 30, 42], [32, 42, 34, 38], [49, 34, 42, 50], [33, 44, 55, 66]]
    with pytest.raises(UserError, match="monte-carlo"):
        freeman_halton(large)
    assert 0 < (freeman_halton(large, method="monte-carlo", draws=200).p or 0) <= 1


def test_two_sided_against_scipy_for_large_counts() -> None:
    table = [[408, 476], [220, 96]]
    assert fisher_exact(table).p == pytest.approx(scipy_fisher(table).pvalue, rel=1e-9)


def test_conventions_run_and_empty_cells_give_half_open_intervals() -> None:
    found = multiverse(fisher_exact, CONVENTIONS, [[8, 2], [1, 5]])
    assert len(found.variants) == 3 and not found.refused
    effect = fisher_exact([[7, 0], [3, 4]]).effect("odds-ratio")
    assert effect.value == math.inf and effect.high == math.inf
    assert effect.low is not None and effect.low > 0
    assert "∞" in str(effect)
    assert fisher_exact([[7, 0], [3, 4]], odds_ratio="sample").effect("odds-ratio").low is None


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="2 × 2 tables, not 2 × 3"):
        fisher_exact([[1, 2, 3], [4, 5, 6]])
    with pytest.raises(UserError, match="holds no observation"):
        fisher_exact([[0, 2], [0, 5]])
    with pytest.raises(UserError, match="odds_ratio 'median'"):
        fisher_exact([[1, 2], [3, 4]], odds_ratio="median")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="0 draws"):
        freeman_halton([[1, 2], [3, 4]], method="monte-carlo", draws=0)


def test_one_sided_sentences_speak_of_the_share_of_the_first_column() -> None:
    table = CountTable.of([[1, 9], [8, 2]], rows=("BERT", "RULE"), columns=("errors", "hits"))
    told = fisher_exact(table, alternative="greater").sentence()
    assert told.en.startswith("The share of errors was not shown to be higher in BERT than in RULE (")
    assert told.zh.startswith("未能证明BERT中 errors 的比例高于RULE（")
    told = fisher_exact(table, alternative="less").sentence()
    assert told.en.startswith("The share of errors is lower in BERT than in RULE (")
    assert told.zh.startswith("BERT中 errors 的比例显著低于RULE（")


def test_the_exact_interval_leaves_exactly_its_tails() -> None:
    # R 4.2 prints 3764.9 as the upper bound of this table, for its root finder stops early: a tail of .0260, not .025.
    effect = fisher_exact([[9, 1], [1, 9]]).effects[0]
    assert effect.low is not None and effect.high is not None
    assert nchypergeom_fisher.cdf(9, 20, 10, 10, effect.high) == pytest.approx(0.025, rel=1e-9)
    assert nchypergeom_fisher.sf(8, 20, 10, 10, effect.low) == pytest.approx(0.025, rel=1e-9)
    assert nchypergeom_fisher.mean(20, 10, 10, effect.value) == pytest.approx(9, rel=1e-9)


def test_counts_beyond_memory_are_refused() -> None:
    with pytest.raises(UserError, match="too many to go through"):
        fisher_exact([[500_000_000, 400_000_000], [400_000_000, 500_000_000]])
