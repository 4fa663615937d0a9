"""Comparison of estimates: scripts/compare_estimates.py finds every changed, lost or new number, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hengliang import Estimate
from hengliang.core import estimates_frame
from tests import ROOT

SCRIPT = ROOT / "scripts" / "compare_estimates.py"
MEAN = {
    "analysis": "accuracy", "by": {"system": "RULE"}, "statistic": "mean", "value": 0.5, "low": 0.4, "high": 0.6,
    "df": [3.0], "p": None, "n": 10, "n_missing": 0, "method": "bootstrap",
}  # fmt: skip


def compared(tmp_path: Path, old: list[dict[str, Any]], new: list[dict[str, Any]]) -> tuple[int, str]:
    for name, rows in (("old", old), ("new", new)):
        (tmp_path / name).mkdir()
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / name / "study.jsonl").write_text(lines, encoding="utf-8")
    command = [sys.executable, str(SCRIPT), "compare", str(tmp_path / "old"), str(tmp_path / "new")]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    return done.returncode, done.stdout


def test_equal_rows_in_another_order_are_equal(tmp_path: Path) -> None:
    other = {**MEAN, "by": {"system": "GE"}, "value": 0.3}
    # The last digit is what another processor's linear algebra may change.
    rounded = {**MEAN, "value": 0.5 + 1e-16 * 4}
    assert compared(tmp_path, [MEAN, other], [other, rounded]) == (0, "study: 2 estimates, equal\n")


@pytest.mark.parametrize(
    ("field", "value"),
    [("value", 0.500001), ("value", None), ("low", 0.41), ("df", [4.0]), ("df", []), ("p", 0.0), ("n", 11),
     ("n_missing", 1), ("method", "permutation")],
)  # fmt: skip
def test_a_changed_field_is_told(tmp_path: Path, field: str, value: object) -> None:
    code, text = compared(tmp_path, [MEAN], [{**MEAN, field: value}])
    assert code == 1
    assert f"{field} {MEAN[field]!r} -> {value!r}: ('accuracy', (('system', 'RULE'),), 'mean', 1)" in text


def test_lost_new_and_repeated_rows_are_told(tmp_path: Path) -> None:
    code, text = compared(tmp_path, [MEAN, MEAN], [MEAN, {**MEAN, "statistic": "median"}])
    assert code == 1
    assert "is gone: ('accuracy', (('system', 'RULE'),), 'mean', 2)" in text
    assert "is new: ('accuracy', (('system', 'RULE'),), 'median', 1)" in text


def test_an_empty_baseline_is_no_agreement(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), "compare", str(tmp_path), str(tmp_path)]
    assert subprocess.run(command, capture_output=True).returncode == 1


def test_of_a_time_only_that_it_is_there_counts(tmp_path: Path) -> None:
    time = {**MEAN, "statistic": "training_seconds"}
    assert compared(tmp_path, [time], [{**time, "value": 0.7}])[0] == 0


def test_full_runs_are_compared_with_committed_results(tmp_path: Path) -> None:
    results, runs = tmp_path / "results", tmp_path / "runs"
    (runs / "study").mkdir(parents=True)
    results.mkdir()
    row = Estimate("accuracy", {"system": "RULE"}, "mean", 0.5, 0.4, 0.6, (3.0,), None, 10, 0, "bootstrap", "class:A")
    estimates_frame([row]).write_parquet(runs / "study" / "estimates.parquet")
    (results / "study.json").write_text(json.dumps({"estimates": [MEAN]}), encoding="utf-8")
    (results / "other.json").write_text(json.dumps({"estimates": [MEAN]}), encoding="utf-8")
    command = [sys.executable, str(SCRIPT), "compare", str(results), str(runs)]
    done = subprocess.run([*command, "--common"], capture_output=True, text=True, encoding="utf-8")
    assert (done.returncode, done.stdout) == (0, "study: 1 estimates, equal\n")
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, "other: not taken")
