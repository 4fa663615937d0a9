"""Are probabilities between two points and their derivatives right, far out in the tails and close together too?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, log_ndtr, ndtr

from hengliang.statistics.models.ordinal.links import LINKS

POINTS = st.floats(-6, 6)
WIDTHS = st.floats(0.05, 5)
NAMES = st.sampled_from(["logit", "probit"])


def log_p(name: str, upper: float, lower: float) -> float:
    return float(LINKS[name].log_probability(np.array([upper]), np.array([lower]))[0])


@given(NAMES, POINTS, WIDTHS)
def test_log_probability_is_the_difference_of_two_distribution_functions(name: str, lower: float, width: float) -> None:
    cumulative = expit if name == "logit" else ndtr
    upper = lower + width
    # Taken in the lower tail, where the plain difference keeps its digits.
    high, low = (upper, lower) if lower + upper < 0 else (-lower, -upper)
    assert log_p(name, upper, lower) == pytest.approx(math.log(cumulative(high) - cumulative(low)), abs=1e-9)


@pytest.mark.parametrize("name", ["logit", "probit"])
def test_open_ends(name: str) -> None:
    cumulative = expit if name == "logit" else ndtr
    assert log_p(name, 0.3, -math.inf) == pytest.approx(math.log(cumulative(0.3)))
    assert log_p(name, math.inf, 0.3) == pytest.approx(math.log(cumulative(-0.3)))
    assert log_p(name, math.inf, -math.inf) == 0.0
    slopes = LINKS[name].slopes(np.array([np.inf, 0.3, np.inf]), np.array([0.3, -np.inf, -np.inf]))
    for held in (slopes.upper, slopes.lower, slopes.upper_1, slopes.lower_1, slopes.upper_2, slopes.lower_2):
        assert np.isfinite(held).all()
    assert slopes.upper[0] == 0.0 and slopes.lower[1] == 0.0


def test_far_tails() -> None:
    # Logistic: F(−700) − F(−701) = e⁻⁷⁰⁰(1 − e⁻¹) to all digits. Normal: Φ(−40) less Φ(−41), from their logarithms.
    assert log_p("logit", -700.0, -701.0) == pytest.approx(-700 + math.log1p(-math.exp(-1)), rel=1e-14)
    assert log_p("logit", 701.0, 700.0) == pytest.approx(log_p("logit", -700.0, -701.0), rel=1e-14)
    expected = float(log_ndtr(-40.0)) + math.log1p(-math.exp(float(log_ndtr(-41.0) - log_ndtr(-40.0))))
    assert log_p("probit", -40.0, -41.0) == pytest.approx(expected, rel=1e-13)
    assert log_p("probit", 41.0, 40.0) == pytest.approx(expected, rel=1e-13)


def test_points_close_together() -> None:
    # p ≈ density × width: logistic density at 0 is 1/4, normal 1/√(2π).
    assert log_p("logit", 1e-9, 0.0) == pytest.approx(math.log(0.25e-9), abs=1e-6)
    assert log_p("probit", 1e-9, 0.0) == pytest.approx(math.log(1e-9) - 0.5 * math.log(2 * math.pi), abs=1e-6)
    below, above = log_p("probit", 1.0 + 0.99e-5, 1.0), log_p("probit", 1.0 + 1.01e-5, 1.0)
    assert above - below == pytest.approx(math.log(1.01 / 0.99), abs=1e-6)


@given(NAMES, st.floats(-4, 4), st.floats(0.1, 4))
def test_derivatives_agree_with_differences(name: str, lower: float, width: float) -> None:
    link, h = LINKS[name], 1e-4
    upper = lower + width
    slopes = link.slopes(np.array([upper]), np.array([lower]))
    assert slopes.upper[0] == pytest.approx(
        (log_p(name, upper + h, lower) - log_p(name, upper - h, lower)) / (2 * h), abs=1e-5
    )
    assert slopes.lower[0] == pytest.approx(
        (log_p(name, upper, lower + h) - log_p(name, upper, lower - h)) / (2 * h), abs=1e-5
    )
    ahead = link.slopes(np.array([upper + h]), np.array([lower + h]))
    behind = link.slopes(np.array([upper - h]), np.array([lower - h]))
    for name_0, name_1 in (("upper", "upper_1"), ("lower", "lower_1"), ("upper_1", "upper_2"), ("lower_1", "lower_2")):
        difference = (getattr(ahead, name_0)[0] - getattr(behind, name_0)[0]) / (2 * h)
        assert getattr(slopes, name_1)[0] == pytest.approx(difference, abs=1e-5)


@given(NAMES, st.floats(-8, 8), st.floats(0.01, 8))
def test_common_slope_and_curvature_follow_from_the_single_ones(name: str, lower: float, width: float) -> None:
    points = np.array([lower + width]), np.array([lower])
    slopes, curvature = LINKS[name].slopes(*points), LINKS[name].curvature(*points)
    first, weight = LINKS[name].common(*points)
    scale = 1 + abs(curvature.upper_lower[0])
    assert first[0] == pytest.approx(slopes.upper[0] + slopes.lower[0], abs=1e-8 * scale)
    assert weight[0] == pytest.approx(-(slopes.upper_1 + slopes.lower_1)[0], abs=1e-8 * scale)
    assert slopes.upper_1[0] == pytest.approx((curvature.upper_upper + curvature.upper_lower)[0], abs=1e-8 * scale)
    assert slopes.lower_1[0] == pytest.approx((curvature.lower_lower + curvature.upper_lower)[0], abs=1e-8 * scale)
    assert weight[0] >= 0


@given(NAMES, st.floats(-5, 5), st.floats(0.1, 4))
def test_mirroring_the_scale_mirrors_the_slopes(name: str, lower: float, width: float) -> None:
    upper = lower + width
    here = LINKS[name].slopes(np.array([upper]), np.array([lower]))
    there = LINKS[name].slopes(np.array([-lower]), np.array([-upper]))
    assert there.upper[0] == pytest.approx(-here.lower[0], rel=1e-9)
    assert there.upper_1[0] == pytest.approx(here.lower_1[0], rel=1e-7, abs=1e-12)
    assert there.upper_2[0] == pytest.approx(-here.lower_2[0], rel=1e-6, abs=1e-10)
