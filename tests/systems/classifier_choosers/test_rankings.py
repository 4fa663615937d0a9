from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from hengliang import UserError
from hengliang.core import CONTENT_TYPES
from hengliang.systems.classifier_choosers.rankings import rankings
from tests.systems.classifier_choosers.lessons import rankings as listed

LABELS = ("个", "本", "匹", "条", "张")


def plainly(rows: NDArray[np.floating], labels: tuple[str, ...], top: int) -> list[list[tuple[str, float]]]:
    """The same in plain Python: round, sort by probability, equal ones by column, cut."""
    found = []
    for row in rows.tolist():
        pairs = [(round(value * 1e6) / 1e6, -column) for column, value in enumerate(row)]
        best = sorted(pairs, reverse=True)[:top]
        found.append([(labels[-column], value) for value, column in best])
    return found


def test_the_best_come_first_and_equal_ones_in_the_order_of_the_columns() -> None:
    rows = np.array([[0.1, 0.4, 0.1, 0.3, 0.1], [0.2, 0.2, 0.2, 0.2, 0.2]])
    assert listed(rankings(rows, LABELS, 3)) == [
        [("本", 0.4), ("条", 0.3), ("个", 0.1)],
        [("个", 0.2), ("本", 0.2), ("匹", 0.2)],
    ]


def test_differences_below_a_millionth_neither_show_nor_decide() -> None:
    rows = np.array([[0.2, 0.2 + 1e-8, 0.2, 0.2, 0.2 - 1e-8]])
    assert listed(rankings(rows, LABELS, 5)) == [[(label, 0.2) for label in LABELS]]


def test_without_top_nothing_is_rounded() -> None:
    rows = np.array([[1 / 3, 1 / 7, 1 - 1 / 3 - 1 / 7]])
    ((best, *others),) = listed(rankings(rows, LABELS[:3], None))
    assert best == ("匹", 1 - 1 / 3 - 1 / 7) and others == [("个", 1 / 3), ("本", 1 / 7)]


@settings(max_examples=60, deadline=None)
@given(
    hnp.arrays(
        st.sampled_from([np.float32, np.float64]),
        st.tuples(st.integers(1, 6), st.just(5)),
        elements=st.floats(0, 1, width=32),
    ),
    st.integers(1, 7),
)
def test_as_in_plain_python(rows: NDArray[np.floating], top: int) -> None:
    assert listed(rankings(rows, LABELS, top)) == plainly(rows.astype(np.float64), LABELS, top)


@pytest.mark.parametrize("columns", [1, 167, 2048, 2049, 3000])
def test_many_classifiers_are_sorted_alike_whichever_way_is_taken(columns: int) -> None:
    # From 2,049 columns on a column does not fit beside a probability into 32 bits, and a slower way is taken.
    scores = np.exp(np.random.default_rng(5).normal(size=(30, columns)) * 3)
    rows = scores / scores.sum(axis=1, keepdims=True)
    labels = tuple(chr(0x4E00 + number) for number in range(columns))
    assert listed(rankings(rows, labels, 20)) == plainly(rows, labels, 20)


def test_rows_are_sorted_alike_in_parts_and_together() -> None:
    scores = np.random.default_rng(6).dirichlet(np.ones(5), size=9000)
    whole = rankings(scores, LABELS, 3)
    assert whole.equals(rankings(scores[:5000], LABELS, 3).append(rankings(scores[5000:], LABELS, 3)))


def test_numbers_above_one_take_the_long_way_and_come_out_in_order() -> None:
    assert listed(rankings(np.array([[3.0, 7.0, -1.0]]), LABELS[:3], 2)) == [[("本", 7.0), ("个", 3.0)]]


@pytest.mark.parametrize("broken", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("top", [1, 3, None])
def test_a_row_with_a_number_that_is_not_finite_gives_an_empty_ranking(broken: float, top: int | None) -> None:
    rows = np.array([[0.5, 0.5, 0.0], [0.5, broken, 0.0], [0.0, 0.0, 1.0]])
    found = listed(rankings(rows, LABELS[:3], top))
    assert [len(ranking) for ranking in found] == [top or 3, 0, top or 3]
    assert found[2][0] == ("匹", 1.0)


def test_nothing_gives_nothing_of_the_right_type() -> None:
    empty = rankings(np.zeros((0, 5)), LABELS)
    assert len(empty) == 0 and empty.dtype == CONTENT_TYPES["ranking"]


def test_wrong_shapes_and_tops_are_refused() -> None:
    with pytest.raises(UserError, match=r"shape \(2, 3\) for 5"):
        rankings(np.zeros((2, 3)), LABELS)
    with pytest.raises(UserError, match="ranking of 0"):
        rankings(np.zeros((2, 5)), LABELS, 0)
