"""Learning curves: accuracy by the number of training examples, with a power law fitted for extrapolation.

Systems of one family (trait `family`) that learned from different numbers of examples (trait `training_slots`, or
`share`) make a curve. Its error is often close to a power law with a floor, error = a + b · n^−c [1, 2]; where a family
has four sizes or more it is fitted by least squares, in each resample anew, and says what twice the data would bring.

[1] Hestness, J., et al. (2017). Deep learning scaling is predictable, empirically. arXiv:1712.00409.
[2] Viering, T., Loog, M. (2023). The shape of learning curves: a review. IEEE TPAMI 45.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from hengliang.analyses import outcomes
from hengliang.analyses.clustered import FACTOR_TITLES, ClusteredAnalysis, mean_with_interval
from hengliang.core.base_classes import Layout, StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate, estimate_records, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.statistics.resampling import Floats, bootstrap, cluster_codes, cluster_counts

SIZES = ("training_slots", "share")
"""The traits that say how much a system learned from, the first one that is there."""

LEAST_SIZES = 4
"""A curve with three parameters wants at least four points."""

FIT_STATISTICS = ("largest", "doubled", "gain", "limit", "exponent")
_EXPONENTS: Floats = np.geomspace(0.01, 4.0, 121)
_REFINED = 41
FACTORS: Mapping[str, Bilingual] = {
    **FACTOR_TITLES,
    "family": Bilingual("Family", "模型类"),
    "size": Bilingual("Training slots", "训练空位数"),
}


class PowerLaw(NamedTuple):
    """The curve error = floor + scale · (n / n_max)^−exponent, one of each per row."""

    floor: Floats
    scale: Floats
    exponent: Floats

    def error(self, relative_size: float) -> Floats:
        """Return the error at a size, given as a multiple of the largest one."""
        error: Floats = self.floor + self.scale * relative_size**-self.exponent
        return error


def fit_power_law(sizes: Floats, errors: Floats) -> PowerLaw:
    """Fit error = a + b · n^−c to each row of errors by least squares, with a ≥ 0, b ≥ 0 and 0.01 ≤ c ≤ 4.

    For a given c the curve is a straight line, whose best a and b are known; c is searched on a grid and then between
    the neighbours of the best. That needs no starting values and fits a thousand resamples at once.
    """
    relative = np.asarray(sizes, np.float64) / np.max(sizes)
    rows = np.atleast_2d(errors)
    grid = np.broadcast_to(_EXPONENTS, (len(rows), len(_EXPONENTS)))
    best = _best_on_grid(relative, rows, grid)
    step = _EXPONENTS[1] / _EXPONENTS[0]
    for _ in range(2):
        finer = best.exponent[:, None] * np.geomspace(1 / step, step, _REFINED)
        best = _best_on_grid(relative, rows, np.clip(finer, _EXPONENTS[0], _EXPONENTS[-1]))
        step = step ** (2 / (_REFINED - 1))
    return best


def _best_on_grid(relative: Floats, errors: Floats, exponents: Floats) -> PowerLaw:
    powers = relative[None, None, :] ** -exponents[:, :, None]
    observed = errors[:, None, :]
    mean_power, mean_error = powers.mean(axis=2), observed.mean(axis=2)
    spread = ((powers - mean_power[..., None]) ** 2).sum(axis=2)
    slope = ((powers - mean_power[..., None]) * (observed - mean_error[..., None])).sum(axis=2) / spread
    floor = mean_error - slope * mean_power
    # Where the free line leaves the allowed region the best lies on its edge: no floor, or a flat line.
    through_zero = (powers * observed).sum(axis=2) / (powers**2).sum(axis=2)
    below, rising = floor < 0, slope < 0
    scale = np.where(rising, 0.0, np.where(below, through_zero, slope))
    floor = np.where(rising, mean_error, np.where(below, 0.0, floor))
    squares = ((observed - floor[..., None] - scale[..., None] * powers) ** 2).sum(axis=2)
    best = (np.arange(len(errors)), squares.argmin(axis=1))
    return PowerLaw(floor[best], scale[best], exponents[best])


class CurveAnalysis(ClusteredAnalysis):
    """What the two analyses of learning curves share."""

    conventions: Mapping[str, str] = {"seeds": "averaged by item", "unanswered": "left out and counted"}

    def __init__(self, cluster: str, draws: int, seed: int, level: float, measure: str, name: str) -> None:
        super().__init__(cluster, draws, seed, level, "percentile")
        self.measure = measure
        self.name = name

    def curves(self, tables: Tables) -> Iterator[tuple[str, pl.DataFrame]]:
        """Give for each family the mean judgement of every item at every size: size, item, cluster, value."""
        trait = size_trait(tables.systems)
        rows = outcomes.with_judgements(outcomes.due_answers(tables), tables, self.measure)
        rows = outcomes.with_factors(rows, tables, ("family", trait)).drop_nulls(["family", trait])
        if not rows.height:
            raise _no_sizes(tables.systems)
        rows = outcomes.with_clusters(rows, tables, self.cluster)
        # Seeds of a system may have drawn parts of slightly different sizes: they make one point all the same.
        rows = rows.with_columns(size=pl.col(trait).cast(pl.Float64).mean().over("family", "system"))
        means = rows.group_by("family", "size", "item", "cluster").agg(
            pl.col("value").mean(), seeds=pl.struct("system", "seed").n_unique()
        )
        means = means.sort("family", "size", "item")
        for (family,), curve in means.group_by(["family"], maintain_order=True):
            yield str(family), curve


def size_trait(systems: pl.DataFrame) -> str:
    """Return the trait that says how much the systems learned from."""
    available = [name for name in SIZES if name in systems.columns and systems.schema[name].is_numeric()]
    if not available or "family" not in systems.columns:
        raise _no_sizes(systems)
    return available[0]


def _no_sizes(systems: pl.DataFrame) -> UserError:
    return UserError(
        "No system says from how many examples it learned.",
        valid=f"Systems with the traits 'family' and {' or '.join(repr(name) for name in SIZES)}; these have: "
        f"{', '.join(name for name in systems.columns if name not in ('name', 'seed')) or 'none'}.",
        remedy="Compare choosers that were trained on parts of a material of different sizes.",
    )


@register("learning curve")
class LearningCurve(CurveAnalysis):
    """The accuracy of each family at each number of training examples, seeds averaged item by item."""

    title = Bilingual("Learning curve", "学习曲线")
    explanation = Bilingual(
        "Accuracy by the number of slots that a model learned from. Seeds are averaged.",
        "按训练空位数给出的准确率。多个随机种子取平均。",
    )

    def __init__(
        self,
        cluster: str = "block",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        measure: str = "match",
        name: str = "learning curve",
    ) -> None:
        super().__init__(cluster, draws, seed, level, measure, name)

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the accuracy of each family and size, in the order of sizes."""
        estimates: list[Estimate] = []
        for family, rows in self.curves(tables):
            for cell in rows.partition_by("size", maintain_order=True):
                judged = cell.drop_nulls("value")
                intervals = mean_with_interval(judged["value"], judged["cluster"], self.resampling())
                counts = (judged.height, cell.height - judged.height)
                note = f"mean over items of the mean of {cell['seeds'].to_numpy().max()} seeds"
                by = {"family": family, "size": size_name(cell["size"][0])}
                estimates += self.cell_estimates(by, ["accuracy"], intervals, counts, note)
        return estimates_frame(estimates)

    def layout(self) -> Layout:
        """Show one row per family and one column per size."""
        label = StatisticLabel(Bilingual("Accuracy", "准确率"), "percent", 1)
        return Layout(rows=("family",), columns="size", statistics={"accuracy": label}, factors=FACTORS)


def size_name(size: float) -> str:
    """Write a number of examples, or a share of them."""
    return f"{size:,.0f}" if size > 1 else f"{size:.0%}"


@register("learning curve fit")
class LearningCurveFit(CurveAnalysis):
    """What a power law says of each family with four sizes or more: accuracy at the largest size, and at twice that.

    `limit` is 1 − a, where the curve would end with endless data of the same kind: an extrapolation far beyond the
    data, whose interval says how little is known. Resamples hold the same clusters at every size. Items that lack a
    judgement at some size are left out.
    """

    title = Bilingual("What more data would bring", "增加数据的收益")
    explanation = Bilingual(
        "A power law with a floor, error = a + b · n^−c, fitted to the learning curve: accuracy at the largest size "
        "(by the curve), at twice that, the gain, and the limit 1 − a with endless data of the same kind. "
        "Doubling is a short extrapolation, the limit a long one.",
        "对学习曲线拟合带下限的幂律：错误率 = a + b · n^−c。给出最大规模处（按曲线）与加倍后的准确率、增益，"
        "以及同类数据无限多时的极限 1 − a。加倍是短程外推，极限则是远程外推。",
    )

    def __init__(
        self,
        cluster: str = "block",
        draws: int = 1000,
        seed: int = 1,
        level: float = 0.95,
        measure: str = "match",
        name: str = "learning curve fit",
    ) -> None:
        super().__init__(cluster, draws, seed, level, measure, name)

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the numbers of the fit for each family; one with too few sizes has none and says so."""
        estimates: list[Estimate] = []
        for family, rows in self.curves(tables):
            wide = rows.pivot(on="size", index=["item", "cluster"], values="value", maintain_order=True)
            complete = wide.drop_nulls()
            sizes = np.array([float(name) for name in wide.columns[2:]])
            counts = (complete.height, wide.height - complete.height)
            note = f"least squares of error = a + b·n^−c on {len(sizes)} sizes"
            intervals = None
            if len(sizes) < LEAST_SIZES:
                note = f"{len(sizes)} sizes are too few for a curve with three parameters"
            elif complete.height:
                codes, count = cluster_codes(complete["cluster"])
                values = np.column_stack([np.ones(complete.height), complete.select(wide.columns[2:]).to_numpy()])
                column = np.tile(np.arange(values.shape[1]), complete.height)
                row = np.repeat(codes, values.shape[1])
                sums = cluster_counts(row, column, values.ravel(), shape=(count, values.shape[1]))
                intervals = bootstrap(sums, FitStatistic(sizes), self.resampling())
            estimates += self.cell_estimates({"family": family}, FIT_STATISTICS, intervals, counts, note)
        return estimates_frame(estimates)

    def sentences(self, estimates: pl.DataFrame) -> Sequence[Bilingual]:
        """Say what twice the data would bring."""
        sentences = []
        for row in estimate_records(estimates):
            if row.statistic == "gain" and row.value is not None and row.low is not None and row.high is not None:
                family, gain = row.by["family"], f"{100 * row.value:.1f}"
                interval = f"[{100 * row.low:.1f}, {100 * row.high:.1f}]"
                sentences.append(
                    Bilingual(
                        f"By its learning curve {family} would gain {gain} points {interval} from twice the data.",
                        f"按学习曲线，{family} 的数据加倍可提高 {gain} 个百分点 {interval}。",
                    )
                )
        return sentences

    def layout(self) -> Layout:
        """Show one row per family."""
        return Layout(
            rows=("family",),
            statistics={
                "largest": StatisticLabel(Bilingual("Accuracy at the largest size", "最大规模准确率"), "percent", 1),
                "doubled": StatisticLabel(Bilingual("With twice the data", "数据加倍后"), "percent", 1),
                "gain": StatisticLabel(Bilingual("Gain", "增益"), "percent", 1),
                "limit": StatisticLabel(Bilingual("Limit", "极限"), "percent", 1),
                "exponent": StatisticLabel(Bilingual("Exponent c", "指数 c"), "number", 2),
            },
            factors=FACTORS,
            figure_statistics=("largest", "doubled", "limit"),
        )


class FitStatistic:
    """From sums (items, right ones at each size) to the numbers of the fit, for `bootstrap`."""

    def __init__(self, sizes: Floats) -> None:
        self.sizes = sizes

    def __call__(self, totals: Floats) -> Floats:
        """Return the accuracy at the largest size and at twice that, the gain, the limit and the exponent."""
        errors = 1 - totals[:, 1:] / totals[:, :1]
        chunks = [fit_power_law(self.sizes, part) for part in np.array_split(errors, -(-len(errors) // 500))]
        law = PowerLaw(*(np.concatenate(parts) for parts in zip(*chunks, strict=True)))
        largest, doubled = 1 - law.error(1.0), 1 - law.error(2.0)
        return np.column_stack([largest, doubled, doubled - largest, 1 - law.floor, law.exponent])


# What users write among the analyses of a study.
learning_curve = LearningCurve
learning_curve_fit = LearningCurveFit
