"""Linear mixed models: profiled deviance (ML and REML) and Satterthwaite's degrees of freedom.

The deviance is profiled over coefficients and residual variance [1]. Degrees of freedom follow Satterthwaite's
approximation as lmerTest computes it [2]: from the curvature of the criterion in the variance parameters and the slope
of each squared standard error in them.

[1] Bates, D., Mächler, M., Bolker, B. and Walker, S. (2015). Fitting linear mixed-effects models using lme4. Journal of
    Statistical Software 67(1), section 3.
[2] Kuznetsova, A., Brockhoff, P. B. and Christensen, R. H. B. (2017). lmerTest package: tests in linear mixed effects
    models. Journal of Statistical Software 82(13).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hengliang.core.errors import UserError
from hengliang.statistics.models.design import Floats
from hengliang.statistics.models.ordinal.laplace import Factor, factorise
from hengliang.statistics.models.problem import Problem

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
    squares; `inverse` times the residual variance is the covariance of the coefficients of Q; `unit` the modes of u,
    term after term. The last four serve the gradient: Λ by block, A = ΛᵀZᵀZΛ + I taken apart, and, block after block,
    the modes and A⁻¹ΛᵀZᵀQ.
    """

    random_log: float
    fixed_log: float
    rest: float
    coefficients: Floats
    inverse: Floats
    unit: Floats
    factors: tuple[Floats, ...]
    factor: Factor | None
    modes: Floats
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
        self.structure = problem.structure()
        self.moments = self.structure.moments(np.ones(problem.n))
        self.cross = [np.stack([block.sums(column) for column in self.both.T], -1) for block in self.structure.blocks]
        self.outer = self.both.T @ self.both
        self.log_triangle = float(np.sum(np.log(np.abs(np.diag(problem.triangle)))))

    @property
    def freedom(self) -> int:
        """How many observations the residual variance rests on."""
        return self.problem.n - (self.problem.width if self.reml else 0)

    def at(self, theta: Floats) -> LinearPoint:
        """Solve the penalised least-squares problem at `theta`."""
        width, structure = self.problem.width, self.structure
        factors = structure.factors(self.problem.factors(theta))
        factor = factorise(structure, self.moments, factors) if structure.size else None
        blocks = zip(structure.blocks, factors, self.cross, strict=True)
        pieces = [(own.T @ cross).reshape(block.size, width + 1) for block, own, cross in blocks]
        right = np.concatenate([np.zeros((0, width + 1)), *pieces])
        solved = np.stack([factor.solve(column) for column in right.T], axis=1) if factor else right
        left = self.outer - right.T @ solved
        information, score = left[:width, :width], left[:width, width]
        inverse = np.linalg.inv(information)
        coefficients = inverse @ score
        modes = solved[:, width] - solved[:, :width] @ coefficients
        return LinearPoint(
            factor.log_determinant if factor else 0.0,
            float(np.linalg.slogdet(information)[1]) if width else 0.0,
            float(left[width, width] - score @ coefficients),
            coefficients,
            inverse,
            structure.by_term(modes),
            factors,
            factor,
            modes,
            solved[:, :width],
        )

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
        if point.factor is None:
            return np.zeros(0)
        structure, fixed = self.structure, self.problem.fixed
        by_block = structure.slopes_of_determinant(point.factors, self.moments, point.factor.inverse())
        residual = self.response - fixed @ point.coefficients - structure.shift(point.factors, point.modes)
        modes = structure.by_block(point.modes)
        for index, block in enumerate(structure.blocks):
            by_block[index] = by_block[index] - self.freedom / point.rest * (block.sums(residual).T @ modes[index])
        for column, direction in zip(point.solved.T, point.inverse.T, strict=True) if self.reml else ():
            # Σ over the coefficients of what their covariance does to what A leaves of the fixed columns.
            left = fixed @ direction - structure.shift(point.factors, point.solved @ direction)
            solved = structure.by_block(column)
            for index, block in enumerate(structure.blocks):
                by_block[index] = by_block[index] - block.sums(left).T @ solved[index]
        return np.concatenate([2 * entries for entries in structure.entries(by_block)])

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
                for index, step in moves:
                    other[index] += step
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
