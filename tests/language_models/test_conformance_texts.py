"""Are the texts of the kit as hard as they should be, and are differences told?"""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import ScoredUnit, join_words, utf8
from hengliang.language_models import Texts, raw_texts
from hengliang.language_models.base import LanguageModel
from hengliang.language_models.conformance import (
    awkward_texts,
    checked_scores,
    close,
    cut,
    difference,
    long_text,
    ordinary_texts,
    places_to_cut,
    segmented_texts,
    shown,
)
from hengliang.language_models.scores import Scores, scores_of
from tests.core.text.text_strategies import NFC_TEXT, covers
from tests.language_models.tiny_language_models import Bigrams


def test_ordinary_texts_come_with_words_and_without() -> None:
    texts = ordinary_texts()
    half = len(texts) // 2
    assert texts.segmented.tolist() == [True] * half + [False] * half
    assert texts.contents[:half].to_list() == texts.contents[half:].to_list()
    assert all(covers(text.spans, len(utf8(text.content))) for text in list(texts)[:half])


@pytest.mark.parametrize(("scoring", "longest"), [("causal", 10_000), ("masked", 600), ("beam", 600)])
def test_awkward_texts_are_awkward(scoring: str, longest: int) -> None:
    texts = awkward_texts(scoring)  # type: ignore[arg-type]
    contents = texts.contents.to_list()
    assert max(map(len, contents)) == longest
    assert all(unicodedata.is_normalized("NFC", content) for content in contents)
    assert {len(content.encode()) // max(1, len(content)) for content in contents} >= {0, 1, 3, 4}
    assert texts.segmented.any()
    # An empty text without words, and one of which it is known that it has none.
    assert {bool(texts.segmented[row]) for row, content in enumerate(contents) if content == ""} == {False, True}
    assert len(long_text().words) > 10 * len(segmented_texts().take([0]).words)


@given(NFC_TEXT)
def test_cutting_at_a_character_leaves_the_beginning(text: str) -> None:
    try:
        texts = segmented_texts([text])
    except UserError:
        reject()  # a mark that begins a word melts with what stands before it
    for segmented in texts:
        for place in places_to_cut(segmented, at_words=False):
            piece = cut(segmented, place)
            assert segmented.content.startswith(piece.content)
            assert covers(piece.spans, place)
        ends = [cut(segmented, place).words for place in places_to_cut(segmented, at_words=True)]
        assert ends == [segmented.words[: count + 1] for count in range(len(segmented.spans))]


def test_a_cut_word_keeps_its_beginning() -> None:
    assert cut(join_words(["他", "终于"]), 6) == ("他终", [(0, 3), (3, 6)])
    assert cut(join_words(["他", "终于"]), 0) == ("", [])


# --- differences ---

TEXTS = raw_texts(["他走", "好"])
SCORES = scores_of([[ScoredUnit(0, 3, -1.0, -2.0), ScoredUnit(3, 6, -20.0, None)], "too hard"])


def test_equal_scores_do_not_differ() -> None:
    assert difference(TEXTS, SCORES, SCORES) == ""
    # 1e-5 nats and, of a log-probability of −20, 20 times as much
    assert difference(TEXTS, SCORES, replace(SCORES, logprobs=np.array([-1.000009, -20.00019]))) == ""


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (replace(SCORES, logprobs=np.array([-1.00003, -20.0])), "'他走': the log-probability of unit 1 is -1.000000"),
        (replace(SCORES, logprobs=np.array([-1.0, -20.001])), "unit 2 is -20.000000 and then -20.001000"),
        (replace(SCORES, unigram_logprobs=np.array([np.nan, np.nan])), "the unigram log-probability of unit 1"),
        (replace(SCORES, ends=np.array([3, 5])), "'他走': other units"),
        (replace(SCORES, problems=("", "")), "'好': once scored and once not: too hard"),
    ],
)
def test_differences_are_told(other: Scores, told: str) -> None:
    assert told in difference(TEXTS, SCORES, other)


@given(st.floats(-100, 0), st.floats(-100, 0))
def test_closeness_is_symmetrical_enough(one: float, other: float) -> None:
    pair = np.array([one]), np.array([other])
    assert bool(close(*pair)[0]) is (abs(one - other) <= 1e-5 * (1 + abs(other)))
    assert close(np.array([-np.inf, np.nan]), np.array([-np.inf, np.nan])).all()


def test_a_long_content_is_shown_in_short() -> None:
    assert shown("好") == "'好'"
    assert shown("好" * 41) == f"{'好' * 20!r}… (41 characters)"


class Returning(Bigrams):
    """Returns what it is told to, whatever the texts."""

    def __init__(self, scores: Scores) -> None:
        super().__init__()
        self.scores = scores

    def score(self, texts: Texts) -> Scores:
        return self.scores


@pytest.mark.parametrize(
    ("scores", "told"),
    [
        (SCORES.take([0]), "1 texts and 1 problems came back for 2 texts"),
        (replace(SCORES, problems=("",)), "2 texts and 1 problems"),
        (replace(SCORES, logprobs=np.array([-1.0])), "not of one length"),
        (replace(SCORES, offsets=np.array([0, 3, 2])), "do not ascend"),
        (replace(SCORES, problems=("too hard", "")), "a problem and yet units"),
    ],
)
def test_scores_that_do_not_fit_together_are_refused(scores: Scores, told: str) -> None:
    model: LanguageModel = Returning(scores)
    with pytest.raises(UserError, match=told):
        checked_scores(model, TEXTS)
    assert checked_scores(Returning(SCORES), TEXTS) is SCORES
