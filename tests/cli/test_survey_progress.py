"""Does `hengliang survey progress` count what is there, beside a running server?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang.cli.main import outcome
from tests.people.survey_folder import small_survey
from tests.people.survey_visitor import serving

Capture = pytest.CaptureFixture[str]


def test_by_list_and_kind(tmp_path: Path, capsys: Capture) -> None:
    with serving(small_survey(tmp_path, places=7)) as served:
        served.participant().finish()
        served.participant()
        served.participant(kind="pilot")
        assert outcome(["survey", "progress", str(tmp_path), "--json"]) == 0
        held = json.loads(capsys.readouterr().out)
        none = {"expired": 0, "withdrawn": 0, "excluded": 0}
        assert held["lists"] == [
            # Four stimuli on two scales.
            {"version": "1", "active": 0, "finished": 1, "answers": 8, **none},
            {"version": "2", "active": 1, "finished": 0, "answers": 0, **none},
        ]
        assert (held["kind"], held["state"], held["places"]) == ("real", "open", 7)
        assert outcome(["survey", "progress", str(tmp_path), "--kind", "pilot"]) == 0
        shown = capsys.readouterr().out
        assert "pilot participants; the survey is open" in shown
        assert [cell.strip() for cell in shown.splitlines()[-2].split("│")[1:-1]] == ["all", "1", *["0"] * 5]
