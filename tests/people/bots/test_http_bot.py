"""Does a bot go through all pages, and send again what was lost on the way, so that it counts once?"""

from __future__ import annotations

import asyncio
import random
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("starlette", reason="the extra 'survey' is not installed")

from hengliang.core import Failure
from hengliang.people.bots.http_bot import HttpBot, Patience, Times, consent_address
from hengliang.people.bots.ledger import Ledger, compare, stored_answers
from hengliang.people.bots.response_model import ResponseModel
from hengliang.people.bots.simulated_rater import SimulatedRater
from hengliang.people.bots.simulating import served
from hengliang.people.sessions.survey import Survey
from hengliang.people.storage.database import Database
from hengliang.people.storage.invitations import invitation_of, invite
from tests.people.survey_folder import small_survey


class BadLine:
    """A connection to the server that breaks off: before a request arrives, or after, when the answer is on its way."""

    def __init__(self, url: str, share: float) -> None:
        self.port = urlsplit(url).port
        self.share = share
        self.drawn = random.Random(1)
        self.broken = 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            while request := await reader.read(1 << 16):
                if self._breaks():
                    break
                back.write(request)
                answer = await there.read(1 << 16)
                if self._breaks():
                    break
                writer.write(answer)
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            back.close()

    def _breaks(self) -> bool:
        broken = self.drawn.random() < self.share
        self.broken += broken
        return broken


def bot(survey: Survey, url: str, token: str, number: int = 0, **options: object) -> HttpBot:
    rater = SimulatedRater(options.pop("model", ResponseModel()), 3, number)  # type: ignore[arg-type]
    return HttpBot(survey, url, token, rater, Ledger(), **options)  # type: ignore[arg-type]


def check(database: Database, token: str, ledger: Ledger) -> None:
    invitation = database.read(invitation_of, token).result()
    assert invitation is not None
    assert compare(ledger, database.read(stored_answers, invitation.id).result()).equal


def test_from_the_invitation_to_the_end(tmp_path: Path) -> None:
    survey = small_survey(tmp_path / "s", practice=True, pause_every=2)
    with served(survey) as (database, url):
        token = database.write(invite, "simulated", time.time()).result()
        one = bot(survey, url, token)
        assert asyncio.run(one.play()) == "finished"
        check(database, token, one.ledger)
    # Two sentences with two variants and a practice item on a list, two scales each.
    assert len(one.ledger.entries) == 5 * 2 and len({entry.submission for entry in one.ledger.entries}) == 5
    # Demographics, instructions, 5 items, the end of practice, one pause after two of four.
    assert len(one.times.submits) == len(one.times.turns) == 9
    assert all(submit <= turn for submit, turn in zip(one.times.submits, one.times.turns, strict=True))


def test_answers_arrive_once_over_a_line_that_breaks(tmp_path: Path) -> None:
    survey = small_survey(tmp_path / "s")
    ledger, times = Ledger(), Times()

    async def over_a_bad_line(url: str, token: str) -> BadLine:
        line = BadLine(url, 0.15)
        proxy = await asyncio.start_server(line, "127.0.0.1", 0)
        there = f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}"
        raters = [SimulatedRater(ResponseModel(), 3, number) for number in range(6)]
        bots = [HttpBot(survey, there, token, rater, ledger, times) for rater in raters]
        assert set(await asyncio.gather(*(each.play() for each in bots))) == {"finished"}
        proxy.close()
        return line

    with served(survey) as (database, url):
        token = database.write(invite, "simulated", time.time()).result()
        line = asyncio.run(over_a_bad_line(url, token))
        check(database, token, ledger)
    assert len(ledger.entries) == 6 * 4 * 2 and times.retries > 5 and line.broken >= times.retries


def test_leaving_stopping_and_being_refused(tmp_path: Path) -> None:
    survey = small_survey(tmp_path / "s")
    with served(survey) as (database, url):
        token = database.write(invite, "simulated", time.time(), uses=2).result()
        leaver = bot(survey, url, token, model=ResponseModel(drop_out=1.0))
        assert asyncio.run(leaver.play()) == "left" and leaver.ledger.entries == []
        stopped = bot(survey, url, token, 1, until=time.monotonic())
        assert asyncio.run(stopped.play()) == "stopped"
        assert asyncio.run(bot(survey, url, token, 2).play()) == "refused"
        assert asyncio.run(bot(survey, url, "no-invitation", 3).play()) == "refused"


def test_thinking_takes_the_stated_time_on_average(tmp_path: Path) -> None:
    survey = small_survey(tmp_path / "s")
    with served(survey) as (database, url):
        token = database.write(invite, "simulated", time.time()).result()
        begun = time.perf_counter()
        thinker = bot(survey, url, token, patience=Patience(think=0.05))
        assert asyncio.run(thinker.play()) == "finished"
    # 6 pages at 0.05 s: drawn with a fixed seed, their sum is somewhere between a tenth of that and three times that.
    assert 0.03 < time.perf_counter() - begun - sum(thinker.times.turns) < 1.5


def test_a_server_that_never_comes_back_is_given_up(tmp_path: Path) -> None:
    lost = bot(small_survey(tmp_path / "s"), "http://127.0.0.1:9", "token", patience=Patience(away=0.2))
    with pytest.raises(Failure, match="does not come back"):
        asyncio.run(lost.play())
    assert lost.times.retries > 0


def test_the_choice_of_a_language() -> None:
    links = '<a href="/x">x</a><a class="b" href="/consent?language=zh&amp;invitation=t">中文</a>'
    assert consent_address(links, "zh") == "/consent?language=zh&invitation=t"
    assert consent_address(links, "en") is None
    form = '<form action="/consent"><input type="hidden" name="invitation" value="t"></form>'
    assert consent_address(form, "en") == "/consent?invitation=t&language=en"
