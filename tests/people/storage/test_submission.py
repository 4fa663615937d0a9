"""Is every page kept once, however often, from wherever and in whichever order it is sent?"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Connection, RowMapping, select, update

from hengliang.people.storage import tables
from hengliang.people.storage.database import Database
from hengliang.people.storage.endings import exclude, expire, withdraw
from hengliang.people.storage.events import events
from hengliang.people.storage.invitations import invite
from hengliang.people.storage.participants import Participant, participant
from hengliang.people.storage.registration import Registered, register
from hengliang.people.storage.submission import Outcome, go_on, submit
from tests.people.storage.small_survey import NOW, SCALES, small_survey, submission_of

SURVEY = small_survey(reservation_minutes=10.0)
SETTINGS = SURVEY.settings
FIRST_TRIAL, LAST_TRIAL, END = 2, 4, 5


def begun(database: Database, **settings: Any) -> Registered:
    token = database.write(invite, "real", NOW).result()
    return database.write(register, SURVEY, token, "zh", None, NOW).result()


def sent(database: Database, person: Participant, step: int, now: float = NOW, **others: Any) -> Outcome:
    return database.write(submit, submission_of(SURVEY, person, step, **others), SETTINGS, now).result()


def answers(connection: Connection) -> list[RowMapping]:
    return list(connection.execute(select(tables.answers).order_by(tables.answers.c.id)).mappings())


def held(database: Database, id: str) -> Participant:
    found = database.read(participant, id).result()
    assert found is not None
    return found


def test_a_participant_goes_through_all_pages(database: Database) -> None:
    person = begun(database).participant
    outcomes = [sent(database, person, step, NOW + step, id=f"s{step}") for step in range(END)]
    assert outcomes == [Outcome("stored", step + 1) for step in range(END)]
    rows = database.read(answers).result()
    assert [(row["trial"], row["scale"], row["place"]) for row in rows] == [
        (trial, scale, place) for trial in (1, 2, 3) for place, scale in enumerate(SCALES)
    ]
    # Page 2 became current when page 1 was kept, at NOW + 1, and was answered at NOW + 2.
    assert {row["seconds"] for row in rows} == {1.0}
    assert [row["submission"] for row in rows] == ["s2", "s2", "s3", "s3", "s4", "s4"]
    assert {row["language"] for row in rows} == {"zh"}
    after = held(database, person.id)
    assert (after.status, after.step, after.reserved, after.ended) == ("finished", END, None, NOW + 4)
    kinds = [each.kind for each in database.read(events, person.id).result()]
    assert kinds == ["consented", "demographics", "instructions", "trial", "trial", "trial", "finished"]


def test_the_place_is_held_from_the_last_page_on(database: Database) -> None:
    person = begun(database).participant
    sent(database, person, 0, NOW + 500)
    after = held(database, person.id)
    assert (after.since, after.seen, after.reserved) == (NOW + 500, NOW + 500, NOW + 500 + 600)


def test_a_replay_changes_nothing(database: Database) -> None:
    person = begun(database).participant
    for step in range(FIRST_TRIAL + 1):
        sent(database, person, step)
    before = database.read(answers).result()
    for step in range(FIRST_TRIAL + 1):
        assert sent(database, person, step, NOW + 9, id="again", value=7.0) == Outcome("replayed", 3)
    assert sent(database, person, FIRST_TRIAL + 2) == Outcome("ahead", 3)
    assert database.read(answers).result() == before
    assert held(database, person.id).seen == NOW


def test_of_many_tabs_one_is_kept(database: Database) -> None:
    person = begun(database).participant
    for step in range(FIRST_TRIAL):
        sent(database, person, step)
    with ThreadPoolExecutor(25) as pool:
        outcomes = list(
            pool.map(
                lambda tab: sent(database, person, FIRST_TRIAL, id=f"tab{tab}", value=float(tab % 7 + 1)), range(50)
            )
        )
    assert [each.kind for each in outcomes].count("stored") == 1
    assert {each.kind for each in outcomes} == {"stored", "replayed"}
    assert {each.step for each in outcomes} == {FIRST_TRIAL + 1}
    rows = database.read(answers).result()
    tab = next(place for place, each in enumerate(outcomes) if each.kind == "stored")
    assert [(row["scale"], row["submission"], row["value"]) for row in rows] == [
        (scale, f"tab{tab}", float(tab % 7 + 1)) for scale in SCALES
    ]


def test_many_participants_at_once_each_keep_their_own(database: Database) -> None:
    people = [begun(database).participant for _ in range(12)]

    def all_pages(person: Participant) -> None:
        for step in range(END):
            for _ in range(2):
                sent(database, person, step, id=person.id)

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(all_pages, people))
    rows = database.read(answers).result()
    assert len(rows) == 12 * 3 * len(SCALES)
    assert all(row["submission"] == row["participant"] for row in rows)
    assert {held(database, person.id).status for person in people} == {"finished"}


def test_who_has_left_adds_nothing(database: Database) -> None:
    gone, out, done = begun(database), begun(database), begun(database)
    for step in range(END):
        sent(database, done.participant, step)
    database.write(withdraw, gone.withdrawal, NOW).result()
    database.write(exclude, out.participant.id, "asleep", NOW).result()
    before = database.read(answers).result()
    assert sent(database, gone.participant, 0) == Outcome("ended", 0)
    assert sent(database, out.participant, 0) == Outcome("ended", 0)
    assert sent(database, done.participant, LAST_TRIAL) == Outcome("replayed", END)
    beyond = replace(submission_of(SURVEY, done.participant, LAST_TRIAL), step=END)
    assert database.write(submit, beyond, SETTINGS, NOW).result() == Outcome("ended", END)
    nobody = replace(submission_of(SURVEY, done.participant, 0), participant="nobody")
    assert database.write(submit, nobody, SETTINGS, NOW).result() == Outcome("ended", 0)
    assert database.read(answers).result() == before


@pytest.mark.parametrize("written_down", [False, True])
def test_who_comes_late_goes_on_while_there_is_a_place(database: Database, written_down: bool) -> None:
    late = NOW + 601
    token = database.write(invite, "real", NOW, version="1").result()
    first = database.write(register, SURVEY, token, "zh", None, NOW).result().participant
    if written_down:
        assert database.write(expire, late).result() == 1
    one_place = replace(SURVEY, settings=replace(SETTINGS, places=1))
    second = database.write(register, one_place, token, "zh", None, late).result()
    page = submission_of(SURVEY, first, 0)
    assert database.write(submit, page, one_place.settings, late).result() == Outcome("ended", 0)
    assert not database.write(go_on, first.id, one_place.settings, late).result()
    database.write(withdraw, second.withdrawal, late).result()
    assert database.write(go_on, first.id, one_place.settings, late).result()
    assert database.write(go_on, first.id, one_place.settings, late).result()
    after = held(database, first.id)
    assert (after.status, after.reserved, after.ended) == ("active", late + 600, None)
    assert database.write(submit, page, one_place.settings, late).result() == Outcome("stored", 1)
    kinds = [each.kind for each in database.read(events, first.id).result()]
    assert kinds == ["consented", *(["expired"] if written_down else []), "came back", "demographics"]
    assert not database.write(go_on, second.participant.id, SETTINGS, late).result()
    assert not database.write(go_on, "nobody", SETTINGS, late).result()


def test_a_late_page_brings_its_sender_back(database: Database) -> None:
    person = begun(database).participant
    database.write(expire, NOW + 601).result()
    assert sent(database, person, 0, NOW + 700) == Outcome("stored", 1)
    after = held(database, person.id)
    assert (after.status, after.reserved, after.ended) == ("active", NOW + 1300, None)


def test_what_one_database_could_not_keep_is_kept_by_both(database: Database) -> None:
    person = begun(database).participant
    for step in range(FIRST_TRIAL):
        sent(database, person, step)
    page = submission_of(SURVEY, person, FIRST_TRIAL, id="x" * 100)
    hard = replace(
        *(page.answers[0],),
        **{
            "comment": "a\0b",
            "label": "\ud800",
            "value": float("nan"),
            "seconds": float("inf"),
            "timing": "'; DROP --",
        },
    )
    database.write(submit, replace(page, answers=(hard,)), SETTINGS, NOW + 5).result()
    (row,) = database.read(answers).result()
    kept = {name: row[name] for name in ("comment", "label", "value", "seconds", "timing", "submission")}
    assert kept == {
        **{"comment": "a�b", "label": "?", "value": None, "timing": "'; DROP --", "submission": "x" * 64},
        "seconds": 5.0,
    }


def test_a_submit_that_fails_halfway_leaves_nothing(database: Database) -> None:
    person = begun(database).participant
    for step in range(FIRST_TRIAL):
        sent(database, person, step)
    page = submission_of(SURVEY, person, FIRST_TRIAL)
    twice = replace(page, answers=(page.answers[0], page.answers[0]))
    with pytest.raises(Exception, match=r"(?i)unique"):
        database.write(submit, twice, SETTINGS, NOW).result()
    assert database.read(answers).result() == []
    assert held(database, person.id).step == FIRST_TRIAL
    assert sent(database, person, FIRST_TRIAL) == Outcome("stored", FIRST_TRIAL + 1)


def test_the_unique_constraint_stands_behind_the_step(database: Database) -> None:
    person = begun(database).participant
    for step in range(FIRST_TRIAL + 1):
        sent(database, person, step)

    def set_back(connection: Connection) -> None:
        connection.execute(update(tables.participants).values(step=FIRST_TRIAL))

    database.write(set_back).result()
    with pytest.raises(Exception, match=r"(?i)unique"):
        sent(database, person, FIRST_TRIAL, value=1.0)
    assert [row["value"] for row in database.read(answers).result()] == [4.0, 4.0]
