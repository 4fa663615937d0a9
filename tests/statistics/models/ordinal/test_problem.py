"""Is the parameter vector cut and named as it should be?"""

from __future__ import annotations

import numpy as np
import pytest

from hengliang.statistics.models.ordinal.laplace import log_likelihood, make_problem
from tests.statistics.models.ordinal.problems import random_problem


def test_names_and_parts() -> None:
    problem, _ = random_problem(1, categories=3, widths=((2, 4), (1, 5)))
    assert problem.names == (
        "1|2", "2|3", "a", "b", "g0: (Intercept)", "g0: x1 by (Intercept)", "g0: x1", "g1: (Intercept)",
    )  # fmt: skip
    alpha, beta, factors = problem.parts(np.arange(8.0))
    assert alpha.tolist() == [0, 1] and beta.tolist() == [2, 3]
    assert factors[0].tolist() == [[4, 0], [5, 6]] and factors[1].tolist() == [[7]]


def test_points_are_thresholds_less_the_linear_predictor() -> None:
    fixed = np.array([[1.0], [2.0], [3.0]])
    problem = make_problem(np.array([0, 1, 2]), list("123"), fixed, ("x",))
    upper, lower = problem.points(np.array([-1.0, 1.0, 0.5]))
    assert upper.tolist() == [-1.5, 0.0, np.inf]
    assert lower.tolist() == [-np.inf, -2.0, -0.5]


def test_signs_of_a_cholesky_factor_do_not_matter() -> None:
    problem, parameters = random_problem(2, widths=((2, 6), (1, 5)))
    turned = parameters.copy()
    turned[problem.n_location :] = [-0.5, 0.3, -0.4, -0.6]
    straight = problem.canonical(turned)
    # The column of the first effect changes its sign as a whole: the covariance matrix stays.
    assert straight[problem.n_location :].tolist() == [0.5, -0.3, 0.4, 0.6]
    assert log_likelihood(problem, straight) == pytest.approx(log_likelihood(problem, turned), abs=1e-10)
