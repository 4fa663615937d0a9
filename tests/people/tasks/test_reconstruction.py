"""Do the counts of a scene add up, or is it said that they do not?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.people.tasks.reconstruction import Reconstruction, size_of
from hengliang.people.tasks.scenes import KINDS
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
    assert reading.problems[0].message.zh == "您填写的数量之和为 3，而场景中共有 4 个物体，请修改。"


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
    assert TASK.shown(SCENE, SCREEN, "zh", 0)["size_words"] == "该场景共有 4 个物体。没有的请填 0。"
