"""How is a scene drawn, so that people can look at it?

As an SVG image. The things stand in the cells of a grid, each a little off its middle, so that none touches another and
no row or group is seen; which stands where depends on the seed and the scene alone. Whoever does not see the image is
told the counts, in both languages. With `textures` the values of a colour differ in their texture, too, for readers who
do not tell the colours apart and for paper without colour.
"""

from __future__ import annotations

import html
import math
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from hengliang.core.errors import UserError
from hengliang.core.signature import digest
from hengliang.core.terms import LANGUAGES, Bilingual, Language
from hengliang.materials.drawing_signs import TEXTURES, Signs, is_colour, letter_size, outline, pattern, signs_of
from hengliang.materials.kind_words import kind_words
from hengliang.materials.scene_domains import Domain, Value
from hengliang.materials.scenes import Scene, checked_scene

CELL = 40
"""The side of the square in which one thing stands."""
RADIUS = 14
ASIDE = 4.5
"""How far a thing may be off the middle of its cell: with its radius and its line it stays within."""
ROOM = 1.25
"""So many cells there are for each thing."""

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Placed:
    """A thing, by the place of its kind in the domain, and where its middle is."""

    kind: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the things of a scene stand, and how large the picture is."""

    width: int
    height: int
    things: tuple[Placed, ...]


def layout(scene: Scene, seed: int = 1) -> Layout:
    """Put the things of a scene into the cells of a grid, in any order, each a little off the middle."""
    drawn = random.Random(f"{seed} {scene.domain.name} {scene.code}")
    cells = math.ceil(scene.size * ROOM)
    across = math.ceil(math.sqrt(cells * 4 / 3))
    down = math.ceil(cells / across)
    places = drawn.sample(range(across * down), scene.size)
    kinds = [kind for kind, count in enumerate(scene.counts) for _ in range(count)]
    things = [
        Placed(kind, _near(drawn, place % across), _near(drawn, place // across))
        for kind, place in zip(kinds, places, strict=True)
    ]
    # In reading order, so that nothing in the file tells the kinds apart before they are seen.
    things.sort(key=_in_reading_order)
    return Layout(across * CELL, down * CELL, tuple(things))


def _near(drawn: random.Random, cell: int) -> float:
    return round((cell + 0.5) * CELL + drawn.uniform(-ASIDE, ASIDE), 1)


def _in_reading_order(thing: Placed) -> tuple[int, float]:
    return (int(thing.y // CELL), thing.x)


def draw_scene(scene: Scene, seed: int = 1, *, textures: bool = False, language: Language | None = None) -> str:
    """Return a scene as an SVG document; without a language it is told in both, to those who do not see it."""
    checked_scene(scene)
    placed = layout(scene, seed)
    signs = _signs(scene.domain, textures)
    # Pictures that stand on one page must not borrow each other's textures.
    prefix = f"scene-{digest(scene.domain.name, scene.code, str(seed), str(textures))[:8]}"
    used = sorted({signs[thing.kind].texture for thing in placed.things} - {"plain"})
    spoken = LANGUAGES if language is None else (language,)
    names = " ".join(f"{prefix}-{part}-{each}" for each in spoken for part in ("title", "desc"))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="{names}" '
        f'viewBox="0 0 {placed.width} {placed.height}" width="{placed.width}" height="{placed.height}">',
        *_told(scene, spoken, prefix),
        *([f"<defs>{''.join(pattern(one, f'{prefix}-{one}') for one in used)}</defs>"] if used else []),
        f'<rect width="{placed.width}" height="{placed.height}" fill="#ffffff"/>',
        *(_thing(thing, signs[thing.kind], prefix) for thing in placed.things),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _signs(domain: Domain, textures: bool) -> list[Signs]:
    """Return the signs of every kind; two that look alike would show another scene than the one that is meant."""
    seen: dict[Signs, str] = {}
    for kind, name in zip(domain.kinds, domain.kind_names, strict=True):
        signs = _textured(kind, domain) if textures else signs_of(kind)
        if signs in seen:
            raise UserError(
                f"A {name} looks like a {seen[signs]} in {domain.name}.",
                valid='Values that are drawn in different ways: drawn = "…", or without it a letter.',
            )
        seen[signs] = name
    return list(seen)


def _textured(kind: tuple[Value, ...], domain: Domain) -> Signs:
    """Return the signs of a kind with a texture for its colour, by the place of the value among the others."""
    signs = signs_of(kind)
    for value, attribute in zip(kind, domain.attributes, strict=True):
        if is_colour(value.drawn) and signs.texture == "plain":
            place = attribute.values.index(value)
            return replace(signs, texture=TEXTURES[place % len(TEXTURES)])
    return signs


def _thing(thing: Placed, signs: Signs, prefix: str) -> str:
    radius = RADIUS * signs.scale
    shape = outline(signs.shape, thing.x, thing.y, radius)
    line = 'stroke="#222222" stroke-width="1"'
    found = f'{shape} fill="{html.escape(signs.colour)}" {line}/>'
    if signs.texture != "plain":
        found += f'{shape} fill="url(#{prefix}-{signs.texture})" {line}/>'
    if signs.label:
        # A white edge keeps the letter legible on any colour.
        found += (
            f'<text x="{thing.x:g}" y="{thing.y:g}" font-family="sans-serif" font-weight="bold" '
            f'font-size="{letter_size(signs.label, signs.shape, radius):g}" text-anchor="middle" '
            'dominant-baseline="central" fill="#111111" stroke="#ffffff" stroke-width="2" paint-order="stroke">'
            f"{_text(signs.label)}</text>"
        )
    return found


# --- for those who do not see it ------------------------------------------------------------------------------------


def _told(scene: Scene, spoken: tuple[Language, ...], prefix: str) -> Iterator[str]:
    words = scene_in_words(scene)
    thing = scene.domain.english if scene.size == 1 else scene.domain.plural
    title = Bilingual(f"A scene of {scene.size} {thing}", f"场景，{scene.domain.chinese}数：{scene.size}")
    for each in spoken:
        code = "zh-Hans" if each == "zh" else each
        yield f'<title id="{prefix}-title-{each}" lang="{code}">{_text(title[each])}</title>'
    for each in spoken:
        code = "zh-Hans" if each == "zh" else each
        yield f'<desc id="{prefix}-desc-{each}" lang="{code}">{_text(words[each])}</desc>'


def scene_in_words(scene: Scene) -> Bilingual:
    """Return how many things of each kind there are, as a list: the facts of a scene, not a description of it."""
    present = [(kind, count) for kind, count in zip(scene.domain.kinds, scene.counts, strict=True) if count]
    english = ", ".join(f"{count} {kind_words(scene.domain, kind, count).en}" for kind, count in present)
    chinese = "，".join(f"{kind_words(scene.domain, kind, count).zh}：{count}" for kind, count in present)
    return Bilingual(english, chinese)


def _text(text: str) -> str:
    return html.escape(_NOT_IN_XML.sub("\ufffd", text))
