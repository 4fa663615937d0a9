"""Does `hengliang new` write what runs as it is?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang.cli.main import outcome


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", ["chooser", "material", "measure", "analysis"])
def test_a_new_plugin_keeps_the_promises_of_its_kind(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["new", "plugin", f"my_{kind}", "--kind", kind]) == 0
    assert f"pip install ./my_{kind}" in capsys.readouterr().out
    assert outcome(["check", f"my_{kind}", "--file", f"my_{kind}/my_{kind}.py"]) == 0
    assert "BROKEN" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["new", "study", "my study"], "'my study' cannot be a name here"),
        (["new", "study", "class"], "'class' cannot be a name"),
        (["new", "plugin", "x", "--kind", "robot"], "Kinds of plug-in: analysis, chooser, material, measure"),
    ],
)
def test_wrong_names_are_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(arguments) == 2
    assert message in capsys.readouterr().err


def test_nothing_is_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["new", "study", "twice"]) == 0
    assert outcome(["new", "study", "twice"]) == 2
    assert "twice.py is there already" in capsys.readouterr().err
