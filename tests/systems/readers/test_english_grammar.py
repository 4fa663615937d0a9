"""Is what people type understood, and is nothing dropped or made up?"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.systems.readers.english_grammar import LONGEST_SENTENCE, parse_english
from hengliang.systems.readers.english_lexer import GRAMMAR_WORDS
from hengliang.systems.readers.parsing import Parse
from tests.systems.readers.english_domains import ANIMALS, FURS, ICE, forms

FREQUENT = ["red", "blue", "dots", "squares", "half", "all", "most", "of", "the", "are", "is", "and", ",", ".", "two"]
SOME_WORDS = sorted(GRAMMAR_WORDS)[::4] + FREQUENT * 3


def test_an_empty_text_says_nothing() -> None:
    assert parse_english("") == parse_english(" .\n") == Parse((), ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ALL DOTS RED", ["all(circle, red)"]),
        ("all dots aer rde", ["? all dots aer rde"]),
        ("Hallf of the squraes are bule", ["half(square, blue)"]),
        ("- two-thirds red\n- the others blue", ["fraction(2/3; object, red, rest blue)"]),
        ("The dots in the box seem to be red.", ["all(circle, red)"]),
        ("There are three red dots scattered across the page.", ["number(3; object, red circle)"]),
        ("Most dots are red; however, all squares are blue.", ["most(circle, red)", "all(square, blue)"]),
        ("There are dots with two squares.", ["some(object, circle)", "number(2; object, square)"]),
        ("There aren't any red squares.", ["no(object, red square)"]),
        ("There isn't a red square.", ["no(object, red square)"]),
        ("Not any of the dots are red.", ["no(circle, red)"]),
        ("Nothing is red.", ["no(object, red)"]),
        ("There is nothing but red dots.", ["all(object, red circle)"]),
        ("There is nothing other than red dots.", ["all(object, red circle)"]),
        # Neither is said of two.
        ("Neither circle is red.", ["number(2; object, circle)", "no(circle, red)"]),
        ("Neither of the two circles is red.", ["number(2; object, circle)", "no(circle, red)"]),
        # Nouns in the singular name one thing each; *or* gives a choice.
        (
            "The two objects are: red circle, blue square",
            [
                "number(2; object, object)",
                "all(object, red circle or blue square)",
                "number(1; object, red circle)",
                "number(1; object, blue square)",
            ],
        ),
        ("The objects are red circle or blue square", ["all(object, red circle or blue square)"]),
        ("Everything is red, with one dot.", ["everything(object, red)", "number(1; object, circle)"]),
    ],
)
def test_what_people_type(text: str, expected: list[str]) -> None:
    assert forms(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("All dots are red. The moon is green.", ["all(circle, red)", "? The moon is green"]),
        # What is only where things stand is told as well.
        ("All dots are red. In the picture.", ["all(circle, red)", "? In the picture"]),
        # *The rest* of something that was not understood is not known.
        ("A handful is red, the rest are blue.", ["? A handful is red", "? the rest are blue"]),
        # Two dots of a list that begins with something unknown may belong to that.
        ("Beware of the wolf and two dots.", ["? Beware of the wolf", "? two dots"]),
        # Nobody can say how many more are needed for this.
        ("Two more squares than circles.", ["? Two more squares than circles"]),
        ("Neither of the three circles is red.", ["? Neither of the three circles is red"]),
        ("There is not a lot of dots.", ["? There is not a lot of dots"]),
        ("There are five more dots than squares.", ["? There are five more dots than squares"]),
        ("and but", ["? and but"]),
    ],
)
def test_what_is_not_understood_is_handed_back(text: str, expected: list[str]) -> None:
    assert forms(text) == expected


def test_other_domains() -> None:
    assert forms("Half of the kittens are black, the rest white.", ANIMALS) == ["half(cat, black, rest white)"]
    assert forms("Two oxen, a grey dog and no cats.", ANIMALS) == [
        "number(2; object, ox)",
        "number(1; object, grey dog)",
        "no(object, cat)",
    ]
    assert forms("Most animals are small; all big ones are grey.", FURS) == ["most(object, small)", "all(big, grey)"]
    assert forms("Both light blue animals are polar bears.", ICE) == [
        "number(2; object, light blue)",
        "all(light blue, polar bear)",
    ]
    # There are no circles among animals.
    assert forms("Half of the circles are black.", ANIMALS) == ["? Half of the circles are black"]


@settings(max_examples=150)
@given(st.text(max_size=120))
def test_no_text_breaks_the_grammar(text: str) -> None:
    parse = parse_english(text)
    assert all(one in text for one in parse.unread)


@settings(max_examples=150)
@given(st.lists(st.sampled_from(SOME_WORDS), max_size=25))
def test_no_order_of_words_breaks_the_grammar(words: list[str]) -> None:
    text = " ".join(words)
    parse = parse_english(text)
    assert all(one in text for one in parse.unread)
    # Whatever has words is read, or handed back.
    assert bool(parse.expressions or parse.unread) == bool(re.search(r"\w", text))


def test_a_sentence_can_be_too_long() -> None:
    assert forms("red, " * LONGEST_SENTENCE)[0].startswith("? red, red")
    assert len(forms("two red dots and a square, " * 20)) == 40
