"""How probable is a category between two thresholds, and how does that change when they move?

A category lies between an upper and a lower point on the latent scale: p = F(upper) − F(lower), with F logistic or
normal. The fit needs log p and its derivatives where both differences and tails are tiny, so nothing here subtracts
two probabilities. Write D for the derivative when both points move together; the linear predictor moves them by −1.
For the logistic F, log p splits into log F(upper) + log(1 − F(lower)) + a function of the distance, which D does not
see: its derivatives are then plain logistic densities.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import scipy

from hengliang.analysis.models.design import Floats

LinkName = Literal["logit", "probit"]

_LOG_ROOT_TWO_PI = 0.5 * math.log(2 * math.pi)
_NARROW = 1e-5
"""Below this width a normal interval is its height in the middle times its width, to better than 1e-16."""


@dataclass(frozen=True, slots=True)
class Slopes:
    """How log p changes with the two points.

    `upper` and `lower` are the derivatives by each point; `upper_1`, `upper_2` are D and D² of `upper`, and the same
    for `lower`.
    """

    upper: Floats
    lower: Floats
    upper_1: Floats
    lower_1: Floats
    upper_2: Floats
    lower_2: Floats


@dataclass(frozen=True, slots=True)
class Curvature:
    """The second derivatives of log p by the two points."""

    upper_upper: Floats
    upper_lower: Floats
    lower_lower: Floats


class Link(Protocol):
    """A distribution function on the latent scale; all functions take the upper and the lower points."""

    @property
    def name(self) -> LinkName:
        """What the link is called."""
        ...

    @property
    def spread(self) -> float:
        """The variance of the latent error."""
        ...

    def cumulative(self, point: Floats) -> Floats:
        """Return F."""
        ...

    def log_probability(self, upper: Floats, lower: Floats) -> Floats:
        """Return log p; the upper points lie above the lower ones."""
        ...

    def common(self, upper: Floats, lower: Floats) -> tuple[Floats, Floats]:
        """Return D log p, and the weight −D² log p, which is not negative."""
        ...

    def slopes(self, upper: Floats, lower: Floats) -> Slopes:
        """Return what a gradient of the Laplace approximation needs."""
        ...

    def curvature(self, upper: Floats, lower: Floats) -> Curvature:
        """Return what the Hessian of a model without random effects needs."""
        ...


@dataclass(frozen=True, slots=True)
class Logit:
    """The logistic distribution: coefficients are log odds ratios."""

    name: LinkName = "logit"
    spread: float = math.pi**2 / 3

    def cumulative(self, point: Floats) -> Floats:
        """Return F."""
        return np.asarray(scipy.special.expit(point))

    def log_probability(self, upper: Floats, lower: Floats) -> Floats:
        """Return log p."""
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            distance = np.log(-np.expm1(lower - upper))
        return np.asarray(scipy.special.log_expit(upper) + scipy.special.log_expit(-lower) + distance)

    def common(self, upper: Floats, lower: Floats) -> tuple[Floats, Floats]:
        """Return D log p and the weight."""
        above, below = scipy.special.expit(-upper), scipy.special.expit(lower)
        return above - below, above * (1 - above) + below * (1 - below)

    def slopes(self, upper: Floats, lower: Floats) -> Slopes:
        """Return the derivatives by each point, and D and D² of them."""
        above, below = scipy.special.expit(-upper), scipy.special.expit(lower)
        with np.errstate(over="ignore"):
            distance = 1 / np.expm1(upper - lower)
        density_above, density_below = above * (1 - above), below * (1 - below)
        return Slopes(
            above + distance,
            -below - distance,
            -density_above,
            -density_below,
            density_above * (1 - 2 * above),
            -density_below * (1 - 2 * below),
        )

    def curvature(self, upper: Floats, lower: Floats) -> Curvature:
        """Return the second derivatives."""
        above, below = scipy.special.expit(-upper), scipy.special.expit(lower)
        # cosh − 1 = 2 sinh²(x/2): this form neither overflows early nor cancels at a small distance.
        with np.errstate(over="ignore"):
            distance = 0.25 / np.sinh(0.5 * (upper - lower)) ** 2
        return Curvature(-above * (1 - above) - distance, distance, -below * (1 - below) - distance)


@dataclass(frozen=True, slots=True)
class Probit:
    """The normal distribution: coefficients are in standard deviations of the latent scale."""

    name: LinkName = "probit"
    spread: float = 1.0

    def cumulative(self, point: Floats) -> Floats:
        """Return F."""
        return np.asarray(scipy.special.ndtr(point))

    def log_probability(self, upper: Floats, lower: Floats) -> Floats:
        """Return log p."""
        # The interval is mirrored into the lower tail, where the logarithm of F keeps all its digits.
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            mirror = lower > -upper
            high = np.where(mirror, -lower, upper)
            log_high, log_low = scipy.special.log_ndtr(high), scipy.special.log_ndtr(np.where(mirror, -upper, lower))
            wide = log_high + np.log(-np.expm1(log_low - log_high))
            width = upper - lower
            middle = 0.5 * (upper + lower)
            narrow = -0.5 * middle**2 - _LOG_ROOT_TWO_PI + np.log(width) + np.log1p(width**2 * (middle**2 - 1) / 24)
            return np.where(width < _NARROW, narrow, wide)

    def common(self, upper: Floats, lower: Floats) -> tuple[Floats, Floats]:
        """Return D log p and the weight."""
        above, below, rate_above, rate_below = self._densities(upper, lower)
        first = above + below
        return first, np.maximum(first * first - above * rate_above - below * rate_below, 0.0)

    def slopes(self, upper: Floats, lower: Floats) -> Slopes:
        """Return the derivatives by each point, and D and D² of them."""
        above, below, rate_above, rate_below = self._densities(upper, lower)
        first = above + below
        above_1, below_1 = above * (rate_above - first), below * (rate_below - first)
        second = above_1 + below_1
        return Slopes(
            above,
            below,
            above_1,
            below_1,
            above_1 * (rate_above - first) - above * (1 + second),
            below_1 * (rate_below - first) - below * (1 + second),
        )

    def curvature(self, upper: Floats, lower: Floats) -> Curvature:
        """Return the second derivatives."""
        above, below, rate_above, rate_below = self._densities(upper, lower)
        return Curvature(above * (rate_above - above), -above * below, below * (rate_below - below))

    def _densities(self, upper: Floats, lower: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the densities at both points over p (the lower with a minus), and minus the points where finite."""
        log_p = self.log_probability(upper, lower)
        with np.errstate(over="ignore", invalid="ignore"):
            above = np.exp(-0.5 * upper * upper - _LOG_ROOT_TWO_PI - log_p)
            below = -np.exp(-0.5 * lower * lower - _LOG_ROOT_TWO_PI - log_p)
        return above, below, np.where(np.isinf(upper), 0.0, -upper), np.where(np.isinf(lower), 0.0, -lower)


LINKS: dict[str, Link] = {"logit": Logit(), "probit": Probit()}
