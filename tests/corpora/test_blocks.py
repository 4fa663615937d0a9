"""Are blocks contiguous, cut at headlines, and given to the parts by their place?"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.corpora.parts import (
    PART_CYCLE,
    article_starts,
    blocks_of_starts,
    cut_blocks,
    looks_like_headline,
    parts_of_blocks,
)

ARTICLE = ["山村通了自来水", "本报南山一月三日电记者李平报道：山里的水来了。", "村民都很高兴。", "水很甜。（王平摄）"]
ESSAY = ["看雪", "李平", "雪下了一夜。", "早晨，天晴了。"]


def test_starts_of_articles() -> None:
    # A headline with a dateline is certain, one without may be a heading; the author's name begins nothing.
    assert list(article_starts(ARTICLE + ESSAY + ARTICLE)) == [2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]


def test_a_dateline_may_follow_a_second_headline() -> None:
    texts = ["雪停了。", "山村通了自来水", "全村用上清水（附图片）", "新华社南山一月三日电水来了。"]
    assert list(article_starts(texts)) == [2, 2, 0, 0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("山村通了自来水", True),
        ("山村通了自来水（附图片２张）", True),
        ("水来了。", False),
        ("他说：“水来了。”", False),
        ("村里的人说：", False),
        ("（新华社南山电）", False),
        ("水", False),
        ("水" * 46, False),
    ],
)
def test_headlines(text: str, expected: bool) -> None:
    assert looks_like_headline(text) is expected


def test_blocks_begin_with_an_article() -> None:
    texts = ARTICLE * 30
    blocks = cut_blocks(texts, size=10)
    # An article has 4 paragraphs, so the first start at or after 10 paragraphs is at 12: 120 / 12 blocks.
    assert blocks.numbers.tolist() == [place // 12 for place in range(120)]
    assert blocks.parts == PART_CYCLE
    assert Counter(blocks.paragraph_parts) == {"train": 96, "dev": 12, "test": 12}


def test_a_doubtful_start_waits() -> None:
    # Doubtful starts every 4 paragraphs are taken from 10 + 5 = 15 on, so at 16.
    blocks = blocks_of_starts([1, 0, 0, 0] * 8, size=10)
    assert blocks.numbers.tolist() == [0] * 16 + [1] * 16


def test_known_documents() -> None:
    starts = [True, False, False, True, False, True]
    assert blocks_of_starts(starts, size=2).numbers.tolist() == [0, 0, 0, 1, 1, 2]


def test_without_paragraphs_there_are_no_blocks() -> None:
    blocks = cut_blocks([])
    assert (blocks.numbers.tolist(), blocks.parts, blocks.paragraph_parts) == ([], (), [])


def test_parts_repeat() -> None:
    parts = parts_of_blocks(25)
    assert [place for place, part in enumerate(parts) if part == "dev"] == [4, 14, 24]
    assert [place for place, part in enumerate(parts) if part == "test"] == [9, 19]


def test_size_must_be_positive() -> None:
    with pytest.raises(UserError, match="cannot have 0 paragraphs"):
        cut_blocks(["水来了。"], size=0)


@given(st.lists(st.sampled_from([0, 1, 2]), max_size=200), st.integers(1, 30))
def test_blocks_are_contiguous_and_start_at_starts(starts: list[int], size: int) -> None:
    numbers = blocks_of_starts(starts, size).numbers  # type: ignore[arg-type]
    assert numbers.shape == (len(starts),)
    steps = np.flatnonzero(np.diff(numbers)) + 1
    assert set(np.diff(numbers).tolist()) <= {0, 1}
    assert all(starts[step] for step in steps.tolist())
    assert all(count >= size for count in np.bincount(numbers).tolist()[:-1])


@given(st.lists(st.text(alphabet="水山。（）”片", max_size=50), max_size=40))
def test_reading_ahead_does_not_change_what_was_said(texts: list[str]) -> None:
    # Three paragraphs are looked at ahead, so a start is settled once they are known.
    whole = list(article_starts(texts))
    assert len(whole) == len(texts)
    for end in range(len(texts)):
        assert list(article_starts(iter(texts[:end])))[: max(0, end - 3)] == whole[: max(0, end - 3)]
