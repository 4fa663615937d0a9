"""The profiled criterion against the multivariate normal density, its gradient, and exact degrees of freedom."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import multivariate_normal

from hengliang import UserError
from hengliang.statistics.models.design import design, numeric_response
from hengliang.statistics.models.linear import LinearModel
from hengliang.statistics.models.problem import Problem

RNG = np.random.default_rng(12)
N = 60
DATA = pl.DataFrame(
    {
        "y": RNG.normal(3, 2, N),
        "x": RNG.normal(5, 1, N),
        "g": np.arange(N) % 7,
        "h": RNG.integers(0, 5, N),
    }
)


def model(formula: str, reml: bool) -> LinearModel:
    held = design(formula, DATA)
    return LinearModel(Problem.of(held), numeric_response(held), reml)


@pytest.mark.parametrize("theta", [[0.7, 0.2, 0.5, 0.9], [1.0, 0.0, 1.0, 1.0], [0.3, -0.4, 0.0, 0.0]])
def test_the_criterion_is_the_density_of_the_response(theta: list[float]) -> None:
    # y ~ N(Xb, s²(I + ZΛΛᵀZᵀ)) with b and s² at their best values, from whole matrices.
    built = model("y ~ x + (x | g) + (1 | h)", reml=False)
    value, _ = built.criterion(np.array(theta))
    point = built.at(np.array(theta))
    factors = built.problem.factors(np.array(theta))
    pieces = []
    for term, scale, factor in zip(built.problem.terms, built.problem.scales, factors, strict=True):
        piece = np.zeros((N, len(term.levels), term.width))
        piece[np.arange(N), term.codes] = term.columns / scale @ factor
        pieces.append(piece.reshape(N, -1))
    columns = np.hstack(pieces)
    covariance = built.variance(point) * (np.eye(N) + columns @ columns.T)
    mean = built.problem.fixed @ (built.plain + built.scale * point.coefficients)
    density = multivariate_normal(mean, covariance).logpdf(DATA["y"].to_numpy())
    assert value == pytest.approx(-2 * density, rel=1e-10)


@pytest.mark.parametrize("reml", [True, False])
def test_the_gradient_is_that_of_the_criterion(reml: bool) -> None:
    built = model("y ~ x + (x | g) + (1 | h)", reml)
    theta = np.array([0.8, 0.3, 0.6, 0.4])
    steps = np.eye(4) * 1e-5
    numeric = [(built.criterion(theta + s)[0] - built.criterion(theta - s)[0]) / 2e-5 for s in steps]
    assert built.criterion(theta)[1] == pytest.approx(numeric, abs=1e-6)


def test_a_balanced_design_has_the_degrees_of_freedom_of_the_analysis_of_variance() -> None:
    # Ten groups of four: the mean is tested against the mean square between groups, which has 9 degrees of freedom.
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(10), 4)
    data = pl.DataFrame({"y": rng.normal(size=10)[group] * 2 + rng.normal(size=40), "g": group})
    held = design("y ~ 1 + (1 | g)", data)
    problem = Problem.of(held)
    built = LinearModel(problem, numeric_response(held), reml=True)
    means = data.group_by("g").agg(pl.col("y").mean())["y"]
    within = float(data.select(((pl.col("y") - pl.col("y").mean().over("g")) ** 2).sum()).item()) / 30
    between = 4 * float(means.to_numpy().var(ddof=1))
    ratio = np.sqrt((between - within) / 4 / within)  # the REML estimates of a balanced layout
    assert built.criterion(np.array([ratio]))[1] == pytest.approx([0], abs=1e-6)
    assert built.freedoms(np.array([ratio]), problem.back()) == pytest.approx([9], rel=1e-3)


def test_a_group_that_explains_everything_is_refused() -> None:
    held = design("y ~ 1 + (1 | g)", pl.DataFrame({"y": [1.0, 1.0, 2.0, 2.0, 5.0, 5.0], "g": [1, 1, 2, 2, 3, 3]}))
    built = LinearModel(Problem.of(held), numeric_response(held), reml=True)
    with pytest.raises(UserError, match="without rest"):
        built.criterion(np.array([1e7]))
