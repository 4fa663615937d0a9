import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import f as f_distribution
from scipy.stats import friedmanchisquare, norm, rankdata

from hengliang import UserError
from hengliang.statistics.conventions import multiverse
from hengliang.statistics.ranks.friedman import CONVENTIONS, friedman_pairs, friedman_test
from tests.statistics.ranks.oracle import oracle

tables = st.integers(3, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(1, 7), min_size=k, max_size=k), min_size=2, max_size=12)
)


def test_chi_squared_and_p_of_r() -> None:
    held = oracle()["blocks"]
    result = friedman_test(*held["blocks"])
    assert (result.statistic, result.p) == pytest.approx((held["chi"], held["p"]), rel=1e-9)
    assert result.n == 14


@given(tables)
def test_chi_squared_of_scipy_and_kendalls_w(rows: list[list[int]]) -> None:
    assume(any(len(set(row)) > 1 for row in rows))
    columns = np.transpose(rows)
    result = friedman_test(*columns)
    theirs = friedmanchisquare(*columns)
    assert (result.statistic, result.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-8, abs=1e-9)
    assert -1e-9 <= result.effect("kendall-w").value <= 1 + 1e-9


@given(tables)
def test_order_of_blocks_and_conditions_changes_nothing(rows: list[list[int]]) -> None:
    assume(any(len(set(row)) > 1 for row in rows))
    columns = np.transpose(rows)
    turned = np.exp(columns[::-1, ::-1])
    assert friedman_test(*turned).statistic == pytest.approx(friedman_test(*columns).statistic, abs=1e-9)


def test_w_without_ties_is_the_mean_spearman() -> None:
    # W = (r̄(n − 1) + 1)/n, with r̄ the mean rank correlation between blocks (Kendall and Gibbons 1990).
    rows = np.array([[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4], [4, 1, 2, 3]])
    correlations = np.corrcoef(rankdata(rows, axis=1))[np.triu_indices(4, 1)]
    assert friedman_test(*rows.T).effect("kendall-w").value == pytest.approx((correlations.mean() * 3 + 1) / 4)


def test_iman_davenport_is_f_of_the_ranks() -> None:
    # F of a two-way analysis of variance of the ranks within blocks, without ties.
    rows = np.array([[1, 2, 3], [2, 1, 3], [1, 3, 2], [1, 2, 3], [2, 3, 1]], dtype=float)
    n, k = rows.shape
    between = n * np.square(rows.mean(axis=0) - 2).sum()
    left = np.square(rows - 2).sum() - between
    f = (between / (k - 1)) / (left / ((k - 1) * (n - 1)))
    result = friedman_test(*rows.T, reference="f")
    assert result.statistic == pytest.approx(f)
    assert result.p == pytest.approx(f_distribution.sf(f, 2, 8))
    assert result.df == (2, 8)
    perfect = friedman_test([1, 1, 1], [2, 2, 2], [3, 3, 3], reference="f")
    assert perfect.p == 0
    assert math.isinf(perfect.statistic)


def test_pairs_of_r() -> None:
    held = oracle()["blocks"]
    nemenyi = friedman_pairs(*held["blocks"], follow_up="nemenyi")
    assert [result.p for result in nemenyi] == pytest.approx(held["nemenyi"], rel=1e-5, abs=1e-8)
    wilcoxon = friedman_pairs(*held["blocks"], adjustment="holm")
    assert {result.conventions["method"] for result in wilcoxon} == {"exact"}
    raw = [result.details["p unadjusted"] for result in wilcoxon]
    as_r = friedman_pairs(*held["blocks"], method="asymptotic")
    assert [result.details["p unadjusted"] for result in as_r] == pytest.approx(held["wilcoxon"], rel=1e-9)
    assert [result.p for result in as_r] == pytest.approx(held["holm"], rel=1e-9)
    assert all(result.p is not None and result.p >= p for result, p in zip(wilcoxon, raw, strict=True))
    assert len({str(result.signature()) for result in (*nemenyi, *wilcoxon)}) == 12


def test_blocks_with_a_gap_are_left_out() -> None:
    whole = friedman_test([1, 2, 3], [2, 3, 4], [3, 5, 1])
    lacking = friedman_test([1, 2, 9, 3], [2, 3, math.nan, 4], [3, 5, 2, 1])
    assert lacking.statistic == whole.statistic
    assert lacking.n_missing == 1


def test_both_conventions_run() -> None:
    assert len(multiverse(friedman_test, CONVENTIONS, [1, 2, 3], [2, 3, 4], [3, 5, 1]).variants) == 2


def test_what_makes_no_blocks() -> None:
    with pytest.raises(UserError, match="3, 2"):
        friedman_test([1, 2, 3], [1, 2])
    with pytest.raises(UserError, match="all values are equal"):
        friedman_test([1, 2], [1, 2], [1, 2])
    with pytest.raises(UserError, match="1 whole blocks"):
        friedman_test([1], [2], [3])
    with pytest.raises(UserError, match="1 condition"):
        friedman_test([1, 2])
    with pytest.raises(UserError, match="Condition B holds"):
        friedman_test([1, 2], ["a", "b"])


def test_nemenyi_keeps_small_p() -> None:
    # 40 blocks that rank 3 conditions alike: q = 2/√(3·4/(12·40)) = 12.65; with two of three values as far apart the
    # range exceeds q with at most 3·2Φ(−q/√2), and far out that bound is nearly reached. SciPy's 1 − F ends at 1e-16.
    p = friedman_pairs([1] * 40, [2] * 40, [3] * 40, follow_up="nemenyi")[1].p
    assert p == pytest.approx(6 * norm.sf(math.sqrt(80)), rel=1e-3)


def test_missing_values_of_pandas() -> None:
    result = friedman_test(pd.Series([None, 1, 2, 5], dtype="Int64"), [1, 3, 4, 9], [1, 2, 3, 4])
    assert (result.n, result.n_missing) == (3, 1)


def test_what_an_array_masks_is_missing_with_its_block() -> None:
    masked = np.ma.masked_equal([99, 1, 2, 5], 99)
    result = friedman_test(masked, [1, 3, 4, 9], [1, 2, 3, 4])
    assert result.statistic == friedman_test([1, 2, 5], [3, 4, 9], [2, 3, 4]).statistic
    assert result.n_missing == 1
