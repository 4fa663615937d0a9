"""Does `hengliang check` show which promises are kept and which are broken?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang.cli.main import outcome
from tests.language_models.stories import story


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ["GE", "match", "accuracy", "accuracy difference", "precision and recall"])
def test_our_own_parts_keep_their_promises(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["check", name, "--json"]) == 0
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert len(findings) >= 6
    assert [finding for finding in findings if not finding["kept"]] == []


BROKEN = """
from hengliang import register
from hengliang.classifiers import ClassifierChooser
from hengliang.core import Choice


@register("sloppy")
class Sloppy(ClassifierChooser):
    name = "sloppy"

    def choose(self, slots):
        return [[Choice("个", 0.5)] for _ in range(slots.height)]
"""


def test_a_broken_promise_is_shown_with_its_counterexample(capsys: pytest.CaptureFixture[str]) -> None:
    Path("sloppy.py").write_text(BROKEN)
    assert outcome(["check", "sloppy", "--file", "sloppy.py"]) == 1
    shown = capsys.readouterr().out
    assert "BROKEN  probabilities sum to one" in shown
    assert "0.5" in shown


def test_an_unknown_name_lists_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["check", "nobody"]) == 2
    shown = capsys.readouterr().err
    assert "No plug-in is called 'nobody'." in shown
    assert "ENSEMBLE, GE, HUMAN" in shown


def test_a_stored_language_model_is_checked_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = story(tmp_path / "story.txt")
    assert outcome(["lm", "train", "ngram", "--size", "2", "--data", data]) == 0
    capsys.readouterr()
    assert outcome(["check", "ngram-2-story", "--json"]) == 0
    held = json.loads(capsys.readouterr().out)
    assert held["role"] == "language model"
    assert "the probabilities of the next unit sum to one" in [finding["promise"] for finding in held["findings"]]
