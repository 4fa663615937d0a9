"""Are things called by the words of their domain, in the right number and with the right article?"""

from __future__ import annotations

import pytest

from hengliang.materials.quantified_properties import OBJECT, Property, prop
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.systems.describers.english_phrases import last_named, listed, noun_phrase, predicate, with_article
from tests.systems.readers.english_domains import ANIMALS, FURS, NOUN_FIRST


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("ox", "an ox"),
        ("black ox", "a black ox"),
        ("orange circle", "an orange circle"),
        ("unicorn", "a unicorn"),
        ("uninteresting circle", "an uninteresting circle"),
        ("umbrella", "an umbrella"),
        ("hourglass", "an hourglass"),
        ("horse", "a horse"),
        ("one-eyed cat", "a one-eyed cat"),
        ("European cat", "a European cat"),
    ],
)
def test_an_article_goes_by_sound(words: str, expected: str) -> None:
    assert with_article(words) == expected


def test_lists() -> None:
    assert [listed(parts, "and") for parts in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]


def test_noun_phrases() -> None:
    assert noun_phrase(OBJECT, DEFAULT_DOMAIN, True) == "objects"
    assert noun_phrase(prop("blue"), DEFAULT_DOMAIN, False) == "blue object"
    assert noun_phrase(prop("blue", "square"), DEFAULT_DOMAIN, True) == "blue squares"
    assert noun_phrase(prop("white", "ox"), ANIMALS, True) == "white oxen"
    assert noun_phrase(prop("black", "big"), FURS, True) == "black big animals"
    # The noun comes last, wherever its attribute stands.
    assert noun_phrase(prop("ox", "big", "black"), NOUN_FIRST, True) == "big black oxen"


def test_a_noun_that_would_share_an_adjective_says_that_it_does_not() -> None:
    blue_squares_or_circles = Property((("blue", "square"), ("circle",)))
    assert noun_phrase(blue_squares_or_circles, DEFAULT_DOMAIN, True) == "blue squares and circles of any colour"
    assert noun_phrase(Property((("circle",), ("blue", "square"))), DEFAULT_DOMAIN, True) == "circles and blue squares"
    two = Property((("big", "black"), ()))
    assert noun_phrase(two, NOUN_FIRST, True) == "big black animals and animals of any size and fur"


def test_predicates() -> None:
    assert predicate(prop("red"), DEFAULT_DOMAIN, True) == "red"
    assert predicate(Property((("red",), ("blue",))), DEFAULT_DOMAIN, False) == "red or blue"
    assert predicate(prop("square"), DEFAULT_DOMAIN, True) == "squares"
    assert predicate(prop("square"), DEFAULT_DOMAIN, False) == "a square"
    assert predicate(Property((("blue", "square"), ("circle",))), DEFAULT_DOMAIN, False) == "a blue square or a circle"
    assert predicate(prop("ox"), ANIMALS, False) == "an ox"
    assert predicate(OBJECT, DEFAULT_DOMAIN, False) == "an object"


def test_what_was_named_last() -> None:
    squares, blue = prop("square"), prop("blue")
    assert last_named(squares, OBJECT, DEFAULT_DOMAIN, True) == squares
    # An adjective names nothing, so that the subject was named last.
    assert last_named(blue, squares, DEFAULT_DOMAIN, True) == squares
    assert last_named(blue, None, DEFAULT_DOMAIN, True) == blue
    # One thing, and things of several sorts, are not taken up.
    assert last_named(squares, OBJECT, DEFAULT_DOMAIN, False) is None
    assert last_named(Property((("square",), ("red", "circle"))), OBJECT, DEFAULT_DOMAIN, True) is None
