"""Is a mean difference more than chance when raters and items are crossed?

Whole raters or whole items flip their sign, whichever are fewer, and the mean is divided by its standard error
clustered both ways [1]. Flipping alone would test as if only raters, or only items, were drawn.

[1] MacKinnon, J. G., Nielsen, M. Ø., Webb, M. D. (2021). Wild bootstrap and asymptotic inference with multiway
    clustering. Journal of Business & Economic Statistics 39.
"""

from __future__ import annotations

import numpy as np

from hengliang.analysis.crossed_resampling import Way
from hengliang.analysis.rearrangements import Rearrangement, rearranged_p, sign_flips
from hengliang.analysis.resampling import Floats

_STEPS = 40
"""Halvings of the search for a bound, and doublings before it is given up."""


class CrossedFlips:
    """Differences by rater and item, and the t of any flips of the fewer of the two, many flips at once."""

    def __init__(self, differences: Floats, ways: tuple[Way, Way], draws: int, seed: int) -> None:
        first, second = ways
        few, many = (first, second) if first.levels <= second.levels else (second, first)
        cells = few.codes * many.levels + many.codes
        size, shape = few.levels * many.levels, (few.levels, many.levels)
        self.sums = np.bincount(cells, weights=differences, minlength=size).astype(np.float64).reshape(shape)
        self.counts = np.bincount(cells, minlength=size).astype(np.float64).reshape(shape)
        self.mean = float(differences.mean())
        self.draws, self.seed = draws, seed

    def t(self, signs: Floats, shift: float = 0.0) -> tuple[Floats, Floats]:
        """Return t and the standard error of the mean for each row of signs, with `shift` taken from each difference.

        The variance by rater plus that by item minus that by cell; where this falls below the larger of the first two
        it is noise, and that one stands.
        """
        sums = self.sums - shift * self.counts
        few, many = signs * sums.sum(axis=1), signs @ sums
        n = self.counts.sum()
        mean = few.sum(axis=1) / n
        of_few = np.square(few - mean[:, None] * self.counts.sum(axis=1)).sum(axis=1)
        of_many = np.square(many - mean[:, None] * self.counts.sum(axis=0)).sum(axis=1)
        crossed = signs @ (sums * self.counts).sum(axis=1)
        of_cells = np.square(sums).sum() - 2 * mean * crossed + mean**2 * np.square(self.counts).sum()
        of_cells = np.maximum(of_cells, 0.0)  # a sum of squares, which rounding may leave below 0
        error = np.sqrt(np.maximum(of_few + of_many - of_cells, np.maximum(of_few, of_many))) / n
        # Differences that are all alike have no error: any mean but zero is then infinitely many errors away.
        noise = 1e-12 * np.abs(sums).max(initial=0.0)
        tiny = error <= noise
        t = np.where(tiny & (np.abs(mean) > noise), np.copysign(np.inf, mean), 0.0)
        np.divide(mean, error, out=t, where=~tiny)
        return t, error

    def observed(self) -> tuple[float, float]:
        """Return t and the standard error of the mean as they are."""
        t, error = self.t(np.ones((1, len(self.sums))))
        return float(t[0]), float(error[0])

    def flipped(self, shift: float = 0.0) -> tuple[Rearrangement, float, Floats]:
        """Return the plan, the t as it is and the t of all flips, with `shift` taken from each difference."""
        plan, chunks = sign_flips(len(self.sums), self.draws, self.seed)
        values = np.concatenate([self.t(signs, shift)[0] for signs in chunks])
        return plan, float(self.t(np.ones((1, len(self.sums))), shift)[0][0]), values

    def interval(self, level: float) -> tuple[float, float] | None:
        """Return the border of the shifts that the two-sided test does not reject; none when it rejects nothing."""
        bounds = [self._bound(direction, 1 - level) for direction in (-1, 1)]
        low, high = bounds
        return None if low is None or high is None else (low, high)

    def _rejects(self, shift: float, tail: float) -> bool:
        plan, observed, values = self.flipped(shift)
        return rearranged_p(observed, values, plan) <= tail

    def _bound(self, direction: int, tail: float) -> float | None:
        inside, step = self.mean, direction * self.observed()[1]
        for _ in range(_STEPS // 4):
            step *= 2
            if step == 0 or self._rejects(self.mean + step, tail):
                break
        else:
            return None
        outside = self.mean + step
        for _ in range(_STEPS):
            middle = (inside + outside) / 2
            if abs(outside - inside) <= 1e-6 * abs(step):
                break
            inside, outside = (inside, middle) if self._rejects(middle, tail) else (middle, outside)
        return inside
