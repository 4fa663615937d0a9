"""What do statements and lists of what there is say, after what was said before?"""

from __future__ import annotations

import pytest

from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.systems.readers.english_discourse import Discourse
from hengliang.systems.readers.english_forms import Existence, Item, Predicate, Reference, Statement, Subject
from hengliang.systems.readers.english_interpreting import interpret
from hengliang.systems.readers.english_nouns import NounPhrase
from hengliang.systems.readers.english_quantities import SOME
from tests.systems.readers.english_domains import forms

RED = NounPhrase((("red",),), ((("red",),),))


def test_what_does_not_fit_leaves_no_trace() -> None:
    discourse = Discourse(DEFAULT_DOMAIN)
    assert not interpret(Statement((Subject(None, Reference("which")),), Predicate(RED)), discourse)
    assert not interpret(Existence((Item(None, RED),) * 2, exceptions=(Item(SOME, RED),)), discourse)
    assert vars(Discourse(DEFAULT_DOMAIN)) == {**vars(discourse), "expressions": []}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Definite and bare subjects.
        ("The dots are red.", ["all(circle, red)"]),
        ("The dot is red.", ["the(circle, red)"]),
        ("Squares are red.", ["all(square, red)"]),
        ("The only red things are squares.", ["only(square, red)"]),
        ("All five squares are red.", ["number(5; object, square)", "all(square, red)"]),
        ("Both squares are red.", ["number(2; object, square)", "all(square, red)"]),
        ("Both dots and squares are red.", ["all(circle or square, red)"]),
        ("Three out of seven dots are red.", ["number(7; object, circle)", "number(3; circle, red)"]),
        # Pronouns and what is left out.
        ("All are dots. Most are red.", ["all(object, circle)", "most(object, red)"]),
        ("Most things are dots, many of which are red.", ["most(object, circle)", "many(circle, red)"]),
        ("There are six dots. Two are red.", ["number(6; object, circle)", "number(2; circle, red)"]),
        (
            "Six things are dots, two red, four blue.",
            ["number(6; object, circle)", "number(2; circle, red)", "number(4; circle, blue)"],
        ),
        ("Most are dots, but not all.", ["most(object, circle)", "not all(object, circle)"]),
        ("Of the dots, two are red and one is blue.", ["number(2; circle, red)", "number(1; circle, blue)"]),
        ("Of both the dots and the squares, half are red.", ["half(circle, red)", "half(square, red)"]),
        # The rest.
        ("Most are dots. The remainder are squares.", ["most(object, circle, rest square)"]),
        ("Most are dots. Half of the others are red.", ["most(object, circle)", "half(square, red)"]),
        ("Some dots are red, others are blue.", ["some(circle, red)", "some(circle, blue)"]),
        ("Half are red dots, the other half are the opposite.", ["half(object, red circle, rest blue square)"]),
        # Parts, lists, denials.
        ("The dots are half red and half blue.", ["half(circle, red)", "half(circle, blue)"]),
        ("The dots are mostly red.", ["most(circle, red)"]),
        ("Two dots are not red.", ["number(2; circle, blue)"]),
        ("If there is a dot, it is red.", ["all(circle, red)"]),
        ("The squares and half of the dots are red.", ["all(square, red)", "half(circle, red)"]),
        # Exceptions.
        ("All dots are red except for two.", ["all but(2; circle, red)"]),
        (
            "All are red dots, except for one red square.",
            ["all but(1; object, red circle)", "number(1; object, red square)"],
        ),
        ("All but two blue squares are red.", ["all but(2; object, red)", "number(2; object, blue square)"]),
        (
            "Nearly all things are dots apart from a few squares.",
            ["almost all(object, circle)", "a few(object, square)"],
        ),
    ],
)  # fmt: skip
def test_statements(text: str, expected: list[str]) -> None:
    assert forms(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("There are only dots.", ["all(object, circle)"]),
        ("Only red dots.", ["all(object, red circle)"]),
        ("All red dots.", ["all(object, red circle)"]),
        ("No dots, mostly red.", ["no(object, circle)", "most(object, red)"]),
        ("There are red dots and blue squares.", ["there are(red circle or blue square)"]),
        ("There are red dots and a square.", ["some(object, red circle)", "number(1; object, square)"]),
        ("Two dots, one red square.", ["number(2; object, circle)", "number(1; object, red square)"]),
        ("There are red dots. There are also blue ones.", ["there are(red circle or blue)"]),
        ("Most are dots, and there are squares.", ["most(object, circle)", "some(object, square)"]),
        ("There is a red square and dot.", ["number(1; object, red square)", "number(1; object, red circle)"]),
        ("Two squares of each colour.", ["number(2; object, blue square)", "number(2; object, red square)"]),
        ("There are both dots and squares.", ["at least(1; object, circle)", "at least(1; object, square)"]),
        ("Among the dots are both red and blue ones.", ["at least(1; circle, red)", "at least(1; circle, blue)"]),
        ("There is a dominance of red.", ["most(object, red)"]),
    ],
)  # fmt: skip
def test_what_there_is(text: str, expected: list[str]) -> None:
    assert forms(text) == expected
