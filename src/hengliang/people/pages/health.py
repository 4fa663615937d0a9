"""Could an answer be kept at this moment?

What a participant's page needs is tried: something is written, and it has to reach the disk. A disk with little space
left is told before it is full. Anybody may ask, so the result is remembered for some seconds: asking costs nothing.
"""

from __future__ import annotations

import asyncio
import logging
import shutil

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from hengliang.people.storage.database import Database, DatabaseAway
from hengliang.people.storage.engines import is_sqlite, sqlite_file
from hengliang.people.storage.facts import set_fact, settled

REMEMBERED_SECONDS = 5.0
LEAST_FREE = 64 * 2**20
"""How many bytes have to be free on the disk of an SQLite file: enough for tens of thousands of answers."""
SIGN = "health"
"""The fact that is written."""
_log = logging.getLogger("hengliang.survey")


class Health:
    """Tries whether answers can be kept, at most once in some seconds."""

    def __init__(self, database: Database, least_free: int = LEAST_FREE) -> None:
        self.database = database
        self.least_free = least_free
        self._tried_at: float | None = None
        self._fault = ""
        self._trying = asyncio.Lock()

    async def fault(self, now: float, steady: float) -> str:
        """Return why answers cannot be kept, or nothing; `now` is the time of day, `steady` the one for measuring."""
        async with self._trying:
            if self._tried_at is None or steady - self._tried_at >= REMEMBERED_SECONDS:
                self._fault, self._tried_at = await self._try(now), steady
            return self._fault

    async def _try(self, now: float) -> str:
        try:
            await self.database.writing(_sign, repr(now))
            if is_sqlite(self.database.url):
                folder = sqlite_file(self.database.url).resolve().parent
                if shutil.disk_usage(folder).free < self.least_free:
                    return f"disk space: fewer than {self.least_free:,} bytes are free"
        except (DatabaseAway, SQLAlchemyError, OSError) as error:
            # What is wrong may name a path or a host: that is for whoever runs the survey, in the log of faults.
            _log.error("Answers cannot be kept: %s", error)
            return "database: nothing can be written"
        return ""


def _sign(connection: Connection, value: str) -> None:
    # Two servers on one PostgreSQL database may begin at once.
    settled(connection, SIGN, value)
    set_fact(connection, SIGN, value)
