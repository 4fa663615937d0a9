"""Is a participant known by the right cookie or link, and by nothing else?"""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, func, select

from hengliang.people.storage import participants as module
from hengliang.people.storage import tables
from hengliang.people.storage.database import Database
from hengliang.people.storage.invitations import invite
from hengliang.people.storage.participants import (
    Participant,
    details_of,
    new_session,
    participant,
    participant_of_resume,
    participant_of_session,
    participants,
)
from hengliang.people.storage.registration import Registered, register
from hengliang.people.storage.submission import submit
from tests.people.storage.small_survey import NOW, small_survey, submission_of

SURVEY = small_survey()


def new(database: Database, kind: module.Kind = "real", now: float = NOW) -> Registered:
    token = database.write(invite, kind, now).result()
    return database.write(register, SURVEY, token, "zh", None, now).result()


def test_a_participant_is_found_by_cookie_and_by_link(database: Database) -> None:
    first, second = new(database), new(database)
    elsewhere = database.write(new_session, first.participant.id, NOW + 1).result()
    for token in (first.session, elsewhere):
        assert database.read(participant_of_session, token).result() == first.participant
    assert database.read(participant_of_resume, first.resume).result() == first.participant
    assert database.read(participant_of_resume, second.resume).result() == second.participant
    for wrong in (first.resume, first.withdrawal, first.participant.id, "", "x"):
        assert database.read(participant_of_session, wrong).result() is None
    for wrong in (first.session, first.withdrawal, first.participant.id, "", "x"):
        assert database.read(participant_of_resume, wrong).result() is None
    assert database.read(participant, "nobody").result() is None


def test_kinds_are_kept_apart(database: Database) -> None:
    made = [new(database, kind, NOW + place).participant for place, kind in enumerate(module.KINDS)]
    assert database.read(participants).result() == made
    for person in made:
        assert database.read(participants, person.kind).result() == [person]
        # Numbers and lists are counted for each kind alone: each is the first of its kind.
        assert (person.number, person.version) == (0, "1")


def test_devices_are_forgotten_from_the_oldest(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SESSIONS", 3)
    person = new(database)
    tokens = [database.write(new_session, person.participant.id, NOW + 1 + each).result() for each in range(4)]
    known = [database.read(participant_of_session, token).result() is not None for token in (person.session, *tokens)]
    assert known == [False, False, True, True, True]

    def count(connection: Connection) -> int:
        return connection.execute(select(func.count()).select_from(tables.sessions)).scalar_one()

    assert database.read(count).result() == 3


@pytest.mark.parametrize(
    ("status", "reserved", "holds"),
    [
        ("active", 11.0, True),
        ("active", 10.0, False),
        ("active", None, False),
        ("finished", None, True),
        ("expired", 11.0, False),
        ("excluded", 11.0, False),
        ("withdrawn", 11.0, False),
    ],
)
def test_who_holds_a_place(status: module.Status, reserved: float | None, holds: bool) -> None:
    person = Participant(
        *("p", "real", status, None, None, None, "zh", "1", 0, 1, (0,), 0, 4, 1.0, "1:a", 1.0, 1.0, reserved, None, "")
    )
    assert person.holds_place(10.0) == holds


def test_what_they_say_about_themselves_is_kept(database: Database) -> None:
    person = new(database).participant
    database.write(submit, submission_of(SURVEY, person, 0), SURVEY.settings, NOW).result()
    assert database.read(details_of, person.id).result() == {"age": "30", "region": "成都"}
    assert database.read(details_of, "nobody").result() == {}
