"""Does `hengliang scenes experiment` make a survey as a newcomer calls it, and refuse bad input?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hengliang import UserError
from hengliang.cli.scenes_experiment import experiment
from hengliang.scenes import pairs_frame
from hengliang.scenes import read_scene_pairs as read_pairs
from hengliang.surveys import read_survey
from tests.people.scene_examples import CODES, scene_pairs

Capture = pytest.CaptureFixture[str]


def run(*arguments: str | Path) -> None:
    experiment.main(args=[str(argument) for argument in arguments], standalone_mode=False)


@pytest.fixture(autouse=True)
def pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pairs_frame(scene_pairs()).write_csv(tmp_path / "pairs.csv")


def test_it_says_who_reads_what_and_writes_it(capsys: Capture) -> None:
    run("pairs.csv", "--readers", "3", "--participants", "6", "--out", "made")
    shown = capsys.readouterr().out
    # Five scenes, two descriptions each; 10 × 3 readings over 6 people are 5 each.
    assert "10 pairs of 5 scenes; IA 5, GREEDY 5." in shown
    assert "Pairs by size: 4: 4, 9: 6." in shown
    assert "Each pair by 3 of 6 participants, who see 5 pairs each." in shown
    assert "nobody meets a scene twice" in shown
    assert "hengliang survey simulate made --participants 6 --model made/simulated.toml" in shown
    survey = read_survey(Path("made"))
    assert survey.task.name == "reconstruction" and len(survey.lists) == 6
    with pytest.raises(UserError, match="is not empty"):
        run("pairs.csv", "--out", "made")


def test_experts_judge_a_share(capsys: Capture) -> None:
    run("pairs.csv", "--ratings", "--experts", "3", "--share", "1/3", "--out", "experts")
    assert "Each pair by 1 of 3 participants, who see 3–4 pairs each." in capsys.readouterr().out
    survey = read_survey(Path("experts"))
    assert [scale.name for scale in survey.task.scales()] == ["naturalness", "informativity", "correctness"]
    run("pairs.csv", "--ratings", "--experts", "2")
    assert "10 times somebody meets a scene again, which 2 participants cannot avoid." in capsys.readouterr().out


def as_json(capsys: Capture, *arguments: str) -> dict[str, Any]:
    run(*arguments, "--json")
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def test_the_plans_of_the_paper(capsys: Capture, tmp_path: Path) -> None:
    chinese = as_json(capsys, "B", "--language", "zh", "--out", "b")
    assert len(chinese["pairs"]) == 36 and chinese["describers"] == {"QDG-IA": 18, "QDG-GREEDY": 18}
    assert sorted(chinese["loads"]) == [3] * 8 + [4] * 12 and chinese["scenes_met_again"] == 0
    assert len(read_pairs(Path("b/pairs.csv"))) == 36
    assert len(as_json(capsys, "A", "--language", "zh")["pairs"]) == 20
    assert as_json(capsys, "b", "--language", "zh") == {**chinese, "survey": None}


def test_people_describe_the_scenes_of_plan_a(capsys: Capture, tmp_path: Path) -> None:
    from hengliang.scenes import PLANS, planned_scenes

    rows = [f"{number},{scene.code},One person's words." for number, scene in enumerate(planned_scenes(PLANS["A"]))]
    Path("told.csv").write_text("\n".join(["subject,scene,text", *rows]) + "\n", encoding="utf-8")
    told = as_json(capsys, "A", "--descriptions", "told.csv")
    assert told["describers"] == {"Human": 10, "QDG-IA": 10, "QDG-GREEDY": 10}
    assert told["loads"] == [6] * 20 and told["readers"] == 4


@pytest.mark.mirror
def test_the_corpus_itself(capsys: Capture, mirror: Path) -> None:
    told = as_json(capsys, "A")
    assert told["describers"] == {"Human": 10, "QDG-IA": 10, "QDG-GREEDY": 10} and told["loads"] == [6] * 20


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("pairs.csv", "--participants", "3"), "4 different readers, but there are 3 participants"),
        (("pairs.csv", "--readers", "1", "--participants", "11"), "of 11 participants 1 would have nothing"),
        (("nowhere.csv",), "Cannot read nowhere.csv"),
        (("C",), "C is not a table of pairs, and no plan is called so. A or B, or a file that ends in .csv"),
        (("told",), "told is not a table of pairs, and no plan is called so. A or B"),
        (("pairs.csv", "--language", "zh"), "--language cannot be used here: this is for A and B"),
        (("pairs.csv", "--experts", "3"), "--experts cannot be used here: this is for experts"),
        (("pairs.csv", "--ratings", "--readers", "3"), "--readers cannot be used here"),
        (("pairs.csv", "--ratings", "--share", "2"), "--share 2 is no share"),
        (("pairs.csv", "--ratings", "--share", "half"), "--share half is no share"),
        (("pairs.csv", "--ratings", "--share", "1/3"), "4 experts with a share of 0.333333 are 1.33333"),
        (("B", "--descriptions", "x.csv"), "B in en has none by people"),
        (("B", "--domain", "x.toml"), "--domain cannot be used here"),
    ],
)
def test_bad_input_is_refused(arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(UserError, match=said):
        run(*arguments)


def test_a_wrong_size_is_mended_in_the_file() -> None:
    Path("wrong.csv").write_text(f"describer,scene,scene_size,text\nX,{CODES[0]},5,Fine.\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"line 2: .* add up to 4, not to 5. Change the counts or the size.$"):
        run("wrong.csv")


def test_a_wrong_line_is_named() -> None:
    Path("wrong.csv").write_text(f"describer,scene,text\nX,{CODES[0]},Fine.\nX,BS=x,Not fine.\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"wrong.csv, line 3: 'BS=x' is no scene"):
        run("wrong.csv")
