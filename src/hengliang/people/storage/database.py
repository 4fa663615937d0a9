"""How does every answer reach the disk before the participant sees the next page, with hundreds answering at once?

Reads run on a few threads. Writes wait in a queue that one writer thread empties for SQLite, a few for PostgreSQL; one
commit serves all that wait (see writing.py). A database that dies fails the calls of the moment with `DatabaseAway`;
later calls connect again.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import InterfaceError, OperationalError

from hengliang.errors import UserError, file_errors
from hengliang.people.storage.engines import (
    DatabaseAway,
    database_url,
    engine_of,
    explained,
    is_sqlite,
    said,
    sqlite_file,
)
from hengliang.people.storage.migrating import check_revision
from hengliang.people.storage.writing import BATCH, Job, Jobs, write_all

__all__ = ["Database", "DatabaseAway", "database_url"]

READERS = 4
POSTGRES_WRITERS = 4

P = ParamSpec("P")
R = TypeVar("R")


@dataclass
class Database:
    """The database of one survey, for many threads and for a server's event loop."""

    url: str
    readers: Engine
    writers: Engine
    lock: int | None = None
    """The open lock file of a process that alone serves an SQLite file."""
    closed: bool = False
    _jobs: Jobs = field(default_factory=Jobs)
    _threads: list[threading.Thread] = field(default_factory=list)
    _pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(READERS, "survey-read"))
    _gate: threading.Lock = field(default_factory=threading.Lock)

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
            engine_of(url, writing=False, connections=READERS),
            engine_of(url, writing=True, connections=writers),
            _locked(sqlite_file(url)) if sqlite and alone else None,
        )
        try:
            if not sqlite:
                opened.read(_check_flushes).result()
        except BaseException:
            opened.close()
            raise
        opened._start(writers, batch)
        return opened

    def read(self, function: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Run a function with a connection that only reads, on another thread."""
        with self._gate:
            self._check_open()
            return self._pool.submit(self._read, function, args, kwargs)

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
        self.readers.dispose()
        self.writers.dispose()
        if self.lock is not None:
            os.close(self.lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if self.closed:
            raise DatabaseAway(f"The database {said(self.url)} has been closed.")

    def _start(self, writers: int, batch: int) -> None:
        for number in range(writers):
            thread = threading.Thread(
                target=write_all,
                args=(self.writers, self._jobs, batch, self._explain),
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


def _check_flushes(connection: Connection) -> None:
    """Refuse a PostgreSQL server that was told not to wait for the disk: it would lose answers that we acknowledged."""
    if connection.execute(text("SHOW fsync")).scalar_one() != "on":
        raise UserError(
            "The PostgreSQL server runs with fsync = off: a crash may lose answers that participants gave.",
            remedy="ALTER SYSTEM SET fsync = on; then reload the server's configuration.",
        )


def _locked(file: Path) -> int:
    """Take the lock of the one process that serves an SQLite file; the kernel lets go when we die."""
    beside = file.with_name(f"{file.name}.lock")
    with file_errors(beside, "write"):
        descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise UserError(
            f"Another process serves {file} already.",
            remedy="Stop it first, or give this survey a PostgreSQL database, which several may share. "
            "Simulated participants can join the server that runs: --url and --invitation.",
        ) from None
    return descriptor
