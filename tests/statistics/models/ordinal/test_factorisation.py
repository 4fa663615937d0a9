"""Does block elimination give the determinant, the solutions and the inverse of the whole matrix?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.statistics.models.ordinal import laplace as factorisation
from hengliang.statistics.models.ordinal.laplace import factorise
from tests.statistics.models.ordinal.problems import design_matrix, random_problem

SHAPES = st.lists(st.tuples(st.integers(1, 3), st.integers(2, 8)), min_size=1, max_size=3)


def assert_equal_to_dense(seed: int, shapes: tuple[tuple[int, int], ...]) -> None:
    problem, parameters = random_problem(seed, n=60, widths=shapes)
    structure = problem.structure
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0, 2, size=problem.n)
    matrix = design_matrix(problem, parameters)
    whole = matrix.T @ (weights[:, None] * matrix) + np.eye(matrix.shape[1])
    factor = factorise(structure, structure.moments(weights), structure.factors(problem.parts(parameters)[2]))
    assert factor.log_determinant == pytest.approx(np.linalg.slogdet(whole)[1], rel=1e-10, abs=1e-10)
    vector = rng.normal(size=len(whole))
    assert factor.solve(vector) == pytest.approx(np.linalg.solve(whole, vector), rel=1e-8, abs=1e-10)
    inverse = np.linalg.inv(whole)
    squares, crosses = factor.inverse()
    views = {}
    for place, block in enumerate(structure.blocks):
        for other, second in enumerate(structure.blocks):
            part = inverse[block.start : block.start + block.size, second.start : second.start + second.size]
            views[place, other] = part.reshape(block.levels, block.width, second.levels, second.width)
        each = np.arange(block.levels)
        assert squares[place] == pytest.approx(views[place, place][each, :, each, :], abs=1e-9)
    for key, cross in crosses.items():
        pairs = structure.pairs[key]
        assert cross == pytest.approx(views[key][pairs.first, :, pairs.second, :], abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), SHAPES)
def test_against_dense_matrices(seed: int, shapes: list[tuple[int, int]]) -> None:
    assert_equal_to_dense(seed, tuple(shapes))


@pytest.mark.parametrize("shapes", [((1, 30), (1, 20)), ((2, 30), (1, 20), (2, 9)), ((1, 25), (3, 4))])
def test_sparse_links(monkeypatch: pytest.MonkeyPatch, shapes: tuple[tuple[int, int], ...]) -> None:
    monkeypatch.setattr(factorisation, "DENSE_CELLS", 0)
    monkeypatch.setattr(factorisation, "SPARSE_BELOW", 2.0)
    assert_equal_to_dense(5, shapes)


def test_a_variance_of_zero_leaves_the_unit_matrix() -> None:
    problem, parameters = random_problem(3, widths=((1, 5), (1, 4)))
    parameters[problem.n_location :] = 0.0
    structure = problem.structure
    factors = structure.factors(problem.parts(parameters)[2])
    factor = factorise(structure, structure.moments(np.ones(problem.n)), factors)
    assert factor.log_determinant == 0.0
    assert factor.solve(np.arange(9.0)) == pytest.approx(np.arange(9.0))
