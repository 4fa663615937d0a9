"""Is a text cut where its spans say, and never within a character?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hengliang import Span
from hengliang.people.tasks.base import Stimulus
from hengliang.people.tasks.pieces import Piece, language_of, pieces_of, span_fault


def test_spans_are_bytes() -> None:
    # 一 and 匹 are three bytes each.
    assert pieces_of("一匹马", [Span("t", 3, 6)]) == (Piece("一", False), Piece("匹", True), Piece("马", False))
    assert pieces_of("一匹马", [Span("t", 0, 9)]) == (Piece("一匹马", True),)
    assert pieces_of("一匹马", []) == (Piece("一匹马", False),)
    assert pieces_of("", []) == ()


def test_overlapping_and_empty_spans() -> None:
    spans = [Span("b", 3, 9), Span("a", 0, 6), Span("c", 3, 3)]
    assert pieces_of("一匹马", spans) == (Piece("一匹", True), Piece("马", True))


@given(st.text(), st.lists(st.tuples(st.integers(-5, 40), st.integers(-5, 40)), max_size=4))
def test_nothing_is_lost_between_characters(text: str, edges: list[tuple[int, int]]) -> None:
    spans = tuple(Span("t", min(pair), max(pair)) for pair in edges)
    pieces = pieces_of(text, spans)
    if span_fault(Stimulus("a", "a", text, spans)) is None:
        assert "".join(piece.text for piece in pieces) == text


def test_faulty_spans_are_named() -> None:
    outside = span_fault(Stimulus("a", "a", "一匹", (Span("t", 3, 7),)))
    assert outside == "its span 't' (3 to 7) lies outside its 6 bytes"
    within = span_fault(Stimulus("a", "a", "一匹", (Span("t", 1, 3),)))
    assert within == "its span 't' (1 to 3) cuts a character in two"


def test_the_language_of_a_text() -> None:
    assert (language_of("一匹马"), language_of("Half are red."), language_of("他说 OK"), language_of("𠀀")) == (
        *("zh", "en", "zh", "zh"),
    )
