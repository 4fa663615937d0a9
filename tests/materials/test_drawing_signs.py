"""Colours, shapes, textures and sizes by which values are drawn."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest

from hengliang import UserError
from hengliang.materials.drawing_signs import (
    CSS_COLOURS,
    SHAPES,
    SIZES,
    TEXTURES,
    Signs,
    is_colour,
    letter_size,
    letters_width,
    outline,
    pattern,
    signs_of,
)
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Value


def drawn(word: str, code: str = "A") -> Value:
    return Value("value", code, "value", "值", drawn=word)


def test_the_usual_kinds_are_squares_and_circles_in_two_colours() -> None:
    assert [signs_of(kind) for kind in DEFAULT_DOMAIN.kinds] == [
        *(
            Signs("square", "#1f5fbf"),
            Signs("circle", "#1f5fbf"),
            Signs("square", "#c8281e"),
            Signs("circle", "#c8281e"),
        )
    ]


def test_each_word_is_known_by_what_it_names() -> None:
    kind = [drawn("star"), drawn("teal"), drawn("dotted"), drawn("small")]
    assert signs_of(kind) == Signs("star", "teal", "dotted", SIZES["small"])
    # No word names two kinds of sign.
    words = [*SHAPES, *TEXTURES, *SIZES]
    assert len(set(words)) == len(words)
    assert not set(words) & CSS_COLOURS


def test_values_without_a_sign_are_told_by_their_codes() -> None:
    assert signs_of([drawn("", "B"), drawn("circle"), drawn("", "Sh")]) == Signs("circle", label="BSh")


@pytest.mark.parametrize(
    "word", ["red", "RebeccaPurple", "#abc", "#1F5FBF", "rgb(31, 95, 191)", "rgb(1 2 3)", "hsl(216, 72%, 44%)"]
)
def test_colours_as_css_writes_them(word: str) -> None:
    assert is_colour(word)


# What a browser would not understand, and what would fetch something or leave the attribute.
@pytest.mark.parametrize(
    "word", ["redd", "#12", "#ggg", "url(#x)", "url(http://x)", 'red" onload="x', "rgb(1,2)", "", "square"]
)
def test_what_is_no_colour(word: str) -> None:
    assert not is_colour(word)


def test_a_sign_that_nobody_can_draw_is_told() -> None:
    with pytest.raises(UserError, match=r"No way to draw a value is called 'squre'\. Did you mean square\?"):
        signs_of([drawn("squre")])


def test_there_are_as_many_colours_as_in_css() -> None:
    assert len(CSS_COLOURS) == 148


def points(shape: str) -> list[tuple[float, float]]:
    """Return the corners of a shape of radius 10 about the origin."""
    element = ElementTree.fromstring(outline(shape, 0, 0, 10) + "/>")
    return [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", element.get("points", ""))]


@pytest.mark.parametrize(
    ("shape", "corners"),
    [("triangle", 3), ("diamond", 4), ("star", 10), ("cross", 12), ("pentagon", 5), ("hexagon", 6)],
)
def test_shapes_have_their_corners_and_stay_within_their_radius(shape: str, corners: int) -> None:
    found = points(shape)
    assert len(found) == corners
    assert max(math.hypot(x, y) for x, y in found) <= 10.01
    # The same to the left and to the right.
    assert sorted((round(-x, 1) + 0, round(y, 1)) for x, y in found) == sorted(
        (round(x, 1) + 0, round(y, 1)) for x, y in found
    )


def test_a_square_and_a_circle_have_the_same_area() -> None:
    square = ElementTree.fromstring(outline("square", 50, 50, 10) + "/>")
    circle = ElementTree.fromstring(outline("circle", 50, 50, 10) + "/>")
    assert float(square.get("width", "")) ** 2 == pytest.approx(math.pi * float(circle.get("r", "")) ** 2, rel=0.01)


@pytest.mark.parametrize("texture", [one for one in TEXTURES if one != "plain"])
def test_textures_are_patterns_with_their_name(texture: str) -> None:
    assert ElementTree.fromstring(pattern(texture, "mine")).get("id") == "mine"


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("label", ["B", "BS", "WM", "BSh", "BlSh", "BlShMw"])
def test_letters_shrink_until_they_fit(shape: str, label: str) -> None:
    size = letter_size(label, shape, 14)
    # Wider than 1.6 radii nothing is, so that a square (1.77 radii) holds it; one letter is as large as it may be.
    assert size * letters_width(label) <= 1.6 * 14 + 0.05 * letters_width(label)
    assert 0 < size <= 14 and letter_size("I" + label, shape, 14) <= size
    assert letter_size("B", "square", 14) == 14
