"""How likely is a range of means as large as this one, far out in the tail too?

The studentized range is the range of `groups` standard normal values over an independent estimate of their standard
deviation with `df` degrees of freedom [1]. Other implementations take 1 minus the probability below, which loses all
digits near 1e-14. Here the probability above is integrated itself, so that its relative error stays small:

    P(range > w) = k ∫ φ(z) Φ(z)^(k−1) {1 − [1 − Φ(z − w)/Φ(z)]^(k−1)} dz,

and this over the distribution of the standard deviation. Both integrals are trapezoid sums over an analytic function
that vanishes on both sides, which converge exponentially [2].

[1] Copenhaver, M., Holland, B. (1988). Computation of the distribution of the maximum studentized range statistic.
    Journal of Statistical Computation and Simulation 30.
[2] Trefethen, L., Weideman, J. (2014). The exponentially convergent trapezoidal rule. SIAM Review 56.
"""

from __future__ import annotations

import math

import numpy as np
import scipy
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_STEP, _REACH = 0.125, 11.0


def range_survival(width: Floats, groups: int) -> Floats:
    """Return the probability that the range of `groups` standard normal values exceeds each width."""
    # The integrand has its bulk around w/2 when w is large, and around the largest of the values when it is small.
    z = width[:, None] / 2 + np.arange(-_REACH, _REACH + _STEP, _STEP)
    below = scipy.special.log_ndtr(z)
    ratio = np.exp(np.minimum(scipy.special.log_ndtr(z - width[:, None]) - below, 0.0))
    log_density = -0.5 * z**2 - 0.5 * math.log(2 * math.pi)
    with np.errstate(divide="ignore"):
        chance = -np.expm1((groups - 1) * np.log1p(-ratio))
    sums: Floats = groups * _STEP * (np.exp(log_density + (groups - 1) * below) * chance).sum(axis=1)
    return np.minimum(sums, 1.0)


def survival(q: float, groups: int, df: float) -> float:
    """Return the probability that the studentized range exceeds q.

    With two groups it is the two-sided p of t = q/√2.
    """
    if q <= 0:
        return 1.0
    if math.isinf(df):
        return float(range_survival(np.array([q]), groups)[0])
    if groups * (groups - 1) * scipy.stats.t.sf(q / math.sqrt(2), df) == 0:
        return 0.0  # what bounds it from above (all pairs of groups) is below the smallest number already
    # u = ln s. Between 0 and `mode` lies the peak of the integrand: near 0 for small q, near `mode` far out. The step
    # must resolve the peak, and for few degrees of freedom the strip of π/4 in which the integrand stays tame.
    mode, width = -0.5 * math.log1p(q * q / (2 * df)), 1 / math.sqrt(2 * df)
    step = min(width / 2, 0.12)
    u = np.arange(mode - 9 * width - 40 / df, 9 * width + step, step)
    density = np.exp(df * (u - 0.5 * np.expm1(2 * u)))
    return min(float((density * range_survival(q * np.exp(u), groups)).sum() / density.sum()), 1.0)


def critical_value(probability: float, groups: int, df: float) -> float:
    """Return the q that the studentized range exceeds with this probability."""

    def excess(q: float) -> float:
        return math.log(survival(q, groups, df)) - math.log(probability)

    # With two groups q is √2 t. More groups need more, but no more than all pairs one by one (Bonferroni).
    low = math.sqrt(2) * float(scipy.stats.t.isf(probability / 2, df))
    high = math.sqrt(2) * float(scipy.stats.t.isf(probability / (groups * (groups - 1)), df))
    return low if groups == 2 else float(scipy.optimize.brentq(excess, low, high, xtol=1e-12, rtol=1e-13))
