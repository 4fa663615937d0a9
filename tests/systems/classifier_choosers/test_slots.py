from __future__ import annotations

import polars as pl
import pytest

from hengliang import Item, Span
from hengliang.core import items_frame
from hengliang.systems.classifier_choosers import General, slots_of
from hengliang.systems.classifier_choosers.conformance import slot_items


def test_slot_is_a_byte_offset_and_head_comes_from_the_span() -> None:
    found = slots_of(slot_items([("他有三", "新", "书", "。")]))
    # 他有三 are three characters of three bytes each.
    assert found.row(0, named=True) == {"row": 0, "sentence": "他有三新书。", "slot": 9, "noun": "书", "problem": ""}


def test_attribute_head_goes_before_the_span_and_the_span_fills_its_gaps() -> None:
    items = slot_items([("一", "", "书", ""), ("一", "", "马", "")]).with_columns(head=pl.Series(["词典", None]))
    assert slots_of(items)["noun"].to_list() == ["词典", "马"]


def test_noun_is_empty_when_nothing_names_it() -> None:
    items = items_frame([Item("a", "a", "m", "", "有一马", (Span("slot", 6, 6),))])
    assert slots_of(items)["noun"].to_list() == [""]


@pytest.mark.parametrize(
    ("spans", "reason"),
    [
        ((), "no span named 'slot'"),
        ((Span("slot", 3, 3), Span("slot", 6, 6)), "more than one"),
        ((Span("slot", 3, 6),), "not empty"),
        ((Span("slot", 4, 4),), "inside a character"),
    ],
)
def test_unusable_slots_fail_with_a_reason(spans: tuple[Span, ...], reason: str) -> None:
    items = items_frame(
        [Item("a", "a", "m", "", "有一马", spans), Item("b", "b", "m", "", "有一马", (Span("slot", 6, 6),))]
    )
    answers = General().answer(items)
    assert answers["status"].to_list() == ["failed", "ok"]
    assert reason in answers["reason"][0]
    assert answers["content"].is_null().to_list() == [True, False]


def test_slots_at_both_ends_of_the_sentence_are_usable() -> None:
    assert slots_of(slot_items([("", "", "书", ""), ("书一", "", "", "")]))["problem"].to_list() == ["", ""]


def test_a_head_that_cuts_a_character_names_no_noun() -> None:
    heads = [(6, 9), (7, 9), (6, 8), (6, 12)]
    items = items_frame(
        [
            Item(str(number), str(number), "made", "", "有一书。", (Span("slot", 6, 6), Span("head", *head)))
            for number, head in enumerate(heads)
        ]
    )
    assert slots_of(items)["noun"].to_list() == ["书", "", "", "书。"]
