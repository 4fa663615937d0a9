"""Paired differences of accuracy between two language models on the same suites: bootstrap and permutation test.

Both models judged the same predictions, so that easy and hard items do not blur the difference. Trainings of a model
are averaged prediction by prediction. The interval resamples whole items with all their modifiers and comparisons; p
comes from a test in which the two models change places item by item [1]. Both speak of other items of this kind, not of
other trainings: with two or three of each, a mixed model with trainings as a random effect says more about that
(`hengliang.grammar.models`).

[1] Good, P. (2005). Permutation, parametric and bootstrap tests of hypotheses. Springer, chapter 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from types import MappingProxyType
from typing import Literal, get_args

import polars as pl

from hengliang.analyses.clustered import ClusteredAnalysis, mean_with_interval
from hengliang.analyses.observations import observations
from hengliang.analyses.subsets import (
    Group,
    Where,
    as_names,
    column_titles,
    counting_parts,
    grouped,
    level_titles,
    named_levels,
    of_materials,
    restricted,
    with_open_ties,
)
from hengliang.core.base_classes import Conclusion, Layout, StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.statistics.multiple_testing import CORRECTIONS, Correction, family
from hengliang.statistics.permutation import paired_permutation
from hengliang.statistics.resampling import IntervalKind
from hengliang.statistics.results import check_alpha, check_choice

Ties = Literal["half", "failure"]
DIFFERENCE, ADJUSTED = "difference", "adjusted p"
STATISTICS: Mapping[str, StatisticLabel] = {
    DIFFERENCE: StatisticLabel(Bilingual("Difference of accuracy", "准确率之差"), "percent", 1),
    ADJUSTED: StatisticLabel(Bilingual("Adjusted p", "校正后的 p"), "p"),
}


@register("suite differences")
class SuiteDifferences(ClusteredAnalysis):
    """Pairs of systems on the same predictions: the difference of accuracy with its interval, and p, corrected.

    A pair (a, b) gives a − b; without pairs each is taken once, the system that the study names later minus the other.
    `by` and `where` are those of `hengliang.analyses.grouped_models`. A tie counts half, or as a failure. All pairs in
    all groups are one family for `correction`.
    """

    explanation = Bilingual(
        "The accuracy of the first system less that of the second, on the same predictions; trainings are averaged. "
        "Intervals resample items; in the test the two systems change places item by item.",
        "在相同预测上，前一系统的准确率减去后一系统的准确率；同一系统的多次训练取平均。"
        "区间按条目重抽样得到；检验中两个系统逐条目互换。",
    )
    conventions: Mapping[str, str] = {"paired": "predictions judged for both", "seeds": "averaged by prediction"}

    def __init__(
        self,
        pairs: Sequence[tuple[str, str]] = (),
        by: str | Sequence[str] = (),
        where: Where = MappingProxyType({}),
        ties: Ties = "half",
        correction: Correction = "holm",
        alpha: float = 0.05,
        permutations: int = 9999,
        cluster: str = "frame",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        measure: str = "prediction",
        name: str = "",
    ) -> None:
        super().__init__(cluster, draws, seed, level, interval)
        self.pairs = tuple((str(first), str(second)) for first, second in pairs)
        self.by = as_names(by)
        self.where = {column: named_levels(levels) for column, levels in where.items()}
        self.ties: Ties = ties
        self.correction: Correction = correction
        self.alpha = alpha
        self.permutations = permutations
        self.measure = measure
        asked = of_materials(where)
        known = column_titles()
        titles = [known.get(factor, Bilingual(factor, factor)) for factor in self.by]
        by_en = " by " + " and ".join(title.en.lower() for title in titles) if titles else ""
        by_zh = f"（按{'、'.join(title.zh for title in titles)}）" if titles else ""
        self.name = name or f"suite differences{by_en}{asked.en}"
        self.title = Bilingual(f"Differences on the suites{by_en}{asked.en}", f"套件上的差异{by_zh}{asked.zh}")

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return a row for each pair and group, and the corrected p."""
        return self.conclude(tables).estimates

    def conclude(self, tables: Tables) -> Conclusion:
        """Return the differences, and what the family of tests says."""
        check_choice("correction", self.correction, tuple(CORRECTIONS))
        check_choice("ties", self.ties, get_args(Ties))
        check_alpha(self.alpha)
        tables = restricted(tables, self.measure, self.where)
        parts = counting_parts(tables, self.measure)
        pairs = self._pairs(tables)
        tables = with_open_ties(tables, self.measure, self.ties)
        groups = grouped(tables, self.measure, self.by, parts)
        rows = [row for group in groups.groups for row in self._of_group(group, pairs)]
        remarks = list(groups.remarks)
        if rows and self.correction != "none":
            corrected = family([(_label(row), row.p) for row in rows], method=self.correction, alpha=self.alpha)
            method = f"{CORRECTIONS[self.correction].en}, family of {corrected.size}"
            signature = str(self.signature().and_(family=corrected.signature()))
            rows += [
                Estimate(self.name, row.by, ADJUSTED, member.adjusted, method=method, signature=signature)
                for row, member in zip(list(rows), corrected.members, strict=True)
            ]
            remarks.insert(0, corrected.sentence())
        return Conclusion(estimates_frame(rows), tuple(remarks))

    def _pairs(self, tables: Tables) -> Sequence[tuple[str, str]]:
        names = tables.systems["name"].unique(maintain_order=True).to_list()
        for name in dict.fromkeys(name for pair in self.pairs for name in pair):
            if name not in names:
                raise unknown_name("system", name, names)
        same = [first for first, second in self.pairs if first == second]
        if same:
            raise UserError(f"'{same[0]}' cannot be compared with itself.", valid="Two different systems.")
        return self.pairs or [(later, earlier) for earlier, later in combinations(names, 2)]

    def _of_group(self, group: Group, pairs: Sequence[tuple[str, str]]) -> Iterator[Estimate]:
        parts = counting_parts(group.tables, self.measure)
        rows = observations(group.tables, self.measure, columns=[self.cluster], parts=parts)
        empty = rows.filter(pl.col(self.cluster).is_null())
        if empty.height:
            raise UserError(
                f"The attribute '{self.cluster}' is empty for the set '{empty['set'][0]}'.",
                remedy="Name another attribute as cluster; cluster='set' takes every set by itself.",
            )
        means = rows.group_by("system", "set", "part", maintain_order=True).agg(
            pl.col("value").mean(), cluster=pl.col(self.cluster).first()
        )
        for first, second in pairs:
            by = {**group.levels, "system": first, "reference": second}
            yield from self._difference(by, _paired(means, first, second))

    def _difference(self, by: Mapping[str, str], both: pl.DataFrame) -> Iterator[Estimate]:
        complete = both.drop_nulls(["first", "second"])
        mean = mean_with_interval(complete["first"] - complete["second"], complete["cluster"], self.resampling())
        counts = complete.height, both.height - complete.height
        note = "difference of accuracy on the same predictions, trainings averaged"
        for row in self.cell_estimates(by, [DIFFERENCE], mean, counts, note):
            try:
                test = paired_permutation(
                    complete["first"].to_numpy(), complete["second"].to_numpy(), items=complete["cluster"].to_list(),
                    draws=self.permutations, seed=self.seed, alpha=self.alpha, level=self.level,
                )  # fmt: skip
                yield replace(row, p=test.p, method=f"{row.method}; p: {test.method()}")
            except UserError as error:
                yield replace(row, method=f"{row.method}; no test: {error.problem}")

    def layout(self) -> Layout:
        """Return groups and pairs as rows and the numbers as columns."""
        rows, known = (*self.by, "system", "reference"), column_titles()
        return Layout(
            rows=rows,
            statistics=STATISTICS,
            factors={name: known[name] for name in rows if name in known},
            levels=level_titles(),
            figure_statistics=(DIFFERENCE,),
        )


def _paired(means: pl.DataFrame, first: str, second: str) -> pl.DataFrame:
    """Return the predictions that were put to either system, with what each made of them."""
    key = ["set", "part", "cluster"]
    sides = [
        means.filter(pl.col("system") == name).select(*key, pl.col("value").alias(side))
        for name, side in ((first, "first"), (second, "second"))
    ]
    return sides[0].join(sides[1], on=key, how="full", coalesce=True).sort("set", "part")


def _label(row: Estimate) -> str:
    *levels, first, second = row.by.values()
    return " · ".join([*levels, f"{first} − {second}"])


# What users write among the analyses of a study.
suite_differences = SuiteDifferences
