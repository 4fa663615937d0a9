"""Is a printed number read with its precision, and compared as its reader would?"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Bilingual, UserError
from hengliang.analysis.replication.verdicts import VERDICTS, Printed, Recomputed, judge

NOTE = Bilingual("", "")


@pytest.mark.parametrize(
    ("text", "value", "half_unit", "relation"),
    [
        ("53.33", 53.33, 0.005, "="),
        (".21", 0.21, 0.005, "="),
        ("< .001", 0.001, 0.0005, "<"),
        ("2.2167e-06", 2.2167e-06, 5e-11, "="),
        ("8.33%", 8.33, 0.005, "="),
        ("400", 400, 0.5, "="),
        ("−.30", -0.30, 0.005, "="),
    ],
)
def test_a_text_is_read_with_its_precision(text: str, value: float, half_unit: float, relation: str) -> None:
    printed = Printed.parse(text)
    assert printed.value == pytest.approx(value, rel=1e-12)
    assert printed.half_unit == pytest.approx(half_unit, rel=1e-12)
    assert printed.relation == relation


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(UserError, match=r"'n\.s\.' is no printed number"):
        Printed.parse("n.s.")


@given(st.floats(-1e4, 1e4), st.integers(0, 4))
def test_a_number_agrees_with_what_python_prints_of_it(value: float, places: int) -> None:
    printed = Printed.parse(f"{value:.{places}f}")
    assert printed.agrees(value)
    assert printed.low <= value <= printed.high or math.isclose(abs(value - printed.value), printed.half_unit)
    assert not printed.agrees(value + 2.1 * printed.half_unit)


def test_a_border_agrees_with_both_roundings() -> None:
    # 22.55 is printed as 22.6 by half up, and as 22.5 or 22.6 by what binary numbers hold.
    assert Printed.parse("22.6").agrees(22.55)
    assert Printed.parse("22.5").agrees(22.55)


def test_rounding_twice_is_told_from_rounding() -> None:
    assert Printed.parse("59.92").rounded_twice(59.91496)  # 59.915, then 59.92
    assert not Printed.parse("59.92").rounded_twice(59.918)  # rounds to it at once
    assert not Printed.parse("59.92").rounded_twice(59.9143)


@pytest.mark.parametrize(
    ("text", "value", "written"),
    [
        ("53.33", 51.38757, "51.388"),
        ("59.92", 59.914957, "59.91496"),
        (".21", 0.20694, ".207"),
        (".90", -0.9648, "−.965"),
        ("400", 400.0, "400"),
        ("8.33%", 8.3333, "8.333%"),
        ("2.2167e-06", 2.21537e-06, "2.21537e-06"),
        ("< .001", 0.000501, "0.0005"),
        ("0.001", 4.1876e-06, "4.2e-06"),
    ],
)
def test_a_value_is_written_in_the_printed_style(text: str, value: float, written: str) -> None:
    assert Printed.parse(text).write(value) == written


@pytest.mark.parametrize(
    ("published", "recomputed", "verdict"),
    [
        ("53.33", Recomputed(53.3312, NOTE), "same"),
        ("53.33", Recomputed(51.39, NOTE), "differs"),
        ("61.90", Recomputed(61.8948, NOTE, 61.890, 61.8998), "within rounding"),
        ("61.90", Recomputed(61.8, NOTE, 61.79, 61.81), "differs"),
        (".14", Recomputed(0.1357, NOTE, 0.1357, None, bound=True), "compatible"),
        (".13", Recomputed(0.1357, NOTE, 0.1357, None, bound=True), "differs"),
        ("< .001", Recomputed(0.0004, NOTE), "same"),
        ("< .001", Recomputed(0.0011, NOTE), "differs"),
        ("weak", Recomputed("moderate", NOTE), "differs"),
        ("weak", Recomputed("weak", NOTE), "same"),
        ("small", Recomputed("small", NOTE, bound=True), "compatible"),
        (".90", Recomputed(None, NOTE), "not recomputable"),
    ],
)
def test_the_verdict(published: str, recomputed: Recomputed, verdict: str) -> None:
    assert judge(published, recomputed) == verdict
    assert verdict in VERDICTS


def test_a_bound_is_written_as_one() -> None:
    assert Recomputed(0.1357, NOTE, 0.1357, None, bound=True).write(".14") == "≥ .136"
    assert Recomputed(347.0, NOTE, 347, 440, bound=True).write("408") == "347 … 440"
    assert Recomputed(None, NOTE).write("408") == "—"
    assert Recomputed("sum", NOTE).write("mean") == "sum"
