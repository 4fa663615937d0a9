"""Are counts checked, and are two columns counted right?"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.statistics.contingency.tables import CountTable


def test_two_columns_become_a_table_with_sorted_levels() -> None:
    systems = ["RULE", "BERT", "BERT", None, "RULE", "BERT"]
    ratings = [7, 1, 7, 3, math.nan, 7]
    table = CountTable.cross(systems, ratings)
    assert (table.rows, table.columns) == (("BERT", "RULE"), ("1", "7"))
    assert table.counts == ((1, 2), (0, 1))
    assert (table.n, table.n_missing) == (4, 2)


def test_levels_may_be_given_and_then_keep_their_order_even_if_empty() -> None:
    table = CountTable.cross(["a", "b"], [2, 3], rows=["b", "a"], columns=[1, 2, 3])
    assert table.counts == ((0, 0, 1), (0, 1, 0))
    with pytest.raises(UserError, match="value '9' is none of the levels"):
        CountTable.cross(["a", "b"], [1, 9], columns=[1, 2])


def test_square_gives_both_sides_the_same_levels() -> None:
    table = CountTable.cross([1, 1, 2], [1, 3, 3], square=True)
    assert table.rows == table.columns == ("1", "2", "3")


def test_expected_counts_by_hand() -> None:
    # Rows 10 and 20, columns 12 and 18, 30 in all: 10·12/30 = 4, 10·18/30 = 6, 20·12/30 = 8, 20·18/30 = 12.
    table = CountTable.of([[6, 4], [6, 14]])
    assert table.expected().tolist() == [[4, 6], [8, 12]]
    assert len(table.few_expected()) == 1
    assert "1 of 4 cells" in table.few_expected()[0].en and "4 个单元格中有 1 个" in table.few_expected()[0].zh
    assert CountTable.of([[50, 50], [50, 50]]).few_expected() == ()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=8, max_size=40), st.randoms())
def test_order_of_observations_does_not_matter(pairs: list[tuple[int, int]], random) -> None:  # type: ignore[no-untyped-def]
    shuffled = random.sample(pairs, len(pairs))
    one, other = (
        CountTable.cross(*zip(*each, strict=True), rows=range(4), columns=range(3)) for each in (pairs, shuffled)
    )
    assert one == other
    assert one.n == len(pairs)
    assert one.checksum() == other.checksum()


@pytest.mark.parametrize(
    ("counts", "problem"),
    [
        ([[1, 2]], "shape"),
        ([1, 2, 3], "shape"),
        ([[1, 2], [3, -1]], "holds -1 in row 2, column 2"),
        ([[0.5, 2], [3, 1]], r"holds 0\.5 in row 1, column 1"),
        ([[1, np.nan], [3, 1]], "no count"),
        ([["many", 2], [3, 1]], "no number"),
        ([[0, 0], [0, 0]], "no observation"),
    ],
)
def test_what_is_no_table_of_counts_is_named(counts: list[object], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        CountTable.of(counts)  # type: ignore[arg-type]


def test_mistakes_with_columns_and_names() -> None:
    with pytest.raises(UserError, match="2 and 3 values"):
        CountTable.cross([1, 2], [1, 2, 3])
    with pytest.raises(UserError, match="at least two rows"):
        CountTable.cross([1, 1], [1, 2])
    with pytest.raises(UserError, match="3 names were given for 2 rows"):
        CountTable.of([[1, 2], [3, 4]], rows=["a", "b", "c"])
    with pytest.raises(UserError, match="The column 'column 2' of the table holds no observation"):
        CountTable.of([[1, 0], [3, 0]]).refuse_empty()


def test_the_shape_is_part_of_the_checksum() -> None:
    assert CountTable.of([[1, 2, 3], [4, 5, 6]]).checksum() != CountTable.of([[1, 2], [3, 4], [5, 6]]).checksum()
