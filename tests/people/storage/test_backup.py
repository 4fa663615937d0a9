"""Is a copy whole, of one moment, and made while people answer?"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection

from hengliang import UserError
from hengliang.core import Failure
from hengliang.people.storage import backup
from hengliang.people.storage.backup import back_up
from hengliang.people.storage.database import Database, database_url
from hengliang.people.storage.events import record
from hengliang.people.storage.facts import set_fact
from hengliang.people.storage.migrating import migrate, revision
from tests.people.postgres_server import PostgresServer, programs


def write_pair(connection: Connection, number: int) -> None:
    set_fact(connection, "newest", str(number))
    record(connection, str(number), None, {}, 0.0)


def test_a_copy_of_sqlite_is_one_moment_of_a_busy_database(tmp_path: Path) -> None:
    url = database_url(tmp_path / "survey")
    migrate(url)
    over = threading.Event()
    with Database.open(url, alone=True) as database:

        def write_on() -> None:
            number = 0
            while not over.is_set():
                database.write(write_pair, number).result()
                number += 1

        thread = threading.Thread(target=write_on)
        thread.start()
        for copy in range(5):
            back_up(url, tmp_path / "copies" / f"{copy}.sqlite")
        over.set()
        thread.join()
    assert sorted(file.name for file in (tmp_path / "copies").iterdir()) == [f"{copy}.sqlite" for copy in range(5)]
    for copy in range(5):
        file = tmp_path / "copies" / f"{copy}.sqlite"
        assert file.stat().st_mode & 0o077 == 0
        with closing(sqlite3.connect(file)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            newest = connection.execute("SELECT value FROM facts WHERE name = 'newest'").fetchone()
            last = connection.execute("SELECT kind FROM events ORDER BY id DESC LIMIT 1").fetchone()
            # Both were written in one transaction, so both or neither are in the copy.
            assert newest == last
    copied = f"sqlite:///{tmp_path / 'copies' / '4.sqlite'}"
    assert revision(copied) == revision(url)
    with Database.open(copied) as database:
        database.write(set_fact, "a", "b").result()


def test_a_copy_of_postgresql_can_be_restored(
    postgres_server: PostgresServer, postgres_url: str, tmp_path: Path
) -> None:
    migrate(postgres_url)
    with Database.open(postgres_url) as database:
        for number in range(3):
            database.write(write_pair, number).result()
        back_up(postgres_url, tmp_path / "copy.dump")
    other = postgres_server.new_database()
    folder = programs()
    assert folder is not None
    subprocess.run([folder / "pg_restore", f"--dbname={other}", tmp_path / "copy.dump"], check=True)
    with Database.open(other) as restored:
        restored.write(write_pair, 3).result()
        with pytest.raises(Exception, match="events are appended"):
            restored.write(lambda connection: connection.exec_driver_sql("DELETE FROM events")).result()


def test_without_pg_dump_the_package_is_named(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(postgres_url)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(backup, "_newest_installed", lambda: None)
    with pytest.raises(UserError, match="needs pg_dump") as caught:
        back_up(postgres_url, tmp_path / "copy.dump")
    assert caught.value.remedy == "apt-get install postgresql-client"
    assert not list(tmp_path.iterdir())


def test_a_pg_dump_that_fails_leaves_nothing(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(postgres_url)
    program = tmp_path / "bin" / "pg_dump"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho half > \"${2#--file=}\"\necho 'pg_dump: the disk is gone' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda _: str(program))
    with pytest.raises(Failure, match="the disk is gone"):
        back_up(postgres_url, tmp_path / "copies" / "copy.dump")
    assert not list((tmp_path / "copies").iterdir())


def test_no_copy_replaces_another(tmp_path: Path) -> None:
    url = database_url(tmp_path)
    migrate(url)
    (tmp_path / "copy").write_text("the only one")
    with pytest.raises(UserError, match="exists already"):
        back_up(url, tmp_path / "copy")
    assert (tmp_path / "copy").read_text() == "the only one"


def test_what_is_not_there_or_broken_is_not_copied(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no survey"):
        back_up(database_url(tmp_path / "none"), tmp_path / "copy")
    broken = tmp_path / "survey.sqlite"
    migrate(database_url(tmp_path))
    broken.write_bytes(broken.read_bytes()[:4096] + b"x" * 4096 * 10)
    with pytest.raises(Failure):
        back_up(database_url(tmp_path), tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
