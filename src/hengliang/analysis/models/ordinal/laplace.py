"""How likely are the ratings when the random effects are integrated out, and in which direction is it better?

The integral over the random effects u is replaced by the Laplace approximation [1, 2]: with û the mode of
h(u) = Σ log pᵢ(u) − ½u'u and H the matrix of minus its second derivatives there,

    log L = h(û) − ½ log|H|,   H = Λ'Z'WZΛ + I,

where W holds the observed (not the expected) curvature of each log pᵢ. That is what R's `clmm` maximises. The gradient
is exact: û and W move with the parameters, which brings in the third derivatives of log p. Only one system of equations
has to be solved for that (the adjoint v = H⁻¹ ∂(−½ log|H|)/∂u), whatever the number of parameters.

[1] Tierney, L., Kadane, J. B. (1986). Accurate approximations for posterior moments and marginal densities. JASA 81.
[2] Christensen, R. H. B. (2022). ordinal: regression models for ordinal data. R package 2022.11-16.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hengliang.analysis.models.design import Floats
from hengliang.analysis.models.ordinal.factorisation import Factor, factorise
from hengliang.analysis.models.ordinal.problem import OrdinalProblem
from hengliang.analysis.models.ordinal.structure import Moments

INNER_TOLERANCE = 1e-9
"""The largest slope of h that is taken for zero at the mode, in units of u."""
INNER_STEPS = 100
CHORD = 0.1
"""A step with an old factor is taken as long as each one shrinks the slope at least to this share."""


@dataclass(frozen=True, slots=True, eq=False)
class Mode:
    """The mode of the random effects at one point of the parameters, with what was computed on the way.

    `first` and `weight` are the derivative of each log p by the linear predictor and minus the second one.
    """

    u: Floats
    log_likelihood: float
    slope: float
    upper: Floats
    lower: Floats
    first: Floats
    weight: Floats
    moments: Moments | None
    factor: Factor | None
    factors: tuple[Floats, ...]


def log_likelihood(problem: OrdinalProblem, parameters: Floats, near: Mode | None = None) -> float:
    """Return the Laplace log-likelihood; −∞ where thresholds are out of order."""
    found = find_mode(problem, parameters, near)
    return -math.inf if found is None else found.log_likelihood


def find_mode(problem: OrdinalProblem, parameters: Floats, near: Mode | None = None) -> Mode | None:
    """Find û by Newton steps with halving, from the mode of a point near by; None where p is not positive."""
    if not np.isfinite(parameters).all():
        return None
    upper, lower = problem.points(parameters)
    if not (upper > lower).all():
        return None
    if not problem.random:
        first, weight = problem.link.common(upper, lower)
        total = float(problem.link.log_probability(upper, lower).sum())
        return Mode(np.zeros(0), total, 0.0, upper, lower, -first, weight, None, None, ())
    factors = problem.structure.factors(problem.parts(parameters)[2])
    # A step may lead to where p is zero and derivatives are no numbers; it is taken back.
    with np.errstate(over="ignore", invalid="ignore"):
        return _Search(problem, upper, lower, factors).run(near)


class _Search:
    """Climbs h(u) for one vector of parameters."""

    def __init__(self, problem: OrdinalProblem, upper: Floats, lower: Floats, factors: tuple[Floats, ...]) -> None:
        self.problem = problem
        self.structure = problem.structure
        self.upper, self.lower = upper, lower
        self.factors = factors

    def at(self, u: Floats) -> tuple[float, Floats, Floats, Floats, Floats]:
        """Return h, the two points, and the first derivative and the weight of each log p."""
        shift = self.structure.shift(self.factors, u)
        upper, lower = self.upper - shift, self.lower - shift
        value = float(self.problem.link.log_probability(upper, lower).sum()) - 0.5 * float(u @ u)
        first, weight = self.problem.link.common(upper, lower)
        return value, upper, lower, -first, weight

    def run(self, near: Mode | None) -> Mode | None:
        u = np.zeros(self.structure.size) if near is None else near.u
        factor = None if near is None else near.factor
        moments: Moments | None = None
        state = self.at(u)
        if not math.isfinite(state[0]):
            u, factor = np.zeros_like(u), None
            state = self.at(u)
        slope = self.structure.sums(self.factors, state[3]) - u
        steepness = float(np.abs(slope).max())
        fresh = False
        for _ in range(INNER_STEPS):
            if steepness < INNER_TOLERANCE or not math.isfinite(state[0]):
                break
            if factor is None:
                moments = self.structure.moments(state[4])
                factor = factorise(self.structure, moments, self.factors)
                fresh = True
            found = self._climb(u, state, factor.solve(slope), slope)
            if found is None:
                if fresh:
                    break
                factor = None
                continue
            u, state = found
            slope = self.structure.sums(self.factors, state[3]) - u
            before, steepness = steepness, float(np.abs(slope).max())
            if steepness > CHORD * before and steepness > INNER_TOLERANCE:
                factor = None
            fresh = False
        return self._finish(u, state, steepness)

    def _climb(
        self, u: Floats, state: tuple[float, Floats, Floats, Floats, Floats], step: Floats, slope: Floats
    ) -> tuple[Floats, tuple[float, Floats, Floats, Floats, Floats]] | None:
        """Take the step, or the first of its halves that does not lose; rounding near the mode is forgiven."""
        size = 1.0
        slack = 1e-12 * (1 + abs(state[0])) if float(slope @ step) < 1e-9 * (1 + abs(state[0])) else 0.0
        for _ in range(40):
            moved = u + size * step
            tried = self.at(moved)
            if tried[0] >= state[0] - slack:
                return moved, tried
            size *= 0.5
        return None

    def _finish(self, u: Floats, state: tuple[float, Floats, Floats, Floats, Floats], steepness: float) -> Mode | None:
        value, upper, lower, first, weight = state
        if not math.isfinite(value):
            return None
        moments = self.structure.moments(weight)
        factor = factorise(self.structure, moments, self.factors)
        total = value - 0.5 * factor.log_determinant
        return Mode(u, total, steepness, upper, lower, first, weight, moments, factor, self.factors)


def gradient(problem: OrdinalProblem, mode: Mode) -> Floats:
    """Return the derivative of the Laplace log-likelihood by all parameters, at the mode that belongs to them."""
    slopes = problem.link.slopes(mode.upper, mode.lower)
    if mode.factor is None or mode.moments is None:
        return _location(problem, slopes.upper, slopes.lower)
    structure, factors = problem.structure, mode.factors
    inverse = mode.factor.inverse()
    leverage = structure.leverage(factors, inverse)
    by_predictor = 0.5 * leverage * -(slopes.upper_2 + slopes.lower_2)
    adjoint = mode.factor.solve(structure.sums(factors, by_predictor))
    moved = structure.shift(factors, adjoint)
    location = _location(
        problem,
        slopes.upper + 0.5 * leverage * slopes.upper_2 - moved * slopes.upper_1,
        slopes.lower + 0.5 * leverage * slopes.lower_2 - moved * slopes.lower_1,
    )
    predictor = mode.first + by_predictor - mode.weight * moved
    by_block = structure.slopes_of_determinant(factors, mode.moments, inverse)
    effects, adjoints = structure.by_block(mode.u), structure.by_block(adjoint)
    for place, block in enumerate(structure.blocks):
        direct = block.sums(predictor).T @ effects[place] + block.sums(mode.first).T @ adjoints[place]
        by_block[place] = direct - by_block[place]
    return np.concatenate([location, *structure.entries(by_block)])


def _location(problem: OrdinalProblem, by_upper: Floats, by_lower: Floats) -> Floats:
    """Return the derivative by thresholds and coefficients from those by the two points of each observation."""
    alpha = problem.upper.T @ by_upper + problem.lower.T @ by_lower
    return np.concatenate([alpha, -((by_upper + by_lower) @ problem.fixed)])
