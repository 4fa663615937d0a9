"""Is a slider answered only when somebody moved it, and only within its ends?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.people.tasks.base import Given
from hengliang.people.tasks.fields import UNANSWERED
from hengliang.people.tasks.slider import SliderRating, plain
from tests.people.tasks.examples import EXAMPLES, HORSE

SCREEN = EXAMPLES["slider"].screen


@pytest.mark.parametrize(("typed", "value"), [("0", 0.0), ("100", 100.0), (" ５０ ", 50.0), ("7.0", 7.0)])
def test_what_is_within(typed: str, value: float) -> None:
    assert SliderRating().read({"answer-rating": typed}, HORSE, SCREEN).given == (Given("rating", value),)


@pytest.mark.parametrize("typed", ["-1", "101", "50.5", "nan", "NaN", "inf", "-inf", "1e1", "9" * 400, "x", "5\x000"])
def test_what_is_not(typed: str) -> None:
    problems = SliderRating().read({"answer-rating": typed}, HORSE, SCREEN).problems
    assert [each.message.zh for each in problems] == ["请填写 0 到 100 之间的数字，间隔为 1。"]


def test_untouched_is_unanswered() -> None:
    for form in ({}, {"answer-rating": ""}, {"answer-rating": " "}):
        assert [each.message for each in SliderRating().read(form, HORSE, SCREEN).problems] == [UNANSWERED]


@given(st.integers(-20, 20), st.integers(1, 50), st.sampled_from([0.1, 0.25, 0.5, 1, 3]), st.data())
def test_every_step_can_be_given(low: int, steps: int, step: float, data: st.DataObject) -> None:
    slider = SliderRating(low=low, high=low + steps * step, step=step)
    assert slider.fault() is None
    value = low + data.draw(st.integers(0, steps)) * step
    reading = slider.read({"answer-rating": plain(value)}, HORSE, SCREEN)
    assert [each.value for each in reading.given] == [pytest.approx(value, abs=1e-9)]
    between = slider.read({"answer-rating": plain(value + step / 3)}, HORSE, SCREEN)
    assert between.problems


def test_what_the_ends_mean() -> None:
    meaning = SliderRating(low=-1, high=1, step=0.5).columns()[0].meaning
    assert meaning.en.endswith("From -1 (not natural at all) to 1 (completely natural).")
    assert SliderRating().check(type(HORSE)("a", "a", "")) == "it has no text"
