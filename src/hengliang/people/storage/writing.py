"""How are many writes made durable with one flush of the disk, without one of them undoing another?

All jobs of a batch share a transaction, each in a savepoint. Callers are told after COMMIT has returned, never before.
If COMMIT fails, or the connection is lost, nobody knows what is on the disk: every caller of the batch is told that the
database is away, and tries again; what is written twice changes nothing (see submission.py).
"""

from __future__ import annotations

import queue
import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, OperationalError

BATCH = 128
"""How many jobs one transaction takes at most, so that the first of them need not wait for a long queue."""
ATTEMPTS = 8
"""How often a job is tried that PostgreSQL broke off to resolve a deadlock."""
FORGET = "forget"
"""The entry in a connection's `info` by which a job asks for old copies of deleted rows to be erased after it."""
# Serialization failure, deadlock, lock not available.
_TRY_AGAIN = {"40001", "40P01", "55P03"}


@dataclass(slots=True)
class Job:
    """Something to do in a transaction, and who waits for it."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    future: Future[Any]
    result: Any = None
    error: BaseException | None = None
    forgets: bool = False
    """Whether it deleted what is to be erased from the files, too."""

    def settle(self) -> None:
        """Tell who waits."""
        if self.error is None:
            self.future.set_result(self.result)
        else:
            self.future.set_exception(self.error)


Jobs = queue.SimpleQueue[Job | None]
Explain = Callable[[BaseException], Exception]
"""Turns what a driver raised into what callers are told."""
Erase = Callable[[Callable[[], None]], None]
"""Begins to erase old copies of what was deleted, and then calls what it is given."""


def erase_nothing(then: Callable[[], None]) -> None:
    """Do nothing but go on: the database erases by itself."""
    then()


class _Broken(Exception):
    """A job failed in a way that may have spoilt the transaction of the others."""

    def __init__(self, error: OperationalError) -> None:
        self.error = error
        super().__init__(str(error))

    @property
    def passing(self) -> bool:
        """Whether the same job may well succeed when it is tried again."""
        return getattr(self.error.orig, "sqlstate", None) in _TRY_AGAIN


def write_all(engine: Engine, jobs: Jobs, batch: int, explain: Explain, erase: Erase = erase_nothing) -> None:
    """Write what comes, until nothing more will come (None)."""
    while (job := jobs.get()) is not None:
        taken, ended = _waiting(job, jobs, batch)
        # Who stopped waiting before we began is not served; from here on nobody can stop us.
        write_batch(engine, [each for each in taken if each.future.set_running_or_notify_cancel()], explain, erase)
        if ended:
            return


def _waiting(first: Job, jobs: Jobs, batch: int) -> tuple[list[Job], bool]:
    """Return the first job with those that wait behind it, and whether they were the last."""
    taken = [first]
    while len(taken) < batch:
        try:
            following = jobs.get_nowait()
        except queue.Empty:
            break
        if following is None:
            return taken, True
        taken.append(following)
    return taken, False


def write_batch(engine: Engine, jobs: Sequence[Job], explain: Explain, erase: Erase = erase_nothing) -> None:
    """Run jobs in one transaction and tell who waits; if one spoils it, every job gets a transaction of its own."""
    if not jobs:
        return
    try:
        _transact(engine, jobs)
    except _Broken:
        for job in jobs:
            _write_alone(engine, job, explain, erase)
        return
    except Exception as error:
        for job in jobs:
            job.error = explain(error)
    for job in jobs:
        _settle(job, erase)


def _settle(job: Job, erase: Erase) -> None:
    """Tell who waits; of a withdrawal when it has been tried once to erase old copies, which others do not wait for."""
    if job.forgets and job.error is None:
        erase(job.settle)
    else:
        job.settle()


def _write_alone(engine: Engine, job: Job, explain: Explain, erase: Erase) -> None:
    for attempt in range(ATTEMPTS):
        try:
            _transact(engine, [job])
            break
        except _Broken as broken:
            job.error = explain(broken.error)
            if not broken.passing:
                break
            # Two jobs that met in a deadlock would meet again if both came back at once.
            time.sleep(random.uniform(0, 0.005 * 2**attempt))
        except Exception as error:
            job.error = explain(error)
            break
    _settle(job, erase)


def _transact(engine: Engine, jobs: Sequence[Job]) -> None:
    with engine.connect() as connection, connection.begin():
        for job in jobs:
            _run(connection, job)


def _run(connection: Connection, job: Job) -> None:
    """Run one job; its own error undoes it and nothing else."""
    job.result = job.error = None
    connection.info.pop(FORGET, None)
    try:
        with connection.begin_nested():
            try:
                job.result = job.function(connection, *job.args, **job.kwargs)
            except Exception as error:
                job.error = error
                raise
    except OperationalError as error:
        if error.connection_invalidated:
            raise
        # SQLite may have undone the whole transaction by itself (full disk), so that the savepoint is gone too; then
        # the job's own error says more.
        raise _Broken(job.error if isinstance(job.error, OperationalError) else error) from error
    except DBAPIError as error:
        if error.connection_invalidated:
            raise
        job.error = job.error or error
    except Exception as error:
        job.error = job.error or error
    job.forgets = bool(connection.info.pop(FORGET, False))
