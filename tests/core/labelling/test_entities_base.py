"""Does one text that a recogniser cannot read leave the others alone?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import pytest

from hengliang.core import registry
from hengliang.core.errors import UserError
from hengliang.core.labelling.recognisers import Recogniser, recognise_safely, recogniser
from hengliang.core.labelling.spans import LabelledSpans, labelled_spans
from hengliang.core.labelling.taggers import Tagger
from hengliang.core.registry import register


class Kings(Recogniser):
    """Finds the one king it knows; fails on 坏, miscounts on 少, and is not installed on 无."""

    name = "kings"
    types: ClassVar[tuple[str, ...]] = ("PERSON",)

    def __init__(self, king: str = "大王") -> None:
        self.king = king

    def recognise(self, contents: Sequence[str]) -> LabelledSpans:
        if any("无" in text for text in contents):
            raise UserError("The library kings is not installed.")
        for text in contents:
            if "坏" in text:
                raise RuntimeError("line one\n  line two")
        found = []
        for text in contents:
            place = text.find(self.king)
            start = len(text[: max(place, 0)].encode())
            found.append([(start, start + len(self.king.encode()), "PERSON")] if place >= 0 else [])
        return labelled_spans(found[1:] if any("少" in text for text in contents) else found)


def test_only_the_text_that_fails_has_a_problem() -> None:
    found = recognise_safely(Kings(), ["大王来了", "坏大王", "", "小王和大王"])
    assert found.problems == (
        "",
        "the entity recogniser kings failed: RuntimeError: line one line two",
        "",
        "",
    )
    assert [found.of(row) for row in range(4)] == [[(0, 6, "PERSON")], [], [], [(9, 15, "PERSON")]]


def test_a_batch_that_goes_well_is_passed_on() -> None:
    assert recognise_safely(Kings(), []).problems == ()
    assert recognise_safely(Kings(), ["大王"]).of(0) == [(0, 6, "PERSON")]


def test_what_cannot_be_used_at_all_says_so() -> None:
    with pytest.raises(UserError, match="The library kings is not installed"):
        recognise_safely(Kings(), ["好", "无"])


def test_an_answer_too_few_is_named() -> None:
    with pytest.raises(UserError, match="recogniser kings returned 1 answers for 2 texts"):
        recognise_safely(Kings(), ["好", "少"])


def test_a_recogniser_is_found_by_name_and_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.load_plugins()
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))
    register("kings")(Kings)
    found = recogniser("kings:女王")
    assert isinstance(found, Kings)
    assert found.king == "女王"
    assert isinstance(recogniser("kings"), Kings)
    assert "kings" in [entry.name for entry in registry.entries("entity recogniser")]
    with pytest.raises(UserError, match="is called 'kinks'"):
        recogniser("kinks")


def test_a_tagger_is_no_recogniser() -> None:
    assert Tagger.role != Recogniser.role
