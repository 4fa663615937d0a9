"""Do sentences say what the estimates say?"""

from __future__ import annotations

import pytest

from hengliang import Estimate
from hengliang.analysis.descriptions.argument_order import SHAPE_FIRST
from hengliang.analysis.descriptions.finding_words import finding_sentences, write_value
from hengliang.analysis.descriptions.size_trends import ALL, COEFFICIENT, SLOPE, TREND
from hengliang.core import estimates_frame


def said(*rows: Estimate) -> list[str]:
    return [sentence.en for sentence in finding_sentences(estimates_frame(rows))]


def one(
    measure: str,
    size: str,
    statistic: str,
    value: float | None,
    p: float | None = None,
    low: float | None = None,
    high: float | None = None,
) -> Estimate:
    return Estimate("a", {"measure": measure, "size": size}, statistic, value, low, high, p=p, n=10)


@pytest.mark.parametrize(
    ("value", "p", "words"),
    [
        (0.5, 0.0004, "rises with the size (mixed model, for each doubling: b = 0.50, p < .001)"),
        (-0.5, 0.01, "falls with the size (mixed model, for each doubling: b = −0.50, p = .010)"),
        (-0.5, 0.2, "no trend over sizes is certain (mixed model, for each doubling: b = −0.50, p = .200)"),
    ],
)
def test_trends(value: float, p: float, words: str) -> None:
    rows = [one("words", "4", "mean", 12.5, low=11.0, high=14.0), one("words", TREND, COEFFICIENT, value, p)]
    assert said(*rows) == [f"Words: 4 things 12.50 [11.00, 14.00]; {words}."]


def test_the_slope_stands_in_for_a_missing_model() -> None:
    rows = [
        one("words", "4", "mean", 12.5),
        one("words", TREND, COEFFICIENT, None),
        one("words", TREND, SLOPE, -1.0, 0.03, low=-1.5, high=-0.5),
    ]
    assert said(*rows) == [
        "Words: 4 things 12.50; falls with the size "
        "(least squares, for each doubling: b = −1.00 [−1.50, −0.50], p = .030)."
    ]


def test_order() -> None:
    rows = [one(SHAPE_FIRST, ALL, "share", 0.9, low=0.8, high=0.95), one(SHAPE_FIRST, ALL, COEFFICIENT, 2.2, 0.001)]
    assert said(*rows) == [
        "Shape first, colour second: 90.0 % [80.0, 95.0] of 10 (indifference would give 50 %; b = 2.20, p = .001)."
    ]


def test_values() -> None:
    assert write_value(one("words", "4", "mean", None)) == "–"
    assert write_value(one("words", "4", "mean", 2.0)) == "2.00"
    assert write_value(one("x", "4", "share", 0.5)) == "50.0 %"
    assert said() == []
