"""Is the property found that Mandarin words name together?"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.materials.quantified_properties import Property
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Attribute, Domain, Value
from hengliang.systems.describers.mandarin_phrases import AND, OR, Phrases
from hengliang.systems.readers.mandarin_lexicon import lexicon
from tests.systems.readers.mandarin_domains import ANIMALS, properties


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("图形", "object"),
        ("红圆", "red circle"),
        ("圆的", "circle"),
        ("蓝色的正方形", "blue square"),
        ("圆形的红色图形", "red circle"),
        ("红色和蓝色的圆形", "red circle or blue circle"),
        ("红蓝方块", "blue square or red square"),
        ("蓝色的圆形和方形", "blue circle or blue square"),
        ("蓝色圆形和方形", "blue circle or square"),
        ("蓝色的圆形以及方形", "blue circle or square"),
        ("红色的圆或者是方块", "red circle or square"),
        ("圆形、红色方形和蓝色图形", "circle or red square or blue"),
        # 、 in a list that ends in 以及 parts as that does; with 和 it does not.
        ("蓝色的圆形、方形以及红色方形", "blue circle or square or red square"),
        ("蓝色的圆形、方形和红色方形", "blue circle or blue square or red square"),
        ("这些方块", "square"),
    ],
)
def test_phrases(text: str, name: str) -> None:
    words = lexicon(DEFAULT_DOMAIN)
    found = words.property_of(text)
    assert found is not None
    assert sorted(str(found).split(" or ")) == sorted(name.split(" or "))
    assert re.fullmatch(words.things, text)


def test_adjectives_that_hold_together() -> None:
    words = lexicon(ANIMALS)
    assert words.property_of("又大又高兴的白色马") == Property((("large", "happy", "white", "horse"),))
    assert re.fullmatch(words.things, "又大又高兴的白色马和又小又难过的狗")


def test_an_adjective_is_not_found_within_words_for_quantities() -> None:
    # 大 is a size of ANIMALS.
    assert re.fullmatch(lexicon(ANIMALS).things, "动物大的")
    within = [word for word in ("大部分", "大多数", "大约", "小部分") if re.match(lexicon(ANIMALS).word, word)]
    assert not within


def test_the_longest_word_is_found() -> None:
    # 半圆 (half-disc) ends as 圆 (circle) does.
    shapes = (Value("half", "H", "half-disc", "半圆", "half-discs"), Value("disc", "D", "disc", "圆", "discs"))
    domain = Domain("discs", (Attribute("shape", shapes, noun=True),))
    found = lexicon(domain).property_of("半圆和圆")
    assert found == Property((("half",), ("disc",)))


def test_a_colour_is_understood_without_its_suffix_and_words_in_traditional_characters_too() -> None:
    pytest.importorskip("opencc")
    colours = (Value("green", "G", "green", "綠色"), Value("black", "B", "black", "黑色"))
    domain = Domain("colours", (Attribute("colour", colours),), chinese="東西")
    assert lexicon(domain).property_of("绿东西") == Property((("green",),))


@settings(max_examples=150, deadline=None)
@given(what=properties(ANIMALS), joining=st.sampled_from([AND, OR]))
def test_phrases_of_the_realiser_name_their_property(what: Property, joining: object) -> None:
    phrases, words = Phrases(ANIMALS), lexicon(ANIMALS)
    assert words.property_of(phrases.things(what, AND if joining is AND else OR)) == what
    assert words.property_of(phrases.predicate(what)) == what
