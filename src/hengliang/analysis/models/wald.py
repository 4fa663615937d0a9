"""What are the statistic, p and interval of each coefficient, given its standard error?"""

from __future__ import annotations

import math

import numpy as np
import scipy

from hengliang.analysis.models.design import Floats
from hengliang.analysis.models.results import Coefficient


def coefficients_of(
    names: tuple[str, ...],
    estimates: Floats,
    covariance: Floats,
    freedoms: Floats | None,
    level: float,
    with_p: bool = True,
) -> tuple[Coefficient, ...]:
    """Return each coefficient with a two-sided test: t where `freedoms` are given, else z.

    Without p (`with_p` false) the interval is the normal one and p is NaN.
    """
    table = []
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    for place, (name, estimate, error) in enumerate(zip(names, estimates.tolist(), errors.tolist(), strict=True)):
        df = None if freedoms is None else float(freedoms[place])
        shape = scipy.stats.norm if df is None else scipy.stats.t(df)
        known = error > 0 and math.isfinite(error)
        statistic = estimate / error if known else math.nan
        p = 2 * float(shape.sf(abs(statistic))) if known and with_p else math.nan
        half = float(shape.ppf((1 + level) / 2)) * error if known else math.nan
        table.append(
            Coefficient(
                name, estimate, error if known else math.nan, statistic, p, estimate - half, estimate + half, df
            )
        )
    return tuple(table)


def stars(p: float) -> str:
    """Mark p as tables do: `***` for p ≤ .001, `**` for p ≤ .01, `*` for p ≤ .05.

    >>> stars(0.0004), stars(0.05), stars(0.2)
    ('***', '*', '')
    """
    return "*" * sum(p <= border for border in (0.001, 0.01, 0.05))
