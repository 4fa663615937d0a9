"""Are responses and their times taken only when they are possible?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Bilingual
from hengliang.people.tasks.base import Given
from hengliang.people.tasks.speeded import DAY, Response, SpeededResponse
from tests.people.tasks.examples import EXAMPLES, HORSE

TASK = SpeededResponse()
SCREEN = EXAMPLES["speeded"].screen


@given(st.floats(0, DAY, exclude_max=True).map(lambda time: round(time, 1)).filter(lambda time: time < DAY))
def test_response_and_time(time: float) -> None:
    reading = TASK.read({"answer-response": "no", "answer-reaction time": f"{time:.1f}"}, HORSE, SCREEN)
    assert reading.given == (Given("response", label="no"), Given("reaction time", time))


@pytest.mark.parametrize("time", ["", "-0.1", "nan", "inf", "-inf", str(DAY), "1e2", "9" * 400, "x", "\0"])
def test_times_that_cannot_be(time: str) -> None:
    problems = TASK.read({"answer-response": "no", "answer-reaction time": time}, HORSE, SCREEN).problems
    assert [each.field for each in problems] == ["answer-reaction time"]


@pytest.mark.parametrize("response", ["", "maybe", "是", "yes ", "y" * 100_000])
def test_responses_that_cannot_be(response: str) -> None:
    problems = TASK.read({"answer-response": response, "answer-reaction time": "500"}, HORSE, SCREEN).problems
    assert [each.field for each in problems] == ["answer-response"]


def test_a_timeout_is_missing_where_there_is_one() -> None:
    form = {"answer-response": "", "answer-reaction time": "", "detail-outcome": "timeout"}
    limited = SpeededResponse(timeout=2000)
    assert limited.read(form, HORSE, SCREEN).given == (
        Given("response", status="missing", reason="timeout"),
        Given("reaction time", status="missing", reason="timeout"),
    )
    assert TASK.read(form, HORSE, SCREEN).problems
    assert limited.read({**form, "answer-response": "yes"}, HORSE, SCREEN).problems


def test_only_relative_times_are_promised() -> None:
    assert "Compare within a participant only" in TASK.columns()[1].meaning.en
    assert "仅可在同一参与者内部比较" in TASK.columns()[1].meaning.zh
    assert TASK.needs_script
    assert TASK.shows_text


@pytest.mark.parametrize(
    ("question", "shown"), [("几匹马？", "几匹马？"), ({"en": "How many?", "zh": "几匹？"}, "几匹？")]
)
def test_a_question_of_the_stimulus_own(question: Any, shown: str) -> None:
    stimulus = replace(HORSE, details={"question": question})
    assert TASK.check(stimulus) is None
    assert TASK.shown(stimulus, SCREEN, "zh", 0)["question"] == shown


@pytest.mark.parametrize("question", [3, "", {"en": "How many?"}, ["几匹？"]])
def test_a_question_that_is_none(question: Any) -> None:
    assert "its question is neither" in (TASK.check(replace(HORSE, details={"question": question})) or "")


@pytest.mark.parametrize(
    ("labels", "keys"),
    [("a", "f"), ("aa", "fj"), ("ab", "ff"), ("ab", "F1"), ("ab", "f "), ("ab", "fé"), (" b", "fj")],
)
def test_responses_nobody_can_give(labels: str, keys: str) -> None:
    responses = tuple(Response(label, Bilingual("x", "甲"), key) for label, key in zip(labels, keys, strict=True))
    assert SpeededResponse(responses=responses).fault() is not None
