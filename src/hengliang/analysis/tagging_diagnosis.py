"""How well does a tagger do on each error that taggers make, and how well over all of them?

For each item of a diagnostic set D, R and the counts behind them, then Z, the mean of D over items: all items, those
within the tagger's reach, and the groups of Tables 3 and 4 of the paper [1]. A tagger that has no tag `vn` gets 0 on
every item whose gold is vn, which says something about its tagset and nothing about its skill; so Z is given with and
without such items.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18, sections 3.3 and 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hengliang.analyses import outcomes
from hengliang.analyses.clustered import FACTOR_TITLES, ClusteredAnalysis
from hengliang.analysis.tagging_labels import COUNTS, counted, labelled_sentences, reach, with_scores
from hengliang.analysis.tagging_scores import (
    SCORES,
    interval_at,
    item_scores,
    label_sums,
    mean_score,
    score_intervals,
    signed,
)
from hengliang.core.base_classes import Conclusion, Layout, StatisticLabel
from hengliang.core.records import Estimate
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.materials.error_pairs import error_pair
from hengliang.measures.tagging_items import NAME
from hengliang.statistics.resampling import Floats, IntervalKind, Intervals, bootstrap, cluster_codes

ALL_ITEMS, WITHIN_REACH = "all items", "items within reach"
ABOUT_WORDS, GOLD_A_OR_V = "items about words", "items with gold a or v"
GROUPS: Mapping[str, Bilingual] = {
    ALL_ITEMS: Bilingual("all items (Z)", "全部项目（总分 Z）"),
    WITHIN_REACH: Bilingual("items within reach (Z)", "可达项目（总分 Z）"),
    ABOUT_WORDS: Bilingual("items about words (mean)", "涉及分词的项目（平均）"),
    GOLD_A_OR_V: Bilingual(
        "items with gold a or v, one word for one (mean)", "以 a 或 v 为标注不足项且不涉及分词的项目（平均）"
    ),
}
"""The groups of items of which means are given; they stand among the levels of `pair`."""

LEFT_OUT, REACHABLE = "left out", "reachable"
FEW_ITEMS = 0.5
"""Where formula (1) can be computed for a smaller share of the items than this, a warning stands beside its Z."""

PAIR_TITLE = Bilingual("Item (gold:wrong)", "评测项目（标准:误标）")
SCORE_LABELS: Mapping[str, StatisticLabel] = {
    "D published": StatisticLabel(Bilingual("D as published", "D（论文实际算法）"), "number", 2),
    "D": StatisticLabel(Bilingual("D by formula (1)", "D（式 1）"), "number", 2),
    "R": StatisticLabel(Bilingual("R", "R"), "percent", 1),
}
STATISTICS: Mapping[str, StatisticLabel] = {
    **SCORE_LABELS,
    "correct": StatisticLabel(Bilingual("Correct", "正确"), "integer", 0),
    "wrong": StatisticLabel(Bilingual("Wrong", "按模式错标"), "integer", 0),
    "record": StatisticLabel(Bilingual("Record", "其他错误"), "integer", 0),
    "total": StatisticLabel(Bilingual("Total", "总数"), "integer", 0),
    "failed": StatisticLabel(Bilingual("Failed", "失败"), "integer", 0),
    REACHABLE: StatisticLabel(Bilingual("Within reach", "可达"), "integer", 0),
    LEFT_OUT: StatisticLabel(Bilingual("Items left out", "未计入的项目"), "integer", 0),
}


@register("tagging diagnosis")
class TaggingDiagnosis(ClusteredAnalysis):
    """D, R and counts of each item and tagger, and Z: as published and by formula (1), of all items and of groups.

    Sentences that a tagger failed on are in no count but `failed`. An item of which every sentence is Record has no D
    by formula (1); it is left out of that mean, and `left out` and `n_missing` say how many are. `items=False` gives
    the means alone, a short table.

    A sentence may stand under several words and items (`cluster`): the intervals of Z draw sentences, and a drawn
    sentence counts in all its items. The answers of several seeds are pooled: each counts, and the intervals take those
    to one sentence for one cluster.
    """

    title = Bilingual("Diagnosis by error", "分项诊断")
    explanation = Bilingual(
        "An item p+r:d tests whether words tagged p and r in the corpus come out as one word tagged d. D as "
        "published is Correct / Total × 100, D by formula (1) Correct / (Total − Record) × 100, R is Record / Total. "
        "Record counts targets that are wrong in another way than the item tests. Z is the mean of D over items. "
        "Formula (1) leaves out items of which every sentence is Record, so that a tagger which is nearly always "
        "wrong in another way is judged by the few others; compare taggers by D as published. An item is within reach "
        "when the tagger can give its gold tags at all.",
        "项目 p+r:d 检测语料中标为 p、r 的两个词是否被合标为一个 d。D（论文实际算法）= 正确 / 总数 × 100，"
        "D（式 1）= 正确 /（总数 − 其他错误）× 100，R = 其他错误 / 总数；“其他错误”指目标被标错但不合该项目的模式。"
        "Z 为各项 D 的平均。式 (1) 不计全部句子均为“其他错误”的项目，几乎处处标错的程序因而只按其余少数项目计分；"
        "比较标注程序请用论文实际算法。标注程序能够给出标准标记的项目称为可达。",
    )
    conventions: Mapping[str, str] = {
        "failed": "left out and counted",
        "not_available": "left out of Z and counted",
        "absent": "items not in a resample are left out of its mean",
        "seeds": "pooled",
    }

    def __init__(
        self,
        items: bool = True,
        cluster: str = "cluster",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        measure: str = NAME,
        name: str = "tagging diagnosis",
    ) -> None:
        super().__init__(cluster, draws, seed, level, interval)
        self.items = items
        self.measure = measure
        self.name = name
        if not items:
            self.title = Bilingual("Totals over all errors", "各项总分")

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the means of each system, then a row for each system, item and number."""
        return self.conclude(tables).estimates

    def conclude(self, tables: Tables) -> Conclusion:
        """Return the estimates, and Z of each system in words."""
        rows = list(self._estimates(tables))
        return Conclusion(signed(rows, self.signature()), tuple(_sentences(rows)))

    def _estimates(self, tables: Tables) -> Iterator[Estimate]:
        rows = labelled_sentences(tables, self.measure, self.cluster)
        counts = with_scores(counted(rows, "pair")).join(reach(tables, rows), on=["system", "pair"])
        held = [(by["system"], cell) for by, cell in outcomes.cells(rows, ())]
        for system, cell in held:
            yield from self._means(system, cell, counts.filter(pl.col("system") == system).sort("pair"))
        if not self.items:
            return
        for system, cell in held:
            by_pair = cell.partition_by("pair", as_dict=True)
            for row in counts.filter(pl.col("system") == system).sort("pair").iter_rows(named=True):
                yield from self._item(row, by_pair[row["pair"],].drop_nulls("label"))

    # --- one item ---

    def _item(self, row: Mapping[str, Any], labelled: pl.DataFrame) -> Iterator[Estimate]:
        ends = score_intervals(labelled, self.level)
        for name in SCORES:
            low, high = ends[name] or (None, None)
            how = f"Wilson's {self.level:g} interval, sentences of one cluster ({self.cluster}) as if always alike"
            told = how if ends[name] else f"not available: {_nothing_to_divide(row, name)}"
            yield self._row(row, name, row[name], f"{_FORMULAS[name]}; {told}", low, high)
        for name in COUNTS:
            yield self._row(row, name, row[name], f"sentences whose target is {_COUNTED[name]}")
        known = row["reachable"]
        told = "the system does not say which tags it can give (trait 'tags')"
        if known is not None:
            told = "1 when the system can give all gold tags of the item"
        yield self._row(row, REACHABLE, None if known is None else int(bool(known)), told)

    def _row(
        self,
        row: Mapping[str, Any],
        statistic: str,
        value: float | None,
        method: str,
        low: float | None = None,
        high: float | None = None,
    ) -> Estimate:
        number = None if value is None else float(value)
        place = {"system": row["system"], "pair": row["pair"]}
        counts = {"n": row["total"], "n_missing": row["failed"]}
        return Estimate(self.name, place, statistic, number, low, high, method=method, **counts)

    # --- means over items ---

    def _means(self, system: str, cell: pl.DataFrame, counts: pl.DataFrame) -> Iterator[Estimate]:
        groups = group_masks(counts)
        intervals = self._intervals(cell, counts["pair"].to_list(), list(groups.values()))
        for number, (group, mask) in enumerate(groups.items()):
            held = counts.filter(mask)
            if group == WITHIN_REACH and counts["reachable"].null_count():
                held = held.head(0)
            place = {"system": system, "pair": group}
            for score, name in enumerate(SCORES):
                yield self._mean(place, name, held, intervals, number * len(SCORES) + score)
            for name in COUNTS:
                told = f"sum over {held.height} items; a sentence counts in each of its items"
                yield self._sum(place, name, int(held[name].sum()) if held.height else None, told)
            told = "items without D by formula (1): every sentence is Record or failed"
            yield self._sum(place, LEFT_OUT, held["D"].null_count() if held.height else None, told)

    def _mean(
        self, place: Mapping[str, str], name: str, held: pl.DataFrame, intervals: Intervals, column: int
    ) -> Estimate:
        left_out = held[name].null_count()
        n = held.height - left_out
        if not n:
            told = "no such item has a score" if held.height or place["pair"] != WITHIN_REACH else (
                "no item, or the system does not say which tags it can give (trait 'tags')"
            )  # fmt: skip
            return Estimate(self.name, place, name, None, n=0, n_missing=left_out, method=told)
        value, low, high = interval_at(intervals, column)
        # How many draws had no value is known of all groups together, which says nothing about this one.
        how = self._how(replace(intervals, undefined=0), bounded=low is not None)
        told = f"mean over items of {_FORMULAS[name]}, {left_out} items left out; {how}"
        told += "; a drawn sentence counts in all its items, an item that a draw lacks is left out of it"
        return Estimate(self.name, place, name, value, low, high, n=n, n_missing=left_out, method=told)

    def _sum(self, place: Mapping[str, str], name: str, value: int | None, method: str) -> Estimate:
        return Estimate(self.name, place, name, None if value is None else float(value), method=method)

    def _intervals(self, cell: pl.DataFrame, pairs: Sequence[str], masks: Sequence[NDArray[np.bool_]]) -> Intervals:
        codes, count = cluster_codes(cell["cluster"])

        def statistic(totals: Floats) -> Floats:
            scores = item_scores(totals).all
            return np.column_stack([mean_score(score, mask) for mask in masks for score in scores])

        return bootstrap(label_sums(cell, pairs, codes, count), statistic, self.resampling())

    def layout(self) -> Layout:
        """Return items as rows with the systems beneath each other, and the numbers as columns."""
        return Layout(
            rows=("pair", "system"),
            statistics=STATISTICS,
            factors={"pair": PAIR_TITLE, "system": FACTOR_TITLES["system"]},
            levels=GROUPS,
            figure="none" if self.items else "intervals",
            figure_statistics=("D published", "D"),
        )


_FORMULAS = {"D published": "Correct / Total × 100", "D": "Correct / (Total − Record) × 100", "R": "Record / Total"}
_COUNTED = {
    "correct": "cut and tagged as the gold",
    "wrong": "wrong by the item's pattern",
    "record": "wrong in another way",
    "total": "labelled at all",
    "failed": "without a label, because the tagger failed or the item asks about nothing",
}


def _nothing_to_divide(row: Mapping[str, Any], name: str) -> str:
    return "every labelled sentence is Record" if row["total"] and name == "D" else "no sentence has a label"


def group_masks(counts: pl.DataFrame) -> dict[str, NDArray[np.bool_]]:
    """Return which items (rows with `pair` and `reachable`) belong to each group; groups without items are left out.

    Items within reach are kept even if there are none, so that their absence is seen.
    """
    pairs = [error_pair(name) for name in counts["pair"]]
    found = {
        ALL_ITEMS: np.ones(len(pairs), np.bool_),
        WITHIN_REACH: counts["reachable"].fill_null(value=False).to_numpy().astype(np.bool_),
        ABOUT_WORDS: np.array([pair.about_words for pair in pairs], np.bool_),
        # Table 4 leaves <[v], [v+v]> to Table 3.
        GOLD_A_OR_V: np.array([pair.gold in (("a",), ("v",)) and not pair.about_words for pair in pairs], np.bool_),
    }
    return {group: mask for group, mask in found.items() if group == WITHIN_REACH or mask.any()}


def _sentences(rows: Sequence[Estimate]) -> Iterator[Bilingual]:
    held = {(row.by["system"], row.by["pair"], row.statistic): row for row in rows}
    for system in dict.fromkeys(row.by["system"] for row in rows):
        published, formula = (held[system, ALL_ITEMS, name] for name in ("D published", "D"))
        near, other = (held[system, WITHIN_REACH, name] for name in ("D published", "D"))
        every, inside = ((row.n or 0) + (row.n_missing or 0) for row in (formula, near))
        english = f"{system}: Z = {_written(published)} as published; "
        english += f"{_written(formula)} by formula (1), over {formula.n} of {every} items"
        chinese = f"{system}：按论文实际算法 Z = {_written(published)}；"
        chinese += f"按式 (1)，{every} 个项目中 {formula.n} 个可计算，Z = {_written(formula)}"
        if near.value is not None and inside != every:
            english += f"; over the {inside} item{'s' * (inside != 1)} within reach {_written(near)} and "
            english += _written(other)
            chinese += f"；仅计可达的 {inside} 个项目，分别为 {_written(near)} 与 {_written(other)}"
        yield Bilingual(f"{english}.", f"{chinese}。")
        if (formula.n or 0) < FEW_ITEMS * every:
            yield Bilingual(
                f"{system}: formula (1) rests on {formula.n} of {every} items, for in all others every sentence is "
                "wrong in another way. Its Z says nothing about the tagger; do not compare it.",
                f"{system}：式 (1) 仅依据 {every} 个项目中的 {formula.n} 个，其余项目的句子均以其他方式标错。"
                "该 Z 不能说明标注程序的优劣，请勿用于比较。",
            )


def _written(row: Estimate) -> str:
    if row.value is None:
        return "n/a"
    ends = "" if row.low is None or row.high is None else f" [{row.low:.2f}, {row.high:.2f}]"
    return f"{row.value:.2f}{ends}"


# What users write among the analyses of a study.
tagging_diagnosis = TaggingDiagnosis
