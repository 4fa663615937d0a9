"""Maximum-likelihood estimation of ordinal models: starting values, quasi-Newton search, zero variances.

A quasi-Newton method (BFGS with backtracking [1]) on the exact gradient comes near the maximum; Newton steps with the
Hessian from central differences of that gradient finish, and the same Hessian gives the standard errors. Points where
thresholds are out of order have the likelihood zero, and a step that lands there is halved: log p itself keeps
thresholds apart as long as the category between them was given.

The search works on parameters times the typical size of their columns, so that it does not matter whether a length is
counted in characters or in thousands of them.

[1] Nocedal, J., Wright, S. J. (2006). Numerical optimization. Chapters 3 and 6.
[2] Pratt, J. W. (1981). Concavity of the log likelihood. JASA 76.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import scipy

from hengliang.statistics.models.design import Floats, Integers, RandomTerm
from hengliang.statistics.models.ordinal.laplace import Mode, OrdinalProblem, find_mode, gradient, log_likelihood

# --- quasi-Newton search ----------------------------------------------------------------------------------------------


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
    for index, value in held.items():
        whole[index] = value
    free = np.array([index for index in range(problem.size) if index not in held], dtype=np.int64)
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
        accepted = _search(objective, point, mode, step, promised)
        if accepted is None:
            break
        size, reached = accepted
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
        accepted = _polish_step(objective, point, mode, slope, step, promised)
        if accepted is None:
            break
        taken, mode, slope = accepted
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
    for index, curvature in enumerate(np.diag(metric)):
        width = float(np.clip(DIFFERENCE / math.sqrt(max(curvature, 1e-6)), 1e-6, 1e-2))
        # One side may lie where thresholds are out of order; the point itself then stands for it.
        slopes = [(0.0, slope)]
        for sign in (1.0, -1.0):
            shifted = point.copy()
            shifted[index] += sign * width
            reached = objective.at(shifted)
            if reached is not None:
                slopes.append((sign * width, objective.slope(reached)))
        if len(slopes) == 1:
            columns.append(metric[:, index])
            continue
        (near, low), (far, high) = slopes[-2:]
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


# --- starting values --------------------------------------------------------------------------------------------------
# The model without random effects is concave in thresholds and coefficients [2], so Newton's method finds its only
# maximum from the observed shares of the categories. How much the levels of each group then differ is guessed from
# their scores: a level whose ratings are all higher than that model expects has a large score.

NEWTON_STEPS = 100
DECREMENT = 1e-13
"""Newton's method stops when its next step promises less than this for the log-likelihood."""
SMALLEST_GUESS = 0.1
"""The least variance that the search starts with, in units of the latent error's variance: zero is a saddle."""


def observed_hessian(problem: OrdinalProblem, parameters: Floats) -> Floats:
    """Return the exact Hessian of a model without random effects."""
    bend = problem.link.curvature(*problem.points(parameters))
    own_upper = bend.upper_upper + bend.upper_lower
    own_lower = bend.lower_lower + bend.upper_lower
    upper, lower, fixed = problem.upper, problem.lower, problem.fixed
    mixed = upper.T @ lower.multiply(bend.upper_lower[:, None])
    alpha = upper.T @ upper.multiply(bend.upper_upper[:, None]) + lower.T @ lower.multiply(bend.lower_lower[:, None])
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

    Each parameter is counted in its own curvature: a year of 2024 or a share of 1e-7 is not a direction without
    curvature.
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
        estimated = (scores**2 - info).sum(axis=0) / np.maximum((info**2).sum(axis=0), 1e-300)
        variance = np.maximum(estimated, SMALLEST_GUESS * problem.link.spread / np.maximum(typical, 1e-300) / 3)
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


# --- estimation with variances at zero --------------------------------------------------------------------------------
# The diagonal of a Cholesky factor may be negative, so the search never runs against a wall; but where the best
# variance is zero (or a correlation one) the search ends near zero, not at it. Here such a column of Λ is set to zero
# for good if nothing is lost by it, and released again if a larger variance turns out to be better after all.

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
        fixed = {index: 0.0 for zero in tried for index in column_places(problem, *zero)}
        refitted = maximise(problem, parameters, _metric(problem, optimum, metric), fixed, optimum.mode)
        if refitted.log_likelihood >= optimum.log_likelihood - NOTHING:
            optimum, zeros, parameters = refitted, tried, refitted.parameters
    return optimum, tuple(sorted(zeros))


def _challenge(problem: OrdinalProblem, optimum: Optimum, zeros: Zeros, metric: Floats) -> tuple[Optimum, Zeros]:
    """Check whether a larger value serves better than a zero, and go on from there if one does."""
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
    refitted = maximise(problem, promising, metric)
    return _settle(problem, refitted, metric) if refitted.log_likelihood > best else (optimum, zeros)


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
    for index, (term, factor) in enumerate(zip(problem.random, problem.parts(parameters)[2], strict=True)):
        for column, deviation in enumerate(np.abs(np.diag(factor)) * _typical(term)):
            yield float(deviation), index, column


def column_places(problem: OrdinalProblem, term: int, column: int) -> Integers:
    """Return where the entries of one column of one Λ stand among the parameters, the diagonal first."""
    start = problem.n_location + sum(earlier.width * (earlier.width + 1) // 2 for earlier in problem.random[:term])
    _, columns = np.tril_indices(problem.random[term].width)
    return np.asarray(start + np.flatnonzero(columns == column), dtype=np.int64)


def pivoted(problem: OrdinalProblem, parameters: Floats) -> Floats:
    """Return parameters of the same model in which a column of Λ whose diagonal is zero is zero altogether.

    An effect without variance leaves the share of later effects in its column free to move to theirs; a semidefinite
    Cholesky factorisation puts it there.
    """
    result, start = parameters.copy(), problem.n_location
    for term, factor in zip(problem.random, problem.parts(parameters)[2], strict=True):
        rows, columns = np.tril_indices(term.width)
        result[start : start + len(rows)] = semidefinite_root(factor @ factor.T)[rows, columns]
        start += len(rows)
    return result


def semidefinite_root(matrix: Floats) -> Floats:
    """Return a lower triangular L with LL' = matrix and no entries below a zero of its diagonal."""
    rest, root = matrix.copy(), np.zeros_like(matrix)
    for index in range(len(matrix)):
        pivot = rest[index, index]
        if pivot > 1e-12 * max(float(matrix[index, index]), 1e-12):
            root[index:, index] = rest[index:, index] / math.sqrt(pivot)
            rest = rest - np.outer(root[:, index], root[:, index])
    return root
