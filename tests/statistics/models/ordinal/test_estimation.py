"""Is the maximum found at the border too: a variance at zero, a correlation of one?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.statistics.models.design import design
from hengliang.statistics.models.ordinal.laplace import OrdinalProblem, log_likelihood, make_problem
from hengliang.statistics.models.ordinal.optimisation import column_places, estimate, pivoted, semidefinite_root
from tests.statistics.models.ordinal.oracle_data import WINE
from tests.statistics.models.ordinal.problems import random_problem, simulated_ratings


def wine(random: str) -> OrdinalProblem:
    held = design(f"rating ~ temp + contact + {random}", WINE)
    return make_problem(
        WINE["rating"].to_numpy() - 1, list("12345"), held.fixed[:, 1:], held.fixed_names[1:], held.random
    )


def test_a_variance_at_zero() -> None:
    # R: clmm(rating ~ temp + contact + (1 | judge) + (1 | bottle), wine) puts bottle at 0 and equals the model without.
    both, one = estimate(wine("(1 | judge) + (1 | bottle)")), estimate(wine("(1 | judge)"))
    assert both.zeros == ((1, 0),) and one.zeros == ()
    assert both.optimum.parameters[-1] == 0.0
    assert both.optimum.log_likelihood == pytest.approx(one.optimum.log_likelihood, abs=1e-8)
    assert both.optimum.hessian == pytest.approx(one.optimum.hessian, rel=1e-4, abs=1e-4)


def test_a_slope_that_is_hardly_there() -> None:
    # R: clmm(rating ~ temp + contact + (1 + temp | judge) + (1 | bottle), wine): log-likelihood −81.546395257 and
    # ST of judge 1.07522, 0.10856, 0.12735.
    found = estimate(wine("(1 + temp | judge) + (1 | bottle)")).optimum
    assert found.log_likelihood == pytest.approx(-81.546395257, abs=1e-8)
    problem = wine("(1 + temp | judge)")
    factor = problem.parts(problem.canonical(found.parameters)[:-1])[2][0]
    covariance = factor @ factor.T
    # R's ST is LD with a unit triangle: the covariance is (S T)(S T)', deviations 1.07522 and 0.16736.
    assert np.sqrt(np.diag(covariance)) == pytest.approx([1.07522, 0.16736], abs=2e-4)


@pytest.mark.parametrize("seed", range(4))
def test_no_value_of_a_zero_variance_is_better(seed: int) -> None:
    held = design("rating ~ system + (1 | rater) + (1 | item)", simulated_ratings(seed, 8, 12, rater=0.0, item=0.0))
    problem = make_problem(
        held.response.to_numpy() - 1, list("12345"), held.fixed[:, 1:], held.fixed_names[1:], held.random
    )
    found = estimate(problem)
    for size in (0.02, 0.1, 0.3, 1.0, 2.0):
        for place in range(problem.n_location, problem.size):
            tried = found.optimum.parameters.copy()
            tried[place] += size
            assert log_likelihood(problem, tried) <= found.optimum.log_likelihood + 1e-9


def test_holding_a_parameter_and_starting_elsewhere() -> None:
    problem = wine("(1 | judge)")
    free = estimate(problem).optimum
    held = estimate(problem, held={problem.n_alpha: 0.0}).optimum
    assert held.parameters[problem.n_alpha] == 0.0 and held.log_likelihood < free.log_likelihood - 5
    start = free.parameters.copy()
    start[-1] = 3.0
    again = estimate(problem, start).optimum
    assert np.abs(again.parameters) == pytest.approx(np.abs(free.parameters), abs=1e-6)
    plain = estimate(problem.without_random(), held={problem.n_alpha: 0.0}).optimum
    assert plain.parameters[problem.n_alpha] == 0.0 and plain.steepest < 1e-6


@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(0, 4))
def test_semidefinite_roots(seed: int, width: int, rank: int) -> None:
    half = np.random.default_rng(seed).normal(size=(width, rank))
    if rank and width > 1:
        half[0] = 0.0
    root = semidefinite_root(half @ half.T)
    assert root @ root.T == pytest.approx(half @ half.T, abs=1e-8)
    assert np.triu(root, 1).tolist() == np.zeros((width, width)).tolist()
    for column in range(width):
        if root[column, column] == 0.0:
            assert not root[:, column].any()


def test_moving_the_share_of_an_effect_without_variance_keeps_the_model() -> None:
    problem, parameters = random_problem(4, widths=((2, 6),))
    parameters[problem.n_location :] = [0.0, 0.5, 0.3]
    moved = pivoted(problem, parameters)
    assert moved[problem.n_location :] == pytest.approx([0.0, 0.0, np.hypot(0.5, 0.3)])
    assert log_likelihood(problem, moved) == pytest.approx(log_likelihood(problem, parameters), abs=1e-9)
    assert column_places(problem, 0, 0).tolist() == [problem.n_location, problem.n_location + 1]
    assert column_places(problem, 0, 1).tolist() == [problem.n_location + 2]
