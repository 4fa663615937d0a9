"""How often is each system right on the whole, and with each category of classifiers?

The layout of the corpus evaluation in [1]: a row for the whole dataset and one for each category, a column for each
system and one for the frequency, which is `n`. Any attribute of the items makes the categories.

[1] de Bruijn (2023), Figure 1: Table 2 of Järnfors, J. (2021). Computational models of classifier choice in Mandarin:
    from rule-based to BERT. Master's thesis, Utrecht University.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from hengliang.analyses import outcomes
from hengliang.analyses.clustered import FACTOR_TITLES, LEVEL_TITLES, ClusteredAnalysis, mean_with_interval
from hengliang.analysis.slot_titles import SLOT_FACTORS, slot_levels
from hengliang.core.base_classes import Layout, StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate, estimate_records, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual, add_terms, both
from hengliang.materials.classifier_categories import CATEGORIES
from hengliang.statistics.resampling import IntervalKind

WHOLE = "whole dataset"
WHOLE_TITLE = Bilingual("Whole dataset", "全部数据")
CATEGORY_FACTORS: Mapping[str, Bilingual] = {**FACTOR_TITLES, **SLOT_FACTORS}

add_terms(levels=slot_levels("category"), of="category")


@register("category accuracy")
class CategoryAccuracy(ClusteredAnalysis):
    """The mean of the judgements `match` on all items and on each level of `by`, of each system.

    `levels` gives the order of the rows and keeps levels that no item has, with n = 0; of the attribute `category` they
    are those of our inventory, not in list included. Levels that are not named follow. Answers of several seeds to an
    item are averaged first, so that `n` is the frequency of the category; an item without a judged answer is counted in
    `n_missing`. Each row resamples its own clusters.
    """

    conventions: Mapping[str, str] = {"unanswered": "left out and counted", "seeds": "averaged by item"}
    explanation = Bilingual(
        "The share of right answers on all items, then by category; n is the frequency. Answers that are missing are "
        "counted apart and not as wrong. Seeds of one system are averaged.",
        "先列全部条目的准确率，再按类别列出；n 为频次。缺失的回答单独计数，不算作错误。同一系统的多个随机种子取平均。",
    )

    def __init__(
        self,
        by: str = "category",
        levels: Sequence[str] | None = None,
        cluster: str = "block",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        measure: str = "match",
        name: str = "",
    ) -> None:
        super().__init__(cluster, draws, seed, level, interval)
        self.by = by
        self.levels = tuple(levels) if levels is not None else None
        self.measure = measure
        self.name = name or ("category accuracy" if by == "category" else f"category accuracy by {by}")
        title = CATEGORY_FACTORS.get(by, both(by))
        self.title = Bilingual(f"Accuracy on the whole and by {title.en.lower()}", f"总体与各{title.zh}的准确率")

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return one row for each system and category, that of the whole dataset first."""
        if not isinstance(self.by, str) or not self.by:
            raise UserError(f"{self.by!r} names no attribute.", valid="One attribute of the items, such as 'category'.")
        rows = outcomes.with_judgements(outcomes.due_answers(tables), tables, self.measure)
        rows = outcomes.with_clusters(outcomes.with_factors(rows, tables, (self.by,)), tables, self.cluster)
        rows = rows.with_columns(
            pl.Series("category_name", [outcomes.level_name(level) for level in rows[self.by]], dtype=pl.String)
        )
        ordered = self._ordered(rows)
        means = rows.group_by("system", "item", "cluster", "category_name", maintain_order=True).agg(
            pl.col("value").mean()
        )
        return estimates_frame(
            row for system, cell in _systems(means) for row in self._of_system(system, cell, ordered)
        )

    def _ordered(self, rows: pl.DataFrame) -> list[str]:
        present = rows.select(self.by, "category_name").unique().sort(self.by, nulls_last=True)
        named = self.levels if self.levels is not None else (CATEGORIES if self.by == "category" else ())
        if WHOLE in (*named, *present["category_name"]):
            raise UserError(f"'{WHOLE}' is the name of the row of all items.", remedy="Rename the level.")
        return list(dict.fromkeys([*named, *present["category_name"].to_list()]))

    def _of_system(self, system: str, cell: pl.DataFrame, levels: Sequence[str]) -> Iterator[Estimate]:
        groups = {WHOLE: cell} | {level: cell.filter(pl.col("category_name") == level) for level in levels}
        for level, group in groups.items():
            judged = group.drop_nulls("value")
            intervals = mean_with_interval(judged["value"], judged["cluster"], self.resampling())
            counts = (judged.height, group.height - judged.height)
            by = {"system": system, self.by: level}
            yield from self.cell_estimates(by, ["accuracy"], intervals, counts, f"mean of '{self.measure}' by item")

    def sentences(self, estimates: pl.DataFrame) -> Sequence[Bilingual]:
        """Say which systems are best and second in each row."""
        rows: dict[str, list[tuple[float, str]]] = {}
        for row in estimate_records(estimates):
            if row.value is not None:
                rows.setdefault(row.by[self.by], []).append((row.value, row.by["system"]))
        return [_best(self._title(level), sorted(held, reverse=True)) for level, held in rows.items() if len(held) > 1]

    def _title(self, level: str) -> Bilingual:
        return self.layout().levels.get(level) or both(level)

    def layout(self) -> Layout:
        """Return the categories as rows and the systems as columns."""
        return Layout(
            rows=(self.by,),
            columns="system",
            statistics={"accuracy": StatisticLabel(Bilingual("Accuracy", "准确率"), "percent", 1)},
            factors={name: CATEGORY_FACTORS[name] for name in ("system", self.by) if name in CATEGORY_FACTORS},
            levels={WHOLE: WHOLE_TITLE, **LEVEL_TITLES, **slot_levels(self.by)},
        )


def _systems(means: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    for key, cell in means.group_by(["system"], maintain_order=True):
        yield str(key[0]), cell


def _best(level: Bilingual, ranked: Sequence[tuple[float, str]]) -> Bilingual:
    """Name the best systems of a row and the next ones; equal ones share their place."""
    places = list(dict.fromkeys(value for value, _ in ranked))[:2]
    named = [", ".join(sorted(name for value, name in ranked if value == place)) for place in places]
    shares = [f"{100 * place:.1f} %" for place in places]
    english = f"{level.en}: {named[0]} ({shares[0]}) highest"
    chinese = f"{level.zh}：{named[0]}（{shares[0]}）最高"
    if len(places) > 1:
        english, chinese = f"{english}, then {named[1]} ({shares[1]})", f"{chinese}，其次为 {named[1]}（{shares[1]}）"
    return Bilingual(f"{english}.", f"{chinese}。")


# What users write among the analyses of a study.
category_accuracy = CategoryAccuracy
