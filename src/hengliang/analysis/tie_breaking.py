"""How far can a coin move an accuracy, when ties are settled by one?

Where a model finds both sides of a comparison equally surprising there is neither success nor failure. Some authors
toss a fair coin [1], and print one number of the many that the coins could have given. Here the whole distribution of
that number is computed, exactly: it is the number of successes, plus a sum of independent coins. A coin may settle one
tied comparison, or all tied comparisons of an item together (`coins` says which share one).

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021, section 3.3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import UserError
from hengliang.materials.suites.formulas import FAILURE, SUCCESS, TIE

Numbers = npt.NDArray[np.float64]

_SLACK = 1e-9
"""For sums of probabilities and for fractions that were divided in another way."""


@dataclass(frozen=True, slots=True, eq=False)
class CoinTosses:
    """The accuracy over all tosses: the comparisons that succeed and fail without one, and what the coins add.

    `probabilities[k]` is the probability that `k` of the ties turn into successes, from 0 to all of them.
    """

    successes: int
    comparisons: int
    coins: int
    probabilities: Numbers

    @property
    def ties(self) -> int:
        """How many comparisons are tied."""
        return len(self.probabilities) - 1

    @property
    def accuracies(self) -> Numbers:
        """The accuracy for each number of ties that turn into successes."""
        return (self.successes + np.arange(self.ties + 1)) / self.comparisons

    @property
    def lowest(self) -> float:
        """The accuracy when every tie fails."""
        return self.successes / self.comparisons

    @property
    def highest(self) -> float:
        """The accuracy when every tie succeeds."""
        return (self.successes + self.ties) / self.comparisons

    @property
    def expected(self) -> float:
        """The mean over all tosses, in which a tie counts half."""
        return (self.successes + self.ties / 2) / self.comparisons

    def central(self, level: float = 0.95) -> tuple[float, float]:
        """Return the shortest central interval of accuracies that holds at least `level` of all tosses."""
        if not 0 < level < 1:
            raise UserError(f"The level {level} is no probability.", valid="0 < level < 1, for example 0.95.")
        tail = (1 - level) / 2
        below = np.concatenate([[0.0], np.cumsum(self.probabilities)[:-1]])
        first = int(np.flatnonzero(below <= tail + _SLACK * tail)[-1])
        # A coin is fair, so that the distribution is its own mirror image.
        return float(self.accuracies[first]), float(self.accuracies[self.ties - first])

    def place(self, value: float, decimals: int | None = None, level: float = 0.95) -> Place:
        """Say where an accuracy, printed to so many decimals (exact if none are given), lies among the tosses."""
        half_unit = 0.5 * 10.0**-decimals if decimals is not None else 0.0
        possible = self.probabilities > 0
        reached, weights = self.accuracies[possible], self.probabilities[possible]
        nearest = float(reached[np.argmin(np.abs(reached - value))])
        slack = half_unit + _SLACK
        # Rounding is no distance; but a value that no coins give is as far out as it was printed.
        told = nearest if abs(nearest - value) <= slack else value
        far = np.abs(reached - self.expected) >= abs(told - self.expected) - _SLACK
        low, high = self.central(level)
        return Place(
            value,
            nearest,
            inside=self.lowest - slack <= value <= self.highest + slack,
            central=low - slack <= value <= high + slack,
            possible=abs(nearest - value) <= slack,
            probability=min(1.0, float(weights[far].sum())),
        )


@dataclass(frozen=True, slots=True)
class Place:
    """Where a printed accuracy lies: between all ties lost and all won (`inside`), and in the `central` interval.

    `nearest` is the value of the coins that is nearest to it; it is `possible` that the coins gave it if the two are
    the same to the printed digit. `probability` is that of a value at least as far from the expected one.
    """

    value: float
    nearest: float
    inside: bool
    central: bool
    possible: bool
    probability: float


def coin_tosses(outcomes: npt.ArrayLike, coins: Sequence[Hashable] | None = None) -> CoinTosses:
    """Return the accuracy over all tosses of fair coins for the ties among these outcomes.

    An outcome is 1 (success), 0 (failure), 0.5 (tie) or NaN (unscored, left out). `coins` names the coin of each
    outcome: ties with one name fall together. Without it each tie has a coin of its own.

    >>> tosses = coin_tosses([1, 0, 0.5, 0.5])
    >>> tosses.lowest, tosses.expected, tosses.highest, tosses.probabilities.tolist()
    (0.25, 0.5, 0.75, [0.25, 0.5, 0.25])
    """
    values = np.asarray(outcomes, np.float64)
    if values.ndim != 1 or (coins is not None and len(coins) != len(values)):
        raise UserError(
            f"There are {len(coins) if coins is not None else 'no'} names of coins for outcomes of shape "
            f"{values.shape}.",
            valid="A list of outcomes, and as many names.",
        )
    known = ~np.isnan(values)
    wrong = values[known & ~np.isin(values, (FAILURE, TIE, SUCCESS))]
    if len(wrong):
        raise UserError(f"{wrong[0]:g} is no outcome.", valid="1 success, 0 failure, 0.5 tie, NaN unscored.")
    if not known.any():
        raise UserError("There is no scored comparison, and so no accuracy.", remedy="See the reasons in the run.")
    tied = np.flatnonzero(values == TIE)
    names = [place if coins is None else coins[place] for place in tied.tolist()]
    sizes = np.array(list(Counter(names).values()), np.int64)
    return CoinTosses(int((values == SUCCESS).sum()), int(known.sum()), len(sizes), _sum_of_coins(sizes))


def _sum_of_coins(sizes: npt.NDArray[np.int64]) -> Numbers:
    """Return the distribution of the sum of independent fair coins that are worth these sizes."""
    parts = []
    for size, count in zip(*np.unique(sizes, return_counts=True), strict=True):
        part = np.zeros(size * count + 1)
        part[::size] = _heads(int(count))
        parts.append(part)
    return reduce(np.convolve, parts, np.ones(1))


def _heads(coins: int) -> list[float]:
    """Return the probability of each number of heads; whole numbers keep both halves the same to the last bit."""
    row = [1]
    for place in range(coins):
        row.append(row[-1] * (coins - place) // (place + 1))
    return [ways / 2**coins for ways in row]
