"""Is a classifier left out where it makes no slot, and does it keep the nouns that it may count?"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hengliang.materials.slot_candidates import PossibleSlot, possible_slot
from hengliang.materials.slot_compatibility import Candidate
from hengliang.materials.slot_heads import Reading
from hengliang.materials.slot_lexicon import HEADS_OF, is_event
from hengliang.materials.slot_triggers import occurrences


def tagged(text: str) -> tuple[list[str], list[str]]:
    """Return the words and the tags of a text of our own: word/tag, apart by spaces."""
    pairs = [token.rsplit("/", 1) for token in text.split()]
    return [word for word, _ in pairs], [tag for _, tag in pairs]


def slots(text: str) -> list[PossibleSlot]:
    words, tags = tagged(text)
    found = (possible_slot(words, tags, one, 0, len(words)) for one in occurrences(words, tags))
    return [slot for slot in found if slot is not None]


def nouns(text: str) -> list[tuple[str, list[str]]]:
    """Return each classifier that has possible heads, with these."""
    return [(slot.occurrence.classifier, [one.noun for one in slot.candidates]) for slot in slots(text)]


# --- forms with wishes of their own -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "classifier", "head"),
    [
        # A few heads: the form is a unit or a label before others, and looks beyond them.
        ("他/r 提/v 了/u 三/m 点/q 建议/n 。/w", "点", "建议"),
        ("他/r 提/v 了/u 三/m 点/q 读者/n 的/u 建议/n 。/w", "点", "建议"),
        ("这/r 是/v 两/m 回/q 事/n 。/w", "回", "事"),
        ("他/r 走/v 了/u 一/m 步/q 好/a 棋/n 。/w", "步", "棋"),
        # Events after 次, also with 第 and beyond another noun.
        ("我们/r 开/v 一/m 次/q 会议/n 。/w", "次", "会议"),
        ("昨天/t 举行/v 了/u 第一/m 次/q 会谈/vn 。/w", "次", "会谈"),
        ("有/v 两/m 次/q 电影/n 的/u 讨论/vn 。/w", "次", "讨论"),
        ("有/v 两/m 次/q 会议/n 的/u 报告/n 。/w", "次", "会议"),
        # Pointed at, the event is not what was done so often.
        ("他/r 参加/v 过/u 这/r 三/m 次/q 会议/n 。/w", "次", "会议"),
        # A clause after 一次, apart or in one token, and a clause that says how long the event lasts.
        ("这/r 是/v 一/m 次/q 跨越/v 时空/n 的/u 长谈/vn 。/w", "次", "长谈"),
        ("这/r 是/v 一次/m 跨越/v 时空/n 的/u 长谈/vn 。/w", "次", "长谈"),
        ("这/r 次/q 为期/v 两/m 天/q 的/u 访问/vn 。/w", "次", "访问"),
        ("三/m 次/q 会议/n 开/v 过/u", "次", "会议"),
        # Words of time with 个 and 段.
        ("那/r 是/v 一个/m 周末/t 。/w", "个", "周末"),
        ("那/r 是/v 一/m 段/q 春天/t 。/w", "段", "春天"),
        # A verb that is a noun by its use.
        ("这/r 是/v 一/m 种/q 依赖/v 。/w", "种", "依赖"),
        ("这/r 场/q 比赛/v 。/w", "场", "比赛"),
        ("第一/m 场/q 比赛/v 。/w", "场", "比赛"),
        ("这/r 次/q 比赛/v 。/w", "次", "比赛"),
        ("要/v 实现/v “/w 两/m 个/q 转变/v ”/w", "个", "转变"),
        # An ordinal that has a head, and one that counts ways and not paragraphs.
        ("第一/m 名/q 学生/n 到/v 了/y 。/w", "名", "学生"),
        ("头/m 个/q 学生/n 到/v 了/y 。/w", "个", "学生"),
        ("走/v 第三/m 条/q 路/n 。/w", "条", "路"),
        ("第九/m 届/q 大会/n 开/v 了/y 。/w", "届", "大会"),
        # Neither a rank nor a session: another form, or no player before it.
        ("李平/nr 三/m 本/q 书/n 。/w", "本", "书"),
        ("来/v 了/u 九/m 位/q 棋手/n 。/w", "位", "棋手"),
        ("九/m 段/q 路/n 属于/v 李平/nr", "段", "路"),
        ("三/m 本/q 五十/m 页/q 的/u 书/n 。/w", "本", "书"),
        # A form that does not count the noun before it counts the one behind it.
        ("祖孙/n 几/m 代/q 工人/n 住/v 在/p 这里/r 。/w", "代", "工人"),
        # 一 is not elided, so that verb and object are two words.
        ("他/r 敬/v 了/u 一/m 个/q 礼/n 。/w", "个", "礼"),
        # Nor are these one verb.
        ("他/r 做/v 个/q 转变/vn 。/w", "个", "转变"),
        ("他/r 玩/v 个/q 游戏/n 。/w", "个", "游戏"),
    ],
)
def test_the_form_gets_its_head(text: str, classifier: str, head: str) -> None:
    assert nouns(text) == [(classifier, [head])]


@pytest.mark.parametrize(
    "text",
    [
        # Not among the few heads of the form.
        "他/r 下午/t 三/m 点/q 到/v 。/w",
        "他/r 住/v 三/m 号/q 楼/n 。/w",
        "发生/v 六/m 级/q 地震/n 。/w",
        "她/r 跑/v 了/u 一/m 趟/q 医院/n 。/w",
        "她/r 坐/v 了/u 三/m 趟/q 火车/n 。/w",
        # How often something was done.
        "他/r 去/v 过/u 一/m 次/q 北京/ns 。/w",
        "我们/r 谈/v 过/u 三/m 次/q 工作/vn 。/w",
        "他/r 第一/m 次/q 参加/v 比赛/vn 。/w",
        "他/r 三/m 次/q 放弃/v 深造/v 的/u 机会/n 。/w",
        "他/r 两/m 次/q 在/p 北京/ns 的/u 会议/n 。/w",
        # The number of a train; a person is no event.
        "八/m 次/q 快运/vn 列车/n 。/w",
        "三/m 次/q 会议/n 人员/n 。/w",
        # A verb that is a verb, by its form or by its trigger.
        "这/r 是/v 一/m 本/q 依赖/v 。/w",
        "第一/m 种/q 依赖/v 。/w",
        "要/v 实现/v 两/m 个/q 转变/v",
        "要/v 实现/v 两/m 个/q 转变/v 。/w",
        "一/m 场/q 比赛/v 。/w",
        "第一/m 次/q 比赛/v 。/w",
        "这/r 次/q 依赖/v 。/w",
        "这/r 场/q 依赖/v 。/w",
        # Words of time with other forms.
        "那/r 是/v 一/m 本/q 春天/t 。/w",
        # Labels: the parts of a text, ranks, sessions whose body is not named.
        "第三/m 条/q 国家/n 保护/v 森林/n",
        "他/r 说/v ：/w 第三/m 条/q 国家/n 保护/v 森林/n 。/w",
        "森林法/n 第三/m 条/q 原则/n 。/w",
        "第二/m 章/q 第三/m 条/q 原则/n 。/w",
        "他/r 读/v 了/u 头/m 条/q 新闻/n 。/w",
        "来/v 了/u 九/m 段/q 棋手/n 。/w",
        "棋手/n 李平/nr 九/m 段/q 实力/n 强/a 。/w",
        "八/m 届/q 三/m 中/f 全会/n 。/w",
        # A verb and its object with 个 in between, also with 了.
        "晚上/t 聚/v 个/q 餐/Ng 。/w",
        "给/p 您/r 拜/v 个/q 年/n 。/w",
        "他/r 敬/v 了/u 个/q 礼/n 。/w",
        "他/r 玩/v 个/q 转变/vn 。/w",
        # After a noun these forms do not count it, and what is pointed at is not counted by the noun before it.
        "祖孙/n 四/m 代/q 。/w",
        "图书/n 这/r 三/m 册/q 。/w",
        # No head at all.
        "他/r 获得/v 第一/m 名/q 。/w",
        "走/v 了/u 三/m 段/q 。/w",
        "这/r 是/v 第九/m 届/q",
        "这/r 是/v 一/m 系列/q",
    ],
)
def test_no_slot(text: str) -> None:
    assert nouns(text) == []


def test_a_session_within_a_series_is_a_slot_of_its_own() -> None:
    assert nouns("八/m 届/q 五/m 次/q 全会/n 。/w") == [("次", ["全会"])]


# --- what is kept -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("三/m 个/q 月/n 。/w", 2),
        # 多 and 半 after the classifier are stepped over, as a numeral or an adjective.
        ("三/m 个/q 多/m 月/n 。/w", 3),
        ("三/m 个/q 半/m 多/a 小时/n 。/w", 4),
        ("三/m 个/q 来/v 的/u 客人/n 。/w", 2),
        # 的 after a form that allows it.
        ("一/m 系列/q 的/u 问题/n 。/w", 3),
        ("一/m 系列/q 问题/n 。/w", 2),
    ],
)
def test_where_the_phrase_goes_on(text: str, start: int) -> None:
    assert [slot.start for slot in slots(text)] == [start]


def test_other_forms_have_no_particle_behind_them() -> None:
    assert slots("一/m 本/q 的/u 问题/n 。/w") == []


def test_candidates_tell_what_stands_before_them() -> None:
    # Words: 0 一, 1 场, 2 大, 3 范围, 4 的, 5 城市, 6 降雪. 降雪 is the last noun of its run, which lies beyond 的.
    (slot,) = slots("一/m 场/q 大/a 范围/n 的/u 城市/n 降雪/vn 。/w")
    assert slot.readings == (Reading(3, 3, ""), Reading(6, 6, "的"))
    assert slot.candidates == (Candidate("范围", "n", "", True, False), Candidate("降雪", "vn", "的", False, True))


def test_a_name_is_one_candidate() -> None:
    (slot,) = slots("来/v 了/u 一/m 位/q 王/nr 小明/nr 。/w")
    assert slot.readings == (Reading(4, 5, ""),)
    assert [one.noun for one in slot.candidates] == ["王小明"]


def test_the_first_noun_that_is_left_becomes_the_nearest() -> None:
    # 电影 is no event, so 讨论 is no longer a farther reading that would need evidence against it.
    (slot,) = slots("有/v 两/m 次/q 电影/n 的/u 讨论/vn 。/w")
    assert [(one.noun, one.bridge) for one in slot.candidates] == [("讨论", "")]


def test_the_sentence_bounds_the_heads() -> None:
    words, tags = tagged("有/v 图书/n 三百/m 册/q 好/a 书/n")
    (occurrence,) = occurrences(words, tags)

    def within(begin: int, end: int) -> list[tuple[str, str]]:
        slot = possible_slot(words, tags, occurrence, begin, end)
        return [(one.noun, one.bridge) for one in slot.candidates] if slot else []

    assert within(0, 6) == [("书", "")]
    assert within(0, 4) == [("图书", "before")]
    assert within(2, 4) == []


# --- properties -------------------------------------------------------------------------------------------------------

_WORDS = "一/m 三/m 第二/m 几/m 这/r 每/r 一个/m 一次/m 这种/r 各项/r 本届/r 多/m 半/m 他/r 什么/r 们/k"
_FORMS = "个/q 位/q 种/q 次/q 届/q 本/q 点/q 张/q 段/q 系列/q 些/q"
_NOUNS = (
    "书/n 老师/n 国家/n 会议/n 图片/n 建议/n 领导人/n 建设/vn 时/Ng 王/nr 小明/nr 北京/ns iPhone/nx 系统工程/l 周末/t"
)
_OTHERS = "大/a 新/a 很/d 大型/b 的/u 之/u 了/u 等/u 看/v 参加/v 比赛/v 是/v 有/v 在/p 和/c 里/f 今天/t"
_MARKS = "、/w ，/w 。/w ！/w “/w ”/w 《/w 》/w （/w ）/w"
_VOCABULARY = " ".join((_WORDS, _FORMS, _NOUNS, _OTHERS, _MARKS)).split()


@given(st.lists(st.sampled_from(_VOCABULARY), min_size=1, max_size=40), st.integers(0, 10), st.integers(0, 10))
def test_candidates_are_nouns_of_the_sentence(drawn: Sequence[str], cut_left: int, cut_right: int) -> None:
    words, tags = tagged(" ".join(drawn))
    begin, end = cut_left, max(len(words) - cut_right, 0)
    for one in occurrences(words, tags):
        if not begin <= one.left <= one.place < end:
            continue
        slot = possible_slot(words, tags, one, begin, end)
        if slot is None:
            continue
        assert slot.start > one.place
        assert len(slot.readings) == len(slot.candidates) > 0
        for reading, candidate in zip(slot.readings, slot.candidates, strict=True):
            assert begin <= reading.first <= reading.last < end
            # The noun follows the classifier, or it precedes the whole phrase.
            assert reading.last < one.left if reading.bridge == "before" else reading.first >= slot.start
            assert candidate.noun == "".join(words[reading.first : reading.last + 1])
            assert (candidate.tag, candidate.bridge) == (tags[reading.last], reading.bridge)
            if one.classifier in HEADS_OF:
                assert candidate.noun in HEADS_OF[one.classifier]
            if one.classifier == "次":
                assert is_event(words[reading.last], candidate.tag)


@given(st.lists(st.sampled_from(f"{_NOUNS} {_OTHERS} {_MARKS}".split()), max_size=20))
@example(["参加/v", "老师/n", "的/u", "会议/n"])
def test_one_token_or_two_have_the_same_heads(drawn: Sequence[str]) -> None:
    # 一个/m and 一/m 个/q are two ways to write the same.
    for form in ("个", "种", "次"):
        fused, apart = (nouns(" ".join([*start, *drawn])) for start in ([f"一{form}/m"], ["一/m", f"{form}/q"]))
        assert fused == apart
