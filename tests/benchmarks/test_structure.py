"""Does the benchmark of models with structure tell what it found, and which goals were missed?"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from benchmarks.structure import KINDS, TRAINED_HERE, main, missed_goals, model_of, show

from benchmarks import structure

ROW = {"sentences": 2, "seconds": 1.0, "words_per_second": 20.0, "mean_logprob": -12.5, "unscored": 0}
GROWN = {
    "action": [{"action": 100, **ROW}],
    "word": [{"word": 10, **ROW}],
    "ranking": [{"ranking": "step", **ROW}, {"ranking": "word", **ROW, "mean_logprob": None}],
    "length": [{"length": 5, **ROW}],
}
SEARCHED = {
    "sentences": {"many": 64, "one": 8, "peer": 2},
    "lanes": 64,
    "words_per_second": {"many": 120.0, "one": 40.0, "peer": 5.0},
    "times_the_peer": {"many": 24.0, "one": 8.0},
    "difference": 1e-6,
    "growth": GROWN,
    "peak_megabytes": 600.0,
}
PACE = {"sentences_per_second": 100.0, "words_per_second": 2000.0}
LEARNED = {"architecture": "rnng 2 × 256", "batched": PACE, "alone": PACE, "times_faster": 1.0, "peak_megabytes": 800.0}
SUITES = {
    "suites": "ours",
    "number": 24,
    "sentences": 2304,
    "words": 22398,
    "sentences_read": 2304,
    "seconds": 240.0,
    "words_per_second": 93.3,
    "unscored": 0,
}
FOUND: dict[str, Any] = {
    "plan": {"learned": 2000, "epochs": 1, "threads": 2},
    "models": {"rnng": "rnng-small-1", "plm": TRAINED_HERE},
    "training": {"rnng": LEARNED, "plm": LEARNED},
    "search": {"rnng": SEARCHED, "plm": SEARCHED},
    "suites": {"asked": [SUITES], "peak_megabytes": 700.0},
    "seconds": 300.0,
}


def changed(**search: Any) -> dict[str, Any]:
    return {**FOUND, "search": {"rnng": SEARCHED, "plm": {**SEARCHED, **search}}}


def test_everything_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    show(FOUND)
    shown = capsys.readouterr().out
    # 240 seconds are 4 minutes, 20 words a second 50 ms a word; a beam that found nothing has a dash.
    for part in ("24.0", "2,304", "4.0", "50.0", "-12.500", "–", "rnng-small-1", TRAINED_HERE, "not at hand"):
        assert part in shown


def test_goals_that_were_missed_are_named() -> None:
    assert missed_goals(FOUND) == []
    assert missed_goals(changed(times_the_peer={"many": 9.0, "one": 8.0}))[0].startswith("plm: 9.0 times")
    few = {"many": 8, "one": 1, "peer": 1}  # a quick run does not fill the lanes
    assert missed_goals(changed(sentences=few, times_the_peer={"many": 9.0, "one": 8.0})) == []
    assert "other numbers" in missed_goals(changed(difference=0.5))[0]
    slow = copy.deepcopy(FOUND)
    slow["suites"]["asked"][0]["seconds"] = 601.0
    assert missed_goals(slow) == ["ours suites: 10.0 minutes, and 10 is the goal."]
    slow["suites"]["asked"][0]["sentences_read"] = 16  # a time that is only reckoned misses nothing
    assert missed_goals(slow) == []


def test_a_model_is_found_by_its_folder_and_an_unknown_one_is_refused(tmp_path: Path) -> None:
    assert model_of("rnng", "") is None  # the store of the tests is empty
    (tmp_path / "architecture.json").write_text("{}", encoding="utf-8")
    assert model_of("rnng", str(tmp_path)) == tmp_path
    with pytest.raises(SystemExit, match="There is no model 'nobody'"):
        model_of("rnng", "nobody")


def test_the_measurements_are_printed_as_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[Any] = []

    def measured(plan: Any, named: Any, folder: Path) -> dict[str, Any]:
        asked.append((plan, named))
        return FOUND

    monkeypatch.setattr(structure, "measure", measured)
    main(["--quick", "--json", "--threads", "1", "--plm", "mine"])
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(FOUND))
    (plan, named) = asked[0]
    assert (plan.learned, plan.threads) == (200, 1)
    assert named == dict(zip(KINDS, ("", "mine"), strict=True))
