"""Does it help more to replace entities where a sentence has many of them?

The paper infers this from four datasets with different averages of entities [1], which differ in much else. Here the
sentences of one dataset are parted by the number of entities that a counter found in them: 0, 1, 2, 3 or more. Within
each group stand the correlations of each system with the ratings, the differences of pairs of systems with their
intervals, and by how much the difference is larger where there are entities than where there are none. Groups of unlike
sentences differ in the spread of their ratings too, and a narrower spread alone lowers a correlation: compare the
differences within groups rather than the correlations between them.

[1] Daultani, V., Okazaki, N. (2022). Improving automatic evaluation of acceptability based on language models with a
    coarse sentence representation. PACLIC 36, section 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

import numpy as np
import polars as pl

from hengliang.analyses.clustered import LEVEL_TITLES
from hengliang.analyses.subsets import Where, as_names
from hengliang.analysis.entity_statistics import chosen_counter, counted
from hengliang.analysis.rating_correlation import ENTITIES, RATING_FACTORS, RatingCorrelation, in_words, written
from hengliang.analysis.rating_correlation_differences import (
    FEWEST,
    Compared,
    RatingCorrelationDifferences,
    check_pairs,
)
from hengliang.analysis.rating_rows import SOURCE, Asked, Scored, problem_of, rating_rows, scored_cells
from hengliang.core.base_classes import Analysis, Conclusion, Layout, StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.signature import Signature, constructor_signature
from hengliang.core.terms import Bilingual
from hengliang.statistics.correlation.clustered import clustered_draws, coefficient_value
from hengliang.statistics.multiple_testing import Correction
from hengliang.statistics.resampling import FEW_CLUSTERS, Floats, Resampling, Way, percentile_intervals
from hengliang.statistics.results import check_choice

Show = Literal["correlations", "differences", "growth"]
"""The correlation of each system in each group; the differences of pairs of systems; or how these grow from none."""

GROWTH = "growth"
TOO_NARROW = "so few source sentences make the interval too narrow"
"""What the method says of a group that gives an interval and no verdict."""

TITLES = {
    "correlations": Bilingual("Correlation with ratings by number of entities", "与评分的相关（按实体数分组）"),
    "differences": Bilingual("Differences of correlations by number of entities", "与评分相关之差（按实体数分组）"),
    "growth": Bilingual("Is the difference larger with more entities?", "实体越多，差异是否越大？"),
}
GROUPED = Bilingual(
    "Sentences are parted by how many entities the counter found. Groups differ in more than that, and a narrower "
    "spread of ratings alone lowers a correlation: compare differences within groups. Sentences that the counter could "
    "not read stand apart or are counted as missing.",
    "句子按计数系统找到的实体数分组。各组的差别不止于此，评分离散程度较小本身就会降低相关，因此应比较组内差值。"
    "计数系统未能处理的句子单列，或计为缺失。",
)
GROWING = Bilingual(
    "The difference of two systems' correlations in a group, less the same difference among sentences without "
    "entities: positive where the second system gains more. Groups are drawn together, whole source sentences at a "
    "time. The intervals are not corrected for the number of groups.",
    "某组内两系统相关之差，减去无实体句中的同一差值；正值表示第二个系统在该组中获益更多。"
    "各组一同重抽，以源句为单位。区间未按组数校正。",
)


class Gain(NamedTuple):
    """By how much the second system correlates higher in one group: the value, its draws, or why there is none.

    `n_missing` are the sentences of all groups that lack a score or a rating, or that the counter did not read;
    `sources` counts the source sentences of the group.
    """

    n: int
    sources: int
    n_missing: int
    value: float | None
    drawn: Floats
    problem: str


def with_entity_groups(tables: Tables, counter: str = "", most: int = 3) -> Tables:
    """Return the run whose items have the attribute `entities`: `0`, `1`, … and `most` or more as `3+`.

    An item that the counter did not read has none.
    """
    if most < 1:
        raise UserError(f"most = {most} leaves one group only.", valid="most is a whole number, 1 or more.")
    if ENTITIES in {*tables.items.columns, *tables.systems.columns}:
        raise UserError(
            f"The run has an attribute or trait '{ENTITIES}' already.", remedy="Rename it, or name it in by= yourself."
        )
    chosen = chosen_counter(tables, counter)
    found = counted(tables).filter(pl.col("system") == chosen).select(id="item", count="count")
    levels = [str(number) for number in range(most)] + [f"{most}+"]
    group = pl.when(pl.col("count") >= most).then(pl.lit(levels[-1])).otherwise(pl.col("count").cast(pl.String))
    items = tables.items.join(found, on="id", how="left", maintain_order="left")
    # The type keeps the groups in the order of numbers, whichever comes first among the items.
    return replace(tables, items=items.with_columns(group.cast(pl.Enum(levels)).alias(ENTITIES)).drop("count"))


@register("entity effects")
class EntityEffects(Analysis):
    """Correlations with ratings, or differences of pairs of systems, among sentences with 0, 1, 2, 3 … entities.

    `counter` names the system that counts entities, where there are several; `most` and more entities are one group.
    Everything else is as in `rating_correlation` and `rating_correlation_differences`.
    """

    def __init__(
        self,
        pairs: Sequence[tuple[str, str]] = (),
        show: Show = "differences",
        counter: str = "",
        most: int = 3,
        parts: str | Sequence[str] = "SLOR",
        by: str | Sequence[str] = ("dataset", "mode"),
        coefficient: Compared = "pearson",
        where: Where | None = None,
        measure: str = "acceptability",
        rating: str = "rating",
        family: Correction = "holm",
        alpha: float = 0.05,
        cluster: str = SOURCE,
        draws: int = 2000,
        permutations: int = 9999,
        seed: int = 1,
        level: float = 0.95,
        name: str = "",
    ) -> None:
        self.pairs = tuple((first, second) for first, second in pairs)
        self.show: Show = show
        self.counter = counter
        self.most = most
        self.parts = as_names(parts)
        self.by = as_names(by)
        self.coefficient: Compared = coefficient
        self.where = dict(where or {})
        self.measure = measure
        self.rating = rating
        self.family: Correction = family
        self.alpha = alpha
        self.cluster = cluster
        self.draws = draws
        self.permutations = permutations
        self.seed = seed
        self.level = level
        self.name = name or f"entity effects, {show}"

    @property
    def title(self) -> Bilingual:  # type: ignore[override]
        """What is shown."""
        return TITLES.get(self.show, TITLES["differences"])

    @property
    def explanation(self) -> Bilingual:  # type: ignore[override]
        """How to read it."""
        own = GROWING if self.show == "growth" else self._inner().explanation
        return Bilingual(f"{GROUPED.en} {own.en}", f"{GROUPED.zh}{own.zh}")

    def _inner(self) -> RatingCorrelation | RatingCorrelationDifferences:
        by = (*self.by, ENTITIES)
        if self.show == "correlations":
            return RatingCorrelation(
                measure=self.measure,
                rating=self.rating,
                parts=self.parts,
                by=by,
                coefficient=self.coefficient,
                where=self.where,
                cluster=self.cluster,
                draws=self.draws,
                seed=self.seed,
                level=self.level,
                name=self.name,
            )
        return RatingCorrelationDifferences(
            pairs=self.pairs,
            measure=self.measure,
            rating=self.rating,
            parts=self.parts,
            by=by,
            coefficient=self.coefficient,
            where=self.where,
            family=self.family,
            alpha=self.alpha,
            cluster=self.cluster,
            draws=self.draws,
            permutations=self.permutations,
            seed=self.seed,
            level=self.level,
            name=self.name,
        )

    def conclude(self, tables: Tables) -> Conclusion:
        """Return the estimates of each group, and what they say in words."""
        check_choice("show", self.show, get_args(Show))
        grouped = with_entity_groups(tables, self.counter, self.most)
        if self.show == "growth":
            return self._growth(grouped)
        found = self._inner().conclude(grouped)
        signature = pl.lit(str(self.signature()), dtype=pl.String)
        return Conclusion(found.estimates.with_columns(signature=signature), found.sentences)

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the estimates of each group."""
        return self.conclude(tables).estimates

    def _growth(self, tables: Tables) -> Conclusion:
        """Compare the difference of each pair in each group with that among sentences without entities."""
        asked = Asked(self.measure, self.rating, self.parts, self.by, self.cluster, self.where)
        rows = rating_rows(tables, asked)
        check_pairs(self.pairs, rows["system"].unique(maintain_order=True).to_list())
        groups = dict(zip(tables.items["id"], tables.items[ENTITIES].cast(pl.String), strict=True))
        levels = tables.items.schema[ENTITIES].categories.to_list()  # type: ignore[attr-defined]
        found: list[Estimate] = []
        for by, cell in scored_cells(rows, self.by):
            for pair in self.pairs:
                for part in self.parts:
                    gains = self._gains(cell, pair, part, groups, levels)
                    found += [self._grown(by, pair, part, gains, level) for level in levels[1:]]
        return Conclusion(estimates_frame(found), tuple(_told(row, self.by) for row in found if row.value is not None))

    def _gains(
        self, cell: Scored, pair: tuple[str, str], part: str, groups: Mapping[str, str | None], levels: Sequence[str]
    ) -> Mapping[str, Gain]:
        """Return the difference of the pair in each group, with its draws; the same clusters are drawn in all."""
        keys = [(system, part) for system in pair]
        if any(key not in cell.scores for key in keys):
            return dict.fromkeys(levels, Gain(0, 0, len(cell.items), None, np.empty(0), "not both systems were asked"))
        places = cell.complete(*keys)
        whole = cell.way(places, self.cluster)
        own = np.array([groups[cell.items[place]] or "" for place in places])
        missing = len(cell.items) - len(places) + int((own == "").sum())
        found: dict[str, Gain] = {}
        for level in levels:
            inside = np.flatnonzero(own == level)
            ratings = cell.ratings[places[inside]]
            tables = {system: cell.scores[system, part][:, places[inside]] for system, _ in keys}
            problem = problem_of(ratings, tables)
            sources = len(np.unique(whole.codes[inside]))
            if problem is None and sources < FEWEST:
                problem = Bilingual(f"too few source sentences ({sources})", f"源句过少（{sources} 个）")
            if any(len(table) > 1 for table in tables.values()):
                problem = Bilingual("several seeds: add 'seed' to by", "有多个随机种子：请在 by 中加入 'seed'")
            if problem is not None:
                found[level] = Gain(len(inside), sources, missing, None, np.empty(0), problem.en)
                continue
            scores = np.concatenate(list(tables.values()))
            first, second = (coefficient_value(self.coefficient, score, ratings) for score in scores)
            clusters = Way(whole.name, whole.codes[inside], whole.levels)
            drawn = clustered_draws(self.coefficient, scores, ratings, clusters, self._resampling())
            found[level] = Gain(len(inside), sources, missing, second - first, drawn[:, 1] - drawn[:, 0], "")
        return found

    def _resampling(self) -> Resampling:
        return Resampling(self.draws, self.seed, self.level)

    def _grown(
        self, by: Mapping[str, str], pair: tuple[str, str], part: str, gains: Mapping[str, Gain], level: str
    ) -> Estimate:
        place = {**by, "reference": pair[0], "system": pair[1], "part": part, ENTITIES: level}
        without, own = next(iter(gains.values())), gains[level]
        why = without.problem or own.problem
        value = low = high = None
        method = f"no number: {why}"
        if without.value is not None and own.value is not None:
            value = own.value - without.value
            sources = min(without.sources, own.sources)
            held = percentile_intervals(np.array([value]), (own.drawn - without.drawn)[:, None], self.level, sources)
            low, high = (None if np.isnan(bound[0]) else float(bound[0]) for bound in (held.low, held.high))
            method = (
                f"difference of {self.coefficient} correlations in the group less that among {without.n} sentences "
                f"without entities; {self.level:.6g} percentile bootstrap interval, whole {self.cluster} drawn with "
                f"replacement, {self.draws} draws, seed {self.seed}, {held.undefined} draws without a value left out"
            )
            method += f"; {TOO_NARROW} ({sources})" if sources < FEW_CLUSTERS else ""
        return Estimate(
            self.name,
            place,
            GROWTH,
            value,
            low,
            high,
            n=own.n,
            n_missing=own.n_missing,
            method=method,
            signature=str(self.signature()),
        )

    def layout(self) -> Layout:
        """Return groups as rows."""
        if self.show != "growth":
            return self._inner().layout()
        names = (*self.by, "reference", "system", "part")
        factors = {
            **RATING_FACTORS,
            "reference": Bilingual("First", "第一系统"),
            "system": Bilingual("Second", "第二系统"),
        }
        title = Bilingual("Growth of the difference", "差值的增长")
        return Layout(
            rows=names,
            columns=ENTITIES,
            statistics={GROWTH: StatisticLabel(title, "number", 3)},
            factors={name: factors[name] for name in (*names, ENTITIES) if name in factors},
            levels=LEVEL_TITLES,
        )

    def signature(self) -> Signature:
        """Return the arguments and the code of the modules that compute."""
        return constructor_signature(self).and_(generator="PCG64")


def _told(row: Estimate, by: Sequence[str]) -> Bilingual:
    where = in_words({name: row.by[name] for name in (*by, ENTITIES) if name in row.by})
    numbers = f"{row.by['part']}: {written(row)}"
    first, second = row.by["reference"], row.by["system"]
    if TOO_NARROW in row.method:
        return Bilingual(
            f"{where.en}: too few source sentences to say whether the step from {first} to {second} does more or less "
            f"than without entities ({numbers}).",
            f"{where.zh}：源句过少，无法判断从 {first} 到 {second} 的变化是否大于或小于无实体句（{numbers}）。",
        )
    found = row.low is not None and row.high is not None and (row.low > 0 or row.high < 0)
    if not found:
        return Bilingual(
            f"{where.en}: no evidence that the step from {first} to {second} does more or less than without entities "
            f"({numbers}).",
            f"{where.zh}：未见从 {first} 到 {second} 的变化大于或小于无实体句的证据（{numbers}）。",
        )
    more = (row.value or 0) > 0
    return Bilingual(
        f"{where.en}: the step from {first} to {second} moves the correlation further {'up' if more else 'down'} than "
        f"without entities ({numbers}; not corrected for the number of groups).",
        f"{where.zh}：与无实体句相比，从 {first} 到 {second} 使相关{'上升' if more else '下降'}更多"
        f"（{numbers}；未按组数校正）。",
    )


# What users write among the analyses of a study.
entity_effects = EntityEffects
