"""Does `hengliang report` write a report again without running anything?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang.cli.main import outcome


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_report_in_every_form(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["new", "study", "mine"]) == 0
    assert outcome(["run", "mine.py", "-q", "--out", "A", "--quick"]) == 0
    capsys.readouterr()
    assert outcome(["report", "A", "--format", "json", "--out", "a.json"]) == 0
    assert capsys.readouterr().out == "a.json\n"
    assert json.loads(Path("a.json").read_text())["estimates"]
    assert outcome(["report", "A", "--format", "markdown"]) == 0
    assert "| GE |" in Path("A/report.md").read_text()
    assert outcome(["report", "A", "--format", "markdown", "--language", "zh", "--out", "zh.md"]) == 0
    assert "准确率" in Path("zh.md").read_text(encoding="utf-8")
    assert outcome(["report", "A"]) == 0
    assert Path("A/report.html").read_text().lower().startswith("<!doctype html>")


def test_an_unknown_form_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["report", "A", "--format", "pdf"]) == 2
    assert "'pdf' is not one of" in capsys.readouterr().err
