"""Is what fills the gap kept tidied, and is the gap where the stimulus says?"""

from __future__ import annotations

import pytest

from hengliang import Span
from hengliang.people.tasks.base import Given, Stimulus
from hengliang.people.tasks.cloze import Cloze, gap_of
from hengliang.people.tasks.fields import UNANSWERED, UNREADABLE
from tests.people.tasks.examples import EXAMPLES, GAP, HORSE

SCREEN = EXAMPLES["cloze"].screen


@pytest.mark.parametrize(("typed", "label"), [("匹", "匹"), (" 匹\u3000", "匹"), ("e\u0301", "é"), ("<b>", "<b>")])
def test_what_is_kept(typed: str, label: str) -> None:
    assert Cloze().read({"answer-filled": typed}, GAP, SCREEN).given == (Given("filled", label=label),)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", UNANSWERED.en),
        (" \u200b ", UNANSWERED.en),
        ("匹" * 11, "Please use at most 10 characters."),
        ("匹" * 1_000_000, "Please use at most 10 characters."),
        ("匹\n马", UNREADABLE.en),
        ("匹\0", UNREADABLE.en),
        ("\u202e匹", UNREADABLE.en),
    ],
)
def test_what_is_not(typed: str, said: str) -> None:
    assert [each.message.en for each in Cloze().read({"answer-filled": typed}, GAP, SCREEN).problems] == [said]


def test_a_gap_is_a_span_or_a_mark() -> None:
    assert gap_of(GAP) == ("山坡上有两", "马。")
    # What stands in the gap is not shown: 匹 is the bytes 15 to 18.
    assert gap_of(Stimulus("a", "a", "山坡上有两匹马。", (Span("slot", 15, 18),))) == ("山坡上有两", "马。")
    assert gap_of(Stimulus("a", "a", "山坡上 有 两 <CL> 马 。")) == ("山坡上 有 两", "马 。")
    assert gap_of(Stimulus("a", "a", "two <CL> horses")) == ("two ", " horses")


@pytest.mark.parametrize(
    "stimulus",
    [
        HORSE,
        Stimulus("a", "a", "一<CL>马，两<CL>牛"),
        Stimulus("a", "a", "一马两牛", (Span("slot", 3, 3), Span("slot", 9, 9))),
        Stimulus("a", "a", "一<CL>马", (Span("slot", 3, 3),)),
    ],
)
def test_no_gap_or_two(stimulus: Stimulus) -> None:
    assert Cloze().check(stimulus) == "it needs one gap: one span 'slot', or one <CL> in its text"


def test_a_span_within_a_character() -> None:
    assert "cuts a character" in (Cloze().check(Stimulus("a", "a", "一马", (Span("slot", 1, 1),))) or "")
