"""Do the tables keep no secret in clear, and one answer a presentation and scale?"""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import IntegrityError

from hengliang.people.storage import tables
from hengliang.people.storage.database import Database
from hengliang.people.storage.invitations import invite
from hengliang.people.storage.participants import participant
from hengliang.people.storage.registration import register
from hengliang.people.storage.submission import submit
from tests.people.storage.small_survey import NOW, small_survey, submission_of


def test_the_database_refuses_a_second_answer_by_itself(database: Database) -> None:
    survey = small_survey()
    token = database.write(invite, "real", NOW).result()
    person = database.write(register, survey, token, "zh", None, NOW).result().participant
    for step in range(3):
        database.write(submit, submission_of(survey, person, step), survey.settings, NOW).result()

    def again(connection: Connection) -> None:
        row = connection.execute(select(tables.answers)).mappings().first()
        assert row is not None
        connection.execute(
            insert(tables.answers), {**row, "id": None, "value": 7.0, "submission": "other"} | {"id": 99}
        )

    with pytest.raises(IntegrityError, match=r"(?i)unique"):
        database.write(again).result()


def test_no_secret_is_kept_in_clear(database: Database) -> None:
    survey = small_survey()
    token = database.write(invite, "real", NOW).result()
    new = database.write(register, survey, token, "zh", "panel-7", NOW).result()

    def everything(connection: Connection) -> str:
        return repr([list(connection.execute(select(table))) for table in tables.metadata.sorted_tables])

    held = database.read(everything).result()
    assert new.participant.id in held
    assert new.completion in held
    for secret in (token, new.session, new.resume, new.withdrawal):
        assert secret not in held
    assert database.read(participant, new.participant.id).result() == new.participant
