"""Cluster bootstrap intervals: the base class of all analyses that resample clusters of items.

The arguments that these analyses share (cluster, draws, seed, level, kind of interval), the signature with their
conventions, estimates with n and missing values, and the mean of some values with its interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from hengliang.analyses import outcomes
from hengliang.core.base_classes import Analysis
from hengliang.core.records import Estimate
from hengliang.core.signature import Signature, constructor_signature
from hengliang.core.terms import Bilingual
from hengliang.statistics.resampling import (
    Floats,
    IntervalKind,
    Intervals,
    Resampling,
    bootstrap,
    cluster_codes,
    cluster_counts,
    describe_interval,
)

FACTOR_TITLES: Mapping[str, Bilingual] = {
    "system": Bilingual("System", "系统"),
    "reference": Bilingual("Compared with", "对照系统"),
    "seed": Bilingual("Seed", "随机种子"),
    "material": Bilingual("Material", "材料"),
    "condition": Bilingual("Condition", "条件"),
    "category": Bilingual("Category", "类别"),
    "construction": Bilingual("Construction", "结构"),
}
LEVEL_TITLES: Mapping[str, Bilingual] = {outcomes.NOT_STATED: Bilingual("not stated", "未标注")}


class ClusteredAnalysis(Analysis):
    """An analysis with intervals from resampled clusters: it keeps the arguments that all of these have.

    `conventions` are the choices that have no argument and yet decide about the numbers; they join the signature.
    """

    conventions: Mapping[str, str] = {}

    def __init__(self, cluster: str, draws: int, seed: int, level: float, interval: IntervalKind) -> None:
        self.cluster = cluster
        self.draws = draws
        self.seed = seed
        self.level = level
        self.interval = interval

    def resampling(self) -> Resampling:
        """Return how the intervals are made."""
        return Resampling(self.draws, self.seed, self.level, self.interval)

    def signature(self) -> Signature:
        """Return the arguments, the conventions and the generator of random numbers."""
        return constructor_signature(self).and_(**self.conventions, generator="PCG64")

    def cell_estimates(
        self,
        by: Mapping[str, str],
        statistics: Sequence[str],
        intervals: Intervals | None,
        counts: tuple[int, int],
        note: str,
    ) -> Iterator[Estimate]:
        """Give the estimates of one cell with its n and n_missing; without `intervals` there is no number."""
        n, missing = counts
        for column, statistic in enumerate(statistics):
            parts = (intervals.value, intervals.low, intervals.high) if intervals else ()
            value, low, high = [_number(part[column]) for part in parts] or (None, None, None)
            how = self._how(intervals, bounded=low is not None)
            yield Estimate(
                self.name,
                by,
                statistic,
                value,
                low,
                high,
                n=n,
                n_missing=missing,
                method=f"{note}; {how}",
                signature=str(self.signature()),
            )

    def _how(self, intervals: Intervals | None, *, bounded: bool) -> str:
        if intervals is None:
            return "no judged answer"
        described = describe_interval(self.resampling(), intervals, self.cluster)
        withheld = intervals.clusters > 1 and not bounded
        return described + (
            ", withheld: the draws lie so far to one side that it would not hold the value" if withheld else ""
        )


def _number(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)


def mean_with_interval(values: pl.Series, clusters: pl.Series, how: Resampling) -> Intervals | None:
    """Return the mean of the values with its interval; nothing when there are no values."""
    if not len(values):
        return None
    codes, count = cluster_codes(clusters)
    column = np.repeat(np.arange(2), len(values))
    weight = np.concatenate([values.to_numpy(), np.ones(len(values))])
    return bootstrap(cluster_counts(np.tile(codes, 2), column, weight, shape=(count, 2)), _mean, how)


def _mean(sums: Floats) -> Floats:
    mean: Floats = sums[:, :1] / sums[:, 1:]
    return mean
