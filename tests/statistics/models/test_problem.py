"""Scales and blocks say the same as whole matrices."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from hengliang.statistics.models.design import design
from hengliang.statistics.models.ordinal.laplace import factorise
from hengliang.statistics.models.problem import Problem, unscaled

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


def whole() -> np.ndarray:
    """Return Z with the columns on one scale, written out: a column an effect, term after term, level after level."""
    matrices = []
    for term in HELD.random:
        scaled = term.columns / np.sqrt(np.mean(term.columns**2, axis=0))
        matrix = np.zeros((N, len(term.levels), term.width))
        matrix[np.arange(N), term.codes] = scaled
        matrices.append(matrix.reshape(N, -1))
    return np.hstack(matrices)


BLOCKS = [np.kron(np.eye(4), [[0.5, 0], [0.2, 0.9]]), np.eye(3) * 1.5]
FACTOR = np.zeros((11, 11))
FACTOR[:8, :8], FACTOR[8:, 8:] = BLOCKS
"""Λ at THETA: the block of `g` for each of its four levels, that of `h` for each of its three."""


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


def test_blocks_say_the_same_as_the_whole_matrices() -> None:
    # The larger block, `g`, is the model's first term, so that blocks and terms have one order here.
    structure = PROBLEM.structure()
    factors = structure.factors(PROBLEM.factors(THETA))
    unit, values = RNG.normal(size=11), RNG.normal(size=N)
    assert structure.shift(factors, unit) == pytest.approx(whole() @ FACTOR @ unit)
    assert structure.sums(factors, values) == pytest.approx(FACTOR.T @ whole().T @ values)
    weights = RNG.uniform(0.1, 1, N)
    matrix = FACTOR.T @ whole().T @ (weights[:, None] * whole()) @ FACTOR + np.eye(11)
    factor = factorise(structure, structure.moments(weights), factors)
    assert factor.log_determinant == pytest.approx(np.linalg.slogdet(matrix)[1])
    assert factor.solve(unit) == pytest.approx(np.linalg.solve(matrix, unit))
    reach = whole() @ FACTOR
    leverage = np.einsum("ia,ab,ib->i", reach, np.linalg.inv(matrix), reach)
    assert structure.leverage(factors, factor.inverse()) == pytest.approx(leverage)


def test_effects_of_blocks_come_back_in_the_order_of_the_terms() -> None:
    # The terms of `h`, now the smaller block, stand first; two terms of one group share a block.
    held = design("y ~ 1 + (1 | h) + (x || g)", HELD.frame)
    problem = Problem.of(held)
    structure = problem.structure()
    assert [block.terms for block in structure.blocks] == [(1, 2), (0,)]
    unit = RNG.normal(size=problem.size)
    effects = problem.effects(np.ones(3), structure.by_term(unit))
    by_hand = sum(np.sum(t.columns * e[t.codes], axis=1) for t, e in zip(held.random, effects, strict=True))
    assert structure.shift(structure.factors(problem.factors(np.ones(3))), unit) == pytest.approx(by_hand)


def test_effects_are_on_the_scale_of_the_columns() -> None:
    unit = RNG.normal(size=PROBLEM.size)
    effects = PROBLEM.effects(THETA, unit)
    by_hand = sum(np.sum(t.columns * e[t.codes], axis=1) for t, e in zip(HELD.random, effects, strict=True))
    assert by_hand == pytest.approx(whole() @ FACTOR @ unit)


def test_upright_changes_signs_and_no_covariance() -> None:
    turned = np.array([-0.5, -0.2, 0.9, -1.5])
    assert PROBLEM.upright(turned) == pytest.approx(THETA)
    for one, two in zip(PROBLEM.covariances(turned, 2.0), PROBLEM.covariances(THETA, 2.0), strict=True):
        assert one == pytest.approx(two)
