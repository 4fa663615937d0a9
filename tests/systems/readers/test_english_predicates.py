"""Is it seen what is said of a subject?"""

from __future__ import annotations

import pytest

from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.systems.readers.english_forms import ELIDED, Predicate, Reference, Subject
from hengliang.systems.readers.english_lexer import sentences
from hengliang.systems.readers.english_predicates import predicates
from hengliang.systems.readers.english_quantities import ALL, Quantity

THEY = Subject(None, Reference("them"))


def read(text: str, subject: Subject = THEY) -> list[Predicate]:
    """Return the predicates that cover a whole text."""
    sentence = sentences(text, DEFAULT_DOMAIN)[0]
    return [found for found, end in predicates(sentence, 0, subject) if end == len(sentence.words)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("are red", "red"),
        ("are red circles", "red circle"),
        ("are of the colour red", "red"),
        ("are red in colour", "red"),
        ("are a square", "square"),
        ("are not red", "red"),
    ],
)
def test_plain_predicates(text: str, said: str) -> None:
    found = read(text)[0]
    assert found.phrase is not None and str(found.phrase.property) == said
    assert found.negated == ("not" in text)


def test_quantities_at_the_verb() -> None:
    assert read("are mostly red")[0].floated == Quantity("most")
    assert read("are all red")[0].floated == ALL


def test_parts_lists_and_opposites() -> None:
    parts = next(found.parts for found in read("are half red and half blue") if found.parts)
    assert [item.quantity for item in parts] == [Quantity("half"), Quantity("half")]
    listed = next(found.listed for found in read("are a red circle and a blue square") if found.listed)
    assert [str(item.phrase.property) for item in listed] == ["red circle", "blue square"]
    assert any(found.opposite for found in read("are the exact opposite"))


def test_a_verb_is_needed_unless_a_quantity_stands_alone() -> None:
    assert read("red") == []
    assert read("red", Subject(Quantity("half"), ELIDED))[0].verbless
    assert read("red", Subject(Quantity("both"), ELIDED)) == []
