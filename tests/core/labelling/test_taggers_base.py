"""Does a tagger answer items with its words, and say who is wrong when it miscounts?"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hengliang.core import registry
from hengliang.core.base_classes import check_answers
from hengliang.core.errors import UserError
from hengliang.core.labelling.spans import LabelledSpans, labelled_spans
from hengliang.core.labelling.taggers import LONGEST, Tagger, tagger, unreadable
from hengliang.core.records import Item, items_frame
from hengliang.core.registry import register
from hengliang.tagging import MappedTagger


class Whole(Tagger):
    """Takes a sentence for one word; refuses those without 好."""

    name = "whole"

    def __init__(self, tag: str = "s", lost: int = 0) -> None:
        self.tag_given = tag
        self.lost = lost

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        kept = sentences[self.lost :]
        return labelled_spans(
            [[(0, len(text.encode()), self.tag_given)] if "好" in text else "there is no 好 in it" for text in kept]
        )


ITEMS = items_frame([Item("a", "a", "m", "", "好人"), Item("b", "b", "m", "", "坏人")])


def test_words_become_answers_and_problems_reasons() -> None:
    answers = check_answers(Whole().answer(ITEMS), ITEMS, Whole())
    assert answers["content"].to_list() == [[{"start": 0, "end": 6, "tag": "s"}], None]
    assert answers["status"].to_list() == ["ok", "failed"]
    assert answers["reason"].to_list() == ["", "there is no 好 in it"]


def test_a_sentence_too_few_is_named() -> None:
    with pytest.raises(UserError, match="The tagger 'whole' returned 1 sentences for 2"):
        Whole(lost=1).answer(ITEMS)


class Crossing(Whole):
    """Its words overlap, where there is a 好."""

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        return labelled_spans([[(0, 6, "n"), (3, 6, "n")] if "好" in text else [(0, 6, "n")] for text in sentences])


@pytest.mark.parametrize("wrapped", [Crossing(), MappedTagger(Crossing(), map="pku")])
def test_words_that_do_not_cover_their_sentence_fail(wrapped: Tagger) -> None:
    answers = check_answers(wrapped.answer(ITEMS), ITEMS, wrapped)
    assert answers["content"].to_list() == [None, [{"start": 0, "end": 6, "tag": "n"}]]
    assert answers["reason"].to_list() == ["the tagger whole returned words that do not cover the sentence", ""]


class Counting(Whole):
    """Remembers what it was asked."""

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        self.asked = list(sentences)
        return super().tag(sentences)


def test_a_sentence_that_items_share_is_tagged_once() -> None:
    contents = ["好人", "坏人", "好人", "好", "坏人"]
    items = items_frame(Item(str(number), str(number), "m", "", text) for number, text in enumerate(contents))
    counting = Counting()
    answers = check_answers(counting.answer(items), items, counting)
    assert counting.asked == ["好人", "坏人", "好"]
    assert [None if words is None else words[0]["end"] for words in answers["content"].to_list()] == [
        6,
        None,
        6,
        3,
        None,
    ]
    assert answers["status"].to_list() == ["ok", "failed", "ok", "ok", "failed"]
    assert answers["reason"].to_list() == ["", "there is no 好 in it", "", "", "there is no 好 in it"]
    assert Counting().answer(items.head(0)).height == 0


def test_a_tagger_without_a_card_has_none() -> None:
    assert Whole().card() is None
    named = Whole()
    named.name = "snownlp:other"
    card = named.card()
    assert card is not None
    assert card.name == "snownlp"


def test_an_unreadable_sentence_is_told_why() -> None:
    assert unreadable("好" * LONGEST, "whole") == ""
    assert unreadable("好" * (LONGEST + 1), "whole").endswith("the tagger whole reads at most 10,000")
    assert unreadable("好\udc00", "whole") == "character 2 of the text is half a character (U+DC00)"


def test_a_tagger_is_found_by_name_and_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.load_plugins()
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))
    register("whole")(Whole)
    found = tagger("whole:sentence")
    assert isinstance(found, Whole)
    assert found.tag_given == "sentence"
    assert isinstance(tagger("whole"), Whole)
    with pytest.raises(UserError, match="No tagger is called 'hole'"):
        tagger("hole")


def test_an_argument_that_a_tagger_does_not_take_is_refused() -> None:
    with pytest.raises(UserError, match="The tagger lac takes nothing after its name, but 'large' stands there"):
        tagger("lac:large")
