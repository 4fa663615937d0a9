"""Is every way to say how many taken for the quantifier that it names?"""

from __future__ import annotations

import pytest

from hengliang.materials.quantifiers import QUANTIFIERS, Numbers
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.systems.readers.english_lexer import sentences
from hengliang.systems.readers.english_quantities import Quantity, quantities


def longest(text: str) -> Quantity:
    sentence = sentences(text, DEFAULT_DOMAIN)[0]
    return quantities(sentence, 0)[0][0]


@pytest.mark.parametrize(
    ("text", "name", "numbers"),
    [
        ("all", "all", ()),
        ("not every", "not all", ()),
        ("each", "every", ()),
        ("none", "no", ()),
        ("nearly all", "almost all", ()),
        ("only half", "half", ()),
        ("50%", "half", ()),
        ("100%", "all", ()),
        ("over half", "more than half", ()),
        ("under half", "less than half", ()),
        ("a third", "fraction", (1, 3)),
        ("three fourths", "fraction", (3, 4)),
        ("75%", "fraction", (3, 4)),
        ("2/4", "fraction", (2, 4)),
        ("only one", "only one", ()),
        ("a single", "only one", ()),
        ("12", "number", (12,)),
        ("only two", "exactly", (2,)),
        ("exactly one", "exactly", (1,)),
        ("no fewer than two", "at least", (2,)),
        ("no more than two", "at most", (2,)),
        ("more than two", "over", (2,)),
        ("less than two", "under", (2,)),
        ("all but two", "all but", (2,)),
        ("only a few", "a few", ()),
        ("very few", "few", ()),
        ("a couple of", "a couple", ()),
        ("plenty of", "many", ()),
        ("mainly", "most", ()),
    ],
)
def test_quantities(text: str, name: str, numbers: Numbers) -> None:
    found = longest(text)
    assert (found.name, found.numbers) == (name, numbers)
    assert len(numbers) == QUANTIFIERS[name].numbers


def test_out_of_how_many() -> None:
    found = longest("three out of seven")
    assert (found.numbers, found.among) == ((3,), 7)


def test_no_quantity() -> None:
    assert quantities(sentences("circles", DEFAULT_DOMAIN)[0], 0) == []
