"""Is what a stranger's tagger returned taken for words only when it is?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core.labelling.spans import Labelled, LabelledSpans, labelled_spans
from hengliang.core.labelling.words import checked_words
from tests.tagging.taggers.bad_taggers import by_character

UNCOVERED = "the tagger odd returned words that do not cover the sentence"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([(3, 6, "n"), (0, 3, "n"), (6, 9, "n")], UNCOVERED),  # in another order
        ([(0, 6, "n"), (3, 9, "n")], UNCOVERED),  # one over the other
        ([(0, 3, "n"), (6, 9, "n")], UNCOVERED),  # a gap
        ([(0, 3, "n"), (3, 12, "n")], UNCOVERED),  # beyond the end
        ([(-3, 3, "n"), (3, 9, "n")], UNCOVERED),  # before the beginning
        ([(0, 4, "n"), (4, 9, "n")], UNCOVERED),  # within a character
        ([(0, 3, "n"), (3, 3, "n"), (3, 9, "n")], UNCOVERED),  # a word without characters
        ([], "the tagger odd returned no words"),
        ([(0, 3, "n"), (3, 9, "")], "the tagger odd returned a word that has no tag"),
        ([(0, 3, " "), (3, 9, "n")], "the tagger odd returned a word that has no tag"),
    ],
)
def test_words_that_are_none_are_a_problem_of_their_sentence(words: list[Labelled], problem: str) -> None:
    good = by_character("好人。")
    found = checked_words(labelled_spans([good, words, "too long"]), ["好人。", "他走了", "长"], "odd")
    assert found.problems == ("", problem, "too long")
    assert [found.of(row) for row in range(3)] == [good, [], []]


@pytest.mark.parametrize("returned", [None, "n", [[("他", "r")]], iter([]), {"他": "r"}])
def test_what_is_no_batch_of_words_is_refused(returned: object) -> None:
    with pytest.raises(TypeError, match=f"it returned a {type(returned).__name__} instead of words"):
        checked_words(returned, ["他"], "odd")


def test_as_many_answers_as_sentences() -> None:
    found = labelled_spans([by_character("好")])
    with pytest.raises(ValueError, match="it returned 1 answers for 2 sentences"):
        checked_words(found, ["好", "好"], "odd")
    unsaid = LabelledSpans(found.offsets, found.starts, found.ends, found.labels, (None,))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="problem that is no text"):
        checked_words(unsaid, ["好"], "odd")


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8)))
def test_right_words_stay_as_they_are(sentences: list[str]) -> None:
    found = labelled_spans([[(0, len(text.encode()), "x")] if text else [] for text in sentences])
    assert checked_words(found, sentences, "whole") is found
