"""Is a scene drawn with as many things of each kind as it holds?"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Bilingual
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Attribute, Domain, Value
from hengliang.people.tasks.scenes import (
    CELL,
    KINDS,
    Kind,
    columns_of,
    drawable,
    drawn_scene,
    is_colour,
    kinds_fault,
    kinds_in,
    kinds_of,
    kinds_told,
    scene_fault,
)
from tests.people.scene_examples import ANIMALS, SIGNS


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


def test_the_kinds_of_the_default_domain_are_those_of_the_paper() -> None:
    made = {kind.name: kind for kind in kinds_of(DEFAULT_DOMAIN)}
    assert {name: (kind.words, kind.shape) for name, kind in made.items()} == {
        kind.name: (kind.words, kind.shape) for kind in KINDS
    }
    # Colours are the domain's own.
    assert (made["blue circle"].colour, made["red circle"].colour) == ("#1f5fbf", "#c8281e")


def test_kinds_of_ones_own_are_drawn_or_told() -> None:
    signs = kinds_of(SIGNS)
    assert [(kind.name, kind.shape, kind.colour) for kind in signs] == [
        ("green triangle", "triangle", "green"),
        ("green diamond", "diamond", "green"),
        ("ochre triangle", "triangle", "#b8860b"),
        ("ochre diamond", "diamond", "#b8860b"),
    ]
    assert signs[3].words == Bilingual("ochre diamonds", "赭色菱形") and drawable(signs)
    animals = kinds_of(ANIMALS)
    assert [kind.words.en for kind in animals] == ["black cats", "black dogs", "white cats", "white dogs"]
    assert {kind.shape for kind in animals} == {""} and not drawable(animals) and kinds_fault(animals) is None


def test_what_a_drawing_would_lose_is_told() -> None:
    sizes = Attribute("size", (Value("large", "L", "large", "大"), Value("small", "S", "small", "小")))
    # Large and small green triangles look the same; and two things that differ in colour only have no shape.
    for attributes in ((sizes, *SIGNS.attributes), SIGNS.attributes[:1], (sizes, SIGNS.attributes[0])):
        assert not drawable(kinds_of(Domain("more", attributes)))
    # Without a noun a thing is called by the domain's word.
    assert kinds_of(Domain("plain", SIGNS.attributes[:1]))[0].words == Bilingual("green objects", "绿色图形")


def test_a_scene_of_words_and_a_scene_that_is_laid_out() -> None:
    details = {"kinds": kinds_told(kinds_of(ANIMALS))}
    assert kinds_in(details) == kinds_of(ANIMALS) and kinds_in({}) == KINDS
    told = drawn_scene({"black cat": 2, "white dog": 1}, "en", details) or {}
    assert (told["words"], told["things"], told["drawn"]) == ("black cats: 2, white dogs: 1", [], False)
    scene = {"red circle": 8, "blue square": 8}
    plain, laid = (drawn_scene(scene, "en", {"layout": layout}) or {} for layout in (None, "7"))
    kinds = [[each["colour"] for each in drawn["things"]] for drawn in (plain, laid)]
    assert kinds[0] == ["red"] * 8 + ["blue"] * 8 != kinds[1] and sorted(kinds[0]) == sorted(kinds[1])
    assert drawn_scene(scene, "zh", {"layout": "7"})["things"] == laid["things"]  # type: ignore[index]


@given(st.integers(1, 60), st.integers(0, 60), st.text(max_size=4))
def test_a_scene_that_is_laid_out_fills_no_table_and_nothing_touches(red: int, blue: int, seed: str) -> None:
    scene = {"red circle": red, "blue square": blue}
    drawn = drawn_scene(scene, "en", {"layout": seed, "kinds": kinds_told(kinds_of(DEFAULT_DOMAIN))}) or {}
    places = [(each["x"], each["y"]) for each in drawn["things"]]
    assert len(places) == red + blue
    assert all(0 <= x <= drawn["width"] - CELL and 0 <= y <= drawn["height"] - CELL for x, y in places)
    # Each thing stands in a cell of its own, a square of 30 in which its own square of 24 may move by 6.
    assert len({(x // 30, y // 30) for x, y in places}) == red + blue
    assert all(x % 30 <= 6 and y % 30 <= 6 for x, y in places)
    # The domain's colours, as in a drawing.
    assert {each["colour"] for each in drawn["things"]} <= {"#1f5fbf", "#c8281e"}


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        ([{"name": "x"}], "not a list of name"),
        (3, "not a list of name"),
        ([{"name": "x", "words": {"en": "x", "zh": "x"}, "shape": "star", "colour": "red"}], "the shape of 'x' is"),
        ([{"name": "x", "words": {"en": "x", "zh": "x"}, "shape": "circle", "colour": "mauve"}], "the colour of 'x'"),
        ([{"name": "x", "words": {"en": "x", "zh": "x"}, "shape": "circle", "colour": "#12345"}], "the colour of 'x'"),
    ],
)
def test_kinds_that_cannot_be_shown(kinds: Any, said: str) -> None:
    assert said in (scene_fault({"x": 1}, {"kinds": kinds}) or "")


def test_two_kinds_that_look_the_same_are_not_drawn() -> None:
    twins = [Kind(name, Bilingual(name, name), "circle", "red") for name in ("one", "two")]
    assert not drawable(twins) and kinds_fault(twins) is None
    assert is_colour("#ABCDEF") and not is_colour('"><script>') and not is_colour("")
