"""Does one commit serve many writes, and does one that fails undo nothing but itself?"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, insert, select, text
from sqlalchemy.exc import IntegrityError

from hengliang.people.storage import tables
from hengliang.people.storage.engines import DatabaseAway, engine_of, explained
from hengliang.people.storage.events import record
from hengliang.people.storage.facts import set_fact
from hengliang.people.storage.migrating import migrate
from hengliang.people.storage.writing import Job, Jobs, write_all, write_batch


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    migrate(url)
    made = engine_of(url, writing=True, connections=4)
    yield made
    made.dispose()


def job_of(function: Callable[..., Any], *args: Any) -> Job:
    made = Job(function, args, {}, Future())
    made.future.set_running_or_notify_cancel()
    return made


def kept(engine: Engine) -> dict[str, str]:
    with engine.connect() as connection:
        return {row.name: row.value for row in connection.execute(select(tables.facts))}


def told(error: BaseException) -> Exception:
    return explained(error, "sqlite:///somewhere")


def keep(connection: Connection, name: str, value: str) -> str:
    connection.execute(insert(tables.facts), {"name": name, "value": value})
    return name


def keep_and_fail(connection: Connection, name: str) -> None:
    keep(connection, name, "never")
    raise ZeroDivisionError(name)


def broken_sql(connection: Connection) -> None:
    keep(connection, "broken", "never")
    connection.execute(text("SELECT no_such_column FROM facts"))


def test_a_job_that_fails_undoes_only_itself(engine: Engine) -> None:
    jobs = [job_of(keep, "a", "1"), job_of(keep_and_fail, "b"), job_of(keep, "a", "2"), job_of(keep, "c", "3")]
    write_batch(engine, jobs, told)
    assert [type(job.future.exception()) for job in jobs] == [type(None), ZeroDivisionError, IntegrityError, type(None)]
    assert kept(engine) == {"a": "1", "c": "3"}


def test_a_job_with_broken_sql_leaves_the_others_alone(engine: Engine) -> None:
    jobs = [job_of(keep, "a", "1"), job_of(broken_sql), job_of(keep, "c", "3")]
    write_batch(engine, jobs, told)
    assert [job.future.exception() is None for job in jobs] == [True, False, True]
    assert kept(engine) == {"a": "1", "c": "3"}


def test_one_commit_serves_all_that_wait_and_nobody_is_told_before_it(engine: Engine) -> None:
    jobs = [job_of(keep, str(number), "x") for number in range(50)]
    told_before: list[bool] = []

    @event.listens_for(engine, "commit")
    def look(_: Connection) -> None:
        told_before.append(any(job.future.done() for job in jobs))

    write_batch(engine, jobs, told)
    assert told_before == [False]
    assert [job.future.result() for job in jobs] == [str(number) for number in range(50)]
    assert len(kept(engine)) == 50


def test_a_commit_that_fails_fails_everybody(engine: Engine) -> None:
    jobs = [job_of(keep, "a", "1"), job_of(keep_and_fail, "b"), job_of(keep, "c", "1")]

    def refuse(_: Connection) -> None:
        raise OSError("the disk is gone")

    event.listen(engine, "commit", refuse)
    write_batch(engine, jobs, told)
    event.remove(engine, "commit", refuse)
    assert all(isinstance(job.future.exception(), DatabaseAway) for job in jobs)
    assert kept(engine) == {}
    write_batch(engine, [again := job_of(keep, "a", "2")], told)
    assert again.future.result() == "a"
    assert kept(engine) == {"a": "2"}


def test_batches_are_bounded_and_the_queue_is_emptied_before_the_end(engine: Engine) -> None:
    jobs: Jobs = queue.SimpleQueue()
    futures: list[Future[Any]] = []
    for number in range(25):
        made = Job(keep, (str(number), "x"), {}, Future())
        futures.append(made.future)
        jobs.put(made)
    jobs.put(None)
    futures[3].cancel()
    commits: list[int] = []

    @event.listens_for(engine, "commit")
    def count(_: Connection) -> None:
        commits.append(1)

    write_all(engine, jobs, 10, told)
    # 25 jobs in batches of 10 are three commits. Who stopped waiting before the batch began is not written.
    assert len(commits) == 3
    assert set(kept(engine)) == {str(number) for number in range(25)} - {"3"}


def test_a_deadlock_is_resolved_by_trying_again(postgres_url: str) -> None:
    migrate(postgres_url)
    engine = engine_of(postgres_url, writing=True, connections=2)
    write_batch(engine, [job_of(keep, name, "0") for name in "ab"], told)
    meeting = threading.Barrier(2)
    tries = {"ab": 0, "ba": 0}

    def both(connection: Connection, order: str) -> None:
        tries[order] += 1
        set_fact(connection, order[0], order)
        if tries[order] == 1:
            meeting.wait(20)
        set_fact(connection, order[1], order)
        record(connection, order, None, {}, 0.0)

    jobs = [job_of(both, order) for order in tries]
    threads = [threading.Thread(target=write_batch, args=(engine, [job], told)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [job.future.exception() for job in jobs] == [None, None]
    # Exactly one of the two was broken off by PostgreSQL and came again.
    assert sorted(tries.values())[0] == 1
    assert sum(tries.values()) >= 3
    assert kept(engine)["a"] == kept(engine)["b"]
    engine.dispose()
