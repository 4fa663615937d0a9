"""Does a view come back from a file as it was, and are margins and regions written so that they say what is so?"""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core import from_json, to_json
from hengliang.grammar.views import (
    Grid,
    ModelRow,
    Outcome,
    PredictionView,
    SuiteItemView,
    named_predictions,
    region_groups,
    suite_item_view,
    write_failures,
    write_margin,
)
from tests.grammar.toy_suites import NAME, toy_tables


def outcome(margin: float, label: str = "failure") -> Outcome:
    return Outcome("m", label, 0.0, margin)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_view_comes_back_from_json(number: int) -> None:
    view = suite_item_view(*toy_tables(), f"{NAME}/{number}")
    back = from_json(SuiteItemView, json.loads(json.dumps(to_json(view), allow_nan=False)), "It")
    # Not `==`: the reason why there is no number is a NaN, which equals nothing.
    assert repr(back) == repr(view)


@given(st.lists(st.floats() | st.just(math.inf), max_size=4), st.floats())
def test_any_number_comes_back_from_json(numbers: list[float], end: float) -> None:
    row = ModelRow("m", tuple(numbers), end)
    assert repr(from_json(ModelRow, json.loads(json.dumps(to_json(row), allow_nan=False)), "It")) == repr(row)


def test_failures_are_of_predictions_that_count() -> None:
    view = suite_item_view(*toy_tables(), f"{NAME}/1")
    assert [(prediction.name, found.margin) for prediction, found in view.failures("second")] == [("1", -1.0)]
    assert view.failures("nobody") == ()
    passed = suite_item_view(*toy_tables(), f"{NAME}/2")
    assert [passed.failures(model) for model in passed.models] == [(), ()]


def test_regions_are_grouped_from_left_to_right() -> None:
    grid = Grid("words", tuple("abcde"), ("x", "x", "y", "y", "x"), (False, False, False, True, True), ())
    assert region_groups(grid) == [("x", False, 2), ("y", False, 1), ("y", True, 1), ("x", True, 1)]
    assert region_groups(Grid("words", (), (), (), ())) == []


@given(st.lists(st.tuples(st.sampled_from("xy"), st.booleans()), max_size=8))
def test_the_groups_cover_every_piece(pieces: list[tuple[str, bool]]) -> None:
    names, targets = tuple(name for name, _ in pieces), tuple(target for _, target in pieces)
    found = region_groups(Grid("words", names, names, targets, ()))
    assert [group[:2] for group in found for _ in range(group[2])] == pieces


@pytest.mark.parametrize(
    ("margin", "label", "written"),
    [
        (-0.794, "failure", "−0.79"),
        (12.0, "success", "12.00"),
        # Two decimals would hide that it fails; a tie is within the tolerance and stays a zero.
        (-0.0031, "failure", "−0.003"),
        (0.0004, "success", "0.0004"),
        (0.000004, "tie", "0.00"),
        (0.0, "tie", "0.00"),
        (0.0, "tie lost", "0.00"),
        (0.0, "success", "0"),
        (math.inf, "success", "∞"),
        (-math.inf, "failure", "−∞"),
        (math.nan, "", "—"),
    ],
)
def test_margins(margin: float, label: str, written: str) -> None:
    assert write_margin(outcome(margin, label)) == written


def test_failures_are_named_where_there_are_several_predictions() -> None:
    first, second, control = (
        PredictionView(name, "a.x > b.x", counts, (">",), ())
        for name, counts in (("1", True), ("2", True), ("c", False))
    )
    assert named_predictions([first, second, control])
    assert not named_predictions([first, control])
    failures = [(first, outcome(-0.5)), (second, outcome(0.0, "tie"))]
    lost = [(first, outcome(0.0, "tie lost"))]
    assert write_failures(lost, named=False) == "="
    assert write_failures(failures, named=True) == "1: −0.50, 2: ="
    assert write_failures(failures[:1], named=False) == "−0.50"
