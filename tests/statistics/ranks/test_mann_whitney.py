import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from hengliang import UserError
from hengliang.statistics.conventions import multiverse
from hengliang.statistics.ranks.mann_whitney import CONVENTIONS, expand_counts, mann_whitney_test
from tests.statistics.ranks.oracle import SIDES, oracle

ratings = st.lists(st.integers(1, 7), min_size=1, max_size=25)


def varied(x: list[int], y: list[int]) -> bool:
    return len({*x, *y}) > 1


def test_fluency_of_bert_in_paper_000() -> None:
    # Paper 000, Tables 6 and 8: random against infrequent. Published: p = .043, r = .06 (asymptotic, two-sided).
    counts = oracle()["counts"]
    result = mann_whitney_test(expand_counts(counts["random"]), expand_counts(counts["infrequent"]))
    assert result.n == 1161
    assert f"{result.p:.3f}" == "0.043"
    assert f"{result.effect('r').value:.2f}" == "0.06"
    assert "p = .043, r = .06" in result.sentence().en


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", ["ratings", "measured", "unequal", "paper"])
def test_p_of_r(name: str, side: str) -> None:
    held = oracle()["two"][name]
    x, y = held["x"], held["y"]
    as_r = mann_whitney_test(x, y, method="auto-r", correction=True, alternative=side)
    assert as_r.p == pytest.approx(held["default"][side], rel=1e-9)
    assert as_r.statistic == held["W"]
    plain = mann_whitney_test(x, y, method="asymptotic", alternative=side)
    assert plain.p == pytest.approx(held["plain"][side], rel=1e-9)
    assert plain.details["z"] == pytest.approx(held["z"], rel=1e-9)  # coin
    corrected = mann_whitney_test(x, y, method="asymptotic", correction=True, alternative=side)
    assert corrected.p == pytest.approx(held["corrected"][side], rel=1e-9)


@pytest.mark.parametrize("side", ["greater", "less"])
@pytest.mark.parametrize("name", ["ratings", "measured", "unequal"])
def test_exact_p_of_coin_with_ties(name: str, side: str) -> None:
    # One-sided only: coin's two-sided p counts what is as far from the mean, ours twice the smaller tail.
    held = oracle()["two"][name]
    result = mann_whitney_test(held["x"], held["y"], method="exact", alternative=side)
    assert result.p == pytest.approx(held["coin_exact"][side], rel=1e-6)


@given(ratings, ratings, st.booleans(), st.sampled_from(SIDES))
def test_asymptotic_p_of_scipy(x: list[int], y: list[int], correction: bool, side: str) -> None:
    if not varied(x, y):
        return
    found = mann_whitney_test(x, y, correction=correction, method="asymptotic", alternative=side)
    theirs = mannwhitneyu(x, y, use_continuity=correction, method="asymptotic", alternative=side)
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)


@given(st.permutations(range(14)), st.integers(1, 13), st.sampled_from(SIDES))
def test_default_p_of_scipy_without_ties(values: list[int], n_x: int, side: str) -> None:
    found = mann_whitney_test(values[:n_x], values[n_x:], method="auto-scipy", correction=True, alternative=side)
    assert found.p == pytest.approx(mannwhitneyu(values[:n_x], values[n_x:], alternative=side).pvalue, rel=1e-9)


@given(ratings, ratings)
def test_swapping_the_samples_turns_everything_round(x: list[int], y: list[int]) -> None:
    if not varied(x, y):
        return
    here, there = mann_whitney_test(x, y, alternative="greater"), mann_whitney_test(y, x, alternative="less")
    assert here.p == pytest.approx(there.p)
    assert here.statistic == there.details["U second"]
    for name in ("r", "rank-biserial", "cliff-delta"):
        assert here.effect(name).value == pytest.approx(-there.effect(name).value)


@given(ratings, ratings)
def test_a_monotone_transformation_changes_nothing(x: list[int], y: list[int]) -> None:
    if varied(x, y):
        assert mann_whitney_test(x, y).p == mann_whitney_test(np.exp(x), np.exp(y)).p


@given(ratings, ratings)
def test_rank_biserial_follows_from_u(x: list[int], y: list[int]) -> None:
    if varied(x, y):
        result = mann_whitney_test(x, y)
        assert result.effect("rank-biserial").value == pytest.approx(2 * result.statistic / (len(x) * len(y)) - 1)


def test_conventions_run_and_say_what_was_done() -> None:
    found = multiverse(mann_whitney_test, CONVENTIONS, [1, 2, 2, 3], [2, 4, 5])
    assert len(found.variants) == len(CONVENTIONS)
    assert found.chosen.conventions["method"] == "exact"
    assert "method:exact" in str(found.chosen.signature())


def test_large_samples_refuse_exact_counting_in_the_multiverse() -> None:
    counts = oracle()["counts"]
    samples = [expand_counts(counts[name]) for name in ("random", "infrequent")]
    found = multiverse(mann_whitney_test, CONVENTIONS, *samples)
    assert [convention.settings["method"] for convention, _ in found.refused] == ["exact"]
    assert not found.deviating


def test_samples_without_a_test() -> None:
    with pytest.raises(UserError, match="All 4 observations are equal"):
        mann_whitney_test([2, 2], [2, 2])
    with pytest.raises(UserError, match="Sample B holds 0"):
        mann_whitney_test([1, 2], [])
    with pytest.raises(UserError, match="method"):
        mann_whitney_test([1], [2], method="fast")  # type: ignore[arg-type]
