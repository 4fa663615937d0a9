"""Is the model without random effects fitted exactly, and is the start near the end?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logit

from hengliang.statistics.models.ordinal.laplace import find_mode, gradient, make_problem
from hengliang.statistics.models.ordinal.links import ThresholdKind
from hengliang.statistics.models.ordinal.optimisation import estimate, first_guess, fit_fixed, guess, observed_hessian
from tests.statistics.models.ordinal.oracle_data import WINE
from tests.statistics.models.ordinal.problems import random_problem


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(["logit", "probit"]),
    st.sampled_from(["flexible", "symmetric", "equidistant"]),
    st.integers(1, 2),
)
def test_the_hessian_agrees_with_differences_of_the_gradient(
    seed: int, link: str, kind: ThresholdKind, cells: int
) -> None:
    problem, parameters = random_problem(seed, widths=(), link=link, threshold=kind, cells=cells, nominal=True)
    exact, columns = observed_hessian(problem, parameters), []
    for place in range(problem.size):
        step = np.zeros(problem.size)
        step[place] = 1e-5
        ahead, behind = find_mode(problem, parameters + step), find_mode(problem, parameters - step)
        assert ahead is not None and behind is not None
        columns.append((gradient(problem, ahead) - gradient(problem, behind)) / 2e-5)
    assert exact == pytest.approx(np.array(columns), rel=1e-5, abs=1e-5 * np.abs(exact).max())


def test_without_effects_the_thresholds_are_the_observed_shares() -> None:
    codes = np.repeat([0, 1, 2, 3], [10, 20, 50, 20])
    problem = make_problem(codes, list("1234"), np.zeros((100, 0)), ())
    parameters, _ = fit_fixed(problem)
    # The cumulative shares are .1, .3 and .8.
    assert parameters == pytest.approx(logit([0.1, 0.3, 0.8]), abs=1e-7)
    assert first_guess(problem) == pytest.approx(parameters, abs=0.05)


def test_wine_without_random_effects() -> None:
    # clm(rating ~ temp + contact, data = wine): thresholds −1.344, 1.251, 3.467, 5.006; temp 2.503, contact 1.528.
    fixed = np.column_stack([(WINE["temp"] == "warm").to_numpy(), (WINE["contact"] == "yes").to_numpy()]).astype(float)
    problem = make_problem(WINE["rating"].to_numpy() - 1, list("12345"), fixed, ("temp", "contact"))
    parameters, hessian = fit_fixed(problem)
    assert np.round(parameters, 3).tolist() == [-1.344, 1.251, 3.467, 5.006, 2.503, 1.528]
    # Its standard errors: 0.5171, 0.4379, 0.5978, 0.7309, 0.5287, 0.4766.
    errors = np.sqrt(np.diag(np.linalg.inv(-hessian)))
    assert np.round(errors, 4).tolist() == [0.5171, 0.4379, 0.5978, 0.7309, 0.5287, 0.4766]


def test_the_guess_is_valid_and_near() -> None:
    problem, _ = random_problem(3, n=400, widths=((1, 12), (2, 8)))
    start, metric = guess(problem, *fit_fixed(problem))
    assert find_mode(problem, start) is not None
    assert (np.linalg.eigvalsh(metric) > 0).all()
    best = estimate(problem).optimum.parameters
    assert start[: problem.n_location] == pytest.approx(best[: problem.n_location], abs=0.4)


@pytest.mark.parametrize(("centre", "unit"), [(2012.0, 1.0), (0.0, 1e-7), (0.0, 1e7), (6e10, 3e7)])
def test_the_unit_and_the_zero_of_a_column_do_not_matter(centre: float, unit: float) -> None:
    # The same model in years since 2012, in calendar years, in shares of 1e-7 or in seconds: one likelihood.
    problem, _ = random_problem(3, widths=(), categories=4)
    other = replace(problem, fixed=centre + unit * problem.fixed)
    here, there = (find_mode(held, fit_fixed(held)[0]) for held in (problem, other))
    assert here is not None and there is not None
    assert there.log_likelihood == pytest.approx(here.log_likelihood, abs=1e-8)
