"""Random problems and plain, slow computations to hold the fast ones against."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, ndtr

from hengliang.statistics.models.design import Floats, RandomTerm
from hengliang.statistics.models.ordinal.laplace import OrdinalProblem, make_problem
from hengliang.statistics.models.ordinal.links import ThresholdKind


def random_term(
    rng: np.random.Generator, n: int, group: str, width: int, levels: int, codes: NDArray[np.int64] | None = None
) -> RandomTerm:
    columns = np.column_stack([np.ones(n), rng.normal(size=(n, width - 1))]) if width else np.zeros((n, 0))
    chosen = rng.integers(0, levels, n) if codes is None else codes
    names = ("(Intercept)", *(f"x{place}" for place in range(1, width)))
    return RandomTerm(group, names, columns, chosen, tuple(f"{group}{level}" for level in range(levels)))


def random_problem(
    seed: int,
    *,
    n: int = 90,
    categories: int = 4,
    widths: tuple[tuple[int, int], ...] = ((1, 7), (2, 5)),
    link: str = "logit",
    threshold: ThresholdKind = "flexible",
    cells: int = 1,
    nominal: bool = False,
) -> tuple[OrdinalProblem, Floats]:
    """Return a problem with terms of (width, levels), and parameters at which its thresholds are in order."""
    rng = np.random.default_rng(seed)
    terms = [random_term(rng, n, f"g{place}", *shape) for place, shape in enumerate(widths)]
    codes = np.concatenate([np.arange(categories)] * cells + [rng.integers(0, categories, n - categories * cells)])
    cell = np.concatenate([np.repeat(np.arange(cells), categories), rng.integers(0, cells, n - categories * cells)])
    problem = make_problem(
        codes,
        [str(place + 1) for place in range(categories)],
        rng.normal(size=(n, 2)),
        ("a", "b"),
        terms,
        link=link,
        threshold=threshold,
        cells=cell,
        cell_names=tuple(f"c{place}" for place in range(cells)) if cells > 1 else ("",),
        nominal=0.1 * rng.uniform(-1, 1, size=(n, 1)) if nominal else None,
        nominal_names=("q",) if nominal else (),
    )
    target = np.tile(np.linspace(-1.5, 1.7, categories - 1), cells)
    parameters = 0.5 * rng.normal(size=problem.size)
    parameters[: problem.n_alpha] = 0.0
    parameters[: problem.n_alpha] = np.linalg.lstsq(problem.thresholds.matrix.toarray(), target, rcond=None)[0]
    return problem, parameters


def design_matrix(problem: OrdinalProblem, parameters: Floats) -> Floats:
    """Return ZΛ written out, in the order of the problem's blocks."""
    factors = problem.structure.factors(problem.parts(parameters)[2])
    parts = []
    for block, factor in zip(problem.structure.blocks, factors, strict=True):
        whole = np.zeros((problem.n, block.levels, block.width))
        whole[np.arange(problem.n), block.codes] = block.columns @ factor
        parts.append(whole.reshape(problem.n, -1))
    return np.hstack(parts)


def plain_probabilities(problem: OrdinalProblem, parameters: Floats, shift: Floats) -> Floats:
    """Return p of each observation as a difference of two distribution functions.

    Both are taken in the tail in which they are small: near one their difference loses its digits.
    """
    upper, lower = (points - shift for points in problem.points(parameters))
    cumulative = expit if problem.link.name == "logit" else ndtr
    above = lower > 0
    return np.asarray(cumulative(np.where(above, -lower, upper)) - cumulative(np.where(above, -upper, lower)))


def plain_laplace(problem: OrdinalProblem, parameters: Floats) -> float:
    """Return the Laplace log-likelihood with a general optimiser and a Hessian by differences of log p."""
    matrix = design_matrix(problem, parameters)

    def minus(u: Floats) -> float:
        return float(-np.log(plain_probabilities(problem, parameters, matrix @ u)).sum() + 0.5 * u @ u)

    u = np.asarray(minimize(minus, np.zeros(matrix.shape[1]), method="BFGS", options={"gtol": 1e-8}).x)
    width = 1e-4
    shift = matrix @ u
    low, middle, high = (
        np.log(plain_probabilities(problem, parameters, shift + sign * width)) for sign in (-1.0, 0.0, 1.0)
    )
    weight = -(low - 2 * middle + high) / width**2
    hessian = matrix.T @ (weight[:, None] * matrix) + np.eye(matrix.shape[1])
    return float(-minus(u) - 0.5 * np.linalg.slogdet(hessian)[1])


def simulated_ratings(
    seed: int = 1, raters: int = 20, items: int = 16, *, rater: float = 1.0, item: float = 0.6, slope: float = 0.0
) -> pl.DataFrame:
    """Return ratings from 1 to 5 of two systems by all raters on all items; system B is better by 0.8."""
    rng = np.random.default_rng(seed)
    who, what = np.repeat(np.arange(raters), items), np.tile(np.arange(items), raters)
    second = (who + what) % 2
    latent = 0.8 * second + rater * rng.normal(size=raters)[who] + item * rng.normal(size=items)[what]
    latent = latent + slope * rng.normal(size=raters)[who] * second + rng.logistic(size=len(who))
    rating = 1 + (latent > np.array([-1.5, -0.5, 0.7, 2.0])[:, None]).sum(axis=0)
    return pl.DataFrame(
        {
            "rating": rating,
            "system": np.array(["A", "B"])[second],
            "rater": [f"r{place:02d}" for place in who],
            "item": [f"i{place:02d}" for place in what],
            "length": rng.normal(size=len(who)),
        }
    )
