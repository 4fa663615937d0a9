"""Logistic mixed models: likelihood by Laplace's approximation, its gradient, and standard errors.

The integral over the random effects is Laplace's approximation, as in lme4 [1] with nAGQ = 1. Coefficients and
covariances are estimated together; the gradient of the approximation is exact and includes the shift of the conditional
modes and of the weights. Standard errors come from the curvature in all parameters, so that they include the
uncertainty of the variances.

[1] Bates, D., Mächler, M., Bolker, B. and Walker, S. (2015). Fitting linear mixed-effects models using lme4. Journal of
    Statistical Software 67(1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from hengliang.statistics.models.design import Floats
from hengliang.statistics.models.ordinal.laplace import Factor, Moments, factorise
from hengliang.statistics.models.problem import Problem

FLAT = 1e-6
"""Curvature below this share of the largest possible is none: all chances there are 0 or 1 (log-odds beyond 15)."""
LOAD = 1e-3
"""A coefficient with more than this share in a direction without curvature moves with it."""
STEP = 1e-4
MODE_TOLERANCE = 1e-12
MODE_STEPS = 100
CLOSE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class BinomialPoint:
    """The model at given parameters: −2 log-likelihood by Laplace, its gradient, and the conditional modes."""

    criterion: float
    gradient: Floats
    unit: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Mode:
    """The conditional modes of u, block after block, and what was computed there."""

    unit: Floats
    predictor: Floats
    chance: Floats
    penalised: float
    moments: Moments | None
    factor: Factor | None


class BinomialModel:
    """Laplace's approximation for one problem; `response` holds 0 and 1.

    Parameters are `theta` and then the coefficients of Q. The modes of the last evaluation are where the next begins.
    """

    def __init__(self, problem: Problem, response: Floats) -> None:
        self.problem = problem
        self.response = response
        self.covariances = sum(problem.counts)
        self.structure = problem.structure()
        self._last = np.zeros(problem.size)

    def start(self) -> Floats:
        """Return the logistic regression without random effects, and Λ as the identity."""
        coefficients = np.zeros(self.problem.width)
        for _ in range(25):
            chance = scipy.special.expit(self.problem.fixed @ coefficients)
            weight = np.maximum(chance * (1 - chance), 1e-6)
            inner = self.problem.fixed.T @ (self.problem.fixed * weight[:, None])
            step = np.linalg.solve(inner, self.problem.fixed.T @ (self.response - chance))
            coefficients = np.clip(coefficients + step, -10, 10)
            if np.max(np.abs(step), initial=0.0) < 1e-8:
                break
        return np.concatenate([self.problem.start(), coefficients])

    def at(self, parameters: Floats) -> BinomialPoint:
        """Find the modes, then the approximation and its gradient."""
        theta, coefficients = parameters[: self.covariances], parameters[self.covariances :]
        factors = self.structure.factors(self.problem.factors(theta))
        mode = self._mode(factors, self.problem.fixed @ coefficients)
        self._last = mode.unit
        log = mode.factor.log_determinant if mode.factor else 0.0
        return BinomialPoint(mode.penalised + log, self._gradient(factors, mode), self.structure.by_term(mode.unit))

    def _penalised(self, predictor: Floats, unit: Floats) -> float:
        # log(1 + e^x) − yx is the negative log-likelihood of one answer.
        return float(2 * np.sum(np.logaddexp(0.0, predictor) - self.response * predictor) + unit @ unit)

    def _mode(self, factors: Sequence[Floats], offset: Floats) -> _Mode:
        """Maximise over the random effects by Newton's method with step halving."""
        structure, unit = self.structure, self._last
        predictor = offset + structure.shift(factors, unit)
        value = self._penalised(predictor, unit)
        if not structure.size:
            return _Mode(unit, predictor, scipy.special.expit(predictor), value, None, None)
        for _ in range(MODE_STEPS):
            chance = scipy.special.expit(predictor)
            moments = structure.moments(chance * (1 - chance))
            factor = factorise(structure, moments, factors)
            slope = structure.sums(factors, self.response - chance) - unit
            step = factor.solve(slope)
            decrement = float(slope @ step)
            if decrement < MODE_TOLERANCE**2 * max(1.0, abs(value)):
                break
            move = structure.shift(factors, step)
            length = 1.0
            # Close to the mode Newton's step is right, and too small for the change of the sum to be seen.
            while decrement > CLOSE and length > 1e-6:
                if self._penalised(predictor + length * move, unit + length * step) <= value:
                    break
                length /= 2
            unit, predictor = unit + length * step, predictor + length * move
            value = self._penalised(predictor, unit)
        return _Mode(unit, predictor, chance, value, moments, factor)

    def _gradient(self, factors: Sequence[Floats], mode: _Mode) -> Floats:
        """Differentiate the approximation; `pull` is what a change of each linear predictor does to it.

        With A = ΛᵀZᵀWZΛ + I, the determinant moves with Λ directly, and with the weights W, which move with the
        predictor and so with the modes. The modes enter through one solution of A for all parameters together.
        """
        structure, fixed = self.structure, self.problem.fixed
        left = self.response - mode.chance
        if mode.factor is None or mode.moments is None:
            return np.asarray(fixed.T @ (-2 * left))
        weight = mode.chance * (1 - mode.chance)
        inverse = mode.factor.inverse()
        bend = structure.leverage(factors, inverse) * weight * (1 - 2 * mode.chance)
        shift = mode.factor.solve(structure.sums(factors, bend))
        pull = -2 * left + bend - weight * structure.shift(factors, shift)
        by_block = structure.slopes_of_determinant(factors, mode.moments, inverse)
        effects, shifts = structure.by_block(mode.unit), structure.by_block(shift)
        for index, block in enumerate(structure.blocks):
            moved = block.sums(pull).T @ effects[index] + block.sums(left).T @ shifts[index]
            by_block[index] = 2 * by_block[index] + moved
        return np.concatenate([*structure.entries(by_block), fixed.T @ pull])

    def criterion(self, parameters: Floats) -> tuple[float, Floats]:
        """Return −2 log-likelihood by Laplace's approximation, and its gradient."""
        point = self.at(parameters)
        return point.criterion, point.gradient

    def covariance(self, parameters: Floats) -> Floats:
        """Return the covariance of the coefficients on the user's scale from the curvature in all parameters.

        A deviation on the border, where the criterion does not curve upwards, is held fixed. So is a direction in which
        an effect runs to infinity: what moves with it has no standard error (NaN), and the others have theirs as if
        the answers that it predicts without error were not there.
        """
        count = len(parameters)
        curvature = np.zeros((count, count))
        for index in range(count):
            step = STEP * max(1.0, abs(parameters[index]))
            up, down = parameters.copy(), parameters.copy()
            up[index] += step
            down[index] -= step
            curvature[index] = (self.at(up).gradient - self.at(down).gradient) / (2 * step)
        curvature = (curvature + curvature.T) / 2
        rows = np.arange(self.covariances)
        kept = rows[np.diag(curvature)[: self.covariances] > 1e-8]
        own = curvature[self.covariances :, self.covariances :]
        values, vectors = np.linalg.eigh(own)
        # The columns of Q have squares that sum to n, and a chance adds a quarter at most, twice in this criterion.
        steep = values > FLAT * self.problem.n / 2
        turn = np.eye(len(own)) if steep.all() else vectors[:, steep]
        cross = curvature[np.ix_(kept, np.arange(self.covariances, count))] @ turn
        whole = np.block([[curvature[np.ix_(kept, kept)], cross], [cross.T, turn.T @ own @ turn]])
        if not np.all(np.linalg.eigvalsh(whole) > 0):
            whole = turn.T @ own @ turn
        inverse = np.linalg.inv(whole)[-turn.shape[1] :, -turn.shape[1] :] if turn.shape[1] else np.zeros((0, 0))
        back = self.problem.back()
        covariance = np.asarray(2 * back @ turn @ inverse @ turn.T @ back.T)
        loads = np.linalg.norm(back @ vectors[:, ~steep], axis=1) / np.linalg.norm(back, axis=1)
        covariance[loads > LOAD, :] = np.nan
        covariance[:, loads > LOAD] = np.nan
        return covariance
