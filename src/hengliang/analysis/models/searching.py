"""Where is the criterion of a mixed model lowest?

The deviations in `theta` are searched without bounds: the criterion does not change when a column of Λ changes its
sign, so that a variance of zero is an ordinary minimum, while a search along a bound could stop at a zero that is none
(there the slope is zero, too). What comes out near zero is tried again from further away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from hengliang.analysis.models.design import Floats, Integers
from hengliang.analysis.models.problem import Problem

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
    for place in diagonal[np.abs(best.parameters[diagonal]) < SMALL]:
        moved = best.parameters.copy()
        moved[place] = AGAIN
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
        found = scipy.optimize.minimize(
            criterion,
            best,
            jac=True,
            method="L-BFGS-B",
            options={"ftol": 1e-15, "gtol": 1e-6, "maxiter": 1000, "maxcor": 20},
        )
        moved = float(np.max(np.abs(found.x - best)))
        best = np.asarray(found.x)
        if moved < 1e-7:
            break
    value, slope = criterion(best)
    return Found(best, value, bool(np.max(np.abs(slope)) < SLOPE))


def _settle(criterion: Criterion, diagonal: Integers, found: Found) -> Found:
    """Put deviations that cannot be told from zero to zero."""
    settled = found.parameters.copy()
    for place in diagonal:
        if 0 < abs(settled[place]) < 1e-4:
            tried = settled.copy()
            tried[place] = 0.0
            if criterion(tried)[0] <= found.criterion + 1e-7:
                settled = tried
    return Found(settled, criterion(settled)[0], found.converged)
