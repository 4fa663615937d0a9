"""Are marks read as slots at the right bytes, and faults said by line?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.systems.classifier_choosers.marked_sentences import (
    EMPTY,
    NO_NOUN,
    NO_SLOT,
    NO_TEXT,
    read_marked,
    read_marked_lines,
)


@pytest.mark.parametrize("mark", ["<CL>", "＜CL＞", "＜ＣＬ＞", "<cl>", "< CL >"])
def test_the_mark_may_be_narrow_or_wide(mark: str) -> None:
    (slot,) = read_marked(f"他牵着一{mark}马").slots
    # Four characters of three bytes stand before the slot.
    assert (slot.sentence, slot.slot, slot.noun, slot.others) == ("他牵着一马", 12, "", ())


def test_several_marks_are_several_slots_in_the_same_sentence() -> None:
    one, two = read_marked("三<CL>书和一<CL>笔", line=7).slots
    assert (one.line, one.number, one.sentence, one.slot, one.others) == (7, 1, "三书和一笔", 3, (12,))
    assert (two.line, two.number, two.sentence, two.slot, two.others) == (7, 2, "三书和一笔", 12, (3,))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("他很好", NO_SLOT),
        ("", EMPTY),
        ("  ", EMPTY),
        ("<CL>", NO_TEXT),
        ("3<CL>。", NO_TEXT),
        ("这三<CL>", NO_NOUN),
    ],
)
def test_what_is_wrong_is_said(text: str, problem: str) -> None:
    read = read_marked(text)
    assert (read.slots, read.problem) == ((), problem)


def test_the_noun_may_be_given_or_follow_a_tab() -> None:
    assert read_marked("三<CL>旧书\t书").slots[0].noun == "书"
    assert read_marked("三<CL>旧书", noun=" 书 ").slots[0].noun == "书"
    assert read_marked("三<CL>", noun="书").slots[0].sentence == "三"
    assert read_marked("三<CL>书", noun=" ").problem == "the noun that was given is empty"


def test_an_accent_after_the_mark_would_move_every_offset() -> None:
    assert "accent" in read_marked("a<CL>\u0301书").problem


def test_one_bad_line_leaves_the_others() -> None:
    lines = read_marked_lines(["一<CL>马", "没有", "两<CL>书"], first=5)
    assert [(line.line, len(line.slots)) for line in lines] == [(5, 1), (6, 0), (7, 1)]


@given(st.lists(st.text("他一本书aé𠮷 ", max_size=4), min_size=2, max_size=5))
def test_slots_are_where_the_marks_were(pieces: list[str]) -> None:
    read = read_marked("<CL>".join(pieces).strip() + "马")
    for slot in read.slots:
        before = slot.sentence.encode()[: slot.slot].decode()
        assert slot.sentence.startswith(before)
        assert "<CL>" not in slot.sentence
        assert sorted([slot.slot, *slot.others]) == sorted(other.slot for other in read.slots)


def test_half_a_character_is_told() -> None:
    # What a command line cannot decode arrives as halves of characters.
    problem = "it holds half a character (U+DCFF): read it with the encoding it was written in"
    assert read_marked("\udcff一<CL>马").problem == problem
    assert read_marked("一<CL>马", noun="马\udcff").problem == problem
    assert read_marked("一<CL>马").problem == ""
