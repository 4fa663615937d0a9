from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.report.formats import (
    CellText,
    Style,
    with_unit,
    write_date,
    write_exact,
    write_interval,
    write_number,
    write_seconds,
)
from hengliang.statistics import p_remark, write_df, write_p


@pytest.mark.parametrize(
    ("value", "style", "expected"),
    [
        (0.84163, Style("percent", 1), "84.2"),  # 84.163 rounds to 84.2
        (1.0, Style("percent", 0), "100"),
        (-0.5, Style("number", 2), "−0.50"),  # a minus sign, not a hyphen
        (-0.0001, Style("number", 3), "0.000"),  # no minus before a zero
        (1234567.891, Style("number", 1), "1,234,567.9"),
        (31204.0, Style("integer"), "31,204"),
        (math.inf, Style("number", 2), "∞"),
        (-math.inf, Style("percent", 2), "−∞"),
        (2318.42, Style("exact", 4), "2318"),
        (0.0123456, Style("exact", 4), "0.01235"),
    ],
)
def test_numbers(value: float, style: Style, expected: str) -> None:
    assert write_number(value, style) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, "< .001"),
        (0.000999, "< .001"),
        (0.001, ".001"),
        (0.0342, ".034"),
        (0.5, ".500"),
        (0.9996, "1.000"),
        (1.0, "1.000"),
    ],
)
def test_probabilities_of_tests_have_no_leading_zero_and_are_never_zero(value: float, expected: str) -> None:
    assert write_p(value) == expected


def test_p_remark_has_an_equals_sign_only_when_equal() -> None:
    assert (p_remark(0.0001), p_remark(0.04)) == ("p < .001", "p = .040")


@given(st.floats(0, 1), st.integers(1, 6))
def test_a_shown_p_is_within_half_a_unit_of_the_true_one(value: float, digits: int) -> None:
    text = write_p(value, digits)
    if text.startswith("<"):
        assert value < float(text[2:])
    else:
        assert abs(float(text) - value) <= 0.5 * 10**-digits + 1e-12


@given(st.floats(-1e9, 1e9), st.integers(0, 6))
def test_a_shown_number_is_within_half_a_unit_of_the_true_one(value: float, digits: int) -> None:
    text = write_number(value, Style("number", digits)).replace("−", "-").replace(",", "")
    # The last term is the rounding of binary fractions, which grows with the number.
    assert abs(float(text) - value) <= 0.5 * 10**-digits + abs(value) * 1e-15


def test_intervals_show_unknown_bounds_as_dashes() -> None:
    style = Style("percent", 1)
    assert write_interval(0.1, 0.2, style) == "[10.0, 20.0]"
    assert write_interval(0.1, None, style) == "[10.0, —]"
    assert write_interval(None, math.nan, style) == ""
    assert write_interval(-math.inf, 0.0, Style("number", 1)) == "[−∞, 0.0]"


def test_percentages_carry_their_sign_in_running_text() -> None:
    assert with_unit(0.5, Style("percent", 0)) == "50%"
    assert with_unit(0.5, Style("number", 1)) == "0.5"


def test_exact_numbers_and_degrees_of_freedom() -> None:
    assert write_exact(0.1 + 0.2) == "0.3"  # six significant digits of 0.30000000000000004
    assert write_df((2.0, 57.25)) == "2, 57.25"


def test_cell_text_joins_its_parts() -> None:
    assert str(CellText("3.2", "[3.0, 3.4]", ("df = 1", "p < .001"))) == "3.2 [3.0, 3.4], df = 1, p < .001"
    assert str(CellText("—", reason="no data", remarks=("3 missing",))) == "— (no data), 3 missing"


@pytest.mark.parametrize(
    ("seconds", "en", "zh"),
    [(0.04, "0.0 s", "0.0 秒"), (73.4, "1 min 13 s", "1 分 13 秒"), (3725, "1 h 2 min", "1 小时 2 分")],
)
def test_durations(seconds: float, en: str, zh: str) -> None:
    assert (write_seconds(seconds, "en"), write_seconds(seconds, "zh")) == (en, zh)


def test_dates() -> None:
    assert write_date("2026-11-15T19:40:12+00:00", "en") == "15 November 2026 19:40 UTC"
    assert write_date("2026-11-15T19:40:12+08:00", "zh") == "2026年11月15日 19:40 UTC+08:00"
    assert write_date("2026-03-01", "zh") == "2026年3月1日"
    assert write_date("yesterday", "en") == "yesterday"


def test_a_number_that_has_run_away_shows_its_size_and_not_its_digits() -> None:
    assert write_number(6.07e41, Style("number", 3)) == "6.1 × 10⁴¹"
    assert write_interval(-1.19e42, 1.19e42, Style("number", 2)) == "[−1.2 × 10⁴², 1.2 × 10⁴²]"
    assert write_number(123_456_789_012.0, Style("integer")) == "123,456,789,012"
