import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, chi2_contingency
from scipy.stats import median_test as scipy_median_test

from hengliang import UserError
from hengliang.statistics.conventions import multiverse
from hengliang.statistics.ranks.median import CONVENTIONS, Correction, Ties, chi_squared_of, median_test
from tests.statistics.ranks.oracle import SIDES, oracle

ratings = st.lists(st.integers(1, 7), min_size=2, max_size=30)


def test_table_3_of_paper_000_gives_51() -> None:
    # At most 5 (the grand median) and above it: 408 and 476 where the classifier matches the corpus, 220 and 96 where
    # it does not. χ² = N(ad − bc)²/(product of the margins) = 1200 (408·96 − 476·220)²/(884·316·628·572) = 51.39
    # without Yates; the paper prints 53.33.
    match, other = [5] * 408 + [6] * 476, [5] * 220 + [6] * 96
    result = median_test(match, other, names=("match", "other"))
    assert round(result.statistic, 2) == 51.39
    assert result.n == 1200
    assert result.effect("phi").value == pytest.approx(0.2069, abs=5e-5)
    assert result.details["grand median"] == 5
    assert result.details["match below"] == 408
    assert result.details["other above"] == 96


@pytest.mark.parametrize("ties", ["below", "above", "ignore"])
@pytest.mark.parametrize("name", ["ratings", "measured", "unequal", "paper"])
def test_table_statistic_and_p_of_r(name: str, ties: Ties) -> None:
    held = oracle()["two"][name]
    expected = held["median"][ties]
    cells = np.ravel(expected["table"]).tolist()
    if 0 in np.sum(expected["table"], axis=1):
        with pytest.raises(UserError, match="no value lies"):
            median_test(held["x"], held["y"], ties=ties)
        return
    corrections: tuple[Correction, ...] = ("none", "yates")
    for correction in corrections:
        result = median_test(held["x"], held["y"], ties=ties, correction=correction)
        assert [result.details[key] for key in ("A above", "B above", "A below", "B below")] == cells
        assert result.statistic == pytest.approx(expected[correction]["statistic"], rel=1e-9, abs=1e-12)
        assert result.p == pytest.approx(expected[correction]["p"], rel=1e-9)
    for side in SIDES:
        exact = median_test(held["x"], held["y"], ties=ties, correction="fisher", alternative=side)
        assert exact.p == pytest.approx(expected["fisher"][side], rel=1e-6)


@pytest.mark.parametrize("ties", ["below", "above", "ignore"])
@pytest.mark.parametrize("correction", ["none", "yates"])
@given(groups=st.lists(ratings, min_size=2, max_size=4))
def test_statistic_and_p_of_scipy(ties: Ties, correction: Correction, groups: list[list[int]]) -> None:
    try:
        theirs = scipy_median_test(*groups, ties=ties, correction=correction == "yates")
    except ValueError:
        with pytest.raises(UserError):
            median_test(*groups, ties=ties, correction=correction)
        return
    result = median_test(*groups, ties=ties, correction=correction)
    assert result.details["grand median"] == theirs.median
    assert (result.statistic, result.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9, abs=1e-12)


def test_several_groups_of_r_and_coin() -> None:
    held = oracle()["several"]
    result = median_test(*held["groups"])
    assert result.statistic == pytest.approx(held["median_chi"], rel=1e-9)
    assert result.alternative == "undirected"
    assert result.effects[0].name == "cramer-v"
    # coin's variance is that of permutations, which makes its χ² smaller by (N − 1)/N.
    shrunk = result.statistic * (result.n - 1) / result.n
    assert chi2.sf(shrunk, 3) == pytest.approx(held["coin_median"]["below"], rel=1e-9)
    above = median_test(*held["groups"], ties="above")
    assert chi2.sf(above.statistic * (above.n - 1) / above.n, 3) == pytest.approx(
        held["coin_median"]["above"], rel=1e-9
    )


@given(ratings, ratings)
def test_swapping_groups_turns_phi_and_the_sides(x: list[int], y: list[int]) -> None:
    try:
        here = median_test(x, y, alternative="greater")
    except UserError:
        return
    there = median_test(y, x, alternative="less")
    assert here.p == pytest.approx(there.p)
    assert here.effect("phi").value == pytest.approx(-there.effect("phi").value)
    both = median_test(x, y)
    assert both.p is not None and here.p is not None
    assert both.p == pytest.approx(2 * min(here.p, 1 - here.p), abs=1e-9)


@given(st.lists(st.lists(st.integers(1, 50), min_size=3, max_size=3), min_size=2, max_size=4))
def test_chi_squared_of_scipy(cells: list[list[int]]) -> None:
    table = np.array(cells, dtype=float)
    assert chi_squared_of(table) == pytest.approx(chi2_contingency(table, correction=False).statistic)


def test_where_ties_go_can_decide() -> None:
    x, y = [4] * 10 + [5] * 2, [4] * 5 + [2] * 6 + [5]
    found = multiverse(median_test, CONVENTIONS, x, y)
    assert len(found.variants) + len(found.refused) == len(CONVENTIONS)
    assert found.deviating
    assert median_test(x, y, ties="ignore").notes


def test_what_has_no_median_test() -> None:
    with pytest.raises(UserError, match="no value lies above the grand median 3"):
        median_test([3, 3, 3], [3, 3, 1])
    with pytest.raises(UserError, match="All values of B equal"):
        median_test([1, 2, 3, 4, 5], [3, 3], ties="ignore")
    with pytest.raises(UserError, match="With 3 groups"):
        median_test([1, 2], [2, 3], [3, 4], correction="fisher")
    with pytest.raises(UserError, match="greater"):
        median_test([1, 2], [2, 3], [3, 4], alternative="greater")
    with pytest.raises(UserError, match="ties"):
        median_test([1, 2], [2, 3], ties="half")  # type: ignore[arg-type]


def test_sentences() -> None:
    x, y = [1, 2, 2, 3] * 6, [4, 5, 6, 7] * 6
    told = median_test(x, y, names=("GE", "MLM")).sentence().en
    assert told.startswith(
        "MLM lies above the common median more often than GE (Mood's median test, two-sided: χ²(1, N = "
    )
    assert median_test(x, y, alternative="less").sentence().zh.startswith("A 高于共同中位数的比例小于 B（")
    assert (
        median_test(x, x, names=("GE", "MLM")).sentence().zh.startswith("未发现GE和MLM高于共同中位数的比例存在差异（")
    )
    assert median_test(x, y, [1, 9]).sentence().en.startswith("A, B and C differ in how often they lie above")


def test_what_three_groups_do_not_have() -> None:
    with pytest.raises(UserError, match=r"With 3 groups there is no alternative 'less'\."):
        median_test([1, 2], [3, 4], [5, 6], alternative="less")
    with pytest.raises(UserError, match=r"With 3 groups there is no Fisher's exact test\."):
        median_test([1, 2], [3, 4], [5, 6], correction="fisher")


def test_spss_changes_from_fisher_to_chi_squared_at_31_cases() -> None:
    # IBM, NPAR TESTS, subcommand MEDIAN: χ² for more than 30 cases, Fisher's exact test (two-tailed) for 30 or fewer;
    # cases are counted as above the median or not above it.
    users = {(c.settings["ties"], c.settings["correction"]): c.users for c in CONVENTIONS}
    assert users["below", "none"] == ("SPSS from 31 cases",)
    assert users["below", "fisher"] == ("SPSS up to 30 cases",)
    assert users["below", "yates"] == ("SciPy",)
    assert sum(map(bool, users.values())) == 3
