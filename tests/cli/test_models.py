"""Does `hengliang models` list, show and remove?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang.cli.main import outcome
from hengliang.core import places, write_json


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


def test_names_are_never_cut(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    name = "lstm-tiny-1-2000s-right-branching-a-long-name-that-one-must-type"
    data = "a corpus with a name that is itself longer than what is left of the line"
    write_json(places.models() / name / "card.json", {"kind": "lstm", "data": data, "licence": "MIT"})
    assert outcome(["models", "list"]) == 0
    shown = capsys.readouterr().out
    assert name in shown and data in shown
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.stdout.isatty", bool(1).__bool__)
    assert outcome(["models", "list"]) == 0
    assert name in capsys.readouterr().out


def test_a_model_whose_card_is_damaged_is_listed_and_can_be_removed(capsys: pytest.CaptureFixture[str]) -> None:
    (places.models() / "torn").mkdir(parents=True)
    (places.models() / "torn" / "card.json").write_bytes(b'{"kind": "ngram", "da\x00')
    assert outcome(["models", "list"]) == 0
    assert "damaged" in capsys.readouterr().out
    assert outcome(["lm", "perplexity", "text.txt", "--model", "torn"]) == 2
    assert "hengliang models remove torn" in capsys.readouterr().err
    assert outcome(["models", "remove", "torn", "--yes"]) == 0
    assert not (places.models() / "torn").exists()
