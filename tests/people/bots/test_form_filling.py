"""Do simulated participants fill in the pages of every task so that the server takes them, and know what it keeps?"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra 'survey' is not installed")

from hengliang.core import Failure
from hengliang.people.bots.form_filling import NOT_UNDERSTOOD, FormFilling, known_answers
from hengliang.people.bots.page_reading import Form, form_of
from hengliang.people.bots.response_model import ResponseModel
from hengliang.people.bots.simulated_rater import SimulatedRater
from tests.people.bots.task_surveys import task_survey

PAGE = """<form method="post" action="/submit" data-about="s{item}" data-step="3" data-task="likert">
<input type="hidden" name="submission" value="x7"><input type="hidden" name="seconds" value="">
<input type="hidden" name="timing" value="">{radios}
<input type="checkbox" name="not-understood" value="yes"><textarea name="comment"></textarea></form>"""


def page(item: int, *scales: str) -> Form:
    radios = "".join(
        f'<input type="radio" name="answer-{scale}" value="{point}">' for scale in scales for point in range(1, 8)
    )
    form = form_of(PAGE.format(item=item, radios=radios))
    assert form is not None
    return form


def rater(number: int = 1, **model: float) -> SimulatedRater:
    return SimulatedRater(ResponseModel(**{"not_understood": 0.0, **model}), 5, number)  # type: ignore[arg-type]


def test_a_page_of_ratings(tmp_path: Path) -> None:
    filling = FormFilling(task_survey(tmp_path / "s", "likert"), rater(comments=1.0))
    form = page(0, "clarity", "fluency")
    sent = filling.fields(form)
    assert set(sent) == {"submission", "seconds", "timing", "answer-clarity", "answer-fluency", "comment"}
    assert float(sent["seconds"]) > 0 and sent["timing"] == '{"simulated": true}'
    first = filling.acknowledged(form, sent)
    assert [(one.scale, one.value, one.occurrence) for one in first] == [
        ("clarity", float(sent["answer-clarity"]), 1),
        ("fluency", float(sent["answer-fluency"]), 1),
    ]
    assert {(one.bot, one.submission, one.about) for one in first} == {(1, "x7", "s0")}
    # Shown again, it is the second occurrence, and the rest of the rating is drawn anew.
    again = filling.acknowledged(form, filling.fields(form))
    assert {one.occurrence for one in again} == {2}


def test_separate_pages_of_one_stimulus_are_no_repetition(tmp_path: Path) -> None:
    filling = FormFilling(task_survey(tmp_path / "s", "likert", {"pages": "separate"}), rater())
    occurrences = []
    for scale in ("fluency", "clarity", "fluency"):
        form = page(1, scale)
        occurrences += [one.occurrence for one in filling.acknowledged(form, filling.fields(form))]
    assert occurrences == [1, 1, 2]


def test_not_understood_answers_every_scale_of_the_page(tmp_path: Path) -> None:
    filling = FormFilling(task_survey(tmp_path / "s", "likert"), rater(not_understood=1.0))
    form = page(1, "clarity", "fluency")
    sent = filling.fields(form)
    assert sent[NOT_UNDERSTOOD] == "yes" and "answer-clarity" not in sent
    kept = filling.acknowledged(form, sent)
    assert [(one.scale, one.value, one.status) for one in kept] == [
        ("clarity", None, "missing"),
        ("fluency", None, "missing"),
    ]


def test_catch_items_are_answered_rightly_by_who_attends(tmp_path: Path) -> None:
    survey = task_survey(tmp_path / "s", "likert")
    right = [FormFilling(survey, rater(number, slip=0.0)).fields(page(3, "clarity", "fluency")) for number in range(40)]
    assert {sent["answer-clarity"] for sent in right} == {"1", "2"}
    assert {sent["answer-fluency"] for sent in right} == {"1"}
    wrong = [
        FormFilling(survey, rater(number, inattentive=1.0)).fields(page(3, "clarity", "fluency"))
        for number in range(60)
    ]
    assert {sent["answer-clarity"] for sent in wrong} == set("1234567")
    assert known_answers(survey.stimuli["s0"], rater()) == {}


def test_a_page_that_should_not_have_been_taken_is_noticed(tmp_path: Path) -> None:
    filling = FormFilling(task_survey(tmp_path / "s", "likert"), rater())
    with pytest.raises(Failure, match="although it has problems"):
        filling.acknowledged(page(0, "clarity", "fluency"), {"answer-clarity": "9", "answer-fluency": "1"})


def test_pages_about_oneself(tmp_path: Path) -> None:
    filling = FormFilling(task_survey(tmp_path / "s", "likert"), rater())
    form = form_of(
        '<form><input type="checkbox" name="of-age" value="yes" required><input type="checkbox" name="news">'
        '<input type="text" name="age" inputmode="numeric" data-least="21"><input type="text" name="region">'
        '<select name="gender"><option value=""></option><option value="female"></option></select></form>'
    )
    assert form is not None
    sent = filling.fields(form)
    assert sent["of-age"] == "yes" and "news" not in sent and sent["region"] == ""
    assert 21 <= int(sent["age"]) < 71 and sent["gender"] in ("", "female")
    assert filling.acknowledged(form, sent) == []
