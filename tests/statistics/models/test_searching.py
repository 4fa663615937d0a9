"""The search finds zeros that are minima, and leaves those that are none."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from hengliang.statistics.models.design import design
from hengliang.statistics.models.problem import Problem, search

PROBLEM = Problem.of(design("y ~ 1 + (1 | g)", pl.DataFrame({"y": [1.0, 2.0, 3.0, 4.0], "g": [1, 1, 2, 2]})))


def hill(theta: np.ndarray) -> tuple[float, np.ndarray]:
    # Even, with a flat top at 0 and minima at ±2: a zero slope at 0 is no minimum.
    return float((theta[0] ** 2 - 4) ** 2), 4 * theta * (theta**2 - 4)


def bowl(theta: np.ndarray) -> tuple[float, np.ndarray]:
    return float(theta[0] ** 2), 2 * theta


def test_a_flat_top_at_zero_is_left() -> None:
    found = search(hill, PROBLEM, np.array([0.0]))
    assert found.parameters == pytest.approx([2.0])
    assert found.criterion == pytest.approx(0.0)
    assert found.converged


def test_a_deviation_comes_out_with_a_positive_sign() -> None:
    assert search(hill, PROBLEM, np.array([-1.5])).parameters == pytest.approx([2.0])


def test_a_minimum_at_zero_is_exactly_zero() -> None:
    found = search(bowl, PROBLEM, np.array([1.0]))
    assert found.parameters[0] == 0.0
    assert found.converged


def test_a_search_that_cannot_end_says_so() -> None:
    def slide(theta: np.ndarray) -> tuple[float, np.ndarray]:
        return float(-theta[0]), np.array([-1.0])

    assert not search(slide, PROBLEM, np.array([1.0])).converged
