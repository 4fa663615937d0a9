"""Does `hengliang survey close` keep new participants out of a running survey, and let them in again?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang.cli.main import outcome
from tests.people.survey_folder import small_survey
from tests.people.survey_visitor import serving

Capture = pytest.CaptureFixture[str]


def test_closing_and_opening_beside_the_server(tmp_path: Path, capsys: Capture) -> None:
    with serving(small_survey(tmp_path)) as served:
        begun = served.participant()
        assert outcome(["survey", "close", str(tmp_path)]) == 0
        assert "nobody new can begin" in capsys.readouterr().out
        assert "takes no new participants" in served.visitor().get(f"/i/{served.invitation()}").text
        begun.finish()
        assert served.rows("SELECT status FROM participants") == [("finished",)]
        assert outcome(["survey", "close", str(tmp_path), "--reopen"]) == 0
        assert "new participants can begin" in capsys.readouterr().out
        served.participant()
        assert served.rows("SELECT COUNT(*) FROM participants") == [(2,)]
