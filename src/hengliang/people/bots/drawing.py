"""What is drawn at random, so that it never depends on who asks first?

Every draw has a name: the seed and what it is about. The same name gives the same number on every machine, in whatever
order requests reach a server, so a simulation can be repeated although its participants overlap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import TypeVar

from hengliang.core.signature import number_of

Thing = TypeVar("Thing")
_NORMAL = NormalDist()
_MANY = 2.0**64


def uniform(*name: object) -> float:
    """Return a number between 0 and 1, never one of them."""
    # The last bits are lost in a float; halves keep both ends away.
    drawn = (number_of("\x1f".join(map(str, name))) + 0.5) / _MANY
    return min(drawn, math.nextafter(1.0, 0.0))


def normal(*name: object) -> float:
    """Return a draw from the standard normal distribution."""
    return _NORMAL.inv_cdf(uniform(*name))


def logistic_of(drawn: float) -> float:
    """Turn a standard normal draw into a standard logistic one."""
    below = min(max(_NORMAL.cdf(drawn), 1e-300), math.nextafter(1.0, 0.0))
    return math.log(below / (1.0 - below))


def lognormal(median: float, spread: float, *name: object) -> float:
    """Return a draw whose logarithm is normal."""
    return median * math.exp(spread * normal(*name))


def exponential(mean: float, *name: object) -> float:
    """Return a draw from the exponential distribution."""
    return -mean * math.log(uniform(*name))


def happens(share: float, *name: object) -> bool:
    """Return whether something of this probability happens."""
    return uniform(*name) < share


def chosen(among: Sequence[Thing], weights: Sequence[float], *name: object) -> Thing:
    """Return one of several things, each with a probability in proportion to its weight."""
    left = uniform(*name) * sum(weights)
    for thing, weight in zip(among, weights, strict=True):
        left -= weight
        if left < 0:
            return thing
    return among[-1]
