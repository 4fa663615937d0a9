"""Which rearrangements of the data would have been as likely if there were no difference?

Signs of clusters flip, or labels of clusters change places within strata. All rearrangements are given when they are
few, else random ones; always in chunks of bounded size. From them come p and the interval that inverts the test: the
differences that it would not reject.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from hengliang.analysis.resampling import Floats, Integers
from hengliang.core.errors import UserError

EXACT_LIMIT = 65_536
"""Up to so many rearrangements all are run: 16 clusters whose signs flip."""

_CELLS = 2_000_000


@dataclass(frozen=True, slots=True)
class Rearrangement:
    """How many rearrangements there are, and whether all are run or a random sample of them."""

    total: int
    draws: int
    seed: int

    @property
    def exact(self) -> bool:
        """Whether all rearrangements are run."""
        return self.total <= EXACT_LIMIT

    @property
    def run(self) -> int:
        """How many are run."""
        return self.total if self.exact else self.draws

    def check(self) -> None:
        """Refuse what cannot be drawn."""
        if self.draws < 1:
            raise UserError(f"{self.draws} random rearrangements are none.", valid="draws is a whole number above 0.")

    def describe(self) -> str:
        """Say how many were run, and of how many."""
        return f"all {self.total}" if self.exact else f"{self.draws} random, seed {self.seed}"

    def probability(self, as_extreme: int) -> float:
        """Return p: the share of all, or (b + 1) / (m + 1) of a random sample, which is never zero [1].

        [1] Phipson, B., Smyth, G. K. (2010). Permutation p-values should never be zero. Statistical Applications in
            Genetics and Molecular Biology 9.
        """
        return as_extreme / self.total if self.exact else (as_extreme + 1) / (self.draws + 1)

    def error(self, p: float) -> float:
        """Return the Monte-Carlo standard error of p: none when all rearrangements were run."""
        return 0.0 if self.exact else math.sqrt(p * (1 - p) / (self.draws + 1))


def sign_flips(clusters: int, draws: int, seed: int) -> tuple[Rearrangement, Iterator[Floats]]:
    """Return how many ways there are to flip signs, and the (rearrangements × clusters) tables of −1 and 1."""
    plan = Rearrangement(2**clusters, draws, seed)
    plan.check()
    return plan, _flips(plan, clusters)


def _flips(plan: Rearrangement, clusters: int) -> Iterator[Floats]:
    generator = np.random.default_rng(plan.seed)
    size = max(1, _CELLS // max(clusters, 1))
    for start in range(0, plan.run, size):
        rows = min(size, plan.run - start)
        if plan.exact:
            bits = (np.arange(start, start + rows)[:, None] >> np.arange(clusters)) & 1
        else:
            bits = generator.integers(0, 2, (rows, clusters))
        yield np.where(bits, -1.0, 1.0)


def label_exchanges(
    chosen: Integers, strata: Integers, draws: int, seed: int
) -> tuple[Rearrangement, Iterator[Floats]]:
    """Return the (rearrangements × clusters) tables of 0 and 1: which clusters bear the first label.

    `chosen` is 1 for clusters that bear it now. Each stratum keeps its number of them.
    """
    places = [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]
    counts = [int(chosen[place].sum()) for place in places]
    total = math.prod(math.comb(len(place), count) for place, count in zip(places, counts, strict=True))
    plan = Rearrangement(total, draws, seed)
    plan.check()
    give = _all_exchanges if plan.exact else _random_exchanges
    return plan, give(plan, places, counts)


def _all_exchanges(plan: Rearrangement, places: Sequence[Integers], counts: Sequence[int]) -> Iterator[Floats]:
    clusters = sum(map(len, places))
    choices = []
    for place, count in zip(places, counts, strict=True):
        picked = list(combinations(range(len(place)), count))
        table = np.zeros((len(picked), len(place)))
        np.put_along_axis(table, np.array(picked, dtype=np.int64).reshape(len(picked), count), 1.0, axis=1)
        choices.append(table)
    size = max(1, _CELLS // max(clusters, 1))
    for start in range(0, plan.total, size):
        numbers = np.arange(start, min(start + size, plan.total))
        chosen = np.zeros((len(numbers), clusters))
        for place, table in zip(places, choices, strict=True):
            numbers, digit = np.divmod(numbers, len(table))
            chosen[:, place] = table[digit]
        yield chosen


def _random_exchanges(plan: Rearrangement, places: Sequence[Integers], counts: Sequence[int]) -> Iterator[Floats]:
    clusters = sum(map(len, places))
    generator = np.random.default_rng(plan.seed)
    size = max(1, _CELLS // max(clusters, 1))
    for start in range(0, plan.draws, size):
        rows = min(size, plan.draws - start)
        chosen = np.zeros((rows, clusters))
        for place, count in zip(places, counts, strict=True):
            order = np.argsort(generator.random((rows, len(place))), axis=1)[:, :count]
            np.put_along_axis(chosen, place[order], 1.0, axis=1)
        yield chosen


def rearranged_p(
    observed: float, values: Floats, plan: Rearrangement, two_sided: str = "absolute", alternative: str = "two-sided"
) -> float:
    """Return p of an observed value among its rearrangements; equal within float noise counts as equal."""
    # The slack goes with the size of the values: data on a small scale are not all "equal" for it.
    slack = 1e-10 * max(abs(observed), float(np.median(np.abs(values)))) if np.isfinite(observed) else 0.0
    slack = slack if np.isfinite(slack) else 1e-10 * abs(observed)
    greater = plan.probability(int((values >= observed - slack).sum()))
    less = plan.probability(int((values <= observed + slack).sum()))
    if alternative != "two-sided":
        return greater if alternative == "greater" else less
    if two_sided == "doubled":
        return min(1.0, 2 * min(greater, less))
    return plan.probability(int((np.abs(values) >= abs(observed) - slack).sum()))


def inverted_interval(
    observed: float, values: Floats, slopes: Floats, plan: Rearrangement, level: float
) -> tuple[float, float] | None:
    """Return all shifts that neither one-sided test rejects at half the error; none when there are too few.

    Without a true shift δ a rearranged value is `values − δ slopes`, the observed one `observed − δ`. The first reaches
    the second from the critical shift (observed − value) / (1 − slope) on, so p as a function of δ only counts critical
    shifts, and the bounds are two of them: for signs that flip, means of some of the clusters [1].

    [1] Hartigan, J. A. (1969). Using subsample values as typical values. Journal of the American Statistical
        Association 64.
    """
    moves = slopes < 1 - 1e-12
    critical = np.sort((observed - values[moves]) / (1 - slopes[moves]))
    always = len(values) - len(critical) + (0 if plan.exact else 1)
    total = plan.total if plan.exact else plan.draws + 1
    # The bound is the first shift whose p exceeds the tail; the slack keeps 0.025 · 40 from being 0.9999….
    place = math.floor((1 - level) / 2 * total - always + 1e-9)
    if place < 0 or len(critical) == 0:
        return None
    place = min(place, (len(critical) - 1) // 2)
    # What should be 0 comes out as some 1e-16, and would stand on the wrong side of it.
    noise = 1e-12 * float(np.abs(critical).max())
    low, high = (0.0 if abs(bound) <= noise else float(bound) for bound in critical[[place, -1 - place]])
    return low, high
