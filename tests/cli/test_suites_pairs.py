"""Does `hengliang suites pairs` count pairs and name what is wrong with them?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang.cli.main import outcome

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rows = [("他来了。", "他了来。"), ("她来了。", "她来了。"), ("他来了。", "他了来。")]
    lines = [json.dumps({"sentence_good": good, "sentence_bad": bad, "UID": "order"}) for good, bad in rows]
    path = tmp_path / "order.jsonl"
    path.write_text("\n".join([*lines, "{broken"]) + "\n", encoding="utf-8")
    return path


def test_counts_and_findings(file: Path, capsys: Capture) -> None:
    assert outcome(["suites", "pairs", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "identical: 1" in shown and "repeated: 1" in shown and "broken: 1" in shown
    assert "order.jsonl, line 2: both sentences are '她来了。'" in shown


def test_as_json(file: Path, capsys: Capture) -> None:
    assert outcome(["suites", "pairs", str(file), "--json"]) == 0
    held = json.loads(capsys.readouterr().out)
    assert [one["code"] for one in held["findings"]] == ["identical", "broken", "repeated"]


def test_what_is_not_there(tmp_path: Path, capsys: Capture) -> None:
    assert outcome(["suites", "pairs", str(tmp_path / "lost.jsonl")]) == 2
    assert "lost.jsonl" in capsys.readouterr().err
