"""Is what was chosen kept by its own name, wherever it stood?"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.people.tasks.base import Given
from hengliang.people.tasks.fields import STRANGE, UNANSWERED
from hengliang.people.tasks.forced_choice import ForcedChoice
from tests.people.tasks.examples import EXAMPLES, PAIR

TASK = ForcedChoice()
SCREEN = EXAMPLES["forced_choice"].screen


@pytest.mark.parametrize(("order", "side"), [("1,2", 2.0), ("2,1", 1.0)])
def test_the_label_is_the_option_and_the_side_is_kept(order: str, side: float) -> None:
    reading = TASK.read({"answer-choice": "tou", "detail-order": order}, PAIR, SCREEN)
    assert reading.given == (Given("choice", label="tou"), Given("side", side))


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({}, UNANSWERED),
        ({"detail-order": "1,2"}, UNANSWERED),
        ({"answer-choice": "1", "detail-order": "1,2"}, STRANGE),
        ({"answer-choice": "两头马", "detail-order": "1,2"}, STRANGE),
    ],
)
def test_what_is_no_choice(form: dict[str, str], message: object) -> None:
    assert [each.message for each in TASK.read(form, PAIR, SCREEN).problems] == [message]


@pytest.mark.parametrize("order", ["", "1", "1,1", "2,1,3", "1, 2", "x", "１,２"])
def test_an_order_that_cannot_have_been_shown(order: str) -> None:
    problems = TASK.read({"answer-choice": "pi", "detail-order": order}, PAIR, SCREEN).problems
    assert [(each.field, each.message.en) for each in problems] == [
        ("answer-choice", "The page was not sent whole. Please answer again.")
    ]


@given(st.integers(2, 6), st.text(min_size=1), st.integers(0, 100))
def test_each_option_stands_everywhere_equally_often(count: int, about: str, first: int) -> None:
    stimulus = replace(PAIR, about=about, details={"options": [f"option {n}" for n in range(count)]})
    places: Counter[tuple[int, str]] = Counter()
    for number in range(first, first + 2 * count):
        shown = TASK.shown(stimulus, SCREEN, "zh", number)
        places.update((place, option["id"]) for place, option in enumerate(shown["options"]))
        # What is shown is read back as it stood.
        chosen = shown["options"][0]["id"]
        form = {"answer-choice": chosen, "detail-order": shown["order"]}
        assert TASK.read(form, stimulus, SCREEN).given == (Given("choice", label=chosen), Given("side", 1.0))
    assert set(places.values()) == {2}
    assert len(places) == count**2


def test_sides_differ_between_items_for_one_participant() -> None:
    firsts = Counter(
        TASK.shown(replace(PAIR, about=f"item-{n}"), SCREEN, "zh", 0)["options"][0]["id"] for n in range(1000)
    )
    # A fair coin gives 500 ± 16 (one standard deviation); the digests are fixed, so this cannot flicker.
    assert 420 < firsts["pi"] < 580


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (None, "a list of 2 to 20 texts"),
        ("ab", "a list of 2 to 20 texts"),
        (["a"], "a list of 2 to 20 texts"),
        (["a"] * 21, "a list of 2 to 20 texts"),
        (["a", ""], "neither a text nor"),
        (["a", {"id": "b"}], "neither a text nor"),
        (["a", 3], "neither a text nor"),
        (["a", "a"], "same id"),
        (["a", "b\nc"], "not one plain line"),
        (["a", " b"], "not one plain line"),
        (["a", "b" * 201], "longer than 200"),
    ],
)
def test_options_that_cannot_be_shown(options: Any, said: str) -> None:
    assert said in (TASK.check(replace(PAIR, details={"options": options})) or "")
    assert TASK.check(PAIR) is None
