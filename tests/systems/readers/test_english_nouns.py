"""Do adjectives and nouns in a list belong together as one takes them?"""

from __future__ import annotations

import pytest

from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.systems.readers.english_lexer import sentences
from hengliang.systems.readers.english_nouns import NounPhrase, noun_phrases, predicated
from tests.systems.readers.english_domains import ANIMALS, NOUN_FIRST


def read(text: str, domain: Domain = DEFAULT_DOMAIN) -> NounPhrase:
    sentence = sentences(text, domain)[0]
    phrase, end = noun_phrases(sentence, 0)[0]
    assert end == len(sentence.words)
    return phrase


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("red and blue circles", "red circle or blue circle"),
        ("red circles and squares", "red circle or red square"),
        ("red and blue dots and squares", "red circle or blue circle or red square or blue square"),
        ("red squares and blue circles", "red square or blue circle"),
        ("squares, circles and red objects", "square or circle or red"),
        ("red circles or squares of any colour", "red circle or square"),
        ("a red circle and a square", "red circle or square"),
        ("circles and squares in red", "red circle or red square"),
        ("red or blue", "red or blue"),
    ],
)
def test_terms_of_a_list(text: str, terms: str) -> None:
    assert str(read(text).property) == terms


def test_other_domains() -> None:
    assert str(read("black or white oxen", ANIMALS).property) == "black ox or white ox"
    assert str(read("big and black cats", NOUN_FIRST).property) == "cat big black"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("squares and blue", "blue square"),
        ("round and red", "red circle"),
        ("red and a circle", "red circle"),
        ("red and blue", "red or blue"),
        ("circles and squares", "circle or square"),
        ("round or red", "circle or red"),
    ],
)
def test_a_predicate_joins_what_can_be_at_once(text: str, said: str) -> None:
    sentence = sentences(text, DEFAULT_DOMAIN)[0]
    assert str(predicated(noun_phrases(sentence, 0)[0][0], sentence.vocabulary)) == said


def test_how_it_was_said_is_kept() -> None:
    assert read("both circles and squares").every and not read("circles and squares").every
    assert (read("a circle and a square").articles, read("circles").articles) == (2, 0)
    assert read("a red square and circle").singulars and not read("red squares").singulars
    assert (read("circle").plural, read("circles").plural) == (False, True)


def test_shorter_readings_are_there_as_well() -> None:
    sentence = sentences("red circles and squares", DEFAULT_DOMAIN)[0]
    assert [end for _, end in noun_phrases(sentence, 0)] == [4, 2]
