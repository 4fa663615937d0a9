"""Does `hengliang suites` list, show, run and exchange suites, and end with the right code?"""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from hengliang import open_run
from hengliang.cli.main import outcome
from hengliang.grammar import suite_of_file, written_suites
from tests.language_models import small_models

BIGRAMS = ("--model", "small bigrams", "--file", small_models.__file__)
SUITE = """\
class: missing object / 宾语缺失
conditions: good *bad
regions: subject verb stop
predict: bad.stop > good.stop
control whole: bad.* > good.*

1  He came.
   good  他 | 来 了 | 。
   bad   他 | 来    | 。

2  He came, twice the same.
   good  她 | 来 了 | 。
   bad   她 | 来 了 | 。
"""
PAIRS = """\
{"sentence_good": "他 来 了", "sentence_bad": "他 了 来", "UID": "order", "field": "syntax"}
{"sentence_good": "她 来 了", "sentence_bad": "她 来 了", "UID": "order", "field": "syntax"}
"""

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    Path("mine.suite").write_text(SUITE, encoding="utf-8")
    Path("pairs.jsonl").write_text(PAIRS, encoding="utf-8")


def test_list_names_every_suite(capsys: Capture) -> None:
    assert outcome(["suites", "list"]) == 0
    shown = capsys.readouterr().out
    assert all(suite.name in shown for suite in written_suites())
    assert outcome(["suites", "list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["suites"]
    assert [row["name"] for row in rows] == [suite.name for suite in written_suites()]
    assert rows[0]["items"] == len(written_suites()[0].items)


def test_show_prints_what_can_be_read_again(capsys: Capture) -> None:
    assert outcome(["suites", "show", "mine.suite"]) == 0
    Path("again.suite").write_text(capsys.readouterr().out, encoding="utf-8")
    assert suite_of_file("again.suite").items[0].sentences == suite_of_file("mine.suite").items[0].sentences
    assert outcome(["suites", "show", "missing_object.none/3"]) == 0
    assert capsys.readouterr().out.count("control_missing ") == 1


def test_show_with_a_model_draws_words_and_verdicts(capsys: Capture) -> None:
    assert outcome(["suites", "show", "mine.suite/1", *BIGRAMS]) == 0
    shown = capsys.readouterr().out
    assert "他来了。" in shown and "*bad" in shown
    assert "predict 1: bad.stop > good.stop" in shown
    assert "success" in shown or "failure" in shown


def test_show_refuses_what_it_cannot_show(capsys: Capture) -> None:
    assert outcome(["suites", "show", "mine.suite", *BIGRAMS]) == 2
    assert "mine/1" in capsys.readouterr().err
    assert outcome(["suites", "show", "missing object"]) == 2
    assert "missing_object.none" in capsys.readouterr().err
    assert outcome(["suites", "show", "mine.suite/7"]) == 2
    assert "'7'" in capsys.readouterr().err


def test_run_prints_accuracy_and_ties_and_resumes(capsys: Capture) -> None:
    command = ["suites", "run", *BIGRAMS, "--suite", "mine.suite", "--out", "run", "--quiet"]
    assert outcome(command) == 0
    shown = capsys.readouterr().out
    assert "missing object" in shown and "small bigrams" in shown
    assert "small bigrams: 1 of 2 predictions are ties" in shown
    assert shown.rstrip().endswith("report.html")
    assert outcome(command) == 0
    assert "responses: up to date" in Path("run/log.txt").read_text(encoding="utf-8")


def test_run_counts_a_tie_half_or_not_at_all() -> None:
    values = {}
    for ties in ("half", "failure"):
        assert outcome(["suites", "run", *BIGRAMS, "-s", "mine.suite", "--out", ties, "-q", "--ties", ties]) == 0
        rows = open_run(ties).estimates.filter(pl.col("analysis") == "suite accuracy")
        values[ties] = rows["value"].to_list()
    # Two items: one of them is a tie, so the two ways differ by a half of a half.
    assert values["half"][0] - values["failure"][0] == 0.25


def test_run_with_a_coin_settles_the_tie(capsys: Capture) -> None:
    values: set[float] = set()
    seeds = iter(range(8))  # all eight coins fall alike once in 128 times
    while len(values) < 2:
        seed = next(seeds)
        out = f"run{seed}"
        coin = ("--ties", "coin", "--coin-seed", str(seed))
        assert outcome(["suites", "run", *BIGRAMS, "--suite", "mine.suite", "--out", out, "-q", *coin]) == 0
        tied = open_run(out).judgements.filter(pl.col("label").str.starts_with("tie "), pl.col("part") == "1")
        values.update(tied["value"].to_list())
    assert values == {0.0, 1.0}
    assert capsys.readouterr().out.count("report.html") == seed + 1


def test_run_takes_suites_and_pairs_together_and_tells_identical_pairs(capsys: Capture) -> None:
    arguments = ["--suite", "mine.suite", "--suite", "pairs.jsonl", "--out", "run", "-q"]
    assert outcome(["suites", "run", *BIGRAMS, *arguments]) == 0
    shown = capsys.readouterr().out
    assert "order" in shown and "missing object" in shown
    assert "Identical" in shown
    run = open_run("run")
    assert set(run.items["material"]) == {"test suites", "minimal pairs"}
    # One pair is left of two; its four formulas are judged, one of them counts.
    judged = run.judgements.filter(pl.col("measure") == "prediction", pl.col("about").str.contains("order"))
    assert judged.height == 4


def test_run_as_json_gives_estimates(capsys: Capture) -> None:
    assert outcome(["suites", "run", *BIGRAMS, "--suite", "mine.suite", "--out", "run", "-q", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["estimates"]
    found = {row["analysis"] for row in rows}
    assert {"suite accuracy", "suite accuracy by class", "ties by class", "controls by class and part"} <= found


def test_run_needs_a_model_and_known_suites(capsys: Capture) -> None:
    assert outcome(["suites", "run", *BIGRAMS, "--suite", "mising object", "--out", "run", "-q"]) == 2
    assert "missing object" in capsys.readouterr().err
    assert outcome(["suites", "run", "--suite", "mine.suite"]) == 2


@pytest.mark.parametrize("target", ["mine.json", "mine.syntaxgym.json", "again.suite"])
def test_convert_keeps_the_sentences(target: str, capsys: Capture) -> None:
    assert outcome(["suites", "convert", "mine.suite", target]) == 0
    assert target in capsys.readouterr().out
    assert outcome(["suites", "convert", target, "back.suite", "--name", "back"]) == 0
    before, after = suite_of_file("mine.suite"), suite_of_file("back.suite")
    assert [item.sentences for item in after.items] == [item.sentences for item in before.items]
    assert [str(one.formula) for one in after.predictions if one.counts] == ["bad.stop > good.stop"]


def test_convert_refuses_unknown_endings_and_items(capsys: Capture) -> None:
    assert outcome(["suites", "convert", "mine.suite", "mine.xml"]) == 2
    assert ".syntaxgym.json" in capsys.readouterr().err
    assert outcome(["suites", "convert", "mine.suite/1", "mine.json"]) == 2


def test_list_is_by_class_in_both_languages(capsys: Capture) -> None:
    assert outcome(["suites", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "missing object 宾语缺失" in lines
    assert sum(not line.startswith(" ") for line in lines) == 6


def test_run_prints_controls_and_speaks_chinese(capsys: Capture) -> None:
    command = ["suites", "run", *BIGRAMS, "--suite", "mine.suite", "--out", "run", "--quiet"]
    assert outcome(command) == 0
    shown = capsys.readouterr().out
    assert "Controls by class and prediction: Accuracy (%)" in shown and "control: whole" in shown
    assert outcome([*command, "--language", "zh"]) == 0
    shown = capsys.readouterr().out
    assert "small bigrams：2 条预测中有 1 条为平局" in shown and "句组：2" in shown
    assert "Sets of sentences" not in shown


def test_a_narrow_terminal_cuts_no_name_and_no_figure(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["suites", "run", *BIGRAMS, "--suite", "mine.suite", "--out", "run", "--quiet"]
    assert outcome(command) == 0
    capsys.readouterr()
    monkeypatch.setenv("COLUMNS", "50")
    assert outcome(command) == 0
    shown = capsys.readouterr().out
    assert "…" not in shown
    table = shown.split("Accuracy (%)")[1]
    # The name of the model may be broken, and none of its letters is lost.
    assert "".join(table.split("───")[0].split()).startswith("Class")
    assert all(part in "".join(table.split()) for part in ("missing", "object", "Missing"))


def test_options_of_pairs_need_pairs(capsys: Capture) -> None:
    for option in (("--phenomenon", "order"), ("--limit", "1")):
        assert outcome(["suites", "run", *BIGRAMS, "--suite", "mine.suite", "--out", "run", "-q", *option]) == 2
        assert "no minimal pairs are asked" in capsys.readouterr().err
        assert not Path("run").exists()


def test_a_folder_of_suites_is_no_set_of_pairs(capsys: Capture) -> None:
    Path("held").mkdir()
    Path("mine.suite").rename("held/mine.suite")
    assert outcome(["suites", "run", *BIGRAMS, "--suite", "held", "--out", "run", "-q"]) == 2
    assert "--suite held/mine.suite" in capsys.readouterr().err


def test_the_papers_suites_are_asked_by_name(capsys: Capture) -> None:
    Path("texts").mkdir()
    lines = "他 来 。", "他 来 了 。", "她 买 了 。", "她 买 了 书 。"
    Path("texts/mobj_none_txt.txt").write_text("\n".join(lines), encoding="utf-8")
    assert outcome(["suites", "run", *BIGRAMS, "--suite", "texts", "--out", "run", "--quiet"]) == 0
    assert "missing object" in capsys.readouterr().out
    assert open_run("run").items["suite"].unique().to_list() == ["mobj_none"]
    assert outcome(["suites", "run", *BIGRAMS, "--suite", "texts", "--suite", "subordination", "--out", "both"]) == 2
    assert "Published suites are asked in a run of their own" in capsys.readouterr().err


@pytest.mark.mirror
@pytest.mark.usefixtures("mirror")
def test_wang2021_is_a_name(capsys: Capture) -> None:
    assert outcome(["suites", "run", *BIGRAMS, "--suite", "wang2021", "--out", "run", "--quiet"]) == 0
    assert "cls_total" in capsys.readouterr().out
    assert open_run("run").items["suite"].n_unique() == 24
