"""Scales, slots and blocks say the same as whole matrices."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from hengliang.analysis.models.formulas import design
from hengliang.analysis.models.problem import Problem, unscaled

RNG = np.random.default_rng(3)
N = 30
HELD = design(
    "y ~ x + (x | g) + (1 | h)",
    pl.DataFrame(
        {"y": RNG.normal(size=N), "x": RNG.normal(100, 7, N), "g": np.arange(N) % 4, "h": RNG.integers(0, 3, N)}
    ),
)
PROBLEM = Problem.of(HELD)
THETA = np.array([0.5, 0.2, 0.9, 1.5])


def whole(slotted: np.ndarray) -> np.ndarray:
    matrix = np.zeros((N, PROBLEM.size))
    for row in range(N):
        matrix[row, PROBLEM.slots[row]] = slotted[row]
    return matrix


def test_fixed_columns_come_back() -> None:
    assert PROBLEM.fixed @ PROBLEM.triangle == pytest.approx(HELD.fixed)
    assert PROBLEM.fixed.T @ PROBLEM.fixed == pytest.approx(N * np.eye(2))
    inverse = np.array([[2.0, 0.5], [0.5, 1.0]])
    back = np.linalg.inv(PROBLEM.triangle)
    assert unscaled(PROBLEM, inverse) == pytest.approx(back @ inverse @ back.T)


def test_sizes() -> None:
    assert (PROBLEM.n, PROBLEM.width, PROBLEM.size, PROBLEM.counts) == (30, 2, 4 * 2 + 3, (3, 1))
    assert PROBLEM.diagonal().tolist() == [0, 2, 3]
    assert PROBLEM.start().tolist() == [1, 0, 1, 1]


def test_weighted_columns_are_those_of_the_whole_matrices() -> None:
    blocks = [np.kron(np.eye(4), [[0.5, 0], [0.2, 0.9]]), np.eye(3) * 1.5]
    factor = np.zeros((11, 11))
    factor[:8, :8], factor[8:, 8:] = blocks
    assert whole(PROBLEM.weighted(THETA)) == pytest.approx(whole(PROBLEM.values) @ factor)


def test_gram_and_collect_are_products_of_the_whole_matrices() -> None:
    left, right = RNG.normal(size=(2, N, 3))
    assert PROBLEM.gram(left, right) == pytest.approx(whole(left).T @ whole(right))
    assert PROBLEM.collect(left) == pytest.approx(whole(left).sum(axis=0))


def test_effects_are_on_the_scale_of_the_columns() -> None:
    unit = RNG.normal(size=PROBLEM.size)
    effects = PROBLEM.effects(THETA, unit)
    contribution = np.sum(PROBLEM.weighted(THETA) * unit[PROBLEM.slots], axis=1)
    by_hand = sum(np.sum(t.columns * e[t.codes], axis=1) for t, e in zip(HELD.random, effects, strict=True))
    assert by_hand == pytest.approx(contribution)


def test_upright_changes_signs_and_no_covariance() -> None:
    turned = np.array([-0.5, -0.2, 0.9, -1.5])
    assert PROBLEM.upright(turned) == pytest.approx(THETA)
    for one, two in zip(PROBLEM.covariances(turned, 2.0), PROBLEM.covariances(THETA, 2.0), strict=True):
        assert one == pytest.approx(two)
