"""Is it seen to what a subject refers, and what a list holds?"""

from __future__ import annotations

import pytest

from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.systems.readers.english_forms import Item, Subject
from hengliang.systems.readers.english_lexer import sentences
from hengliang.systems.readers.english_references import items, single_items, singular, subjects


def longest(text: str) -> Subject:
    return subjects(sentences(text, DEFAULT_DOMAIN)[0], 0)[0][0]


def listed(text: str) -> list[str]:
    found = items(sentences(text, DEFAULT_DOMAIN)[0], 0)[0][0]
    return [_shown(item) for item in found]


def _shown(item: Item) -> str:
    quantity = "" if item.quantity is None else f"{item.quantity.name}{item.quantity.numbers or ''} "
    return f"{quantity}{item.phrase.property}"


@pytest.mark.parametrize(
    ("text", "kind", "quantity"),
    [
        ("half of them", "them", "half"),
        ("they", "them", None),
        ("half of which", "which", "half"),
        ("half of the circles", "named", "half"),
        ("circles", "named", None),
        ("the only circle", "named", "the"),
        ("only circles", "named", "only"),
        ("everything", "named", "everything"),
        ("most", "elided", "most"),
        ("the rest", "rest", None),
        ("the other half", "rest", None),
        ("the remaining objects", "rest", None),
        ("half of the others", "rest", "half"),
        ("others", "others", None),
        ("the remainder of the circles", "rest", None),
    ],
)
def test_references(text: str, kind: str, quantity: str | None) -> None:
    found = longest(text)
    assert (found.reference.kind, found.quantity.name if found.quantity else None) == (kind, quantity)


def test_numbers_that_are_taken_for_granted() -> None:
    assert longest("all four circles").reference.count == 4
    assert longest("three out of seven circles").reference.count == 7
    assert longest("the other two circles").reference.count == 2
    assert longest("half of both the circles and the squares").reference.each


def test_lists() -> None:
    assert listed("two red circles and a square") == ["number(2,) red circle", "number(1,) square"]
    assert listed("a few dots, some squares with many red dots") == ["a few circle", "some square", "many red circle"]
    assert listed("one blue and one red circle") == ["number(1,) blue circle", "number(1,) red circle"]
    assert listed("red circles and squares") == ["red circle or red square"]


def test_single_items() -> None:
    sentence = sentences("one of each shape", DEFAULT_DOMAIN)[0]
    item, end = single_items(sentence, 0)[0]
    assert (str(item.phrase.property), item.phrase.every, end) == ("square or circle", True, 4)
    assert not singular(None) and singular(single_items(sentences("the circle", DEFAULT_DOMAIN)[0], 0)[0][0].phrase)
