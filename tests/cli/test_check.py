"""Does `hengliang check` show which promises are kept and which are broken?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang.cli.main import outcome


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
from hengliang import Choice, ClassifierChooser, register


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
    assert "GE, RULE" in shown
