"""Paired comparison of taggers on the same diagnostic sentences: differences of Z, and of D by item.

Z of one tagger minus Z of the other with an interval that draws sentences, the same for both; and item by item the
difference of D as published with McNemar's exact test of the sentences that only one of the two got right, corrected
over items. Items differ much in size: one of three sentences can never be significant, whatever the taggers do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from hengliang.analyses.classification import Pairs
from hengliang.analyses.clustered import FACTOR_TITLES, ClusteredAnalysis
from hengliang.core.base_classes import Conclusion, Layout, StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.statistics.contingency.mcnemar import mcnemar
from hengliang.statistics.multiple_testing import CORRECTIONS, Correction, FamilyResult, family
from hengliang.statistics.resampling import Floats, IntervalKind, Intervals, bootstrap, cluster_codes
from hengliang.statistics.results import check_alpha, check_choice
from hengliang.tagging.diagnosis import (
    ALL_ITEMS,
    GROUPS,
    PAIR_TITLE,
    WITHIN_REACH,
    group_masks,
    interval_at,
    item_scores,
    label_sums,
    labelled_sentences,
    mean_score,
    reach,
    signed,
)
from hengliang.tagging.labels import CORRECT, NAME

FORMULA, PUBLISHED = "D difference", "D published difference"
ONLY_SYSTEM, ONLY_REFERENCE = "only system", "only reference"
P, ADJUSTED = "McNemar p", "adjusted McNemar p"

STATISTICS: Mapping[str, StatisticLabel] = {
    PUBLISHED: StatisticLabel(Bilingual("Difference of D as published", "D 之差（论文实际算法）"), "number", 2),
    FORMULA: StatisticLabel(Bilingual("Difference of D by formula (1)", "D 之差（式 1）"), "number", 2),
    ONLY_SYSTEM: StatisticLabel(Bilingual("Only the system right", "仅该系统正确"), "integer", 0),
    ONLY_REFERENCE: StatisticLabel(Bilingual("Only the other right", "仅对照系统正确"), "integer", 0),
    P: StatisticLabel(Bilingual("McNemar's p", "McNemar 检验 p"), "p"),
    ADJUSTED: StatisticLabel(Bilingual("McNemar's p, adjusted", "McNemar 检验 p（校正）"), "p"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Two taggers on the sentences that both were labelled on.

    `rows` have pair, cluster, first and second (labels), `lost` counts by pair the sentences that one of them lacks.
    `items` are all pairs, with sentences left or without, and whether both can reach them.
    """

    system: str
    reference: str
    rows: pl.DataFrame
    lost: Mapping[str, int]
    items: pl.DataFrame

    @property
    def names(self) -> dict[str, str]:
        """Where the numbers of this comparison stand."""
        return {"system": self.system, "reference": self.reference}


@register("tagging differences")
class TaggingDifferences(ClusteredAnalysis):
    """Pairs of taggers: difference of Z with a paired interval, and of D item by item with a test.

    A pair (a, b) gives a − b; `all` takes each pair once, the system whose name comes later minus the other. Only
    sentences labelled for both count. A mean is taken over the items that have a score for both; the others are counted
    in `n_missing`. Of several seeds of a system the lowest is taken. McNemar's test looks at Correct against all else
    and takes the sentences of an item for independent; `correction` is over the items of a pair of taggers.
    """

    title = Bilingual("Paired comparison of taggers", "标注程序的配对比较")
    explanation = Bilingual(
        "Each row compares two taggers on the same sentences: the mean difference of D over items (the difference of "
        "Z), and item by item. Intervals draw sentences, the same for both. McNemar's exact test looks at the "
        "sentences that only one of the two got right; the adjusted p counts all items of the pair of taggers.",
        "每行在相同句子上比较两个标注程序：各项 D 之差的平均（即 Z 之差），以及逐项之差。"
        "区间对句子重抽样，两者所抽相同。"
        "McNemar 精确检验只看仅一方标对的句子；校正后的 p 值计入这一对程序的全部项目。",
    )
    conventions: Mapping[str, str] = {
        "paired": "sentences labelled for both",
        "not_available": "items without a score for both are left out",
        "seeds": "the lowest",
    }

    def __init__(
        self,
        pairs: Pairs = "all",
        correction: Correction = "holm",
        alpha: float = 0.05,
        cluster: str = "cluster",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        measure: str = NAME,
        name: str = "tagging differences",
    ) -> None:
        super().__init__(cluster, draws, seed, level, interval)
        self.pairs = pairs
        self.correction: Correction = correction
        self.alpha = alpha
        self.measure = measure
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return of each pair of taggers the mean differences, then those of each item."""
        return self.conclude(tables).estimates

    def conclude(self, tables: Tables) -> Conclusion:
        """Return the estimates, and in words the differences of Z and the items that differ."""
        check_choice("correction", self.correction, tuple(CORRECTIONS))
        check_alpha(self.alpha)
        rows = labelled_sentences(tables, self.measure, self.cluster)
        lowest = rows.filter(pl.col("seed").eq_missing(pl.col("seed").min().over("system")))
        within = reach(tables, rows)
        estimates: list[Estimate] = []
        sentences: list[Bilingual] = []
        for system, reference in _chosen(self.pairs, rows["system"].unique(maintain_order=True).to_list()):
            compared = _compared(lowest, within, system, reference)
            means = list(self._means(compared))
            items, tests = self._items(compared)
            estimates += [*means, *items]
            sentences.append(_mean_sentence(means[0], means[1], compared))
            sentences += [_test_sentence(tests, compared)] if tests else []
        return Conclusion(signed(estimates, self.signature()), tuple(sentences))

    # --- means over items ---

    def _means(self, compared: Compared) -> Iterator[Estimate]:
        if not compared.rows.height:
            levels = {**compared.names, "pair": ALL_ITEMS}
            yield from (self._mean(levels, name, (0, len(compared.lost)), None, 0) for name in (PUBLISHED, FORMULA))
            return
        groups = group_masks(compared.items)
        sums, _ = _paired_sums(compared)
        value = _differences(np.asarray(sums.sum(axis=0)).reshape(1, -1))
        intervals = self._intervals(sums, list(groups.values()))
        for number, (group, mask) in enumerate(groups.items()):
            unknown = group == WITHIN_REACH and compared.items["reachable"].null_count()
            for score, statistic in enumerate((PUBLISHED, FORMULA)):
                n = 0 if unknown else int((~np.isnan(value[score][0, mask])).sum())
                levels = {**compared.names, "pair": group}
                missing = 0 if unknown else int(mask.sum()) - n
                yield self._mean(levels, statistic, (n, missing), intervals, 2 * number + score)

    def _mean(
        self,
        place: Mapping[str, str],
        statistic: str,
        counts: tuple[int, int],
        intervals: Intervals | None,
        column: int,
    ) -> Estimate:
        n, missing = counts
        if intervals is None or not n:
            note = "no item has a score for both"
            if place["pair"] == WITHIN_REACH:
                note += ", or a system does not say which tags it can give (trait 'tags')"
            return Estimate(self.name, place, statistic, None, n=n, n_missing=missing, method=note)
        value, low, high = interval_at(intervals, column)
        # How many draws had no value is known of all groups together, which says nothing about this one.
        how = self._how(replace(intervals, undefined=0), bounded=low is not None)
        note = f"mean over items of the difference of D, {missing} items left out; {how}, the same for both"
        return Estimate(self.name, place, statistic, value, low, high, n=n, n_missing=missing, method=note)

    def _intervals(self, sums: scipy.sparse.csr_array, masks: Sequence[NDArray[np.bool_]]) -> Intervals:
        def statistic(totals: Floats) -> Floats:
            both = _differences(totals)
            return np.column_stack([mean_score(score, mask) for mask in masks for score in both])

        return bootstrap(sums, statistic, self.resampling())

    # --- item by item ---

    def _items(self, compared: Compared) -> tuple[list[Estimate], FamilyResult | None]:
        if not compared.rows.height:
            return [], None
        sums, names = _paired_sums(compared)
        published, formula = _differences(np.asarray(sums.sum(axis=0)).reshape(1, -1))
        splits = [self._split(compared.rows.filter(pl.col("pair") == pair)) for pair in names]
        tested = [(pair, split[2]) for pair, split in zip(names, splits, strict=True) if split[2] is not None]
        tests = family(tested, method=self.correction, alpha=self.alpha)
        adjusted = {member.label: member.adjusted for member in tests.members}
        rows: list[Estimate] = []
        for number, (pair, (only_first, only_second, p, n)) in enumerate(zip(names, splits, strict=True)):
            numbers = (published[0, number], formula[0, number], only_first, only_second, p, adjusted.get(pair))
            for (statistic, how), value in zip(_METHODS.items(), numbers, strict=True):
                note = how.format(correction=CORRECTIONS[self.correction].en, size=tests.size)
                known = None if value is None or np.isnan(value) else float(value)
                levels = {**compared.names, "pair": pair}
                missing = compared.lost.get(pair, 0)
                rows.append(Estimate(self.name, levels, statistic, known, n=n, n_missing=missing, method=note))
        return rows, tests

    def _split(self, rows: pl.DataFrame) -> tuple[int, int, float | None, int]:
        """Return how many sentences only the first and only the second got right, p, and how many there are."""
        if not rows.height:  # all of its sentences were lost
            return 0, 0, None, 0
        first, second = (rows[name] == CORRECT for name in ("first", "second"))
        both, only_first, only_second = (int(part.sum()) for part in (first & second, first & ~second, ~first & second))
        table = [[both, only_first], [only_second, rows.height - both - only_first - only_second]]
        return only_first, only_second, mcnemar(table, alpha=self.alpha).p, rows.height

    def layout(self) -> Layout:
        """Return pairs of taggers and items as rows and the numbers as columns."""
        factors = {name: FACTOR_TITLES[name] for name in ("system", "reference")}
        return Layout(
            rows=("system", "reference", "pair"),
            statistics=STATISTICS,
            factors={**factors, "pair": PAIR_TITLE},
            levels=GROUPS,
            figure="none",
        )


_METHODS = {
    PUBLISHED: "difference of Correct / Total × 100 on the sentences labelled for both",
    FORMULA: "difference of Correct / (Total − Record) × 100 on the sentences labelled for both",
    ONLY_SYSTEM: "sentences that only the system got right",
    ONLY_REFERENCE: "sentences that only the one it is compared with got right",
    P: "McNemar's exact test, two-sided, sentences taken for independent",
    ADJUSTED: "{correction}, family of {size}",
}


def _chosen(pairs: Pairs, systems: list[str]) -> list[tuple[str, str]]:
    if isinstance(pairs, str):
        if pairs != "all":
            raise UserError(f"'{pairs}' names no pairs.", valid="'all', or a list of pairs (system, reference).")
        return [(later, earlier) for earlier, later in combinations(sorted(systems), 2)]
    for name in (name for pair in pairs for name in pair):
        if name not in systems:
            raise unknown_name("system", name, systems)
    return [(system, reference) for system, reference in pairs]


def _compared(rows: pl.DataFrame, within: pl.DataFrame, system: str, reference: str) -> Compared:
    sides = [
        rows.filter(pl.col("system") == name).select("item", "pair", "cluster", pl.col("label").alias(side))
        for name, side in ((system, "first"), (reference, "second"))
    ]
    every = sides[0].join(sides[1], on=["item", "pair", "cluster"], how="full", coalesce=True).sort("item")
    lacking = every.filter(pl.col("first").is_null() | pl.col("second").is_null())
    lost = dict(lacking.group_by("pair").len().iter_rows())
    # An item is within reach of both, or it is not known of one of them.
    reached = within.filter(pl.col("system").is_in([system, reference])).group_by("pair")
    known = reached.agg(pl.when(pl.col("reachable").null_count() == 0).then(pl.col("reachable").all()))
    answered = every.drop_nulls(["first", "second"])
    # An item of which no sentence is left stays, so that it is counted as one without a score.
    items = every.select("pair").unique().sort("pair").join(known, on="pair", how="left", maintain_order="left")
    return Compared(system, reference, answered, lost, items)


def _paired_sums(compared: Compared) -> tuple[scipy.sparse.csr_array, list[str]]:
    """Return the labels of both by cluster, those of the first before those of the second, and the items in order."""
    names: list[str] = compared.items["pair"].to_list()
    codes, count = cluster_codes(compared.rows["cluster"])
    sides = [label_sums(compared.rows.select("pair", label=side), names, codes, count) for side in ("first", "second")]
    return scipy.sparse.csr_array(scipy.sparse.hstack(sides)), names


def _differences(totals: Floats) -> tuple[Floats, Floats]:
    """Return the differences of D as published and of D by formula (1), one column per item."""
    first, second = (item_scores(half) for half in np.split(totals, 2, axis=1))
    return first.published - second.published, first.formula - second.formula


def _mean_sentence(published: Estimate, formula: Estimate, compared: Compared) -> Bilingual:
    pair = f"{compared.system} − {compared.reference}"
    if published.value is None:
        return Bilingual(f"{pair}: no item has a score for both.", f"{pair}：没有两者皆可计分的项目。")
    every = (formula.n or 0) + (formula.n_missing or 0)
    return Bilingual(
        f"{pair}: Z as published differs by {_with_ends(published)} over {published.n} item"
        f"{'s' * (published.n != 1)}; by formula (1), which leaves out {formula.n_missing} of {every} items, by "
        f"{_with_ends(formula)}.",
        f"{pair}：按论文实际算法的 Z 在 {published.n} 个项目上相差 {_with_ends(published)}；"
        f"按式 (1)（{every} 个项目中 {formula.n_missing} 个不计），相差 {_with_ends(formula)}。",
    )


def _with_ends(row: Estimate) -> str:
    if row.value is None:
        return "n/a"
    return f"{row.value:.2f}" + ("" if row.low is None or row.high is None else f" [{row.low:.2f}, {row.high:.2f}]")


def _test_sentence(tests: FamilyResult, compared: Compared) -> Bilingual:
    sentence = tests.sentence()
    pair = f"{compared.system} − {compared.reference}"
    return Bilingual(f"{pair}: {sentence.en}", f"{pair}：{sentence.zh}")


# What users write among the analyses of a study.
tagging_differences = TaggingDifferences
