"""Is an order found exactly when there is one, and is a refusal right about the reason?"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.people.design.first_order import Filling, first_order
from hengliang.people.design.order_rules import rules_of
from hengliang.people.sessions.steps import Presentation
from tests.people.design.made_lists import all_orders, items_of, keeps


@st.composite
def small_lists(draw: st.DrawFn) -> list[Presentation]:
    """Return up to seven rows of a few items, in one or two blocks, with practice, catch items and repeats."""
    rows = []
    for item in range(draw(st.integers(1, 4))):
        for variant in range(draw(st.integers(1, 3))):
            role = draw(st.sampled_from(("target", "target", "target", "catch", "practice")))
            rows.append(Presentation(f"{item}-{variant}", role, draw(st.integers(1, 2))))
    rows = rows[:6]
    again = [row for row in rows if row.role == "target"][: draw(st.integers(0, 2))]
    rows += [Presentation(row.about, "repeat", draw(st.sampled_from((row.block, 2))), 2) for row in again]
    return rows[:7]


@given(small_lists(), st.integers(1, 3), st.integers(1, 4), st.integers(0, 9))
@settings(max_examples=100, deadline=None)
def test_found_exactly_when_trying_all_orders_finds_one(
    rows: list[Presentation], distance: int, repeat_distance: int, seed: int
) -> None:
    there = all_orders(rows, distance, repeat_distance)
    rules = rules_of(rows, items_of(rows), distance, repeat_distance)
    try:
        found = first_order(rules, random.Random(seed).random)
    except UserError as error:
        assert not there
        assert str(distance) in error.problem or "repeated" in error.problem
    else:
        assert tuple(found) in there
    # The search alone, without the bounds and without luck, agrees.
    filling = Filling(rules, random.Random(seed).random)
    assert (filling.practised() and filling.exhaustive() is not None) == bool(there)


def test_crowded_lists_are_ordered() -> None:
    # Ten items of four rows each, one in every block of ten rows: 7 places apart at least, over the borders, too.
    rows = [Presentation(f"{item}-{variant}", block=variant) for variant in range(4) for item in range(10)]
    rules = rules_of(rows, items_of(rows), 7, 1)
    assert keeps(rows, first_order(rules, random.Random(1).random), 7, 1)
    # As tight as can be: (4 − 1) · 10 + 10 = 40 rows of one block.
    one_block = [Presentation(row.about) for row in rows]
    rules = rules_of(one_block, items_of(rows), 10, 1)
    assert keeps(one_block, first_order(rules, random.Random(1).random), 10, 1)


@pytest.mark.parametrize(
    ("rows", "distance", "repeat_distance", "problem", "valid"),
    [
        (
            [Presentation("a-1"), Presentation("a-2"), Presentation("a-3"), Presentation("b-1")],
            *(2, 1, r"List 1: 'a' has 3 of the 4 rows of the list: 2 places apart .* \(3 − 1\) · 2 \+ 1 = 5 rows"),
            "Possible is a distance of 1.",
        ),
        (
            [Presentation("a-1"), Presentation("b-1"), Presentation("a-1", "repeat", occurrence=2)],
            *(1, 4, r"the list has 3 rows, and 1 of its stimuli are repeated .* 4 places later: .* 4 \+ 1 rows"),
            "Possible is a distance of 1 with repeats at least 2 places later.",
        ),
        (
            [Presentation("a-1", block=1), Presentation("a-2", block=2), Presentation("b-1", block=3)],
            *(2, 1, r"no order of 3 rows \(practice 0, blocks 1, 1, 1\) keeps variants of an item 2 places apart"),
            "Possible is a distance of 1.",
        ),
        (
            [Presentation("a-1", "practice"), Presentation("a-2", "practice"), Presentation("b-1")],
            *(2, 1, r"no order of 3 rows \(practice 2, blocks 1\)"),
            "Possible is a distance of 1.",
        ),
    ],
)
def test_why_not(rows: list[Presentation], distance: int, repeat_distance: int, problem: str, valid: str) -> None:
    rules = rules_of(rows, items_of(rows), distance, repeat_distance)
    with pytest.raises(UserError, match=problem) as caught:
        first_order(rules, random.Random(1).random, "List 1")
    assert caught.value.valid == valid
    assert not all_orders(rows, distance, repeat_distance)


def test_what_a_search_cannot_decide_is_refused_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [Presentation(f"{item}-{variant}", block=variant) for variant in range(2) for item in range(5)]
    filling = Filling(rules_of(rows, items_of(rows), 3, 1), random.Random(1).random)
    monkeypatch.setattr("hengliang.people.design.first_order._STEPS", 3)
    filling.practised()
    with pytest.raises(UserError, match="was not decided in 3 steps"):
        filling.exhaustive()
