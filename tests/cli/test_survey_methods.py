"""Does `hengliang survey methods` print the paragraph and write the datasheet?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang.cli.main import outcome
from hengliang.surveys import database_url
from tests.people.collected.answered import answered_survey, six_readers


def test_the_paragraph_is_printed_in_both_languages_or_in_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = answered_survey(tmp_path / "e").folder
    six_readers(database_url(folder))
    assert outcome(["survey", "methods", str(folder)]) == 0
    both = capsys.readouterr().out
    assert "6 finished" in both and "6 人完成" in both
    assert outcome(["survey", "methods", str(folder), "--language", "zh"]) == 0
    assert "6 finished" not in capsys.readouterr().out


def test_files_are_written_on_demand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = answered_survey(tmp_path / "e").folder
    (folder / "survey.sqlite").unlink()
    text, sheet = tmp_path / "methods.txt", tmp_path / "heds.json"
    assert outcome(["survey", "methods", str(folder), "--out", str(text), "--heds", str(sheet)]) == 0
    assert "Nobody has taken part yet." in text.read_text(encoding="utf-8")
    assert json.loads(sheet.read_text(encoding="utf-8"))["questions"]["3.2.1"]["answer"] is None
    assert capsys.readouterr().out.strip() == str(text)


def test_a_folder_without_a_survey(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["survey", "methods", str(tmp_path)]) == 2
    assert "There is no experiment in" in capsys.readouterr().err
