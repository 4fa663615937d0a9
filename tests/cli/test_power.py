"""Does `hengliang power` say how many raters and items are needed?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang.cli.main import outcome
from hengliang.statistics import PLAN_TEMPLATE as TEMPLATE


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    text = TEMPLATE.replace("[8, 16, 32]", "[6, 12]").replace("[20, 40]", "8").replace('"ordinal"', '"sign"')
    (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
    return tmp_path / "plan.toml"


def test_the_template_can_be_used_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["power", "--template"]) == 0
    assert capsys.readouterr().out == TEMPLATE


def test_a_table_a_sentence_and_a_page(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["power", str(plan), "--simulations", "20", "-q", "--out", "power.html"]) == 0
    said = capsys.readouterr().out
    assert "Power, %" in said
    assert "model − corpus" in said
    page = Path("power.html").read_text(encoding="utf-8")
    assert "Power by size of the experiment" in page
    assert "不同实验规模的检验力" in page
    assert "Effects, log-odds" in page and "model −0.4" in page
    assert "模拟数据" not in page  # the warning of made-up ratings has no place here


def test_what_is_printed_in_chinese(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["power", str(plan), "--simulations", "5", "-q", "--language", "zh"]) == 0
    said = capsys.readouterr().out
    assert "检验力（%）" in said and "model − corpus" in said and "Raters" not in said


def test_json_holds_the_estimates_and_the_plan_in_the_signature(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["power", str(plan), "--simulations", "5", "--seed", "7", "-q", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    rows = value["estimates"]
    assert value["report"] is None and set(value["sentences"][0]) == {"en", "zh"}
    assert [row["statistic"] for row in rows] == ["power", "false positives"] * 2
    assert "seed:7" in rows[0]["signature"]
    assert "simulations:5" in rows[0]["signature"]


def test_without_a_plan_the_next_command_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["power"]) == 2
    assert "hengliang power --template > plan.toml" in capsys.readouterr().err


def test_a_report_of_no_known_form_is_refused_before_the_work(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["power", str(plan), "--out", "power.docx"]) == 2
    assert "power.docx" in capsys.readouterr().err


def test_a_seed_below_zero_is_refused(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["power", str(plan), "--seed", "-1"]) == 2
    assert "-1 is not in the range x>=0" in capsys.readouterr().err
