"""Does `hengliang doctor` name what is missing and how to get it?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang.cli.main import outcome


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_doctor_names_what_is_missing_and_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("hengliang.core.environment.FEATURES", environment_with_gap())
    assert outcome(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert "✗ time travel: missing: no_such_package\n    pip install 'hengliang[future]'" in shown
    assert "✓ hengliang: 0." in shown
    assert outcome(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["diagnoses"]


def environment_with_gap() -> tuple[object, ...]:
    from hengliang.core import Feature

    return (Feature("time travel", "future", ("no_such_package",)),)
