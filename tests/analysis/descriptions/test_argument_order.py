"""Is the order of shape and colour counted and tested as it should be?"""

from __future__ import annotations

import polars as pl
import pytest

from hengliang import Estimate
from hengliang.analysis.descriptions.argument_order import (
    BOTH_PLACES,
    FIRST_PLACE,
    SECOND_PLACE,
    SHAPE_FIRST,
    order_estimates,
)
from hengliang.analysis.descriptions.observed import places
from hengliang.analysis.descriptions.size_trends import ALL, COEFFICIENT
from hengliang.statistics import Resampling
from hengliang.systems.readers.parsing import Parse
from tests.analysis.descriptions.described import corpus, parse

HOW = Resampling(draws=200)


def found(rows: list[tuple[str, str, str]], parses: list[Parse]) -> dict[tuple[str, str, str], Estimate]:
    filled = places(corpus(rows), parses)
    estimates = order_estimates("a", filled, HOW)
    return {(one.by["measure"], one.by["size"], one.statistic): one for one in estimates}


def test_by_hand() -> None:
    rows = [("s1", "BS=4", ""), ("s2", "BS=4", ""), ("s3", "BS=9", "")]
    parses = [
        parse("half(square, red)", "half(red, square)"),
        parse("half(square, red)", "all(object, blue square)"),
        parse("most(circle, red)"),
    ]
    held = found(rows, parses)
    # Three of four have the shape first; at size 4 two of three, at size 9 the one.
    assert held[SHAPE_FIRST, ALL, "share"].value == pytest.approx(3 / 4)
    assert held[SHAPE_FIRST, "4", "share"].value == pytest.approx(2 / 3)
    assert (held[SHAPE_FIRST, "9", "share"].value, held[SHAPE_FIRST, ALL, "share"].n) == (1, 4)
    # First places: square, red, square, circle. Second: red, square, red, red, and blue square, which names both.
    assert held[FIRST_PLACE, ALL, "share"].value == pytest.approx(3 / 4)
    assert held[SECOND_PLACE, ALL, "share"].value == pytest.approx(3 / 4)
    assert (held[SECOND_PLACE, ALL, "share"].n, held[SECOND_PLACE, ALL, "share"].n_missing) == (4, 1)
    # 1, −1, 1, 1, and nothing of the order is in "all objects are blue squares".
    both = held[BOTH_PLACES, ALL, "share"]
    assert (both.value, both.n, both.n_missing) == (2 / 4, 4, 1)


def test_a_place_with_both_attributes_counts_once() -> None:
    # 1, 1, −1 and 0: no expression is there twice.
    written = (
        "half(square, red circle)",
        "half(red square, blue)",
        "half(red, blue square)",
        "half(red square, blue circle)",
    )
    rows = [(f"s{place}", "BS=4", "") for place in range(4)]
    both = found(rows, [parse(one) for one in written])[BOTH_PLACES, ALL, "share"]
    assert (both.value, both.n) == (1 / 4, 4)
    # Four people with one expression each: drawn anew they lie between −1 and 1, around the mean.
    assert both.low is not None and both.high is not None
    assert -1 <= both.low < 1 / 4 < both.high <= 1
    assert "subject" in both.method


def test_a_preference_is_found_and_none_is_not() -> None:
    pytest.importorskip("formulaic")
    shape, colour = "half(square, red)", "half(red, square)"
    # Twenty people describe six scenes each: everybody has the colour first once (or three times).
    rows = [(f"s{person}", f"BS={4 + scene}", "") for person in range(20) for scene in range(6)]
    turns = [(person, scene) for person in range(20) for scene in range(6)]
    clear = found(rows, [parse(colour if person % 6 == scene else shape) for person, scene in turns])
    even = found(rows, [parse(colour if (person + scene) % 2 else shape) for person, scene in turns])
    # 100 of 120: the log-odds are ln 5 = 1.61.
    assert clear[SHAPE_FIRST, ALL, COEFFICIENT].value == pytest.approx(1.61, abs=0.2)
    assert (clear[SHAPE_FIRST, ALL, COEFFICIENT].p or 1) < 0.001
    # 100 forwards and 20 backwards.
    assert clear[BOTH_PLACES, ALL, "share"].value == pytest.approx(80 / 120)
    assert (clear[BOTH_PLACES, ALL, "share"].low or 0) > 0.5
    assert even[BOTH_PLACES, ALL, "share"].value == 0
    assert even[SHAPE_FIRST, ALL, COEFFICIENT].value == pytest.approx(0, abs=0.01)
    assert (even[SHAPE_FIRST, ALL, COEFFICIENT].p or 0) > 0.5


def test_nothing_to_count() -> None:
    assert found([("s1", "BS=4", "")], [parse("there are(blue or red)")]) == {}
    empty = places(corpus([("s1", "BS=4", "")]), [Parse()])
    assert empty.height == 0
    assert empty.schema["shape_first"] == pl.Boolean
