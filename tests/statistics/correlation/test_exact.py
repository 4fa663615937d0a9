from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.statistics.correlation.coefficients import (
    concordance_counts,
    inversion_counts,
    product_counts,
    tail_probability,
)

few = st.lists(st.integers(0, 6), min_size=3, max_size=6)


@settings(max_examples=30, deadline=None)
@given(few, st.data())
def test_products_are_counted_as_by_going_through_all_orders(first: list[int], data: st.DataObject) -> None:
    second = data.draw(st.lists(st.integers(0, 6), min_size=len(first), max_size=len(first)))
    values, counts = product_counts(np.array(first), np.array(second))
    sums = [int(np.dot(first, order)) for order in permutations(second)]
    expected = np.unique(sums, return_counts=True)
    assert values.tolist() == expected[0].tolist()
    assert counts.tolist() == expected[1].tolist()


def test_twelve_observations_have_twelve_factorial_orders() -> None:
    values, counts = product_counts(np.arange(12), np.arange(12))
    assert counts.sum() == math.factorial(12)
    # Mean of the sum: 12 · 5.5²; the distribution is symmetric about it.
    assert values @ counts / counts.sum() == pytest.approx(363)
    assert counts.tolist() == counts[::-1].tolist()


def test_inversions() -> None:
    # Of the 24 orders of four things 1, 3, 5, 6, 5, 3, 1 have 0 to 6 pairs the wrong way round (Mahonian numbers).
    assert inversion_counts(4) == (1, 3, 5, 6, 5, 3, 1)
    assert inversion_counts(1) == (1,)
    assert sum(inversion_counts(20)) == math.factorial(20)


def test_concordance_without_ties_counts_inversions() -> None:
    values, counts = concordance_counts(np.arange(5.0), np.arange(5.0))
    assert values.tolist() == [10 - 2 * wrong for wrong in range(10, -1, -1)]
    assert counts.tolist() == list(inversion_counts(5))


def test_tails() -> None:
    values, counts = np.array([-2.0, 0.0, 1.0, 2.0]), np.array([1.0, 2.0, 3.0, 4.0])
    assert tail_probability(values, counts, 1.0, 0.0, "greater") == 0.7
    assert tail_probability(values, counts, 1.0, 0.0, "less") == 0.6
    assert tail_probability(values, counts, -2.0, 0.0, "two-sided") == 0.5
