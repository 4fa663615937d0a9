"""Do the smaller commands say what they should?"""

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


# --- check and new ---


@pytest.mark.parametrize("kind", ["chooser", "material", "measure", "analysis"])
def test_a_new_plugin_keeps_the_promises_of_its_kind(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["new", "plugin", f"my_{kind}", "--kind", kind]) == 0
    assert f"pip install ./my_{kind}" in capsys.readouterr().out
    assert outcome(["check", f"my_{kind}", "--file", f"my_{kind}/my_{kind}.py"]) == 0
    assert "BROKEN" not in capsys.readouterr().out


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["new", "study", "my study"], "'my study' cannot be a name here"),
        (["new", "study", "class"], "'class' cannot be a name"),
        (["new", "plugin", "x", "--kind", "robot"], "Kind of plug-ins: analysis, chooser, material, measure"),
        (["check", "nobody"], "No plug-in is called 'nobody'."),
    ],
)
def test_wrong_names_are_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(arguments) == 2
    assert message in capsys.readouterr().err


def test_nothing_is_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["new", "study", "twice"]) == 0
    assert outcome(["new", "study", "twice"]) == 2
    assert "twice.py is there already" in capsys.readouterr().err


# --- report and compare ---


def test_reports_and_comparisons(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["new", "study", "mine"]) == 0
    assert outcome(["run", "mine.py", "-q", "--out", "A", "--quick"]) == 0
    assert outcome(["run", "mine.py", "-q", "--out", "B"]) == 0
    capsys.readouterr()
    assert outcome(["report", "A", "--format", "json", "--out", "a.json"]) == 0
    assert json.loads(Path("a.json").read_text())["estimates"]
    assert outcome(["report", "A", "--format", "pdf"]) == 2
    capsys.readouterr()
    assert outcome(["compare", "A", "B", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["comparisons"]
    assert len(rows) == 2
    # The quick form draws fewer bootstrap samples, and nothing else: that is what the signatures differ in.
    assert all("draws" in str(row.values()) for row in rows)
    assert outcome(["compare", "A", "A"]) == 0
    assert "same" in capsys.readouterr().out


# --- models and doctor ---


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


def test_the_doctor_names_what_is_missing_and_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("hengliang.environment.FEATURES", environment_with_gap())
    assert outcome(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert "✗ time travel: missing: no_such_package\n    pip install 'hengliang[future]'" in shown
    assert "✓ hengliang: 0." in shown
    assert outcome(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["diagnoses"]


def environment_with_gap() -> tuple[object, ...]:
    from hengliang.environment import Feature

    return (Feature("time travel", "future", ("no_such_package",)),)
