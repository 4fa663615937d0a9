"""Does `hengliang survey backup` copy everything while people answer?"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hengliang.cli.main import outcome
from tests.people.survey_folder import small_survey
from tests.people.survey_visitor import serving

Capture = pytest.CaptureFixture[str]


def test_a_copy_beside_the_server(tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "copies" / "one.sqlite"
    with serving(small_survey(tmp_path / "survey")) as served:
        served.participant().finish()
        assert outcome(["survey", "backup", str(tmp_path / "survey"), "--to", str(target)]) == 0
        assert f"{target}: {target.stat().st_size:,} bytes" in capsys.readouterr().out
        served.participant().finish()
        with closing(sqlite3.connect(target)) as copy:
            # What came after the copy is not in it: four stimuli on two scales of the first participant.
            assert copy.execute("SELECT COUNT(*) FROM answers").fetchone() == (8,)
        assert outcome(["survey", "backup", str(tmp_path / "survey"), "--to", str(target)]) == 2
        assert "exists already" in capsys.readouterr().err


def test_there_must_be_something_to_copy(tmp_path: Path, capsys: Capture) -> None:
    small_survey(tmp_path)
    assert outcome(["survey", "backup", str(tmp_path), "--to", str(tmp_path / "copy.sqlite")]) == 2
    assert "hengliang survey serve" in capsys.readouterr().err
    assert not (tmp_path / "copy.sqlite").exists()
