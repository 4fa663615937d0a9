from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.corpora import PKU_TAGS
from hengliang.tagging.test_sets.word_boundaries import (
    STRUCTURES,
    Structure,
    joined_structure,
    pieces_within_bounds,
    within_bounds,
)


def read(tagged: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    words, tags = zip(*(token.split("/") for token in tagged.split()), strict=True)
    return words, tags


@pytest.mark.parametrize(
    ("tagged", "structure"),
    [
        ("洗/v 碗/n", "verb and object"),
        ("举/v 杯/Ng", "verb and object"),
        ("跑/v 出/v", "verb and complement"),
        ("洗/v 净/a", "verb and complement"),
        ("亮/a 起来/v", "adjective and complement"),
        ("红/a 脸/n", "modifier and head"),
        ("木头/n 房子/n", "modifier and head"),
        ("女/b 司机/n", "modifier and head"),
        ("快/d 跑/v", "modifier and head"),
        ("三/m 匹/q", "modifier and head"),
        ("那/r 匹/q", "modifier and head"),
        ("看/v 看/v", "form of a verb or adjective"),
        ("看/v 一/m 看/v", "form of a verb or adjective"),
        ("漂亮/a 不/d 漂亮/a", "form of a verb or adjective"),
        ("跑/v 不/d 动/v", "form of a verb or adjective"),
        ("拿/v 着/u", "form of a verb or adjective"),
        ("司机/n 们/k", "affixed word"),
        ("三百/m 五十/m", "numeral"),
        ("明天/t 早上/t", "time"),
        ("春节/t 前/f", "time"),
        ("桌子/n 上/f", "place"),
        ("湖南/ns 长沙/ns", "place"),
        ("湖南/ns 长沙/ns 市/n", "place"),
        ("李/nr 小红/nr", "name"),
        ("在/p 家/n", None),  # a preposition with its object is a phrase
        ("他/r 和/c", None),
        ("我/r 的/u", None),
        ("本/q 书/n", None),  # a classifier belongs to the numeral before it
        ("三/m 是/v", None),
        ("年/q 内/f", "modifier and head"),
        ("水/n 开/v", None),  # a subject with what is said of it
        ("木头/n 房子/n 窗户/n", None),  # not simple any more
        ("书/n", None),
    ],
)
def test_the_upper_bound_what_may_be_one_word(tagged: str, structure: Structure | None) -> None:
    words, tags = read(tagged)
    assert joined_structure(words, tags) == structure
    assert within_bounds(words, tags, "n", joined=True) is (structure is not None)


@pytest.mark.parametrize(
    ("whole", "pieces", "allowed"),
    [
        # members that can be expanded
        ("n", "国际/n 会议/n", True),
        ("n", "旧/a 家具/n", True),
        ("n", "女/b 司机/n", True),
        ("v", "爬/v 上去/v", True),
        ("v", "打扫/v 完/v", True),
        ("v", "开/v 玩笑/n", True),
        ("d", "才/d 是/v", True),
        ("v", "就/d 走/v", True),
        ("r", "那/r 只/q", True),
        ("m", "三/m 只/q", True),
        ("d", "并/d 不/d", True),
        ("m", "三百/m 五十/m", True),
        ("v", "拿/v 着/u", True),
        ("s", "桌/n 上/f", True),
        ("t", "２００１/m 年/q", True),
        # members that cannot
        ("n", "牛/n 肉/n", False),
        ("n", "足球/n 场/n", False),
        ("n", "热/a 水/n", False),
        ("n", "便宜/a 货/n", False),
        ("v", "推/v 开/v", False),
        ("v", "洗/v 手/n", False),
        ("n", "五/m 官/n", False),
        ("n", "不/d 锈钢/n", False),
        ("n", "才/d 能/v", False),
        ("r", "有/v 的/u", False),
        ("n", "马/n 匹/q", False),
        ("n", "前/f 门/n", False),
        ("n", "目/n 的/u", False),
        ("v", "位/v 于/p", False),
        ("i", "画蛇/v 添足/v", False),
        ("c", "可/d 是/v", False),
        ("p", "随/v 着/u", False),
        ("m", "３/m ．/w ５/m", False),
        # affixes of words of two characters and more, and 儿
        ("n", "司机/n 们/k", True),
        ("n", "人/n 们/k", False),
        ("n", "科学/n 家/n", True),
        ("n", "副/b 班长/n", True),
        ("n", "花/n 儿/k", True),
        # reduplicated members
        ("v", "看/v 看/v", True),
        ("w", "…/w …/w", True),
        # names
        ("nr", "李/nr 小红/nr", True),
        ("n", "李/nr 老师/n", True),
        ("ns", "长沙/ns 市/n", True),
        ("ns", "沪/ns 城/n", False),
        ("n", "书/n", True),
    ],
)
def test_the_lower_bound_what_may_be_a_word_of_its_own(whole: str, pieces: str, allowed: bool) -> None:
    words, tags = read(pieces)
    assert pieces_within_bounds(words, tags, whole) is allowed
    assert within_bounds(words, tags, whole, joined=False) is allowed


tagged_words = st.lists(
    st.tuples(st.text("书看好的", min_size=1, max_size=3), st.sampled_from(sorted(PKU_TAGS))),
    min_size=1,
    max_size=4,
)


@given(tagged_words, st.sampled_from(sorted(PKU_TAGS)))
def test_everything_has_an_answer(pairs: list[tuple[str, str]], whole: str) -> None:
    words, tags = zip(*pairs, strict=True)
    structure = joined_structure(words, tags)
    assert structure is None or structure in STRUCTURES
    assert structure is None or len(words) > 1
    assert isinstance(pieces_within_bounds(words, tags, whole), bool)


@given(st.lists(st.text("书看好", min_size=2, max_size=3), min_size=2, max_size=4))
def test_content_words_of_two_syllables_can_always_be_parted(words: list[str]) -> None:
    assert pieces_within_bounds(words, ["n"] * len(words), "n")


def test_mistakes_are_told() -> None:
    for words, tags in ((["书"], ["n", "n"]), ([], [])):
        with pytest.raises(UserError, match="words and"):
            joined_structure(words, tags)
        with pytest.raises(UserError, match="words and"):
            pieces_within_bounds(words, tags, "n")
