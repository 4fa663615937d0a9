"""Does nothing stay of somebody who withdraws, and does every place that is given up come back?"""

from __future__ import annotations

import hmac
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

from sqlalchemy import Connection, select

from hengliang.people.storage import tables
from hengliang.people.storage.assignment import fillings
from hengliang.people.storage.database import Database, database_url
from hengliang.people.storage.endings import exclude, expire, readmit, withdraw, withdraw_participant
from hengliang.people.storage.events import events
from hengliang.people.storage.invitations import invite
from hengliang.people.storage.migrating import migrate
from hengliang.people.storage.participants import (
    Participant,
    participant,
    participant_of_resume,
    participant_of_session,
)
from hengliang.people.storage.registration import Registered, register
from hengliang.people.storage.submission import Outcome, StoredAnswer, Submission, submit
from tests.people.storage.small_survey import NOW, small_survey, submission_of

SURVEY = small_survey(1, reservation_minutes=10.0)


def begun(database: Database, pages: int = 0, external: str | None = None) -> Registered:
    token = database.write(invite, "real", NOW).result()
    made = database.write(register, SURVEY, token, "zh", external, NOW).result()
    for step in range(pages):
        database.write(submit, submission_of(SURVEY, made.participant, step), SURVEY.settings, NOW).result()
    return made


def taken(database: Database, now: float = NOW) -> int:
    return database.read(fillings, ["1"], "real", now).result()["1"].taken


def held(database: Database, id: str) -> Participant:
    found = database.read(participant, id).result()
    assert found is not None
    return found


def facts(connection: Connection) -> dict[str, str]:
    return {row.name: row.value for row in connection.execute(select(tables.facts))}


def owners(connection: Connection) -> dict[str, set[str]]:
    own = (tables.answers, tables.details, tables.sessions)
    return {table.name: set(connection.execute(select(table.c.participant)).scalars()) for table in own}


def test_withdrawing_deletes_everything_but_a_tombstone(database: Database) -> None:
    gone, stays = begun(database, 5, "panel-7"), begun(database, 5, "panel-8")
    assert taken(database) == 2
    # Typed in small letters, without the lines between the groups.
    assert database.write(withdraw, gone.withdrawal.replace("-", " ").lower(), NOW + 60).result()
    assert database.read(owners).result() == {
        table: {stays.participant.id} for table in ("answers", "details", "sessions")
    }
    stone = held(database, gone.participant.id)
    assert (stone.status, stone.version, stone.number, stone.ended) == ("withdrawn", "1", 0, NOW + 60)
    assert (stone.external, stone.completion, stone.invitation, stone.order) == (None, None, None, ())
    assert (stone.consented, stone.consent) == (NOW, gone.participant.consent)
    assert database.read(participant_of_session, gone.session).result() is None
    assert database.read(participant_of_resume, gone.resume).result() is None
    assert taken(database) == 1
    # SQLite's own log has been emptied, too, which is an event of its own.
    erased = ["erased"] if database.url.startswith("sqlite") else []
    kinds = [each.kind for each in database.read(events, gone.participant.id).result()]
    assert kinds[kinds.index("finished") :] == ["finished", "withdrew", *erased]
    assert held(database, stays.participant.id).external == "panel-8"
    # Of the panel's id a fingerprint stays, made with the key of this database: neither the id nor its plain digest.
    kept = database.read(facts).result()
    secret = bytes.fromhex(kept["secret"])
    fingerprint = hmac.new(secret, b"withdrawn\x00real\x00panel-7", sha256).hexdigest()
    assert [name for name, value in kept.items() if value == "withdrawn"] == [fingerprint]
    assert sha256(b"panel-7").hexdigest() not in kept and "panel-7" not in str(kept)


def test_a_code_works_once_and_a_wrong_one_never(database: Database) -> None:
    person = begun(database)
    for wrong in ("", "AAAA-AAAA-AAAA", person.participant.id, person.resume, "' OR 1=1 --", "\ud800"):
        assert not database.write(withdraw, wrong, NOW).result()
    with ThreadPoolExecutor(8) as pool:
        worked = list(pool.map(lambda _: database.write(withdraw, person.withdrawal, NOW).result(), range(8)))
    assert sum(worked) == 1
    assert not database.write(withdraw_participant, person.participant.id, NOW).result()
    assert not database.write(withdraw_participant, "nobody", NOW).result()
    assert not database.write(exclude, person.participant.id, "late", NOW).result()


def test_an_answer_that_meets_a_withdrawal_does_not_outlive_it(database: Database) -> None:
    people = [begun(database, 2) for _ in range(20)]
    futures: list[Future[Outcome] | Future[bool]] = []
    for person in people:
        page = submission_of(SURVEY, person.participant, 2)
        futures.append(database.write(submit, page, SURVEY.settings, NOW))
        futures.append(database.write(withdraw, person.withdrawal, NOW))
    assert {str(future.result()) for future in futures} <= {
        *(str(Outcome("stored", 3)), str(Outcome("ended", 2)), "True"),
    }
    assert database.read(owners).result() == {"answers": set(), "details": set(), "sessions": set()}


def test_sqlite_forgets_what_was_withdrawn(tmp_path: Path) -> None:
    url = database_url(tmp_path)
    migrate(url)
    word = "这是一个很特别的评论"
    with Database.open(url) as database:
        person = begun(database, 2, "panel-special-id")
        answer = StoredAnswer("s1-0", "clarity", "target", 1, True, value=3.0, comment=word * 50)
        page = Submission(person.participant.id, 2, "x", (answer,))
        database.write(submit, page, SURVEY.settings, NOW).result()
        everything = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        assert word.encode() in everything
        assert b"panel-special-id" in everything
        database.write(withdraw, person.withdrawal, NOW).result()
        everything = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        assert word.encode() not in everything
        assert b"panel-special-id" not in everything


def test_an_exclusion_gives_the_place_back_and_keeps_the_answers(database: Database) -> None:
    person = begun(database, 5).participant
    assert database.write(exclude, person.id, "missed both catch items", NOW + 9).result()
    out = held(database, person.id)
    assert (out.status, out.reason, out.ended) == ("excluded", "missed both catch items", NOW)
    assert database.read(owners).result()["answers"] == {person.id}
    assert taken(database) == 0
    assert not database.write(exclude, person.id, "again", NOW).result()
    assert database.write(readmit, person.id, NOW + 10).result()
    back = held(database, person.id)
    assert (back.status, back.reason, back.ended) == ("finished", "", NOW)
    assert taken(database) == 1
    assert not database.write(readmit, person.id, NOW).result()
    kinds = [each.kind for each in database.read(events, person.id).result()]
    assert kinds[-2:] == ["excluded", "readmitted"]
    # A reason is free text of the researchers, perhaps about a person: it is not in the log.
    assert "catch" not in str(database.read(events, person.id).result())


def test_who_had_not_finished_is_readmitted_to_go_on(database: Database) -> None:
    person = begun(database, 2).participant
    database.write(exclude, person.id, "by mistake", NOW).result()
    database.write(readmit, person.id, NOW).result()
    assert held(database, person.id).status == "expired"
    page = submission_of(SURVEY, person, 2)
    assert database.write(submit, page, SURVEY.settings, NOW).result() == Outcome("stored", 3)
    assert taken(database) == 1


def test_reservations_run_out(database: Database) -> None:
    people = [begun(database, pages).participant for pages in (0, 2, 5)]
    assert taken(database) == 3
    assert database.write(expire, NOW + 599).result() == 0
    # The place is free at once, before anybody writes it down; who has finished keeps it.
    assert taken(database, NOW + 600) == 1
    assert database.write(expire, NOW + 600).result() == 2
    assert database.write(expire, NOW + 600).result() == 0
    assert [held(database, person.id).status for person in people] == ["expired", "expired", "finished"]
    assert database.read(events, people[0].id).result()[-1].kind == "expired"
