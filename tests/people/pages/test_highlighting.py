from __future__ import annotations

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from hengliang import Span
from hengliang.people.pages.highlighting import marked_text
from hengliang.people.tasks.base import Stimulus


def test_spans_are_bytes_and_not_characters() -> None:
    # Each of these characters is three bytes: the second lies from 3 to 6.
    stimulus = Stimulus("a", "a", "一匹马", (Span("target", 3, 6),))
    assert marked_text(stimulus, True) == '一<strong class="target">匹</strong>马'
    assert marked_text(stimulus, False) == "一匹马"


def test_several_spans_and_an_empty_one() -> None:
    stimulus = Stimulus("a", "a", "ab cd", (Span("second", 3, 5), Span("first", 0, 1), Span("empty", 2, 2)))
    assert marked_text(stimulus, True) == '<strong class="target">a</strong>b <strong class="target">cd</strong>'


def test_markup_in_a_text_is_text() -> None:
    stimulus = Stimulus("a", "a", "<script>x</script>&", (Span("target", 0, 8),))
    assert marked_text(stimulus, True) == '<strong class="target">&lt;script&gt;</strong>x&lt;/script&gt;&amp;'


@given(st.text("a<>&\"'马汉𠀀", max_size=20), st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=4))
def test_marking_changes_no_character(text: str, places: list[tuple[int, int]]) -> None:
    edges = [len(text[:at].encode()) for at in range(len(text) + 1)]
    spans = tuple(
        Span("target", edges[min(start, end, len(text))], edges[min(max(start, end), len(text))])
        for start, end in places
    )
    marked = str(marked_text(Stimulus("a", "a", text, spans), True))
    plain = re.sub(r'<strong class="target">|</strong>', "", marked)
    assert unescape(plain) == text
    assert "<" not in plain
