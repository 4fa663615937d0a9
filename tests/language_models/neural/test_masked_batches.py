from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.language_models import edges_of, raw_texts, read_texts
from hengliang.language_models.huggingface.tokens import span_tokenizer
from hengliang.language_models.neural.masked import make_tokenizer
from hengliang.language_models.neural.masked_training import Encoded, SpecialIds, batches_of, encode, mask_words

SPECIAL = SpecialIds(pad=0, begin=2, end=3, mask=4)


@st.composite
def sentences(draw: st.DrawFn) -> Encoded:
    words = draw(st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=6), min_size=1, max_size=6))
    numbers = [np.repeat(np.arange(len(row)), row) for row in words]
    counts = [len(row) for row in numbers]
    return Encoded(edges_of(counts), 10 + np.arange(sum(counts)), np.concatenate(numbers), 0)


def test_tokens_know_their_words() -> None:
    tokenizer, _ = make_tokenizer(None, dict.fromkeys("他成为了医生。a", 1), least=1)
    texts = read_texts(["他 成为 了 医生 。", "aa aa 他", "他成 " * 9])
    found = encode(texts, span_tokenizer(tokenizer), longest=10)
    assert found.words.tolist() == [0, 1, 1, 2, 3, 3, 4, 0, 0, 1, 1, 2]
    assert found.offsets.tolist() == [0, 7, 12]
    # The third sentence has 18 tokens.
    assert found.dropped == 1


def test_texts_without_words_or_of_no_use_are_refused() -> None:
    tokenizer = span_tokenizer(make_tokenizer(None, {"他": 1}, least=1)[0])
    with pytest.raises(UserError, match="do not say what their words are"):
        encode(raw_texts(["他"]), tokenizer, longest=10)
    with pytest.raises(UserError, match="No sentence is left"):
        encode(read_texts(["他 他"]), tokenizer, longest=1)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=60), st.integers(10, 200), st.booleans())
def test_batches_hold_every_sentence_once_and_fit(lengths: list[int], tokens: int, shuffled: bool) -> None:
    sizes = np.array(lengths, np.int64)
    stream = np.random.default_rng(3) if shuffled else None
    batches = batches_of(sizes, tokens, stream)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
    for rows in batches:
        assert len(rows) == 1 or len(rows) * (sizes[rows].max() + 2) <= tokens


@settings(deadline=None)
@given(sentences(), st.floats(0, 0.9), st.integers(0, 5))
def test_whole_words_are_hidden(given_sentences: Encoded, rate: float, seed: int) -> None:
    batch = mask_words(given_sentences, rate, SPECIAL, np.random.default_rng(seed))
    edges = given_sentences.offsets.tolist()
    hidden_ids = []
    for row, length in enumerate(given_sentences.lengths.tolist()):
        words = given_sentences.words[edges[row] : edges[row + 1]]
        ids = given_sentences.ids[edges[row] : edges[row + 1]]
        hidden = batch.hidden[row, 1 : length + 1]
        for word in set(words.tolist()):
            assert len(set(hidden[words == word].tolist())) == 1
        assert batch.seen[row, 1 : length + 1].tolist() == np.where(hidden, SPECIAL.mask, ids).tolist()
        assert (batch.seen[row, 0], batch.seen[row, length + 1]) == (SPECIAL.begin, SPECIAL.end)
        assert not batch.seen[row, length + 2 :].any()
        assert batch.present[row].sum() == length + 2
        hidden_ids.extend(ids[hidden].tolist())
    assert batch.targets.tolist() == hidden_ids and hidden_ids
    assert batch.hidden.sum() == len(hidden_ids)


def test_as_many_words_are_hidden_as_asked_for() -> None:
    # 400 sentences of 10 words: 4000 draws at 0.3 have a standard deviation of 0.0072; 5 of them are 0.036.
    many = Encoded(edges_of([10] * 400), np.full(4000, 9), np.tile(np.arange(10), 400), 0)
    share = mask_words(many, 0.3, SPECIAL, np.random.default_rng(0)).hidden.sum() / 4000
    assert abs(share - 0.3) < 0.036


@settings(deadline=None)
@given(sentences(), st.integers(0, 5))
def test_one_token_of_each_drawn_word_is_hidden(given_sentences: Encoded, seed: int) -> None:
    batch = mask_words(given_sentences, 1.0, SPECIAL, np.random.default_rng(seed), whole=0.0)
    edges = given_sentences.offsets.tolist()
    for row, length in enumerate(given_sentences.lengths.tolist()):
        words = given_sentences.words[edges[row] : edges[row + 1]]
        assert np.bincount(words[batch.hidden[row, 1 : length + 1]]).tolist() == [1] * (words[-1] + 1)


def test_half_of_the_words_are_hidden_as_a_whole() -> None:
    # 4000 words of two tokens, all drawn: the share that is whole has a standard deviation of 0.0079 at one half.
    many = Encoded(edges_of([20] * 400), np.full(8000, 9), np.tile(np.repeat(np.arange(10), 2), 400), 0)
    hidden = mask_words(many, 1.0, SPECIAL, np.random.default_rng(0), whole=0.5).hidden[:, 1:21]
    share = (hidden.reshape(400, 10, 2).sum(2) == 2).mean()
    assert abs(share - 0.5) < 0.04
