"""Laplace's approximation against numerical integration, its gradient, and logistic regression."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from hengliang.statistics.models.binomial import BinomialModel
from hengliang.statistics.models.design import design, numeric_response
from hengliang.statistics.models.mixed import fit_mixed
from hengliang.statistics.models.ordinal import fit_ordinal
from hengliang.statistics.models.problem import Problem

RNG = np.random.default_rng(6)
N = 160
GROUP = np.arange(N) % 8
X = RNG.normal(size=N)
DATA = pl.DataFrame(
    {
        "y": (RNG.random(N) < expit(0.4 + X + RNG.normal(size=8)[GROUP])).astype(int),
        "x": X,
        "g": GROUP,
        "h": RNG.integers(0, 6, N),
    }
)


def model(formula: str) -> BinomialModel:
    held = design(formula, DATA)
    return BinomialModel(Problem.of(held), numeric_response(held))


def test_the_approximation_is_close_to_the_integral() -> None:
    built = model("y ~ x + (1 | g)")
    parameters = np.array([0.8, 0.3, 0.9])
    offset = built.problem.fixed @ parameters[1:]
    total = 0.0
    for group in range(8):
        mine = np.flatnonzero(group == GROUP)
        sign = 2 * built.response[mine] - 1

        def density(effect: float, mine: np.ndarray = mine, sign: np.ndarray = sign) -> float:
            return float(np.prod(expit(sign * (offset[mine] + 0.8 * effect))) * norm.pdf(effect))

        total += -2 * np.log(quad(density, -8, 8, epsabs=0, epsrel=1e-10)[0])
    # Twenty answers a group: Laplace is off by some thousandths of the criterion.
    assert built.at(parameters).criterion == pytest.approx(total, rel=2e-3)
    assert built.at(parameters).criterion != pytest.approx(total, rel=1e-7)


@pytest.mark.parametrize("formula", ["y ~ x + (1 | g)", "y ~ x + (x | g) + (1 | h)", "y ~ x + (x || g)"])
def test_the_gradient_is_that_of_the_approximation(formula: str) -> None:
    built = model(formula)
    parameters = built.start() * 0.9 + 0.05
    steps = np.eye(len(parameters)) * 1e-5
    numeric = [(built.at(parameters + s).criterion - built.at(parameters - s).criterion) / 2e-5 for s in steps]
    assert built.at(parameters).gradient == pytest.approx(numeric, abs=1e-4)


def test_without_random_effects_it_is_logistic_regression() -> None:
    statsmodels = pytest.importorskip("statsmodels.api")
    built = model("y ~ x")
    columns = np.column_stack([np.ones(N), X])
    expected = statsmodels.Logit(DATA["y"].to_numpy(), columns).fit(disp=0)
    found = built.start()
    assert built.problem.back() @ found == pytest.approx(expected.params, rel=1e-6)
    assert built.at(found).criterion == pytest.approx(-2 * expected.llf)
    errors = np.sqrt(np.diag(built.covariance(found)))
    assert errors == pytest.approx(expected.bse, rel=1e-5)


def test_modes_do_not_depend_on_where_the_search_began() -> None:
    built = model("y ~ x + (1 | g)")
    parameters = np.array([1.2, 0.1, 0.7])
    first = built.at(parameters).unit
    built.at(np.array([3.0, -2.0, 2.0]))
    assert built.at(parameters).unit == pytest.approx(first, abs=1e-9)


def test_people_beyond_what_a_dense_matrix_holds_are_fitted() -> None:
    # 6,500 people with four answers each: the same model is an ordinal one of two categories, fitted by other code.
    rng = np.random.default_rng(3)
    person = np.repeat(np.arange(6500), 4)
    x = np.tile([0.0, 1.0], 13_000)
    answer = rng.random(26_000) < expit(0.4 * x + rng.normal(size=6500)[person])
    data = pl.DataFrame({"y": answer.astype(int), "x": x, "person": person})
    fitted = fit_mixed("y ~ x + (1 | person)", data, family="binomial")
    ordinal = fit_ordinal("y ~ x + (1 | person)", data)
    assert fitted.model.log_likelihood == pytest.approx(ordinal.model.log_likelihood, abs=1e-5)
    assert fitted.coefficients[1] == pytest.approx(0.4, abs=0.1)
