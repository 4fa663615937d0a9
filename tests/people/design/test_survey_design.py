"""Is the survey that is designed the one that was asked for, and is what is impossible refused?"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path

import polars as pl
import pytest

from hengliang import Bilingual, UserError
from hengliang.experiments import Experiment, Plan, write_experiment
from hengliang.people.design.item_files import Items, read_items
from hengliang.people.design.item_order import ordered_versions, participant_order
from hengliang.people.design.list_division import divide
from hengliang.people.design.list_proof import check_proof, order_faults
from hengliang.people.design.survey_design import Wanted, design_survey, plan_of
from hengliang.people.sessions.settings import Settings
from hengliang.people.sessions.steps import Presentation
from hengliang.people.sessions.survey import read_survey
from hengliang.people.tasks.library import task_of
from hengliang.people.tasks.likert import LikertRating
from tests.people.design.made_lists import items_of, stimuli


def table(file: Path, *rows: str) -> Path:
    file.write_text("\n".join([*rows, ""]), encoding="utf-8")
    return file


@pytest.fixture
def items(tmp_path: Path) -> Items:
    """Twenty-four items, a third each with one, two and three variants, half of them in each block."""
    rows = [
        f"{number},第{number}句说法{variant}。,{'ABC'[variant]},{number % 2 + 1}"
        for number in range(24)
        for variant in range(1 + number % 3)
    ]
    return read_items(table(tmp_path / "items.csv", "item,text,system,block", *rows))


@pytest.fixture
def beside(tmp_path: Path) -> list[Items]:
    practice = table(tmp_path / "practice.csv", "item,text", "1,先练习一句。", "2,再练习一句。")
    fillers = table(tmp_path / "fillers.csv", "item,text", "1,这是一句填充。")
    catch = table(tmp_path / "catch.csv", "item,text,expected", "1,句这乱是的。,1-2", "2,的是乱这句。,1")
    return [read_items(practice, "practice"), read_items(fillers, "filler"), read_items(catch, "catch")]


WANTED = Wanted(versions=4, repeats=0.1, repeat_distance=4, seed=5)


def test_everything_together(items: Items, beside: list[Items], tmp_path: Path) -> None:
    settings = Settings(highlight="off", places=8)
    plan = Plan("fluency", margin=0.5, stopping_rule="eight a list", raters_per_item=8)
    made = design_survey(items, LikertRating(), WANTED, beside=beside, name="mine", plan=plan, settings=settings)
    # 8 · (1 + 2 + 3) = 48 targets in four lists of 12; a tenth of 12 is 1 repeat; 2 practice, 1 filler, 2 catch items.
    assert made.sizes() == dict.fromkeys("1234", 12 + 1 + 2 + 1 + 2)
    made.write(tmp_path / "out")
    survey = read_survey(tmp_path / "out")
    check_proof(survey.experiment, survey.design)
    assert survey.experiment.plan == plan and survey.settings == settings and survey.experiment.name == "mine"
    for rows in survey.lists.values():
        assert [row.about for row in rows[:2]] == beside[0].of_role("practice")
        assert Counter(row.role for row in rows) == {"target": 12, "practice": 2, "catch": 2, "filler": 1, "repeat": 1}
        assert Counter(row.block for row in rows if row.role == "target") == {1: 6, 2: 6}
    right = [survey.stimuli[about].details["expected"] for about in beside[2].of_role("catch")]
    assert right == [{"clarity": [1, 2], "fluency": [1, 2]}, {"clarity": 1, "fluency": 1}]


def test_every_participants_order_keeps_the_rules(items: Items, beside: list[Items], tmp_path: Path) -> None:
    design_survey(items, LikertRating(), WANTED, beside=beside).write(tmp_path / "out")
    survey = read_survey(tmp_path / "out")
    held = {about: stimulus.item for about, stimulus in survey.stimuli.items()}
    for version in survey.lists:
        for number in range(1, 21):
            shown = survey.presentations(version, participant_order(survey, version, number))
            assert order_faults([asdict(row) for row in shown], held, survey.design) == []


def test_the_order_of_rows_does_not_change_lists(items: Items, beside: list[Items]) -> None:
    turned = replace(items, stimuli=items.stimuli.sample(fraction=1, shuffle=True, seed=2))
    one, other = (design_survey(held, LikertRating(), WANTED, beside=beside) for held in (items, turned))
    assert one.design.proof == other.design.proof
    assert one.design.proof != design_survey(items, LikertRating(), replace(WANTED, seed=6), beside=beside).design.proof


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An experiment folder with two versions, as `hengliang classifiers experiment` writes it."""
    shown = stimuli([1, 1, 2, 3, 2, 1])
    lists = divide(shown, 2, seed=1)
    rows = {str(number): [Presentation(about) for about in held] for number, held in enumerate(lists, 1)}
    versions = ordered_versions(rows, items_of([row for held in rows.values() for row in held]))
    plan = Plan("fluency", family="all pairs")
    held = Experiment("made", Bilingual("made", "自拟"), LikertRating().scales(), shown, plan, versions=versions)
    write_experiment(tmp_path / "source", held)
    return tmp_path / "source"


def test_the_lists_of_a_folder_are_kept(folder: Path) -> None:
    items = read_items(folder)
    made = design_survey(items, LikertRating(), Wanted(seed=9))
    assert items.experiment is not None
    where = dict(items.experiment.versions.select("about", "version").iter_rows())
    assert dict(made.experiment.versions.select("about", "version").iter_rows()) == where
    assert made.design.lists == "clusters" and made.experiment.title.zh == "自拟"
    assert made.experiment.plan.family == "all pairs"
    anew = design_survey(items, LikertRating(), Wanted(lists="latin"))
    assert anew.design.lists == "latin" and anew.sizes() == dict.fromkeys("1234", 6)
    kept = design_survey(replace(items, experiment=anew.experiment), LikertRating())
    assert kept.design.lists == "latin"


def test_versions_that_are_neither(folder: Path) -> None:
    items = read_items(folder)
    assert items.experiment is not None
    mixed = items.experiment.versions.with_columns(
        version=pl.when(pl.col("about") == "3-2").then(pl.lit("1")).otherwise(pl.lit("2"))
    )
    with pytest.raises(UserError, match="neither whole clusters nor a Latin square"):
        design_survey(replace(items, experiment=replace(items.experiment, versions=mixed)), LikertRating())


def test_plans(folder: Path) -> None:
    source = read_items(folder).experiment
    scales = LikertRating().scales()
    assert plan_of(source, scales, {"margin": 0.3, "family": None}) == Plan("fluency", 0.3, "all pairs")
    slider = task_of("slider", {})
    assert plan_of(source, slider.scales(), {}) == Plan()
    assert design_survey(read_items(folder), slider, plan=Plan()).experiment.plan.primary_outcome == "rating"
    with pytest.raises(UserError, match="No scale of the task is called 'beauty'"):
        design_survey(read_items(folder), LikertRating(), plan=Plan("beauty"))


def test_of_several_scales_nobody_but_the_researchers_names_the_primary_outcome(items: Items) -> None:
    assert design_survey(items, LikertRating()).experiment.plan.primary_outcome == ""
    assert design_survey(items, LikertRating(), plan=Plan("clarity")).experiment.plan.primary_outcome == "clarity"


def test_what_is_impossible_is_refused_with_the_reason(tmp_path: Path, items: Items) -> None:
    crowded = read_items(table(tmp_path / "a.csv", "item,text", "1,甲", "1,乙", "1,丙", "2,丁"))
    with pytest.raises(UserError, match=r"Version 1: '1' has 3 of the 4 rows .* = 5 rows"):
        design_survey(crowded, LikertRating())
    assert design_survey(crowded, LikertRating(), Wanted(distance=1)).sizes() == {"1": 4}
    threes = read_items(table(tmp_path / "b.csv", "item,text", *(f"{n},{n}{w}" for n in range(10) for w in "甲乙丙")))
    with pytest.raises(UserError, match="Lists of 7 or 8 rows are not possible"):
        design_survey(threes, LikertRating(), Wanted(versions=4))
    uneven = design_survey(threes, LikertRating(), Wanted(versions=4, uneven=True))
    assert sorted(uneven.sizes().values()) == [6, 6, 9, 9] and uneven.design.uneven
    for wanted, message in (
        (Wanted(order="random"), "No kind of order is called 'random'"),
        (Wanted(distance=0), "A distance of 0 is none"),
        (Wanted(repeats=0.5), r"A share of 0\.5 cannot be repeated"),
        (Wanted(blocks="size"), "No target has a 'size'"),
    ):
        with pytest.raises(UserError, match=message):
            design_survey(items, LikertRating(), wanted)


def test_tasks_that_cannot_show_an_item(items: Items) -> None:
    with pytest.raises(
        UserError, match=r"The task 'reconstruction' cannot show '第0句说法0。' of the item '0': .*scene_size"
    ):
        design_survey(items, task_of("reconstruction", {}))


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("9", "on the scale 'clarity' is 9"),
        ("often", "on the scale 'clarity' is 'often'"),
        ("3-1", r"on the scale 'clarity' is \[\]"),
        ('"{""beauty"": 1}"', "on a scale 'beauty', which is not asked. Scales: clarity, fluency"),
    ],
)
def test_right_answers_that_are_on_no_scale(expected: str, message: str, items: Items, tmp_path: Path) -> None:
    catch = read_items(table(tmp_path / "catch.csv", "item,text,expected", f"1,乱,{expected}"), "catch")
    with pytest.raises(UserError, match=message):
        design_survey(items, LikertRating(), beside=[catch])


def test_a_right_answer_is_on_the_scale_of_words_not_on_its_side_or_time(tmp_path: Path) -> None:
    # An id that looks like a number is compared with what is stored, the text "2".
    rows = ('1,哪个好？,"[""甲"", ""乙""]",,', '2,选二。,"[""1"", ""2""]",catch,2')
    items = read_items(table(tmp_path / "choice.csv", "item,text,options,role,expected", *rows))
    made = design_survey(items, task_of("forced_choice", {}))
    expected = [json.loads(details).get("expected") for details in made.experiment.stimuli["details"]]
    assert expected == [None, {"choice": "2"}]
    asked = ("1,他走了。,,", "2,走他了。,catch,no", '3,了他走。,catch,"[""no"", ""yes""]"')
    items = read_items(table(tmp_path / "asked.csv", "item,text,role,expected", *asked))
    made = design_survey(items, task_of("speeded", {}))
    expected = [json.loads(details).get("expected") for details in made.experiment.stimuli["details"]]
    assert expected == [None, {"response": "no"}, {"response": ["no", "yes"]}]
    with pytest.raises(UserError, match=r"on the scale 'rating' is 'no'. A number\."):
        design_survey(
            read_items(table(tmp_path / "asked.csv", "item,text,role,expected", *asked[:2])), task_of("slider", {})
        )


def test_items_twice_or_without_targets(items: Items, beside: list[Items]) -> None:
    with pytest.raises(UserError, match="is there twice"):
        design_survey(items, LikertRating(), beside=[beside[0], beside[0]])
    with pytest.raises(UserError, match="There are no targets"):
        design_survey(beside[0], LikertRating())


def test_a_folder_that_is_not_new(items: Items, tmp_path: Path) -> None:
    made = design_survey(items, LikertRating())
    (tmp_path / "mine").mkdir()
    made.write(tmp_path / "mine")
    with pytest.raises(UserError, match=r"is not empty \(answers\.parquet\)"):
        made.write(tmp_path / "mine")
    with pytest.raises(UserError, match="is a file, not a folder"):
        made.write(tmp_path / "items.csv")


def test_the_design_is_in_the_folder(items: Items, tmp_path: Path) -> None:
    made = design_survey(items, LikertRating(), Wanted(versions=2, seed=3))
    made.write(tmp_path / "out")
    held = json.loads((tmp_path / "out" / "survey.json").read_text(encoding="utf-8"))
    assert held["design"]["proof"] == made.design.proof and held["design"]["seed"] == 3
    assert held["task"]["name"] == "likert"
