"""Which parameters make the ratings most likely?

A quasi-Newton method (BFGS with backtracking [1]) on the exact gradient comes near the maximum; Newton steps with the
Hessian from central differences of that gradient finish, and the same Hessian gives the standard errors. Points where
thresholds are out of order have the likelihood zero, and a step that lands there is halved: log p itself keeps
thresholds apart as long as the category between them was given.

The search works on parameters times the typical size of their columns, so that it does not matter whether a length is
counted in characters or in thousands of them.

[1] Nocedal, J., Wright, S. J. (2006). Numerical optimization. Chapters 3 and 6.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import scipy

from hengliang.analysis.models.design import Floats, Integers
from hengliang.analysis.models.ordinal.laplace import Mode, find_mode, gradient
from hengliang.analysis.models.ordinal.problem import OrdinalProblem

GRADIENT = 1e-6
"""The largest slope of the log-likelihood that is taken for zero, in units of the linear predictor."""
NEAR = 1e-7
"""The quasi-Newton stage ends when its next step promises less than this for the log-likelihood."""
STAGE_STEPS = 300
POLISHES = 12
DIFFERENCE = 1e-3
"""Width of the central differences, in standard errors: their error is then about a millionth."""
LONGEST = 5.0
"""No step changes a linear predictor by much more than this, so that a poor first Hessian does no harm."""


@dataclass(frozen=True, slots=True, eq=False)
class Optimum:
    """The best parameters found; `free` are the places of those that were estimated.

    `slope` and `hessian` are those of the log-likelihood by the free parameters, the slope in units of the linear
    predictor (over the typical size of each column).
    """

    parameters: Floats
    mode: Mode
    slope: Floats
    hessian: Floats
    free: Integers
    evaluations: int

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood at the maximum."""
        return self.mode.log_likelihood

    @property
    def steepest(self) -> float:
        """The largest slope that is left."""
        return float(np.abs(self.slope).max()) if len(self.slope) else 0.0


@dataclass(slots=True)
class Objective:
    """Minus the log-likelihood as a function of the scaled free parameters; starts each time from the mode `near`."""

    problem: OrdinalProblem
    whole: Floats
    free: Integers
    scales: Floats
    near: Mode | None = None
    evaluations: int = field(default=0)

    def expand(self, point: Floats) -> Floats:
        """Return all parameters."""
        parameters = self.whole.copy()
        parameters[self.free] = point / self.scales
        return parameters

    def at(self, point: Floats) -> Mode | None:
        """Return the mode at a point."""
        self.evaluations += 1
        return find_mode(self.problem, self.expand(point), self.near)

    def slope(self, mode: Mode) -> Floats:
        """Return the gradient of minus the log-likelihood by the free parameters."""
        # Points 10⁹ and more away (profiles of a separated effect) have densities over p beyond all numbers.
        with np.errstate(over="ignore", invalid="ignore"):
            return -gradient(self.problem, mode)[self.free] / self.scales


def typical_sizes(problem: OrdinalProblem) -> Floats:
    """Return how much a unit of each parameter moves a linear predictor, roughly."""
    own = np.ones(problem.n_alpha)
    shifted = abs(problem.thresholds.nominal).sum(axis=0) > 0
    if problem.thresholds.columns:
        sizes = np.repeat(_root_mean_squares(problem.nominal), shifted.sum() // len(problem.thresholds.columns))
        own[shifted] = sizes
    spread = [_root_mean_squares(term.columns)[np.tril_indices(term.width)[0]] for term in problem.random]
    return np.concatenate([own, _root_mean_squares(problem.fixed), *spread])


def _root_mean_squares(columns: Floats) -> Floats:
    sizes = np.sqrt((columns**2).mean(axis=0))
    return np.where(sizes > 0, sizes, 1.0)


def maximise(
    problem: OrdinalProblem,
    start: Floats,
    first: Floats,
    held: Mapping[int, float] | None = None,
    near: Mode | None = None,
    exact: Floats | None = None,
) -> Optimum:
    """Find the maximum from `start`; `first` is a guess of minus the Hessian there, over all parameters.

    `held` fixes parameters by their place, for profiles and for variances at zero. `exact` is the Hessian of a start
    that is the maximum already.
    """
    objective = _objective(problem, start, held or {}, near)
    free, scales = objective.free, objective.scales
    point = objective.whole[free] * scales
    mode = objective.at(point)
    if mode is None:
        raise ValueError("the search must start where the thresholds are in order")
    if not len(free):
        return Optimum(objective.whole, mode, np.zeros(0), np.zeros((0, 0)), free, 1)
    if exact is not None:
        return Optimum(objective.whole, mode, -objective.slope(mode), exact, free, 1)
    objective.near = mode
    metric = first[np.ix_(free, free)] / np.outer(scales, scales)
    point, mode, slope, metric = _quasi_newton(objective, point, mode, metric)
    point, mode, slope, hessian = _polish(objective, point, mode, slope, metric)
    hessian = -hessian * np.outer(scales, scales)
    return Optimum(objective.expand(point), mode, -slope, hessian, free, objective.evaluations)


def approach(
    problem: OrdinalProblem, start: Floats, first: Floats, place: int, near: Mode | None = None
) -> tuple[Floats, Mode] | None:
    """Come near the maximum with the parameter at `place` held as in `start`, without standard errors.

    The log-likelihood is good to about `NEAR`. None where the thresholds of `start` are out of order.
    """
    objective = _objective(problem, start, {place: float(start[place])}, near)
    point = objective.whole[objective.free] * objective.scales
    mode = objective.at(point)
    if mode is None:
        return None
    objective.near = mode
    metric = first[np.ix_(objective.free, objective.free)] / np.outer(objective.scales, objective.scales)
    point, mode, _, _ = _quasi_newton(objective, point, mode, metric)
    return objective.expand(point), mode


def _objective(problem: OrdinalProblem, start: Floats, held: Mapping[int, float], near: Mode | None) -> Objective:
    whole = np.array(start, dtype=np.float64)
    for place, value in held.items():
        whole[place] = value
    free = np.array([place for place in range(problem.size) if place not in held], dtype=np.int64)
    return Objective(problem, whole, free, typical_sizes(problem)[free], near)


def _quasi_newton(
    objective: Objective, point: Floats, mode: Mode, metric: Floats
) -> tuple[Floats, Mode, Floats, Floats]:
    slope = objective.slope(mode)
    for _ in range(STAGE_STEPS):
        step = solve_positive(metric, -slope)
        promised = -float(slope @ step)
        if promised < NEAR:
            break
        found = _search(objective, point, mode, step, promised)
        if found is None:
            break
        size, reached = found
        moved = size * step
        new_slope = objective.slope(reached)
        change = new_slope - slope
        objective.near = reached
        point, mode, slope = point + moved, reached, new_slope
        turned = metric @ moved
        curved, old = float(moved @ change), float(moved @ turned)
        if not old > 0:  # a step too short to learn anything from
            break
        if curved < 0.1 * old:  # Powell's damping keeps the metric positive definite
            share = 0.9 * old / (old - curved)
            change = share * change + (1 - share) * turned
            curved = float(moved @ change)
        metric = metric + np.outer(change, change) / curved - np.outer(turned, turned) / old
    return point, mode, slope, metric


def _search(
    objective: Objective, point: Floats, mode: Mode, step: Floats, promised: float
) -> tuple[float, Mode] | None:
    """Backtrack along the step until the log-likelihood rises enough."""
    size = 1.0
    longest = float(np.abs(step).max())
    if longest > LONGEST:
        size = LONGEST / longest
    for _ in range(40):
        reached = objective.at(point + size * step)
        if reached is None:
            size *= 0.3
            continue
        gained = reached.log_likelihood - mode.log_likelihood
        if gained >= 1e-4 * size * promised:
            return size, reached
        # The parabola through both values and the first slope says how far to go.
        best = 0.5 * promised * size**2 / (promised * size - gained)
        size = float(np.clip(best, 0.1 * size, 0.5 * size))
    return None


def _polish(
    objective: Objective, point: Floats, mode: Mode, slope: Floats, metric: Floats
) -> tuple[Floats, Mode, Floats, Floats]:
    """Take Newton steps until the slope is gone; the Hessian is made again when the point has moved far from it."""
    hessian = difference_hessian(objective, point, mode, slope, metric)
    moved = 0.0
    for _ in range(POLISHES):
        step = solve_positive(hessian, -slope)
        promised = -float(slope @ step)
        if np.abs(slope).max() < GRADIENT and promised < 1e-10:
            break
        found = _polish_step(objective, point, mode, slope, step, promised)
        if found is None:
            break
        taken, mode, slope = found
        point = point + taken
        objective.near = mode
        moved += math.sqrt(max(promised, 0.0))
        if moved > 1e-2:
            hessian = difference_hessian(objective, point, mode, slope, hessian)
            moved = 0.0
    if moved > 1e-4:
        hessian = difference_hessian(objective, point, mode, slope, hessian)
    return point, mode, slope, hessian


def _polish_step(
    objective: Objective, point: Floats, mode: Mode, slope: Floats, step: Floats, promised: float
) -> tuple[Floats, Mode, Floats] | None:
    """Take the step if the log-likelihood rises or, where its digits end, if the slope falls."""
    size = 1.0
    for _ in range(12):
        reached = objective.at(point + size * step)
        if reached is not None:
            gained = reached.log_likelihood - mode.log_likelihood
            new_slope = objective.slope(reached)
            if promised > 1e-8 and gained > 0:
                return size * step, reached, new_slope
            if promised <= 1e-8 and np.abs(new_slope).max() < np.abs(slope).max():
                return size * step, reached, new_slope
        size *= 0.5
    return None


def difference_hessian(objective: Objective, point: Floats, mode: Mode, slope: Floats, metric: Floats) -> Floats:
    """Return the Hessian of minus the log-likelihood by central differences of its gradient."""
    before, objective.near = objective.near, mode
    columns = []
    for place, curvature in enumerate(np.diag(metric)):
        width = float(np.clip(DIFFERENCE / math.sqrt(max(curvature, 1e-6)), 1e-6, 1e-2))
        # One side may lie where thresholds are out of order; the point itself then stands for it.
        found = [(0.0, slope)]
        for sign in (1.0, -1.0):
            shifted = point.copy()
            shifted[place] += sign * width
            reached = objective.at(shifted)
            if reached is not None:
                found.append((sign * width, objective.slope(reached)))
        if len(found) == 1:
            columns.append(metric[:, place])
            continue
        (near, low), (far, high) = found[-2:]
        columns.append((high - low) / (far - near))
    objective.near = before
    hessian = np.array(columns)
    return np.asarray(0.5 * (hessian + hessian.T))


def solve_positive(matrix: Floats, vector: Floats) -> Floats:
    """Solve with a matrix that should be positive definite; where it is not, its curvature is taken as positive."""
    try:
        return np.asarray(
            scipy.linalg.cho_solve(scipy.linalg.cho_factor(matrix, check_finite=False), vector, check_finite=False)
        )
    except scipy.linalg.LinAlgError:
        scale = np.sqrt(np.maximum(np.abs(np.diag(matrix)), 1e-12))
        values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
        values = np.maximum(np.abs(values), 1e-6)
        return np.asarray((vectors @ ((vectors.T @ (vector / scale)) / values)) / scale)
