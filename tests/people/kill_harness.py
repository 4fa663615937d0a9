"""What is lost when a survey's server, or its database, is killed while participants answer?

Simulated participants answer over HTTP and send again what was not acknowledged. When the ledger has reached certain
numbers of answers, drawn with a seed, the server process (or PostgreSQL) is killed with SIGKILL some milliseconds later
and started again. Afterwards three books must agree: what was acknowledged, what is stored, and what is exported.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import polars as pl

from hengliang.people.bots.http_bot import Ending, HttpBot, Patience, Times
from hengliang.people.bots.ledger import LEDGER_SCHEMA, Comparison, Ledger, compare, stored_answers
from hengliang.people.bots.response_model import ResponseModel
from hengliang.people.bots.simulated_rater import SimulatedRater
from hengliang.people.collected.export import export
from hengliang.people.sessions.survey import Survey
from hengliang.people.storage.database import Database, database_url
from hengliang.people.storage.facts import bind_design
from hengliang.people.storage.invitations import invitation_of, invite
from hengliang.people.storage.migrating import migrate
from hengliang.people.storage.progress import progress

MODEL = ResponseModel(not_understood=0.05, comments=0.05)


class Killable(Protocol):
    """Something that runs, can be killed at once, and can be started again."""

    def kill(self) -> None:
        """Kill it with SIGKILL."""

    def start(self) -> None:
        """Start it again, and wait until it answers."""


@dataclass
class ServerProcess:
    """`hengliang survey serve` in a process of its own."""

    folder: Path
    database: str
    port: int
    log: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def start(self, seconds: float = 60.0) -> None:
        """Start the server and wait until it answers."""
        command = [
            sys.executable,
            "-c",
            "from hengliang.cli.main import main; main()",
            "survey",
            "serve",
            str(self.folder),
        ]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "--port", str(self.port), "--database", self.database],
                stdout=log,
                stderr=log,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
        until = time.monotonic() + seconds
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"The server did not start:\n{self.log.read_text(errors='replace')[-3000:]}")
            time.sleep(0.02)

    def kill(self) -> None:
        """Kill the server at once."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def stop(self) -> None:
        """Stop the server in good order."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(60)
            self.process = None

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False


def free_port() -> int:
    """Return a port on which nobody listens; a server that is killed must come back on the same one."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


@dataclass(frozen=True, slots=True)
class KillReport:
    """What became of the answers."""

    participants: int
    kills: int
    seconds: float
    comparison: Comparison
    exported_equal: bool
    exported: int
    finished: dict[str, int]
    """Finished participants by list."""
    registered: int
    """Participants in the database; more than there are bots, if a consent was counted twice."""
    retries: int
    kill_moments: tuple[int, ...] = ()
    """How many answers were acknowledged at each kill."""

    @property
    def clean(self) -> bool:
        """Whether nothing was lost, invented or doubled, and the lists are balanced."""
        even = max(self.finished.values()) - min(self.finished.values()) <= 1
        whole = sum(self.finished.values()) == self.registered == self.participants
        return self.comparison.equal and self.exported_equal and even and whole


@dataclass
class KillHarness:
    """One survey, one server process, and something that is killed while participants answer."""

    survey: Survey
    database: str
    participants: int
    kills: int
    seed: int = 1
    think: float = 0.0
    arrivals: float = 0.0
    """Over how many seconds participants arrive, so that some agree while a server is being killed."""
    victim: Killable | None = None
    """What is killed; the server process, unless said."""
    tell: Callable[[str], None] = field(default=lambda message: None)

    def run(self) -> KillReport:
        """Let participants answer, kill and restart, and compare the books."""
        migrate(self.database)
        with Database.open(self.database) as opened:
            opened.write(bind_design, self.survey.digest).result()
            token = opened.write(invite, "simulated", time.time()).result()
        log = self.survey.folder / "server.log"
        server = ServerProcess(self.survey.folder, self.database, free_port(), log)
        server.start()
        try:
            begun = time.perf_counter()
            ledger, times, moments = asyncio.run(self._answering(server, token))
            seconds = time.perf_counter() - begun
        finally:
            server.stop()
        return self._report(token, ledger, times, moments, seconds)

    async def _answering(self, server: ServerProcess, token: str) -> tuple[Ledger, Times, list[int]]:
        ledger, times = Ledger(), Times()
        moments: list[int] = []
        patience = Patience(think=self.think, away=120.0)
        bots = [
            HttpBot(self.survey, server.url, token, SimulatedRater(MODEL, self.seed, number), ledger, times, patience)
            for number in range(self.participants)
        ]
        drawn = random.Random(f"arrivals {self.seed}")

        async def arriving(bot: HttpBot) -> Ending:
            await asyncio.sleep(drawn.uniform(0, self.arrivals))
            return await bot.play()

        async with asyncio.TaskGroup() as group:
            playing = [group.create_task(arriving(bot)) for bot in bots]
            group.create_task(self._killing(self.victim or server, ledger, moments))
        endings = [task.result() for task in playing]
        if set(endings) != {"finished"}:
            raise AssertionError(f"Not all finished: {endings}")
        return ledger, times, moments

    async def _killing(self, victim: Killable, ledger: Ledger, moments: list[int]) -> None:
        """Kill when the ledger has reached numbers drawn at random, each some milliseconds later; then start again."""
        drawn = random.Random(self.seed)
        answers = self._expected()
        marks = sorted(drawn.sample(range(1, int(0.9 * answers)), self.kills))
        for mark in marks:
            while len(ledger.entries) < mark:
                await asyncio.sleep(0.001)
            await asyncio.sleep(drawn.uniform(0, 0.03))
            moments.append(len(ledger.entries))
            await asyncio.to_thread(victim.kill)
            await asyncio.to_thread(victim.start)
            self.tell(f"kill {len(moments)} of {self.kills} after {moments[-1]} answers")

    def _expected(self) -> int:
        """Return about how many answers there will be."""
        sizes = [len(rows) for rows in self.survey.lists.values()]
        return self.participants * sum(sizes) // len(sizes) * len(self.survey.task.scales())

    def _report(self, token: str, ledger: Ledger, times: Times, moments: list[int], seconds: float) -> KillReport:
        with Database.open(self.database) as opened:
            invitation = opened.read(invitation_of, token).result()
            stored = opened.read(stored_answers, invitation.id if invitation else "").result()
            lists = opened.read(progress, "simulated", time.time()).result()
        target = self.survey.folder / "exported"
        held = export(self.survey, target, ("parquet",), kind="simulated", database_url=self.database).collected
        keys = [name for name in LEDGER_SCHEMA if name != "bot"]
        ours = ledger.frame().select(keys).sort(keys)
        theirs = held.answers.select([pl.col(name).cast(LEDGER_SCHEMA[name]) for name in keys]).sort(keys)
        written = pl.read_parquet(target / "answers.parquet").height
        return KillReport(
            participants=self.participants,
            kills=len(moments),
            seconds=seconds,
            comparison=compare(ledger, stored),
            exported_equal=ours.equals(theirs) and written == ours.height,
            exported=written,
            finished={each.version: each.finished for each in lists},
            registered=sum(each.finished + each.active + each.expired for each in lists),
            retries=times.retries,
            kill_moments=tuple(moments),
        )


def sqlite_url(survey: Survey) -> str:
    """Return the address of the database in the survey's folder."""
    return database_url(survey.folder)
