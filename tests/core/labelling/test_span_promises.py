"""Are the texts of the kit what they claim, and does a finding say where two answers differ?"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hengliang.core.errors import UserError
from hengliang.core.labelling.spans import (
    AWKWARD,
    LONG,
    MEGABYTE,
    ORDINARY,
    LabelledSpans,
    SpanKit,
    difference,
    labelled_spans,
    shown,
)
from hengliang.core.text.characters import characters


class Characters:
    """Labels every character; `extra` answers come on top."""

    def __init__(self, extra: int = 0) -> None:
        self.extra = extra

    def label(self, texts: Sequence[str]) -> LabelledSpans:
        everything = [*texts, *ORDINARY[: self.extra]]
        return labelled_spans([[(start, end, "x") for start, end in characters(text)] for text in everything])


def test_the_texts_are_long_and_awkward_enough() -> None:
    assert len(MEGABYTE.encode()) > 1_000_000
    assert len(LONG) > 5_000
    assert any(not text.strip() for text in AWKWARD)
    assert any(ord(character) > 0xFFFF for text in AWKWARD for character in text)
    assert len(set(ORDINARY)) == len(ORDINARY)


def test_whoever_labels_characters_keeps_the_promises() -> None:
    broken = [(promise, found) for promise, check in SpanKit(Characters(), "label").promises() if (found := check())]
    assert broken == []


def test_an_answer_too_many_is_refused() -> None:
    with pytest.raises(UserError, match="13 answers and 13 problems came back for 12 texts"):
        SpanKit(Characters(extra=1), "label").label(ORDINARY)


def test_a_difference_names_the_text_and_both_answers() -> None:
    one = Characters().label(ORDINARY)
    other = labelled_spans(["gone" if row == 5 else one.of(row) for row in range(len(ORDINARY))])
    assert difference(one, one) == ""
    assert difference(one, other) == f"{ORDINARY[5]!r}: [(0, 3, 'x'), (3, 6, 'x')] and then gone"


def test_long_texts_are_shown_by_their_beginning() -> None:
    assert shown("好") == "'好'"
    assert shown("好" * 50) == f"{'好' * 20!r}… (50 characters)"
