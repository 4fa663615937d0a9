"""From where does the search for the best parameters set out?

The model without random effects is concave in thresholds and coefficients [1], so Newton's method finds its only
maximum from the observed shares of the categories. How much the levels of each group then differ is guessed from
their scores: a level whose ratings are all higher than that model expects has a large one.

[1] Pratt, J. W. (1981). Concavity of the log likelihood. JASA 76.
"""

from __future__ import annotations

import math

import numpy as np
import scipy

from hengliang.analysis.models.design import Floats
from hengliang.analysis.models.ordinal.laplace import find_mode, gradient, log_likelihood
from hengliang.analysis.models.ordinal.problem import OrdinalProblem

NEWTON_STEPS = 100
DECREMENT = 1e-13
"""Newton's method stops when its next step promises less than this for the log-likelihood."""
SMALLEST_GUESS = 0.1
"""The least variance that the search starts with, in units of the latent error's variance: zero is a saddle."""


def observed_hessian(problem: OrdinalProblem, parameters: Floats) -> Floats:
    """Return the exact Hessian of a model without random effects."""
    held = problem.link.curvature(*problem.points(parameters))
    own_upper = held.upper_upper + held.upper_lower
    own_lower = held.lower_lower + held.upper_lower
    upper, lower, fixed = problem.upper, problem.lower, problem.fixed
    mixed = upper.T @ lower.multiply(held.upper_lower[:, None])
    alpha = upper.T @ upper.multiply(held.upper_upper[:, None]) + lower.T @ lower.multiply(held.lower_lower[:, None])
    cross = -(upper.T @ (fixed * own_upper[:, None]) + lower.T @ (fixed * own_lower[:, None]))
    beta = fixed.T @ (fixed * (own_upper + own_lower)[:, None])
    return np.block([[(alpha + mixed + mixed.T).toarray(), cross], [cross.T, beta]])


def first_guess(problem: OrdinalProblem) -> Floats:
    """Return thresholds at the observed shares of the categories, and no effects."""
    thresholds = problem.thresholds
    counts = np.zeros((len(thresholds.cells), thresholds.borders + 1))
    np.add.at(counts, (problem.cells, problem.codes), 1.0)
    shares = np.cumsum(counts + 0.5 / counts.shape[1], axis=1)
    shares = (shares / shares[:, -1:])[:, :-1].ravel()
    points = scipy.special.logit(shares) if problem.link.name == "logit" else scipy.special.ndtri(shares)
    inside = np.isfinite(thresholds.offset)
    own = thresholds.matrix.toarray()[inside]
    alpha = np.linalg.lstsq(own, points[inside], rcond=None)[0]
    return np.concatenate([alpha, np.zeros(problem.n_location - problem.n_alpha)])


def fit_fixed(problem: OrdinalProblem, start: Floats | None = None) -> tuple[Floats, Floats]:
    """Fit thresholds and coefficients without random effects; return them and the Hessian there."""
    plain = problem.without_random()
    parameters = first_guess(plain) if start is None else start
    value = log_likelihood(plain, parameters)
    if not math.isfinite(value):
        parameters = first_guess(plain)
        value = log_likelihood(plain, parameters)
    for _ in range(NEWTON_STEPS):
        mode = find_mode(plain, parameters)
        if mode is None:
            break
        slope = gradient(plain, mode)
        step = _newton_step(observed_hessian(plain, parameters), slope)
        promised = float(slope @ step)
        if promised < DECREMENT:
            break
        size = 1.0
        while size > 1e-10:
            tried = log_likelihood(plain, parameters + size * step)
            if tried >= value:
                break
            size *= 0.5
        if size <= 1e-10:
            break
        parameters, value = parameters + size * step, tried
    return parameters, observed_hessian(plain, parameters)


def _newton_step(hessian: Floats, slope: Floats) -> Floats:
    """Solve for the step; directions without curvature (separation) get a small one.

    Each parameter is counted in its own curvature: a year of 2024 or a share of 1e-7 is no direction without any.
    """
    diagonal = np.diag(-hessian)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    values, vectors = np.linalg.eigh(-hessian / np.outer(scale, scale))
    floor = max(1e-10 * float(values[-1]), 1e-300)
    return np.asarray(vectors @ ((vectors.T @ (slope / scale)) / np.maximum(values, floor)) / scale)


def guess(problem: OrdinalProblem, location: Floats, hessian: Floats) -> tuple[Floats, Floats]:
    """Return where to start with random effects, and a first Hessian of minus the log-likelihood there.

    With s and I the score and the information of a level's effect, E s² = I + σ²I². Averaged effects are smaller than
    those of a single level, so thresholds and coefficients are stretched by √(1 + σ² / variance of the latent error).
    """
    mode = find_mode(problem.without_random(), location)
    spread, curvature, total = [], [], 0.0
    for term in problem.random:
        scores = _level_sums(term.codes, len(term.levels), term.columns, mode.first if mode else np.zeros(problem.n))
        info = _level_sums(term.codes, len(term.levels), term.columns**2, mode.weight if mode else np.ones(problem.n))
        typical = (term.columns**2).mean(axis=0)
        found = (scores**2 - info).sum(axis=0) / np.maximum((info**2).sum(axis=0), 1e-300)
        variance = np.maximum(found, SMALLEST_GUESS * problem.link.spread / np.maximum(typical, 1e-300) / 3)
        total += float((variance * typical).sum())
        shrunk = info / (1 + info * variance)
        for row, column in zip(*np.tril_indices(term.width), strict=True):
            spread.append(math.sqrt(variance[row]) if row == column else 0.0)
            both = (shrunk[:, row] * shrunk[:, column]).sum() * variance[column]
            curvature.append(float(both) * (2.0 if row == column else 1.0))
    stretch = math.sqrt(1 + total / problem.link.spread)
    first = np.zeros((problem.size, problem.size))
    first[: len(location), : len(location)] = -hessian / stretch**2
    where = np.arange(len(location), problem.size)
    first[where, where] = np.maximum(curvature, 1e-3)
    return np.concatenate([location * stretch, spread]), first


def _level_sums(codes: np.ndarray, levels: int, columns: Floats, values: Floats) -> Floats:
    return np.column_stack([np.bincount(codes, column * values, levels) for column in columns.T])
