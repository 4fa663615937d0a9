"""Are statistics written as a results section writes them?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.statistics.results import (
    DASH,
    listed,
    p_remark,
    signed,
    write_bounded,
    write_df,
    write_p,
    write_percent_level,
    write_statistic,
)


@pytest.mark.parametrize(
    ("value", "text"), [(0.0004, "< .001"), (0.001, ".001"), (0.0342, ".034"), (0.9999, "1.000"), (1.0, "1.000")]
)
def test_a_probability_has_no_zero_before_the_point(value: float, text: str) -> None:
    assert write_p(value) == text


def test_a_remark_names_p_once() -> None:
    assert (p_remark(0.0342), p_remark(1e-9)) == ("p = .034", "p < .001")


@pytest.mark.parametrize(
    ("value", "text"),
    [(51.391, "51.39"), (-2.5, "−2.50"), (-0.001, "0.00"), (float("inf"), "∞"), (float("-inf"), "−∞")],
)
def test_a_statistic_keeps_its_zero_and_has_a_real_minus(value: float, text: str) -> None:
    assert write_statistic(value) == text


def test_what_is_not_known_is_a_dash() -> None:
    assert write_statistic(float("nan")) == DASH
    assert write_bounded(float("nan")) == DASH


@pytest.mark.parametrize(("value", "text"), [(0.207, ".21"), (-0.3, "−.30"), (1.0, "1.00"), (-1.0, "−1.00")])
def test_a_bounded_number_loses_its_zero(value: float, text: str) -> None:
    assert write_bounded(value) == text


@given(st.floats(-1, 1))
def test_a_bounded_number_can_be_read_back(value: float) -> None:
    text = write_bounded(value, 4).replace("−", "-")
    assert float(text) == pytest.approx(value, abs=5.1e-5)


def test_a_negative_zero_has_no_sign() -> None:
    assert (signed("-0.00"), signed("-0.30"), signed("0.30")) == ("0.00", "−0.30", "0.30")


def test_degrees_of_freedom_and_levels() -> None:
    assert write_df((2.0, 57.0)) == "2, 57"
    assert write_df((14.3333333, 0.5, 100.0)) == "14.33, 0.5, 100"
    assert (write_percent_level(0.95), write_percent_level(0.999)) == ("95 %", "99.9 %")


def test_names_are_joined_as_a_sentence_does() -> None:
    assert (listed(["A", "B", "C"]).en, listed(["A", "B", "C"]).zh) == ("A, B and C", "A、B和C")
    assert (listed(["A"]).en, listed([]).en) == ("A", "")


def test_a_number_that_has_run_away_shows_its_size_and_not_its_digits() -> None:
    assert write_statistic(607292740253364492410752358881596872327168.0, 3) == "6.1 × 10⁴¹"
    assert write_statistic(-1.19e42, 3) == "−1.2 × 10⁴²"
    assert write_statistic(999_999_999.0) == "999999999.00"
