"""Difference of two proportions: score and Wald tests and intervals.

The score method (Miettinen and Nurminen; Farrington and Manning) asks of each possible difference how well the counts
agree with it, with the two shares that fit best under that difference [1, 2]; it holds for small counts and shares near
0 or 1, where Wald's does not.

[1] Miettinen, O., Nurminen, M. (1985). Comparative analysis of two rates. Statistics in Medicine 4.
[2] Farrington, C. P., Manning, G. (1990). Test statistics and sample size formulae for comparative binomial trials with
    null hypothesis of non-zero risk difference or non-unity relative risk. Statistics in Medicine 9.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import scipy

from hengliang.core.errors import UserError
from hengliang.statistics.results import check_choice

METHODS: tuple[str, ...] = ("score", "wald")


@dataclass(frozen=True, slots=True)
class ProportionDifference:
    """The first share less the second, from successes and totals."""

    successes: tuple[int, int]
    totals: tuple[int, int]
    method: str = "score"

    def __post_init__(self) -> None:
        """Refuse counts that cannot be."""
        check_choice("method", self.method, METHODS)
        for successes, total in zip(self.successes, self.totals, strict=True):
            if total < 1 or not 0 <= successes <= total or successes != int(successes) or total != int(total):
                raise UserError(
                    f"{successes} of {total} is no count of successes.",
                    valid="Whole numbers, successes from 0 to the total, totals of 1 or more.",
                )

    @property
    def value(self) -> float:
        """The difference of the shares."""
        first, second = (x / n for x, n in zip(self.successes, self.totals, strict=True))
        return first - second

    def z(self, at: float) -> float:
        """Return by how many standard errors the difference exceeds `at`."""
        first, second = self._restricted(at) if self.method == "score" else self._shares()
        n_x, n_y = self.totals
        error = math.sqrt(first * (1 - first) / n_x + second * (1 - second) / n_y)
        gap = self.value - at
        if error == 0:
            return 0.0 if abs(gap) < 1e-12 else math.copysign(math.inf, gap)
        return gap / error

    def p_value(self, alternative: str = "two-sided", at: float = 0.0) -> float:
        """Return the p of the hypothesis that the difference is `at`."""
        z = self.z(at)
        tails = {"greater": float(scipy.stats.norm.sf(z)), "less": float(scipy.stats.norm.cdf(z))}
        return tails[alternative] if alternative in tails else min(1.0, 2 * float(scipy.stats.norm.sf(abs(z))))

    def interval(self, level: float) -> tuple[float, float]:
        """Return all differences that the counts do not speak against."""
        quantile = float(scipy.stats.norm.isf((1 - level) / 2))
        value = self.value
        if self.method == "wald":
            first, second = self._shares()
            half = quantile * math.sqrt(sum(p * (1 - p) / n for p, n in zip((first, second), self.totals, strict=True)))
            return value - half, value + half
        edge = 1 - 1e-9

        def above(at: float) -> float:
            return self.z(at) - quantile

        def below(at: float) -> float:
            return self.z(at) + quantile

        low = (
            -1.0
            if value <= -edge or above(-edge) <= 0
            else float(scipy.optimize.brentq(above, -edge, value, xtol=1e-12))
        )
        high = (
            1.0 if value >= edge or below(edge) >= 0 else float(scipy.optimize.brentq(below, value, edge, xtol=1e-12))
        )
        return low, high

    def _shares(self) -> tuple[float, float]:
        first, second = (x / n for x, n in zip(self.successes, self.totals, strict=True))
        return first, second

    def _restricted(self, at: float) -> tuple[float, float]:
        """Return the likeliest shares whose difference is `at`: the root of a cubic that lies between 0 and 1."""
        (x, y), (n_x, n_y) = self.successes, self.totals
        # With p₂ = p and p₁ = p + at, the derivative of the log-likelihood times its denominators is a cubic in p.
        total = n_x + n_y
        cubic = float(total)
        square = (n_y + total) * at - total - x - y
        linear = (at * n_y - total - 2 * y) * at + x + y
        constant = y * at * (1 - at)
        shift = square / (3 * cubic)
        q = shift**3 - square * linear / (6 * cubic**2) + constant / (2 * cubic)
        p = math.copysign(math.sqrt(max(shift**2 - linear / (3 * cubic), 0.0)), q)
        angle = 0.0 if p == 0 else (math.pi + math.acos(max(-1.0, min(1.0, q / p**3)))) / 3
        second = min(max(2 * p * math.cos(angle) - shift, max(0.0, -at)), min(1.0, 1 - at))
        return min(max(second + at, 0.0), 1.0), second
