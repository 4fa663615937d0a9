"""What happens when so many simulated participants take part in a served survey?

`simulate` serves the survey from this process, invites simulated participants, and lets them play the real pages over
HTTP, some at a time. Their answers are kept apart from those of people by their kind. Afterwards what the server
acknowledged is compared with what the database holds.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from hengliang.core.progress import Silent, Watcher
from hengliang.people.bots.browser_bot import BrowserBot, chromium
from hengliang.people.bots.http_bot import Ending, HttpBot, Patience, Times
from hengliang.people.bots.http_client import Client
from hengliang.people.bots.ledger import Comparison, Ledger, compare, stored_answers
from hengliang.people.bots.response_model import ResponseModel
from hengliang.people.bots.simulated_rater import SimulatedRater
from hengliang.people.pages.serving import running
from hengliang.people.sessions.survey import Survey
from hengliang.people.storage.database import Database, database_url
from hengliang.people.storage.facts import bind_design
from hengliang.people.storage.invitations import invitation_of, invite
from hengliang.people.storage.migrating import migrate

CONCURRENCY = 50


@dataclass(frozen=True, slots=True)
class Target:
    """Where simulated participants go: the address of a server, and the token of an invitation."""

    url: str
    invitation: str


@dataclass(frozen=True, slots=True)
class Simulation:
    """What simulated participants did, and how quickly they were served."""

    endings: tuple[Ending, ...]
    ledger: Ledger
    times: Times
    seconds: float
    comparison: Comparison | None = None
    """What was acknowledged beside what is stored; nothing, where the database is out of reach."""

    @property
    def counts(self) -> Counter[Ending]:
        """How many ended how."""
        return Counter(self.endings)


def simulate(
    survey: Survey,
    *,
    participants: int,
    model: ResponseModel | None = None,
    seed: int = 1,
    concurrency: int = CONCURRENCY,
    patience: Patience | None = None,
    database: str | None = None,
    target: Target | None = None,
    browser: bool = False,
    watcher: Watcher | None = None,
) -> Simulation:
    """Let simulated participants take part, on a server of our own unless a target says where.

    The same seed and model give the same answers to the same stimuli by the same participant, however they overlap.
    They enter one after the other, so that a new database gives each the same list again. `database` is the address of
    the database, else it is the folder's own file. In a `browser` they take part one after the other.
    """
    crowd = Crowd(survey, model or ResponseModel(), seed, concurrency, patience or Patience(), watcher or Silent())
    play = crowd.play_in_browser if browser else crowd.play
    if target is None:
        with served(survey, database) as (opened, url):
            target = Target(url, opened.write(invite, "simulated", time.time(), label="simulated").result())
            return checked(play(target, participants), target, opened)
    played = play(target, participants)
    if database is None:
        return played
    with Database.open(database_url(survey.folder, database)) as opened:
        return checked(played, target, opened, ours=False)


@contextmanager
def served(survey: Survey, database: str | None = None) -> Iterator[tuple[Database, str]]:
    """Serve a survey on this machine while the block runs, and give its database and its address."""
    url = database_url(survey.folder, database)
    migrate(url)
    with Database.open(url, alone=True) as opened:
        opened.write(bind_design, survey.digest).result()
        with running(survey, opened) as server:
            yield opened, server.url


def checked(played: Simulation, target: Target, database: Database, *, ours: bool = True) -> Simulation:
    """Return the simulation with what the database holds of it.

    Nobody else came by an invitation of `ours`; by another one others may have come, whose answers are left out.
    """
    invitation = database.read(invitation_of, target.invitation).result()
    stored = database.read(stored_answers, invitation.id if invitation else "").result()
    if not ours:
        stored = stored.of_submissions({entry.submission for entry in played.ledger.entries})
    return replace(played, comparison=compare(played.ledger, stored))


@dataclass(frozen=True)
class Crowd:
    """Simulated participants, some of them at a time."""

    survey: Survey
    model: ResponseModel
    seed: int = 1
    concurrency: int = CONCURRENCY
    patience: Patience = field(default_factory=Patience)
    watcher: Watcher = field(default_factory=Silent)

    def play(self, target: Target, participants: int) -> Simulation:
        """Let so many take part, and return what they did."""
        return asyncio.run(self.playing(target, participants))

    def play_in_browser(self, target: Target, participants: int) -> Simulation:
        """Let so many take part in a real browser, one after the other."""
        ledger, times, endings = Ledger(), Times(), []
        begun = time.perf_counter()
        with chromium() as browser, self.watcher.watch("Simulated participants", participants) as steps:
            for number in range(participants):
                rater = SimulatedRater(self.model, self.seed, number)
                bot = BrowserBot(self.survey, *(target.url, target.invitation), rater, ledger, times, self.patience)
                endings.append(bot.play(browser))
                steps.advance()
        return Simulation(tuple(endings), ledger, times, time.perf_counter() - begun)

    async def playing(self, target: Target, participants: int) -> Simulation:
        """Let so many take part, within a running event loop."""
        ledger, times = Ledger(), Times()
        room, door = asyncio.Semaphore(self.concurrency), asyncio.Lock()
        begun = time.perf_counter()
        with self.watcher.watch("Simulated participants", participants) as steps:

            async def one(number: int) -> Ending:
                rater = SimulatedRater(self.model, self.seed, number)
                bot = HttpBot(self.survey, *(target.url, target.invitation), rater, ledger, times, self.patience)
                client = Client(target.url, self.patience.timeout)
                # Locks and semaphores of asyncio serve in the order of arrival, which is the order of numbers.
                async with room:
                    async with door:
                        entered = await bot.enter(client)
                    ending: Ending = await bot.answer(client) if entered else "refused"
                    await client.close()
                steps.advance()
                return ending

            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(number)) for number in range(participants)]
        return Simulation(tuple(task.result() for task in tasks), ledger, times, time.perf_counter() - begun)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below or at which this share lies; of nothing, nothing is known.

    >>> quantile([3.0, 1.0, 2.0], 0.5)
    2.0
    """
    if not values:
        return float("nan")
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]
