from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from hengliang import UserError
from hengliang.statistics.correlation.coefficients import (
    as_numbers,
    check_settings,
    complete,
    is_constant,
    pearson,
    spearman,
)


def test_only_complete_observations_stay_with_their_clusters() -> None:
    data = complete(
        ([1, 2, None, 4, 5, 6], pl.Series([5.0, None, 3.0, 2.0, 1.0, 0.0])),
        ("a", "b"),
        {"item": ["x", "y", "z", "x", "w", "w"], "rater": None},
    )
    assert [column.tolist() for column in data.columns] == [[1, 4, 5, 6], [5, 2, 1, 0]]
    assert (data.n, data.n_missing) == (4, 2)
    assert [(way.name, way.codes.tolist(), way.levels) for way in data.ways] == [("item", [1, 1, 0, 0], 2)]


def test_numbers() -> None:
    assert np.isnan(as_numbers([1, None], "a")[1])
    with pytest.raises(UserError, match="'a' holds something that is no number"):
        as_numbers(["seven"], "a")


@pytest.mark.parametrize("wrong", [("up", 0.05, 0.95), ("less", 0, 0.95), ("less", 0.05, 1.0)])
def test_settings_that_do_not_exist(wrong: tuple[str, float, float]) -> None:
    with pytest.raises(UserError):
        check_settings(*wrong)


def test_a_column_that_differs_by_float_noise_only_is_constant() -> None:
    with pytest.raises(UserError, match=r"All values of 'a' are 0\.3"):
        complete(([0.3, 0.1 + 0.2, 0.3, 0.3], [1, 2, 3, 4]), ("a", "b"))
    assert not is_constant(np.array([1.7e9, 1.7e9 + 1e-3]))  # times in seconds


def test_what_an_array_masks_is_missing_with_its_pair() -> None:
    data = complete((np.ma.masked_equal([99, 1, 2, 5, 4], 99), [1, 3, 4, 9, 7]), ("a", "b"))
    assert [column.tolist() for column in data.columns] == [[1, 2, 5, 4], [3, 4, 9, 7]]


def test_probabilities_of_long_sentences() -> None:
    # 1e-90 is 300 bits, as many as a sentence of 30 words has; its fourth power is 0 for a computer.
    x, y = np.array([1.0, 2, 4, 3, 7]), np.array([2.0, 1, 5, 4, 9])
    assert pearson(1e-90 * x, 1e-90 * y).p == pytest.approx(pearson(x, y).p, rel=1e-9)
    with pytest.raises(UserError, match=r"'x' are of the size 7e-170.*take logarithms"):
        pearson(1e-170 * x, y)
    with pytest.raises(UserError, match="'y' are of the size 9e\\+160"):
        pearson(x, 1e160 * y)
    assert spearman(1e-170 * x, 1e160 * y).p == spearman(x, y).p
