"""Is a scene drawn with as many things of each kind as it holds?"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.people.tasks.scenes import CELL, KINDS, columns_of, drawn_scene, scene_fault


@given(st.dictionaries(st.sampled_from([kind.name for kind in KINDS]), st.integers(0, 30), min_size=1))
def test_everything_is_drawn_once_in_a_place_of_its_own(scene: dict[str, int]) -> None:
    if scene_fault(scene):
        assert sum(scene.values()) == 0
        return
    drawn = drawn_scene(scene, "en")
    assert drawn is not None
    kinds = Counter(f"{each['colour']} {each['shape']}" for each in drawn["things"])
    assert kinds == {name: count for name, count in scene.items() if count}
    places = {(each["x"], each["y"]) for each in drawn["things"]}
    assert len(places) == sum(scene.values())
    assert all(x + CELL <= drawn["width"] and y + CELL <= drawn["height"] for x, y in places)


def test_a_scene_is_told_in_words() -> None:
    scene = {"blue square": 6, "red circle": 3, "red square": 0}
    assert (drawn_scene(scene, "en") or {})["words"] == "red circles: 3, blue squares: 6"
    assert (drawn_scene(scene, "zh") or {})["words"] == "红色圆形：3，蓝色方形：6"
    assert drawn_scene(None, "en") is None
    assert columns_of(1) == 2


@pytest.mark.parametrize(
    ("scene", "said"),
    [
        ([], "count for some of"),
        ({}, "count for some of"),
        ({"green circle": 1}, "count for some of"),
        ({"red circle": "1"}, "no whole number"),
        ({"red circle": True}, "no whole number"),
        ({"red circle": -1}, "no whole number"),
        ({"red circle": 0}, "holds 0 things"),
        ({"red circle": 401}, "holds 401 things"),
    ],
)
def test_what_cannot_be_drawn(scene: Any, said: str) -> None:
    assert said in (scene_fault(scene) or "")
    assert scene_fault(None) is None
