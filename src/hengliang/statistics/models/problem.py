"""Computational form of mixed models: scaled fixed and random effects, and the search for the optimum.

Columns are brought to one scale before anything is fitted, whatever the distribution of the response: the fixed columns
X = QR become Q, each random column is divided by its root mean square. The random effects of a level are b = Λu with u
of unit variance [1]; `theta` holds the lower triangles of the blocks of Λ, row by row, term by term.

[1] Bates, D., Mächler, M., Bolker, B. and Walker, S. (2015). Fitting linear mixed-effects models using lme4. Journal of
    Statistical Software 67(1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy

from hengliang.statistics.models.design import Design, Floats, Integers, RandomTerm
from hengliang.statistics.models.ordinal.laplace import RandomStructure

# --- the scaled problem -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A design on one scale: `fixed` @ `triangle` gives the fixed columns back.

    `offsets` is where the entries of each term begin in u.
    """

    fixed: Floats
    triangle: Floats
    terms: tuple[RandomTerm, ...]
    scales: tuple[Floats, ...]
    offsets: tuple[int, ...]

    @property
    def n(self) -> int:
        """How many observations there are."""
        return len(self.fixed)

    @property
    def width(self) -> int:
        """How many fixed effects there are."""
        return int(self.fixed.shape[1])

    @property
    def size(self) -> int:
        """How many random effects there are, over all levels."""
        return self.offsets[-1]

    @property
    def counts(self) -> tuple[int, ...]:
        """How many parameters of covariance each term has."""
        return tuple(term.width * (term.width + 1) // 2 for term in self.terms)

    @classmethod
    def of(cls, design: Design) -> Problem:
        """Bring a design to one scale."""
        n = design.n
        if design.fixed.shape[1]:
            basis, triangle = np.linalg.qr(design.fixed)
            basis, triangle = basis * np.sqrt(n), triangle / np.sqrt(n)
        else:
            basis, triangle = np.zeros((n, 0)), np.zeros((0, 0))
        scales = tuple(np.sqrt(np.mean(term.columns**2, axis=0)) for term in design.random)
        scales = tuple(np.where(scale > 0, scale, 1.0) for scale in scales)
        offsets = np.cumsum([0, *(len(term.levels) * term.width for term in design.random)])
        return cls(
            basis,
            triangle,
            design.random,
            scales,
            tuple(int(offset) for offset in offsets),
        )

    def factors(self, theta: Floats) -> list[Floats]:
        """Return the block of Λ of each term."""
        blocks, start = [], 0
        for term, count in zip(self.terms, self.counts, strict=True):
            block = np.zeros((term.width, term.width))
            block[np.tril_indices(term.width)] = theta[start : start + count]
            blocks.append(block)
            start += count
        return blocks

    def covariances(self, theta: Floats, variance: float = 1.0) -> list[Floats]:
        """Return the covariance of the random effects of each term, on the scale of the user's columns."""
        blocks = []
        for factor, scale in zip(self.factors(theta), self.scales, strict=True):
            block = factor / scale[:, None]
            blocks.append(variance * block @ block.T)
        return blocks

    def effects(self, theta: Floats, unit: Floats) -> list[Floats]:
        """Return b = Λu of each term on the user's scale: one row per level, one column per effect."""
        effects = []
        for index, (factor, scale) in enumerate(zip(self.factors(theta), self.scales, strict=True)):
            own = unit[self.offsets[index] : self.offsets[index + 1]].reshape(-1, len(scale))
            effects.append(own @ factor.T / scale)
        return effects

    def structure(self) -> RandomStructure:
        """Return the random effects in blocks, the largest first."""
        terms = [
            replace(term, columns=term.columns / scale) for term, scale in zip(self.terms, self.scales, strict=True)
        ]
        return RandomStructure.of(terms, self.n)

    def start(self) -> Floats:
        """Return where a search may begin: Λ as the identity."""
        blocks = [np.eye(term.width)[np.tril_indices(term.width)] for term in self.terms]
        return np.concatenate([np.zeros(0), *blocks])

    def back(self) -> Floats:
        """Return what turns coefficients of Q into coefficients of X."""
        return np.asarray(np.linalg.inv(self.triangle)) if self.width else self.triangle

    def diagonal(self) -> Integers:
        """Return the places of the deviations in `theta`: the diagonals of the blocks."""
        places, start = [np.zeros(0, dtype=np.int64)], 0
        for term, count in zip(self.terms, self.counts, strict=True):
            rows, columns = np.tril_indices(term.width)
            places.append(start + np.flatnonzero(rows == columns))
            start += count
        return np.concatenate(places)

    def upright(self, theta: Floats) -> Floats:
        """Return the same covariances with no negative number on a diagonal: a column of Λ may change its sign."""
        blocks = []
        for block in self.factors(theta):
            turned = block * np.where(np.diag(block) < 0, -1.0, 1.0)
            blocks.append(turned[np.tril_indices(len(turned))])
        return np.concatenate([np.zeros(0), *blocks])


def unscaled(problem: Problem, inverse: Floats) -> Floats:
    """Turn a covariance of the coefficients of Q into that of the coefficients of X."""
    back = problem.back()
    return np.asarray(back @ inverse @ back.T)


# --- minimisation of the criterion ------------------------------------------------------------------------------------
# The deviations in `theta` are searched without bounds: the criterion does not change when a column of Λ changes its
# sign, so that a variance of zero is an ordinary minimum, while a search along a bound could stop at a zero that is not
# a minimum (the slope is zero there, too). What comes out near zero is tried again from further away.

Criterion = Callable[[Floats], tuple[float, Floats]]
"""Gives the value (−2 log-likelihood) and its gradient."""

SMALL = 1e-2
"""A deviation below this, in units of the response's own spread, is tried again from `AGAIN`."""
AGAIN = 0.5
SLOPE = 1e-2
"""A gradient below this in every parameter is flat: the criterion is then off by less than about a millionth."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The best parameters (`theta` first), the criterion there, and whether it is flat there."""

    parameters: Floats
    criterion: float
    converged: bool


def search(criterion: Criterion, problem: Problem, start: Floats) -> Found:
    """Search from `start`, whose first part is `theta`; deviations that come out as zero are tried again."""
    count = sum(problem.counts)
    best = _descend(criterion, start)
    diagonal = problem.diagonal()
    for index in diagonal[np.abs(best.parameters[diagonal]) < SMALL]:
        moved = best.parameters.copy()
        moved[index] = AGAIN
        other = _descend(criterion, moved)
        if other.criterion < best.criterion - 1e-9:
            best = other
    upright = np.concatenate([problem.upright(best.parameters[:count]), best.parameters[count:]])
    return _settle(criterion, diagonal, Found(upright, best.criterion, best.converged))


def _descend(criterion: Criterion, start: Floats) -> Found:
    if not len(start):
        return Found(start, criterion(start)[0], True)
    best = np.asarray(start)
    for _ in range(4):
        # A new run forgets the curvature that the run before gathered far from the optimum.
        run = scipy.optimize.minimize(
            criterion,
            best,
            jac=True,
            method="L-BFGS-B",
            options={"ftol": 1e-15, "gtol": 1e-6, "maxiter": 1000, "maxcor": 20},
        )
        moved = float(np.max(np.abs(run.x - best)))
        best = np.asarray(run.x)
        if moved < 1e-7:
            break
    value, slope = criterion(best)
    return Found(best, value, bool(np.max(np.abs(slope)) < SLOPE))


def _settle(criterion: Criterion, diagonal: Integers, found: Found) -> Found:
    """Set deviations that cannot be distinguished from zero to zero."""
    settled = found.parameters.copy()
    for index in diagonal:
        if 0 < abs(settled[index]) < 1e-4:
            tried = settled.copy()
            tried[index] = 0.0
            if criterion(tried)[0] <= found.criterion + 1e-7:
                settled = tried
    return Found(settled, criterion(settled)[0], found.converged)
