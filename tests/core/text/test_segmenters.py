"""Is a segmenter found by its name, does it sign its code, and what does its kit see?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest

from hengliang.core import registry
from hengliang.core.errors import UserError
from hengliang.core.registry import register
from hengliang.core.signature import code_checksum
from hengliang.core.text.segmentation import Segmented
from hengliang.core.text.segmenters import WordSegmenter, cut, registered, segmented_by, segmenter_identity, why_missing
from hengliang.language_models import raw_texts


class Halves(WordSegmenter):
    """Cuts every text into two words."""

    name = "halves"

    def __init__(self, model: str = "") -> None:
        self.model = model

    def cut(self, contents: Sequence[str]) -> list[Segmented]:
        found = []
        for content in contents:
            edges = [0, len(content[: len(content) // 2].encode()), len(content.encode())]
            pairs = [pair for pair in pairwise(edges) if pair[0] < pair[1]]
            found.append(Segmented(content, pairs))
        return found

    def identity(self) -> str:
        return self.model or "usual"


class Lossy(Halves):
    """Loses the last word."""

    name = "lossy"

    def cut(self, contents: Sequence[str]) -> list[Segmented]:
        return [Segmented(one.content, one.spans[:-1]) for one in super().cut(contents)]


@pytest.fixture(autouse=True)
def own_segmenter(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.load_plugins()
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))
    register("halves")(Halves)


def test_a_segmenter_of_ones_own_is_found_by_name_and_model() -> None:
    assert [one.words for one in cut(["他买了书"], "halves")] == [["他买", "了书"]]
    (text,) = raw_texts(["他买了书"]).with_words("halves:other")
    assert text.words == ["他买", "了书"]
    assert segmenter_identity("halves") == "halves usual"
    assert segmenter_identity("halves:other") == "halves:other other"
    assert why_missing("halves") == "" and registered("rjieba") is None


def test_who_cuts_signs_its_code_where_no_closure_reaches_it() -> None:
    code = code_checksum(Halves)
    assert segmented_by("halves", "words") == {"words": "halves usual", "words_code": code}
    # Those of the library are reached by the code of whoever calls them.
    assert list(segmented_by("characters", "words")) == ["words"]


def test_a_name_that_nobody_has_lists_all() -> None:
    with pytest.raises(UserError, match=r"No segmenter is called 'halfs'\. Did you mean halves") as caught:
        cut(["他"], "halfs")
    assert "characters, crf, crf:NAME, english, halves, halves:NAME, pku, rjieba" in str(caught.value)
    # `pku` takes no model.
    with pytest.raises(UserError, match="No segmenter is called 'pku:1998'"):
        segmenter_identity("pku:1998")
    assert why_missing("halfs").startswith("No segmenter is called 'halfs'.")


def test_the_kit_keeps_an_eye_on_the_words() -> None:
    assert [finding for finding in Halves().conformance() if not finding.kept] == []
    broken = [finding for finding in Lossy().conformance() if not finding.kept]
    assert [finding.promise for finding in broken] == ["words follow each other and cover the text"]


def test_a_tagger_keeps_its_name_although_its_words_are_a_segmenter() -> None:
    assert registry.find_any("crf").role == "tagger"
    assert registry.find_any("segmenter:crf").role == "segmenter"
    assert registry.find_any("pku").role == "segmenter"
