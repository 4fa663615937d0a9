"""By what sign is a value drawn: a colour, a shape, a texture, a size?

A value says in one word how it is drawn (`drawn` in its domain). The word tells which it is, since no colour is called
like a shape. Where a domain says nothing, the thing carries the code of the value as a letter.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from hengliang.core.errors import unknown_name
from hengliang.materials.scene_domains import Value

_NAMED = """
    aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown burlywood
    cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod darkgray
    darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen
    darkslateblue darkslategray darkslategrey darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue
    firebrick floralwhite forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew
    hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan
    lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen lightskyblue lightslategray
    lightslategrey lightsteelblue lightyellow lime limegreen linen magenta maroon mediumaquamarine mediumblue
    mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred
    midnightblue mintcream mistyrose moccasin navajowhite navy oldlace olive olivedrab orange orangered orchid
    palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink plum powderblue purple
    rebeccapurple red rosybrown royalblue saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue
    slateblue slategray slategrey snow springgreen steelblue tan teal thistle tomato turquoise violet wheat white
    whitesmoke yellow yellowgreen
"""
CSS_COLOURS = frozenset(_NAMED.split())
_WRITTEN_COLOUR = re.compile(
    r"#([0-9a-f]{3}|[0-9a-f]{6})|(rgb|hsl)\(\s*\d{1,3}(deg)?(\s*,\s*|\s+)\d{1,3}%?(\s*,\s*|\s+)\d{1,3}%?\s*\)",
    re.IGNORECASE,
)
_CORNERS = {"triangle": 3, "pentagon": 5, "hexagon": 6}
SHAPES = ("circle", "square", "triangle", "diamond", "star", "cross", "pentagon", "hexagon")
TEXTURES = ("plain", "striped", "dotted", "chequered", "crossed")
SIZES = {"small": 0.6, "large": 1.0}
NO_COLOUR = "#ffffff"
NO_SHAPE = "square"
BARE = math.sqrt(math.pi) / 2
"""A square as wide as a circle looks larger; with so much of its side it has the same area."""
_ROOM = {"square": 1.6, "circle": 1.6, "hexagon": 1.5, "pentagon": 1.4, "cross": 1.5}
_LITTLE_ROOM = 0.95
"""How wide letters may be in the middle of a shape whose radius is one; in a triangle, a diamond or a star, less."""


@dataclass(frozen=True, slots=True)
class Signs:
    """How a kind of thing is drawn; `label` is written on it for the values that have no sign of their own."""

    shape: str = NO_SHAPE
    colour: str = NO_COLOUR
    texture: str = "plain"
    scale: float = 1.0
    label: str = ""


def is_colour(word: str) -> bool:
    """Return whether a word is a colour as CSS writes it: a name, #1f5fbf, rgb(31, 95, 191) or hsl(216, 72%, 44%)."""
    return word.lower() in CSS_COLOURS or _WRITTEN_COLOUR.fullmatch(word) is not None


def signs_of(kind: Sequence[Value]) -> Signs:
    """Return by which signs a kind is drawn, or say which value has a sign that nobody can draw."""
    shape, colour, texture, scale, label = NO_SHAPE, NO_COLOUR, "plain", 1.0, ""
    for value in kind:
        if not value.drawn:
            label += value.code
        elif value.drawn in SHAPES:
            shape = value.drawn
        elif value.drawn in TEXTURES:
            texture = value.drawn
        elif value.drawn in SIZES:
            scale = SIZES[value.drawn]
        elif is_colour(value.drawn):
            colour = value.drawn
        else:
            raise unknown_name(
                "way to draw a value",
                value.drawn,
                [*SHAPES, *TEXTURES, *SIZES],
                remedy=f'A colour is written as in CSS: {value.name} = {{drawn = "#1f5fbf", …}}.',
            )
    return Signs(shape, colour, texture, scale, label)


def outline(shape: str, x: float, y: float, radius: float) -> str:
    """Return a shape around a point as an SVG element without its end, so that colour and line can follow."""
    if shape == "circle":
        return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}"'
    if shape == "square":
        half = radius * BARE
        return f'<rect x="{x - half:.2f}" y="{y - half:.2f}" width="{2 * half:.2f}" height="{2 * half:.2f}"'
    points = " ".join(f"{x + radius * across:.2f},{y + radius * down:.2f}" for across, down in _corners(shape))
    return f'<polygon points="{points}"'


def letters_width(label: str) -> float:
    """Return about how wide bold letters are, in units of their size."""
    return sum(1.0 if sign in "MWmw" else 0.78 if sign.isupper() else 0.64 for sign in label)


def letter_size(label: str, shape: str, radius: float) -> float:
    """Return how large letters may be so that they stay within a shape."""
    room = _ROOM.get(shape, _LITTLE_ROOM) * radius
    return round(min(radius, room / max(letters_width(label), 0.1)), 1)


def _corners(shape: str) -> list[tuple[float, float]]:
    """Return the corners of a shape within a circle of radius one about the origin, y downwards."""
    if shape == "diamond":
        return [(0, -1), (0.75, 0), (0, 1), (-0.75, 0)]
    if shape == "cross":
        arm, end = 0.32, 0.92
        return [
            *((-arm, -end), (arm, -end), (arm, -arm), (end, -arm), (end, arm), (arm, arm)),
            *((arm, end), (-arm, end), (-arm, arm), (-end, arm), (-end, -arm), (-arm, -arm)),
        ]
    if shape == "star":
        return [_on_circle(place, 10, 1 if place % 2 == 0 else 0.42) for place in range(10)]
    return [_on_circle(place, _CORNERS[shape], 1) for place in range(_CORNERS[shape])]


def _on_circle(place: int, of: int, radius: float) -> tuple[float, float]:
    angle = 2 * math.pi * place / of
    return (radius * math.sin(angle), -radius * math.cos(angle))


def pattern(texture: str, name: str) -> str:
    """Return a texture as an SVG pattern of dark marks on nothing, to be laid over a colour."""
    marks = {
        "striped": '<path d="M0 0h6v2.2H0z"/>',
        "dotted": '<circle cx="3" cy="3" r="1.5"/>',
        "chequered": '<path d="M0 0h3v3H0zM3 3h3v3H3z"/>',
        "crossed": '<path d="M0 0h6v1.1H0zM0 0h1.1v6H0z"/>',
    }[texture]
    turned = ' patternTransform="rotate(45)"' if texture in {"striped", "crossed"} else ""
    return (
        f'<pattern id="{name}" width="6" height="6" patternUnits="userSpaceOnUse"{turned}>'
        f'<g fill="#000000" fill-opacity="0.62">{marks}</g></pattern>'
    )
