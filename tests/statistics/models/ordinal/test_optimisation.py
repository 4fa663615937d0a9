"""Does the search end at a maximum, and is the Hessian there right?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hengliang.statistics.models.ordinal.laplace import OrdinalProblem, log_likelihood
from hengliang.statistics.models.ordinal.optimisation import (
    GRADIENT,
    approach,
    fit_fixed,
    guess,
    maximise,
    solve_positive,
    typical_sizes,
)
from tests.statistics.models.ordinal.problems import random_problem


def started(problem: OrdinalProblem) -> tuple[np.ndarray, np.ndarray]:
    return guess(problem, *fit_fixed(problem))


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_nothing_near_the_maximum_is_better(link: str) -> None:
    problem, _ = random_problem(11, n=300, widths=((1, 10), (1, 8)), link=link)
    found = maximise(problem, *started(problem))
    assert found.steepest < GRADIENT
    rng = np.random.default_rng(1)
    for _ in range(30):
        moved = found.parameters + 0.05 * rng.normal(size=problem.size)
        assert log_likelihood(problem, moved) < found.log_likelihood


def test_the_hessian_agrees_with_second_differences() -> None:
    problem, _ = random_problem(12, n=300, widths=((1, 10),))
    found = maximise(problem, *started(problem))
    for place in range(problem.size):
        step = np.zeros(problem.size)
        step[place] = 1e-2
        values = [log_likelihood(problem, found.parameters + sign * step) for sign in (-2, -1, 0, 1, 2)]
        second = (-values[0] + 16 * values[1] - 30 * values[2] + 16 * values[3] - values[4]) / (12 * 1e-4)
        assert found.hessian[place, place] == pytest.approx(second, rel=1e-4)


def test_parameters_can_be_held() -> None:
    problem, _ = random_problem(13, n=300, widths=((1, 10),))
    start, metric = started(problem)
    free = maximise(problem, start, metric)
    place = problem.n_alpha
    held = maximise(problem, start, metric, {place: 0.5})
    assert held.parameters[place] == 0.5
    assert place not in held.free and len(held.hessian) == problem.size - 1
    assert held.log_likelihood < free.log_likelihood
    begun = start.copy()
    begun[place] = 0.5
    near = approach(problem, begun, metric, place)
    assert near is not None
    assert near[0][place] == 0.5
    assert near[1].log_likelihood == pytest.approx(held.log_likelihood, abs=1e-6)
    at_best = maximise(problem, free.parameters, metric, dict(enumerate(free.parameters)))
    assert at_best.log_likelihood == pytest.approx(free.log_likelihood, abs=1e-9)


def test_the_unit_of_a_column_does_not_matter() -> None:
    problem, _ = random_problem(14, n=300, widths=((2, 12),))
    found = maximise(problem, *started(problem))
    term = replace(problem.random[0], columns=problem.random[0].columns * np.array([1.0, 1e4]))
    other = replace(problem, fixed=problem.fixed * np.array([1e-4, 1.0]), random=(term,))
    other = replace(other, structure=type(problem.structure).of((term,), problem.n))
    again = maximise(other, *started(other))
    assert again.log_likelihood == pytest.approx(found.log_likelihood, abs=1e-8)
    assert again.parameters[problem.n_alpha] == pytest.approx(1e4 * found.parameters[problem.n_alpha], rel=1e-4)
    assert typical_sizes(other)[problem.n_alpha] == pytest.approx(1e-4 * typical_sizes(problem)[problem.n_alpha])


def test_a_start_out_of_order_is_a_mistake_of_the_caller() -> None:
    problem, parameters = random_problem(15)
    parameters[0] = 10.0
    with pytest.raises(ValueError, match="in order"):
        maximise(problem, parameters, np.eye(problem.size))
    assert approach(problem, parameters, np.eye(problem.size), problem.n_alpha) is None


def test_solving_with_a_matrix_that_is_not_positive() -> None:
    assert solve_positive(np.diag([2.0, 4.0]), np.array([2.0, 4.0])) == pytest.approx([1.0, 1.0])
    # Downhill all the same: the curvature of −4 is taken as 4.
    assert solve_positive(np.diag([2.0, -4.0]), np.array([2.0, 4.0])) == pytest.approx([1.0, 1.0])
