"""Which words does the grammar know of a domain, and which numbers?"""

from __future__ import annotations

import pytest

from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.systems.readers.english_words import (
    Noun,
    fraction_named,
    number_named,
    part_named,
    plural_of,
    vocabulary,
)
from tests.systems.readers.english_domains import ANIMALS, FURS


def test_words_come_from_the_domain() -> None:
    words = vocabulary(DEFAULT_DOMAIN)
    assert words.adjectives["blue"] == "blue" and "square" not in words.adjectives
    assert words.nouns["squares"] == Noun("square", True)
    assert words.nouns["circle"] == Noun("circle", False)
    assert words.nouns["dots"] == Noun("circle", True) and words.nouns["dot"] == Noun("circle", False)
    assert words.nouns["round"] == Noun("circle", None)
    assert words.nouns["items"] == Noun(None, True)
    assert words.attributes["colours"] == words.attributes["color"] == 0


def test_other_domains() -> None:
    assert vocabulary(ANIMALS).nouns["oxen"] == Noun("ox", True)
    assert vocabulary(ANIMALS).nouns["kittens"] == Noun("cat", True)
    assert vocabulary(FURS).nouns["animal"] == Noun(None, False)
    assert vocabulary(FURS).values_of(1) == ("big", "small")
    assert vocabulary(FURS).merged(("small",), ("black",)) == ("black", "small")
    assert vocabulary(FURS).compatible(("small",), ("black",)) and not vocabulary(FURS).compatible(("small",), ("big",))


@pytest.mark.parametrize(("word", "number"), [("zero", 0), ("twenty", 20), ("17", 17), ("few", None), ("3/4", None)])
def test_numbers(word: str, number: int | None) -> None:
    assert number_named(word) == number


@pytest.mark.parametrize(
    ("word", "fraction"), [("3/4", (3, 4)), ("75%", (75, 100)), ("1/0", None), ("4", None), ("x/2", None)]
)
def test_fractions(word: str, fraction: tuple[int, int] | None) -> None:
    assert fraction_named(word) == fraction


def test_parts_and_plurals() -> None:
    assert [part_named(word) for word in ("half", "halves", "third", "quarters", "dozen")] == [2, 2, 3, 4, None]
    assert [plural_of(word) for word in ("object", "box", "entity", "toy")] == ["objects", "boxes", "entities", "toys"]
