"""Do the tables of an export hold everything that was answered, and nothing that points to a person?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang.people.collected.answers import Collected, read_collected
from hengliang.people.collected.frames import left_out, long_table, participants_table, wide_names, wide_table
from hengliang.people.collected.study_facts import StudyFacts
from hengliang.people.sessions.survey import Survey
from hengliang.people.storage.engines import database_url
from hengliang.people.tasks.library import task_of
from tests.people.collected.answered import CONSENTED, answer, answered_survey, person, store

SECRET = "please do not show this"


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    return answered_survey(tmp_path / "e")


@pytest.fixture
def held(survey: Survey) -> Collected:
    people = [person("p", external=SECRET, completion=SECRET), person("q", status="active", language="en")]
    rows = [
        answer("p", "s1-封", "fluency", 5.0, comment=SECRET, answered=CONSENTED + 12.3456),
        answer("p", "s1-封", "clarity", 6.0, comment=SECRET, screen=1, seconds=2.5),
        answer("p", "s1-个", "fluency", status="missing", reason="not understood", trial=2),
        answer("q", "s1-封", "fluency", 1.0, language="en"),
    ]
    told = [("p", "age", "34"), ("p", "gender", "female"), ("p", "region", SECRET), ("p", "native_language", SECRET)]
    store(database_url(survey.folder), people, rows, [*told, ("q", "native_language", "wu")])
    return read_collected(database_url(survey.folder))


def test_one_row_an_answer_with_what_was_shown(survey: Survey, held: Collected) -> None:
    table = long_table(held, survey.experiment)
    assert table.height == 4
    first = table.row(0, named=True)
    assert (first["item"], first["text"], first["systems"]) == ("s1", "一封信", "CORPUS;BERT")
    # 12.3456 s after consent, to the millisecond.
    assert first["elapsed"] == 12.346
    assert table["finished"].to_list() == [True, True, True, False]


def test_one_row_a_presentation(survey: Survey, held: Collected) -> None:
    table = wide_table(held, survey.experiment, survey.task)
    rows = table.select("participant", "about", "fluency", "clarity", "not_understood", "seconds").rows()
    # The two screens of the first presentation took 4.0 and 2.5 seconds.
    assert rows == [
        ("p", "s1-封", 5.0, 6.0, False, 6.5),
        ("p", "s1-个", None, None, True, 4.0),
        ("q", "s1-封", 1.0, None, False, 4.0),
    ]


def test_nothing_personal_unless_asked_for(survey: Survey, held: Collected) -> None:
    for table in (
        long_table(held, survey.experiment),
        wide_table(held, survey.experiment, survey.task),
        participants_table(held),
    ):
        assert SECRET not in table.write_csv()
    plain = participants_table(held).row(0, named=True)
    assert (plain["age"], plain["gender"], plain["native_language"]) == ("30–34", "female", "other")
    assert plain["duration"] == 600.0 and plain["consent"] == "1" and plain["answers"] == 3
    assert participants_table(held)["native_language"].to_list() == ["other", "wu"]
    told = participants_table(held, identified=True).row(0, named=True)
    assert (told["age"], told["region"], told["external"], told["native_language"]) == ("34", SECRET, SECRET, SECRET)
    # 1,700,000,000 s after 1970 is the evening of 14 November 2023.
    assert told["consented"] == "2023-11-14T22:13:20.000Z"
    assert SECRET in long_table(held, survey.experiment, identified=True)["comment"].to_list()
    assert wide_table(held, survey.experiment, survey.task, identified=True)["comment"].to_list() == [
        SECRET,
        None,
        None,
    ]


def test_a_clock_that_was_set_back_gives_no_negative_times(survey: Survey) -> None:
    people = [person("p", ended=CONSENTED - 60), person("q")]
    rows = [
        answer("p", "s1-封", "fluency", 5.0, answered=CONSENTED - 60, seconds=None),
        answer("p", "s1-封", "clarity", 5.0, answered=CONSENTED + 1, seconds=2.0, screen=1),
    ]
    store(database_url(survey.folder), people, rows)
    held = read_collected(database_url(survey.folder))
    assert long_table(held, survey.experiment)["elapsed"].to_list() == [None, 1.0]
    # The time of one of the two pages is not known, so neither is their sum.
    assert wide_table(held, survey.experiment, survey.task)["seconds"].to_list() == [None]
    assert dict(participants_table(held).select("participant", "duration").iter_rows()) == {"p": None, "q": 600.0}
    # 600 s of the other one.
    assert StudyFacts(survey, held).minutes == 10.0


def test_a_scale_with_the_name_of_a_column_gets_another_one() -> None:
    task = task_of("slider", {"scale": "item"})
    assert wide_names(task, ["item"]) == {"item": "scale_item"}


def test_who_is_left_out_is_counted(survey: Survey) -> None:
    url = database_url(survey.folder)
    store(url, [person("a", status="withdrawn"), person("b", status="excluded"), person("c", status="expired")])
    assert left_out(read_collected(url)) == {"withdrawn": 1, "excluded": 1}
    assert left_out(read_collected(url, finished_only=True)) == {"withdrawn": 1, "excluded": 1, "unfinished": 1}
