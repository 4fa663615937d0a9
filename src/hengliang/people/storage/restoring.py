"""How does a backup become the survey's database again, without anything of the present one being lost?

A file that is copied over the database by hand meets the log of the old one. Here the backup is checked first, and the
present files are kept beside it under another name; if anything fails, they are as they were. Who withdrew after the
backup was made is withdrawn from it too, as far as the present database can still be read, and a panel's id that
withdrew since does not take part again.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, Table, func, select
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError

from hengliang.core.errors import Failure, UserError, file_errors
from hengliang.people.storage import tables
from hengliang.people.storage.backup import flush
from hengliang.people.storage.database import served_alone
from hengliang.people.storage.endings import withdraw_participant
from hengliang.people.storage.engines import DatabaseAway, engine_of, is_sqlite, said, sqlite_file
from hengliang.people.storage.erasing import try_to_erase
from hengliang.people.storage.events import record
from hengliang.people.storage.facts import WITHDRAWN, fact, settled
from hengliang.people.storage.migrating import migrate
from hengliang.people.storage.soundness import check_log, fault_of

BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite may keep beside a database; it belongs to that very file."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What the database holds now, and where its former files are."""

    participants: int
    answers: int
    withdrawn: int | None
    """How many withdrew after the backup and were withdrawn again; none: there was no present database to be read."""
    aside: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class _Former:
    """What the present database knows of withdrawals."""

    withdrawn: tuple[str, ...]
    """The ids of participants."""
    fingerprints: tuple[str, ...]
    """Of panels' ids, made with the key `secret`."""
    secret: str | None


def restore(url: str, backup: Path, digest: str) -> Restored:
    """Put a backup of the survey with this digest in the place of its SQLite database, which nobody may be serving."""
    if not is_sqlite(url):
        raise UserError(
            f"{said(url)} is restored by PostgreSQL's own program.",
            remedy=f"createdb NEW; pg_restore --dbname=NEW {backup}; hengliang survey serve DIR --database "
            "postgresql://…/NEW. The present database stays as it is until you drop it.",
        )
    file = sqlite_file(url).resolve()
    with file_errors(backup, "read"):
        if not backup.is_file():
            raise UserError(f"There is no file {backup}.", valid="What hengliang survey backup DIR --to FILE wrote.")
        if file.exists() and backup.samefile(file):
            raise UserError(f"{backup} is the database itself.", valid="A backup of it.")
    with served_alone(url), _copied(backup, file.parent) as copy:
        migrate(_url_of(copy))
        former = _former(file)
        with _errors_told(backup, file.parent):
            counted = _prepared(_url_of(copy), backup, digest, former)
        with file_errors(file, "write"):
            flush(copy)
            with _set_aside(file) as aside:
                copy.replace(file)
            flush(file.parent)
    return Restored(*counted, aside)


@contextmanager
def _errors_told(backup: Path, folder: Path) -> Iterator[None]:
    """Say what the system or the database refused: a full disk is no damaged backup."""
    try:
        yield
    except (sqlite3.Error, SQLAlchemyError) as error:
        cause = str(getattr(error, "orig", None) or error).strip().splitlines()
        raise DatabaseAway(
            f"{backup} cannot be restored in {folder}: {cause[0] if cause else type(error).__name__}.",
            remedy="Is there room on the disk? Then try again; the present database is as it was.",
        ) from error


@contextmanager
def _copied(backup: Path, folder: Path) -> Iterator[Path]:
    """Give a copy of a backup that is sound, in a private folder beside the database."""
    with file_errors(folder, "write"):
        private = Path(tempfile.mkdtemp(dir=folder, prefix=".restore."))
    try:
        copy = private / "copy"
        check_log(backup)
        with _errors_told(backup, folder):
            try:
                address = f"{backup.resolve().as_uri()}?mode=ro"
                with closing(sqlite3.connect(address, uri=True)) as source, closing(sqlite3.connect(copy)) as target:
                    source.backup(target)
                fault = fault_of(copy)
            except sqlite3.OperationalError:
                # No room, or the disk cannot be read: that is not in the file.
                raise
            except sqlite3.DatabaseError as error:
                fault = str(error)
        if fault:
            raise Failure(f"{backup} is damaged, or no backup of a survey: {fault}.", remedy="Take another backup.")
        copy.chmod(0o600)
        yield copy
    finally:
        with suppress(OSError):
            shutil.rmtree(private)


def _url_of(file: Path) -> str:
    return URL.create("sqlite", database=str(file)).render_as_string()


def _former(file: Path) -> _Former | None:
    """Return who has withdrawn, as far as the present database can be read."""
    if not file.exists():
        return None
    try:
        check_log(file)
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as held:
            ids = held.execute("SELECT id FROM participants WHERE status = 'withdrawn'").fetchall()
            prints = held.execute("SELECT name FROM facts WHERE value = ?", (WITHDRAWN,)).fetchall()
            secret = held.execute("SELECT value FROM facts WHERE name = 'secret'").fetchone()
            return _Former(tuple(id for (id,) in ids), tuple(name for (name,) in prints), secret and secret[0])
    except (sqlite3.DatabaseError, Failure):
        return None


def _prepared(url: str, backup: Path, digest: str, former: _Former | None) -> tuple[int, int, int | None]:
    """Withdraw again who has withdrawn since; returns participants, answers, and how many withdrew again."""
    engine = engine_of(url, writing=True, pooled=False)
    try:
        with engine.connect() as connection, connection.begin():
            held = fact(connection, "design")
            if held != digest:
                raise UserError(
                    f"{backup} holds the answers of another design ({held or 'none'}, not {digest}).",
                    valid="A backup of this survey.",
                )
            now = time.time()
            again = None if former is None else _withdrawn_again(connection, former, now)
            participants, answers = _count(connection, tables.participants), _count(connection, tables.answers)
            detail = {"participants": participants, "answers": answers, "withdrew since": again}
            record(connection, "restored", None, detail, now)
    finally:
        engine.dispose()
    try_to_erase(url)
    return participants, answers, again


def _withdrawn_again(connection: Connection, former: _Former, now: float) -> int:
    """Withdraw whom the present database knows to have withdrawn, and return how many of them the backup held."""
    # A fingerprint that was made with another key would be nobody's.
    if former.secret is not None and fact(connection, "secret") == former.secret:
        for name in former.fingerprints:
            settled(connection, name, WITHDRAWN)
    return sum(withdraw_participant(connection, id, now) for id in former.withdrawn)


def _count(connection: Connection, table: Table) -> int:
    return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


@contextmanager
def _set_aside(file: Path) -> Iterator[tuple[Path, ...]]:
    """Give the present files a name of their own, together: with its log beside it the old database stays readable.

    If no other file has come in its place when the block fails, they get their names back.
    """
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    kept = file.with_name(f"{file.name}.before-{stamp}")
    moved: dict[Path, Path] = {}
    # A second name for the old file first: at no moment is there no database, which a server would begin anew.
    if file.exists():
        os.link(file, kept)
    try:
        for end in BESIDE:
            beside = file.with_name(f"{file.name}{end}")
            if beside.exists():
                moved[beside] = beside.rename(kept.with_name(f"{kept.name}{end}"))
        yield (*([kept] if kept.exists() else []), *moved.values())
    except BaseException:
        if not file.exists() or (kept.exists() and file.samefile(kept)):
            for beside, former in moved.items():
                former.rename(beside)
            kept.unlink(missing_ok=True)
        raise
