"""Do the counts of a scene add up, or is it said that they do not?"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Bilingual
from hengliang.people.tasks.reconstruction import Reconstruction, size_of
from hengliang.people.tasks.scenes import KINDS, Kind, kinds_of
from hengliang.surveys import task_of
from tests.people.scene_examples import ANIMALS, SIGNS
from tests.people.tasks.examples import EXAMPLES, SCENE

TASK = Reconstruction()
SCREEN = EXAMPLES["reconstruction"].screen
FIELDS = [f"answer-{kind.name}" for kind in KINDS]


@given(st.lists(st.integers(0, 30), min_size=4, max_size=4), st.integers(1, 60))
def test_counts_are_taken_exactly_when_they_add_up(counts: list[int], size: int) -> None:
    stimulus = replace(SCENE, details={"scene_size": size})
    reading = TASK.read(dict(zip(FIELDS, map(str, counts), strict=True)), stimulus, SCREEN)
    if sum(counts) == size:
        assert [(each.scale, each.value) for each in reading.given] == [
            (kind.name, float(count)) for kind, count in zip(KINDS, counts, strict=True)
        ]
    else:
        assert reading.given == ()
        assert reading.problems


def test_a_wrong_sum_is_told_with_both_numbers() -> None:
    reading = TASK.read(dict(zip(FIELDS, "1110", strict=True)), SCENE, SCREEN)
    assert [(each.field, each.message.en) for each in reading.problems] == [
        ("detail-sum", "The counts add up to 3; the scene holds 4. Please change them.")
    ]
    assert reading.problems[0].message.zh == "您填写的数量之和为 3，而场景中图形的总数为 4，请修改。"


@pytest.mark.parametrize("typed", ["-1", "1.0", "5", "nan", "inf", "一", "9" * 400, "0x1", "²"])
def test_what_is_no_count(typed: str) -> None:
    form = dict(zip(FIELDS, [typed, "1", "1", "1"], strict=True))
    problems = TASK.read(form, SCENE, SCREEN).problems
    assert [(each.field, each.message.en) for each in problems] == [
        ("answer-red circle", "Please write a whole number from 0 to 4.")
    ]


def test_full_width_digits_count_and_an_empty_field_is_not_zero() -> None:
    assert TASK.read(dict(zip(FIELDS, ["２", "１", "１", "０"], strict=True)), SCENE, SCREEN).problems == ()
    missing = TASK.read({**dict.fromkeys(FIELDS, "2"), FIELDS[3]: ""}, SCENE, SCREEN).problems
    assert [(each.field, each.message.en) for each in missing] == [
        ("answer-blue square", "Please answer this question. Write 0 where there are none.")
    ]


@pytest.mark.parametrize("size", [None, 0, -1, 401, "4", 4.0, True, [4]])
def test_a_scene_without_a_size(size: Any) -> None:
    stimulus = replace(SCENE, details={"scene_size": size})
    assert size_of(stimulus) == 0
    assert TASK.check(stimulus) == 'its details need "scene_size", a whole number from 1 to 400'


def test_one_column_a_kind() -> None:
    assert [column.scale for column in TASK.columns()] == ["red circle", "red square", "blue circle", "blue square"]
    assert TASK.columns()[3].meaning.zh == "蓝色方形的数量。"
    assert TASK.shown(SCENE, SCREEN, "zh", 0)["size_words"] == "该场景中图形的总数：4。没有的请填 0。"


def test_things_are_called_by_the_words_of_the_domain() -> None:
    task = Reconstruction(kinds=kinds_of(ANIMALS), things=Bilingual("animals", "动物"))
    again = task_of("reconstruction", json.loads(json.dumps(task.parameters())))
    assert again == task
    for language, word, others in (("en", "animals", "thing|object"), ("zh", "动物", "物体|图形|个")):
        shown = task.shown(SCENE, SCREEN, language, 0)  # type: ignore[arg-type]
        told = [shown["question"], shown["size_words"], *shown["sum_words"].values()]
        assert word in told[0] and word in told[1] and not re.search(others, "".join(told))
    wrong = task.read({f"answer-{kind.name}": "0" for kind in task.kinds}, SCENE, SCREEN).problems
    assert [each.message.zh for each in wrong] == ["您填写的数量之和为 0，而场景中动物的总数为 4，请修改。"]
    assert task.shown(SCENE, SCREEN, "en", 0)["size_words"].startswith("Number of animals in the scene: 4.")
    # Braces in a question of one's own are left alone.
    own = Reconstruction(question=Bilingual("{x} {things}?", "{x}？"))
    assert own.shown(SCENE, SCREEN, "en", 0)["question"] == "{x} objects?"


def test_kinds_of_a_domain_of_ones_own() -> None:
    drawn, told = Reconstruction(kinds=kinds_of(SIGNS)), Reconstruction(kinds=kinds_of(ANIMALS))
    assert drawn.fault() is None and told.fault() is None
    assert drawn.shown(SCENE, SCREEN, "en", 0)["drawn"] and not told.shown(SCENE, SCREEN, "en", 0)["drawn"]
    wrong = Reconstruction(kinds=(*KINDS[:1], Kind("x", Bilingual("x", "甲"), "circle", "mauve")))
    assert wrong.fault() == "the colour of 'x' is 'mauve', not one of red, blue, green, black or as #1f5fbf"
    assert Reconstruction(kinds=KINDS[:1]).fault() == "it needs two kinds or more"
