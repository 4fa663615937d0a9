"""Variance over random seeds: mean, standard deviation and range of accuracy over repeated trainings.

Systems that differ only in the seed are one system trained again. Reported are the mean, the standard deviation (with n
− 1), the lowest and the highest of their accuracies, overall and, if wanted, by category. The interval of the mean
resamples whole clusters of items, the same for all seeds: it is about other items, with these trainings; the standard
deviation is about other trainings, with these items.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from hengliang.analyses import outcomes
from hengliang.analyses.clustered import FACTOR_TITLES, LEVEL_TITLES, ClusteredAnalysis
from hengliang.core.base_classes import Layout, StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual, level_titles
from hengliang.statistics.resampling import Floats, IntervalKind, Intervals, bootstrap, cluster_codes, cluster_counts

STATISTICS: Mapping[str, StatisticLabel] = {
    "mean": StatisticLabel(Bilingual("Mean accuracy", "平均准确率"), "percent", 1),
    "sd": StatisticLabel(Bilingual("Standard deviation over seeds", "种子间标准差"), "percent", 2),
    "lowest": StatisticLabel(Bilingual("Lowest", "最低"), "percent", 1),
    "highest": StatisticLabel(Bilingual("Highest", "最高"), "percent", 1),
    "seeds": StatisticLabel(Bilingual("Seeds", "种子数"), "integer", 0),
}


@register("seed spread")
class SeedSpread(ClusteredAnalysis):
    """Mean and spread of accuracy over the seeds of each system, and by further factors.

    Systems of one name with several seeds belong together; with `group` those that share this trait, for example
    `family`, where each training has a name of its own. A seed of which no answer was judged is left out and reported.
    One seed has no standard deviation.
    """

    title = Bilingual("Spread over seeds", "随机种子间的波动")
    explanation = Bilingual(
        "Accuracy of the same system trained with several seeds: mean, standard deviation and range. The interval of "
        "the mean comes from resampled items and does not cover the choice of seeds.",
        "同一系统用多个随机种子训练后的准确率：平均值、标准差与范围。平均值的区间由重抽样条目得到，不包含种子选择的影响。",
    )
    conventions: Mapping[str, str] = {"unanswered": "left out and counted", "sd": "n - 1"}

    def __init__(
        self,
        by: str | Sequence[str] = (),
        group: str = "",
        cluster: str = "block",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        measure: str = "match",
        name: str = "",
    ) -> None:
        super().__init__(cluster, draws, seed, level, interval)
        self.by = (by,) if isinstance(by, str) else tuple(by)
        self.group = group
        self.measure = measure
        self.name = name or "seed spread" + (" by " + " and ".join(self.by) if self.by else "")

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return a row for each group of systems, combination of levels and statistic."""
        if "seed" in self.by or "system" in self.by:
            raise UserError("The spread over seeds cannot be taken by seed or system.", remedy="Leave it out of by.")
        rows = outcomes.with_judgements(outcomes.due_answers(tables), tables, self.measure)
        rows = self._grouped(outcomes.with_factors(rows, tables, self.by), tables)
        rows = outcomes.with_clusters(rows, tables, self.cluster)
        rows = _with_levels_in_order(rows, self.by)
        return estimates_frame(row for by, cell in outcomes.cells(rows, self.by) for row in self._of_cell(by, cell))

    def _grouped(self, rows: pl.DataFrame, tables: Tables) -> pl.DataFrame:
        """Call each system by its group; a training is a system's name and seed."""
        rows = rows.with_columns(training=pl.struct("system", "seed"))
        if not self.group:
            return rows
        traits = [name for name in tables.systems.columns if name not in {"name", "seed"}]
        if self.group not in traits:
            raise unknown_name("trait", self.group, traits)
        groups = tables.systems.select("seed", system="name", group=pl.col(self.group).cast(pl.String))
        groups = groups.unique(["system", "seed"], keep="first", maintain_order=True)
        twice = groups.drop_nulls("group").filter(pl.struct("group", "seed").is_duplicated()).sort("group", "system")
        if twice.height:
            raise UserError(
                f"'{twice['system'][0]}' and '{twice['system'][1]}' have the same {self.group} "
                f"'{twice['group'][0]}' and the same seed: they differ in more than the seed.",
                remedy="Leave group away, so that systems of one name belong together.",
            )
        rows = rows.join(groups, on=["system", "seed"], how="left", nulls_equal=True, maintain_order="left")
        return rows.with_columns(system=pl.coalesce("group", "system"))

    def _of_cell(self, by: Mapping[str, str], cell: pl.DataFrame) -> Iterator[Estimate]:
        judged = cell.drop_nulls("value")
        seeds = judged["training"].n_unique()
        silent = cell["training"].n_unique() - seeds
        counts = (judged.height, cell.height - judged.height)
        note = f"mean of '{self.measure}' by seed, {seeds} seed{'' if seeds == 1 else 's'}"
        note += f", {silent} without a judged answer left out" if silent else ""
        intervals, accuracies = self._spread(judged) if seeds else (None, np.zeros(0))
        yield from self.cell_estimates(by, ["mean"], intervals, counts, note)
        numbers = {
            "sd": float(accuracies.std(ddof=1)) if seeds > 1 else None,
            "lowest": float(accuracies.min()) if seeds else None,
            "highest": float(accuracies.max()) if seeds else None,
            "seeds": float(seeds),
        }
        for statistic, value in numbers.items():
            method = f"{note}; one seed has no standard deviation" if statistic == "sd" and seeds == 1 else note
            yield Estimate(
                self.name, by, statistic, value, n=counts[0], n_missing=counts[1], method=method,
                signature=str(self.signature()),
            )  # fmt: skip

    def _spread(self, judged: pl.DataFrame) -> tuple[Intervals, Floats]:
        """Return the mean over seeds with its interval, and the accuracy of each seed."""
        seeds, n_seeds = cluster_codes(judged["training"].struct.json_encode())
        clusters, n_clusters = cluster_codes(judged["cluster"])
        column = np.concatenate([seeds, n_seeds + seeds])
        weight = np.concatenate([judged["value"].to_numpy(), np.ones(judged.height)])
        sums = cluster_counts(np.tile(clusters, 2), column, weight, shape=(n_clusters, 2 * n_seeds))
        total = np.asarray(sums.sum(axis=0)).ravel()
        return bootstrap(sums, _mean_over_seeds, self.resampling()), total[:n_seeds] / total[n_seeds:]

    def layout(self) -> Layout:
        """Return systems, and categories within them, as rows."""
        titles = {name: FACTOR_TITLES[name] for name in ("system", *self.by) if name in FACTOR_TITLES}
        levels = {**LEVEL_TITLES}
        for name in self.by:
            levels |= level_titles(of=name)
        return Layout(
            ("system", *self.by), statistics=STATISTICS, factors=titles, levels=levels, figure_statistics=("mean",)
        )


def _with_levels_in_order(rows: pl.DataFrame, factors: Sequence[str]) -> pl.DataFrame:
    """Put the levels of factors into the order in which their subject names them, not that of the alphabet."""
    for factor in factors:
        stated = level_titles(of=factor)
        if stated and rows.schema[factor] == pl.String:
            known = rows[factor].drop_nulls().unique().sort().to_list()
            order = [name for name in stated if name in known] + [name for name in known if name not in stated]
            rows = rows.with_columns(pl.col(factor).cast(pl.Enum(order)))
    return rows


def _mean_over_seeds(sums: Floats) -> Floats:
    """Return the mean of the seeds' accuracies; a seed that a resample does not hold is left out of its mean."""
    right, n = np.split(sums, 2, axis=1)
    accuracies = np.divide(right, n, out=np.zeros_like(right), where=n > 0)
    mean: Floats = accuracies.sum(axis=1, keepdims=True) / (n > 0).sum(axis=1, keepdims=True)
    return mean


# What users write among the analyses of a study.
seed_spread = SeedSpread
