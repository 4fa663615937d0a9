"""Do slots keep their symbols on the way into tables?"""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hengliang.systems.classifier_choosers.neural.sequences import (
    even_batches,
    padded,
    sequences_of,
    shuffled_batches,
)

LENGTHS = st.lists(st.integers(1, 9), max_size=60)


def test_a_table_holds_the_rows_in_order() -> None:
    # Row 0: a sentence of three symbols, the slot in its middle, then a noun of one; row 1: two symbols, no noun.
    found = sequences_of([([5, 6, 7, 8], 3, 1), ([9, 4], 2, 0)])
    assert found.lengths.tolist() == [4, 2]
    batch = padded(found, np.array([1, 0]), padding=-1)
    assert batch.symbols.tolist() == [[9, 4, -1, -1], [5, 6, 7, 8]]
    assert batch.segments.tolist() == [[0, 0, 0, 0], [0, 0, 0, 1]]
    assert batch.present.tolist() == [[True, True, False, False], [True] * 4]
    assert batch.places.tolist() == [0, 1]
    assert batch.lengths.tolist() == [2, 4]


def test_nothing_makes_no_rows() -> None:
    assert len(sequences_of([])) == 0
    assert even_batches(sequences_of([]).lengths, 4) == []


@given(LENGTHS, st.integers(1, 7))
def test_even_batches_hold_each_row_once_and_one_length(lengths: list[int], size: int) -> None:
    held = np.array(lengths, np.int64)
    batches = even_batches(held, size)
    assert sorted(row for batch in batches for row in batch.tolist()) == list(range(len(lengths)))
    assert all(len(set(held[batch].tolist())) == 1 and len(batch) <= size for batch in batches)


@given(LENGTHS, st.integers(1, 7), st.integers(0, 6), st.integers(0, 5))
def test_shuffled_batches_hold_each_row_once(lengths: list[int], size: int, spread: int, seed: int) -> None:
    held = np.array(lengths, np.int64)
    batches = shuffled_batches(held, size, spread, np.random.default_rng(seed))
    assert sorted(row for batch in batches for row in batch.tolist()) == list(range(len(lengths)))
    assert len(batches) == -(-len(lengths) // size)
    again = shuffled_batches(held, size, spread, np.random.default_rng(seed))
    assert [batch.tolist() for batch in batches] == [batch.tolist() for batch in again]


def test_another_seed_draws_other_batches() -> None:
    held = np.full(40, 5, np.int64)
    one, other = (shuffled_batches(held, 8, 0, np.random.default_rng(seed))[0].tolist() for seed in (1, 2))
    assert one != other
