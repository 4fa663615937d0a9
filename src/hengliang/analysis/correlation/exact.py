"""How likely is each value of a rank correlation when all orders are equally likely?"""

from __future__ import annotations

from functools import cache
from itertools import permutations

import numpy as np

from hengliang.analysis.resampling import Floats, Integers

MOST_FOR_SPEARMAN = 12
"""Up to so many observations the distribution of Spearman's ρ is counted out."""

MOST_FOR_KENDALL_TIES = 8
"""Up to so many observations with ties the orders are gone through one by one for Kendall's τ."""


def product_counts(first: Integers, second: Integers) -> tuple[Integers, Floats]:
    """Return each value that Σ first · permuted second can take, and in how many of the n! orders it does.

    Values are placed one by one, and only which of `second` are used up matters for the rest: 2ⁿ states, not n! orders.
    Both hold whole numbers from 0 on.
    """
    largest = int(np.sort(first) @ np.sort(second))
    layer = {0: np.eye(1, largest + 1)[0]}
    for factor in first.tolist():
        following: dict[int, Floats] = {}
        for used, counts in layer.items():
            for free, other in enumerate(second.tolist()):
                if not used >> free & 1:
                    step = factor * other
                    held = following.setdefault(used | 1 << free, np.zeros(largest + 1))
                    held[step:] += counts[: largest + 1 - step]
        layer = following
    (counts,) = layer.values()
    values = np.flatnonzero(counts)
    return values, counts[values]


@cache
def inversion_counts(n: int) -> tuple[int, ...]:
    """Return how many orders of n different things have 0, 1, 2, … pairs the wrong way round."""
    counts = [1]
    for size in range(2, n + 1):
        running, longer = 0, []
        for place in range(len(counts) + size - 1):
            running += counts[place] if place < len(counts) else 0
            running -= counts[place - size] if place >= size else 0
            longer.append(running)
        counts = longer
    return tuple(counts)


def concordance_counts(x: Floats, y: Floats) -> tuple[Integers, Floats]:
    """Return each value of concordant minus discordant pairs and how many orders of `y` give it, ties included."""
    first, second = np.triu_indices(len(x), 1)
    signs = np.sign(x[first] - x[second])
    orders = y[np.array(list(permutations(range(len(y)))))]
    scores = (signs * np.sign(orders[:, first] - orders[:, second])).sum(axis=1).astype(np.int64)
    values, counts = np.unique(scores, return_counts=True)
    return values, counts.astype(np.float64)


def tail_probability(values: Floats, counts: Floats, observed: float, centre: float, alternative: str) -> float:
    """Return p: the share of orders as far up, as far down, or as far from the centre on either side."""
    slack = 1e-9 * max(1.0, abs(observed), abs(centre))
    if alternative == "greater":
        extreme = values >= observed - slack
    elif alternative == "less":
        extreme = values <= observed + slack
    else:
        extreme = np.abs(values - centre) >= abs(observed - centre) - slack
    return float(counts[extreme].sum() / counts.sum())
