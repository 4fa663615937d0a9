"""Are words the units of word models, empty ones left out, and is the end a unit of no width?"""

from __future__ import annotations

import numpy as np

from hengliang.core import Segmented
from hengliang.language_models import raw_texts, read_texts, texts_of
from hengliang.language_models.vocabulary import scores_of_words, words_of_texts


def test_raw_text_is_cut_and_given_words_are_kept() -> None:
    texts = words_of_texts(read_texts(["他 走了", "他走了"]), "characters")
    assert texts.words.to_list() == ["他", "走了", "他", "走", "了"]


def test_empty_words_are_places_and_no_units() -> None:
    texts = words_of_texts(texts_of([Segmented("他走", [(0, 0), (0, 3), (3, 3), (3, 6)]), Segmented("", [])]), "rjieba")
    assert texts.words.to_list() == ["他", "走"]
    assert texts.offsets.tolist() == [0, 2, 2]
    assert texts.starts.tolist() == [0, 3]


def test_the_end_of_each_text_is_its_last_unit() -> None:
    texts = words_of_texts(read_texts(["他 走了", "我 去"]), "characters")
    logprobs = -np.arange(6.0)
    scores = scores_of_words(texts, logprobs, logprobs - 1, np.array([False, True, False, False, False, False]))
    assert scores.offsets.tolist() == [0, 3, 6]
    assert scores.starts.tolist() == [0, 3, 9, 0, 3, 6]
    assert scores.ends.tolist() == [3, 9, 9, 3, 6, 6]
    assert scores.unknown.tolist() == [False, True, False, False, False, False]
    assert scores.problems == ("", "")


def test_no_texts_have_no_units() -> None:
    none = np.zeros(0)
    scores = scores_of_words(words_of_texts(raw_texts([]), "characters"), none, none, np.zeros(0, np.bool_))
    assert len(scores) == 0
