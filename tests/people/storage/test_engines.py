"""Is the database told to keep what it has acknowledged, and is a wrong address refused?"""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from hengliang import UserError
from hengliang.people.storage.engines import (
    DatabaseAway,
    database_url,
    engine_of,
    explained,
    full_url,
    is_sqlite,
    said,
    sqlite_file,
)
from hengliang.people.storage.migrating import migrate


def test_without_an_address_the_database_is_a_file_in_the_folder(tmp_path: Path) -> None:
    strange = tmp_path / "100% 调查?#@"
    url = database_url(strange)
    assert is_sqlite(url)
    assert sqlite_file(url) == strange / "survey.sqlite"
    migrate(url)
    assert [each.name for each in strange.iterdir() if each.suffix == ".sqlite"] == ["survey.sqlite"]
    assert (strange / "survey.sqlite").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg", "postgresql+psycopg2"])
def test_postgresql_is_spoken_to_with_one_driver_and_never_shows_its_password(tmp_path: Path, scheme: str) -> None:
    url = database_url(tmp_path, f"{scheme}://wang:geheim@db.example:5433/survey")
    assert full_url(url).drivername == "postgresql+psycopg"
    assert full_url(url).password == "geheim"
    assert said(url) == "postgresql://wang:***@db.example:5433/survey"
    assert "geheim" not in str(explained(RuntimeError("no route"), url))


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("mysql://a@b/c", "kind 'mysql'"),
        ("sqlite://", "is a file"),
        ("sqlite:///:memory:", "is a file"),
        ("sqlite:///a.sqlite?mode=ro", "is a file"),
        ("survey.sqlite", "cannot be read"),
    ],
)
def test_an_address_that_is_none_of_ours_is_refused(url: str, told: str) -> None:
    with pytest.raises(UserError, match=told) as caught:
        full_url(url)
    assert "sqlite:///FILE" in caught.value.valid


def test_sqlite_flushes_every_commit(tmp_path: Path) -> None:
    url = database_url(tmp_path)
    migrate(url)
    with engine_of(url, writing=True).connect() as connection:
        found = {
            name: connection.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "secure_delete", "busy_timeout")
        }
    # synchronous 2 is FULL: https://sqlite.org/pragma.html#pragma_synchronous
    assert found == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "secure_delete": 1,
        "busy_timeout": 20000,
    }


@pytest.mark.parametrize("database", ["off", "local", "remote_write", "on", "remote_apply"])
def test_postgresql_flushes_every_commit_whatever_the_default_is(postgres_url: str, database: str) -> None:
    name = full_url(postgres_url).database
    with engine_of(postgres_url, writing=True).connect() as connection:
        connection.execute(text(f"ALTER DATABASE {name} SET synchronous_commit TO {database}"))
        connection.commit()
    engine = engine_of(postgres_url, writing=True)
    with engine.connect() as connection:
        used = connection.execute(text("SHOW synchronous_commit")).scalar()
    engine.dispose()
    assert used == ("remote_apply" if database == "remote_apply" else "on")


def test_who_reads_cannot_write(url: str) -> None:
    migrate(url)
    engine = engine_of(url, writing=False)
    with engine.connect() as connection, pytest.raises(DBAPIError, match=r"(?i)read-?only"):
        connection.execute(text("INSERT INTO facts (name, value) VALUES ('a', 'b')"))
    engine.dispose()


def test_who_reads_does_not_create_a_file(tmp_path: Path) -> None:
    with pytest.raises(DBAPIError, match="unable to open"):
        engine_of(database_url(tmp_path), writing=False).connect()
    assert not list(tmp_path.iterdir())


def test_what_a_driver_says_is_told_in_one_line() -> None:
    away = explained(RuntimeError("disk is full\nand more"), "sqlite:////data/survey.sqlite")
    assert isinstance(away, DatabaseAway)
    assert away.exit_code == 1
    assert away.problem == "The database /data/survey.sqlite does not answer: disk is full."
