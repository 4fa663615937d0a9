"""Does `hengliang survey design` make a survey as a newcomer calls it?"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import click
import pytest

from hengliang import UserError
from hengliang.cli.classifiers_experiment import experiment
from hengliang.cli.survey_design import design
from hengliang.surveys import check_proof, read_survey

Capture = pytest.CaptureFixture[str]


def run(*arguments: str | Path) -> None:
    design.main(args=[str(argument) for argument in arguments], standalone_mode=False)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{n},第{n}句{w}。,{w},{'甲乙丙'.index(w) + 1}" for n in range(12) for w in "甲乙丙"[: 1 + n % 3]]
    Path("mine.csv").write_text("\n".join(["item,text,system,size", *rows, ""]), encoding="utf-8")
    Path("catch.csv").write_text("item,text,expected\n1,乱的句子是。,1-2\n", encoding="utf-8")
    Path("practice.csv").write_text("item,text\n1,先试一句。\n", encoding="utf-8")


def test_a_table_of_ones_own(capsys: Capture) -> None:
    # fmt: off
    run("mine.csv", "--out", "out", "--versions", "2", "--statements", "natural", "--pages", "counterbalanced",
        "--practice", "practice.csv", "--catch", "catch.csv", "--repeats", "0.1", "--repeat-distance", "4",
        "--raters", "6", "--margin", "0.5", "--primary", "naturalness", "--stopping", "six a list",
        "--exclusion", "failed catch items", "--exclusion", "not native", "--highlight", "participant",
        "--title", "How natural?", "自然吗？", "--pause-every", "10", "--seed", "3")
    # fmt: on
    shown = capsys.readouterr().out
    assert "26 stimuli of 14 items; task likert: naturalness, smoothness." in shown
    # 4 · (1 + 2 + 3) = 24 targets, 12 a list; one of them again.
    assert "2 lists of 15, 15 rows (list 1: 12 target, " in shown
    assert "6 raters an item: 12 participants." in shown
    assert "Proved: 2 lists (clusters); targets 12, 12; items with 1 variant 2, 2; " in shown
    assert shown.endswith("\nhengliang survey serve out\n")
    survey = read_survey(Path("out"))
    check_proof(survey.experiment, survey.design)
    plan = survey.experiment.plan
    assert (plan.primary_outcome, plan.margin, plan.stopping_rule) == ("naturalness", 0.5, "six a list")
    assert plan.exclusion_rules == ("failed catch items", "not native") and plan.raters_per_item == 6
    assert (survey.settings.places, survey.settings.highlight, survey.settings.pause_every) == (6, "participant", 10)
    assert survey.experiment.title.zh == "自然吗？" and survey.design.seed == 3
    assert survey.task.parameters()["pages"] == "counterbalanced"


def test_blocks_tasks_and_json(capsys: Capture) -> None:
    asked = ("--task", "slider", "--parameter", "high=10", "--parameter", "scale=beauty", "--blocks", "size", "--json")
    run("mine.csv", "--out", "out", "--order", "version", *asked)
    held = json.loads(capsys.readouterr().out)
    assert (held["survey"], held["lists"], held["raters"]) == ("out", {"1": 24}, None)
    survey = read_survey(Path("out"))
    assert survey.task.name == "slider" and survey.experiment.scales[0].name == "beauty"
    assert [row.block for row in survey.lists["1"]] == [1] * 12 + [2] * 8 + [3] * 4
    run("mine.csv", "--out", "again", "--blocks", "size")
    assert "Blocks in this order: 1, 2, 3." in capsys.readouterr().out


def test_raters_from_a_power_analysis(capsys: Capture) -> None:
    row = {"by": {"raters": "16", "items": "10", "system": "a"}, "statistic": "power", "value": 0.9}
    rows = [{**row, "signature": "systems:corpus, a|assignment:all"}]
    Path("power.json").write_text(json.dumps({"schema_version": 1, "estimates": rows}))
    run("mine.csv", "--out", "out", "--power", "power.json")
    shown = capsys.readouterr().out
    assert "By power.json, 16 raters and 10 items find every effect in 90 % of experiments: 16 raters an item." in shown
    assert read_survey(Path("out")).settings.places == 16
    with pytest.raises(UserError, match="both say how many raters"):
        run("mine.csv", "--out", "other", "--power", "power.json", "--raters", "3")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--statements", "lovely"), "No set of statements is called 'lovely'"),
        (("--task", "slider", "--pages", "together"), "--pages is for the task 'likert', not for 'slider'"),
        (("--task", "slider", "--parameter", "high"), "--parameter high: there is no value"),
        (("--task", "slider", "--parameter", "top=1"), "No parameter in task 'slider' is called 'top'"),
        (("--task", "reconstruction"), "cannot show"),
        (("--distance", "11"), r"\(3 − 1\) · 11 \+ 4 = 26 rows"),
        (("--primary", "beauty"), "No scale of the task is called 'beauty'"),
        (("--versions", "40"), "40 versions are wanted of 12 sentences"),
        (("--catch", "practice.csv"), "the column 'expected' is empty"),
    ],
)
def test_bad_input_leaves_nothing_behind(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError, match=message):
        run("mine.csv", "--out", "out", *arguments)
    assert not Path("out").exists()


def test_one_item_and_a_plan_without_a_primary_outcome(capsys: Capture) -> None:
    Path("one.csv").write_text("item,text\n1,他走了。\n", encoding="utf-8")
    run("one.csv", "--out", "out")
    shown = capsys.readouterr().out
    assert "1 stimulus of 1 item; task" in shown and "1 list of 1 row (list 1: 1 target)." in shown
    assert "The plan names no primary outcome: --primary SCALE, of clarity, fluency." in shown
    run("one.csv", "--task", "slider", "--out", "other")
    assert "no primary outcome" not in capsys.readouterr().out


@pytest.mark.parametrize("margin", ["0", "-1"])
def test_a_margin_is_more_than_nothing(margin: str) -> None:
    with pytest.raises(click.BadParameter, match="is not in the range x>0"):
        run("mine.csv", "--out", "out", "--margin", margin)


def test_folders_with_something_in_them_are_left_alone() -> None:
    Path("out").mkdir()
    Path("out/thesis.txt").write_text("x")
    with pytest.raises(UserError, match=r"is not empty \(thesis\.txt\)"):
        run("mine.csv", "--out", "out")
    assert Path("out/thesis.txt").read_text() == "x"


@pytest.mark.mirror
def test_the_papers_first_experiment_in_one_command(mirror: Path, capsys: Capture) -> None:
    file = mirror / "ccd_sample" / "exp1.csv"
    experiment.main(
        args=[str(file), "--choices", "RULE,LSTM,BERT", "--groups", "4", "--out", "fluency"], standalone_mode=False
    )
    assert "4 versions of 80, 80, 80, 80 items." in capsys.readouterr().out
    run("fluency", "--out", "survey", "--raters", "2")
    shown = capsys.readouterr().out
    assert "320 stimuli of 200 items; task likert: clarity, fluency." in shown
    assert "4 lists of 80, 80, 80, 80 rows (list 1: 80 target)." in shown
    assert "2 raters an item: 8 participants." in shown  # as many as the paper had
    survey = read_survey(Path("survey"))
    check_proof(survey.experiment, survey.design)
    kinds = Counter(survey.experiment.stimuli["item"].to_list())
    assert Counter(kinds.values()) == {1: 111, 2: 62, 3: 23, 4: 4}
    assert survey.experiment.plan.primary_outcome == "fluency"
