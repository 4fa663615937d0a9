"""How likely are measurements under a linear mixed model, and how sure are its coefficients?

The deviance is profiled over coefficients and residual variance [1]. Degrees of freedom follow Satterthwaite's
approximation as lmerTest computes it [2]: from the curvature of the criterion in the variance parameters and the slope
of each squared standard error in them.

[1] Bates, D., Mächler, M., Bolker, B. and Walker, S. (2015). Fitting linear mixed-effects models using lme4.
    Journal of Statistical Software 67(1), section 3.
[2] Kuznetsova, A., Brockhoff, P. B. and Christensen, R. H. B. (2017). lmerTest package: tests in linear mixed effects
    models. Journal of Statistical Software 82(13).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from hengliang.analysis.models.design import Floats
from hengliang.analysis.models.problem import Problem
from hengliang.errors import UserError

STEP = 1e-3
"""Step of the finite differences in theta, which is of the order of one."""
NOTHING = 1e-10
"""A residual variance below this share of the response's own is none."""
FLAT = 1e-6
"""Directions of the criterion with less curvature than this share of the largest say nothing and are left out."""


@dataclass(frozen=True, slots=True, eq=False)
class LinearPoint:
    """The model at given variance ratios: everything else is at its best value.

    `random_log` and `fixed_log` are the logarithms of the two determinants; `rest` is the penalised residual sum of
    squares; `inverse` times the residual variance is the covariance of the coefficients of Q; `unit` the modes of u.
    The last three, ΛᵀZᵀZ, the Cholesky factor of A = ΛᵀZᵀZΛ + I, and A⁻¹ΛᵀZᵀQ, serve the gradient.
    """

    random_log: float
    fixed_log: float
    rest: float
    coefficients: Floats
    inverse: Floats
    unit: Floats
    half: Floats
    lower: Floats
    solved: Floats


class LinearModel:
    """The profiled criterion of one problem; cross-products are formed once."""

    def __init__(self, problem: Problem, response: Floats, reml: bool) -> None:
        self.problem = problem
        self.reml = reml
        # Without the least-squares fit the sums of squares keep their digits when the response is far from zero.
        self.plain = problem.fixed.T @ response / problem.n
        left = response - problem.fixed @ self.plain
        self.scale = float(np.sqrt(np.mean(left**2)))
        self.exact = self.scale <= 1e-12 * float(np.sqrt(np.mean(response**2)))
        """Whether the fixed effects alone explain the response without rest."""
        self.response = left if self.exact else left / self.scale
        self.both = np.column_stack([problem.fixed, self.response])
        self.cross = np.stack([problem.collect(problem.values * column[:, None]) for column in self.both.T], axis=1)
        self.gram = problem.gram(problem.values, problem.values)
        self.outer = self.both.T @ self.both
        self.log_triangle = float(np.sum(np.log(np.abs(np.diag(problem.triangle)))))

    @property
    def freedom(self) -> int:
        """How many observations the residual variance rests on."""
        return self.problem.n - (self.problem.width if self.reml else 0)

    def at(self, theta: Floats) -> LinearPoint:
        """Solve the penalised least-squares problem at `theta`."""
        factors, width = self.problem.factors(theta), self.problem.width
        half = self._multiply(factors, self.gram)
        inner = self._multiply(factors, half.T)
        inner[np.diag_indices_from(inner)] += 1.0
        right = self._multiply(factors, self.cross)
        lower = np.asarray(scipy.linalg.cho_factor(inner, lower=True, check_finite=False)[0]) if len(inner) else inner
        solved = scipy.linalg.cho_solve((lower, True), right, check_finite=False) if len(inner) else right
        left = self.outer - right.T @ solved
        information, score = left[:width, :width], left[:width, width]
        inverse = np.linalg.inv(information)
        coefficients = inverse @ score
        return LinearPoint(
            2 * float(np.sum(np.log(np.diag(lower)))),
            float(np.linalg.slogdet(information)[1]) if width else 0.0,
            float(left[width, width] - score @ coefficients),
            coefficients,
            inverse,
            solved[:, width] - solved[:, :width] @ coefficients,
            half,
            lower,
            solved[:, :width],
        )

    def _multiply(self, factors: list[Floats], matrix: Floats) -> Floats:
        """Return Λᵀ times a matrix, block by block."""
        pieces = [np.zeros((0, matrix.shape[1]))]
        for place, factor in enumerate(factors):
            held = matrix[self.problem.offsets[place] : self.problem.offsets[place + 1]]
            shaped = held.reshape(-1, len(factor), matrix.shape[1])
            pieces.append(np.einsum("ab,lac->lbc", factor, shaped).reshape(held.shape))
        return np.concatenate(pieces)

    def criterion(self, theta: Floats) -> tuple[float, Floats]:
        """Return −2 log-likelihood (restricted under REML) of the response as the user gave it, and its gradient."""
        point = self.at(theta)
        if point.rest < NOTHING * self.problem.n:
            raise UserError(
                "The random effects explain the response without rest: it does not vary within the levels of a group.",
                remedy="Leave out the group in whose levels the response never varies, or use one row for each level.",
            )
        log = point.random_log + (point.fixed_log + 2 * self.log_triangle if self.reml else 0.0)
        spread = math.log(2 * math.pi * point.rest / self.freedom) + 2 * math.log(self.scale)
        return log + self.freedom * (1.0 + spread), self._gradient(point)

    def _gradient(self, point: LinearPoint) -> Floats:
        """Differentiate both determinants and the residual sum of squares in the blocks of Λ."""
        if not self.problem.size:
            return np.zeros(0)
        width = self.problem.width
        inverse = np.tril(scipy.linalg.lapack.dpotri(point.lower, lower=1)[0])
        inverse = inverse + np.tril(inverse, -1).T
        left = self.cross[:, width] - self.cross[:, :width] @ point.coefficients - point.half.T @ point.unit
        spread = (self.cross[:, :width] - point.half.T @ point.solved) @ point.inverse
        pieces = []
        for place, term in enumerate(self.problem.terms):
            held = slice(self.problem.offsets[place], self.problem.offsets[place + 1])
            shape = (-1, len(term.levels), term.width)
            whole = np.einsum("kla,klb->ab", point.half[:, held].reshape(shape), inverse[:, held].reshape(shape))
            rest = left[held].reshape(shape[1:]).T @ point.unit[held].reshape(shape[1:])
            whole = whole - self.freedom / point.rest * rest
            if self.reml:
                blocks = (*shape[1:], width)
                whole = whole - np.einsum(
                    "lak,lbk->ab", spread[held].reshape(blocks), point.solved[held].reshape(blocks)
                )
            pieces.append(2 * whole[np.tril_indices(term.width)])
        return np.concatenate(pieces)

    def variance(self, point: LinearPoint) -> float:
        """Return the residual variance in the user's unit."""
        return point.rest / self.freedom * self.scale**2

    def freedoms(self, theta: Floats, contrasts: Floats) -> Floats:
        """Return Satterthwaite's degrees of freedom of each row of `contrasts` (in coefficients of Q)."""
        centre = self.at(theta)
        variance = centre.rest / self.freedom
        spread, slopes = self._variance_parameters(theta, contrasts, variance)
        squared = variance * np.einsum("ci,ij,cj->c", contrasts, centre.inverse, contrasts)
        uncertain = np.einsum("ci,ij,cj->c", slopes, spread, slopes)
        with np.errstate(divide="ignore"):
            return np.asarray(2 * squared**2 / uncertain)

    def _variance_parameters(self, theta: Floats, contrasts: Floats, variance: float) -> tuple[Floats, Floats]:
        """Return the covariance of (theta, log σ²), and the slope of each squared error in them."""
        count = len(theta)
        logs, rests, squares = {}, {}, {}

        def look(*moves: tuple[int, float]) -> tuple[tuple[int, float], ...]:
            key = tuple(sorted(moves))
            if key not in logs:
                other = theta.copy()
                for place, step in moves:
                    other[place] += step
                point = self.at(other)
                logs[key] = point.random_log + (point.fixed_log if self.reml else 0.0)
                rests[key] = point.rest
                squares[key] = variance * np.einsum("ci,ij,cj->c", contrasts, point.inverse, contrasts)
            return key

        curvature = np.zeros((count + 1, count + 1))
        slopes = np.zeros((len(contrasts), count + 1))
        middle = look()

        def value(key: tuple[tuple[int, float], ...]) -> float:
            return logs[key] + rests[key] / variance

        for one in range(count):
            up, down = look((one, STEP)), look((one, -STEP))
            curvature[one, one] = (value(up) - 2 * value(middle) + value(down)) / STEP**2
            curvature[one, count] = curvature[count, one] = -(rests[up] - rests[down]) / (2 * STEP) / variance
            slopes[:, one] = (squares[up] - squares[down]) / (2 * STEP)
            for other in range(one):
                corners = [look((one, a * STEP), (other, b * STEP)) for a, b in ((1, 1), (-1, -1), (1, -1), (-1, 1))]
                mixed = value(corners[0]) + value(corners[1]) - value(corners[2]) - value(corners[3])
                curvature[one, other] = curvature[other, one] = mixed / (4 * STEP**2)
        curvature[count, count] = rests[middle] / variance
        slopes[:, count] = squares[middle]
        return 2 * _inverse_of_curved(curvature), slopes


def _inverse_of_curved(curvature: Floats) -> Floats:
    """Invert in the directions in which the criterion curves upwards."""
    values, vectors = np.linalg.eigh(curvature)
    kept = values > FLAT * values.max()
    return np.asarray((vectors[:, kept] / values[kept]) @ vectors[:, kept].T)
