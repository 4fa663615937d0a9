"""Does every target come once, with the right words before it?"""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hengliang.language_models import edges_of
from hengliang.language_models.neural.batches import Sequences, batches_by_length, last_windows, padded, sequences_of
from hengliang.language_models.vocabulary import BEGIN_ID, END_ID

Lengths = st.lists(st.integers(0, 12), min_size=1, max_size=8)


def _sequences(lengths: list[int], context: int = 0, stride: int = 0) -> Sequences:
    offsets = edges_of(lengths)
    return sequences_of(np.arange(10, 10 + offsets[-1], dtype=np.int32), offsets, context, stride)


def test_two_sentences_side_by_side() -> None:
    # The words 10 11 12 and 13: targets 10 11 12 </s> and 13 </s>; the inputs are one place behind, after <s>.
    sequences = _sequences([3, 1])
    assert sequences.targets.tolist() == [10, 11, 12, END_ID, 13, END_ID]
    batch = padded(sequences, np.array([1, 0]))
    assert batch.inputs.tolist() == [[BEGIN_ID, 13, END_ID, END_ID], [BEGIN_ID, 10, 11, 12]]
    assert batch.asked.tolist() == [0, 1, 4, 5, 6, 7]
    assert sequences.targets[batch.answers].tolist() == [13, END_ID, 10, 11, 12, END_ID]


def test_windows_of_a_long_text() -> None:
    # Seven words have eight targets. Four inputs fit, and windows move on by two words: <s> and words 0 1 2 ask for
    # targets 0 to 3, <s> and words 2 3 4 for 4 and 5, <s> and words 4 5 6 for 6 and the end.
    sequences = _sequences([7], context=4, stride=2)
    batch = padded(sequences, np.arange(3))
    assert batch.inputs.tolist() == [[1, 10, 11, 12], [1, 12, 13, 14], [1, 14, 15, 16]]
    assert batch.answers.tolist() == list(range(8))
    assert batch.asked.tolist() == [0, 1, 2, 3, 6, 7, 10, 11]
    assert last_windows(sequences).starts.tolist() == [4]


@given(Lengths, st.integers(2, 9), st.integers(1, 20), st.integers(0, 3))
def test_every_target_is_asked_for_once(lengths: list[int], context: int, budget: int, seed: int) -> None:
    sequences = _sequences(lengths, context, max(1, context // 2))
    assert sequences.lengths.max() <= context
    order = np.random.default_rng(seed) if seed else None
    batches = batches_by_length(sequences.lengths, budget, order)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(sequences)))
    answers = []
    for rows in batches:
        batch = padded(sequences, rows)
        assert len(rows) == 1 or batch.inputs.size <= budget
        answers += batch.answers.tolist()
        places, answered = np.divmod(batch.asked, batch.inputs.shape[1])[1], batch.answers
        inner = places > 0
        before = batch.inputs.reshape(-1)[batch.asked]
        assert (before[inner] == sequences.targets[answered[inner] - 1]).all()
        assert (before[~inner] == BEGIN_ID).all()
    assert sorted(answers) == list(range(sum(lengths) + len(lengths)))


@given(st.integers(1, 40), st.integers(1, 40), st.integers(2, 9))
def test_what_a_target_sees_does_not_depend_on_what_follows(one: int, more: int, context: int) -> None:
    stride = max(1, context // 2)
    seen = []
    for length in (one, one + more):
        sequences = _sequences([length], context, stride)
        starts = np.repeat(sequences.starts, sequences.lasts - sequences.firsts)
        seen.append(starts[: one + 1])
        # Beyond the first window each target sees at least so many words.
        places = np.arange(length + 1)
        assert ((places - starts)[context:] >= context - stride).all()
    assert (seen[0] == seen[1]).all()


@given(Lengths, st.integers(1, 30))
def test_the_order_follows_from_the_generator(lengths: list[int], budget: int) -> None:
    rows = [batches_by_length(np.array(lengths), budget, np.random.default_rng([7, 3])) for _ in range(2)]
    assert [batch.tolist() for batch in rows[0]] == [batch.tolist() for batch in rows[1]]


def test_windows_of_a_length_are_mixed() -> None:
    lengths = np.full(64, 5)
    first = batches_by_length(lengths, 20, np.random.default_rng([1, 1]))
    second = batches_by_length(lengths, 20, np.random.default_rng([1, 2]))
    assert {frozenset(batch.tolist()) for batch in first} != {frozenset(batch.tolist()) for batch in second}


def test_no_texts_have_no_batches() -> None:
    assert batches_by_length(np.zeros(0, np.int64), 10) == []
