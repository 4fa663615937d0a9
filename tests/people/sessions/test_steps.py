"""Does a participant see every page once, in the right order?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Bilingual
from hengliang.experiments import ROLES, Scale
from hengliang.people.sessions.steps import Presentation, Step, steps_of
from hengliang.people.tasks.base import Column, Reading, Screen, Stimulus, Task


@dataclass(frozen=True)
class TwoScreens(Task):
    """A task with two screens, whose order changes from one participant to the next."""

    name: ClassVar[str] = "two screens"
    template: ClassVar[str] = "none.html"

    def scales(self) -> tuple[Scale, ...]:
        return Scale("a", Bilingual("A", "甲"), 7), Scale("b", Bilingual("B", "乙"), 7)

    def columns(self) -> tuple[Column, ...]:
        return ()

    def check(self, stimulus: Stimulus) -> str | None:
        return None

    def shown(self, *_arguments: Any) -> dict[str, Any]:
        return {}

    def read(self, *_arguments: Any) -> Reading:
        return Reading()

    def screens(self, number: int) -> tuple[Screen, ...]:
        both = (Screen(("a",)), Screen(("b",)))
        return both if number % 2 == 0 else both[::-1]


def targets(count: int) -> list[Presentation]:
    return [Presentation(f"r{place}") for place in range(count)]


def kinds(steps: tuple[Step, ...]) -> list[str]:
    return [step.kind for step in steps]


def test_the_pages_of_a_small_survey_are_as_written_here() -> None:
    shown = [Presentation("p", "practice"), *targets(3)]
    steps = steps_of(shown, TwoScreens(), 0, demographics=True, pause_every=2)
    trial = ["trial", "trial"]
    expected = ["demographics", "instructions", *trial, "practice done", *trial, *trial, "pause", *trial, "end"]
    assert kinds(steps) == expected
    places = [(step.trial, step.screen, step.scales) for step in steps if step.kind == "trial"]
    assert places[:4] == [(1, 0, ("a",)), (1, 1, ("b",)), (2, 0, ("a",)), (2, 1, ("b",))]
    assert places[-1] == (4, 1, ("b",))


def test_screens_follow_the_participant_s_number() -> None:
    first, second = (steps_of(targets(1), TwoScreens(), number, demographics=False, pause_every=0) for number in (0, 1))
    assert [step.scales for step in first] == [(), ("a",), ("b",), ()]
    assert [step.scales for step in second] == [(), ("b",), ("a",), ()]


@pytest.mark.parametrize(("count", "every", "pauses"), [(6, 3, 1), (7, 3, 2), (3, 3, 0), (2, 3, 0), (5, 0, 0)])
def test_no_pause_stands_before_the_end(count: int, every: int, pauses: int) -> None:
    steps = steps_of(targets(count), TwoScreens(), 0, demographics=False, pause_every=every)
    assert kinds(steps).count("pause") == pauses
    assert kinds(steps)[-2:] == ["trial", "end"]


@given(
    st.lists(st.sampled_from(ROLES), min_size=1, max_size=30),
    st.integers(0, 9),
    st.booleans(),
    st.integers(0, 8),
)
def test_every_presentation_is_shown_once_on_each_screen_and_the_end_comes_last(
    roles: list[str], number: int, demographics: bool, pause_every: int
) -> None:
    shown = [Presentation(str(place), role) for place, role in enumerate(roles)]
    steps = steps_of(shown, TwoScreens(), number, demographics=demographics, pause_every=pause_every)
    seen = [(step.presentation, step.scales) for step in steps if step.kind == "trial"]
    assert sorted(map(repr, seen)) == sorted(repr((each, (scale,))) for each in shown for scale in "ab")
    assert kinds(steps).count("end") == 1
    assert kinds(steps)[-1] == "end"
    # Practice stands before everything else, and trials are numbered from 1 without a gap.
    trials = [step.trial for step in steps if step.kind == "trial"]
    assert trials == sorted(trials)
    assert set(trials) == set(range(1, len(shown) + 1))
    order = [step.presentation.role == "practice" for step in steps if step.presentation is not None]
    assert order == sorted(order, reverse=True)
