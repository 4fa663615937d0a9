"""A real PostgreSQL server in a folder of its own, which tests start, stop and kill."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import psutil
import psycopg
from sqlalchemy.engine import URL

USER = "survey"
_numbers = itertools.count(1)


def programs() -> Path | None:
    """Return the folder with initdb and postgres: the newest one of Debian, else where the PATH finds them."""
    folders = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    newest = max(folders, key=_version, default=None)
    on_path = shutil.which("initdb")
    return newest or (Path(on_path).resolve().parent if on_path else None)


def _version(folder: Path) -> int:
    return int(folder.parent.name) if folder.parent.name.isdigit() else 0


def owner() -> str | None:
    """Return as whom the server runs: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    return None


def _lives(process: psutil.Process) -> bool:
    """Return whether a process can still do something; a dead one that nobody has buried yet cannot."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


@dataclass
class PostgresServer:
    """A server that listens on a socket file only, and flushes every commit to the disk, as one in earnest does."""

    folder: Path
    programs: Path
    process: subprocess.Popen[bytes] | None = None

    @classmethod
    def create(cls) -> Self:
        """Make the server's files, and start it."""
        found = programs()
        if found is None:
            raise FileNotFoundError("PostgreSQL is not installed: apt-get install postgresql")
        # The path of a socket file must be short, so it lies directly under the temporary folder.
        folder = Path(tempfile.mkdtemp(prefix="pg-"))
        name = owner()
        if name is not None:
            shutil.chown(folder, name)
        server = cls(folder, found)
        server._run("initdb", "--auth=trust", f"--username={USER}", "--encoding=UTF8", "--no-locale", "--no-sync")
        server.start()
        return server

    @property
    def data(self) -> Path:
        """Where the server keeps its files."""
        return self.folder / "data"

    def url(self, database: str = "postgres") -> str:
        """Return the address of one of its databases."""
        return URL.create(
            "postgresql", username=USER, database=database, query={"host": str(self.folder)}
        ).render_as_string()

    def new_database(self) -> str:
        """Return the address of a new empty database."""
        name = f"survey_{next(_numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def database(self, name: str) -> str:
        """Return the address of the database of this name, which is made when it is asked for first."""
        if not self.execute(f"SELECT 1 FROM pg_database WHERE datname = '{name}'"):
            self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def empty_database(self, name: str = "shared") -> str:
        """Return the address of a database that is empty, though not new, which takes less time."""
        url = self.database(name)
        self.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
        self.execute(f"ALTER DATABASE {name} RESET ALL")
        self.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public", name)
        return url

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Run a statement outside a transaction, and return the rows that it gives."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def start(self, seconds: float = 60.0, *, fsync: str = "on") -> None:
        """Start the server, or start it again, and wait until it answers; after a kill it recovers first."""
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.folder),
            "max_connections": "100",
            "shared_buffers": "32MB",
            "fsync": fsync,
            "synchronous_commit": "on",
            "log_min_messages": "fatal",
        }
        options = [f"-c{name}={value}" for name, value in settings.items()]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [str(self.programs / "postgres"), "-D", str(self.data), *options],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                user=owner(),
                group=None if owner() is None else pwd.getpwnam(str(owner())).pw_gid,
                start_new_session=True,
            )
        self._wait_until_it_answers(self.process, seconds)

    def kill(self) -> None:
        """Kill the postmaster at once, as a power cut would, and wait until all its children are gone too."""
        if self.process is None:
            return
        # Stopped first, so that no new backend is born while we look. Backends die as well: one that is in the middle
        # of something would otherwise finish it before it notices that it is an orphan.
        self.process.send_signal(signal.SIGSTOP)
        children = psutil.Process(self.process.pid).children(recursive=True)
        self.process.kill()
        self.process.wait()
        self.process = None
        for child in children:
            with suppress(psutil.NoSuchProcess):
                child.kill()
        until = time.monotonic() + 30
        while any(_lives(child) for child in children):
            if time.monotonic() > until:
                raise TimeoutError("Processes of a killed PostgreSQL do not end.")
            time.sleep(0.005)

    def stop(self) -> None:
        """Stop the server in good order; who is connected is cut off."""
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(60)
            self.process = None

    def remove(self) -> None:
        """Stop the server and delete its files."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self.programs / program), "-D", str(self.data), *arguments],
            check=True,
            capture_output=True,
            cwd=self.folder,
            user=owner(),
            group=None if owner() is None else pwd.getpwnam(str(owner())).pw_gid,
        )

    def _wait_until_it_answers(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        until = time.monotonic() + seconds
        while True:
            try:
                self.execute("SELECT 1")
                return
            except psycopg.OperationalError:
                if process.poll() is not None or time.monotonic() > until:
                    said = (self.folder / "log").read_text(errors="replace")[-2000:]
                    raise RuntimeError(f"PostgreSQL did not start:\n{said}") from None
                time.sleep(0.05)
