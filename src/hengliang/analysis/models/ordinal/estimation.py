"""Where is the maximum of the likelihood, also when it lies at a variance of zero or a correlation of one?

The diagonal of a Cholesky factor may be negative, so the search never runs against a wall; but where
the best variance is zero the search ends near zero, not at it. Here such a column of Λ is set to zero for good if
nothing is lost by it, and let go again if a larger variance turns out to be better after all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from hengliang.analysis.models.design import Floats, Integers, RandomTerm
from hengliang.analysis.models.ordinal.laplace import find_mode
from hengliang.analysis.models.ordinal.optimisation import Optimum, maximise
from hengliang.analysis.models.ordinal.problem import OrdinalProblem
from hengliang.analysis.models.ordinal.starting import fit_fixed, guess

SMALL = 0.05
"""A standard deviation below this share of the latent error's is tried at zero."""
NOTHING = 1e-8
"""Log-likelihood that counts as nothing lost."""
LARGER = (0.05, 0.3, 1.0)
"""Standard deviations, in units of the latent error's, at which a zero is put to the test."""


Zeros = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Estimation:
    """The maximum, and the columns of Λ that are zero there as (term, column).

    `location` and `curvature` are thresholds and coefficients of the model without random effects, and its Hessian.
    """

    optimum: Optimum
    location: Floats
    curvature: Floats
    zeros: Zeros = ()


def estimate(
    problem: OrdinalProblem, start: Floats | None = None, held: Mapping[int, float] | None = None
) -> Estimation:
    """Fit a problem; `held` fixes parameters by their place."""
    location = None if start is None else np.asarray(start, dtype=np.float64)[: problem.n_location]
    location, hessian = fit_fixed(problem, location)
    if not problem.random:
        exact = None if held else hessian
        return Estimation(maximise(problem, location, -hessian, held, exact=exact), location, hessian)
    begin, metric = guess(problem, location, hessian)
    if start is not None and find_mode(problem, np.asarray(start, dtype=np.float64)) is not None:
        begin = np.asarray(start, dtype=np.float64)
    optimum = maximise(problem, begin, metric, held)
    zeros: Zeros = ()
    if not held:
        optimum, zeros = _settle(problem, optimum, metric)
    if zeros:
        optimum, zeros = _challenge(problem, optimum, zeros, metric)
    return Estimation(optimum, location, hessian, zeros)


def _settle(problem: OrdinalProblem, optimum: Optimum, metric: Floats) -> tuple[Optimum, Zeros]:
    """Set small columns of Λ to zero as long as nothing is lost."""
    zeros: Zeros = ()
    parameters = pivoted(problem, optimum.parameters)
    for deviation, term, column in sorted(_pivots(problem, parameters)):
        if deviation > SMALL * math.sqrt(problem.link.spread):
            continue
        tried = (*zeros, (term, column))
        held = {place: 0.0 for zero in tried for place in column_places(problem, *zero)}
        found = maximise(problem, parameters, _metric(problem, optimum, metric), held, optimum.mode)
        if found.log_likelihood >= optimum.log_likelihood - NOTHING:
            optimum, zeros, parameters = found, tried, found.parameters
    return optimum, tuple(sorted(zeros))


def _challenge(problem: OrdinalProblem, optimum: Optimum, zeros: Zeros, metric: Floats) -> tuple[Optimum, Zeros]:
    """Look whether a larger value serves better than a zero, and go on from there if one does."""
    best, promising = optimum.log_likelihood, None
    for term, column in zeros:
        diagonal = column_places(problem, term, column)[0]
        for size in LARGER:
            tried = optimum.parameters.copy()
            tried[diagonal] = size * math.sqrt(problem.link.spread) / _typical(problem.random[term])[column]
            mode = find_mode(problem, tried, optimum.mode)
            if mode is not None and mode.log_likelihood > best + NOTHING:
                best, promising = mode.log_likelihood, tried
    if promising is None:
        return optimum, zeros
    found = maximise(problem, promising, metric)
    return _settle(problem, found, metric) if found.log_likelihood > best else (optimum, zeros)


def _metric(problem: OrdinalProblem, optimum: Optimum, fallback: Floats) -> Floats:
    """Return minus the Hessian at the optimum, where it has positive curvature, over all parameters."""
    metric = fallback.copy()
    values = np.linalg.eigvalsh(-optimum.hessian)
    if len(values) and values[0] > 1e-6 * values[-1]:
        metric[np.ix_(optimum.free, optimum.free)] = -optimum.hessian
    return metric


def _typical(term: RandomTerm) -> Floats:
    return np.asarray(np.maximum(np.sqrt((term.columns**2).mean(axis=0)), 1e-12))


def _pivots(problem: OrdinalProblem, parameters: Floats) -> Iterator[tuple[float, int, int]]:
    """Give the diagonal of each Λ on the scale of the linear predictor, with its term and column."""
    for place, (term, factor) in enumerate(zip(problem.random, problem.parts(parameters)[2], strict=True)):
        for column, deviation in enumerate(np.abs(np.diag(factor)) * _typical(term)):
            yield float(deviation), place, column


def column_places(problem: OrdinalProblem, term: int, column: int) -> Integers:
    """Return where the entries of one column of one Λ stand among the parameters, the diagonal first."""
    start = problem.n_location + sum(held.width * (held.width + 1) // 2 for held in problem.random[:term])
    _, columns = np.tril_indices(problem.random[term].width)
    return np.asarray(start + np.flatnonzero(columns == column), dtype=np.int64)


def pivoted(problem: OrdinalProblem, parameters: Floats) -> Floats:
    """Return parameters of the same model in which a column of Λ whose diagonal is zero is zero altogether.

    An effect without variance leaves the share of later effects in its column free to move to theirs; a semidefinite
    Cholesky factorisation puts it there.
    """
    result, place = parameters.copy(), problem.n_location
    for term, factor in zip(problem.random, problem.parts(parameters)[2], strict=True):
        rows, columns = np.tril_indices(term.width)
        result[place : place + len(rows)] = semidefinite_root(factor @ factor.T)[rows, columns]
        place += len(rows)
    return result


def semidefinite_root(matrix: Floats) -> Floats:
    """Return a lower triangular L with LL' = matrix and no entries below a zero of its diagonal."""
    rest, root = matrix.copy(), np.zeros_like(matrix)
    for place in range(len(matrix)):
        pivot = rest[place, place]
        if pivot > 1e-12 * max(float(matrix[place, place]), 1e-12):
            root[place:, place] = rest[place:, place] / math.sqrt(pivot)
            rest = rest - np.outer(root[:, place], root[:, place])
    return root
