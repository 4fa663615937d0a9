"""Of which kinds are the things in a scene, and how is a scene drawn?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from hengliang.bilingual import Bilingual, Language

Shape = Literal["circle", "square", "triangle"]
Colour = Literal["red", "blue", "green", "black"]

CELL = 24
"""The side of the square that a drawn thing stands in."""
LARGEST_SCENE = 400


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of thing; `name` is its scale."""

    name: str
    words: Bilingual
    shape: Shape
    colour: Colour


KINDS = (
    Kind("red circle", Bilingual("red circles", "红色圆形"), "circle", "red"),
    Kind("red square", Bilingual("red squares", "红色方形"), "square", "red"),
    Kind("blue circle", Bilingual("blue circles", "蓝色圆形"), "circle", "blue"),
    Kind("blue square", Bilingual("blue squares", "蓝色方形"), "square", "blue"),
)
"""The kinds of paper 001: circles and squares, red and blue."""


def columns_of(size: int) -> int:
    """Return how many things stand side by side in a drawing of so many."""
    return max(1, math.ceil(math.sqrt(size * 2)))


def scene_fault(scene: object) -> str | None:
    """Return why a scene of the usual kinds cannot be drawn, or nothing; no scene is none to draw."""
    if scene is None:
        return None
    known = {kind.name for kind in KINDS}
    if not isinstance(scene, Mapping) or not scene or not set(scene) <= known:
        return f"its scene is not a count for some of: {', '.join(sorted(known))}"
    counts = list(scene.values())
    if not all(isinstance(count, int) and not isinstance(count, bool) and count >= 0 for count in counts):
        return "its scene holds a count that is no whole number"
    return (
        None if 1 <= sum(counts) <= LARGEST_SCENE else f"its scene holds {sum(counts)} things, not 1 to {LARGEST_SCENE}"
    )


def drawn_scene(scene: Mapping[str, int] | None, language: Language) -> dict[str, Any] | None:
    """Return a scene as its template draws it, with the words of a reader who does not see it."""
    if scene is None:
        return None
    things = [kind for kind in KINDS for _ in range(scene.get(kind.name, 0))]
    across = columns_of(len(things))
    mark, comma = (": ", ", ") if language == "en" else ("：", "，")
    counted = [f"{kind.words[language]}{mark}{scene[kind.name]}" for kind in KINDS if scene.get(kind.name)]
    return {
        "words": comma.join(counted),
        "width": across * CELL,
        "height": math.ceil(len(things) / across) * CELL,
        "things": [
            {"shape": kind.shape, "colour": kind.colour, "x": place % across * CELL, "y": place // across * CELL}
            for place, kind in enumerate(things)
        ],
    }
