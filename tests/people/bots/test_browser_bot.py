"""Does a bot with a real Chromium play every task, and does the database hold what its browser sent?"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="the extra 'survey' is not installed")

from hengliang.people.bots.browser_bot import BrowserBot
from hengliang.people.bots.ledger import Ledger, compare, stored_answers
from hengliang.people.bots.response_model import ResponseModel
from hengliang.people.bots.simulated_rater import SimulatedRater
from hengliang.people.bots.simulating import served
from hengliang.people.storage.invitations import invitation_of, invite
from tests.people.bots.task_surveys import task_survey

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


# The others have no script of their own; over HTTP all are played.
@pytest.mark.parametrize("task", ["likert", "slider", "reconstruction", "speeded"])
def test_a_task_in_chromium(task: str, tmp_path: Path, browser: Browser) -> None:
    survey = task_survey(tmp_path / "s", task)
    model = ResponseModel(not_understood=0.2, comments=0.4, reaction=0.3)
    with served(survey) as (database, url):
        token = database.write(invite, "simulated", time.time()).result()
        bot = BrowserBot(survey, url, token, SimulatedRater(model, 4, 2), Ledger())
        assert bot.play(browser) == "finished"
        invitation = database.read(invitation_of, token).result()
        assert invitation is not None
        compared = compare(bot.ledger, database.read(stored_answers, invitation.id).result())
    assert compared.equal and compared.stored == 5 * len(survey.task.scales())
    # Demographics, instructions and five presentations.
    assert len(bot.times.submits) == 7


def test_who_is_not_invited_or_leaves(tmp_path: Path, browser: Browser) -> None:
    survey = task_survey(tmp_path / "s", "likert")
    with served(survey) as (database, url):
        token = database.write(invite, "simulated", time.time()).result()
        nobody = BrowserBot(survey, url, "no-invitation", SimulatedRater(ResponseModel(), 4, 1), Ledger())
        assert nobody.play(browser) == "refused"
        leaver = BrowserBot(survey, url, token, SimulatedRater(ResponseModel(drop_out=1.0), 4, 1), Ledger())
        assert leaver.play(browser) == "left" and leaver.ledger.entries == []
