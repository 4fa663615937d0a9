"""Do the predictors part the categories so cleanly that an effect has no finite estimate?

Log p never falls when the upper point of an observation rises and its lower point falls. A direction of thresholds and
coefficients that does this for all observations at once makes the likelihood rise for ever: the ratings are separated
[1]. Whether there is one is a linear programme, so the answer is exact and needs no look at large numbers.

[1] Albert, A., Anderson, J. A. (1984). On the existence of maximum likelihood estimates in logistic regression models.
    Biometrika 71.
"""

from __future__ import annotations

import numpy as np
import scipy

from hengliang.analysis.models.design import Floats
from hengliang.analysis.models.ordinal.problem import OrdinalProblem

SUSPICIOUS = 4.0
"""Effects or standard errors of so many of the latent error's deviations, over a column's range, call for a look."""
MOST_ROWS = 50_000
"""Distinct observations above which the programme takes too long; a separation of so many is not to be expected."""


def is_suspicious(problem: OrdinalProblem, location: Floats, hessian: Floats) -> bool:
    """Whether the fit without random effects has run so far that a separation may be the cause."""
    limit = SUSPICIOUS * float(np.sqrt(problem.link.spread))
    ranges = np.ones(problem.n_location)
    if problem.fixed.size:
        ranges[problem.n_alpha :] = np.ptp(problem.fixed, axis=0)
    diagonal = np.diag(-hessian)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    values, vectors = np.linalg.eigh(-hessian / np.outer(scale, scale))
    with np.errstate(over="ignore"):
        variances = (vectors**2 / np.maximum(values, 1e-300)).sum(axis=1) / scale**2
    far = np.abs(location) * ranges > limit
    far[: problem.n_alpha] = False  # a threshold may lie far out only because its category is rare
    return bool(far.any() or (np.sqrt(variances) * ranges > limit).any())


def separated(problem: OrdinalProblem) -> tuple[str, ...]:
    """Name the columns (or else the thresholds) that part the categories; nothing if estimates exist."""
    rows = _constraints(problem)
    if rows is None:
        return ()
    gain = np.asarray(rows.sum(axis=0)).ravel()
    found = scipy.optimize.linprog(-gain, A_ub=-rows, b_ub=np.zeros(rows.shape[0]), bounds=(-1, 1), method="highs")
    if found.x is None or -found.fun < 1e-6:
        return ()
    moving = np.abs(found.x) > 1e-7
    columns = [name for name, moves in zip(problem.fixed_names, moving[problem.n_alpha :], strict=True) if moves]
    if columns:
        return tuple(columns)
    return tuple(name for name, moves in zip(problem.thresholds.names, moving, strict=False) if moves)


def _constraints(problem: OrdinalProblem) -> scipy.sparse.csr_array | None:
    """Return how far each finite point of each distinct observation moves outwards with each parameter."""
    key = np.column_stack([problem.codes, problem.cells, problem.fixed, problem.nominal])
    _, first = np.unique(key, axis=0, return_index=True)
    if len(first) > MOST_ROWS:
        return None
    scale = np.ptp(problem.fixed, axis=0)
    # The thresholds take up a column's mean, so it may be left away: 2024 would dwarf a difference of one year.
    fixed = scipy.sparse.csr_array(
        (problem.fixed[first] - problem.fixed.mean(axis=0)) / np.where(scale > 0, scale, 1.0)
    )
    parts = []
    for matrix, offset, sign in (
        (problem.upper, problem.upper_offset, 1.0),
        (problem.lower, problem.lower_offset, -1.0),
    ):
        finite = np.isfinite(offset[first])
        parts.append((sign * scipy.sparse.hstack([matrix[first], -fixed]).tocsr())[np.flatnonzero(finite)])
    return scipy.sparse.csr_array(scipy.sparse.vstack(parts))
