"""How do we talk to SQLite and to PostgreSQL so that a commit that returned is on disk?

SQLite: write-ahead log with `synchronous=FULL`, so that COMMIT returns after the log was flushed to the disk; the
driver begins no transaction of its own, and writers take the write lock at once (BEGIN IMMEDIATE) instead of failing in
the middle.
PostgreSQL: `synchronous_commit` is at least `on` in every session, whatever the server's default is.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import NullPool

from hengliang.core.errors import Failure, UserError

FILE = "survey.sqlite"
BUSY_SECONDS = 20
"""How long SQLite waits for another process (an export, a backup, a second command) to let go of the write lock."""
CONNECT_SECONDS = 5
RESTORE = "hengliang survey restore DIR BACKUP puts a backup in its place and keeps the present files aside."
# What SQLite says of a file that starting again does not mend.
_DAMAGED = ("malformed", "file is not a database")
VALID = "sqlite:///FILE or postgresql://USER:PASSWORD@HOST:PORT/NAME."


class DatabaseAway(Failure):
    """The database cannot be reached or cannot keep anything at the moment; trying again later may do."""


def database_url(folder: Path, url: str | None = None) -> str:
    """Return the address of an experiment's database: the one that is given, else the file in its folder."""
    if url:
        return full_url(url).render_as_string(hide_password=False)
    return URL.create("sqlite", database=str((folder / FILE).resolve())).render_as_string()


def full_url(url: str) -> URL:
    """Return the parts of an address, with the driver we use, and refuse a database we do not know."""
    try:
        parts = make_url(url)
    except ArgumentError:
        raise UserError("The address of the database cannot be read.", valid=VALID) from None
    kind = parts.drivername.partition("+")[0]
    if kind in ("postgresql", "postgres"):
        return parts.set(drivername="postgresql+psycopg")
    if kind != "sqlite":
        raise UserError(f"No database of kind '{kind}' can keep a survey.", valid=VALID)
    if not parts.database or parts.database == ":memory:" or parts.query:
        raise UserError("A survey's SQLite database is a file.", valid="sqlite:///FILE, without options.")
    return parts


def is_sqlite(url: str) -> bool:
    """Return whether the address is that of an SQLite file."""
    return full_url(url).drivername == "sqlite"


def sqlite_file(url: str) -> Path:
    """Return the file of an SQLite database."""
    return Path(str(full_url(url).database))


def said(url: str) -> str:
    """Return the address as it may be shown: without a password."""
    parts = full_url(url)
    if parts.drivername == "sqlite":
        return str(parts.database)
    return parts.set(drivername="postgresql").render_as_string(hide_password=True)


def explained(error: BaseException, url: str) -> Exception:
    """Return what callers are told of an error that a driver raised."""
    cause = str(getattr(error, "orig", None) or error).strip().splitlines()
    if any(word in "".join(cause) for word in _DAMAGED):
        return DatabaseAway(f"The database {said(url)} is damaged: {cause[0]}.", remedy=RESTORE)
    return DatabaseAway(
        f"The database {said(url)} does not answer: {cause[0] if cause else type(error).__name__}.",
        remedy="Start it again, or free some space; the survey goes on by itself.",
    )


def engine_of(url: str, *, writing: bool, connections: int = 1, pooled: bool = True) -> Engine:
    """Return an engine whose transactions may write or only read."""
    parts = full_url(url)
    make = _sqlite if parts.drivername == "sqlite" else _postgres
    return make(parts, writing, connections, pooled)


def _sqlite(parts: URL, writing: bool, connections: int, pooled: bool) -> Engine:
    pool: dict[str, Any] = {"pool_size": connections, "max_overflow": 0} if pooled else {"poolclass": NullPool}
    # Who only reads must not create the file.
    address = f"{Path(str(parts.database)).absolute().as_uri()}?mode={'rwc' if writing else 'rw'}"

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None)

    # What a driver says about an error goes into logs: without the values, which are answers.
    engine = create_engine(parts, creator=connect, hide_parameters=True, **pool)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        for pragma in (
            f"busy_timeout = {BUSY_SECONDS * 1000}",
            *(["journal_mode = WAL"] if writing else []),
            "synchronous = FULL",
            "foreign_keys = ON",
            # What is deleted is overwritten with zeros, not only marked as free.
            "secure_delete = ON",
            f"query_only = {'OFF' if writing else 'ON'}",
        ):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


def _postgres(parts: URL, writing: bool, connections: int, pooled: bool) -> Engine:
    pool: dict[str, Any] = (
        {"pool_size": connections, "max_overflow": 0, "pool_pre_ping": True} if pooled else {"poolclass": NullPool}
    )
    arguments = {
        "connect_timeout": CONNECT_SECONDS,
        "application_name": "hengliang survey",
        # A server that vanished without a word is noticed within a minute.
        **{"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3},
    }
    query = dict(parts.query)
    engine = create_engine(
        parts,
        isolation_level="READ COMMITTED",
        hide_parameters=True,
        connect_args={name: value for name, value in arguments.items() if name not in query},
        **pool,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        with connection.cursor() as cursor:
            # Stronger settings (remote_apply) of somebody with a standby server are left as they are.
            cursor.execute(
                "SELECT set_config('synchronous_commit', 'on', false)"
                " WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')"
            )
            cursor.execute("SET TIME ZONE 'UTC'")
            if not writing:
                cursor.execute("SET default_transaction_read_only TO on")
        connection.commit()

    return engine
