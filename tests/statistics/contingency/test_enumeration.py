"""Do the enumerated tables carry all probability?"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.statistics.contingency.exact import share_not_likelier


def the_likeliest(rows: int, columns: int, each: int) -> list[list[int]]:
    """An even table, which no other of the same sums surpasses in probability."""
    return [[each] * columns for _ in range(rows)]


@pytest.mark.parametrize("shape", [(2, 2), (2, 5), (3, 3), (3, 4), (4, 3)])
def test_all_tables_together_have_probability_one(shape: tuple[int, int]) -> None:
    assert share_not_likelier(the_likeliest(*shape, 2), 1e-7) == pytest.approx(1.0, abs=1e-10)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=6, max_size=6), st.permutations(range(3)))
def test_the_order_of_rows_and_columns_does_not_matter(cells: list[int], order: list[int]) -> None:
    table = np.reshape(cells, (2, 3)) + 1
    expected = share_not_likelier(table.tolist(), 1e-7)
    assert share_not_likelier(table[:, order].tolist(), 1e-7) == pytest.approx(expected)
    assert share_not_likelier(table[::-1].T.tolist(), 1e-7) == pytest.approx(expected)


def test_by_hand() -> None:
    # Sums 2, 2 and 2, 2: the upper left cell is 0, 1 or 2 with 1/6, 4/6, 1/6. The extreme ones together: 1/3.
    assert share_not_likelier([[2, 0], [0, 2]], 1e-7) == pytest.approx(1 / 3)
    assert share_not_likelier([[1, 1], [1, 1]], 1e-7) == pytest.approx(1.0)
