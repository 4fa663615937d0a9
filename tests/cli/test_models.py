"""Does `hengliang models` list, show and remove?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang import places
from hengliang.cli.main import outcome
from hengliang.files import write_json


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_models_are_listed_shown_and_removed(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["models", "list"]) == 0
    assert "There are no trained models" in capsys.readouterr().out
    write_json(
        places.models() / "rule-1" / "card.json", {"kind": "classifier chooser", "data": "ours", "licence": "MIT"}
    )
    assert outcome(["models", "list"]) == 0
    assert "rule-1" in capsys.readouterr().out
    assert outcome(["models", "show", "rule-1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["card"]["data"] == "ours"
    assert outcome(["models", "show", "rule-2"]) == 2
    assert "Did you mean rule-1?" in capsys.readouterr().err
    assert outcome(["models", "remove", "rule-1", "--yes"]) == 0
    assert not (places.models() / "rule-1").exists()
