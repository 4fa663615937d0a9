"""Is every classifier found that counts or points, and nothing that only looks like one?"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.materials.slot_lexicon import CLASSIFIERS
from hengliang.materials.slot_triggers import Occurrence, occurrences


def tagged(text: str) -> tuple[list[str], list[str]]:
    """Return the words and the tags of a text of our own: word/tag, apart by spaces."""
    pairs = [token.rsplit("/", 1) for token in text.split()]
    return [word for word, _ in pairs], [tag for _, tag in pairs]


def found(text: str) -> list[Occurrence]:
    return list(occurrences(*tagged(text)))


def phrases(text: str) -> list[tuple[str, str]]:
    """Return the trigger of each classifier, and the words from the first of the phrase to the classifier."""
    words, tags = tagged(text)
    return [(one.trigger, " ".join(words[one.left : one.place + 1])) for one in occurrences(words, tags)]


@pytest.mark.parametrize(
    ("text", "trigger", "phrase"),
    [
        # Numeral and classifier apart, or one token.
        ("桌上/s 有/v 三/m 本/q 书/n 。/w", "numeral", "三 本"),
        ("他/r 有/v 一个/m 妹妹/n 。/w", "numeral", "一个"),
        ("他/r 定/v 了/u 一整套/m 规矩/n 。/w", "numeral", "一整套"),
        ("出现/v 了/u 一/m 系列/q 问题/n 。/w", "numeral", "一 系列"),
        ("多种/m 形式/n 。/w", "numeral", "多种"),
        # Vague numerals; 多 is tagged as numeral or as adjective.
        ("院子/n 里/f 有/v ３０/m 多/m 个/q 人/n 。/w", "numeral", "３０ 多 个"),
        ("院子/n 里/f 有/v 三百/m 多/a 个/q 人/n 。/w", "numeral", "三百 多 个"),
        ("来/v 了/u 多/a 名/q 选手/n 。/w", "numeral", "多 名"),
        ("这/r 三百/m 多/a 万/m 个/q 人/n 走/v 了/y 。/w", "demonstrative", "这 三百 多 万 个"),
        ("又/d 新/a 三/m 个/q 人/n 。/w", "numeral", "三 个"),
        # A size word between numeral and classifier.
        ("来/v 了/u 一/m 大/a 批/q 客人/n 。/w", "numeral", "一 大 批"),
        # A numeral only counts; with a pronoun before it, it points.
        ("这/r 位/q 老师/n 姓/v 李/nr 。/w", "demonstrative", "这 位"),
        ("这个/r 办法/n 很/d 好/a 。/w", "demonstrative", "这个"),
        ("此次/r 会议/n 很/d 短/a 。/w", "demonstrative", "此次"),
        ("这/r 三/m 个/q 人/n 走/v 了/y 。/w", "demonstrative", "这 三 个"),
        ("这/r 几十/m 多/m 个/q 人/n 走/v 了/y 。/w", "demonstrative", "这 几十 多 个"),
        ("那/r 一/m 大/a 批/q 客人/n 走/v 了/y 。/w", "demonstrative", "那 一 大 批"),
        ("店里/s 有/v 各种/r 点心/n 。/w", "distributive", "各种"),
        ("某个/r 村庄/n 下雪/v 了/y 。/w", "distributive", "某个"),
        ("每/r 一个/m 人/n 都/d 来/v 了/y 。/w", "distributive", "每 一个"),
        ("任何/r 一/m 个/q 人/n 都/d 能/v 来/v 。/w", "distributive", "任何 一 个"),
        ("哪/r 个/q 人/n 来/v 了/y ？/w", "interrogative", "哪 个"),
        ("哪个/r 学生/n 迟到/v 了/y ？/w", "interrogative", "哪个"),
        ("来/v 了/u 多少/r 个/q 人/n ？/w", "interrogative", "多少 个"),
        # A pronoun that does not point is no part of the phrase.
        ("我们/r 三/m 个/q 人/n 走/v 了/y 。/w", "numeral", "三 个"),
        ("三/m 个/q 人/n 爱/v 这/r", "numeral", "三 个"),
        ("第一/m 个/q 人/n 走/v 了/y 。/w", "ordinal", "第一 个"),
        ("第一个/m 人/n 走/v 了/y 。/w", "ordinal", "第一个"),
        ("首/m 位/q 客人/n 到/v 了/y 。/w", "ordinal", "首 位"),
        # 届 and 期 number a series, with or without 第; after 这 they are pointed at.
        ("第九/m 届/q 大会/n 开/v 了/y 。/w", "serial", "第九 届"),
        ("二/m 期/q 工程/n 完工/v 了/y 。/w", "serial", "二 期"),
        ("这/r 两/m 期/q 工程/n 完工/v 了/y 。/w", "demonstrative", "这 两 期"),
        ("本届/r 大会/n 开/v 了/y 。/w", "demonstrative", "本届"),
        ("下/f 个/q 星期/n 再/d 说/v 。/w", "sequence", "下 个"),
        # 一 may go after a verb, alone or with a particle of aspect.
        ("门口/s 有/v 个/q 人/n 。/w", "elided", "个"),
        ("他/r 买/v 了/u 本/q 字典/n 。/w", "elided", "本"),
        ("他/r 养/v 着/u 只/q 猫/n 。/w", "elided", "只"),
        ("他/r 上/v 个/q 台阶/n 。/w", "elided", "个"),
    ],
)
def test_what_licenses_the_classifier(text: str, trigger: str, phrase: str) -> None:
    assert phrases(text) == [(trigger, phrase)]


@pytest.mark.parametrize(
    "text",
    [
        # Words that only look fused.
        "我/r 买/v 了/u 一些/m 苹果/n 。/w",
        "请/v 等/v 一下/m 。/w",
        "这样/r 的/u 天气/n 不/d 多/a 。/w",
        # Units of measure, and a form that only counts how often.
        "他/r 住/v 了/u 三/m 年/q 。/w",
        "路/n 长/a 十/m 公里/q 。/w",
        "我/r 看/v 了/u 三/m 遍/q 电影/n 。/w",
        # A date, and nouns counted directly.
        "三月/t 的/u 天气/n 好/a 。/w",
        "两/m 国/n 关系/n 好/a 。/w",
        # The word is a classifier elsewhere, but is not tagged as one.
        "他/r 一/m 口/n 喝/v 完/v 。/w",
        # Reduplication, in one word or in several.
        "个个/q 都/d 高兴/a 。/w",
        "一座座/m 高楼/n 起来/v 了/y 。/w",
        "他/r 一/m 件/q 一/m 件/q 地/u 数/v 。/w",
        "他/r 一/m 件/q 又/d 一/m 件/q 地/u 数/v 。/w",
        "迎来/v 了/u 一个/m 又/d 一个/m 春天/t 。/w",
        # Nothing licenses it: no trigger, another kind of pronoun, the beginning of the paragraph.
        "每天/r 件/q 数/n 不/d 同/a 。/w",
        "他们/r 位/q 子/n 好/a 。/w",
        "个/q 人/n 有/v 责任/n 。/w",
        "左/f 个/q 人/n 。/w",
        # A size word without a numeral before it, and another adjective with one.
        "很/d 大/a 批/q 客人/n 。/w",
        "他/r 吃/v 大/a 块/q 肉/n 。/w",
        "大/a 批/q 客人/n 共/d 三百/m",
        "来/v 了/u 三/m 好/a 批/q 客人/n 。/w",
        # A manner of doing, with a verb that leaves no 一 out, or with 得.
        "他们/r 成/v 套/q 出售/v 。/w",
        "他/r 玩/v 得/u 个/q 痛快/an 。/w",
        # 了 without a verb before it, and a form after which 一 is never left out.
        "了/u 个/q 人/n 走/v",
        "他/r 有/v 届/q 大会/n 。/w",
    ],
)
def test_nothing_is_licensed(text: str) -> None:
    assert phrases(text) == []


def test_repetition_is_of_the_whole_phrase() -> None:
    # Two different things are counted, though the words between them are the same.
    assert [one.classifier for one in found("一/m 件/q 上衣/n 一/m 件/q 裤子/n 。/w")] == ["件", "件"]
    assert [one.classifier for one in found("三/m 件/q 一/m 件/q 上衣/n 。/w")] == ["件", "件"]


def test_a_pronoun_is_known_by_its_tag() -> None:
    # 本 is a demonstrative in 本届, and here the classifier of another phrase.
    assert phrases("书/n 两/m 本/q 三/m 张/q 纸/n 。/w") == [("numeral", "两 本"), ("numeral", "三 张")]


def test_where_the_classifier_stands() -> None:
    # Words: 0 这, 1 两, 2 位, 3 老师, 4 有, 5 一个, 6 孩子, 7 、, 8 买, 9 了, 10 本.
    text = "这/r 两/m 位/q 老师/n 有/v 一个/m 孩子/n 、/w 买/v 了/u 本/q 书/n"
    assert found(text) == [
        Occurrence(2, "位", "demonstrative", 0),
        Occurrence(5, "个", "numeral", 5),
        Occurrence(10, "本", "elided", 10),
    ]


# --- properties -------------------------------------------------------------------------------------------------------

_TRIGGERS = "一/m 三/m 第二/m 首/m 多/a 多/m 这/r 每/r 哪/r 他/r 一个/m 这种/r 第三届/m 一些/m 上/f"
_OTHERS = "大/a 了/u 有/v 分/v 又/d 个/q 位/q 种/q 次/q 届/q 批/q 年/q 书/n 老师/n 的/u ，/w"
_VOCABULARY = f"{_TRIGGERS} {_OTHERS}".split()
_texts = st.lists(st.sampled_from(_VOCABULARY), max_size=20)


@given(_texts)
def test_each_classifier_ends_its_phrase_and_comes_once(drawn: Sequence[str]) -> None:
    words, tags = tagged(" ".join(drawn))
    occurred = list(occurrences(words, tags))
    for one in occurred:
        assert one.classifier in CLASSIFIERS
        assert words[one.place].endswith(one.classifier)
        assert tags[one.place] in {"q", "m", "r"}
        # A classifier that is a word of its own has its trigger before it, unless 一 is elided.
        before = words[one.place] == one.classifier and one.trigger != "elided"
        assert one.left < one.place if before else one.left <= one.place
        assert one.trigger != "elided" or one.left == one.place
        assert "，" not in words[one.left : one.place]
    places = [one.place for one in occurred]
    assert places == sorted(set(places))


@given(_texts, _texts)
def test_a_full_stop_keeps_two_sentences_apart(first: Sequence[str], second: Sequence[str]) -> None:
    stop = "。/w"
    together = found(" ".join([*first, stop, *second]))
    size = len(first) + 1
    moved = [one._replace(place=one.place + size, left=one.left + size) for one in found(" ".join(second))]
    assert together == found(" ".join(first)) + moved
