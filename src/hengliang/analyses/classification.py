"""Classification metrics: accuracy, precision, recall and F1, differences of accuracy, and ties.

Analyses of answers that name one class: accuracy, precision and recall averaged over classes, the difference of two
systems' accuracy on the same items, and how many answers were drawn because choices were equally probable. All
intervals resample whole clusters (`hengliang.statistics.resampling`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal, get_args

import numpy as np
import polars as pl
import scipy

from hengliang.analyses import outcomes
from hengliang.analyses.clustered import FACTOR_TITLES, LEVEL_TITLES, ClusteredAnalysis, mean_with_interval
from hengliang.core.base_classes import Analysis, Layout, StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.statistics.resampling import (
    Floats,
    Integers,
    IntervalKind,
    Intervals,
    bootstrap,
    cluster_codes,
    cluster_counts,
)

# --- names of averages and pairs --------------------------------------------------------------------------------------


Average = Literal["macro", "weighted"]
Pairs = Literal["all"] | Sequence[tuple[str, str]]


# --- accuracy -------------------------------------------------------------------------------------------------------


@register("accuracy")
class Accuracy(ClusteredAnalysis):
    """The mean of the judgements `match`, by system and by further factors.

    Answers that were not given or not judged are left out of the mean and counted in `n_missing`.
    """

    conventions: Mapping[str, str] = {"unanswered": "left out and counted"}
    explanation = Bilingual(
        "The share of answers that are the gold answer. Answers that are missing are counted apart and not as wrong.",
        "与标准答案一致的回答所占比例。缺失的回答单独计数，不算作错误。",
    )

    def __init__(
        self,
        by: str | Sequence[str] = (),
        cluster: str = "block",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        measure: str = "match",
        name: str = "",
    ) -> None:
        super().__init__(cluster, draws, seed, level, interval)
        self.by = _names(by)
        self.measure = measure
        usual = measure == "match"
        self.name = name or ("accuracy" if usual else f"{measure} accuracy") + (
            " by " + " and ".join(self.by) if self.by else ""
        )
        titles = [FACTOR_TITLES.get(factor, Bilingual(factor, factor)) for factor in self.by]
        self.title = Bilingual(
            ("Accuracy" if usual else f"Accuracy ({measure})")
            + (" by " + " and ".join(title.en.lower() for title in titles) if titles else ""),
            ("准确率" if usual else f"准确率：{measure}")
            + (f"（按{'、'.join(title.zh for title in titles)}）" if titles else ""),
        )

        if not usual:
            self.explanation = Bilingual(
                f"The mean of the measure '{measure}', from 0 to 1. Answers that are missing are counted apart and not "
                "as 0.",
                f"指标“{measure}”的平均值，介于 0 与 1 之间。缺失的回答单独计数，不算作 0。",
            )

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return one row for each system and combination of levels."""
        rows = outcomes.with_judgements(outcomes.due_answers(tables), tables, self.measure)
        rows = outcomes.with_clusters(outcomes.with_factors(rows, tables, self.by), tables, self.cluster)
        estimates: list[Estimate] = []
        for by, cell in outcomes.cells(rows, self.by):
            judged = cell.drop_nulls("value")
            intervals = mean_with_interval(judged["value"], judged["cluster"], self.resampling())
            note = f"mean of '{self.measure}'"
            counts = (judged.height, cell.height - judged.height)
            estimates += self.cell_estimates(by, ["accuracy"], intervals, counts, note)
        return estimates_frame(estimates)

    def layout(self) -> Layout:
        """Return systems as rows; with further factors these are the rows and the systems the columns."""
        return Layout(
            rows=self.by or ("system",),
            columns="system" if self.by else "statistic",
            statistics={"accuracy": StatisticLabel(Bilingual("Accuracy", "准确率"), "percent", 1)},
            factors={name: FACTOR_TITLES[name] for name in ("system", *self.by) if name in FACTOR_TITLES},
            levels=LEVEL_TITLES,
        )


def _names(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


# --- precision and recall -------------------------------------------------------------------------------------------

_RATIOS = ("precision", "recall", "F1")
_RATIO_TITLES = {"precision": "精确率", "recall": "召回率", "F1": "F1"}
_AVERAGE_TITLES = {"macro": "宏平均", "weighted": "加权平均"}


@register("precision and recall")
class PrecisionRecall(ClusteredAnalysis):
    """Precision, recall and F1 of each system, averaged over classes.

    The classes are those that are gold or were answered. `macro` is the plain mean over classes, `weighted` the mean
    weighted by how often a class is gold. A ratio whose denominator is zero is 0. A class that does not occur in a
    resample is left out of the macro mean of that resample. An item without an answer counts for recall as not found;
    items without a gold answer are left out; `n_missing` counts both.

    The interval is BCa by default: resamples hold fewer rare classes than the sample, which shifts F1 and weighted
    precision, and a percentile interval is shifted with them (docs/classification.md has the measurement).
    """

    title = Bilingual("Precision, recall and F1", "精确率、召回率与 F1")
    explanation = Bilingual(
        "Precision: how many of the answers naming a class were right. Recall: how many of the items of a class were "
        "found. F1: their harmonic mean, class by class. The macro average gives every class the same weight, the "
        "weighted average weighs it by how often it is the gold answer.",
        "精确率：回答为某类的条目中正确的比例。召回率：属于某类的条目中被找出的比例。F1：逐类计算的二者调和平均。"
        "宏平均对各类一视同仁，加权平均按各类在标准答案中的频次加权。",
    )
    conventions: Mapping[str, str] = {
        "classes": "gold or answered in the sample",
        "zero_division": "0",
        "absent": "classes not in a resample are left out of its macro mean",
        "unanswered": "not predicted",
    }

    def __init__(
        self,
        average: Average | Sequence[Average] = ("macro", "weighted"),
        cluster: str = "block",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "bca",
        name: str = "precision and recall",
    ) -> None:
        super().__init__(cluster, draws, seed, level, interval)
        self.average = _averages(average)
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return a row for each system, average and ratio."""
        averages = _averages(self.average)
        gold = tables.items.select(item="id", gold=pl.col("gold").str.normalize("NFC"))
        rows = outcomes.due_answers(tables, ("label", "ranking")).join(
            gold, on="item", how="left", maintain_order="left"
        )
        rows = outcomes.with_clusters(rows, tables, self.cluster)
        names = [f"{average} {ratio}" for average in averages for ratio in _RATIOS]
        estimates: list[Estimate] = []
        for by, cell in outcomes.cells(rows, ()):
            known = cell.drop_nulls("gold")
            n = known["label"].count()
            intervals = self._averaged(known, averages) if n else None
            note = f"{known.height - n} unanswered items count as not predicted"
            note += f", {cell.height - known.height} without a gold answer are left out"
            estimates += self.cell_estimates(by, names, intervals, (n, cell.height - n), note)
        return estimates_frame(estimates)

    def _averaged(self, rows: pl.DataFrame, averages: Sequence[Average]) -> Intervals:
        classes = pl.concat([rows["gold"], rows["label"]]).drop_nulls().unique().sort()
        number = dict(zip(classes.to_list(), range(len(classes)), strict=True))
        gold = rows["gold"].replace_strict(number, return_dtype=pl.Int64).to_numpy()
        label = rows["label"].replace_strict(number, default=-1, return_dtype=pl.Int64).to_numpy()
        clusters, count = cluster_codes(rows["cluster"])
        sums = _class_counts(clusters, gold, label, (count, 3 * len(classes)))
        picked = [3 * get_args(Average).index(average) + index for average in averages for index in range(3)]

        def statistic(totals: Floats) -> Floats:
            return averaged_ratios(totals)[:, picked]

        return bootstrap(sums, statistic, self.resampling())

    def layout(self) -> Layout:
        """Return systems as rows and the ratios as columns."""
        labels = {
            f"{average} {ratio}": StatisticLabel(
                Bilingual(f"{average.capitalize()} {ratio}", _AVERAGE_TITLES[average] + _RATIO_TITLES[ratio]),
                "percent",
                1,
            )
            for average in _averages(self.average)
            for ratio in _RATIOS
        }
        return Layout(rows=("system",), statistics=labels, factors={"system": FACTOR_TITLES["system"]})


def _averages(average: Average | Sequence[Average]) -> tuple[Average, ...]:
    averages: tuple[Average, ...] = (average,) if isinstance(average, str) else tuple(average)
    for name in averages:
        if name not in get_args(Average):
            raise unknown_name("average", name, get_args(Average))
    return averages


def _class_counts(
    clusters: Integers, gold: Integers, label: Integers, shape: tuple[int, int]
) -> scipy.sparse.csr_array:
    """Count by cluster and class: right, answered, gold."""
    n_classes = shape[1] // 3
    answered, right = label >= 0, label == gold
    row = np.concatenate([clusters[right], clusters[answered], clusters])
    column = np.concatenate([label[right], n_classes + label[answered], 2 * n_classes + gold])
    return cluster_counts(row, column, shape=shape)


def averaged_ratios(totals: Floats) -> Floats:
    """Return macro precision, recall and F1, then the weighted ones, of each row of counts (right, answered, gold)."""
    right, answered, gold = np.split(totals, 3, axis=1)
    ratios = (_ratio(right, answered), _ratio(right, gold), _ratio(2 * right, answered + gold))
    present = ((answered + gold) > 0).sum(axis=1)
    size = gold.sum(axis=1)
    macro = [ratio.sum(axis=1) / present for ratio in ratios]
    weighted = [(ratio * gold).sum(axis=1) / size for ratio in ratios]
    return np.column_stack([*macro, *weighted])


def _ratio(part: Floats, whole: Floats) -> Floats:
    ratio: Floats = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
    return ratio


# --- difference of accuracy -------------------------------------------------------------------------------------------


@register("accuracy difference")
class AccuracyDifference(ClusteredAnalysis):
    """The accuracy of one system minus that of another on the items for which both were judged.

    A pair (a, b) gives a − b. `all` takes each pair of systems once, the one whose name comes later minus the other.
    Several answers of a system to an item (seeds) are averaged first, so that an item counts once. Both systems have
    the same resampled clusters, which is what makes the comparison paired.
    """

    title = Bilingual("Difference of accuracy", "准确率之差")
    explanation = Bilingual(
        "The accuracy of a system minus that of the one it is compared with, on the same items. An interval that "
        "leaves out zero speaks for a difference; one that holds zero does not show that there is none.",
        "同一批条目上，某系统的准确率减去对照系统的准确率。区间不含零，支持存在差异；区间含零，并不证明没有差异。",
    )
    conventions: Mapping[str, str] = {"paired": "items judged for both", "seeds": "averaged by item"}

    def __init__(
        self,
        pairs: Pairs = "all",
        cluster: str = "block",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        measure: str = "match",
        name: str = "accuracy difference",
    ) -> None:
        super().__init__(cluster, draws, seed, level, interval)
        self.pairs = pairs
        self.measure = measure
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return one row for each pair of systems."""
        rows = outcomes.with_judgements(outcomes.due_answers(tables), tables, self.measure)
        rows = outcomes.with_clusters(rows, tables, self.cluster)
        means = rows.group_by("system", "item", "cluster", maintain_order=True).agg(pl.col("value").mean())
        by_system = {str(key[0]): frame for key, frame in means.group_by(["system"], maintain_order=True)}
        estimates: list[Estimate] = []
        for system, reference in self._pairs(list(by_system)):
            both = by_system[system].join(
                by_system[reference], on=["item", "cluster"], how="full", coalesce=True, suffix="_reference"
            )
            both = both.sort("item").with_columns(difference=pl.col("value") - pl.col("value_reference"))
            judged = both.drop_nulls("difference")
            intervals = mean_with_interval(judged["difference"], judged["cluster"], self.resampling())
            by = {"system": system, "reference": reference}
            note = f"mean paired difference of '{self.measure}'"
            counts = (judged.height, both.height - judged.height)
            estimates += self.cell_estimates(by, ["difference"], intervals, counts, note)
        return estimates_frame(estimates)

    def _pairs(self, systems: list[str]) -> list[tuple[str, str]]:
        if isinstance(self.pairs, str):
            if self.pairs != "all":
                raise UserError(
                    f"'{self.pairs}' names no pairs.", valid="'all', or a list of pairs (system, reference)."
                )
            return [(later, earlier) for earlier, later in combinations(sorted(systems), 2)]
        for name in (name for pair in self.pairs for name in pair):
            if name not in systems:
                raise unknown_name("system", name, systems)
        return [(system, reference) for system, reference in self.pairs]

    def layout(self) -> Layout:
        """Return pairs as rows."""
        label = StatisticLabel(Bilingual("Difference of accuracy", "准确率之差"), "percent", 1)
        factors = {name: FACTOR_TITLES[name] for name in ("system", "reference")}
        return Layout(rows=("system", "reference"), statistics={"difference": label}, factors=factors)


# What users write among the analyses of a study: accuracy(by="construction", draws=500).
accuracy = Accuracy
precision_recall = PrecisionRecall
accuracy_difference = AccuracyDifference


# --- ties -------------------------------------------------------------------------------------------------------------
# Counts the answers that were drawn because two or more choices were equally probable.
#
# A tie is never settled by the order of arguments: a system draws, with a seed. What was drawn says nothing about the
# system, so a report shows beside its accuracy how many of its answers were.


@register("ties")
class Ties(Analysis):
    """The number and share of rankings of each system whose first choice is no more probable than the second."""

    title = Bilingual("Ties", "并列")
    explanation = Bilingual(
        "Answers whose first choice is no more probable than the second: which of them came first was drawn with the "
        "system's seed.",
        "首选与次选概率相同的回答：何者居首由该系统的随机种子抽签决定。",
    )

    def __init__(self, name: str = "ties") -> None:
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the number and the share of ties of each system that answers with rankings."""
        if "ranking" not in tables.responses:
            raise UserError("There are no rankings in which ties could be counted.")
        rankings = tables.responses["ranking"]
        probability = pl.col("content").list.eval(pl.element().struct.field("probability"))
        first, second = (probability.list.get(rank, null_on_oob=True) for rank in (0, 1))
        answered = pl.col("status") == "ok"
        counts = rankings.group_by("system").agg(
            ties=(answered & (first == second)).sum(), n=answered.sum(), missing=(~answered).sum()
        )
        rows = [
            Estimate(
                analysis=self.name,
                by={"system": row["system"]},
                statistic=statistic,
                value=value,
                n=row["n"],
                n_missing=row["missing"],
                method="counted: the first two probabilities are equal",
                signature=str(self.signature()),
            )
            for row in counts.sort("system").iter_rows(named=True)
            for statistic, value in (
                ("ties", float(row["ties"])),
                ("share", row["ties"] / row["n"] if row["n"] else None),
            )
        ]
        return estimates_frame(rows)

    def layout(self) -> Layout:
        """Show one row per system."""
        return Layout(
            rows=("system",),
            statistics={
                "ties": StatisticLabel(Bilingual("Ties", "并列数"), "integer", 0),
                "share": StatisticLabel(Bilingual("Share of answers", "占回答比例"), "percent", 1),
            },
            factors={"system": FACTOR_TITLES["system"]},
            figure="none",
        )


# What users write among the analyses of a study.
ties = Ties
