"""Is the log-likelihood the Laplace approximation, and is its gradient exact?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.statistics.models.ordinal.laplace import INNER_TOLERANCE, find_mode, gradient, log_likelihood
from hengliang.statistics.models.ordinal.links import ThresholdKind
from tests.statistics.models.ordinal.problems import plain_laplace, plain_probabilities, random_problem

KINDS = st.sampled_from(["flexible", "symmetric", "equidistant"])
LINKS = st.sampled_from(["logit", "probit"])
SHAPES = st.sampled_from([((1, 6),), ((2, 5),), ((1, 8), (1, 5)), ((2, 5), (1, 7)), ((1, 4), (3, 5), (1, 6))])


@pytest.mark.untraced
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), LINKS, KINDS, SHAPES, st.integers(2, 6), st.integers(1, 2), st.booleans())
def test_the_gradient_agrees_with_central_differences(
    seed: int,
    link: str,
    kind: ThresholdKind,
    shapes: tuple[tuple[int, int], ...],
    categories: int,
    cells: int,
    nominal: bool,
) -> None:
    problem, parameters = random_problem(
        seed, n=70, categories=categories, widths=shapes, link=link, threshold=kind, cells=cells, nominal=nominal
    )
    mode = find_mode(problem, parameters)
    assert mode is not None
    exact = gradient(problem, mode)
    rough = []
    for place in range(problem.size):
        # Four points: the error is of the fourth order, so a step of 1e-3 leaves rounding far behind.
        step = np.zeros(problem.size)
        step[place] = 1e-3
        near = log_likelihood(problem, parameters + step) - log_likelihood(problem, parameters - step)
        far = log_likelihood(problem, parameters + 2 * step) - log_likelihood(problem, parameters - 2 * step)
        rough.append((8 * near - far) / 12e-3)
    assert np.abs(exact - rough).max() < 1e-6 * (1 + np.abs(exact).max())


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000), LINKS, SHAPES)
def test_the_value_agrees_with_a_direct_computation(seed: int, link: str, shapes: tuple[tuple[int, int], ...]) -> None:
    problem, parameters = random_problem(seed, n=60, widths=shapes, link=link)
    assert log_likelihood(problem, parameters) == pytest.approx(plain_laplace(problem, parameters), abs=1e-4)


@pytest.mark.parametrize("deviation", [0.2, 0.6])
def test_it_is_close_to_the_integral(deviation: float) -> None:
    # One random intercept: the integral is a product over levels, each done here with 60 Gauss–Hermite nodes.
    problem, parameters = random_problem(4, n=120, widths=((1, 6),))
    parameters[-1] = deviation
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    codes = problem.random[0].codes
    logs = np.array(
        [np.log(plain_probabilities(problem, parameters, np.full(problem.n, deviation * u))) for u in nodes]
    )
    by_level = np.array([np.bincount(codes, row, 6) for row in logs])
    whole = np.log((weights[:, None] * np.exp(by_level)).sum(axis=0) / math.sqrt(2 * math.pi)).sum()
    # The error of the approximation shrinks with the number of ratings a level has, about 20 here.
    assert log_likelihood(problem, parameters) == pytest.approx(whole, abs=0.02)


def test_the_mode_is_found_from_anywhere() -> None:
    problem, parameters = random_problem(6, widths=((1, 9), (1, 6)))
    parameters[problem.n_location :] = 4.0
    cold = find_mode(problem, parameters)
    other = find_mode(problem, parameters + 0.5)
    assert cold is not None and other is not None
    warm = find_mode(problem, parameters, other)
    assert warm is not None
    assert cold.slope < INNER_TOLERANCE and warm.slope < INNER_TOLERANCE
    assert warm.u == pytest.approx(cold.u, abs=1e-8)


def test_thresholds_out_of_order_have_no_likelihood() -> None:
    problem, parameters = random_problem(6)
    parameters[0], parameters[1] = parameters[1], parameters[0]
    assert log_likelihood(problem, parameters) == -math.inf
    parameters[0] = np.nan
    assert find_mode(problem, parameters) is None


def test_at_a_variance_of_zero_the_model_is_that_without_random_effects() -> None:
    problem, parameters = random_problem(7)
    parameters[problem.n_location :] = 0.0
    plain = log_likelihood(problem.without_random(), parameters[: problem.n_location])
    assert log_likelihood(problem, parameters) == pytest.approx(plain, abs=1e-10)
    mode = find_mode(problem, parameters)
    assert mode is not None
    # The likelihood is even in the standard deviation: no slope at zero.
    assert gradient(problem, mode)[problem.n_location :] == pytest.approx(0.0, abs=1e-12)
