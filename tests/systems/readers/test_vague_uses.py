"""Are the uses of vague quantifiers collected with the numbers of their scenes?"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest

from hengliang.materials.elicited_descriptions import read_descriptions
from hengliang.materials.quantified_expressions import read_expression
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.materials.scenes import read_scene
from hengliang.systems.readers.parsing import Parse
from hengliang.systems.readers.vague_uses import fitted_to_corpus, numbers_of, vague_uses
from tests.analysis.descriptions.described import corpus, parse


def test_by_hand() -> None:
    frame = corpus([("ann", "BS=2 BC=3 RS=4", "…"), ("bo", "BS=20", "…")])
    parses = [
        parse("a few(square, blue)", "all(circle, blue)", "many(object, square)"),
        parse("several(circle, blue)", "several(square, red)", "almost all(object, blue)"),
    ]
    # Two of six squares are blue; six of nine things are squares. There are no circles in the second scene and no red
    # squares: neither is a use.
    assert vague_uses(frame, parses).rows() == [
        ("a few", 9, "ann", "BS=2 BC=3 RS=4", 6, 2),
        ("many", 9, "ann", "BS=2 BC=3 RS=4", 9, 6),
        ("almost all", 20, "bo", "BS=20", 20, 20),
    ]


def test_unread_clauses_do_not_spoil_the_others() -> None:
    frame = corpus([("ann", "BS=2 BC=3 RS=4", "…")])
    assert vague_uses(frame, [parse("many(object, square)", unread=("hm",))]).height == 1
    assert vague_uses(frame, [Parse()]).height == 0


@pytest.mark.parametrize(
    ("written", "numbers"),
    [("half(square, blue)", (6, 2)), ("only(circle, blue)", (5, 3)), ("more(square, circle)", (6, 3))],
)
def test_numbers(written: str, numbers: tuple[int, int]) -> None:
    # Of 2 blue squares, 3 blue circles and 4 red squares.
    assert numbers_of(read_expression(written, DEFAULT_DOMAIN), read_scene("BS=2 BC=3 RS=4")) == numbers


@pytest.mark.mirror
def test_what_ships_is_what_is_fitted(mirror: Path) -> None:
    assert mirror
    shipped = resources.files("hengliang.materials").joinpath("vague_quantifiers.json").read_text("utf-8")
    assert json.loads(shipped) == fitted_to_corpus(read_descriptions())
