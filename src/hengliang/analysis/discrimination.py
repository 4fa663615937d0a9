"""How well does each system tell acceptable sentences from versions of them that were made worse?

For each system, measure and kind of perturbation, originals stand against the versions that were made of them. The AUC
compares any original with any version, the share of pairs each version with its own original only, and correlations say
how much of the score is acceptability (`statistics.area_under_curve`). Intervals resample source sentences with
all that was made of them. AUC and correlations are means over the seeds of a system.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from hengliang.analyses.clustered import mean_with_interval
from hengliang.analyses.subsets import Where, as_names
from hengliang.analysis.perturbed_sentences import (
    ACCEPTABLE,
    FACTORS,
    LEVELS,
    PERTURBATION,
    Cell,
    PerturbedAnalysis,
    Sample,
    has_both_sides,
    place_told,
    scores_of,
    titled,
)
from hengliang.core.base_classes import Layout, StatisticLabel
from hengliang.core.errors import unknown_name
from hengliang.core.records import Estimate, estimate_records, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.measures.acceptability import SENTENCE_PARTS
from hengliang.statistics.area_under_curve import STATISTICS as OF_SAMPLES
from hengliang.statistics.area_under_curve import discriminate, pairs_won
from hengliang.statistics.results import write_bounded

AUC, PAIRS = "AUC", "pairs"
TITLE = Bilingual("Acceptable against perturbed sentences", "可接受句与扰动句的区分")
STATISTICS: Mapping[str, StatisticLabel] = {
    AUC: StatisticLabel(Bilingual("AUC", "AUC"), "number", 3),
    PAIRS: StatisticLabel(Bilingual("Own original higher", "原句得分较高的句对"), "percent", 1),
    "Pearson": StatisticLabel(Bilingual("Pearson's r", "Pearson 相关 r"), "number", 3),
    "Spearman": StatisticLabel(Bilingual("Spearman's ρ", "Spearman 相关 ρ"), "number", 3),
}
METHODS: Mapping[str, str] = {
    AUC: "P(original above a version) + ½ P(equal)",
    PAIRS: "share of versions below their own original, ties half",
    "Pearson": "point-biserial correlation of acceptability and score",
    "Spearman": "rank correlation of acceptability and score",
}


@register("discrimination")
class Discrimination(PerturbedAnalysis):
    """AUC, share of pairs and correlations of each system and measure, by kind of perturbation and further factors.

    `where` keeps some sentences or systems: `{"has_entity": True}`.
    """

    explanation = Bilingual(
        "AUC: how often an original has a higher score than a version made worse, of whatever sentence; a tie counts "
        "half and .5 is chance. 'Own original higher' compares each version with its own original only. Intervals "
        "resample source sentences.",
        "AUC：任取一个原句和一个扰动句，原句得分较高的概率；同分计一半，随机水平为 0.5。"
        "“原句得分较高的句对”只将每个扰动句与其自身的原句相比。区间按源句重抽样得到。",
    )
    conventions: Mapping[str, str] = {
        "unscored": "left out and counted",
        "seeds": "mean over seeds",
        "originals": "of sets with a version of the kind",
    }

    def __init__(
        self,
        parts: str | Sequence[str] = SENTENCE_PARTS,
        by: str | Sequence[str] = (PERTURBATION,),
        statistics: str | Sequence[str] = tuple(STATISTICS),
        where: Where | None = None,
        measure: str = "acceptability",
        cluster: str = "set",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        name: str = "discrimination",
    ) -> None:
        super().__init__(parts, by, where, measure, cluster, draws, seed, level)
        self.statistics = as_names(statistics)
        self.name = name

    @property
    def title(self) -> Bilingual:  # type: ignore[override]
        """What is shown, of which measures and by what."""
        return titled(TITLE, self.parts, self.by)

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return one row for each system, measure, kind and statistic."""
        for statistic in self.statistics:
            if statistic not in STATISTICS:
                raise unknown_name("statistic of discrimination", statistic, STATISTICS)
        return estimates_frame(estimate for cell in self.cells(tables) for estimate in self._of_cell(cell))

    def _of_cell(self, cell: Cell) -> Iterator[Estimate]:
        rows = cell.complete
        found = None
        if has_both_sides(rows) and set(self.statistics) & set(OF_SAMPLES):
            found = discriminate(rows[ACCEPTABLE], scores_of(rows, cell.seeds), rows["cluster"], self.resampling())
        for statistic in self.statistics:
            if statistic == PAIRS:
                sample, ties = self._pairs(cell)
                yield self.number(cell, statistic, sample, f"{METHODS[PAIRS]} ({ties} tied)")
            else:
                sample = Sample(found, OF_SAMPLES.index(statistic), rows.height, cell.rows.height - rows.height)
                yield self.number(cell, statistic, sample, METHODS[statistic])

    def _pairs(self, cell: Cell) -> tuple[Sample, int]:
        """Return the share of pairs, and how many pairs are tied (of all seeds together)."""
        versions = cell.rows.filter(~pl.col(ACCEPTABLE))
        originals = cell.rows.filter(ACCEPTABLE).select("set", *cell.seeds)
        pairs = versions.join(originals, on="set", how="left", suffix=" of original", maintain_order="left")
        of_original = [f"{seed} of original" for seed in cell.seeds]
        scored = pairs.drop_nulls([*cell.seeds, *of_original])
        originally, changed = scores_of(scored, of_original), scores_of(scored, cell.seeds)
        won = pairs_won(originally, changed)
        found = mean_with_interval(pl.Series(won), scored["cluster"], self.resampling())
        return Sample(found, 0, scored.height, pairs.height - scored.height), int((originally == changed).sum())

    def sentences(self, estimates: pl.DataFrame) -> Sequence[Bilingual]:
        """Say of each measure and kind between which areas the systems lie."""
        groups: dict[tuple[str, ...], list[Estimate]] = {}
        for row in estimate_records(estimates):
            if row.statistic == AUC and row.value is not None:
                place = (row.by["part"], *(row.by.get(name, "") for name in self.by))
                groups.setdefault(place, []).append(row)
        return [_range_told(place_told(rows[0].by, self.by), rows) for rows in groups.values()]

    def layout(self) -> Layout:
        """Return statistics, measures and kinds as rows, a column a system."""
        return Layout(
            rows=("statistic", "part", *self.by),
            columns="system",
            statistics={name: STATISTICS[name] for name in self.statistics if name in STATISTICS},
            factors={name: FACTORS[name] for name in ("system", "part", *self.by) if name in FACTORS},
            levels=LEVELS,
            figure_statistics=(AUC,) if AUC in self.statistics else (),
        )


def _range_told(place: Bilingual, rows: Sequence[Estimate]) -> Bilingual:
    ordered = sorted(rows, key=_value)
    low, high = (_area_told(row) for row in (ordered[0], ordered[-1]))
    if len(ordered) == 1:
        return Bilingual(f"{place.en}: AUC {high.en}.", f"{place.zh}：AUC 为 {high.zh}。")
    return Bilingual(f"{place.en}: AUC from {low.en} to {high.en}.", f"{place.zh}：AUC 从 {low.zh}到 {high.zh}。")


def _area_told(row: Estimate) -> Bilingual:
    area, system = write_bounded(_value(row), 3), row.by["system"]
    if row.low is not None and row.high is not None:
        area += f" [{write_bounded(row.low, 3)}, {write_bounded(row.high, 3)}]"
    return Bilingual(f"{area} ({system})", f"{area}（{system}）")


def _value(row: Estimate) -> float:
    return row.value or 0.0


# What users write among the analyses of a study.
discrimination = Discrimination
