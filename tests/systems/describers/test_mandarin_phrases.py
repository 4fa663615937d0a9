"""Are properties called as a speaker of Mandarin would call them?"""

from __future__ import annotations

from random import Random

import pytest

from hengliang.materials.quantified_properties import read_property
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.systems.describers.mandarin_phrases import AND, OR, Joining, Phrases
from tests.systems.readers.mandarin_domains import ANIMALS, WITHOUT_NOUN


@pytest.mark.parametrize(
    ("domain", "name", "text"),
    [
        (DEFAULT_DOMAIN, "object", "图形"),
        (DEFAULT_DOMAIN, "square", "方形"),
        (DEFAULT_DOMAIN, "blue", "蓝色的"),
        (DEFAULT_DOMAIN, "blue square", "蓝色方形"),
        (DEFAULT_DOMAIN, "red or blue", "红色或蓝色的"),
        (DEFAULT_DOMAIN, "circle or blue square", "圆形或蓝色方形"),
        (DEFAULT_DOMAIN, "circle or blue", "圆形或蓝色图形"),
        (ANIMALS, "happy", "高兴的"),
        (ANIMALS, "happy dog", "高兴的狗"),
        (ANIMALS, "large dog", "大的狗"),
        (ANIMALS, "large happy", "又大又高兴的"),
        (ANIMALS, "large happy white horse", "又大又高兴的白色马"),
        (ANIMALS, "large or small", "大的或小的"),
        (ANIMALS, "happy dog or cat or white horse", "高兴的狗、猫或者是白色的马"),
        (ANIMALS, "white dog", "白色的狗"),
        (ANIMALS, "white", "白色的"),
        (ANIMALS, "large white horse", "大的白色马"),
        (ANIMALS, "happy dog or cat", "高兴的狗或者是猫"),
        (WITHOUT_NOUN, "red large", "大的红色东西"),
        (WITHOUT_NOUN, "large", "大的"),
    ],
)
def test_predicates(domain: Domain, name: str, text: str) -> None:
    assert Phrases(domain).predicate(read_property(name, domain)) == text


@pytest.mark.parametrize(
    ("name", "joining", "text"),
    [
        ("circle or square", AND, "圆形和方形"),
        ("red or blue", AND, "红色图形和蓝色图形"),
        ("red circle or square or blue", OR, "红色圆形、方形或蓝色图形"),
        ("red", AND, "红色图形"),
    ],
)
def test_noun_phrases(name: str, joining: Joining, text: str) -> None:
    assert Phrases(DEFAULT_DOMAIN).things(read_property(name, DEFAULT_DOMAIN), joining) == text


def test_an_adjective_does_not_reach_over_a_word_that_stops_it() -> None:
    said = Phrases(ANIMALS)
    assert said.things(read_property("happy dog or cat", ANIMALS), AND) == "高兴的狗以及猫"
    # One joining word a list, and the one that stops an adjective only where there is something to stop.
    assert said.things(read_property("happy dog or cat or horse", ANIMALS), AND) == "高兴的狗、猫以及马"
    assert (
        said.things(read_property("white dog or black cat or happy", ANIMALS), AND) == "白色的狗、黑色的猫和高兴的动物"
    )


def test_with_and_the_noun_is_said_again() -> None:
    # 大和小的东西 would be things that are both.
    assert Phrases(WITHOUT_NOUN).things(read_property("large or small", WITHOUT_NOUN)) == "大的东西和小的东西"


def test_the_head_noun_is_what_a_classifier_counts() -> None:
    phrases = Phrases(ANIMALS)
    assert phrases.noun(("large", "horse")) == "马"
    assert phrases.noun(("large",)) == "动物"


def test_with_and_without_the_particle() -> None:
    blue_square = read_property("blue square", DEFAULT_DOMAIN)
    said = {Phrases(DEFAULT_DOMAIN, Random(seed)).things(blue_square) for seed in range(20)}
    assert said == {"蓝色方形", "蓝色的方形"}
    compact = {Phrases(DEFAULT_DOMAIN, Random(seed)).things(blue_square, compact=True) for seed in range(20)}
    assert compact == {"蓝色方形"}
