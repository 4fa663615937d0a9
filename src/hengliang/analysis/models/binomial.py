"""How likely are answers of two kinds under a logistic mixed model, and how sure are its coefficients?

The integral over the random effects is Laplace's approximation, as in lme4 [1] with nAGQ = 1. Coefficients and
covariances are estimated together; the gradient of the approximation is exact, with the shift of the conditional modes
and of the weights in it. Standard errors come from the curvature in all parameters, so that they hold the uncertainty
of the variances.

[1] Bates, D., Mächler, M., Bolker, B. and Walker, S. (2015). Fitting linear mixed-effects models using lme4.
    Journal of Statistical Software 67(1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from hengliang.analysis.models.design import Floats
from hengliang.analysis.models.problem import Problem

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
    unit: Floats
    predictor: Floats
    chance: Floats
    factor: Floats
    penalised: float


class BinomialModel:
    """Laplace's approximation for one problem; `response` holds 0 and 1.

    Parameters are `theta` and then the coefficients of Q. The modes of the last evaluation are where the next begins.
    """

    def __init__(self, problem: Problem, response: Floats) -> None:
        self.problem = problem
        self.response = response
        self.covariances = sum(problem.counts)
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
        weighted = self.problem.weighted(theta)
        mode = self._mode(weighted, self.problem.fixed @ coefficients)
        self._last = mode.unit
        log = 2 * float(np.sum(np.log(np.diag(mode.factor))))
        return BinomialPoint(mode.penalised + log, self._gradient(weighted, mode), mode.unit)

    def _penalised(self, predictor: Floats, unit: Floats) -> float:
        # log(1 + e^x) − yx is the negative log-likelihood of one answer.
        return float(2 * np.sum(np.logaddexp(0.0, predictor) - self.response * predictor) + unit @ unit)

    def _mode(self, weighted: Floats, offset: Floats) -> _Mode:
        """Maximise over the random effects by Newton's method with step halving."""
        slots, unit = self.problem.slots, self._last
        predictor = offset + np.sum(weighted * unit[slots], axis=1)
        value = self._penalised(predictor, unit)
        for _ in range(MODE_STEPS):
            chance = scipy.special.expit(predictor)
            factor = self._factor(weighted, chance)
            slope = self.problem.collect(weighted * (self.response - chance)[:, None]) - unit
            step = scipy.linalg.cho_solve((factor, True), slope, check_finite=False) if len(unit) else slope
            decrement = float(slope @ step)
            if decrement < MODE_TOLERANCE**2 * max(1.0, abs(value)):
                break
            move = np.sum(weighted * step[slots], axis=1)
            length = 1.0
            # Close to the mode Newton's step is right, and too small for the change of the sum to be seen.
            while decrement > CLOSE and length > 1e-6:
                if self._penalised(predictor + length * move, unit + length * step) <= value:
                    break
                length /= 2
            unit, predictor = unit + length * step, predictor + length * move
            value = self._penalised(predictor, unit)
        return _Mode(unit, predictor, chance, factor, value)

    def _factor(self, weighted: Floats, chance: Floats) -> Floats:
        if not self.problem.size:
            return np.zeros((0, 0))
        inner = self.problem.gram(weighted * (chance * (1 - chance))[:, None], weighted)
        inner[np.diag_indices_from(inner)] += 1.0
        return np.asarray(scipy.linalg.cho_factor(inner, lower=True, check_finite=False)[0])

    def _gradient(self, weighted: Floats, mode: _Mode) -> Floats:
        """Differentiate the approximation; `pull` is what a change of each linear predictor does to it.

        With A = ΛᵀZᵀWZΛ + I, the determinant moves with ZΛ directly, and with the weights W, which move with the
        predictor and so with the modes. The modes enter through one solution of A for all parameters together.
        """
        slots, fixed = self.problem.slots, self.problem.fixed
        left = self.response - mode.chance
        weight = mode.chance * (1 - mode.chance)
        if not self.problem.size:
            return np.asarray(fixed.T @ (-2 * left))
        inverse = np.tril(scipy.linalg.lapack.dpotri(mode.factor, lower=1)[0])
        inverse = inverse + np.tril(inverse, -1).T
        reach = np.zeros_like(weighted)
        for one in range(weighted.shape[1]):
            for other in range(weighted.shape[1]):
                reach[:, one] += weighted[:, other] * inverse[slots[:, other], slots[:, one]]
        bend = np.sum(reach * weighted, axis=1) * weight * (1 - 2 * mode.chance)
        shift = inverse @ self.problem.collect(weighted * bend[:, None])
        pull = -2 * left + bend - weight * np.sum(weighted * shift[slots], axis=1)
        inside = pull[:, None] * mode.unit[slots] + 2 * weight[:, None] * reach + left[:, None] * shift[slots]
        pieces, place = [], 0
        for term in self.problem.terms:
            held = slice(place, place + term.width)
            whole = self.problem.values[:, held].T @ inside[:, held]
            pieces.append(whole[np.tril_indices(term.width)])
            place += term.width
        return np.concatenate([*pieces, fixed.T @ pull])

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
        for place in range(count):
            step = STEP * max(1.0, abs(parameters[place]))
            up, down = parameters.copy(), parameters.copy()
            up[place] += step
            down[place] -= step
            curvature[place] = (self.at(up).gradient - self.at(down).gradient) / (2 * step)
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
