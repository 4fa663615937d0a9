"""Are all nouns found that a classifier may count, the nearest first, each with what lies before it?"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.materials.slot_heads import Reading, reading_before, readings_after


def tagged(text: str) -> tuple[list[str], list[str]]:
    """Return the words and the tags of a text of our own: word/tag, apart by spaces."""
    pairs = [token.rsplit("/", 1) for token in text.split()]
    return [word for word, _ in pairs], [tag for _, tag in pairs]


def heads(text: str) -> list[tuple[str, str]]:
    """Return the possible heads of the classifier with which the text begins, each with its bridge."""
    words, tags = tagged(text)
    found = readings_after(words, tags, 1, len(words))
    return [("".join(words[one.first : one.last + 1]), one.bridge) for one in found]


# --- one reading ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "head"),
    [
        # Adjectives and attributes, with and without 的.
        ("家/q 大型/b 新/a 公司/n 。/w", "公司"),
        ("条/q 很/d 长/a 的/u 辫子/n 。/w", "辫子"),
        ("件/q 激动人心/i 的/u 事/n 。/w", "事"),
        ("个/q 很/d 好/a 的/u 新/a 的/u 办法/n 。/w", "办法"),
        ("个/q 这样/r 的/u 人/n 。/w", "人"),
        ("个/q 什么/r 人/n 。/w", "人"),
        ("个/q 幸福/a 的/u 三/m 口/q 家庭/n 。/w", "家庭"),
        ("家/q 民办/b 和/c 股份制/b 医院/n 。/w", "医院"),
        # A clause that does not begin with a verb.
        ("种/q 对/p 社会/n 负责/v 的/u 态度/n 。/w", "态度"),
        ("种/q 对于/p 社会/n 的/u 态度/n 。/w", "态度"),
        ("个/q 我们/r 都/d 爱/v 的/u 人/n 。/w", "人"),
        ("个/q 他/r 写/v 的/u 故事/n 。/w", "故事"),
        ("个/q 他/r 写/v 的/u 我/r 爱/v 的/u 故事/n 。/w", "故事"),
        # Quotes, titles and remarks are stepped over when a noun or 的 follows.
        ("部/q 《/w 山路/n 》/w 电影/n 。/w", "电影"),
        ("场/q “/w 送/v 书/n ”/w 活动/vn 。/w", "活动"),
        ("场/q “/w 送/v 书/n ”/w 大/a 活动/vn 。/w", "活动"),
        ("件/q “/w 送/v 书/n ”/w 的/u 事/n 。/w", "事"),
        ("本/q （/w 中文/nz ）/w 词典/n 。/w", "词典"),
        ("本/q （/w 中文/nz ）/w 很/d 好/a 的/u 词典/n 。/w", "词典"),
        ("个/q “/w 模范/n ”/w", "模范"),
        # Many tags can be heads.
        ("种/q 享受/vn 。/w", "享受"),
        ("种/q 快乐/an 。/w", "快乐"),
        ("个/q 县委/j 。/w", "县委"),
        ("辆/q 红旗/nz 。/w", "红旗"),
        ("个/q 黄山/ns 。/w", "黄山"),
        ("部/q iPhone/nx 。/w", "iPhone"),
        # Words of time and place only if they are known to be counted, and no noun follows.
        ("个/q 周末/t 。/w", "周末"),
        ("个/q 周末/t 晚会/n 。/w", "晚会"),
        ("个/q 周末/t 大/a 晚会/n 。/w", "晚会"),
        ("个/q 山区/s 。/w", "山区"),
        ("个/q 山区/s 学校/n 。/w", "学校"),
        # Set phrases by their ending, but not before 的.
        ("项/q 系统工程/l 。/w", "系统工程"),
        ("个/q 系统工程/l 的/u 问题/n 。/w", "问题"),
        ("个/q 至关重要/l 问题/n 。/w", "问题"),
        # Names: surname and given name are one; a name in apposition is none.
        ("位/q 王/nr 小明/nr 。/w", "王小明"),
        ("位/q 作家/n 王/nr 小明/nr 来/v 了/y 。/w", "作家"),
        # What follows opens the next phrase; the same word may be a head where no noun is before it.
        ("名/q 女子/n 来/v 了/y 。/w", "女子"),
        ("名/q 工人/n 女子/n 来/v 了/y 。/w", "工人"),
        ("群/q 孩子/n 们/k 笑/v 了/y 。/w", "孩子"),
        ("名/q 选手/n 胸/n 戴/v 红花/n 。/w", "选手"),
        ("名/q 工人/n 时/Ng 。/w", "工人"),
        ("名/q 工人/n 周末/t 来/v 。/w", "工人"),
        ("名/q 工人/n 新/a", "工人"),
        ("名/q 工人/n 是/v 他/r 的/u 朋友/n 。/w", "工人"),
        ("名/q 工人/n 呢/y 我/r 的/u 朋友/n 。/w", "工人"),
        ("家/q 企业/n 和/p 学校/n 合作/v 。/w", "企业"),
        ("家/q 企业/n 和/c", "企业"),
        ("家/q 企业/n 和/c 三/m 家/q 学校/n 。/w", "企业"),
        ("家/q 企业/n 和/c 他/r 的/u 学校/n 。/w", "企业"),
        # A numeral begins a phrase of its own.
        ("个/q 小学/n 的/u 二十/m 个/q 孩子/n 。/w", "小学"),
    ],
)
def test_one_reading(text: str, head: str) -> None:
    assert heads(text) == [(head, "")]


@pytest.mark.parametrize(
    "text",
    [
        "个/q",
        "个/q 。/w",
        "个/q ，/w 人/n 走/v 了/y 。/w",
        "个/q 的/u 人/n 。/w",  # 的 right behind the classifier
        "个/q 都/d 坏/a 了/y 。/w",
        "个/q 是/v 我/r 的/u 朋友/n 。/w",  # a predicate
        "个/q 呢/y 我/r 的/u 朋友/n 。/w",
        "家/q 和/c 医院/n 的/u 人/n 。/w",
        "种/q 对于/p 问题/n 。/w",
        "个/q 昨天/t 。/w",
        "件/q 至关重要/l 。/w",
        "种/q 不/d 依赖/v 。/w",  # after 不 a verb is a verb
        "种/q 去/v 。/w",  # and so is one of one character
        "种/q 依赖/v 了/u 。/w",
        "种/q 很/d 大/a 依赖/v 。/w",
        "名/q 考上/v 好/a 大学/n 。/w",  # a predicate again: what modifies without 的 stands right before its noun
        "名/q 高唱/v “/w 山歌/n ”/w 。/w",
        "部/q 《/w 》/w 。/w",
        "部/q 《/w 山路/n",  # a title that is never closed
        "个/q 写/v “/w 信/n 的/u 人/n 。/w",  # nor is this quote: 的 may be within it
        "个/q 他/r 写/v 的/u ，/w 故事/n 。/w",
        "个/q 他/r 写/v 的/u 呢/y 我/r 的/u 书/n 。/w",
        "个/q 他/r 写/v 的/u 从/p 北京/ns 来/v 。/w",
    ],
)
def test_no_reading(text: str) -> None:
    assert heads(text) == []


# --- several readings -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Nouns side by side: the last one first, then the others from left to right.
        ("家/q 北京/ns 电器/n 公司/n 。/w", [("公司", ""), ("北京", "run"), ("电器", "run")]),
        ("个/q 农业/n 大/a 省/n 。/w", [("省", ""), ("农业", "run")]),
        ("家/q 北京/ns 上海/ns 公司/n 。/w", [("公司", ""), ("北京", "run"), ("上海", "run")]),
        ("家/q 电器/n 公司/n 开业/v 了/y 。/w", [("公司", ""), ("电器", "run")]),
        ("双/q 孩子/n 手/n 。/w", [("手", ""), ("孩子", "run")]),
        ("项/q 重点/n 系统工程/l 。/w", [("系统工程", ""), ("重点", "run")]),
        # A verb opens a clause; the noun within it may be the head if it is all that the verb has.
        ("位/q 抱/v 着/u 孩子/n 的/u 妇女/n 。/w", [("妇女", "relative")]),
        ("家/q 生产/v 玩具/n 的/u 工厂/n 。/w", [("工厂", "relative"), ("玩具", "object")]),
        ("家/q 生产/v 儿童/n 玩具/n 的/u 工厂/n 。/w", [("工厂", "relative"), ("玩具", "object")]),
        ("家/q 生产/v 玩具/n 的/u 北京/ns 工厂/n 。/w", [("工厂", "relative"), ("玩具", "object"), ("北京", "run")]),
        ("家/q 生产/v 新/a 玩具/n 的/u 工厂/n 。/w", [("工厂", "relative")]),
        ("家/q 生产/v 玩具/n 出名/v 的/u 工厂/n 。/w", [("工厂", "relative")]),
        ("家/q 卖/v 玩具/n 的/u 工厂/n 。/w", [("工厂", "relative")]),
        ("个/q 早点/d 来/v 的/u 人/n 。/w", [("人", "relative")]),
        # Enumerations and foreign names do not end the clause.
        ("位/q 种/v 花/n 、/w 养/v 鱼/n 的/u 老人/n 。/w", [("老人", "relative")]),
        ("位/q 见/v 过/u 约翰/nr ·/w 史密斯/nr 的/u 老人/n 。/w", [("老人", "relative")]),
        # One reading for each particle that is crossed.
        ("个/q 国家/n 的/u 领导人/n 。/w", [("国家", ""), ("领导人", "的")]),
        ("个/q 国家/n 的/u 领导人/n 的/u 秘书/n 。/w", [("国家", ""), ("领导人", "的"), ("秘书", "的")]),
        ("个/q 礼仪/n 之/u 邦/Ng 。/w", [("礼仪", ""), ("邦", "之")]),
        ("个/q 屋/n 里/f 的/u 老人/n 。/w", [("屋", ""), ("老人", "locative")]),
        ("家/q 规模/n 不/d 小/a 的/u 工厂/n 。/w", [("规模", ""), ("工厂", "predicate")]),
        ("家/q 规模/n 大/a 、/w 效益/n 好/a 的/u 工厂/n 。/w", [("规模", ""), ("工厂", "predicate")]),
        ("家/q 规模/n 大/a 起来/v 的/u 工厂/n 。/w", [("规模", ""), ("工厂", "clause")]),
        ("个/q 水/n 中/f 美丽/a 的/u 倒影/n 。/w", [("水", ""), ("倒影", "predicate")]),
        ("条/q 总长/n 达/v 九/m 公里/q 的/u 隧道/n 。/w", [("总长", ""), ("隧道", "clause")]),
        ("辆/q 职工/n 刚/d 开/v 来/v 的/u 卡车/n 。/w", [("职工", ""), ("卡车", "clause")]),
        # A clause within a clause, each with its 的.
        (
            "辆/q 职工/n 开/v 来/v 的/u 他/r 修/v 好/a 的/u 卡车/n 。/w",
            [("职工", ""), ("卡车", "clause")],
        ),
        # Coordination, and what 等 sums up.
        ("家/q 企业/n 、/w 学校/n 和/c 医院/n 。/w", [("企业", ""), ("学校", "and"), ("医院", "and")]),
        ("家/q 企业/n 和/c “/w 模范/n ”/w 学校/n 。/w", [("企业", ""), ("学校", "and")]),
        ("种/q 苹果/n 等/u 水果/n 。/w", [("苹果", ""), ("水果", "and")]),
        ("个/q 模范/n “/w 文明/n 村/n ”/w 。/w", [("模范", ""), ("村", "quoted")]),
        # Titles.
        ("部/q 《/w 山路/n 弯弯/z 》/w", [("山路弯弯", "title")]),
        ("个/q 《/w 山路/n 》/w 的/u 读者/n 。/w", [("山路", "title"), ("读者", "的")]),
        # A verb before a noun without 的, and a verb at the end of its clause.
        ("项/q 便民/v 措施/n 。/w", [("措施", "compound")]),
        ("种/q 依赖/v", [("依赖", "verb")]),
        ("种/q 大/a 依赖/v 。/w", [("依赖", "verb")]),
        ("种/q 依赖/v 和/c 习惯/v 。/w", [("依赖", "verb")]),
        ("次/q 访问/v 使/v 他/r 的/u 朋友/n 高兴/a 。/w", [("访问", "verb")]),
    ],
)
def test_readings_and_what_is_crossed(text: str, expected: list[tuple[str, str]]) -> None:
    assert heads(text) == expected


def test_beyond_the_nearest_there_are_four_readings_at_most() -> None:
    text = "个/q 甲/n 的/u 乙/n 的/u 丙/n 的/u 丁/n 的/u 戊/n 的/u 己/n 。/w"
    assert "".join(noun for noun, _ in heads(text)) == "甲乙丙丁戊"


def test_a_phrase_reaches_28_words() -> None:
    assert heads("个/q " + "很/d " * 27 + "书/n") == [("书", "")]
    assert heads("个/q " + "很/d " * 28 + "书/n") == []


def test_the_sentence_ends_where_it_is_said_to_end() -> None:
    words, tags = tagged("个/q 国家/n 的/u 领导人/n 。/w")
    assert readings_after(words, tags, 1, 5) == [Reading(1, 1, ""), Reading(3, 3, "的")]
    assert readings_after(words, tags, 1, 3) == [Reading(1, 1, "")]
    assert readings_after(words, tags, 1, 1) == []


# --- the noun before its number ---------------------------------------------------------------------------------------


def before(text: str) -> str | None:
    """Return the head that precedes its numeral and classifier, the two words after |; the sentence begins after ‖."""
    words, tags = tagged(text)
    places = {}
    for mark in "‖|":
        if mark in words:
            places[mark] = words.index(mark)
            del words[places[mark]], tags[places[mark]]
    left = places["|"]
    reading = reading_before(words, tags, left, left + 2, places.get("‖", 0), len(words))
    if reading is None:
        return None
    assert (reading.first, reading.bridge) == (reading.last, "before")
    return words[reading.first]


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("附/v 图片/n |/w 两/m 张/q", "图片"),
        ("收到/v 图书/n |/w 三百/m 册/q ，/w 很/d 好/a 。/w", "图书"),
        ("收到/v 图书/n |/w 三百/m 册/q 以上/f 。/w", "图书"),
        ("收到/v 图书/n |/w 三百/m 册/q （/w 新/a ）/w 。/w", "图书"),
        ("收到/v 图书/n |/w 三百/m 册/q 和/c 钱/n 。/w", "图书"),
        # Words between the noun and its number.
        ("有/v 列车/n 共/d |/w 五/m 趟/q 。/w", "列车"),
        ("有/v 列车/n 共/d 约/d |/w 五/m 趟/q 。/w", "列车"),
        # The phrase goes on, so its head is to be looked for there.
        ("他/r 给/v 学生/n |/w 三/m 本/q 书/n 。/w", None),
        ("他/r 给/v 学生/n |/w 三/m 本/q 《/w 山路/n 》/w 。/w", None),
        # An amount is not counted, and a verb, a name or a pronoun is not either.
        ("发行量/n |/w 三万/m 份/q 。/w", None),
        ("他/r 送/v |/w 三/m 本/q 。/w", None),
        ("北京/ns |/w 三/m 家/q 。/w", None),
        # The noun must be of the same sentence.
        ("图书/n ‖/w |/w 三百/m 册/q 。/w", None),
        ("图书/n ‖/w 共/d |/w 三百/m 册/q 。/w", None),
        ("|/w 三百/m 册/q 。/w", None),
    ],
)
def test_the_noun_before_its_number(text: str, head: str | None) -> None:
    assert before(text) == head


# --- properties -------------------------------------------------------------------------------------------------------

_NOUNS = "书/n 老师/n 国家/n 建设/vn 时/Ng 王/nr 小明/nr 北京/ns 系统工程/l 周末/t 山区/s 胸/n 今天/t 们/k"
_OTHERS = "三/m 个/q 他/r 这样/r 大/a 很/d 大型/b 的/u 之/u 了/u 等/u 看/v 参加/v 是/v 使/v 在/p 和/c 里/f 不/d 、/w"
_PLAIN = f"{_NOUNS} {_OTHERS}".split()
_MARKS = [f"{mark}/w" for mark in "，。“”《》（）"]
_plain = st.lists(st.sampled_from(_PLAIN), max_size=40)
_marked = st.lists(st.sampled_from(_PLAIN + _MARKS), max_size=40)
_HEAD_TAGS = frozenset(("n", "vn", "Ng", "nr", "ns", "l", "t", "s", "v"))


def _after(drawn: Sequence[str]) -> list[Reading]:
    words, tags = tagged(" ".join(["个/q", *drawn]))
    return readings_after(words, tags, 1, len(words))


@given(_marked)
def test_every_reading_is_another_noun_of_the_phrase(drawn: Sequence[str]) -> None:
    _, tags = tagged(" ".join(["个/q", *drawn]))
    found = _after(drawn)
    assert len({one.first for one in found}) == len(found)
    for one in found:
        assert 1 <= one.first <= one.last < len(tags)
        assert one.bridge == "title" or tags[one.last] in _HEAD_TAGS
    # Earlier nouns of a run, and of the clause, lie before its last one; everything else lies beyond it.
    for one in found[1:]:
        assert (one.first < found[0].first) == (one.bridge in {"run", "object"})
        assert one.bridge not in {"", "relative", "compound", "verb", "title", "before"}


@given(_plain, st.lists(st.sampled_from(_PLAIN + _MARKS), max_size=10), st.sampled_from("，。"))
def test_no_head_lies_beyond_the_end_of_the_clause(drawn: Sequence[str], rest: Sequence[str], mark: str) -> None:
    # Within quotes and brackets a mark ends nothing; here are none before it.
    clause = [*drawn, f"{mark}/w"]
    assert _after([*clause, *rest]) == _after(clause)


@given(_marked, st.lists(st.sampled_from(_PLAIN + _MARKS), max_size=10))
def test_what_stands_before_the_classifier_does_not_matter(drawn: Sequence[str], earlier: Sequence[str]) -> None:
    words, tags = tagged(" ".join([*earlier, "个/q", *drawn]))
    size = len(earlier)
    moved = [one._replace(first=one.first + size, last=one.last + size) for one in _after(drawn)]
    assert readings_after(words, tags, size + 1, len(words)) == moved
