"""How does a database get the tables that this version of hengliang uses?

Alembic's revisions lie in `migrations/`. They run in one transaction, on SQLite and on PostgreSQL: a migration that
fails leaves the database as it was. Two processes that migrate at once wait for each other.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, text
from sqlalchemy.exc import DatabaseError, InterfaceError

from hengliang.core.errors import UserError, file_errors
from hengliang.people.storage.engines import engine_of, explained, is_sqlite, said, sqlite_file
from hengliang.people.storage.soundness import check_log, check_sound

FOLDER = Path(__file__).parent / "migrations"
# Any number does that no other program takes in the same database.
_LOCK = 7_204_631_905_118_226_401


def migrate(url: str) -> None:
    """Bring a database to the newest revision; an SQLite file that is not there is created, a damaged one refused."""
    if is_sqlite(url):
        file = sqlite_file(url)
        with file_errors(file, "write"):
            file.parent.mkdir(parents=True, exist_ok=True)
            # Personal data: for the owner alone; the files that SQLite adds beside it follow suit.
            os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
        # A survey is not gone on with in a database that would lose its answers.
        check_sound(file)
    _with_connection(url, _upgrade, url, writing=True)


def revision(url: str) -> str | None:
    """Return the revision of a database; none has never been migrated."""
    if is_sqlite(url) and not sqlite_file(url).exists():
        return None
    found: str | None = _with_connection(url, _current, writing=False)
    return found


def head() -> str:
    """Return the newest revision there is."""
    return str(_script().get_current_head())


def check_revision(url: str) -> None:
    """Refuse a database that is not there, or whose tables are those of another version of hengliang."""
    found = revision(url)
    if found is None:
        raise UserError(f"There is no survey in {said(url)} yet.", remedy="hengliang survey serve DIR")
    if found != head():
        _check_known(found, url)
        raise UserError(
            f"The survey in {said(url)} was kept by an older hengliang (revision {found}, now {head()}).",
            remedy="hengliang survey serve DIR brings it up to date.",
        )


def _script() -> ScriptDirectory:
    return ScriptDirectory(str(FOLDER), version_locations=[str(FOLDER)])


def _check_known(found: str, url: str) -> None:
    try:
        _script().get_revision(found)
    except CommandError as error:
        raise UserError(
            f"The survey in {said(url)} was kept by a newer hengliang (revision {found}, we know up to {head()}).",
            remedy="Install the newer version: pip install --upgrade 'hengliang[survey]'",
        ) from error


def _with_connection(url: str, function: Any, *args: Any, writing: bool) -> Any:
    if is_sqlite(url):
        check_log(sqlite_file(url))
    engine = engine_of(url, writing=writing, pooled=False)
    try:
        with engine.connect() as connection, connection.begin():
            return function(connection, *args)
    except (DatabaseError, InterfaceError) as error:
        raise explained(error, url) from error
    finally:
        engine.dispose()


def _current(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _upgrade(connection: Connection, url: str) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    found = _current(connection)
    if found == head():
        return
    if found is not None:
        _check_known(found, url)
    script = _script()

    def steps(revision: Any, _context: MigrationContext) -> Any:
        return script._upgrade_revs("head", revision)

    context = MigrationContext.configure(connection, opts={"fn": steps, "transactional_ddl": True})
    with Operations.context(context):
        context.run_migrations()
