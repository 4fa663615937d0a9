"""Does `hengliang suites table` print what the files say?"""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from hengliang import UserError
from hengliang.grammar.cli import table
from hengliang.report import estimates_from_rows
from tests.recorded_toy import ALL, write_recorded


def test_the_table(tmp_path: Path) -> None:
    root = write_recorded(tmp_path, {"lstm-trial0": ALL})
    result = CliRunner().invoke(table, ["--recorded", str(root), "--coin-seed", "1"])
    assert result.exit_code == 0, result.output
    assert "0.875" in result.output
    assert "0.750–1.000" in result.output
    chinese = CliRunner().invoke(table, ["--recorded", str(root), "--language", "zh"])
    assert "量词与名词" in chinese.output


def test_json_is_estimate_rows(tmp_path: Path) -> None:
    root = write_recorded(tmp_path, {"lstm-trial0": ALL})
    result = CliRunner().invoke(table, ["--recorded", str(root), "--json", "--modifiers"])
    assert result.exit_code == 0, result.output
    content = json.loads(result.output)
    assert content["schema_version"] == 1
    estimates = estimates_from_rows(content["estimates"])
    assert set(estimates["analysis"]) == {"recorded accuracy"}
    assert content["estimates"][0]["by"] == {"system": "LSTM", "class": "classifier–noun", "modifier": "none"}


def test_a_wrong_folder(tmp_path: Path) -> None:
    result = CliRunner().invoke(table, ["--recorded", str(tmp_path)])
    assert isinstance(result.exception, UserError)
    assert "holds no recorded surprisals" in result.exception.problem
    assert CliRunner().invoke(table, []).exit_code == 2
