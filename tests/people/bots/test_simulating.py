"""Do simulated participants play every task, give the same answers again, and leave nothing unexplained?"""

from __future__ import annotations

import time
from pathlib import Path

import polars as pl
import pytest

pytest.importorskip("starlette", reason="the extra 'survey' is not installed")

from hengliang.people.bots.http_bot import Patience
from hengliang.people.bots.response_model import ResponseModel
from hengliang.people.bots.simulating import Target, quantile, served, simulate
from hengliang.people.collected.reading import collected_experiment
from hengliang.people.storage.invitations import invite
from tests.people.bots.task_surveys import PARAMETERS, task_survey
from tests.people.survey_folder import small_survey


@pytest.mark.parametrize("task", PARAMETERS)
def test_every_task_is_played(task: str, tmp_path: Path) -> None:
    survey = task_survey(tmp_path / "s", task, demographics=())
    played = simulate(survey, participants=4, model=ResponseModel(not_understood=0.2, comments=0.2))
    assert played.counts == {"finished": 4}
    # Five presentations (three targets, a catch item, a repetition), each on every scale of the task.
    answers = 4 * 5 * len(survey.task.scales())
    comparison = played.comparison
    assert comparison is not None and comparison.equal and comparison.stored == answers
    assert {entry.occurrence for entry in played.ledger.entries} == {1, 2}
    held = collected_experiment(survey.folder, kind="simulated")
    assert held.simulated and held.answers.height == answers


def test_statements_on_pages_of_their_own(tmp_path: Path) -> None:
    survey = task_survey(tmp_path / "s", "likert", {"pages": "separate counterbalanced"}, demographics=())
    played = simulate(survey, participants=2, model=ResponseModel(not_understood=0.3))
    assert played.comparison is not None and played.comparison.equal
    # Instructions and five presentations with two pages each.
    assert len(played.times.submits) == 2 * (1 + 5 * 2)


def told(folder: Path) -> pl.DataFrame:
    answers = collected_experiment(folder, kind="simulated").answers
    return answers.select("about", "scale", "value", "status", "language", "version").sort(pl.all())


def test_the_same_seed_gives_the_same_answers_however_many_at_a_time(tmp_path: Path) -> None:
    runs = {}
    for name, seed, concurrency in (("one", 1, 1), ("many", 1, 6), ("other", 2, 6)):
        survey = small_survey(tmp_path / name)
        simulate(survey, participants=6, seed=seed, concurrency=concurrency)
        runs[name] = told(survey.folder)
    assert runs["one"].equals(runs["many"]) and not runs["one"].equals(runs["other"])


def test_who_leaves_leaves_what_was_acknowledged(tmp_path: Path) -> None:
    survey = small_survey(tmp_path / "s")
    played = simulate(survey, participants=12, model=ResponseModel(drop_out=0.15))
    counts = played.counts
    assert counts["left"] > 0 and counts["left"] + counts["finished"] == 12
    assert played.comparison is not None and played.comparison.equal


def test_another_server_and_its_database(tmp_path: Path) -> None:
    survey = small_survey(tmp_path / "s")
    with served(survey) as (database, url):
        target = Target(url, database.write(invite, "simulated", time.time()).result())
        unseen = simulate(survey, participants=1, target=target, patience=Patience())
        seen = simulate(survey, participants=2, target=target, database=database.url, seed=9)
    assert unseen.comparison is None and unseen.counts == {"finished": 1}
    # The first one came by the same invitation; what it said is no business of the second simulation.
    assert seen.comparison is not None and seen.comparison.equal and seen.comparison.stored == 2 * 4 * 2


def test_quantiles() -> None:
    values = [float(value) for value in range(100, 0, -1)]
    assert (quantile(values, 0.5), quantile(values, 0.95), quantile(values, 1.0)) == (51.0, 96.0, 100.0)
    assert quantile([], 0.5) != quantile([], 0.5)
