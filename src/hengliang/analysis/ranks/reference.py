"""How likely is a rank sum at least as far out, if nothing but chance were at work?

Exact probabilities count all ways in which signs could have fallen, or values could have been shared out, given the
ranks that were observed. Ties and zeros are therefore no obstacle: ranks are doubled so that mean ranks are whole
numbers, and the ways are counted by adding one rank after the other.
"""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from hengliang.core.errors import UserError

Floats = NDArray[np.float64]

METHODS = ("exact", "asymptotic", "auto", "auto-r", "auto-scipy")
"""How p is had; the last three decide by sample size and ties: our way, that of R, that of SciPy."""
SMALL = 50
"""Up to how many ranked observations `auto` counts exactly."""
MOST_SIGNS = 500
MOST_STEPS = 400_000_000


def normal_p(deviation: float, error: float, alternative: str, correction: bool) -> tuple[float, float]:
    """Return z and p of a deviation from the expected rank sum; the correction takes ½ off towards the expectation."""
    if correction:
        deviation -= {"greater": 0.5, "less": -0.5}.get(alternative, 0.5 * float(np.sign(deviation)))
    z = deviation / error
    if alternative == "greater":
        return z, float(scipy.stats.norm.sf(z))
    if alternative == "less":
        return z, float(scipy.stats.norm.cdf(z))
    return z, min(1.0, 2 * float(scipy.stats.norm.sf(abs(z))))


def exact_p(probabilities: Floats, observed: int, alternative: str) -> float:
    """Return p of an observed place in a distribution; the two-sided one is twice the smaller tail."""
    greater, less = float(probabilities[observed:].sum()), float(probabilities[: observed + 1].sum())
    if alternative == "greater":
        return min(1.0, greater)
    if alternative == "less":
        return min(1.0, less)
    return min(1.0, 2 * min(greater, less))


def signed_rank_p(ranks: Floats, positive: NDArray[np.bool_], alternative: str) -> float:
    """Return the exact p of the sum of positive ranks under all ways to give the ranks a sign."""
    if len(ranks) > MOST_SIGNS:
        raise UserError(
            f"Exact probabilities are counted for up to {MOST_SIGNS} differences, not {len(ranks)}.",
            remedy="Use method='asymptotic', which is as good here.",
        )
    whole = _whole(ranks)
    probabilities = np.ones(1)
    for rank in whole:
        longer = np.zeros(len(probabilities) + rank)
        longer[: len(probabilities)] = 0.5 * probabilities
        longer[rank:] += 0.5 * probabilities
        probabilities = longer
    return exact_p(probabilities, int(whole[positive].sum()), alternative)


def rank_sum_p(ranks: Floats, n_first: int, alternative: str) -> float:
    """Return the exact p of the sum of the first `n_first` ranks under all ways to choose as many of them."""
    n_second = len(ranks) - n_first
    if n_first > n_second:
        mirrored = {"greater": "less", "less": "greater"}.get(alternative, alternative)
        return rank_sum_p(np.roll(ranks, n_second), n_second, mirrored)
    whole = _whole(ranks)
    size = int(np.sort(whole)[n_second:].sum()) + 1
    if len(ranks) * n_first * size > MOST_STEPS:
        raise UserError(
            f"Exact probabilities for samples of {n_first} and {n_second} would take too long.",
            remedy="Use method='asymptotic', which is as good here.",
        )
    ways = np.zeros((n_first + 1, size))
    ways[0, 0] = 1
    for rank in whole:
        # numpy copies the right side first, so that no rank is taken twice.
        ways[1:, rank:] += ways[:-1, : size - rank]
    probabilities = ways[n_first] / ways[n_first].sum()
    return exact_p(probabilities, int(whole[:n_first].sum()), alternative)


def _whole(ranks: Floats) -> NDArray[np.int64]:
    """Double mean ranks to whole numbers, and halve again where none is between two."""
    doubled = np.round(2 * ranks).astype(np.int64)
    whole: NDArray[np.int64] = doubled // max(1, int(np.gcd.reduce(doubled)))
    return whole
