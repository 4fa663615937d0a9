"""Is a chooser trained, shown and refused from the command line as it should be?"""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from hengliang import chooser
from hengliang.classifiers import ClassifierSlots
from hengliang.cli.main import outcome
from tests.systems.classifier_choosers.lessons import first, slots

pytest.importorskip("sklearn", reason="scikit-learn, with which LINEAR learns, is not installed")

NOUNS = {"书": "本", "杂志": "本", "马": "匹", "骏马": "匹", "客人": "位", "老师": "位"}
VERBS = ("看见", "想起", "画", "送来", "找到", "说起")


@pytest.fixture
def lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{verb}{noun},他 {verb} 了 一 <CL> {noun} 。,{noun},{label}\n"
        for verb in VERBS
        for noun, label in NOUNS.items()
    ]
    file = tmp_path / "lessons.csv"
    file.write_text("".join(rows))
    return file


def test_a_chooser_is_trained_and_shown_and_answers(lessons: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["classifiers", "train", "linear", "--data", "lessons.csv", "--dev", "lessons.csv", "--out", "mine", "-q"]
    assert outcome(command) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("mine\n")
    assert "LINEAR, seed 1: 36 slots, 3 classifiers, 6 nouns" in shown
    assert "right on dev: 100.0% of 36" in shown
    opened = chooser("LINEAR", model=str(lessons.parent / "mine"))
    assert first(pl.Series(opened.choose(slots("骏马", "老师", "杂志")))) == ["匹", "位", "本"]
    # The same command again only shows it; another seed belongs elsewhere.
    assert outcome([*command, "--json"]) == 0
    (held,) = json.loads(capsys.readouterr().out)["models"]
    assert held["card"]["slots"] == {"train": 36, "dev": 36}
    assert outcome([*command, "--seed", "2"]) == 2
    assert "its seed is 1, not 2" in capsys.readouterr().err


def test_several_seeds_and_settings_go_to_the_store(lessons: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = ["--data", "lessons.csv", "--dev", "lessons.csv", "--quiet", "--json"]
    assert outcome(["classifiers", "train", "LINEAR", *data, "--seeds", "2", "--set", "learner=svm"]) == 0
    made = json.loads(capsys.readouterr().out)["models"]
    assert [one["card"]["seed"] for one in made] == [1, 2]
    assert {one["card"]["recipe"]["settings"]["learner"] for one in made} == {"svm"}
    assert outcome(["models", "list", "--json"]) == 0
    names = [one["name"] for one in json.loads(capsys.readouterr().out)["models"]]
    assert [name.rpartition("-")[0] for name in names] == ["classifiers-linear-1", "classifiers-linear-2"]


def test_a_number_may_be_written_without_a_point(lessons: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["classifiers", "train", "LINEAR", "--data", "lessons.csv", "--dev", "lessons.csv", "--quiet", "--json"]
    assert outcome([*command, "--set", "strength=1"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["models"]
    assert one["card"]["recipe"]["settings"]["strength"] == 1.0
    # None is what it is without the option, and stored where that is.
    assert outcome([*command, "--set", "strength=none", "--out", "mine"]) == 0
    assert outcome([*command, "--out", "mine"]) == 0


def too_late(_: ClassifierSlots) -> None:
    raise AssertionError("the examples were looked for")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["RULE"], "No trainable chooser is called 'RULE'"),
        (["LINER"], "Did you mean LINEAR"),
        (["LINEAR", "--set", "colour=red"], "No setting of LINEAR is called 'colour'"),
        (["LINEAR", "--set", "learner"], "--set learner gives no value"),
        (["LSTM", "--set", "epochs=many"], "--set epochs=many is no number"),
        (["LSTM", "--set", "noun=perhaps"], "--set noun=perhaps is neither yes nor no"),
        (["LINEAR", "--set", "learner=forest", "--data", "lessons.csv"], "No learner is called 'forest'"),
        (["LINEAR", "--set", "strength=strong"], "strength is a number or None."),
        (["LINEAR", "--set", "strength=0"], "strength=0.0 is not possible."),
        (["LSTM", "--set", "window=2.5"], "--set window=2.5 is no number. window is a whole number."),
        (["LSTM", "--set", "epochs=0"], "epochs=0 is not possible."),
        (["LSTM", "--set", "layers=0"], "layers=0 is not possible."),
        (["BERT", "--set", "dropout=1"], "dropout=1.0 is not possible. A number from 0, below 1."),
        (["LINEAR", "--data", "nowhere.csv"], "nowhere.csv"),
        (["LINEAR", "--seeds", "2", "--out", "mine"], "--out is one folder"),
    ],
)
@pytest.mark.usefixtures("lessons")
def test_what_cannot_be_is_said(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Whatever is wrong is told before the examples are looked for, which takes minutes in a large corpus.
    monkeypatch.setattr(ClassifierSlots, "items", too_late)
    assert outcome(["classifiers", "train", *arguments]) == 2
    assert message in capsys.readouterr().err
