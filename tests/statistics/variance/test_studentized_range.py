"""Is the studentized range right, in the body and far out?"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import studentized_range
from scipy.stats import t as t_distribution

from hengliang.statistics.variance.tukey import critical_value, range_survival, survival
from tests.statistics.variance.oracle import oracle

CASES = oracle()["studentized_range"]


def test_against_r() -> None:
    ours = [survival(case["q"], case["groups"], case["df"]) for case in CASES]
    theirs = [case["p"] for case in CASES]
    # R's ptukey is itself off with 2 degrees of freedom: ptukey(8, 2, 2, lower.tail = FALSE) gives .02975, while the
    # t-test that this is says 2 * pt(-8/sqrt(2), 2) = .02986, as we do.
    assert ours == pytest.approx(theirs, rel=4e-3)
    for case, own in zip(CASES, ours, strict=True):
        if case["df"] > 2:
            assert own == pytest.approx(case["p"], rel=5e-5, abs=1e-12)
    for case in CASES[::5]:
        assert critical_value(0.05, case["groups"], case["df"]) == pytest.approx(case["critical"], rel=2e-3)


@pytest.mark.parametrize("case", CASES[::3], ids=str)
def test_against_scipy(case: dict[str, float]) -> None:
    theirs = studentized_range.sf(case["q"], case["groups"], case["df"])
    assert survival(case["q"], int(case["groups"]), case["df"]) == pytest.approx(theirs, rel=1e-9, abs=1e-12)


@given(st.floats(1e-3, 300), st.floats(1, 1e5))
def test_two_groups_are_a_t_test_as_far_out_as_one_likes(q: float, df: float) -> None:
    truth = 2 * t_distribution.sf(q / math.sqrt(2), df)
    assert survival(q, 2, df) == pytest.approx(truth, rel=1e-9, abs=1e-290)


def test_two_groups_of_known_variance_are_a_normal_test() -> None:
    # The range of two standard normal values is √2 times the size of one: P(range > 20) = erfc(20/2) = 2.09e-45.
    assert survival(20.0, 2, math.inf) == pytest.approx(math.erfc(10), rel=1e-10)
    assert range_survival(np.array([0.0]), 5)[0] == pytest.approx(1.0)


@given(st.floats(0.1, 30), st.integers(2, 12), st.floats(2, 200))
def test_p_falls_with_q_and_rises_with_groups_below_the_bound_of_all_pairs(q: float, groups: int, df: float) -> None:
    p = survival(q, groups, df)
    assert 0 < p <= 1
    assert survival(q * 1.1, groups, df) < p + 1e-13
    assert survival(q, groups + 1, df) > p - 1e-13
    assert p <= groups * (groups - 1) / 2 * survival(q, 2, df) * (1 + 1e-9) + 1e-13


@settings(max_examples=30, deadline=None)
@given(st.floats(1e-12, 0.9), st.integers(2, 8), st.floats(2, 300))
def test_critical_values_are_the_inverse(probability: float, groups: int, df: float) -> None:
    assert survival(critical_value(probability, groups, df), groups, df) == pytest.approx(probability, rel=1e-8)


def test_edges() -> None:
    assert survival(0.0, 3, 10) == 1.0
    assert survival(500.0, 3, 1e6) == 0.0
    # SciPy and R stop here at 0 and 4e-15; for three groups the tail is at most three times that of two.
    pair = 2 * t_distribution.sf(40 / math.sqrt(2), 27)
    assert 2 * pair < survival(40.0, 3, 27) < 3 * pair
