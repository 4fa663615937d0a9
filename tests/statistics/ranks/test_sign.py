from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from hengliang import UserError
from hengliang.statistics.conventions import multiverse
from hengliang.statistics.ranks.sign import CONVENTIONS, clopper_pearson, sign_test
from tests.statistics.ranks.oracle import SIDES, oracle


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", ["ratings", "few", "measured", "many"])
def test_p_and_interval_of_r(name: str, side: str) -> None:
    held = oracle()["pairs"][name]
    result = sign_test(held["x"], held["y"], alternative=side)
    assert result.p == pytest.approx(held["sign"][side], rel=1e-9)
    share = result.effect("share")
    assert (share.low, share.high) == pytest.approx(held["share"], rel=1e-9)


@given(st.integers(0, 40), st.integers(0, 40).filter(bool), st.sampled_from(SIDES))
def test_p_of_scipy(above: int, below: int, side: str) -> None:
    result = sign_test([1] * above + [-1] * below, alternative=side)
    assert result.p == pytest.approx(binomtest(above, above + below, alternative=side).pvalue, rel=1e-9)


@given(st.integers(1, 60), st.data(), st.floats(0.5, 0.99))
def test_interval_of_statsmodels(total: int, data: st.DataObject, level: float) -> None:
    favour = data.draw(st.integers(0, total))
    theirs = proportion_confint(favour, total, alpha=1 - level, method="beta")
    assert clopper_pearson(favour, total, level) == pytest.approx(theirs, rel=1e-6, abs=1e-12)


def test_p_by_enumeration() -> None:
    # Six pairs of which five are positive: of 64 ways to set signs, 7 have at least five positive.
    ways = [sum(signs) for signs in product([0, 1], repeat=6)]
    assert sum(way >= 5 for way in ways) == 7
    assert sign_test([1, 2, 3, 4, 5, -6], alternative="greater").p == pytest.approx(7 / 64)
    assert sign_test([1, 2, 3, 4, 5, -6]).p == pytest.approx(14 / 64)


def test_zeros_are_dropped_or_split() -> None:
    values = [1, 1, 1, 1, 1, -1, 0, 0, 0]
    dropped, split = sign_test(values), sign_test(values, zeros="split")
    assert (dropped.statistic, dropped.effect("share").value) == (5, 5 / 6)
    assert (split.statistic, split.effect("share").value) == (6, 6 / 8)  # one of three zeros is dropped
    assert dropped.details["n zero"] == split.details["n zero"] == 3
    assert dropped.effect("cliff-delta").value == pytest.approx(4 / 6)


def test_asymptotic_p_is_the_root_of_mcnemar() -> None:
    # 15 against 5: (|15 − 5| − 1)²/20 = 4.05 with correction (McNemar), p = .0442; 100/20 = 5 without, p = .0253.
    values = [1] * 15 + [-1] * 5
    assert sign_test(values, method="asymptotic").p == pytest.approx(0.0442, abs=5e-5)
    assert sign_test(values, method="asymptotic", correction=False).p == pytest.approx(0.0253, abs=5e-5)


def test_every_convention_runs() -> None:
    found = multiverse(sign_test, CONVENTIONS, [1, 2, 3, -1, 0, 0])
    assert len(found.variants) == len(CONVENTIONS)
    assert not found.refused


def test_what_has_no_sign() -> None:
    with pytest.raises(UserError, match="All 2 pairs are equal"):
        sign_test([3, 3], [3, 3])
    with pytest.raises(UserError):
        sign_test([])
    with pytest.raises(UserError, match="7 of 3"):
        clopper_pearson(7, 3)
