"""Does the link to the researchers' pages work once, and not for long?"""

from __future__ import annotations

from hengliang.people.storage.administration import (
    LINK_SECONDS,
    SESSION_SECONDS,
    is_administrator,
    one_time_link,
    redeem,
    sign_out,
)
from hengliang.people.storage.database import Database


def test_a_link_works_once(database: Database) -> None:
    link = database.write(one_time_link, 0.0).result()
    session = database.write(redeem, link, LINK_SECONDS - 1).result()
    assert session is not None
    assert database.write(redeem, link, LINK_SECONDS - 1).result() is None
    times = (LINK_SECONDS, LINK_SECONDS - 1 + SESSION_SECONDS - 0.1, LINK_SECONDS - 1 + SESSION_SECONDS)
    assert [database.read(is_administrator, session, now).result() for now in times] == [True, True, False]


def test_of_many_who_come_with_one_link_one_is_let_in(database: Database) -> None:
    link = database.write(one_time_link, 0.0).result()
    sessions = [each.result() for each in [database.write(redeem, link, 1.0) for _ in range(20)]]
    assert sum(session is not None for session in sessions) == 1


def test_a_link_runs_out(database: Database) -> None:
    link = database.write(one_time_link, 0.0).result()
    assert database.write(redeem, link, LINK_SECONDS).result() is None
    assert database.write(redeem, "guessed", 1.0).result() is None


def test_a_link_is_no_session_and_a_session_no_link(database: Database) -> None:
    link = database.write(one_time_link, 0.0).result()
    assert not database.read(is_administrator, link, 1.0).result()
    session = database.write(redeem, link, 1.0).result()
    assert session is not None
    assert database.write(redeem, session, 2.0).result() is None
    database.write(sign_out, session, 3.0).result()
    assert not database.read(is_administrator, session, 4.0).result()
    database.write(sign_out, session, 5.0).result()
