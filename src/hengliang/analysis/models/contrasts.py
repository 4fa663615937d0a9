"""What does a combination of the coefficients of a logistic mixed model come to, and how sure is it?

A question is often about more than one coefficient: the mean of two effects, or an effect at another level of a factor
than the reference. Such a combination is estimated by the same combination of the estimates, its variance follows from
their covariance, and Wald's z tests it. On the scale of odds it is a ratio.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hengliang.analysis.models.mixed import MixedFit
from hengliang.analysis.models.results import Coefficient
from hengliang.analysis.models.wald import coefficients_of
from hengliang.core.errors import UserError, unknown_name


@dataclass(frozen=True, slots=True)
class OddsRatio:
    """A ratio of odds with its interval and the p of the hypothesis that it is 1."""

    value: float
    low: float
    high: float
    p: float


def contrast(fit: MixedFit, weights: Mapping[str, float], name: str = "") -> Coefficient:
    """Return the sum of coefficients, each times its weight, on the scale of log-odds.

    The linear model has degrees of freedom of its own for each coefficient, which do not carry over to a sum.
    """
    if fit.settings.linear:
        raise UserError("A contrast of a linear mixed model has no degrees of freedom here.", valid="family='binomial'")
    if not weights:
        raise UserError("A contrast names no coefficient.", valid=f"Coefficients: {', '.join(fit.design.fixed_names)}.")
    for one in weights:
        if one not in fit.design.fixed_names:
            raise unknown_name("coefficient", one, fit.design.fixed_names)
    row = np.array([weights.get(one, 0.0) for one in fit.design.fixed_names])
    told = name or " + ".join(f"{weight:g} × {one}" for one, weight in weights.items())
    # A coefficient that is not asked for may have no variance, and NaN times 0 would spoil the sum.
    asked = np.flatnonzero(row)
    estimate, variance = row @ fit.coefficients, row[asked] @ fit.covariance[np.ix_(asked, asked)] @ row[asked]
    (found,) = coefficients_of((told,), np.array([estimate]), np.array([[variance]]), None, fit.settings.level)
    return found


def odds_ratio(effect: Coefficient) -> OddsRatio:
    """Return an effect in log-odds as a ratio of odds.

    >>> odds_ratio(Coefficient("b", 0.0, 1.0, 0.0, 1.0, -1.0, 1.0)).value
    1.0
    """
    return OddsRatio(math.exp(effect.estimate), math.exp(effect.low), math.exp(effect.high), effect.p)
