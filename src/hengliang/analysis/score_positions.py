"""Where does each sentence stand among the others, by its rating and by each system's score?

Ratings and scores have different scales. As Z-scores (less the mean, over the standard deviation of the sentences of
the same dataset and mode) they can be laid side by side, as Table 9 of the paper does for one sentence [1]. A sentence
can illustrate and proves nothing: the most divergent ones are chosen because they diverge. How often each system is
the nearest to the rating over all sentences is told beside them.

[1] Daultani, V., Okazaki, N. (2022). Improving automatic evaluation of acceptability based on language models with a
    coarse sentence representation. PACLIC 36, Table 9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from hengliang.analyses.clustered import LEVEL_TITLES
from hengliang.analyses.subsets import Where, as_names
from hengliang.analysis.rating_correlation import RATING_FACTORS, in_words
from hengliang.analysis.rating_rows import SOURCE, Asked, Scored, problem_of, rating_rows, scored_cells
from hengliang.core.base_classes import Analysis, Conclusion, Layout, StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.statistics.resampling import Floats

POSITION, RATING = "z", "rating"
JUDGE = "score"
"""The factor whose levels are the rating and the systems."""

TEXT = "as written"
"""The factor that shows the sentence itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """The sentences of one cell that have every value, with the Z-score of the rating and of each system's score."""

    by: Mapping[str, str]
    items: tuple[str, ...]
    sources: tuple[str, ...]
    rating: Floats
    scores: Mapping[str, Floats]
    left_out: int
    problem: Bilingual | None = None

    def divergence(self) -> Floats:
        """Return how far the systems' positions of each sentence lie apart: the highest less the lowest."""
        spread: Floats = np.ptp(np.array(list(self.scores.values())), axis=0)
        return spread


@register("score positions")
class ScorePositions(Analysis):
    """Z-scores of ratings and scores side by side, for chosen sentences or those on which systems differ most.

    `parts` is the one measure whose scores are shown; `systems` are those to be compared, all by default. Of each
    combination of levels the `count` most divergent sentences are listed, one of each source sentence, or those named
    in `items`. A system with several seeds has the mean of their Z-scores. With `text` the sentence stands beside its
    id: think of whose it is before the report is passed on.
    """

    title = Bilingual("Sentences by rating and by score", "句子在评分与分数中的位置")
    explanation = Bilingual(
        "As in Table 9 of Daultani and Okazaki (2022): Z-scores of the rating and of the scores, within dataset and "
        "mode. 0 is the average sentence, 1 one standard deviation above it. Listed are the sentences on which the "
        "systems differ most, one of each source sentence, or those that were asked for. They were chosen for that, "
        "and show no more than what a difference looks like.",
        "形式同 Daultani 与 Okazaki（2022）表 9：评分与分数的 Z 分数，在同一数据集、同一呈现方式内计算。"
        "0 为平均水平，1 表示高出一个标准差。所列为各系统差异最大的句子（每个源句只列一句）或指定的句子；"
        "它们正是因此被选出的，只能用来说明差异的样子。",
    )

    def __init__(
        self,
        parts: str = "SLOR",
        systems: str | Sequence[str] = (),
        count: int = 10,
        items: str | Sequence[str] = (),
        by: str | Sequence[str] = ("dataset", "mode"),
        where: Where | None = None,
        measure: str = "acceptability",
        rating: str = "rating",
        text: bool = False,
        name: str = "score positions",
    ) -> None:
        self.parts = parts
        self.systems = as_names(systems)
        self.count = count
        self.items = as_names(items)
        self.by = as_names(by)
        self.where = dict(where or {})
        self.measure = measure
        self.rating = rating
        self.text = text
        self.name = name

    def positions(self, tables: Tables) -> list[Positions]:
        """Return the Z-scores of all sentences, a table for each combination of levels."""
        if not isinstance(self.parts, str) or not self.parts:
            raise UserError(f"parts = {self.parts!r} is not one measure.", valid="One name, such as 'SLOR'.")
        if self.count < 1:
            raise UserError(f"{self.count} sentences cannot be listed.", valid="count is a whole number, 1 or more.")
        source = SOURCE if SOURCE in tables.items.columns else "item"
        asked = Asked(self.measure, self.rating, (self.parts,), self.by, source, self.where)
        rows = rating_rows(tables, asked)
        known = [str(system) for system in rows["system"].unique(maintain_order=True)]
        for system in self.systems:
            if system not in known:
                raise unknown_name("system", system, known)
        items = set(rows["item"])
        for item in self.items:
            if item not in items:
                raise UserError(f"No scored sentence is called '{item}'.", valid="Ids of items, as the run has them.")
        chosen = self.systems or tuple(known)
        return [self._of_cell(by, cell, chosen) for by, cell in scored_cells(rows, self.by)]

    def _of_cell(self, by: Mapping[str, str], cell: Scored, systems: Sequence[str]) -> Positions:
        present = [system for system in systems if (system, self.parts) in cell.scores]
        places = cell.complete(*((system, self.parts) for system in present))
        tables = {system: cell.scores[system, self.parts][:, places] for system in present}
        problem = problem_of(cell.ratings[places], tables)
        names = tuple(cell.items[place] for place in places)
        sources = tuple(cell.clusters.gather(places))
        left_out = len(cell.items) - len(places)
        if problem is not None or not present:
            problem = problem or Bilingual("no system scored these sentences", "没有系统为这些句子评分")
            return Positions(by, names, sources, np.empty(0), {}, left_out, problem)
        scores = {system: np.mean([standardised(seed) for seed in table], axis=0) for system, table in tables.items()}
        return Positions(by, names, sources, standardised(cell.ratings[places]), scores, left_out)

    def conclude(self, tables: Tables) -> Conclusion:
        """Return the Z-scores of the listed sentences, and how often each system is nearest to the rating."""
        rows: list[Estimate] = []
        told: list[Bilingual] = []
        contents = dict(tables.items.select("id", "content").iter_rows()) if self.text else {}
        for cell in self.positions(tables):
            where = in_words(cell.by)
            if cell.problem is not None:
                rows.append(self._estimate(cell, {**cell.by, JUDGE: RATING}, None, f"no number: {cell.problem.en}"))
                told.append(
                    Bilingual(
                        f"{where.en}: no positions ({cell.problem.en}).",
                        f"{where.zh}：无法确定位置（{cell.problem.zh}）。",
                    )
                )
                continue
            listed = self._listed(cell)
            rows += self._rows(cell, listed, contents)
            if len(cell.scores) > 1 and listed:
                told.append(_nearest(cell, listed, where))
        return Conclusion(estimates_frame(rows), tuple(told))

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the Z-score of the rating and of each system for every listed sentence."""
        return self.conclude(tables).estimates

    def _listed(self, cell: Positions) -> list[int]:
        if self.items:
            return [cell.items.index(item) for item in self.items if item in cell.items]
        # Items are in the order of their names, which settles ties.
        order = np.argsort(-np.round(cell.divergence(), 12), kind="stable")
        # Versions of one sentence would fill the list with the same thing.
        first: dict[str, int] = {}
        for place in order.tolist():
            first.setdefault(cell.sources[place], place)
        return list(first.values())[: self.count]

    def _rows(self, cell: Positions, listed: Sequence[int], contents: Mapping[str, str]) -> Iterator[Estimate]:
        columns = {RATING: cell.rating, **cell.scores}
        for place in listed:
            for judge, values in columns.items():
                of = f"'{self.rating}'" if judge == RATING else f"'{self.parts}' of {judge}"
                method = f"{of} less its mean, over its standard deviation (n − 1), {len(cell.items)} sentences"
                item = cell.items[place]
                text = {TEXT: contents[item]} if contents else {}
                factors = {**cell.by, "item": item, **text, JUDGE: judge}
                yield self._estimate(cell, factors, float(values[place]), method)

    def _estimate(self, cell: Positions, by: Mapping[str, str], value: float | None, method: str) -> Estimate:
        n, signature = len(cell.items), str(self.signature())
        return Estimate(
            self.name, by, POSITION, value, n=n, n_missing=cell.left_out, method=method, signature=signature
        )

    def layout(self) -> Layout:
        """Return sentences as rows; the rating and the systems are the columns."""
        names = (*self.by, "item", *([TEXT] if self.text else []))
        return Layout(
            rows=names,
            columns=JUDGE,
            statistics={
                POSITION: StatisticLabel(
                    Bilingual(f"Z-score (scores: {self.parts})", f"Z 分数（分数为 {self.parts}）"), "number", 2
                )
            },
            factors={
                TEXT: Bilingual("As written", "原文"),
                **{name: RATING_FACTORS[name] for name in names if name in RATING_FACTORS},
            },
            levels={**LEVEL_TITLES, RATING: Bilingual("rating", "评分")},
            figure="none",
        )


def standardised(values: Floats) -> Floats:
    """Return (value − mean) / standard deviation, with n − 1 below the line."""
    result: Floats = (values - values.mean()) / values.std(ddof=1)
    return result


def _nearest(cell: Positions, listed: Sequence[int], where: Bilingual) -> Bilingual:
    """Say how often each system's position is the nearest to the rating's; equally near ones count for neither."""
    distances = np.round(np.abs(np.array(list(cell.scores.values())) - cell.rating), 12)
    nearest = (distances == distances.min(axis=0)) & ((distances == distances.min(axis=0)).sum(axis=0) == 1)
    english, chinese = [], []
    for system, row in zip(cell.scores, nearest, strict=True):
        few, share = int(row[list(listed)].sum()), 100 * row.mean()
        english.append(f"{system} in {few} of these {len(listed)} and in {share:.1f} % of all {len(cell.items)}")
        chinese.append(f"{system} 在这 {len(listed)} 句中占 {few} 句，在全部 {len(cell.items)} 句中占 {share:.1f} %")
    return Bilingual(
        f"{where.en}: nearest to the rating is {'; '.join(english)}.",
        f"{where.zh}，与评分最接近的系统：{'；'.join(chinese)}。",
    )


# What users write among the analyses of a study.
score_positions = ScorePositions
