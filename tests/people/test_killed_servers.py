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


def faults(report: KillReport) -> dict[str, object]:
    """Return what is not as it should be, with what it is."""
    comparison = report.comparison
    # Four sentences on two lists, two variants each: a participant answers 4 stimuli on 2 scales.
    answers = PARTICIPANTS * 4 * 2
    expected = {
        "kills": (report.kills, KILLS),
        "lost, invented, doubled": ((comparison.lost, comparison.invented, comparison.doubled), ((), (), ())),
        "acknowledged": (comparison.acknowledged, answers),
        "stored": (comparison.stored, answers),
        "exported": (report.exported, answers),
        "the same in the export": (report.exported_equal, True),
        "registered": (report.registered, PARTICIPANTS),
        "finished": (sorted(report.finished.values()), [PARTICIPANTS // 2, PARTICIPANTS // 2]),
        # Otherwise nobody was there to be disturbed.
        "somebody had to send again": (report.retries > 0, True),
    }
    return {what: found for what, (found, right) in expected.items() if found != right}


def test_the_server_is_killed_on_sqlite(tmp_path: Path) -> None:
    survey = small_survey(tmp_path / "survey")
    url = database_url(survey.folder)
    assert faults(KillHarness(survey, url, PARTICIPANTS, KILLS, seed=1, think=0.05, arrivals=1.5).run()) == {}


def test_the_server_is_killed_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    survey = small_survey(tmp_path / "survey")
    assert faults(KillHarness(survey, postgres_url, PARTICIPANTS, KILLS, seed=2, think=0.05, arrivals=1.5).run()) == {}


def test_postgresql_itself_is_killed(tmp_path: Path, own_postgres_server: PostgresServer) -> None:
    survey = small_survey(tmp_path / "survey")
    url = own_postgres_server.new_database()
    harness = KillHarness(
        survey, url, PARTICIPANTS, KILLS, seed=3, think=0.05, arrivals=1.5, victim=own_postgres_server
    )
    assert faults(harness.run()) == {}
