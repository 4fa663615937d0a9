"""Are the bytes of somebody who withdrew gone soon, and does nobody wait for that?"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from sqlalchemy import text

from hengliang.people.storage.database import Database, database_url
from hengliang.people.storage.endings import withdraw
from hengliang.people.storage.erasing import to_erase
from hengliang.people.storage.events import events
from hengliang.people.storage.migrating import migrate
from hengliang.people.storage.submission import Outcome, StoredAnswer, Submission, submit
from tests.people.storage.small_survey import NOW, submission_of
from tests.people.storage.test_endings import SURVEY, begun

WORD = "谁也不该再读到这一句".encode()
PANEL = b"panel-of-who-regrets"


def bytes_of(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


def remaining(folder: Path) -> list[bytes]:
    held = bytes_of(folder)
    return [each for each in (WORD, PANEL) if each in held]


def comment(database: Database, id: str, step: int, item: str) -> Outcome:
    answer = StoredAnswer(item, "clarity", "target", 1, True, value=3.0, comment=WORD.decode() * 200)
    return database.write(submit, Submission(id, step, "x", (answer,)), SURVEY.settings, NOW).result()


def gone_within(folder: Path, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while remaining(folder) and time.monotonic() < until:
        time.sleep(0.05)
    return not remaining(folder)


def kinds(database: Database, id: str) -> list[str]:
    return [event.kind for event in database.read(events, id).result()]


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Give the address of an SQLite database with all tables: only there is a log that is to be emptied."""
    address = database_url(tmp_path)
    migrate(address)
    return address


def test_a_reader_holds_nobody_up_and_the_bytes_go_when_it_ends(tmp_path: Path, url: str) -> None:
    with Database.open(url) as database:
        goes, stays = begun(database, 2, PANEL.decode()), begun(database, 1)
        comment(database, goes.participant.id, 2, "s1-0")
        with database.readers.connect() as reader:
            reader.execute(text("SELECT count(*) FROM answers")).scalar_one()
            begun_at = time.monotonic()
            assert database.write(withdraw, goes.withdrawal, NOW).result()
            withdrawn = time.monotonic() - begun_at
            slowest = 0.0
            for step in (1, 2, 3):
                begun_at = time.monotonic()
                submission = submission_of(SURVEY, stays.participant, step)
                assert database.write(submit, submission, SURVEY.settings, NOW).result().kind == "stored"
                slowest = max(slowest, time.monotonic() - begun_at)
                time.sleep(0.4)
            # A reader used to hold both up for the 20 s that SQLite waits for a lock.
            assert withdrawn < 2
            assert slowest < 2
            assert database.read(to_erase).result() == (goes.participant.id,)
            assert kinds(database, goes.participant.id)[-1] == "withdrew"
            assert remaining(tmp_path) == [WORD, PANEL]
        # A try comes every half second.
        assert gone_within(tmp_path, 5)
        until = time.monotonic() + 5
        while database.read(to_erase).result() and time.monotonic() < until:
            time.sleep(0.05)
        assert database.read(to_erase).result() == ()
        assert kinds(database, goes.participant.id)[-2:] == ["withdrew", "erased"]


def test_without_a_reader_they_are_gone_when_the_withdrawal_returns(tmp_path: Path, url: str) -> None:
    with Database.open(url) as database:
        goes = begun(database, 2, PANEL.decode())
        comment(database, goes.participant.id, 2, "s1-0")
        assert remaining(tmp_path) == [WORD, PANEL]
        assert database.write(withdraw, goes.withdrawal, NOW).result()
        assert remaining(tmp_path) == []
        assert kinds(database, goes.participant.id)[-1] == "erased"


def test_pages_that_were_split_and_moved_keep_no_copy(tmp_path: Path, url: str) -> None:
    """Rows of many sizes come between each other, so that pages of tables and indices are divided again and again."""
    with Database.open(url) as database:
        people = [begun(database, 2, f"{PANEL.decode()}-{number}") for number in range(60)]
        for item in range(3):
            for number, each in enumerate(people):
                said = WORD.decode() * (1 + 7 * ((number * 13 + item) % 11))
                answer = StoredAnswer(f"s1-{item}-{said[:40]}", "clarity", "target", 1, True, comment=said)
                page = Submission(each.participant.id, 2 + item, f"{WORD.decode()}{number}", (answer,), last=False)
                assert database.write(submit, page, SURVEY.settings, NOW).result().kind == "stored"
        for each in people:
            assert database.write(withdraw, each.withdrawal, NOW).result()
        assert gone_within(tmp_path, 5), remaining(tmp_path)


def test_what_one_server_could_not_erase_the_next_one_does(tmp_path: Path, url: str) -> None:
    with Database.open(url) as beside:
        with Database.open(url) as database:
            goes = begun(database, 2, PANEL.decode())
            comment(database, goes.participant.id, 2, "s1-0")
            reader = beside.readers.connect()
            reader.execute(text("SELECT count(*) FROM answers")).scalar_one()
            assert database.write(withdraw, goes.withdrawal, NOW).result()
            begun_at = time.monotonic()
        # A reader does not keep a server from stopping either.
        assert time.monotonic() - begun_at < 3
        assert remaining(tmp_path) == [WORD, PANEL]
        reader.close()
        with Database.open(url, alone=True):
            assert gone_within(tmp_path, 5)
