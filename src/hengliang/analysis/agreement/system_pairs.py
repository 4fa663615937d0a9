"""Which systems do two judges rank differently, and is the difference more than chance?

The scores of a system are its mean over items. A pair of systems on which two judges differ is told with both
differences, each with p of a permutation test: were the two systems exchangeable, the sign of each item's difference
would be a coin flip. Systems that have no item in common are compared by their means, and p exchanges labels of items.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from hengliang.analysis.agreement.matrix import Floats
from hengliang.analysis.agreement.score_tables import SIDES, Side
from hengliang.analysis.rearrangements import label_exchanges, rearranged_p, sign_flips
from hengliang.core.linear_algebra import on_one_thread


@dataclass(frozen=True, slots=True)
class SystemPair:
    """Two systems under two judges: `system` minus `reference`, on the items that both have.

    Where they have none in common (`paired` is false), on the items of either, which `items` then counts together.
    """

    system: str
    reference: str
    items: int
    first: float
    second: float
    first_p: float
    second_p: float
    paired: bool = True

    @property
    def is_ranked_differently(self) -> bool:
        """Whether one judge prefers the one system and the other the other; a tie of one judge counts, too."""
        return bool(np.sign(self.first) != np.sign(self.second))


def system_means(cells: pl.DataFrame) -> pl.DataFrame:
    """Return the mean of each system under both judges, its items and its ranks, the best first by the second judge."""
    found = cells.group_by("system").agg(pl.len().alias("items"), pl.col("first").mean(), pl.col("second").mean())
    ranks = [pl.col(side).rank(descending=True).alias(f"{side}_rank") for side in SIDES]
    return found.with_columns(*ranks).sort("second", "system", descending=[True, False])


def compare_systems(cells: pl.DataFrame, *, draws: int = 10_000, seed: int = 1) -> tuple[SystemPair, ...]:
    """Return every pair of systems, in the order of names."""
    systems = cells["system"].unique().sort().to_list()
    wide: dict[Side, pl.DataFrame] = {
        side: cells.pivot("system", index="item", values=side).sort("item") for side in SIDES
    }
    found = []
    for reference, system in combinations(systems, 2):
        differences = [(wide[side][system] - wide[side][reference]).drop_nulls().to_numpy() for side in SIDES]
        if not len(differences[0]):
            found.append(_unpaired(cells, system, reference, draws, seed))
            continue
        means = [_mean(held) for held in differences]
        ps = [sign_flip_p(held, draws=draws, seed=seed) for held in differences]
        found.append(SystemPair(system, reference, len(differences[0]), means[0], means[1], ps[0], ps[1]))
    return tuple(found)


def _mean(differences: Floats) -> float:
    """Return the mean; one that float noise alone keeps from 0 is 0, for its sign says who is ranked higher."""
    mean = float(differences.mean())
    return 0.0 if abs(mean) <= 1e-12 * float(np.abs(differences).max()) else mean


def _unpaired(cells: pl.DataFrame, system: str, reference: str, draws: int, seed: int) -> SystemPair:
    held = [cells.filter(pl.col("system") == name).sort("item") for name in (system, reference)]
    means, ps = [], []
    for side in SIDES:
        own, other = (frame[side].to_numpy() for frame in held)
        means.append(float(own.mean() - other.mean()))
        ps.append(label_exchange_p(own, other, draws=draws, seed=seed))
    items = held[0].height + held[1].height
    return SystemPair(system, reference, items, means[0], means[1], ps[0], ps[1], paired=False)


@on_one_thread
def label_exchange_p(first: Floats, second: Floats, *, draws: int = 10_000, seed: int = 1) -> float:
    """Return the two-sided p of equal means when it does not matter which of two groups a value belongs to."""
    n, values = len(first), np.concatenate([first, second])
    chosen = np.repeat([1, 0], [n, len(second)])
    plan, chunks = label_exchanges(chosen, np.zeros(len(values), dtype=np.int64), draws, seed)
    sums = np.concatenate([labels @ values for labels in chunks])
    differences = sums / n - (values.sum() - sums) / len(second)
    return rearranged_p(float(first.mean() - second.mean()), differences, plan)


@on_one_thread
def sign_flip_p(differences: Floats, *, draws: int = 10_000, seed: int = 1) -> float:
    """Return the two-sided p of a mean of zero when the sign of each difference is a coin flip.

    All sign changes are tried where there are few (`rearrangements.EXACT_LIMIT`); else (1 + as extreme) / (1 + draws).
    """
    plan, chunks = sign_flips(len(differences), draws, seed)
    sums = np.concatenate([signs @ differences for signs in chunks])
    return rearranged_p(float(differences.sum()), sums, plan)
