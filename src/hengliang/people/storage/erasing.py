"""When are the bytes gone of somebody who withdrew?

A withdrawal deletes rows and overwrites their bytes (`secure_delete`). In SQLite older copies of them stand in the
write-ahead log until it has been written back and emptied, which is impossible while anybody reads an older state: an
export, a backup. So that is tried by a thread of its own, which waits for readers for a moment only, because writers
wait meanwhile, and tries again until it is done. Whose bytes are still to go is a fact in the database; when they have
gone, the log of events says so of each of them.
"""

from __future__ import annotations

import json
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing

from sqlalchemy import Connection

from hengliang.people.storage.engines import engine_of, sqlite_file
from hengliang.people.storage.events import record
from hengliang.people.storage.facts import fact, set_fact

FACT = "to_erase"
WAIT_SECONDS = 0.05
"""How long one try waits for readers; for so long nobody can write."""
PAUSE_SECONDS = 0.5
"""How long after a try in vain the next one comes."""
_log = logging.getLogger("hengliang.survey")


def to_erase(connection: Connection) -> tuple[str, ...]:
    """Return who withdrew and may still be read in the files of the database."""
    return tuple(json.loads(fact(connection, FACT) or "[]"))


def note_withdrawal(connection: Connection, id: str) -> None:
    """Remember that a withdrawal is to be erased from the files, too; PostgreSQL sees to that by itself."""
    if connection.dialect.name == "sqlite":
        set_fact(connection, FACT, json.dumps([*to_erase(connection), id]))


def try_to_erase(url: str) -> bool:
    """Write the log of an SQLite database back and empty it; false, when a reader is in the way."""
    address = f"{sqlite_file(url).absolute().as_uri()}?mode=rw"
    with closing(sqlite3.connect(address, uri=True, timeout=WAIT_SECONDS, isolation_level=None)) as held:
        # Who withdraws after this look is not among them, and comes next time.
        found = held.execute("SELECT value FROM facts WHERE name = ?", (FACT,)).fetchall()
        # Most is written back while others write; then little is left for which they have to wait.
        held.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        busy = held.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
    if busy:
        return False
    gone = tuple(json.loads(found[0][0])) if found else ()
    if gone:
        _note_erased(url, gone)
    return True


def _note_erased(url: str, gone: tuple[str, ...]) -> None:
    engine = engine_of(url, writing=True, pooled=False)
    try:
        with engine.connect() as connection, connection.begin():
            left = [id for id in to_erase(connection) if id not in gone]
            set_fact(connection, FACT, json.dumps(left))
            for id in gone:
                record(connection, "erased", id, {}, time.time())
    finally:
        engine.dispose()


class Eraser(threading.Thread):
    """Empties the log of an SQLite database beside its writer, whenever somebody withdrew, until it has succeeded."""

    def __init__(self, url: str) -> None:
        super().__init__(name="survey-erase", daemon=True)
        self.url = url
        self.asked: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()

    def ask(self, then: Callable[[], None]) -> None:
        """Ask for the log to be emptied; `then` is called after the first try, whether it succeeded or not."""
        self.asked.put(then)

    def stop(self) -> None:
        """Try a last time, and end."""
        self.asked.put(None)
        self.join()

    def run(self) -> None:
        """Try when it is asked for, and go on trying."""
        due = ended = False
        while not ended:
            waiting: list[Callable[[], None] | None] = []
            try:
                waiting.append(self.asked.get(timeout=PAUSE_SECONDS if due else None))
                while True:
                    waiting.append(self.asked.get_nowait())
            except queue.Empty:
                pass
            ended = None in waiting
            if due or any(then is not None for then in waiting):
                due = not self._tried()
            for then in waiting:
                if then is not None:
                    then()

    def _tried(self) -> bool:
        try:
            return try_to_erase(self.url)
        except Exception:
            # The database is away or the disk is full, or whatever it is: who withdrew must not wait for ever.
            _log.warning("The log of the database cannot be emptied at the moment.", exc_info=True)
            return False
