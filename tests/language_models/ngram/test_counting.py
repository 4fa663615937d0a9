"""Does counting find every n-gram, its count, its prefix and its suffix?"""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import Offsets
from hengliang.language_models.ngram import counting
from hengliang.language_models.ngram.counting import CountedLevel, count_levels, parallel, with_edges
from tests.language_models.ngram.textbook import last_ngram, occurrences

Numbers = list[list[int]]


def flat(sentences: Numbers) -> tuple[counting.Ids, Offsets]:
    ids = np.array([word for words in sentences for word in words], np.int32)
    return ids, np.cumsum([0, *(len(words) for words in sentences)])


def levels_of(sentences: Numbers, order: int, vocabulary: int = 10) -> list[CountedLevel]:
    return list(count_levels(*flat(sentences), vocabulary, order))


def names_of(levels: list[CountedLevel]) -> list[list[tuple[int, ...]]]:
    """Return the n-grams of each level as tuples of words, read through their prefixes."""
    names: list[list[tuple[int, ...]]] = [[()]]
    for level in levels:
        rows = zip(level.prefixes.tolist(), level.words.tolist(), strict=True)
        names.append([(*names[-1][prefix], word) for prefix, word in rows])
    return names[1:]


corpora = st.lists(st.lists(st.integers(3, 9), max_size=7), min_size=1, max_size=12)


def test_a_text_is_written_with_the_edges_of_its_sentences() -> None:
    # Sentences 5 6, none, 7: <s> 5 6 </s>, <s> </s>, <s> 7 </s>, and two <s> as padding.
    text = with_edges(*flat([[5, 6], [], [7]]), padding=2)
    assert text.tolist() == [1, 5, 6, 2, 1, 2, 1, 7, 2, 1, 1]


def test_levels_of_two_sentences() -> None:
    # 3 4 and 4 4: the bigrams are <s> 3, <s> 4, 3 4, 4 </s> twice, 4 4. Words are rows of the first level.
    first, second = levels_of([[3, 4], [4, 4]], 2, vocabulary=5)
    assert first.counts.tolist() == [0, 2, 2, 1, 3]
    assert second.prefixes.tolist() == [1, 1, 3, 4, 4]
    assert second.words.tolist() == [3, 4, 4, 2, 4]
    assert second.suffixes.tolist() == [3, 4, 4, 2, 4]
    assert second.counts.tolist() == [1, 1, 1, 2, 1]


@given(corpora, st.integers(1, 6), st.sampled_from([1, 3, 1 << 19]))
@settings(deadline=None, max_examples=150)
def test_levels_agree_with_counting_one_by_one(sentences: Numbers, order: int, block: int) -> None:
    with patch.object(counting, "BLOCK", block):
        levels = levels_of(sentences, order)
    names = names_of(levels)
    spelled = [[str(word) for word in words] for words in sentences]
    for length, (level, ngrams) in enumerate(zip(levels, names, strict=True), 1):
        ours = {
            tuple({1: "<s>", 2: "</s>"}.get(word, str(word)) for word in ngram): count
            for ngram, count in zip(ngrams, level.counts.tolist(), strict=True)
            if count
        }
        assert ours == occurrences(spelled, length)
        keys = list(zip(level.prefixes.tolist(), level.words.tolist(), strict=True))
        assert keys == sorted(set(keys))
        if length > 1:
            assert [names[length - 2][row] for row in level.suffixes.tolist()] == [ngram[1:] for ngram in ngrams]


@given(corpora, st.integers(2, 5))
@settings(deadline=None)
def test_the_last_ngram_is_found_at_every_level_but_the_highest(sentences: Numbers, order: int) -> None:
    levels = levels_of(sentences, order)
    spelled = [[str(word) for word in words] for words in sentences]
    last = last_ngram(spelled, order)
    for length, (level, ngrams) in enumerate(zip(levels[:-1], names_of(levels)[:-1], strict=True), 1):
        wanted = last[order - length :]
        # Padding beyond the first <s> is thought, not in the text.
        expected = None if "<s>" in wanted[1:] else tuple({"<s>": "1", "</s>": "2"}.get(w, w) for w in wanted)
        assert (tuple(map(str, ngrams[level.last])) if level.last >= 0 else None) == expected
    assert levels[-1].last == -1


def test_a_group_larger_than_a_block_is_cut_out_whole() -> None:
    # Groups of 2, 9 and 1 places in blocks of 4: cuts before and after the large one.
    with patch.object(counting, "BLOCK", 4):
        assert counting._cuts(np.array([0, 2, 11, 12])) == [0, 1, 2, 3]


def test_work_comes_back_in_order() -> None:
    assert parallel(lambda start, end: (start, end), [0, 2, 5, 9]) == [(0, 2), (2, 5), (5, 9)]


@pytest.mark.parametrize(("name", "told"), [("MOST_WORDS", "different words"), ("MOST_PLACES", "edges of its")])
def test_texts_beyond_the_limits_are_refused(name: str, told: str) -> None:
    with patch.object(counting, name, 4), pytest.raises(UserError, match=told):
        levels_of([[3, 4], [4]], 2)
