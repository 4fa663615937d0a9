"""Is the right part of a sentence seen, and the noun always?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.systems.classifier_choosers.neural.slot_windows import SlotWindow, characters_of, folded, slot_windows
from tests.systems.classifier_choosers.neural.toys import LONG, toy_slots


def test_a_window_is_cut_around_the_slot() -> None:
    (window,) = slot_windows(toy_slots(("他昨天买了三", f"{LONG}书。", "书")), 3)
    assert window == SlotWindow("买了三", LONG[:3], "书")


def test_a_noun_beyond_the_window_is_seen() -> None:
    (window,) = slot_windows(toy_slots(("有一", f"{LONG * 20}马。", "马")), 5)
    assert window.noun == "马"
    assert "马" not in window.after


def test_a_missing_noun_is_empty() -> None:
    assert slot_windows(toy_slots(("有一", "。", "")).with_columns(noun=None), 5)[0].noun == ""


@given(st.text(max_size=12), st.text(max_size=12), st.integers(1, 15))
def test_a_window_is_what_characters_say(before: str, after: str, reach: int) -> None:
    # Windows are cut in bytes for speed; cutting characters is the definition.
    before, after = before.encode(errors="ignore").decode(), after.encode(errors="ignore").decode()
    (window,) = slot_windows(toy_slots((before, after, "")), reach)
    assert (window.before, window.after) == (before[-reach:], after[:reach])


def test_width_case_and_digits_do_not_count() -> None:
    assert folded("ＡbC，１２３年٣𠮷") == "abc,000年0𠮷"


def test_characters_come_once() -> None:
    assert characters_of([SlotWindow("三三", "B书", "书"), SlotWindow("", "b", "7")]) == ["0", "b", "三", "书"]


@pytest.mark.parametrize("reach", [0, -1, True, 2.0])
def test_an_impossible_window_is_refused(reach: int) -> None:
    with pytest.raises(UserError, match=r"window=.* is not possible"):
        slot_windows(toy_slots(("有一", "书", "书")), reach)
