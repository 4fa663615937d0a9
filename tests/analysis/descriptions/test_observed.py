"""Is what is counted in descriptions what one counts by hand?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.analysis.descriptions.observed import (
    attributes_in,
    counts_in_forms,
    number_of_words,
    observe,
    parse_all,
    places,
)
from hengliang.materials.quantified_expressions import is_true, read_expression
from hengliang.materials.quantified_properties import read_property
from hengliang.materials.quantifiers import READINGS, Reading
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.materials.scenes import Scene, read_scene, scene_space
from hengliang.systems.readers.parsing import Parse
from tests.analysis.descriptions.described import TEMPLATES, corpus, forms, parse


@pytest.mark.parametrize(
    ("text", "words"),
    [("", 0), ("All red.", 2), ("they're all red-ish, 3 in all", 6), ("一半是红色的。", 6), ("one — two … three", 3)],
)
def test_words(text: str, words: int) -> None:
    assert number_of_words(text) == words


def test_one_description_by_hand() -> None:
    frame = corpus([("s1", "BS=2 RS=2", "All are squares, many blue.")])
    row = observe(frame, [parse("all(object, square)", "half(square, blue)")]).row(0, named=True)
    # All squares, half blue: of the scenes of four things only two blue and two red squares are left.
    expected = {
        "subject": "s1", "scene_key": "4-1", "words": 5, "characters": 23, "vague_word_narrow": True, "whole": True,
        "read": True, "expressions": 2, "vague_narrow": 0, "left_pragmatic": 1, "complete_semantic": True,
        "holds_pragmatic": True, "success_pragmatic": True,
    }  # fmt: skip
    assert {name: row[name] for name in expected} == expected


def test_nothing_read() -> None:
    frame = corpus([("s1", "BS=4", "Hello there.")])
    row = observe(frame, [Parse((), ("Hello there",))]).row(0, named=True)
    # C(4 + 3, 3) = 35 scenes remain when nothing is said.
    assert (row["read"], row["whole"], row["expressions"], row["left_pragmatic"]) == (False, False, 0, 35)
    assert (row["complete_pragmatic"], row["holds_pragmatic"]) == (False, True)


@given(st.integers(0, len(TEMPLATES) - 1), st.sampled_from(["BS=2 RS=2", "BC=4", "BS=1 RC=3", "BS=4 RS=5"]))
def test_what_is_left_is_what_is_true(place: int, code: str) -> None:
    scene, expressions = read_scene(code), forms(*TEMPLATES[place][1])
    counted = counts_in_forms(expressions, scene)
    faults = [reading for reading in READINGS if not _same(counted, expressions, scene, reading)]
    assert not faults


def _same(counted: dict[str, object], expressions: tuple, scene: Scene, reading: Reading) -> bool:  # type: ignore[type-arg]
    space = scene_space(DEFAULT_DOMAIN, scene.size)
    scenes = [Scene(tuple(row)) for row in space.counts.tolist()]
    left = [one for one in scenes if all(is_true(said, one, reading) for said in expressions)]
    found = [counted[f"{name}_{reading}"] for name in ("left", "complete", "holds", "success")]
    return found == [len(left), len(left) == 1, scene in left, left == [scene]]


def test_attributes() -> None:
    held = [read_property(text, DEFAULT_DOMAIN) for text in ("object", "blue", "red square")]
    named = [attributes_in(one, DEFAULT_DOMAIN) for one in held]
    assert named == [set(), {"colour"}, {"colour", "shape"}]
    assert attributes_in(read_property("blue or square", DEFAULT_DOMAIN), DEFAULT_DOMAIN) == {"colour", "shape"}


@pytest.mark.parametrize(
    ("written", "first", "filled"),
    [
        ("half(square, red)", True, "shape first"),
        ("half(red, square)", False, "colour first"),
        ("only(circle, red)", True, "only has two places, too"),
        ("half(object, red)", None, "nothing is named in the first place"),
        ("half(square, red circle)", None, "the second place names both"),
        ("half(red square, red)", None, "the first place names both"),
        ("half(square, circle)", None, "both places name the shape"),
        ("half(blue, red)", None, "no place names the shape"),
    ],
)
def test_which_attribute_is_first(written: str, first: bool | None, filled: str) -> None:
    assert filled
    assert places(corpus([("s", "BS=4", "")]), [parse(written)])["shape_first"].to_list() == [first]


@pytest.mark.parametrize(
    ("written", "first_shape", "second_colour", "order"),
    [
        ("half(square, red)", True, True, 1),
        ("half(red, square)", False, False, -1),
        ("half(square, red circle)", True, None, 1),
        ("half(red square, red)", None, True, 1),
        ("half(red, blue square)", False, None, -1),
        ("half(red square, circle)", None, False, -1),
        ("half(red square, blue circle)", None, None, 0),
        ("half(square, circle)", True, False, None),
        ("half(blue, red)", False, True, None),
        ("half(object, red)", None, True, None),
    ],
)
def test_places(written: str, first_shape: bool | None, second_colour: bool | None, order: int | None) -> None:
    rows = places(corpus([("s", "BS=4", "")]), [parse(written)])
    assert rows.select("first_shape", "second_colour", "order").rows() == [(first_shape, second_colour, order)]


def test_expressions_know_their_description() -> None:
    frame = corpus([("s", "BS=4", ""), ("s", "BS=4", "")])
    rows = places(frame, [parse("half(square, red)", "half(red, square)"), parse("most(square, red)")])
    assert rows["description_id"].to_list() == ["d0000", "d0000", "d0001"]


def test_comparisons_and_kinds_have_no_argument_places() -> None:
    held = parse("more(square, circle)", "there are(blue or red)", "all kinds(object)", "half(object, blue square)")
    rows = places(corpus([("s", "BS=4", "")]), [held])
    assert rows["quantifier"].to_list() == ["half"]
    # Nothing in the first place; shape and colour in the second: neither says anything about their order.
    assert rows.select("first_shape", "second_colour", "shape_first", "order").rows() == [(None,) * 4]


def test_equal_texts_are_parsed_alike() -> None:
    frame = corpus([("a", "BS=4", "All objects are blue."), ("b", "BS=4", "All objects are blue.")])
    one, other = parse_all(frame)
    assert one is other
    assert one.expressions == (read_expression("all(object, blue)", DEFAULT_DOMAIN),)
