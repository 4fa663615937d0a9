"""Do the layouts of thresholds agree with R's, and do unused categories lose theirs?"""

from __future__ import annotations

import numpy as np
import pytest

from hengliang import UserError
from hengliang.statistics.models.ordinal.links import make_thresholds, threshold_matrix


def test_symmetric_thresholds_are_those_of_r() -> None:
    # ordinal:::makeThresholds(letters[1:6], "symmetric")$tJac and letters[1:5]
    odd, names = threshold_matrix("symmetric", 6)
    assert odd.tolist() == [[1, 0, -1], [1, -1, 0], [1, 0, 0], [1, 1, 0], [1, 0, 1]]
    assert names == ("central", "spacing.1", "spacing.2")
    even, names = threshold_matrix("symmetric", 5)
    assert even.tolist() == [[1, 0, -1], [1, 0, 0], [0, 1, 0], [0, 1, 1]]
    assert names == ("central.1", "central.2", "spacing.1")


def test_equidistant_and_flexible_thresholds_are_those_of_r() -> None:
    matrix, names = threshold_matrix("equidistant", 5)
    assert matrix.tolist() == [[1, 0], [1, 1], [1, 2], [1, 3]]
    assert names == ("threshold.1", "spacing")
    assert threshold_matrix("flexible", 4)[0].tolist() == np.eye(3).tolist()


@pytest.mark.parametrize("kind", ["flexible", "symmetric", "equidistant"])
def test_two_categories_have_one_threshold(kind: str) -> None:
    assert threshold_matrix(kind, 2)[0].tolist() == [[1.0]]  # type: ignore[arg-type]


def test_a_cell_that_skips_categories_estimates_fewer_thresholds() -> None:
    used = np.array([[1.0, 1, 1, 1, 1], [0, 3, 0, 2, 0]])
    thresholds = make_thresholds("flexible", list("12345"), used, ("r a", "r b"))
    assert thresholds.names == ("r a: 1|2", "r a: 2|3", "r a: 3|4", "r a: 4|5", "r b: 2|3")
    values = thresholds.values(np.array([-1.0, 0.0, 1.0, 2.0, 0.5]))
    # Rater b gave 2 and 4 only: nothing lies below 2 or above 4, and 3 has no width.
    assert values.tolist() == [[-1.0, 0.0, 1.0, 2.0], [-np.inf, 0.5, 0.5, np.inf]]


def test_a_numeric_column_shifts_each_threshold_by_its_own_amount() -> None:
    thresholds = make_thresholds("flexible", list("123"), np.ones((1, 3)), ("",), ("length",))
    assert thresholds.names == ("1|2", "2|3", "1|2: length", "2|3: length")
    alpha = np.array([-1.0, 1.0, 0.1, 0.3])
    codes, cells = np.array([0, 1, 2]), np.zeros(3, dtype=np.int64)
    nominal = np.array([[0.0], [2.0], [-1.0]])
    assert thresholds.at(alpha, cells, nominal) == pytest.approx(np.array([[-1, 1], [-0.8, 1.6], [-1.1, 0.7]]))
    upper, offset = thresholds.incidence(codes, cells, nominal)
    assert (upper @ alpha + offset).tolist() == pytest.approx([-1.0, 1.6, np.inf])
    lower, offset = thresholds.incidence(codes - 1, cells, nominal)
    assert (lower @ alpha + offset).tolist() == pytest.approx([-np.inf, -0.8, 0.7])


def test_a_cell_with_one_category_is_refused() -> None:
    with pytest.raises(UserError, match="rater x are equal"):
        make_thresholds("flexible", list("123"), np.array([[1.0, 1, 1], [0, 4, 0]]), ("rater w", "rater x"))
    with pytest.raises(UserError, match="rater x uses 2 of 4 categories"):
        make_thresholds("symmetric", list("1234"), np.array([[1.0, 1, 1, 1], [0, 4, 1, 0]]), ("rater w", "rater x"))
