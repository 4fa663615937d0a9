"""Is any answer lost, doubled or invented when the server or the database is killed while participants answer?"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra 'survey' is not installed")
pytest.importorskip("psycopg", reason="the extra 'survey' is not installed")

from hengliang.people.storage.database import database_url
from tests.people.kill_harness import KillHarness, KillReport
from tests.people.postgres_server import PostgresServer
from tests.people.survey_folder import small_survey

PARTICIPANTS, KILLS = 24, 3


def check(report: KillReport) -> None:
    assert report.kills == KILLS
    comparison = report.comparison
    assert (comparison.lost, comparison.invented, comparison.doubled) == ((), (), ())
    # Four sentences on two lists, two variants each: a participant answers 4 stimuli on 2 scales.
    assert comparison.acknowledged == comparison.stored == report.exported == PARTICIPANTS * 4 * 2
    assert report.exported_equal
    assert report.registered == PARTICIPANTS
    assert sorted(report.finished.values()) == [PARTICIPANTS // 2, PARTICIPANTS // 2]
    # Otherwise nobody was there to be disturbed.
    assert report.retries > 0


def test_the_server_is_killed_on_sqlite(tmp_path: Path) -> None:
    survey = small_survey(tmp_path / "survey")
    check(KillHarness(survey, database_url(survey.folder), PARTICIPANTS, KILLS, seed=1, think=0.05, arrivals=1.5).run())


def test_the_server_is_killed_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    survey = small_survey(tmp_path / "survey")
    check(KillHarness(survey, postgres_url, PARTICIPANTS, KILLS, seed=2, think=0.05, arrivals=1.5).run())


def test_postgresql_itself_is_killed(tmp_path: Path, own_postgres_server: PostgresServer) -> None:
    survey = small_survey(tmp_path / "survey")
    url = own_postgres_server.new_database()
    check(
        KillHarness(
            survey, url, PARTICIPANTS, KILLS, seed=3, think=0.05, arrivals=1.5, victim=own_postgres_server
        ).run()
    )
