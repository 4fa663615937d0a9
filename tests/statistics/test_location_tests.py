"""Are the tests against one number those of the textbook and of SciPy?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hengliang import Bilingual, UserError
from hengliang.statistics.location_tests import LocationTest, location_test, one_sample_t_test

VALUES = [1.0, 2.0, 4.0, 5.0]
SAMPLES = st.lists(st.floats(-50, 50).map(lambda value: round(value, 3)), min_size=3, max_size=12, unique=True)
TESTS: list[LocationTest] = ["t", "signed rank", "sign"]


def test_the_t_test_by_hand() -> None:
    # Mean 3, deviations −2 −1 1 2: variance 10/3, standard error √(10/3)/2 = 0.912871; t = 3/0.912871 = 3.286335.
    # t(3) at .975 is 3.182446: 3 ± 2.905162. d = 3/√(10/3) = 1.643168. p = 2·P(t(3) > 3.286335) = .046226.
    found = one_sample_t_test(VALUES)
    assert found.statistic == pytest.approx(3.286335, abs=1e-6)
    assert (found.df, found.n) == ((3.0,), 4)
    assert found.p == pytest.approx(2 * stats.t.sf(3.286335, 3), abs=1e-6)
    mean = found.effect("mean")
    assert (mean.value, mean.low, mean.high) == pytest.approx((3.0, 0.094838, 5.905162), abs=1e-5)
    assert found.effect("cohen-d").value == pytest.approx(1.643168, abs=1e-6)
    assert found.details == pytest.approx({"mean": 3.0, "standard deviation": math.sqrt(10 / 3)})


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("mu", [0.0, 2.5, -1.0])
def test_the_t_test_is_that_of_scipy(alternative: Any, mu: float) -> None:
    values = np.random.default_rng(2).normal(1, 3, 17)
    expected = stats.ttest_1samp(values, mu, alternative=alternative)
    found = one_sample_t_test(values, mu, alternative=alternative)
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-10)
    both = stats.ttest_1samp(values, mu).confidence_interval(0.95)
    mean = found.effect("mean")
    assert (mean.low, mean.high) == pytest.approx((both.low, both.high), rel=1e-10)


@pytest.mark.parametrize("mu", [0.0, 0.4])
def test_ranks_and_signs_are_those_of_scipy(mu: float) -> None:
    values = np.random.default_rng(3).normal(0.5, 1, 20)
    ranks = location_test("signed rank", values, mu)
    assert ranks.p == pytest.approx(stats.wilcoxon(values - mu, method="exact").pvalue, rel=1e-9)
    signs = location_test("sign", values, mu)
    assert signs.p == pytest.approx(stats.binomtest(int((values > mu).sum()), 20).pvalue, rel=1e-9)
    assert ranks.conventions["mu"] == signs.conventions["mu"] == mu


@given(values=SAMPLES, shift=st.integers(-40, 40))
def test_a_constant_added_to_values_and_mu_changes_nothing(values: list[float], shift: int) -> None:
    one = one_sample_t_test(values)
    two = one_sample_t_test([value + shift for value in values], float(shift))
    assert two.statistic == pytest.approx(one.statistic, rel=1e-6, abs=1e-6)
    assert two.p == pytest.approx(one.p, rel=1e-6, abs=1e-6)
    assert two.effect("mean").value == pytest.approx(one.effect("mean").value + shift, abs=1e-6)


@given(values=SAMPLES, data=st.data())
@settings(max_examples=40, deadline=None)
@pytest.mark.parametrize("test", TESTS)
def test_the_order_does_not_matter_and_signs_turn_round(test: LocationTest, values: list[float], data: Any) -> None:
    one = location_test(test, values)
    mixed = location_test(test, data.draw(st.permutations(values)))
    assert mixed.p == pytest.approx(one.p, rel=1e-9)
    turned = location_test(test, [-value for value in values])
    assert turned.p == pytest.approx(one.p, rel=1e-9)
    above = location_test(test, values, alternative="greater")
    below = location_test(test, [-value for value in values], alternative="less")
    assert below.p == pytest.approx(above.p, rel=1e-9)


@pytest.mark.parametrize(
    ("test", "mu", "alternative", "english", "chinese"),
    [
        ("t", 0.0, "two-sided", "The mean gap lies above 0", "差的均值显著高于 0"),
        ("t", 9.0, "two-sided", "The mean gap lies below 9", "差的均值显著低于 9"),
        ("t", 3.0, "two-sided", "The mean gap was not shown to differ from 3", "未能证明差的均值不同于 3"),
        ("t", 3.0, "greater", "The mean gap was not shown to lie above 3", "未能证明差的均值高于 3"),
        ("t", 9.0, "less", "The mean gap lies below 9", "差的均值显著低于 9"),
        ("sign", 0.0, "two-sided", "The gap was not shown to differ from 0", "未能证明差不同于 0"),
        ("signed rank", 0.0, "greater", "The gap was not shown to lie above 0", "未能证明差高于 0"),
    ],
)
def test_the_sentence_names_direction_and_number(
    test: LocationTest, mu: float, alternative: Any, english: str, chinese: str
) -> None:
    # Four values of one sign have p = .125 at best by signs and ranks.
    said = location_test(test, VALUES, mu, Bilingual("gap", "差"), alternative=alternative).sentence()
    assert said.en.startswith(f"{english} (")
    assert said.zh.startswith(f"{chinese}（")


def test_many_of_one_sign_tend_to_lie_above() -> None:
    assert (
        location_test("sign", range(1, 11), 0.0)
        .sentence()
        .en.startswith("The value of the sample tends to lie above 0 (sign test")
    )


def test_missing_values_are_counted() -> None:
    for test in TESTS:
        found = location_test(test, np.array([*VALUES, None, math.nan], dtype=object))
        assert (found.n, found.n_missing) == (4, 2)


def test_a_convention_that_decides_otherwise_is_told() -> None:
    # 21 of 31 above: exactly p = .071, by the normal distribution without correction z = 11/√31 = 1.976, p = .048.
    found = location_test("sign", [1.0] * 21 + [-1.0] * 10)
    assert found.p == pytest.approx(0.0708, abs=5e-4)
    assert [variant.p for variant in found.variants] == pytest.approx([2 * stats.norm.sf(11 / math.sqrt(31))])


@pytest.mark.parametrize(
    ("test", "values", "problem"),
    [
        ("t", [], "There are no observations"),
        ("t", [1.0], "There is 1 observation"),
        ("t", [0.1] * 5, "All 5 values are 0.1: there is no error to hold their mean against"),
        ("t", [0.0, 0.0], "All 2 values are 0"),
        ("sign", [0.0, 0.0], "All 2 pairs are equal"),
        ("signed rank", [], "There are no observations"),
        ("t", ["a", "b"], "something that is no number"),
        ("median", VALUES, "The test 'median' does not exist"),
    ],
)
def test_what_cannot_be_tested_is_told(test: Any, values: list[Any], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        location_test(test, values)
