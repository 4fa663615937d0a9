"""Do the word lists hang together, and are forms and nouns told apart as their remarks promise?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.materials import slot_lexicon as lexicon
from hengliang.materials.slot_lexicon import describes, is_amount, is_event, is_reduplicated, split_fused

_SPLITTABLE = sorted(lexicon.CLASSIFIERS - set(lexicon.HEADS_OF))


# --- the lists --------------------------------------------------------------------------------------------------------


def test_units_degrees_and_verbal_forms_are_no_classifiers() -> None:
    units = {"年", "月", "天", "日", "岁", "元", "吨", "公里", "周年", "小时", "人次", "架次"}
    assert not lexicon.CLASSIFIERS & (units | {"些", "番", "下", "遍"})


@pytest.mark.parametrize(
    "forms",
    [
        lexicon.HEADS_OF.keys(),
        lexicon.WITH_DE,
        lexicon.ELIDABLE,
        lexicon.VERB_HEADS,
        lexicon.SERIALS,
        lexicon.GENERIC_CLASSIFIERS,
        lexicon.FIRST_OF_RUN,
        lexicon.NOT_AFTER_NOUNS,
        lexicon.DOUBTFUL_AFTER_NOUNS,
        lexicon.COUNTING_PERSONS,
        lexicon.SORTAL,
        lexicon.EVENT_CLASSIFIERS,
        lexicon.TIME_CLASSIFIERS,
    ],
)
def test_a_rule_about_a_form_is_about_a_classifier(forms: frozenset[str]) -> None:
    # A form that is not in the closed list is never found, so that a rule about it would be a slip of the pen.
    assert forms
    assert forms <= lexicon.CLASSIFIERS


def test_rules_that_exclude_each_other_share_no_form() -> None:
    # Few kinds of things against nearly all nouns.
    assert not lexicon.SORTAL & lexicon.GENERIC_CLASSIFIERS
    # Never counting the noun before it against counting it where the pair is known.
    assert not lexicon.NOT_AFTER_NOUNS & lexicon.DOUBTFUL_AFTER_NOUNS
    # An event is looked for among all nouns, a head of 点 or 方 only in its own list.
    assert not lexicon.EVENT_CLASSIFIERS & set(lexicon.HEADS_OF)
    pointing = [lexicon.DEMONSTRATIVES, lexicon.DISTRIBUTIVES, lexicon.INTERROGATIVES]
    assert len(frozenset.union(*pointing)) == sum(map(len, pointing))


def test_a_remark_is_no_word() -> None:
    listed = lexicon.CLASSIFIERS.union(*lexicon.HEADS_OF.values(), lexicon.SEPARABLE_VERBS, lexicon.RELATIONAL)
    assert [word for word in listed if not all("\u4e00" <= character <= "\u9fff" for character in word)] == []


# --- fused words ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "tag", "parts"),
    [
        ("一个", "m", ("一", "个")),
        ("好几个", "m", ("好几", "个")),
        ("２５名", "m", ("２５", "名")),
        ("一整套", "m", ("一整", "套")),
        ("一大批", "m", ("一大", "批")),
        ("一系列", "m", ("一", "系列")),
        ("第三届", "m", ("第三", "届")),
        ("各项", "r", ("各", "项")),
        ("此次", "r", ("此", "次")),
        # The tag tells what may stand in front.
        ("各项", "m", None),
        ("一个", "r", None),
        # Nothing is counted: no digit, no trigger, no classifier.
        ("大批", "m", None),
        ("第个", "m", None),
        ("个", "m", None),
        ("一百", "m", None),
        # Units and words of degree.
        ("三年", "m", None),
        ("一些", "m", None),
        ("一下", "m", None),
        ("一番", "m", None),
        # Words of their own that end in a classifier.
        ("十分", "m", None),
        ("一起", "m", None),
        ("百家", "m", None),
        ("这样", "r", None),
        ("各级", "r", None),
        ("本身", "r", None),
        # Before few heads only, which a fused word does not show.
        ("三点", "m", None),
        ("一身", "m", None),
        # Reduplication.
        ("一座座", "m", None),
        ("一个一个", "m", None),
        ("一双双", "m", None),
    ],
)
def test_fused_words(word: str, tag: str, parts: tuple[str, str] | None) -> None:
    assert split_fused(word, tag) == parts


@given(st.text("二三四五六七八九十百千万", min_size=2, max_size=5), st.sampled_from(_SPLITTABLE))
def test_a_long_numeral_and_a_form_come_apart_again(numeral: str, form: str) -> None:
    # No word of its own (一起, 百家) begins with a numeral of two characters or more, and no form begins with a digit.
    assert split_fused(numeral + form, "m") == (numeral, form)
    assert split_fused("第" + numeral + form, "m") == ("第" + numeral, form)


# --- reduplication ----------------------------------------------------------------------------------------------------


@given(st.text("一两三个座件种系列", min_size=1, max_size=3), st.text("又是那", max_size=1))
def test_a_doubled_end_is_reduplication(part: str, before: str) -> None:
    assert is_reduplicated(before + part + part)


@given(st.lists(st.sampled_from("一两三个座件种系列"), unique=True))
def test_characters_that_all_differ_are_no_reduplication(characters: list[str]) -> None:
    assert not is_reduplicated("".join(characters))


def test_a_character_that_comes_again_elsewhere_is_no_reduplication() -> None:
    assert not is_reduplicated("一百一十个")


# --- kinds of nouns ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "tag", "event"),
    [
        ("座谈会", "n", True),  # 会 is an event,
        ("协会", "n", False),  # unless it is a body
        ("研究会", "n", False),
        ("社会", "n", False),
        ("电影", "n", False),
        ("考察", "vn", True),  # any verbal noun is one,
        ("考察", "v", False),  # a verb only by its ending
        ("比赛", "v", True),
        ("行", "Ng", True),  # 此次之行
        ("邦", "Ng", False),
        ("战", "n", True),
    ],
)
def test_events(word: str, tag: str, event: bool) -> None:
    assert is_event(word, tag) == event


@pytest.mark.parametrize(
    ("noun", "expected"),
    [
        ("暂时性", True),
        ("流线型", True),
        ("可能性", False),  # a property that is counted itself: 一种可能性
        ("性", False),
        ("男性", False),  # two characters: a person
        ("灰色", True),
        ("玫瑰色", True),
        ("特色", False),
        ("景色", False),
        ("模样", True),
        ("领导人", False),
    ],
)
def test_nouns_that_describe(noun: str, expected: bool) -> None:
    assert describes(noun) == expected


@pytest.mark.parametrize(
    ("noun", "expected"),
    [("治愈率", True), ("年产量", True), ("总长", True), ("房价", True), ("力量", False), ("工厂", False)],
)
def test_amounts(noun: str, expected: bool) -> None:
    assert is_amount(noun) == expected
