import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chi2, kruskal

from hengliang import UserError
from hengliang.statistics.conventions import multiverse
from hengliang.statistics.ranks.kruskal_wallis import CONVENTIONS, kruskal_wallis_test
from hengliang.statistics.ranks.mann_whitney import mann_whitney_test
from tests.statistics.ranks.oracle import oracle

groups_of_ratings = st.lists(st.lists(st.integers(1, 7), min_size=1, max_size=15), min_size=2, max_size=5)


def test_h_and_p_of_r() -> None:
    held = oracle()["several"]
    result = kruskal_wallis_test(*held["groups"])
    assert (result.statistic, result.p) == pytest.approx((held["H"], held["p"]), rel=1e-9)


@given(groups_of_ratings)
def test_h_and_p_of_scipy(groups: list[list[int]]) -> None:
    assume(len({value for group in groups for value in group}) > 1)
    result = kruskal_wallis_test(*groups)
    theirs = kruskal(*groups)
    assert result.statistic == pytest.approx(theirs.statistic, rel=1e-8, abs=1e-9)
    # SciPy subtracts two large numbers, so that an H of 0 may come out as 4e-14. With one degree of freedom p is there
    # 1 − √(2H/π), which makes that 2e-7.
    assert result.p == pytest.approx(theirs.pvalue, rel=1e-8, abs=1e-6)
    assert result.p == pytest.approx(chi2.sf(result.statistic, len(groups) - 1), rel=1e-12)
    assert 0 <= result.effect("epsilon-squared").value <= 1


@given(groups_of_ratings)
def test_order_of_groups_and_monotone_transformations_change_nothing(groups: list[list[int]]) -> None:
    assume(len({value for group in groups for value in group}) > 1)
    turned = [[value**3 for value in group] for group in reversed(groups)]
    assert kruskal_wallis_test(*turned).statistic == pytest.approx(kruskal_wallis_test(*groups).statistic, abs=1e-9)


def test_two_groups_are_mann_and_whitney_squared() -> None:
    x, y = [1, 3, 3, 5, 7], [2, 4, 6, 6, 7, 7]
    z = mann_whitney_test(x, y, method="asymptotic").details["z"]
    assert kruskal_wallis_test(x, y).statistic == pytest.approx(z**2)


def test_effects_of_tomczak() -> None:
    # H of 1–3, 4–6, 7–9 (no ties): 12/(9·10)·(6² + 15² + 24²)/3 − 3·10 = 7.2; ε² = 7.2/8 = .9; η² = 5.2/6 = .8667.
    result = kruskal_wallis_test([1, 2, 3], [4, 5, 6], [7, 8, 9])
    assert result.statistic == pytest.approx(7.2)
    assert result.effect("epsilon-squared").value == pytest.approx(0.9)
    assert result.effect("eta-squared").value == pytest.approx(5.2 / 6)


def test_tie_correction_raises_h_and_both_conventions_run() -> None:
    data = ([1, 2, 2], [2, 3, 3], [3, 3, 4])
    found = multiverse(kruskal_wallis_test, CONVENTIONS, *data)
    corrected, plain = found.variants
    assert corrected.statistic > plain.statistic


def test_what_has_no_h() -> None:
    with pytest.raises(UserError, match="All 4"):
        kruskal_wallis_test([2, 2], [2, 2])
    with pytest.raises(UserError, match="holds 0"):
        kruskal_wallis_test([2, 3], [])
    assert kruskal_wallis_test([1], [2]).effects[0].name == "epsilon-squared"


def test_equal_groups_have_an_h_of_0() -> None:
    group = [1] * 11 + [2] * 2
    result = kruskal_wallis_test(group, group)
    assert (result.statistic, result.p) == (0.0, 1.0)
