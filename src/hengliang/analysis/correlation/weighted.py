"""What is a correlation when some observations count twice and others not at all?

The bootstrap asks this thousands of times: each function takes a (draws × observations) table of weights and gives the
coefficient of every draw. A weight of two is the same as the observation written twice. A draw in which a side does not
vary has no coefficient and gives NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import scipy

from hengliang.analysis.crossed_resampling import Way, percentile_intervals, row_weights, widest_ways
from hengliang.analysis.resampling import Floats, Integers, Intervals, Resampling
from hengliang.core.errors import UserError
from hengliang.core.linear_algebra import on_one_thread

Weighted = Callable[[Floats, Floats, Floats], Floats]
"""From two columns and a table of weights to the coefficient of every row of weights."""

ROUNDING = 1e-12
"""A variation below this share of its usual size is rounding, and the side is constant."""
MOST_FOR_KENDALL = 2000
"""Kendall's τ compares all pairs; beyond this the bootstrap would take minutes."""


def weighted_pearson(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Return Pearson's r of every row of weights.

    `x` and `y` are columns of observations, or tables with such a column in each row: the result then has a row a row
    of weights and a column a pair of rows.
    """
    # Centred first: sums of squares of large numbers would lose the digits that matter.
    u, v = (_centred(values) for values in (x, y))
    n = weights.sum(axis=1) if u.ndim == v.ndim == 1 else weights.sum(axis=1, keepdims=True)
    su, sv, suu, svv, suv = (weights @ values.T for values in (u, v, u * u, v * v, u * v))
    scales = [n**2 * (values * values).mean(axis=-1) for values in (u, v)]
    return _ratio(n * suv - su * sv, (n * suu - su**2, n * svv - sv**2), scales)


def _centred(values: Floats) -> Floats:
    """Return the deviations from the mean in units of the largest: products of probabilities of 1e-90 would be 0."""
    deviations = values - values.mean(axis=-1, keepdims=True)
    largest = np.abs(deviations).max(axis=-1, keepdims=True)
    scaled: Floats = deviations / np.where(largest > 0, largest, 1.0)
    return scaled


def weighted_spearman(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Return Spearman's ρ of every row of weights: r of the ranks within the draw, ties at their middle."""
    u, v = weighted_ranks(x, weights), weighted_ranks(y, weights)
    n = weights.sum(axis=1)
    middle = (n / 2)[:, None]
    u, v = u - middle, v - middle
    products = (weights * u * v).sum(axis=1)
    return _ratio(products, ((weights * u * u).sum(axis=1), (weights * v * v).sum(axis=1)), (n**3, n**3))


def weighted_ranks(values: Floats, weights: Floats) -> Floats:
    """Return the middle rank, less one half, that each observation has in each draw."""
    codes: Integers = scipy.stats.rankdata(values, method="dense").astype(np.int64) - 1
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(codes.max() + 1))
    sizes = np.add.reduceat(weights[:, order], starts, axis=1)
    middles = np.cumsum(sizes, axis=1) - sizes / 2
    ranks: Floats = middles[:, codes]
    return ranks


def weighted_kendall(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Return Kendall's τ-b of every row of weights."""
    if len(x) > MOST_FOR_KENDALL:
        raise UserError(
            f"The bootstrap of Kendall's τ over {len(x)} observations compares too many pairs.",
            valid=f"Up to {MOST_FOR_KENDALL} observations.",
            remedy="Use interval='fieller', or Spearman's ρ.",
        )
    signs = np.sign(x[:, None] - x), np.sign(y[:, None] - y)
    concordance, of_x, of_y = (
        ((weights @ table) * weights).sum(axis=1) for table in (signs[0] * signs[1], np.abs(signs[0]), np.abs(signs[1]))
    )
    pairs = weights.sum(axis=1) ** 2
    return _ratio(concordance, (of_x, of_y), (pairs, pairs))


def _ratio(product: Floats, squares: Sequence[Floats], scales: Sequence[Floats]) -> Floats:
    """Return product / √(first · second); NaN where a side has no variation beyond rounding."""
    varies = np.logical_and(*(square > ROUNDING * scale for square, scale in zip(squares, scales, strict=True)))
    result = np.full_like(product, np.nan)
    np.divide(product, np.sqrt(np.where(varies, squares[0] * squares[1], 1.0)), out=result, where=varies)
    return np.clip(result, -1.0, 1.0)


@on_one_thread
def bootstrap_coefficient(
    coefficient: Weighted, x: Floats, y: Floats, ways: Sequence[Way], resampling: Resampling
) -> Intervals:
    """Return a coefficient with its interval from observations, items, raters, or both of these, drawn anew."""
    resampling.check()
    used = widest_ways(ways) or (Way("observation", np.arange(len(x)), len(x)),)
    value = coefficient(x, y, np.ones((1, len(x))))
    fewest = min(way.levels for way in used)
    if fewest < 2:
        return Intervals(value, np.array([np.nan]), np.array([np.nan]), fewest, 0)
    weights = row_weights(used, resampling.draws, resampling.seed)
    drawn = np.concatenate([coefficient(x, y, weight) for weight in weights])
    return percentile_intervals(value, drawn[:, None], resampling.level, fewest)
