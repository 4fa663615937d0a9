from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.language_models import edges_of
from hengliang.language_models.ngram import lookup
from hengliang.language_models.ngram.arpa import read_arpa
from hengliang.language_models.ngram.lookup import (
    Level,
    find,
    index_level,
    index_tables,
    next_logprobs,
    plain_levels,
    score_sentences,
)
from tests.language_models.ngram.samples import SMALL, tiny

TABLES = read_arpa(SMALL)
TRIE = index_tables(TABLES)
WORDS = len(TABLES.words)

sentences = st.lists(
    st.lists(st.integers(0, WORDS - 1).filter(lambda word: word not in {1, 2}), max_size=12), min_size=1, max_size=6
)


def flat(batch: list[list[int]]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    return np.array([word for sentence in batch for word in sentence], np.int32), edges_of([len(row) for row in batch])


def level_of(pairs: list[tuple[int, int]]) -> Level:
    prefixes, words = np.array(sorted(pairs), np.uint32).reshape(-1, 2).T
    zeros = np.zeros(len(pairs), np.float32)
    return Level(prefixes, words, zeros, zeros)


def test_log_probabilities_of_a_model_by_hand(tmp_path: Path) -> None:
    tables = read_arpa(tiny(tmp_path))
    unknown, mountain, water = 0, 3, 4
    words, offsets = flat([[mountain, water], [water, mountain, unknown], [], [mountain, mountain]])
    found = score_sentences(index_tables(tables), words, offsets)
    expected = [
        # 山 水: p(山|<s>) = 1/2; p(水|<s> 山) = 3/4; </s> after 水, whose weight is 1, is the unigram 3/10.
        *(1 / 2, 3 / 4, 3 / 10),
        # 水 山 <unk>: 5/6 · 2/10; 水 has the weight 1, so 4/10; <unk> after 山: 1/2 · 1/10; </s> after <unk>: 3/10.
        *(5 / 6 * 2 / 10, 4 / 10, 1 / 2 * 1 / 10, 3 / 10),
        # Nothing: </s> after <s>: 5/6 · 3/10.
        5 / 6 * 3 / 10,
        # 山 山: 1/2; after <s> 山 it backs off twice: 1/2 · 1/2 · 4/10; </s> after 山: 1/4.
        *(1 / 2, 1 / 2 * 1 / 2 * 4 / 10, 1 / 4),
    ]
    np.testing.assert_allclose(found, np.log(expected), rtol=1e-6)


def test_a_longer_ngram_counts_without_its_suffix(tmp_path: Path) -> None:
    """Pruning may leave a trigram whose last two words are no bigram: 水 山 水 with the probability 9/10."""
    path = tiny(tmp_path)
    text = path.read_text(encoding="utf-8").replace("ngram 2=3", "ngram 2=4").replace("ngram 3=1", "ngram 3=2")
    text = text.replace("\\2-grams:\n", "\\2-grams:\n-1\t水 山\t-0.5\n").replace(
        "\\3-grams:\n", f"\\3-grams:\n{math.log10(0.9)}\t水 山 山\n"
    )
    path.write_text(text, encoding="utf-8")
    found = score_sentences(index_tables(read_arpa(path)), *flat([[4, 3, 3]]))
    # 水: 5/6 · 2/10; 山 after 水: 10^-1; 山 after 水 山: 9/10; </s> after 山 山, no context of a trigram: 1/4.
    np.testing.assert_allclose(found, np.log([5 / 6 * 2 / 10, 0.1, 0.9, 1 / 4]), rtol=1e-6)


@given(st.sets(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=60), st.data())
def test_find_gives_the_row_of_what_is_there_and_nothing_else(pairs: set[tuple[int, int]], data: st.DataObject) -> None:
    level = level_of(list(pairs))
    asked = data.draw(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=80)) + sorted(pairs)
    prefixes, words = np.array(asked, np.uint32).reshape(-1, 2).T
    rows, found = find(index_level(level), prefixes, words)
    assert found.tolist() == [pair in pairs for pair in asked]
    place = {pair: row for row, pair in enumerate(sorted(pairs))}
    assert rows[found].tolist() == [place[pair] for pair in asked if pair in pairs]


def test_the_hash_spreads_rows_evenly() -> None:
    """At a load of 1/3 linear probing looks at 1.25 slots on average (Knuth, 6.4): (1 + 1 / (1 − 1/3)) / 2."""
    grid = [(prefix, word) for prefix in range(300) for word in range(0, 1500, 5)]
    index = index_level(level_of(grid))
    homes = lookup._homes(index.keys[:-1], 3 * len(index))
    placed = np.flatnonzero(index.slots != len(index))
    distances = placed - homes[index.slots[placed]] + 1
    assert distances.min() == 1
    assert distances.mean() < 1.4


def test_the_plain_levels_are_those_that_were_indexed() -> None:
    for one, other in zip(plain_levels(TRIE), TABLES.levels, strict=True):
        assert one.prefixes.tolist() == other.prefixes.tolist()
        assert one.words.tolist() == other.words.tolist()
        assert one.logprobs.tolist() == other.logprobs.tolist()


@given(sentences)
def test_a_sentence_scores_alone_as_it_does_in_a_batch(batch: list[list[int]]) -> None:
    together = score_sentences(TRIE, *flat(batch))
    alone = np.concatenate([score_sentences(TRIE, *flat([sentence])) for sentence in batch])
    assert together.tolist() == alone.tolist()


@given(sentences)
def test_pieces_change_nothing(batch: list[list[int]]) -> None:
    whole = score_sentences(TRIE, *flat(batch))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lookup, "PIECE", 3)
        assert score_sentences(TRIE, *flat(batch)).tolist() == whole.tolist()


@given(sentences)
def test_what_comes_next_sums_to_one_and_agrees_with_the_scores(batch: list[list[int]]) -> None:
    """The chain rule: the probability of each unit is that of the distribution after what stands before it."""
    words, offsets = flat(batch)
    scored = score_sentences(TRIE, words, offsets)
    prefixes = [sentence[:length] for sentence in batch for length in range(len(sentence) + 1)]
    units = [unit for sentence in batch for unit in [*sentence, 2]]
    following = next_logprobs(TRIE, *flat(prefixes))
    np.testing.assert_allclose(np.exp(following).sum(axis=1), 1.0, atol=2e-6)
    np.testing.assert_allclose(following[np.arange(len(units)), units], scored, atol=1e-6)


def test_no_sentences_have_no_scores() -> None:
    nothing = np.zeros(0, np.int32)
    assert score_sentences(TRIE, nothing, np.zeros(1, np.int64)).shape == (0,)
    assert next_logprobs(TRIE, nothing, np.zeros(1, np.int64)).shape == (0, WORDS)
