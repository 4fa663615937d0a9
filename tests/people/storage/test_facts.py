"""Does a database know which survey it belongs to, and whether it is open?"""

from __future__ import annotations

import pytest

from hengliang import UserError
from hengliang.people.storage.database import Database
from hengliang.people.storage.events import events
from hengliang.people.storage.facts import (
    bind_course,
    bind_design,
    close_survey,
    fact,
    form_secret,
    is_open,
    open_survey,
    set_fact,
    settled,
)
from hengliang.people.storage.invitations import invite
from hengliang.people.storage.registration import register
from tests.people.storage.small_survey import NOW, small_survey


def test_facts_are_replaced(database: Database) -> None:
    assert database.read(fact, "colour").result() is None
    database.write(set_fact, "colour", "红").result()
    database.write(set_fact, "colour", "蓝").result()
    assert database.read(fact, "colour").result() == "蓝"
    assert database.write(settled, "colour", "绿").result() == "蓝"


def test_a_database_belongs_to_one_design(database: Database) -> None:
    database.write(bind_design, "aaaa").result()
    database.write(bind_design, "aaaa").result()
    with pytest.raises(UserError, match=r"another design \(aaaa, not bbbb\)") as caught:
        database.write(bind_design, "bbbb").result()
    assert "a database of its own" in caught.value.remedy
    assert database.read(fact, "design").result() == "aaaa"


def test_pages_stay_as_they_are_once_somebody_has_begun(database: Database) -> None:
    database.write(bind_course, "pause_every = 40").result()
    # Nobody has come yet: the settings may still change.
    database.write(bind_course, "pause_every = 20").result()
    assert database.read(fact, "course").result() == "pause_every = 20"
    token = database.write(invite, "real", NOW).result()
    database.write(register, small_survey(1), token, "zh", None, NOW).result()
    database.write(bind_course, "pause_every = 20").result()
    with pytest.raises(
        UserError, match=r"begun with other settings: pause_every = 20; survey\.toml says now: pause_every"
    ):
        database.write(bind_course, "pause_every = 10").result()
    assert database.read(fact, "course").result() == "pause_every = 20"


def test_the_secret_is_drawn_once_also_by_many_at_once(database: Database) -> None:
    secrets = {each.result() for each in [database.write(form_secret) for _ in range(30)]}
    assert len(secrets) == 1
    assert len(secrets.pop()) == 32


def test_a_survey_is_open_until_it_is_closed(database: Database) -> None:
    assert database.read(is_open, 5.0).result()
    database.write(close_survey, 6.0).result()
    assert not database.read(is_open, 7.0).result()
    database.write(open_survey, 8.0).result()
    assert database.read(is_open, 9.0).result()
    database.write(close_survey, 10.0, at=20.0).result()
    assert [database.read(is_open, now).result() for now in (19.9, 20.0)] == [True, False]
    database.write(open_survey, 21.0).result()
    assert database.read(is_open, 1e12).result()
    assert [each.kind for each in database.read(events).result()] == ["closed", "opened", "closed", "opened"]
