"""Is the file of an SQLite database whole, and is the log beside it its own?

Answers must not be taken into a database that loses or mixes them, so a survey begins to be served only when SQLite
finds nothing wrong. A write-ahead log belongs to the very file it was written for, and SQLite cannot tell when another
one has been put in its place: it reads the old log into the new file. A backup of ours keeps no such log and says so in
its first bytes, so a backup that was copied over a database is known by the log that should not be there.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from hengliang.core.errors import file_errors
from hengliang.people.storage.engines import RESTORE, DatabaseAway

_MAGIC = b"SQLite format 3\0"
_WITHOUT_LOG = b"\x01\x01"
"""What stands in bytes 18 and 19 of a file that keeps no write-ahead log."""


def check_log(file: Path) -> None:
    """Refuse a file beside which the write-ahead log of another one lies; nothing has been read from either."""
    log = file.with_name(f"{file.name}-wal")
    with file_errors(file, "read"):
        if not file.exists() or not log.exists() or not log.stat().st_size:
            return
        with file.open("rb") as stream:
            first = stream.read(20)
    if first[:16] == _MAGIC and first[18:20] == _WITHOUT_LOG:
        raise DatabaseAway(
            f"{log} is the log of another file than {file}: a backup was copied over the database.",
            remedy=RESTORE,
        )


def check_sound(file: Path) -> None:
    """Refuse an SQLite file that is damaged, with the first thing that is wrong with it."""
    check_log(file)
    fault = fault_of(file)
    if fault:
        raise DatabaseAway(f"The database {file} is damaged: {fault}.", remedy=RESTORE)


def fault_of(file: Path) -> str:
    """Return the first thing that is wrong with an SQLite file, or nothing."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True, timeout=20)) as held:
            found = str(held.execute("PRAGMA integrity_check(1)").fetchone()[0])
            if found != "ok":
                return found.removeprefix("*** in database main ***").strip().rstrip(".")
            lost = held.execute("PRAGMA foreign_key_check").fetchone()
            return "" if lost is None else f"a row of '{lost[0]}' belongs to a row of '{lost[2]}' that is not there"
    except sqlite3.OperationalError as error:
        # Locked, or the disk cannot be read: that is not in the file.
        raise DatabaseAway(f"The database {file} does not answer: {error}.", remedy="Try again.") from error
    except sqlite3.DatabaseError as error:
        return str(error)
