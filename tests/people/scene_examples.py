"""Which scenes, domains and descriptions do the tests of scene experiments share?"""

from __future__ import annotations

from hengliang.scenes import DEFAULT_DOMAIN, Attribute, Domain, Scene, ScenePair, Value, read_scene

ANIMALS = Domain(
    "animals",
    (
        Attribute("coat", (Value("black", "B", "black", "黑色"), Value("white", "W", "white", "白色"))),
        Attribute(
            "animal",
            (Value("cat", "C", "cat", "猫", "cats"), Value("dog", "D", "dog", "狗", "dogs")),
            noun=True,
        ),
    ),
    "animal",
    "animals",
    "动物",
    ("pet", "pets"),
    ("宠物",),
)
"""Kinds that no page can draw."""

SIGNS = Domain(
    "signs",
    (
        Attribute(
            "colour",
            (
                Value("green", "G", "green", "绿色", drawn="green"),
                Value("ochre", "O", "ochre", "赭色", drawn="#b8860b"),
            ),
        ),
        Attribute(
            "shape",
            (
                Value("triangle", "T", "triangle", "三角形", "triangles", "triangle"),
                Value("diamond", "D", "diamond", "菱形", "diamonds", "diamond"),
            ),
            noun=True,
        ),
    ),
)
"""Kinds of one's own that can be drawn."""

CODES = ("BS=2 RC=2", "BS=3 RS=1", "BS=6 RC=3", "RS=9", "BC=3 RS=6")
"""Two scenes of size 4, three of size 9."""


def scene_pairs(describers: tuple[str, ...] = ("IA", "GREEDY"), domain: Domain = DEFAULT_DOMAIN) -> list[ScenePair]:
    """Return each of the scenes with a text by each describer; what it says does not matter."""
    scenes = [read_scene(code) for code in CODES]
    if domain is not DEFAULT_DOMAIN:
        scenes = [Scene(scene.counts, domain) for scene in scenes]
    return [
        ScenePair(f"{who}:{scene.code}", who, scene, f"There are {scene.size} things here, says {who}.")
        for scene in scenes
        for who in describers
    ]
