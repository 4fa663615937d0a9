"""Are the numbers about one participant's care those of the answers that the participant gave?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from hengliang.people.pages.participant_quality import Quality, quality_of
from hengliang.people.sessions.survey import Survey
from hengliang.people.storage.database import Database, database_url
from hengliang.people.storage.invitations import invite
from hengliang.people.storage.migrating import migrate
from hengliang.people.storage.registration import register
from hengliang.people.storage.submission import StoredAnswer, Submission, submit
from hengliang.people.tasks.base import NOT_UNDERSTOOD
from tests.people.survey_folder import small_survey

NOW = 1_800_000_000.0


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    made = small_survey(tmp_path, versions=1)
    # The cat is a catch item: who finds the first variant unclear (below 5) has not read it.
    known = json.dumps({"expected": {"clarity": [5, 7]}})
    details = pl.when(pl.col("about") == "cat-1").then(pl.lit(known)).otherwise("details")
    stimuli = made.experiment.stimuli.with_columns(details=details)
    return replace(made, experiment=replace(made.experiment, stimuli=stimuli))


@pytest.fixture
def database(survey: Survey) -> Iterator[Database]:
    url = database_url(survey.folder)
    migrate(url)
    with Database.open(url) as opened:
        yield opened


def someone(database: Database, survey: Survey) -> str:
    token = database.write(invite, "real", NOW).result()
    return database.write(register, survey, token, "en", None, NOW).result().participant.id


def test_who_has_answered_nothing_has_no_numbers(database: Database, survey: Survey) -> None:
    assert database.read(quality_of, survey, someone(database, survey)).result() == Quality()
    assert database.read(quality_of, survey, "nobody").result() == Quality()


def test_the_numbers_are_ones_own(database: Database, survey: Survey) -> None:
    who, other = someone(database, survey), someone(database, survey)
    given = [
        StoredAnswer("cat-1", "clarity", "catch", 1, True, value=2.0, seconds=2.0, comment="Which cat?"),
        StoredAnswer("cat-1", "fluency", "catch", 1, True, value=2.0, seconds=2.0, comment="Which cat?", place=1),
        StoredAnswer("book-1", "clarity", "target", 2, True, value=6.0, seconds=4.0),
        StoredAnswer("book-1", "clarity", "repeat", 3, True, value=3.0, seconds=9.0, occurrence=2),
        StoredAnswer("horse-1", "clarity", "target", 4, True, status="missing", reason=NOT_UNDERSTOOD, seconds=5.0),
    ]
    for person, answers in ((who, given), (other, given[:1])):
        for step, answer in enumerate(answers):
            sent = Submission(person, step, f"{person}{step}", (answer,))
            assert database.write(submit, sent, survey.settings, NOW + step).result().kind == "stored"
    found = database.read(quality_of, survey, who).result()
    assert found == Quality(
        answers=5,
        not_understood=1 / 5,
        # One catch item; its clarity of 2 is not within 5 to 7.
        catch_shown=1,
        catch_failed=1,
        # The book: 6 at first, 3 when it came again.
        repeats=1,
        repeat_difference=3.0,
        # Four pages of 2, 4, 9 and 5 seconds; the middle of 4 and 5.
        median_seconds=4.5,
        comments=(("cat-1", "Which cat?"),),
    )
    assert database.read(quality_of, survey, other).result().answers == 1
