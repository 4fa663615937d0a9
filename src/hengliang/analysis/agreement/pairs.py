"""Do two judges order pairs alike, and when is a small difference no difference?

Pairwise accuracy with ties counts a pair as right when both judges order it alike or both hold it equal [1]. An
automatic score hardly ever gives two answers the same number, people often do; so differences of the automatic score up
to a threshold may count as ties, and the threshold that gives the highest accuracy is sought [1]. It is sought on the
data that it is then used on, and so flatters a little.

[1] Deutsch, D., Foster, G., Freitag, M. (2023). Ties matter: meta-evaluating modern metrics with pairwise accuracy and
    tie calibration. EMNLP 2023.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hengliang.analysis.agreement.matrix import Floats, Integers

MOST_PAIRS = 5_000_000
"""Pairs up to which a threshold is sought: some 3,000 items, all against all."""


@dataclass(frozen=True, slots=True, eq=False)
class Differences:
    """The differences of two scores within pairs, and the group (item) each pair belongs to."""

    first: Floats
    second: Floats
    group: Integers

    @property
    def right(self) -> NDArray[np.bool_]:
        """Whether both order the pair alike or both hold it equal."""
        alike: NDArray[np.bool_] = np.sign(self.first) == np.sign(self.second)
        return alike

    def with_ties(self, threshold: float) -> Differences:
        """Return the pairs with differences of the first score up to the threshold as ties."""
        return Differences(np.where(np.abs(self.first) <= threshold, 0.0, self.first), self.second, self.group)

    def turned(self) -> Differences:
        """Return the pairs with the two scores exchanged."""
        return Differences(self.second, self.first, self.group)

    def group_accuracy(self, groups: int) -> Floats:
        """Return the accuracy within each group, NaN where a group has no pair."""
        pairs = np.bincount(self.group, minlength=groups)
        right = np.bincount(self.group, weights=self.right, minlength=groups)
        found: Floats = np.where(pairs > 0, right / np.maximum(pairs, 1), np.nan)
        return found


def all_pairs(first: Floats, second: Floats) -> Differences | None:
    """Return the differences of all pairs, or nothing when they are too many."""
    n = len(first)
    if n * (n - 1) // 2 > MOST_PAIRS:
        return None
    one, two = np.triu_indices(n, 1)
    return Differences(first[one] - first[two], second[one] - second[two], np.zeros(len(one), dtype=np.int64))


def pairs_within(groups: Integers, first: Floats, second: Floats) -> Differences:
    """Return the differences of the pairs within each group (item)."""
    order = np.argsort(groups, kind="stable")
    codes = groups[order]
    ones, twos = [], []
    # The pairs at distance 1, 2, … in sorted order; groups are small, so the loop is short.
    for distance in range(1, int(np.bincount(codes).max()) if len(codes) else 0):
        same = np.flatnonzero(codes[distance:] == codes[:-distance])
        ones.append(order[same])
        twos.append(order[same + distance])
    one = np.concatenate(ones) if ones else np.zeros(0, dtype=np.int64)
    two = np.concatenate(twos) if twos else np.zeros(0, dtype=np.int64)
    return Differences(first[one] - first[two], second[one] - second[two], groups[one])


def best_threshold(pairs: Differences) -> tuple[float, float]:
    """Return the threshold for ties of the first score with the highest accuracy over all pairs, and that accuracy.

    A threshold is 0 (only equal scores are ties) or the size of some difference; of several that do equally well it is
    the smallest.
    """
    if not len(pairs.first):
        return math.nan, math.nan
    size = np.abs(pairs.first)
    order = np.argsort(size, kind="stable")
    # As the threshold passes a pair, the pair turns from what the score says into a tie.
    gain = (pairs.second == 0).astype(np.int64) - pairs.right.astype(np.int64)
    total = int(pairs.right.sum()) + np.cumsum(gain[order])
    sizes = size[order]
    last = np.append(sizes[1:] > sizes[:-1], True)
    thresholds, right = np.append(0.0, sizes[last]), np.append(int(pairs.right.sum()), total[last])
    place = int(right.argmax())
    return float(thresholds[place]), float(right[place] / len(size))
