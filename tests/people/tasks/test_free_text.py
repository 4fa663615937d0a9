"""Is a text kept as it was written, and is one left empty never taken for an answer?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.people.tasks.base import Given
from hengliang.people.tasks.fields import UNANSWERED, UNREADABLE
from hengliang.people.tasks.free_text import FreeText
from tests.people.tasks.examples import EXAMPLES, HORSE

SCREEN = EXAMPLES["free_text"].screen


@pytest.mark.parametrize(
    ("written", "label"),
    [("马。", "马。"), (" 一\r\n二 ", "一\n二"), ("<script>1</script>", "<script>1</script>"), ("'; DROP", "'; DROP")],
)
def test_what_is_kept(written: str, label: str) -> None:
    assert FreeText().read({"answer-text": written}, HORSE, SCREEN).given == (Given("text", label=label),)


def test_left_empty() -> None:
    assert [each.message for each in FreeText().read({}, HORSE, SCREEN).problems] == [UNANSWERED]
    optional = FreeText(required=False)
    missing = Given("text", status="missing", reason="left empty")
    assert optional.read({"answer-text": " \n"}, HORSE, SCREEN).given == (missing,)
    assert optional.read({"answer-text": "马"}, HORSE, SCREEN).given == (Given("text", label="马"),)
    assert optional.shown(HORSE, SCREEN, "zh", 0)["help"] == "可以不填。最多 1000 个字符。"


def test_too_long_or_no_writing() -> None:
    long = FreeText(longest=3).read({"answer-text": "一二三四"}, HORSE, SCREEN)
    assert [each.message.zh for each in long.problems] == ["请不要超过 3 个字符。"]
    strange = FreeText().read({"answer-text": "一\x07二"}, HORSE, SCREEN)
    assert [each.message for each in strange.problems] == [UNREADABLE]


@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=50))
def test_writing_is_always_kept(text: str) -> None:
    reading = FreeText().read({"answer-text": text}, HORSE, SCREEN)
    assert reading.problems == ()
    assert reading.given[0].label
