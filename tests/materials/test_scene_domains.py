"""The kinds of things in a scene and their words, also those of a domain that somebody wrote."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.materials.quantified_properties import NOTHING_NAME, OBJECT_NAME, read_property
from hengliang.materials.scene_domains import (
    DEFAULT_DOMAIN,
    RESERVED,
    Attribute,
    Domain,
    Value,
    checked_domain,
    plural_of,
    read_domain,
)
from hengliang.materials.scenes import read_scene

ANIMALS = """
name = "animals"
object = {en = "animal", zh = "动物", other_en = ["beast"]}

[[attributes]]
name = "colour"
values.black = {code = "B", zh = "黑色", other_zh = ["黑"], drawn = "#222"}
values.white = {code = "W", zh = "白色"}

[[attributes]]
name = "animal"
noun = true
values.fox = {code = "F", zh = "狐狸"}
values.sheep = {code = "Sh", zh = "羊", plural = "sheep"}
values.canary = {code = "C", zh = "金丝雀", other_en = ["bird", "birds"]}
"""
PLAIN = """
[[attributes]]
name = "shape"
noun = true
values.figure = {code = "F", zh = "人形"}
values.box = {code = "B", zh = "盒子"}
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "domain.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_default_is_the_domain_of_the_paper() -> None:
    assert DEFAULT_DOMAIN.codes == ("BS", "BC", "RS", "RC")
    assert DEFAULT_DOMAIN.kind_names == ("blue square", "blue circle", "red square", "red circle")
    assert checked_domain(DEFAULT_DOMAIN, "the default") is DEFAULT_DOMAIN
    assert DEFAULT_DOMAIN.noun is not None
    assert DEFAULT_DOMAIN.noun.name == "shape"
    assert DEFAULT_DOMAIN.masks == {"blue": 0b0011, "red": 0b1100, "square": 0b0101, "circle": 0b1010}
    assert DEFAULT_DOMAIN.everything == 0b1111
    assert DEFAULT_DOMAIN.attribute_of == {"blue": 0, "red": 0, "square": 1, "circle": 1}


def test_a_domain_is_read_from_a_file(tmp_path: Path) -> None:
    domain = read_domain(written(tmp_path, ANIMALS))
    assert domain.name == "animals"
    assert (domain.english, domain.plural, domain.chinese) == ("animal", "animals", "动物")
    assert (domain.other_english, domain.other_chinese) == (("beast",), ())
    assert domain.codes == ("BF", "BSh", "BC", "WF", "WSh", "WC")
    # Given, by the rule for x and for y after a consonant, and no plural for adjectives.
    assert [domain.values[name].plural for name in ("sheep", "fox", "canary", "black")] == [
        "sheep",
        "foxes",
        "canaries",
        "",
    ]
    assert domain.values["black"].words == ("black", "黑色", "黑")
    assert domain.values["black"].drawn == "#222"
    assert read_scene("bsh=2 WC=1", domain).counts == (0, 2, 0, 0, 0, 1)


def test_who_says_nothing_of_objects_gets_the_usual_words_but_those_of_a_value(tmp_path: Path) -> None:
    domain = read_domain(written(tmp_path, PLAIN))
    assert (domain.name, domain.english, domain.chinese) == ("domain", "object", "图形")
    assert "thing" in domain.other_english
    assert not {"figure", "figures"} & set(domain.other_english)
    assert domain.values["box"].plural == "boxes"
    assert domain.kind_names == ("figure", "box")


@pytest.mark.parametrize(
    ("noun", "plural"),
    [
        ("cat", "cats"),
        ("box", "boxes"),
        ("cross", "crosses"),
        ("branch", "branches"),
        ("fly", "flies"),
        ("ray", "rays"),
        ("potato", "potatoes"),
        ("zoo", "zoos"),
    ],
)
def test_regular_plurals(noun: str, plural: str) -> None:
    assert plural_of(noun) == plural


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("name =", "nam =", "domain.toml (line 2) is called 'nam'. Did you mean name?"),
        ('"动物"', '"动物', "is not TOML"),
        ("[[attributes]]", "[[attribute]]", "is called 'attribute'. Did you mean attributes?"),
        ("noun = true", 'noun = "no"', 'attributes[1].noun is "no". true or false.'),
        ("noun = true", "noum = true", "is called 'noum'. Did you mean noun?"),
        ('object = {en = "animal"', 'object = {english = "animal"', "No entry in object of "),
        (
            'object = {en = "animal", zh = "动物", other_en = ["beast"]}',
            'object = "animal"',
            'object is "animal". An object with en, plural, zh',
        ),
        ('code = "F"', 'code = "f"', "'f' cannot be the code of 'fox'"),
        ('code = "F", ', "", "has no attributes[1].values.fox.code (line 13). An object with code, zh, en"),
        (', zh = "狐狸"', "", "has no attributes[1].values.fox.zh (line 13). An object with code, zh, en"),
        ('en = "animal"', 'en = "Half"', "'Half' in"),
        ('"动物"', '"一半"', "cannot be a word for 'object': descriptions count or compare with it"),
        ("values.fox", "values.most", "'most' in"),
        ('zh = "狐狸"', 'zh = "所有"', "cannot be a word for 'fox': descriptions count or compare with it"),
        ('other_en = ["bird", "birds"]', 'other_en = ["some"]', "cannot be a word for 'canary'"),
        ('other_en = ["bird", "birds"]', 'other_en = ["twelve"]', "cannot be a word for 'canary'"),
        ('zh = "狐狸"', 'zh = ""', 'values.fox.zh is "". A text that is not empty.'),
        ('zh = "狐狸"', "zh = 3", "values.fox.zh is 3. A text."),
        ('zh = "狐狸"', 'zh = "羊"', "The word '羊' in"),
        ('zh = "狐狸"', 'zh = "狐狸", colour = "red"', "No entry in attributes[1].values.fox of "),
        ('other_en = ["bird", "birds"]', 'other_en = "bird"', 'other_en is "bird". A list'),
        ('other_en = ["bird", "birds"]', 'other_en = ["Fox"]', "means both 'fox' and 'canary'"),
        ("values.fox", "values.black", "Two values in"),
        ("values.fox", 'values."arctic fox"', "'arctic fox' cannot be the name of a value"),
        ("values.fox", "values.rest", "'rest' cannot be the name of a value"),
        ('code = "C"', 'code = "F"', "Two kinds in"),
    ],
)
def test_what_is_wrong_with_a_domain_is_told(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in ANIMALS
    with pytest.raises(UserError) as error:
        read_domain(written(tmp_path, ANIMALS.replace(old, new)))
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "has no attributes. An object with attributes, name, object"),
        ("attributes = 3", "attributes is 3. A list"),
        ("attributes = []", "attributes is []. One [[attributes]] for each attribute"),
        ("attributes = [3]", "attributes[0] is 3. An object with name, values, noun"),
        ('[[attributes]]\nname = "colour"\nvalues.black = {code = "B", zh = "黑色"}', "Two values or more"),
        (
            '[[attributes]]\nvalues.a = {code = "A", zh = "甲"}\nvalues.b = {code = "B", zh = "乙"}',
            "has no attributes[0].name (line 1).",
        ),
        ('[[attributes]]\nname = "x"\nvalues = {a = 1, b = 2}', "attributes[0].values.a is 1. An object with code, zh"),
    ],
)
def test_what_is_no_domain_is_told(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(UserError) as error:
        read_domain(written(tmp_path, text))
    assert told in str(error.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        read_domain(tmp_path / "none.toml")


def test_two_attributes_cannot_both_be_nouns() -> None:
    one = Attribute("shape", (Value("box", "B", "box", "盒子"), Value("ball", "L", "ball", "球")), noun=True)
    other = Attribute("animal", (Value("cat", "C", "cat", "猫"), Value("dog", "D", "dog", "狗")), noun=True)
    with pytest.raises(UserError, match="Two attributes in here are nouns"):
        checked_domain(Domain("both", (one, other)), "here")


def test_codes_that_differ_only_in_case_once_joined_are_refused() -> None:
    # B + Ss and Bs + S: whoever types bss means one of two kinds.
    one = Attribute("first", (Value("a", "B", "a", "甲"), Value("b", "Bs", "b", "乙")))
    other = Attribute("second", (Value("c", "S", "c", "丙"), Value("d", "Ss", "d", "丁")))
    with pytest.raises(UserError, match="Two kinds in here have the same code"):
        checked_domain(Domain("joined", (one, other)), "here")


def test_words_of_logical_forms_are_reserved() -> None:
    assert {OBJECT_NAME, NOTHING_NAME} < set(RESERVED)


@given(st.lists(st.integers(2, 4), min_size=1, max_size=3))
def test_kinds_masks_and_codes_belong_together(sizes: list[int]) -> None:
    letters = iter("ABCDEFGHIJKL")
    attributes = tuple(
        Attribute(
            str(place), tuple(Value(f"v{(letter := next(letters))}", letter, letter, letter) for _ in range(size))
        )
        for place, size in enumerate(sizes)
    )
    domain = Domain("drawn", attributes)
    names = [[value.name for value in one.values] for one in attributes]
    assert [tuple(value.name for value in kind) for kind in domain.kinds] == list(itertools.product(*names))
    for name, mask in domain.masks.items():
        assert [bool(mask >> place & 1) for place in range(len(domain.kinds))] == [
            name in kind.split() for kind in domain.kind_names
        ]
        assert read_property(name, domain).mask(domain) == mask
    # The values of one attribute share the kinds out among themselves.
    for values in names:
        assert sum(domain.masks[name] for name in values) == domain.everything
