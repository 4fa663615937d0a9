"""How does every answer reach the disk before the participant sees the next page, with hundreds answering at once?

Reads run on a few threads; an export, which reads everything, has a thread of its own. Writes wait in a queue that one
writer thread empties for SQLite, a few for PostgreSQL; one commit serves all that wait (see writing.py). A database
that dies fails the calls of the moment with `DatabaseAway`; later calls connect again.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import InterfaceError, OperationalError

from hengliang.core.errors import Failure, UserError
from hengliang.core.io.files import acquired_lock
from hengliang.people.storage.engines import (
    DatabaseAway,
    database_url,
    engine_of,
    explained,
    is_sqlite,
    said,
    sqlite_file,
)
from hengliang.people.storage.erasing import Eraser
from hengliang.people.storage.migrating import check_revision
from hengliang.people.storage.writing import BATCH, Job, Jobs, erase_nothing, write_all

if TYPE_CHECKING:
    from filelock import BaseFileLock

__all__ = ["Busy", "Database", "DatabaseAway", "database_url"]

READERS = 4
TURN_SECONDS = 10.0
"""How long an export waits for the one before it."""
POSTGRES_WRITERS = 4


class Busy(Failure):
    """Something that is done for one caller at a time is being done for another."""


P = ParamSpec("P")
R = TypeVar("R")


@dataclass
class Database:
    """The database of one survey, for many threads and for a server's event loop."""

    url: str
    readers: Engine
    writers: Engine
    lock: BaseFileLock | None = None
    """The lock of a process that alone serves an SQLite file."""
    closed: bool = False
    _jobs: Jobs = field(default_factory=Jobs)
    _threads: list[threading.Thread] = field(default_factory=list)
    _pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(READERS, "survey-read"))
    _exports: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "survey-export"))
    _gate: threading.Lock = field(default_factory=threading.Lock)
    _eraser: Eraser | None = None

    @classmethod
    def open(cls, url: str, *, alone: bool = False, batch: int = BATCH) -> Self:
        """Connect to a database that `migrate` has prepared.

        Who serves a survey asks to be `alone`: a second server on the same SQLite file is refused, a command that reads
        or changes something beside it is not. `batch` is how many writes one commit serves at most.
        """
        sqlite = is_sqlite(url)
        check_revision(url)
        writers = 1 if sqlite else POSTGRES_WRITERS
        opened = cls(
            url,
            engine_of(url, writing=False, connections=READERS + 1),
            engine_of(url, writing=True, connections=writers),
            _locked(sqlite_file(url)) if sqlite and alone else None,
        )
        try:
            if not sqlite:
                opened.read(_check_flushes).result()
        except BaseException:
            opened.close()
            raise
        if sqlite:
            opened._eraser = Eraser(url)
            opened._eraser.start()
            if alone:
                # What a former server could not erase any more.
                opened._eraser.ask(_nothing)
        opened._start(writers, batch)
        return opened

    def read(self, function: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Run a function with a connection that only reads, on another thread."""
        with self._gate:
            self._check_open()
            return self._pool.submit(self._read, function, args, kwargs)

    def export(self, function: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Run a function that reads for long: one at a time, and never on a thread that pages wait for."""
        with self._gate:
            self._check_open()
            return self._exports.submit(self._read, function, args, kwargs)

    def write(self, function: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Run a function in a transaction; the future is done when what it wrote is on the disk."""
        future: Future[R] = Future()
        with self._gate:
            self._check_open()
            self._jobs.put(Job(function, args, kwargs, future))
        return future

    async def reading(self, function: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Wait for what a reading function returns."""
        return await asyncio.wrap_future(self.read(function, *args, **kwargs))

    async def exporting(
        self, function: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Wait for what a function returns that reads for long; `Busy`, when its turn does not come soon."""
        future = self.export(function, *args, **kwargs)
        waited = asyncio.wrap_future(future)
        done, _ = await asyncio.wait({waited}, timeout=TURN_SECONDS)
        # Only what has not begun can be cancelled; what has begun is waited for.
        if not done and future.cancel():
            raise Busy("Another export is being made.", remedy="Try again in a moment.")
        return await waited

    async def writing(self, function: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Wait until what a function wrote is on the disk."""
        return await asyncio.wrap_future(self.write(function, *args, **kwargs))

    def close(self) -> None:
        """Finish what waits, then let go of the database; may be called twice."""
        with self._gate:
            if self.closed:
                return
            self.closed = True
            for _ in self._threads:
                self._jobs.put(None)
        for thread in self._threads:
            thread.join()
        self._pool.shutdown()
        self._exports.shutdown()
        if self._eraser is not None:
            self._eraser.stop()
        self.readers.dispose()
        self.writers.dispose()
        if self.lock is not None:
            self.lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if self.closed:
            raise DatabaseAway(f"The database {said(self.url)} has been closed.")

    def _start(self, writers: int, batch: int) -> None:
        erase = erase_nothing if self._eraser is None else self._eraser.ask
        for number in range(writers):
            thread = threading.Thread(
                target=write_all,
                args=(self.writers, self._jobs, batch, self._explain, erase),
                name=f"survey-write-{number}",
                daemon=True,
            )
            thread.start()
            self._threads.append(thread)

    def _explain(self, error: BaseException) -> Exception:
        return explained(error, self.url)

    def _read(self, function: Callable[..., R], args: tuple[Any, ...], kwargs: dict[str, Any]) -> R:
        try:
            with self.readers.connect() as connection, connection.begin():
                return function(connection, *args, **kwargs)
        except (OperationalError, InterfaceError) as error:
            raise self._explain(error) from error


def _nothing() -> None:
    """Wait for nothing."""


def _check_flushes(connection: Connection) -> None:
    """Refuse a PostgreSQL server that was told not to wait for the disk: it would lose answers that we acknowledged."""
    if connection.execute(text("SHOW fsync")).scalar_one() != "on":
        raise UserError(
            "The PostgreSQL server runs with fsync = off: a crash may lose answers that participants gave.",
            remedy="ALTER SYSTEM SET fsync = on; then reload the server's configuration.",
        )


def _locked(file: Path) -> BaseFileLock:
    """Take the lock of the one process that serves an SQLite file."""
    # Beside the file itself, whatever links lead to it.
    real = file.resolve()
    refusal = UserError(
        f"Another process serves {file} already.",
        remedy="Stop it first, or give this survey a PostgreSQL database, which several may share. "
        "Simulated participants can join the server that runs: --url and --invitation.",
    )
    return acquired_lock(real.with_name(f"{real.name}.lock"), refusal, mode=0o600)


@contextmanager
def served_alone(url: str) -> Iterator[None]:
    """Keep a server away from an SQLite file while the file itself is changed; one that is there is not disturbed."""
    lock = _locked(sqlite_file(url))
    try:
        yield
    finally:
        lock.release()
