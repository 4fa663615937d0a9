"""Does `hengliang survey restore` say what is in the survey now, and where the former files are?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang.cli.main import outcome
from hengliang.surveys import Database, database_url
from tests.people.survey_folder import small_survey
from tests.people.survey_visitor import serving

Capture = pytest.CaptureFixture[str]


def test_a_backup_comes_back(tmp_path: Path, capsys: Capture) -> None:
    folder, backup = tmp_path / "survey", tmp_path / "backup.sqlite"
    with serving(small_survey(folder)) as served:
        served.participant().finish()
        assert outcome(["survey", "backup", str(folder), "--to", str(backup)]) == 0
        served.participant().finish()
    capsys.readouterr()
    with Database.open(database_url(folder), alone=True):
        assert outcome(["survey", "restore", str(folder), str(backup)]) == 2
        assert "Another process serves" in capsys.readouterr().err
    assert outcome(["survey", "restore", str(folder), str(backup)]) == 0
    said = capsys.readouterr().out
    # Four stimuli on two scales of the first participant.
    assert "1 participant, 8 answers" in said
    assert f"{folder / 'survey.sqlite'}.before-" in said
    assert outcome(["survey", "restore", str(folder), str(tmp_path / "none")]) == 2
    assert "hengliang survey backup" in capsys.readouterr().err
