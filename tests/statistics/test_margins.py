"""Does an interval against a margin give the right one of four verdicts, in both languages?"""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.statistics.equivalence import against_margin, take_margin
from hengliang.statistics.results import Effect


@pytest.mark.parametrize(
    ("interval", "verdict", "english", "chinese"),
    [
        ((0.1, -0.1, 0.3), "equivalent", "A and B are equivalent within the margin ±0.50", "A与B在界值 ±0.50 内等效"),
        ((0.2, 0.1, 0.3), "different and equivalent", "A and B differ, but are equivalent", "有差异，但在界值"),
        ((0.9, 0.6, 1.2), "not equivalent", "they differ by more than the margin ±0.50", "不等效：差异超出界值"),
        ((0.3, -0.1, 0.7), "undecided", "within the margin ±0.50 is undecided (", "内是否等效尚无定论（"),
        ((0.4, 0.1, 0.7), "undecided", "is undecided, although they differ", "尚无定论，虽然两者有差异"),
        ((-0.9, -1.2, -0.6), "not equivalent", "they differ by more than the margin", "不等效"),
    ],
)
def test_verdicts(interval: tuple[float, float, float], verdict: str, english: str, chinese: str) -> None:
    result = against_margin(interval, 0.5)
    assert result.verdict == verdict
    assert english in result.sentence().en
    assert chinese in result.sentence().zh


@given(st.floats(-2, 2), st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 2))
def test_turning_the_sign_keeps_the_verdict_and_a_wider_margin_never_undoes_equivalence(
    value: float, below: float, above: float, margin: float
) -> None:
    assume(margin > 0)
    one = against_margin((value, value - below, value + above), margin)
    other = against_margin((-value, -value - above, -value + below), margin)
    assert one.verdict == other.verdict
    wider = against_margin((value, value - below, value + above), margin * 2)
    assert wider.is_equivalent or not one.is_equivalent
    assert wider.is_beyond is False or one.is_beyond


def test_other_scales_have_another_point_of_no_difference() -> None:
    ratio = Effect("odds-ratio", "OR", 1.02, 0.93, 1.12, 0.9, "Woolf", bounded=False)
    result = against_margin(ratio, (0.8, 1.25), null=1.0, names=("RULE", "BERT"))
    assert result.verdict == "equivalent"
    assert "RULE and BERT are equivalent within the margin [0.80, 1.25]" in result.sentence().en
    assert "OR = 1.02, 90 % CI [0.93, 1.12]" in result.summary()
    assert result.alpha == pytest.approx(0.05)


def test_signature_and_estimates_hold_the_margin() -> None:
    one, other = against_margin((0.1, -0.1, 0.3), 0.5), against_margin((0.1, -0.1, 0.3), 0.6)
    assert one.signature() != other.signature()
    assert "margin_high:0.5" in str(one.signature())
    rows = list(one.estimates("comparison", {"measure": "fluency"}))
    assert (rows[0].statistic, rows[0].value, rows[0].low, rows[0].high) == ("difference", 0.1, -0.1, 0.3)
    assert "equivalent" in rows[1].method and rows[1].value is None


def test_mistakes_are_named() -> None:
    assert take_margin((-0.2, 0.4)) == (-0.2, 0.4)
    for margin in (0, -1, (0.1, 0.2), math.nan, math.inf):
        with pytest.raises(UserError, match="does not enclose 0"):
            take_margin(margin)
    with pytest.raises(UserError, match="does not hold its estimate"):
        against_margin((0.5, -0.1, 0.3), 0.5)
    with pytest.raises(UserError, match="has no interval"):
        against_margin(Effect("phi", "φ", 0.2), 0.3)
    with pytest.raises(UserError, match="level"):
        against_margin((0.1, -0.1, 0.3), 0.5, level=95)
