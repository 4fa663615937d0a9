"""Is what was acknowledged there, also after the server or the database died?"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Connection, func, insert, select

from hengliang import UserError
from hengliang.people.storage import tables
from hengliang.people.storage.database import Database, DatabaseAway, database_url
from hengliang.people.storage.facts import fact, set_fact
from hengliang.people.storage.migrating import migrate
from tests import ROOT
from tests.people.postgres_server import PostgresServer


def keep(connection: Connection, name: str) -> str:
    connection.execute(insert(tables.facts), {"name": name, "value": "x"})
    return name


def names(connection: Connection) -> set[str]:
    return set(connection.execute(select(tables.facts.c.name)).scalars())


def test_many_threads_write_and_read_at_once(database: Database) -> None:
    def one(number: int) -> bool:
        name = database.write(keep, str(number)).result()
        # Who was told may rely on it at once.
        return database.read(fact, name).result() == "x"

    with ThreadPoolExecutor(30) as pool:
        assert all(pool.map(one, range(300)))
    assert database.read(names).result() == {str(number) for number in range(300)}


def test_an_event_loop_can_wait_for_it(database: Database) -> None:
    async def many() -> list[str]:
        await asyncio.gather(*(database.writing(set_fact, str(number), value="y") for number in range(40)))
        return [str(await database.reading(fact, name)) for name in ("0", "39")]

    assert asyncio.run(many()) == ["y", "y"]


def test_what_waits_is_written_before_closing(url: str) -> None:
    migrate(url)
    database = Database.open(url)
    futures = [database.write(keep, str(number)) for number in range(200)]
    database.close()
    database.close()
    assert all(future.done() and future.exception() is None for future in futures)
    for call in (database.read, database.write):
        with pytest.raises(DatabaseAway, match="has been closed"):
            call(fact, "0")
    with Database.open(url) as again:
        assert len(again.read(names).result()) == 200


def test_one_process_serves_a_file_and_others_may_look(tmp_path: Path) -> None:
    url = database_url(tmp_path)
    migrate(url)
    with Database.open(url, alone=True) as serving:
        with pytest.raises(UserError, match="Another process serves"):
            Database.open(url, alone=True)
        with Database.open(url) as beside:
            beside.write(keep, "command").result()
        assert serving.read(names).result() == {"command"}
    with Database.open(url, alone=True) as next_one:
        assert next_one.read(names).result() == {"command"}


def test_a_file_is_one_file_by_whatever_link(tmp_path: Path) -> None:
    url = database_url(tmp_path / "survey")
    migrate(url)
    (tmp_path / "folder").symlink_to(tmp_path / "survey")
    (tmp_path / "link.sqlite").symlink_to(tmp_path / "survey" / "survey.sqlite")
    with Database.open(f"sqlite:///{tmp_path}/link.sqlite", alone=True):
        for other in (url, f"sqlite:///{tmp_path}/folder/survey.sqlite"):
            with pytest.raises(UserError, match="Another process serves"):
                Database.open(other, alone=True)


def test_several_servers_may_share_a_postgresql_database(postgres_url: str) -> None:
    migrate(postgres_url)
    with Database.open(postgres_url, alone=True) as one, Database.open(postgres_url, alone=True) as other:
        one.write(keep, "a").result()
        assert other.read(names).result() == {"a"}


WRITER = """
import sys
from hengliang.people.storage.database import Database
from tests.people.storage.test_database import keep

database = Database.open(sys.argv[1], alone=True)
number = 0
while True:
    futures = [database.write(keep, f"{sys.argv[2]}-{number + each}") for each in range(7)]
    for each in futures:
        print(each.result(), flush=True)
    number += 7
"""


def test_a_killed_server_loses_nothing_that_it_acknowledged(url: str) -> None:
    migrate(url)
    acknowledged: set[str] = set()
    for run in range(2):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, url, str(run)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert writer.stdout is not None
        first = writer.stdout.readline()
        time.sleep(0.1 * (run + 1))
        writer.send_signal(signal.SIGKILL)
        rest = writer.stdout.read()
        writer.wait()
        # A last line that was cut off was not acknowledged whole.
        lines = (first + rest).split("\n")[:-1]
        assert lines
        acknowledged.update(lines)
    with Database.open(url, alone=True) as database:
        stored = database.read(names).result()
    assert acknowledged <= stored
    # What was being written when the kill came: at most one batch of seven a run, kept or not.
    assert len(stored - acknowledged) <= 2 * 7


def test_a_killed_postgresql_loses_nothing_that_it_acknowledged(own_postgres_server: PostgresServer) -> None:
    url = own_postgres_server.new_database()
    migrate(url)
    acknowledged: set[str] = set()
    failed: list[BaseException] = []
    over = threading.Event()
    with Database.open(url) as database:

        def write_on(writer: int) -> None:
            number = 0
            while not over.is_set():
                name = f"{writer}-{number}"
                try:
                    acknowledged.add(database.write(keep, name).result())
                    number += 1
                except DatabaseAway as error:
                    failed.append(error)
                    number += 1
                    time.sleep(0.02)

        threads = [threading.Thread(target=write_on, args=(writer,)) for writer in range(8)]
        for thread in threads:
            thread.start()
        time.sleep(0.4)
        own_postgres_server.kill()
        before = len(acknowledged)
        with pytest.raises(DatabaseAway, match="does not answer"):
            database.read(names).result()
        own_postgres_server.start()
        until = time.monotonic() + 20
        while len(acknowledged) < before + 20 and time.monotonic() < until:
            time.sleep(0.02)
        over.set()
        for thread in threads:
            thread.join()
        assert failed
        assert len(acknowledged) >= before + 20
        assert acknowledged <= database.read(names).result()


def test_a_postgresql_server_that_does_not_flush_is_refused(own_postgres_server: PostgresServer) -> None:
    url = own_postgres_server.new_database()
    migrate(url)
    own_postgres_server.stop()
    own_postgres_server.start(fsync="off")
    with pytest.raises(UserError, match="runs with fsync = off"):
        Database.open(url)


def test_a_full_disk_fails_the_write_and_the_next_one_succeeds(tmp_path: Path) -> None:
    url = database_url(tmp_path)
    migrate(url)
    with Database.open(url) as database:
        database.write(keep, "before").result()

        def fill(connection: Connection) -> None:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 2}")
            set_fact(connection, "large", "x" * 1_000_000)

        def free(connection: Connection) -> None:
            connection.exec_driver_sql("PRAGMA max_page_count = 1000000")

        with pytest.raises(DatabaseAway, match="database or disk is full"):
            database.write(fill).result()
        database.write(free).result()
        database.write(keep, "after").result()
        assert database.read(names).result() == {"before", "after"}


def count(connection: Connection) -> int:
    return connection.execute(select(func.count()).select_from(tables.facts)).scalar_one()


def test_a_reader_sees_whole_commits_only(database: Database) -> None:
    def pair(connection: Connection, number: int) -> None:
        keep(connection, f"{number}-a")
        keep(connection, f"{number}-b")

    futures = [database.write(pair, number) for number in range(100)]
    seen = [database.read(count).result() for _ in range(50)]
    assert all(number % 2 == 0 for number in seen)
    for future in futures:
        future.result()
    assert database.read(count).result() == 200
