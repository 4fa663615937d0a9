"""Which noncentralities agree with a statistic that was observed?

An interval of an effect size is often an interval of the noncentrality of χ², F or t, brought to another scale [1].
Its bounds are the noncentralities under which the statistic lies just at either tail. Those of χ² and F cannot be
negative: a bound that would be is 0.

[1] Smithson, M. (2003). Confidence intervals. Sage.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import scipy

from hengliang.core.errors import Failure, UserError

Bounds = tuple[float, float]


def check_level(level: float) -> None:
    """Refuse a level of an interval that is no probability."""
    if not 0 < level < 1:
        raise UserError(f"level = {level} is no level of an interval.", valid="0 < level < 1, for example 0.95.")


def _chi_squared_below(noncentrality: float, chi_squared: float, df: float) -> float:
    return float(scipy.stats.ncx2.cdf(chi_squared, df, noncentrality))


def _f_below(noncentrality: float, f: float, df1: float, df2: float) -> float:
    return float(scipy.stats.ncf.cdf(f, df1, df2, noncentrality))


def _t_below(noncentrality: float, t: float, df: float) -> float:
    share = float(scipy.stats.nct.cdf(t, df, noncentrality))
    # SciPy gives no number for some large t with few degrees of freedom.
    return share if math.isfinite(share) else _far_t_below(noncentrality, t, df)


def _far_t_below(noncentrality: float, t: float, df: float) -> float:
    """Return the share below a large positive t: the mean, over normal z, of P(√(χ²/df) ≥ (z + noncentrality)/t)."""
    z = np.linspace(-9.0, 9.0, 3601)
    bound = np.maximum(z + noncentrality, 0.0) / t
    weights = scipy.stats.norm.pdf(z)
    return float((weights * scipy.stats.chi2.sf(df * bound**2, df)).sum() / weights.sum())


def noncentral_chi_squared(chi_squared: float, df: float, level: float = 0.95) -> Bounds:
    """Return the interval of the noncentrality of an observed χ²."""
    return _from_zero(partial(_chi_squared_below, chi_squared=chi_squared, df=df), chi_squared, level)


def noncentral_f(f: float, df1: float, df2: float, level: float = 0.95) -> Bounds:
    """Return the interval of the noncentrality of an observed F."""
    return _from_zero(partial(_f_below, f=f, df1=df1, df2=df2), f * df1, level)


def noncentral_t(t: float, df: float, level: float = 0.95) -> Bounds:
    """Return the interval of the noncentrality of an observed t."""
    check_level(level)
    tail = (1 - level) / 2
    # The left tail of t is computed less exactly than the right one; t and −t are mirror images.
    low, high = (_solve(partial(_t_below, t=abs(t), df=df), abs(t), share) for share in (1 - tail, tail))
    return (low, high) if t >= 0 else (-high, -low)


def _from_zero(below: Callable[[float], float], start: float, level: float) -> Bounds:
    check_level(level)
    tail = (1 - level) / 2
    at_zero = below(0.0)
    low, high = (_solve(below, start, share, floor=0.0) if at_zero > share else 0.0 for share in (1 - tail, tail))
    return low, high


def _solve(below: Callable[[float], float], start: float, share: float, floor: float | None = None) -> float:
    """Find the noncentrality that leaves `share` below the statistic; the share falls as noncentrality grows."""
    step = 1.0 + abs(start) ** 0.5
    low = high = start
    for _ in range(60):
        if below(high) < share:
            break
        high, step = high + step, 2 * step
    step = 1.0 + abs(start) ** 0.5
    for _ in range(60):
        if below(low) > share or low == floor:
            break
        low, step = low - step, 2 * step
        low = low if floor is None else max(floor, low)
    if not below(low) >= share >= below(high):
        raise Failure(f"No interval of the noncentrality was found for the statistic {start:g}.")
    return float(scipy.optimize.brentq(lambda value: below(value) - share, low, high, xtol=1e-12, rtol=1e-13))
