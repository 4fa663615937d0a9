"""Of which kinds are the things in a scene, and how is a scene drawn?

A kind is drawn when its shape and colour are known to the page, and told apart from all others by them. Kinds of a
domain of one's own that cannot be drawn (a size, a pattern, an animal) are told in words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Any, Literal, get_args

from hengliang.core.signature import number_of
from hengliang.core.terms import Bilingual, Language
from hengliang.materials.kind_words import kind_words
from hengliang.materials.scene_domains import Domain, Value

Shape = Literal["circle", "square", "triangle", "diamond", ""]
"""How a thing is drawn; nothing: in words only."""
SHAPES: tuple[Shape, ...] = tuple(shape for shape in get_args(Shape) if shape)
COLOURS = ("red", "blue", "green", "black")
"""Colours that the page knows by name; any other is written as #1f5fbf."""
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")

CELL = 24
"""The side of the square that a drawn thing stands in."""
ASIDE, ROOM, SCALE = 3, 1.25, 1.6
"""In a scene that is laid out: how far a thing may be off the middle, and how many cells there are for each thing; and
how much larger than in a live drawing a scene is shown that is to be judged."""
LARGEST_SCENE = 400


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of thing; `name` is its scale. Without a shape it is not drawn."""

    name: str
    words: Bilingual
    shape: Shape
    colour: str


KINDS = (
    Kind("red circle", Bilingual("red circles", "红色圆形"), "circle", "red"),
    Kind("red square", Bilingual("red squares", "红色方形"), "square", "red"),
    Kind("blue circle", Bilingual("blue circles", "蓝色圆形"), "circle", "blue"),
    Kind("blue square", Bilingual("blue squares", "蓝色方形"), "square", "blue"),
)
"""The kinds of paper 001: circles and squares, red and blue."""


def is_colour(text: str) -> bool:
    """Return whether a page can show a colour.

    >>> is_colour("green"), is_colour("#1f5fbf"), is_colour("mauve")
    (True, True, False)
    """
    return text in COLOURS or _COLOUR.fullmatch(text) is not None


def drawable(kinds: Sequence[Kind]) -> bool:
    """Return whether all of these can be drawn, and no two look the same."""
    looks = {(kind.shape, kind.colour) for kind in kinds}
    return len(looks) == len(kinds) and all(kind.shape and is_colour(kind.colour) for kind in kinds)


def kinds_fault(kinds: Sequence[Kind]) -> str | None:
    """Return why these kinds cannot be shown, or nothing."""
    for kind in kinds:
        if kind.shape not in (*SHAPES, ""):
            return f"the shape of '{kind.name}' is '{kind.shape}', not one of {', '.join(SHAPES)}"
        if kind.shape and not is_colour(kind.colour):
            return f"the colour of '{kind.name}' is '{kind.colour}', not one of {', '.join(COLOURS)} or as #1f5fbf"
    return None


def kinds_of(domain: Domain) -> tuple[Kind, ...]:
    """Return the kinds of a domain, drawn where one attribute is a shape, the other a colour, and there is no third."""
    made = tuple(
        Kind(name, kind_words(domain, values), *_look(values))
        for name, values in zip(domain.kind_names, domain.kinds, strict=True)
    )
    if drawable(made):
        return made
    return tuple(Kind(kind.name, kind.words, "", "") for kind in made)


def _look(values: Sequence[Value]) -> tuple[Shape, str]:
    shapes = [shape for shape in SHAPES for value in values if value.drawn == shape]
    colours = [value.drawn for value in values if is_colour(value.drawn)]
    # A value that is not drawn would be lost: large and small circles would look the same.
    whole = len(values) == len(shapes) + len(colours) and len(shapes) == len(colours) == 1
    return (shapes[0], colours[0]) if whole else ("", "")


def kinds_in(details: Mapping[str, Any]) -> tuple[Kind, ...]:
    """Return the kinds that the details of a stimulus name under `kinds`; without any, the usual ones."""
    told = details.get("kinds")
    if told is None:
        return KINDS
    return tuple(Kind(one["name"], Bilingual(**one["words"]), one["shape"], one["colour"]) for one in told)


def kinds_told(kinds: Sequence[Kind]) -> list[dict[str, Any]]:
    """Return kinds as the details of a stimulus hold them."""
    return [asdict(kind) for kind in kinds]


def columns_of(size: int) -> int:
    """Return how many things stand side by side in a drawing of so many."""
    return max(1, math.ceil(math.sqrt(size * 2)))


def scene_fault(scene: object, details: Mapping[str, Any] | None = None) -> str | None:
    """Return why a scene cannot be drawn, or nothing; no scene is none to draw."""
    if scene is None:
        return None
    try:
        kinds = kinds_in(details or {})
    except (KeyError, TypeError):
        return "its kinds are not a list of name, words, shape and colour"
    known = {kind.name for kind in kinds}
    if not isinstance(scene, Mapping) or not scene or not set(scene) <= known:
        return f"its scene is not a count for some of: {', '.join(sorted(known))}"
    counts = list(scene.values())
    if not all(isinstance(count, int) and not isinstance(count, bool) and count >= 0 for count in counts):
        return "its scene holds a count that is no whole number"
    if not 1 <= sum(counts) <= LARGEST_SCENE:
        return f"its scene holds {sum(counts)} things, not 1 to {LARGEST_SCENE}"
    return kinds_fault(kinds)


def drawn_scene(
    scene: Mapping[str, int] | None, language: Language, details: Mapping[str, Any] | None = None
) -> dict[str, Any] | None:
    """Return a scene as its template draws it, with the words of a reader who does not see it.

    Where a stimulus is to look like a scene and not like a table, its details have a `layout`, a seed: things then
    stand in places that are drawn by it. Kinds that cannot be drawn make a scene of words, without things.
    """
    if scene is None:
        return None
    told = details or {}
    kinds = kinds_in(told)
    drawn = drawable(kinds)
    things = [kind for kind in kinds for _ in range(scene.get(kind.name, 0))] if drawn else []
    laid = _in_rows(len(things))
    if told.get("layout") is not None:
        random = Random(number_of(str(told["layout"])))
        random.shuffle(things)
        laid = _strewn(len(things), random)
    mark, comma = (": ", ", ") if language == "en" else ("：", "，")
    counted = [f"{kind.words[language]}{mark}{scene[kind.name]}" for kind in kinds if scene.get(kind.name)]
    return {
        "words": comma.join(counted),
        "drawn": drawn,
        "width": laid.width,
        "height": laid.height,
        "scale": SCALE,
        "things": [
            {"shape": kind.shape, "colour": kind.colour, "x": x, "y": y}
            for kind, (x, y) in zip(things, laid.places, strict=True)
        ],
    }


@dataclass(frozen=True, slots=True)
class _Laid:
    """Where the squares begin in which things stand, and how large the drawing is."""

    width: int
    height: int
    places: tuple[tuple[int, int], ...]


def _in_rows(number: int) -> _Laid:
    across = columns_of(number)
    places = tuple((place % across * CELL, place // across * CELL) for place in range(number))
    return _Laid(across * CELL, math.ceil(number / across) * CELL, places)


def _strewn(number: int, random: Random) -> _Laid:
    """Put things into any places of a grid with some to spare, a little off their middle: none touches another."""
    side = CELL + 2 * ASIDE
    cells = math.ceil(number * ROOM)
    across = max(1, math.ceil(math.sqrt(cells * 4 / 3)))
    down = math.ceil(cells / across)
    chosen = sorted(random.sample(range(across * down), number))
    places = tuple(
        (place % across * side + random.randint(0, 2 * ASIDE), place // across * side + random.randint(0, 2 * ASIDE))
        for place in chosen
    )
    return _Laid(across * side, down * side, places)
