"""Does one system tell acceptable sentences from perturbed ones better than another, and with which perturbations?

The AUC of the two systems on the sentences that both scored, each drawn with the same source sentences
(`statistics.area_under_curve`). The kinds of perturbation are as many tests of one pair of systems: they make a
family, and p is corrected for it before anything is called better or worse. Fewer than twenty source sentences give an
interval, but no p and no verdict. What is undecided may still differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import polars as pl

from hengliang.analyses.subsets import Where
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
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate, estimate_records, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.measures.acceptability import SENTENCE_PARTS
from hengliang.statistics.area_under_curve import area_difference
from hengliang.statistics.multiple_testing import CORRECTIONS, Correction, adjust
from hengliang.statistics.resampling import FEW_CLUSTERS
from hengliang.statistics.results import check_choice, listed, p_remark, write_bounded

REFERENCE, OF_SYSTEM, DIFFERENCE, ADJUSTED = "AUC of the reference", "AUC of the system", "difference", "adjusted p"
STATISTICS: Mapping[str, StatisticLabel] = {
    REFERENCE: StatisticLabel(Bilingual("AUC of the reference", "对照系统的 AUC"), "number", 3),
    OF_SYSTEM: StatisticLabel(Bilingual("AUC of the system", "该系统的 AUC"), "number", 3),
    DIFFERENCE: StatisticLabel(Bilingual("Difference", "差值"), "number", 3),
    ADJUSTED: StatisticLabel(Bilingual("p, corrected", "校正后的 p"), "p", 3),
}
TITLE = Bilingual("Differences in telling acceptable from perturbed", "区分可接受句与扰动句的差异")
_VERDICTS: Mapping[str, Bilingual] = {
    "better": Bilingual("Better", "较优"),
    "worse": Bilingual("Worse", "较差"),
    "undecided": Bilingual("Undecided", "未定"),
}


@dataclass(frozen=True, slots=True, eq=False)
class _Compared:
    """Two systems on the sentences of one measure and kind."""

    by: Mapping[str, str]
    sample: Sample
    p: float | None


@register("discrimination differences")
class DiscriminationDifferences(PerturbedAnalysis):
    """By how much the AUC of the second system of each pair exceeds that of the first, by kind and further factors.

    Without `pairs` every two systems are compared, the later with the earlier. All comparisons of one pair on one
    measure are a family, corrected as `correction` says; the row of all kinds together is a summary of the others and
    not of the family.
    """

    explanation = Bilingual(
        "AUC of the second system less that of the first, on the sentences that both scored. Intervals and p resample "
        "source sentences, the same ones for both systems. That no difference was found does not show that there is "
        "none.",
        "第二个系统的 AUC 减去第一个系统的 AUC，仅限两者都打分的句子。区间与 p 值按源句重抽样得到，"
        "两个系统抽取相同的源句。未发现差异并不证明没有差异。",
    )
    conventions: Mapping[str, str] = {
        "unscored": "left out and counted",
        "seeds": "mean over seeds",
        "originals": "of sets with a version of the kind",
        "p": "two-sided, from the draws",
    }

    def __init__(
        self,
        pairs: Sequence[tuple[str, str]] = (),
        parts: str | Sequence[str] = SENTENCE_PARTS,
        by: str | Sequence[str] = (PERTURBATION,),
        where: Where | None = None,
        measure: str = "acceptability",
        correction: Correction = "holm",
        cluster: str = "set",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        name: str = "discrimination differences",
    ) -> None:
        super().__init__(parts, by, where, measure, cluster, draws, seed, level)
        self.pairs = tuple((first, second) for first, second in pairs)
        self.correction: Correction = correction
        self.name = name

    @property
    def title(self) -> Bilingual:  # type: ignore[override]
        """What is shown, of which measures and by what; with one reference, of which systems."""
        compared = None
        if len({first for first, _ in self.pairs}) == 1:
            told = listed(second for _, second in self.pairs)
            first = self.pairs[0][0]
            compared = Bilingual(f"{told.en} against {first}", f"{told.zh} 与 {first} 相比")
        return titled(TITLE, self.parts, self.by, compared)

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the two areas, their difference and the corrected p for each pair, measure and kind."""
        check_choice("correction", self.correction, tuple(CORRECTIONS))
        systems: dict[str, dict[tuple[tuple[str, str], ...], Cell]] = {}
        for cell in self.cells(tables):
            place = tuple(pair for pair in cell.by.items() if pair[0] != "system")
            systems.setdefault(cell.by["system"], {})[place] = cell
        found: list[Estimate] = []
        for first, second in self._chosen(list(systems)):
            places = [place for place in systems[second] if place in systems[first]]
            compared = [self._compared(systems[first][place], systems[second][place]) for place in places]
            found += self._estimates(compared)
        return estimates_frame(found)

    def _chosen(self, systems: Sequence[str]) -> list[tuple[str, str]]:
        for name in (name for pair in self.pairs for name in pair):
            if name not in systems:
                raise unknown_name("system", name, systems)
        same = next((first for first, second in self.pairs if first == second), None)
        if same is not None:
            raise UserError(f"'{same}' cannot be compared with itself.", valid="Two different systems.")
        if len(systems) < 2:
            raise UserError(f"There is nothing to compare: the system is {systems[0]}.", valid="Two systems or more.")
        return list(self.pairs) or list(combinations(systems, 2))

    def _compared(self, first: Cell, second: Cell) -> _Compared:
        by = {"system": second.by["system"], "reference": first.by["system"], **second.by}
        ours = [f"{seed} of first" for seed in first.seeds]
        renamed = first.rows.select(
            "item", *(pl.col(old).alias(new) for old, new in zip(first.seeds, ours, strict=True))
        )
        rows = second.rows.join(renamed, on="item", how="full", coalesce=True, maintain_order="left_right")
        scored = rows.drop_nulls([*ours, *second.seeds]).sort("item")
        counts = (scored.height, rows.height - scored.height)
        if not has_both_sides(scored):
            return _Compared(by, Sample(None, 2, *counts), None)
        difference = area_difference(
            scored[ACCEPTABLE],
            scores_of(scored, ours),
            scores_of(scored, second.seeds),
            scored["cluster"],
            self.resampling(),
        )
        # Of fewer sources p would be too small.
        p = difference.p if difference.intervals.clusters >= FEW_CLUSTERS else None
        return _Compared(by, Sample(difference.intervals, 2, *counts), p)

    def _estimates(self, compared: Sequence[_Compared]) -> Iterator[Estimate]:
        for one in compared:
            cell = Cell(one.by, pl.DataFrame(), ())
            for place, statistic in enumerate((REFERENCE, OF_SYSTEM, DIFFERENCE)):
                row = self.number(cell, statistic, one.sample._replace(place=place), "on sentences that both scored")
                yield replace(row, p=one.p, method=row.method + _of_p(one)) if statistic == DIFFERENCE else row
            adjusted, size = self._adjusted(one, compared)
            yield Estimate(
                self.name,
                one.by,
                ADJUSTED,
                adjusted,
                n=one.sample.n,
                n_missing=one.sample.n_missing,
                method=f"{CORRECTIONS[self.correction].en}, family of {size}",
                signature=str(self.signature()),
            )

    def _adjusted(self, one: _Compared, compared: Sequence[_Compared]) -> tuple[float | None, int]:
        """Return p corrected for the kinds that the same two systems are compared on; a summary is not among them."""
        by_kind = PERTURBATION in self.by
        if by_kind and PERTURBATION not in one.by:
            return one.p, 1
        members = [
            other
            for other in compared
            if other.by["part"] == one.by["part"] and (PERTURBATION in other.by or not by_kind)
        ]
        adjusted = adjust([other.p for other in members], self.correction)
        return adjusted[members.index(one)], len(members)

    def sentences(self, estimates: pl.DataFrame) -> Sequence[Bilingual]:
        """Say of each pair and measure with which perturbations the second is better, worse, or undecided."""
        groups: dict[tuple[str, str, str], dict[str, list[Bilingual]]] = {}
        rows = list(estimate_records(estimates))
        adjusted = {tuple(row.by.items()): row.value for row in rows if row.statistic == ADJUSTED}
        for row in rows:
            if row.statistic != DIFFERENCE or row.value is None:
                continue
            p = adjusted.get(tuple(row.by.items()))
            verdict = "undecided" if p is None or p >= 1 - self.level else "better" if row.value > 0 else "worse"
            held = groups.setdefault((row.by["part"], row.by["system"], row.by["reference"]), {})
            held.setdefault(verdict, []).append(self._told(row, p))
        return [_group_told(key, held) for key, held in groups.items()]

    def _told(self, row: Estimate, p: float | None) -> Bilingual:
        place = place_told(row.by, self.by, part=False)
        sign = "+" if (row.value or 0) > 0 else ""
        numbers = f"{sign}{write_bounded(row.value or 0.0, 3)}"
        if row.low is not None and row.high is not None:
            numbers += f" [{write_bounded(row.low, 3)}, {write_bounded(row.high, 3)}]"
        remark = Bilingual(", too few source sentences for a test", "，源句过少，不足以检验")
        if p is not None and row.p is not None:
            alone, corrected = p_remark(row.p), p_remark(p)
            # All kinds together are of no family, so that nothing was corrected.
            summary = PERTURBATION in self.by and PERTURBATION not in row.by
            remark = Bilingual(f", {alone}, corrected {corrected}", f"，{alone}，校正后 {corrected}")
            remark = Bilingual(f", {alone}", f"，{alone}") if summary else remark
        return Bilingual(f"{place.en} ({numbers}{remark.en})", f"{place.zh}（{numbers}{remark.zh}）")

    def layout(self) -> Layout:
        """Return measures, kinds and pairs as rows, a column a number."""
        names = ("part", *self.by, "system", "reference")
        return Layout(
            rows=names,
            statistics=STATISTICS,
            factors={name: FACTORS[name] for name in names if name in FACTORS},
            levels=LEVELS,
            figure_statistics=(DIFFERENCE,),
        )


def _of_p(one: _Compared) -> str:
    if one.sample.intervals is None or one.p is not None:
        return ""
    return f"; no p from fewer than {FEW_CLUSTERS} clusters"


def _group_told(key: tuple[str, str, str], held: Mapping[str, Sequence[Bilingual]]) -> Bilingual:
    part, system, reference = key
    english, chinese = [], []
    for verdict, title in _VERDICTS.items():
        if verdict in held:
            english.append(f"{title.en}: {'; '.join(one.en for one in held[verdict])}")
            chinese.append(f"{title.zh}：{'；'.join(one.zh for one in held[verdict])}")
    return Bilingual(
        f"{part}, {system} against {reference}. {'. '.join(english)}.",
        f"{part}，{system} 与 {reference} 相比。{'。'.join(chinese)}。",
    )


# What users write among the analyses of a study.
discrimination_differences = DiscriminationDifferences
