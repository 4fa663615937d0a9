"""Scenes as images: right counts, no overlap, the same by the same seed, readable for those who do not see them."""

from __future__ import annotations

import itertools
import math
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.materials.drawing_signs import SHAPES, letters_width
from hengliang.materials.scene_domains import Attribute, Domain, Value
from hengliang.materials.scene_drawing import RADIUS, draw_scene, layout, scene_in_words
from hengliang.materials.scenes import Scene, read_scene
from tests.quantifiers_in_words import ANIMALS

SVG = "{http://www.w3.org/2000/svg}"
scenes = st.lists(st.integers(0, 12), min_size=4, max_size=4).filter(any).map(tuple).map(Scene)


def shapes_in(image: str) -> list[tuple[str, str]]:
    """Return the shapes of an image with their colours, without the ground and without textures."""
    root = ElementTree.fromstring(image)
    every = [one for one in root if one.tag.removeprefix(SVG) in {"circle", "rect", "polygon"} and one.get("stroke")]
    return [(one.tag.removeprefix(SVG), one.get("fill", "")) for one in every if "url" not in one.get("fill", "")]


@given(scenes, st.integers())
def test_as_many_things_are_drawn_as_there_are(scene: Scene, seed: int) -> None:
    found = shapes_in(draw_scene(scene, seed))
    signs = [("rect", "#1f5fbf"), ("circle", "#1f5fbf"), ("rect", "#c8281e"), ("circle", "#c8281e")]
    assert tuple(found.count(one) for one in signs) == scene.counts
    assert len(found) == scene.size


@given(scenes, st.integers())
def test_nothing_touches_anything_or_leaves_the_picture(scene: Scene, seed: int) -> None:
    placed = layout(scene, seed)
    reach = RADIUS + 0.5  # half of the line lies outside
    inside = [
        thing
        for thing in placed.things
        if reach <= thing.x <= placed.width - reach and reach <= thing.y <= placed.height - reach
    ]
    assert len(inside) == scene.size
    apart = [math.hypot(a.x - b.x, a.y - b.y) for a, b in itertools.combinations(placed.things, 2)]
    assert min(apart, default=math.inf) > 2 * reach


@given(scenes, st.integers(), st.booleans())
def test_the_same_seed_draws_the_same_image(scene: Scene, seed: int, textures: bool) -> None:
    assert draw_scene(scene, seed, textures=textures) == draw_scene(scene, seed, textures=textures)


def test_another_seed_puts_things_elsewhere() -> None:
    scene = read_scene("BS=3 BC=7 RS=4 RC=6")
    assert len({layout(scene, seed) for seed in range(20)}) == 20


def test_kinds_are_mixed() -> None:
    """Of ten blue and ten red things some red one comes before some blue one; and not always the same way."""
    orders = {tuple(thing.kind for thing in layout(read_scene("BS=10 RC=10"), seed).things) for seed in range(20)}
    assert len(orders) == 20
    assert not {(0,) * 10 + (3,) * 10, (3,) * 10 + (0,) * 10} & orders


def test_the_largest_scene_is_drawn() -> None:
    assert len(shapes_in(draw_scene(read_scene("BS=100 BC=100 RS=100 RC=100")))) == 400


def told(image: str) -> dict[str, str]:
    """Return titles and descriptions by their language."""
    root = ElementTree.fromstring(image)
    found = [one for one in root if one.tag in {f"{SVG}title", f"{SVG}desc"}]
    return {f"{one.tag.removeprefix(SVG)} {one.get('lang')}": one.text or "" for one in found}


def test_who_does_not_see_it_is_told_in_both_languages() -> None:
    image = draw_scene(read_scene("BS=1 RC=3"))
    assert told(image) == {
        "title en": "A scene of 4 objects",
        "title zh-Hans": "场景，图形数：4",
        "desc en": "1 blue square, 3 red circles",
        "desc zh-Hans": "蓝色方形：1，红色圆形：3",
    }
    root = ElementTree.fromstring(image)
    assert root.get("role") == "img"
    named = {one.get("id") for one in root if one.get("id")}
    assert set((root.get("aria-labelledby") or "").split()) == named
    assert len(named) == 4


def test_who_does_not_see_it_is_told_in_one_language() -> None:
    assert set(told(draw_scene(read_scene("BS=1"), language="zh"))) == {"title zh-Hans", "desc zh-Hans"}
    assert told(draw_scene(read_scene("BS=1"), language="en"))["title en"] == "A scene of 1 object"


def test_words_of_a_domain_with_and_without_nouns() -> None:
    assert scene_in_words(Scene((1, 0, 0, 2, 0, 0), ANIMALS)).en == "1 black cat, 2 white dogs"
    assert scene_in_words(Scene((1, 0, 0, 2, 0, 0), ANIMALS)).zh == "黑色的猫：1，白色的狗：2"
    plain = Domain("plain", (Attribute("colour", (Value("a", "A", "ash", "灰"), Value("b", "B", "bay", "棕"))),))
    assert scene_in_words(Scene((1, 2), plain)).en == "1 ash object, 2 bay objects"
    assert scene_in_words(Scene((1, 2), plain)).zh == "灰图形：1，棕图形：2"


def test_values_without_a_drawing_carry_their_letters() -> None:
    root = ElementTree.fromstring(draw_scene(Scene((1, 0, 0, 2, 0, 0), ANIMALS)))
    assert sorted(one.text or "" for one in root.iter(f"{SVG}text")) == ["BC", "WD", "WD"]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("codes", [("B", "S"), ("W", "M"), ("Bl", "Sh"), ("Wm", "Mw")])
def test_letters_stay_within_what_is_drawn(shape: str, codes: tuple[str, str]) -> None:
    other = Attribute("other", (Value("a", codes[0], "ash", "灰"), Value("b", "X", "bay", "棕")))
    more = Attribute("more", (Value("c", codes[1], "coy", "羞"), Value("d", "Y", "dry", "干")))
    form = Attribute("form", (Value("e", "E", "even", "平", drawn=shape), Value("f", "F", "firm", "坚", drawn="small")))
    image = draw_scene(Scene((1,) + (0,) * 7, Domain("lettered", (other, more, form))))
    letters = next(ElementTree.fromstring(image).iter(f"{SVG}text"))
    assert letters.text == "".join(codes)
    # A bold letter is at most as wide as its size; a square of radius 14 is 2 × 14 × √π / 2 = 24.8 wide.
    assert float(letters.get("font-size", "")) * letters_width("".join(codes)) <= 24.8
    assert float(letters.get("font-size", "")) >= 2


def test_every_shape_is_drawn() -> None:
    values = tuple(Value(shape, chr(65 + place), shape, shape, drawn=shape) for place, shape in enumerate(SHAPES))
    domain = Domain("shapes", (Attribute("shape", values, noun=True),))
    assert len(shapes_in(draw_scene(Scene((1,) * len(SHAPES), domain)))) == len(SHAPES)


def test_textures_tell_colours_apart_without_colour() -> None:
    root = ElementTree.fromstring(draw_scene(read_scene("BS=2 RC=3"), textures=True))
    patterns = {one.get("id") for one in root.iter(f"{SVG}pattern")}
    laid_over = [one.get("fill", "")[5:-1] for one in root if "url" in one.get("fill", "")]
    # The first colour stays plain, the second is striped: three red circles.
    assert len(laid_over) == 3
    assert set(laid_over) == patterns
    assert "pattern" not in draw_scene(read_scene("BS=2 RC=3"))


def test_images_on_one_page_share_no_ids() -> None:
    images = [draw_scene(read_scene(code), seed) for code in ("BS=2", "RC=2") for seed in (1, 2)]
    ids = [one.get("id") for image in images for one in ElementTree.fromstring(image).iter() if one.get("id")]
    assert len(ids) == len(set(ids))


def test_words_are_escaped() -> None:
    evil = "<script>alert(1)</script>&\x01"
    values = (Value("a", "A", evil, evil, evil, drawn="circle"), Value("b", "B", "b", "乙", drawn="square"))
    image = draw_scene(Scene((1, 1), Domain("evil", (Attribute("kind", values, noun=True),), evil, evil, evil)))
    assert "<script>" not in image
    assert "<script>alert(1)</script>&\ufffd" in told(image)["desc en"]


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        ("circle", "circle", "A b looks like a a in alike"),
        ("circle", "nonsense", "No way to draw a value is called 'nonsense'"),
        ("circle", 'red" onload="alert(1)', "No way to draw a value"),
    ],
)
def test_what_cannot_be_drawn_is_told(one: str, other: str, message: str) -> None:
    values = (Value("a", "A", "a", "甲", drawn=one), Value("b", "B", "b", "乙", drawn=other))
    with pytest.raises(UserError) as error:
        draw_scene(Scene((1, 1), Domain("alike", (Attribute("kind", values),))))
    assert message in str(error.value)


def test_counts_that_are_no_scene_are_told() -> None:
    with pytest.raises(UserError, match="A scene cannot hold 0 things"):
        draw_scene(Scene((0, 0, 0, 0)))


def test_an_image_is_rendered() -> None:
    converter = pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    png = converter.svg_to_png(draw_scene(read_scene("BS=2 RC=2"), 3, textures=True), scale=1)
    assert png.startswith(b"\x89PNG")
    # The header of a PNG has width and height at bytes 16 to 24: three by two cells of 40.
    assert (int.from_bytes(png[16:20]), int.from_bytes(png[20:24])) == (120, 80)
