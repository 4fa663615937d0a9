"""Is a tagger of one method a whole tagger, and does one bad sentence leave the others alone?"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

import pytest

from hengliang.core.base_classes import check_answers
from hengliang.core.errors import UserError
from hengliang.core.labelling.taggers import LONGEST, WordwiseTagger
from hengliang.core.records import Item, items_frame


class Characters(WordwiseTagger):
    """Takes every character for a word, and fails in all the ways that libraries do."""

    name = "characters"

    def words(self, sentence: str) -> Iterable[tuple[str, str]]:
        if "坏" in sentence:
            raise KeyError("坏\n字")
        if "空" in sentence:
            return []
        if "错" in sentence:
            raise UserError("No library.")
        if "停" in sentence:
            raise KeyboardInterrupt
        if "怪" in sentence:
            return [("怪", None)]  # type: ignore[list-item]
        if "默" in sentence:
            raise ValueError
        return ((character, "w" if character == "。" else "n") for character in sentence.replace("３", "3"))


def test_words_become_spans_and_one_bad_sentence_leaves_the_others_alone() -> None:
    found = Characters().tag(["他走。", "坏人", "空", "怪", "默", "", " ", "３ 个", "长" * (LONGEST + 1), "\ud800"])
    assert found.of(0) == [(0, 3, "n"), (3, 6, "n"), (6, 9, "w")]
    assert found.of(7) == [(0, 3, "n"), (3, 7, "n")]
    assert found.problems == (
        "",
        "the tagger characters failed: KeyError: '坏\\n字'",
        "the tagger returned no words",
        "the tagger characters failed: TypeError: ('怪', None) is not a word and a tag",
        "the tagger characters failed: ValueError",
        "",
        "",
        "",
        "the text has 10,001 characters; the tagger characters reads at most 10,000",
        "character 1 of the text is half a character (U+D800)",
    )


def test_what_says_that_nothing_can_work_is_passed_on() -> None:
    with pytest.raises(UserError, match="No library"):
        Characters().tag(["他", "错"])
    with pytest.raises(KeyboardInterrupt):
        Characters().tag(["停"])


def test_problems_become_reasons_of_answers() -> None:
    items = items_frame(Item(name, name, "m", "", content) for name, content in [("a", "好"), ("b", "坏"), ("c", "好")])
    answers = check_answers(Characters().answer(items), items, Characters())
    assert answers["status"].to_list() == ["ok", "failed", "ok"]
    assert answers["reason"][1] == "the tagger characters failed: KeyError: '坏\\n字'"


def test_changed_characters_are_told() -> None:
    changed = [Characters().changed(sentence) for sentence in ("３个", "三个", "三 个", "坏", "")]
    assert changed == [True, False, False, False, False]


def test_it_keeps_the_promises_of_a_tagger() -> None:
    assert [finding for finding in Characters().conformance() if not finding.kept] == []


class Endless(WordwiseTagger):
    """Never stops where there is a 坏."""

    name = "endless"

    def words(self, sentence: str) -> Iterable[tuple[str, str]]:
        return repeat(("坏", "a")) if "坏" in sentence else [(sentence, "n")]


def test_words_without_end_are_a_problem_of_their_sentence() -> None:
    # Twenty words for each character, and twenty more.
    told = "the tagger endless failed: ValueError: it returned more than 60 words"
    assert Endless().tag(["好。", "坏。"]).problems == ("", told)
