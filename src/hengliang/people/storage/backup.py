"""How is a copy made of a survey's database while people answer?"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from hengliang.core.errors import Failure, UserError, file_errors
from hengliang.people.storage.engines import full_url, is_sqlite, said, sqlite_file
from hengliang.people.storage.migrating import check_revision

SECONDS = 3600
"""How long pg_dump may take."""


def back_up(url: str, target: Path) -> None:
    """Write a copy as of one moment: an SQLite file, or what `pg_dump` writes in its custom format.

    The copy is whole or not there. It holds what the database held: answers that somebody withdraws later stay in it.
    """
    if target.exists():
        raise UserError(f"{target} exists already.", remedy="Name a new file for each copy.")
    check_revision(url)
    with _whole(target) as beside:
        if is_sqlite(url):
            _copy_sqlite(sqlite_file(url), beside)
        else:
            _dump_postgres(url, beside)


@contextmanager
def _whole(target: Path) -> Iterator[Path]:
    """Give a private file beside the target, which takes its name when the block ends well."""
    with file_errors(target, "write"):
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
        try:
            beside = folder / "copy"
            yield beside
            # Personal data: for the owner alone, as the folder it was made in.
            beside.chmod(0o600)
            flush(beside)
            beside.rename(target)
            flush(target.parent)
        finally:
            with suppress(OSError):
                shutil.rmtree(folder)


def flush(path: Path) -> None:
    """Have the system write a file or a folder to the disk before we go on."""
    if os.name == "nt" and path.is_dir():  # Windows keeps the names of a folder without being asked, and opens none
        return
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _copy_sqlite(file: Path, beside: Path) -> None:
    try:
        with closing(sqlite3.connect(file, timeout=20)) as source, closing(sqlite3.connect(beside)) as copy:
            # All pages in one step: one moment, and with a write-ahead log nobody has to wait for us.
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            sound = copy.execute("PRAGMA quick_check").fetchone()[0]
    except sqlite3.Error as error:
        raise Failure(f"Cannot copy {file}: {error}.") from error
    if sound != "ok":
        raise Failure(f"The copy of {file} is damaged: {sound}.", remedy="Check the disk.")


def _dump_postgres(url: str, beside: Path) -> None:
    parts = full_url(url)
    program = shutil.which("pg_dump") or _newest_installed()
    if program is None:
        raise UserError(
            f"A copy of {said(url)} needs pg_dump, which is not there.", remedy="apt-get install postgresql-client"
        )
    # Not in the arguments, which every user of the machine can see.
    environment = {**os.environ, **({"PGPASSWORD": str(parts.password)} if parts.password else {})}
    address = parts.set(drivername="postgresql", password=None).render_as_string(hide_password=False)
    done = subprocess.run(
        [program, "--format=custom", f"--file={beside}", f"--dbname={address}"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode:
        said_by_it = done.stderr.strip().splitlines()
        raise Failure(f"pg_dump could not copy {said(url)}: {said_by_it[-1] if said_by_it else done.returncode}.")


def _newest_installed() -> str | None:
    """Return the newest pg_dump where Debian puts it."""
    found = Path("/usr/lib/postgresql").glob("*/bin/pg_dump")
    return max((str(path) for path in found), default=None, key=_version)


def _version(path: str) -> int:
    number = Path(path).parents[1].name
    return int(number) if number.isdigit() else 0
