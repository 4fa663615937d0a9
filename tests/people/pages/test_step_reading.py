from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hengliang.people.pages.step_pages import COMMENT_LIMIT, Place
from hengliang.people.pages.step_reading import read_step
from hengliang.people.storage.participants import participants
from hengliang.people.storage.submission import Submission
from hengliang.people.tasks.base import NOT_UNDERSTOOD
from tests.people.pages.browser_stand_in import ANSWERS, START, Site, open_site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with open_site(tmp_path_factory.mktemp("site")) as opened:
        opened.participant("zh").go_to("trial")
        yield opened


def read(site: Site, **form: str) -> Any:
    person = site.database.read(participants).result()[0]
    place = Place(site.survey, person, site.app.state.course_of(person), b"secret", "")
    return read_step(place, {name.replace("_", "-"): value for name, value in form.items()}, START + 7 - person.since)


def test_answers_are_stored_with_what_the_server_knows(site: Site) -> None:
    read_form = read(site, submission="id", seconds="2.5", answer_clarity="6", answer_fluency="2")
    assert isinstance(read_form, Submission)
    assert (read_form.step, read_form.id, read_form.event, read_form.last) == (2, "id", "trial", False)
    clarity, fluency = read_form.answers
    assert (clarity.scale, clarity.value, clarity.place) == ("clarity", 6.0, 0)
    assert (fluency.scale, fluency.value, fluency.place) == ("fluency", 2.0, 1)
    assert {(each.language, each.trial, each.seconds, each.highlighted) for each in read_form.answers} == {
        ("zh", 1, 2.5, True)
    }


def test_what_the_form_claims_about_itself_is_not_taken(site: Site) -> None:
    claimed = {"about": "other", "language": "en", "trial": "9", "role": "practice", "highlighted": "no"}
    forged = read(site, **claimed, answer_clarity="6", answer_fluency="2")
    assert forged.answers == read(site, answer_clarity="6", answer_fluency="2").answers
    assert forged.answers[0].language == "zh"


def test_who_did_not_understand_need_not_answer(site: Site) -> None:
    submission = read(site, not_understood="yes", answer_clarity="6")
    told = [(each.scale, each.value, each.status, each.reason) for each in submission.answers]
    assert told == [("clarity", None, "missing", NOT_UNDERSTOOD), ("fluency", None, "missing", NOT_UNDERSTOOD)]


def test_an_unanswered_scale_is_a_problem(site: Site) -> None:
    assert [problem.field for problem in read(site, answer_clarity="6")] == ["answer-fluency"]
    assert [problem.field for problem in read(site, answer_clarity="8", answer_fluency="1")] == ["answer-clarity"]


def test_a_comment_is_kept_once_and_has_a_length(site: Site) -> None:
    answered = {name.replace("-", "_"): value for name, value in ANSWERS.items()}
    kept = read(site, comment=" first\r\nsecond ", **answered)
    assert [each.comment for each in kept.answers] == ["first\nsecond", ""]
    # A line end counts as one character, as in the browser.
    assert isinstance(read(site, comment="\r\n".join("a" * 1000), **answered), Submission)
    long = read(site, comment="a" * (COMMENT_LIMIT + 1), **answered)
    assert [problem.field for problem in long] == ["comment"]
    assert "2001" in long[0].message.en
    assert [each.comment for each in read(site, not_understood="1", comment="why").answers] == ["why", ""]


def test_without_a_script_the_server_s_clock_counts(site: Site) -> None:
    assert read(site, answer_clarity="6", answer_fluency="2").answers[0].seconds == 7.0


def test_a_very_long_id_is_cut(site: Site) -> None:
    assert len(read(site, submission="x" * 1000, answer_clarity="6", answer_fluency="2").id) == 64


def test_the_page_before_the_end_is_the_last(tmp_path_factory: pytest.TempPathFactory) -> None:
    with open_site(tmp_path_factory.mktemp("last")) as site:
        browser = site.participant()
        browser.go_to("trial")
        for _ in range(3):
            browser.send()
        assert read(site, answer_clarity="1", answer_fluency="1").last


def test_demographics_become_details(tmp_path_factory: pytest.TempPathFactory) -> None:
    with open_site(tmp_path_factory.mktemp("details")) as site:
        site.participant()
        submission = read(site, about_age="30", about_region="")
        assert (submission.details, submission.answers, submission.event) == ({"age": "30"}, (), "demographics")
        assert [problem.field for problem in read(site, about_age="3")] == ["about-age"]
