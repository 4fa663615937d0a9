"""Is every task answered so that its own reading of the form finds nothing wrong?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hengliang.people.bots.page_reading import Form, form_of
from hengliang.people.bots.response_model import ResponseModel
from hengliang.people.bots.simulated_rater import SimulatedRater
from hengliang.people.bots.task_answers import Asked, answers_to
from hengliang.people.sessions.survey import Survey
from hengliang.people.tasks.base import Stimulus, Task
from tests.people.bots.task_surveys import PARAMETERS, task_survey


def shown(task: Task, stimulus: Stimulus) -> Form:
    """Return a form with a field for every scale of the task, of no kind in particular."""
    fields = "".join(f'<input type="text" name="answer-{scale.name}">' for scale in task.scales())
    form = form_of(f'<form data-about="{stimulus.about}">{fields}</form>')
    assert form is not None
    return form


@pytest.fixture(scope="module")
def surveys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Survey]:
    folder: Path = tmp_path_factory.mktemp("surveys")
    return {task: task_survey(folder / task, task) for task in PARAMETERS}


@pytest.mark.parametrize("task", PARAMETERS)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6), number=st.integers(0, 500), place=st.integers(0, 3), inattentive=st.booleans())
def test_the_task_takes_the_answer(
    task: str, surveys: dict[str, Survey], seed: int, number: int, place: int, inattentive: bool
) -> None:
    survey = surveys[task]
    stimulus = survey.stimuli[f"s{place}"]
    rater = SimulatedRater(ResponseModel(inattentive=float(inattentive)), seed, number)
    fields = answers_to(survey.task, Asked(rater, stimulus, 1, shown(survey.task, stimulus), {}))
    # What the page of a forced choice says about its order is hidden in the form.
    read = survey.task.read({"detail-order": "1,2", **fields}, stimulus, survey.task.screens(0)[0])
    assert read.problems == ()
    assert {each.scale for each in read.given} == {scale.name for scale in survey.task.scales()}


def test_a_scene_is_reconstructed_and_a_slow_response_is_a_timeout(surveys: dict[str, Survey]) -> None:
    survey = surveys["reconstruction"]
    stimulus = survey.stimuli["s0"]
    exact = SimulatedRater(ResponseModel(noise=0.0), 1, 1)
    fields = answers_to(survey.task, Asked(exact, stimulus, 1, shown(survey.task, stimulus), {}))
    assert fields == {
        "answer-red circle": "4",
        "answer-red square": "0",
        "answer-blue circle": "0",
        "answer-blue square": "5",
    }
    survey = surveys["speeded"]
    slow = SimulatedRater(ResponseModel(reaction=60.0), 1, 1)
    fields = answers_to(survey.task, Asked(slow, survey.stimuli["s0"], 1, shown(survey.task, stimulus), {}))
    assert fields["detail-outcome"] == "timeout"


def test_a_scene_that_nobody_states_is_the_same_for_all(surveys: dict[str, Survey]) -> None:
    survey = surveys["reconstruction"]
    stimulus = Stimulus("s9", "i9", "有一些圆形。", details={"scene_size": 12})
    answers = [
        answers_to(survey.task, Asked(SimulatedRater(ResponseModel(noise=0.0), 1, number), stimulus, 1, form, {}))
        for number, form in enumerate([shown(survey.task, stimulus)] * 3)
    ]
    assert answers[0] == answers[1] == answers[2] and sum(map(int, answers[0].values())) == 12


def test_a_task_that_is_not_known_is_answered_by_its_form(surveys: dict[str, Survey]) -> None:
    form = form_of(
        '<form><input type="radio" name="answer-a" value="x"><input type="range" name="answer-b" min="3" max="4">'
        '<textarea name="answer-c"></textarea></form>'
    )
    assert form is not None

    class Unknown:
        """A task of somebody else."""

    asked = Asked(SimulatedRater(ResponseModel(), 1, 1), surveys["likert"].stimuli["s0"], 1, form, {})
    fields = answers_to(Unknown(), asked)  # type: ignore[arg-type]
    assert fields["answer-a"] == "x" and fields["answer-b"] in ("3", "4")
    assert fields["answer-c"] in ResponseModel().answers
