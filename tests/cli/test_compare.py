"""Does `hengliang compare` say what differs between two runs, and why?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang.cli.main import outcome


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_two_runs_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["new", "study", "mine"]) == 0
    assert outcome(["run", "mine.py", "-q", "--out", "A", "--quick"]) == 0
    assert outcome(["run", "mine.py", "-q", "--out", "B"]) == 0
    capsys.readouterr()
    assert outcome(["compare", "A", "B", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["comparisons"]
    assert len(rows) == 2
    # The quick form draws fewer bootstrap samples, and nothing else: that is what the signatures differ in.
    assert all("draws" in str(row.values()) for row in rows)
    assert outcome(["compare", "A", "A"]) == 0
    assert "same" in capsys.readouterr().out
