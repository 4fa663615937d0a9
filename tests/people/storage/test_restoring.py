"""Does a backup come back whole, is a damaged database refused, and is nothing lost on the way?"""

from __future__ import annotations

import errno
import os
import random
import resource
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.core import Failure
from hengliang.people.pages.serving import serve
from hengliang.people.sessions.survey import Survey
from hengliang.people.storage.backup import back_up
from hengliang.people.storage.database import Database, DatabaseAway, database_url
from hengliang.people.storage.endings import withdraw
from hengliang.people.storage.events import events
from hengliang.people.storage.facts import bind_design, form_secret
from hengliang.people.storage.invitations import invite
from hengliang.people.storage.migrating import migrate
from hengliang.people.storage.registration import Refused, Registered, register
from hengliang.people.storage.restoring import restore
from hengliang.people.storage.soundness import fault_of
from tests.people.survey_folder import small_survey

NOW = 1_700_000_000.0


def take_in(database: Database, survey: Survey, number: int = 1) -> list[Registered]:
    token = database.write(invite, "real", NOW).result()
    return [database.write(register, survey, token, "zh", None, NOW).result() for _ in range(number)]


def people(file: Path) -> int:
    with closing(sqlite3.connect(file)) as held:
        return int(held.execute("SELECT COUNT(*) FROM participants").fetchone()[0])


@pytest.fixture
def killed(tmp_path: Path) -> tuple[Survey, Path]:
    """Give a survey whose server was killed with its log not yet written back, and a backup from before.

    Three came before the backup and forty after it. What a killed process leaves is what is in the files while it runs.
    """
    running = small_survey(tmp_path / "running")
    url = database_url(running.folder)
    migrate(url)
    backup, folder = tmp_path / "monday.sqlite", tmp_path / "survey"
    with Database.open(url) as database:
        database.write(bind_design, running.digest).result()
        take_in(database, running, 3)
        back_up(url, backup)
        take_in(database, running, 40)
        shutil.copytree(running.folder, folder)
    assert (folder / "survey.sqlite-wal").stat().st_size > 0
    return small_survey(folder), backup


def test_a_backup_takes_the_place_of_what_a_killed_server_left(killed: tuple[Survey, Path]) -> None:
    survey, backup = killed
    url, file = database_url(survey.folder), survey.folder / "survey.sqlite"
    restored = restore(url, backup, survey.digest)
    assert (restored.participants, restored.answers, restored.withdrawn) == (3, 0, 0)
    assert fault_of(file) == ""
    assert file.stat().st_mode & 0o077 == 0
    # The former database is whole under its new name, with its log.
    assert people(restored.aside[0]) == 43
    migrate(url)
    with Database.open(url, alone=True) as database:
        take_in(database, survey)
        assert "restored" in [event.kind for event in database.read(events).result()]
    assert people(file) == 4
    assert not [each for each in survey.folder.iterdir() if each.name.startswith(".restore")]


def test_a_backup_that_was_copied_by_hand_is_noticed_and_can_be_mended(killed: tuple[Survey, Path]) -> None:
    survey, backup = killed
    file = survey.folder / "survey.sqlite"
    shutil.copy(backup, file)
    before = (file.read_bytes(), (survey.folder / "survey.sqlite-wal").read_bytes())
    for use in (migrate, Database.open):
        with pytest.raises(Failure, match="the log of another file") as caught:
            use(database_url(survey.folder))
        assert "hengliang survey restore" in caught.value.remedy
    with pytest.raises(Failure, match="the log of another file"):
        serve(survey.folder, port=0)
    # Nothing of it was touched.
    assert before == (file.read_bytes(), (survey.folder / "survey.sqlite-wal").read_bytes())
    restored = restore(database_url(survey.folder), backup, survey.digest)
    assert (restored.participants, restored.withdrawn) == (3, None)
    migrate(database_url(survey.folder))


def test_a_backup_comes_back_where_no_database_is_left(killed: tuple[Survey, Path]) -> None:
    survey, backup = killed
    for file in survey.folder.glob("survey.sqlite*"):
        file.unlink()
    restored = restore(database_url(survey.folder), backup, survey.digest)
    # Nobody knows any more who has withdrawn since.
    assert (restored.participants, restored.withdrawn, restored.aside) == (3, None, ())
    assert people(survey.folder / "survey.sqlite") == 3


def test_who_withdrew_after_the_backup_is_withdrawn_again(tmp_path: Path) -> None:
    survey = small_survey(tmp_path / "survey")
    url, backup = database_url(survey.folder), tmp_path / "backup.sqlite"
    migrate(url)
    with Database.open(url) as database:
        database.write(bind_design, survey.digest).result()
        token = database.write(invite, "real", NOW).result()
        goes = database.write(register, survey, token, "zh", "panel-of-who-regrets", NOW).result()
        take_in(database, survey)
        back_up(url, backup)
        assert database.write(withdraw, goes.withdrawal, NOW).result()
    assert b"panel-of-who-regrets" in backup.read_bytes()
    restored = restore(url, backup, survey.digest)
    assert (restored.participants, restored.withdrawn) == (2, 1)
    file = survey.folder / "survey.sqlite"
    assert b"panel-of-who-regrets" not in file.read_bytes()
    with closing(sqlite3.connect(file)) as held:
        found = held.execute("SELECT status FROM participants WHERE id = ?", (goes.participant.id,)).fetchone()
    assert found == ("withdrawn",)


def test_a_panel_s_id_that_came_and_withdrew_after_the_backup_does_not_take_part_again(tmp_path: Path) -> None:
    survey = small_survey(tmp_path / "survey")
    url, backup = database_url(survey.folder), tmp_path / "backup.sqlite"
    migrate(url)
    with Database.open(url) as database:
        database.write(bind_design, survey.digest).result()
        # The key, with which fingerprints are made, is drawn when a survey is first served.
        database.write(form_secret).result()
        token = database.write(invite, "real", NOW).result()
        back_up(url, backup)
        goes = database.write(register, survey, token, "zh", "panel-of-who-regrets", NOW).result()
        assert database.write(withdraw, goes.withdrawal, NOW).result()
    restored = restore(url, backup, survey.digest)
    # The backup held nobody, so nobody was withdrawn again.
    assert (restored.participants, restored.withdrawn) == (0, 0)
    with Database.open(url) as database:
        with pytest.raises(Refused, match="cannot take part again"):
            database.write(register, survey, token, "zh", "panel-of-who-regrets", NOW).result()
        assert database.write(register, survey, token, "zh", "another", NOW).result().participant.external == "another"


def test_fingerprints_that_were_made_with_another_key_are_left_out(killed: tuple[Survey, Path]) -> None:
    survey, backup = killed
    file = survey.folder / "survey.sqlite"
    for each, key, name in ((file, "01", "of-the-present"), (backup, "02", "of-the-backup")):
        with closing(sqlite3.connect(each)) as held, held:
            held.execute("DELETE FROM facts WHERE name = 'secret'")
            rows = [("secret", key * 32), (name, "withdrawn")]
            held.executemany("INSERT INTO facts (name, value) VALUES (?, ?)", rows)
    restore(database_url(survey.folder), backup, survey.digest)
    with closing(sqlite3.connect(file)) as held:
        assert held.execute("SELECT name FROM facts WHERE value = 'withdrawn'").fetchall() == [("of-the-backup",)]


@pytest.mark.parametrize("failing", ["the copy is not flushed", "the log is not renamed", "the file is not replaced"])
def test_a_restore_that_fails_at_the_end_leaves_the_database_with_its_log(
    killed: tuple[Survey, Path], monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    survey, backup = killed
    file = survey.folder / "survey.sqlite"
    before = {each.name for each in survey.folder.iterdir()}
    failed: list[str] = []

    def fail(*_: object) -> None:
        failed.append(failing)
        raise OSError(errno.EIO, "Input/output error")

    if failing == "the copy is not flushed":
        monkeypatch.setattr(os, "fsync", fail)
    elif failing == "the log is not renamed":
        rename = Path.rename
        # The log itself is renamed; its index, which comes next, is not.
        monkeypatch.setattr(Path, "rename", lambda old, new: fail() if str(new).endswith("-shm") else rename(old, new))
    else:
        monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(Failure, match="input/output error"):
        restore(database_url(survey.folder), backup, survey.digest)
    monkeypatch.undo()
    assert failed
    assert {each.name for each in survey.folder.iterdir()} - before <= {"survey.sqlite.lock"}
    # Forty of the 43 are in the log alone.
    assert people(file) == 43


def test_a_full_disk_is_not_told_as_a_damaged_backup(killed: tuple[Survey, Path]) -> None:
    survey, backup = killed
    assert backup.stat().st_size > 16384
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # No file of this process may grow beyond 16 kB.
    resource.setrlimit(resource.RLIMIT_FSIZE, (16384, limits[1]))
    try:
        with pytest.raises(DatabaseAway, match="cannot be restored in") as caught:
            restore(database_url(survey.folder), backup, survey.digest)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "damaged" not in str(caught.value) and "room on the disk" in caught.value.remedy
    assert people(survey.folder / "survey.sqlite") == 43


def test_a_backup_that_takes_nothing_in_is_told_and_changes_nothing(killed: tuple[Survey, Path]) -> None:
    survey, backup = killed
    with closing(sqlite3.connect(backup)) as held, held:
        held.execute("CREATE TRIGGER odd BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'takes nothing'); END")
    with pytest.raises(DatabaseAway, match=r"monday\.sqlite cannot be restored in .*: takes nothing"):
        restore(database_url(survey.folder), backup, survey.digest)
    assert people(survey.folder / "survey.sqlite") == 43


def test_what_is_no_backup_of_this_survey_is_refused_and_changes_nothing(killed: tuple[Survey, Path]) -> None:
    survey, backup = killed
    url = database_url(survey.folder)
    before = {file.name: file.read_bytes() for file in survey.folder.iterdir()}
    damaged, text = backup.with_name("damaged.sqlite"), backup.with_name("text.sqlite")
    damaged.write_bytes(backup.read_bytes()[:8192] + bytes(4096) + backup.read_bytes()[12288:])
    text.write_text("not a database, but long enough to be read as one" * 100)
    for wrong, message in (
        (damaged, "damaged"),
        (text, "damaged, or no backup"),
        (survey.folder / "survey.sqlite", "the database itself"),
        (backup.with_name("none.sqlite"), "There is no file"),
    ):
        with pytest.raises(UserError, match=message):
            restore(url, wrong, survey.digest)
    with pytest.raises(UserError, match="another design"):
        restore(url, backup, "0" * 32)
    after = {file.name: file.read_bytes() for file in survey.folder.iterdir() if not file.name.endswith(".lock")}
    # SQLite's index of its log is made anew by whoever reads.
    before.pop("survey.sqlite-shm", None), after.pop("survey.sqlite-shm", None)
    assert after == before


def test_a_survey_that_is_being_served_is_left_alone(killed: tuple[Survey, Path]) -> None:
    survey, backup = killed
    url = database_url(survey.folder)
    with Database.open(url, alone=True), pytest.raises(UserError, match="Another process serves"):
        restore(url, backup, survey.digest)
    assert people(survey.folder / "survey.sqlite") == 43


def test_postgresql_is_told_what_to_do(killed: tuple[Survey, Path]) -> None:
    survey, backup = killed
    with pytest.raises(UserError, match="PostgreSQL's own program") as caught:
        restore("postgresql://wang@localhost/survey", backup, survey.digest)
    assert "pg_restore" in caught.value.remedy


@pytest.mark.parametrize("way", ["a zeroed page", "flipped bytes", "half a file"])
def test_a_damaged_database_is_not_served(killed: tuple[Survey, Path], way: str) -> None:
    survey, backup = killed
    file = survey.folder / "survey.sqlite"
    restore(database_url(survey.folder), backup, survey.digest)
    held = bytearray(file.read_bytes())
    if way == "a zeroed page":
        # The fifth page is of a table or an index, as all of the first dozen are.
        held[4 * 4096 : 5 * 4096] = bytes(4096)
    elif way == "flipped bytes":
        draw = random.Random(7)
        for _ in range(200):
            held[draw.randrange(100, len(held))] ^= 0xFF
    else:
        del held[len(held) // 2 :]
    file.write_bytes(held)
    told: list[str] = []
    with pytest.raises(Failure, match="is damaged") as caught:
        serve(survey.folder, port=0, tell=told.append)
    assert "hengliang survey restore" in caught.value.remedy
    assert told == []


def test_answers_without_their_participant_are_noticed(killed: tuple[Survey, Path]) -> None:
    survey, backup = killed
    file = survey.folder / "survey.sqlite"
    restore(database_url(survey.folder), backup, survey.digest)
    with closing(sqlite3.connect(file)) as held, held:
        held.execute("INSERT INTO sessions (token, participant, created) VALUES ('x', 'nobody', 0)")
    with pytest.raises(Failure, match="belongs to a row of 'participants'"):
        migrate(database_url(survey.folder))
