"""Does a typed text fall into the clauses that were meant, whatever its script and widths?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.systems.readers.mandarin_text import ordinary, ordinary_aligned, sentences


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("都是方形。", [["都是方形"]]),
        ("都是方形，一半红. 没有圆形!", [["都是方形", "一半红"], ["没有圆形"]]),
        ("都 是\t方 形\n没有圆形", [["都是方形"], ["没有圆形"]]),
        ("有两种：红圆、蓝方。", [["有两种", "红圆、蓝方"]]),
        ("３.５和７５％", [["3.5和75%"]]),
        ("“红色”的圆（三个）没了", [["红色的圆", "三个", "没"]]),
        ("", []),
        ("。，！", []),
    ],
)
def test_clauses(text: str, clauses: list[list[str]]) -> None:
    assert [[clause.text for clause in sentence] for sentence in sentences(text)] == clauses


def test_traditional_characters_are_made_simplified() -> None:
    pytest.importorskip("opencc")
    assert ordinary("３個紅色圓形，其餘的是藍色") == "3个红色圆形，其余的是蓝色"


def test_a_clause_keeps_what_was_written() -> None:
    clauses = sentences("左邊 有２個紅圓，其餘…")[0]
    assert [clause.written for clause in clauses] == ["左邊 有２個紅圓", "其餘"]


@given(st.text("紅红個个圓，。2２% a", max_size=30))
def test_the_ordinary_text_goes_character_for_character(text: str) -> None:
    assert len(ordinary_aligned(text)) == len(text)
    written = [clause.written for sentence in sentences(text) for clause in sentence]
    assert all(one in text for one in written)
