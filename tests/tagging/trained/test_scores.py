"""Are found words counted as the bakeoffs count them?"""

from __future__ import annotations

import pytest

from hengliang.core import labelled_spans
from hengliang.tagging.sentences import gold_spans
from hengliang.tagging.trained.training import TaggingScores, tagging_scores

GOLD = ["就/p 此/r 打住/v", "好/a 。/w"]


def test_words_and_tagged_words_are_counted_apart() -> None:
    # Found: 就此/d 打住/v and 好/d 。/w. Of five gold words and four found ones, three begin and end alike (打住, 好
    # and 。), and two of these have the same tag too: F1 = 2*3/9 and 2*2/9.
    scores = tagging_scores(GOLD, labelled_spans([[(0, 6, "d"), (6, 12, "v")], [(0, 3, "d"), (3, 6, "w")]]))
    assert scores == TaggingScores(gold=5, found=4, words=3, tagged=2, sentences=2, failed=0)
    assert scores.word_f1 == pytest.approx(6 / 9)
    assert scores.tagged_f1 == pytest.approx(4 / 9)


def test_a_failed_sentence_has_no_words() -> None:
    scores = tagging_scores(GOLD, labelled_spans(["it hangs", [(0, 3, "a"), (3, 6, "w")]]))
    assert (scores.failed, scores.found, scores.tagged) == (1, 2, 2)
    assert scores.as_dict()["word_f1"] == pytest.approx(4 / 7, abs=1e-6)


def test_gold_is_perfect_and_nothing_is_nothing() -> None:
    perfect = tagging_scores(GOLD, labelled_spans([gold_spans(gold) for gold in GOLD]))
    assert perfect.word_f1 == perfect.tagged_f1 == 1
    assert tagging_scores([], labelled_spans([])).word_f1 == 0
