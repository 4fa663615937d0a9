"""Diagnosis of taggers: labels of diagnostic sentences, D, R and Z scores with intervals, and their analysis.

The chapter goes from the labels of single sentences to scores and from scores to the estimates of a report.

For each item of a diagnostic set D, R and the counts behind them, then Z, the mean of D over items: all items, those
within the tagger's reach, and the groups of Tables 3 and 4 of the paper [1]. A tagger that has no tag `vn` gets 0 on
every item whose gold is vn, which says something about its tagset and nothing about its skill; so Z is given with and
without such items.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18, sections 3.3 and 4.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from hengliang.analyses import outcomes
from hengliang.analyses.clustered import FACTOR_TITLES, ClusteredAnalysis
from hengliang.core.base_classes import Conclusion, Layout, StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.signature import Signature
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
from hengliang.tagging.labels import CORRECT, LABELS, NAME, RECORD, targets, words_at_targets
from hengliang.tagging.test_sets.test_set import error_pair

# --- labelled sentences -----------------------------------------------------------------------------------------------
# The rows from which scores are computed: which label each tagger got on each sentence, and what it gave there. A
# reader who wants to know why a score is low looks at them by item, by word and by sentence.

_NEEDED = ("pair", "word", "gold_tags", "wrong_tags")
TAGS_TRAIT = "tags"
"""The trait that lists all tags a system can give, separated by spaces."""

COUNTS: tuple[str, ...] = ("correct", "wrong", "record", "total", "failed")


def labelled_sentences(tables: Tables, measure: str = NAME, cluster: str = "cluster") -> pl.DataFrame:
    """Return a row for each tagger and sentence of a diagnostic set: its item and word, and the label it got.

    Columns: system, seed, respondent, item, id, pair, word, gold_tags, wrong_tags, cluster, label, reason. The label is
    null where the tagger failed, and the reason says why. Sentences of other materials in the run are left out.
    """
    absent = [name for name in _NEEDED if name not in tables.items.columns]
    asked = tables.items.filter(pl.col("pair").is_not_null()) if not absent else tables.items.head(0)
    if not asked.height:
        raise UserError(
            "The items of this run are no diagnostic sentences"
            + (f": they have no attribute '{absent[0]}'." if absent else "."),
            valid=f"A diagnostic sentence has the attributes {', '.join(_NEEDED)}.",
            remedy="Take the material tagging_items of a test set.",
        )
    asked_tables = Tables(asked, tables.systems, tables.responses, tables.judgements)
    rows = _with_labels(outcomes.due_answers(asked_tables, ("tagging",)).drop("label"), tables, measure)
    rows = outcomes.with_clusters(rows, asked_tables, cluster)
    about = asked.select(pl.col("id").alias("item"), *_NEEDED)
    return rows.join(about, on="item", how="left", maintain_order="left")


def _with_labels(rows: pl.DataFrame, tables: Tables, measure: str) -> pl.DataFrame:
    judgements = tables.judgements.filter(pl.col("measure") == measure)
    if not judgements.height:
        raise unknown_name("measure", measure, tables.judgements["measure"].unique().to_list())
    strange = judgements["label"].drop_nulls().filter(~judgements["label"].drop_nulls().is_in(list(LABELS)))
    if len(strange):
        raise UserError(
            f"The measure '{measure}' gives the label '{strange[0]}'.",
            valid=f"Labels of a diagnostic sentence: {', '.join(LABELS)}.",
        )
    labels = judgements.select("label", "reason", "scored_system", id="about").join(
        outcomes.scored_systems(rows), on="scored_system"
    )
    labels = labels.drop("scored_system").unique(["id", "system", "seed"], keep="first", maintain_order=True)
    judged = rows.join(labels, on=["id", "system", "seed"], how="left", nulls_equal=True, maintain_order="left")
    return judged.with_columns(pl.col("reason").fill_null("the sentence was not tagged or not judged"))


def counted(rows: pl.DataFrame, *factors: str) -> pl.DataFrame:
    """Count labels by system and factors: correct, wrong, record, total (of these three) and failed."""
    label = pl.col("label")
    counts = [(label == name).sum().cast(pl.Int64).alias(name.lower()) for name in LABELS]
    failed = label.is_null().sum().cast(pl.Int64).alias("failed")
    table = rows.group_by("system", *factors, maintain_order=True).agg(*counts, failed)
    total = pl.sum_horizontal("correct", "wrong", "record")
    return table.with_columns(total=total).select("system", *factors, *COUNTS)


def with_scores(counts: pl.DataFrame) -> pl.DataFrame:
    """Add D by formula (1), D as published and R; null where there is nothing to divide by."""
    decided = pl.col("total") - pl.col("record")
    return counts.with_columns(
        pl.when(decided > 0).then(100 * pl.col("correct") / decided).alias("D"),
        pl.when(pl.col("total") > 0).then(100 * pl.col("correct") / pl.col("total")).alias("D published"),
        pl.when(pl.col("total") > 0).then(pl.col("record") / pl.col("total")).alias("R"),
    )


def by_word(tables: Tables, measure: str = NAME) -> pl.DataFrame:
    """Return the counts and scores of each word of each item: system, pair, word, counts, D, D published, R."""
    rows = labelled_sentences(tables, measure, "id").sort("pair", "word", maintain_order=True)
    return with_scores(counted(rows, "pair", "word"))


def by_sentence(tables: Tables, measure: str = NAME) -> pl.DataFrame:
    """Return each sentence's label with what the tagger gave: the words that reach into the target, with their tags.

    Columns: system, seed, pair, word, item, label, gold, given, sentence, start, end, reason; start and end are the
    bytes of the target.
    """
    rows = labelled_sentences(tables, measure, "id")
    wanted = ["system", "seed", "pair", "word", "item", "label"]
    where = targets(tables.items).select("item", start="target_start", end="target_end")
    texts = tables.items.select(item="id", gold="gold", sentence="content")
    rows = rows.join(where, on="item", how="left", maintain_order="left")
    rows = rows.join(texts, on="item", how="left", maintain_order="left")
    words = given_words(tables.items, tables.responses["tagging"])
    rows = rows.join(words, on=["item", "system", "seed"], how="left", nulls_equal=True, maintain_order="left")
    reason = pl.when(pl.col("label").is_null()).then("reason").otherwise(pl.lit(""))
    return rows.select(*wanted, "gold", "given", "sentence", "start", "end", reason.alias("reason"))


def given_words(items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
    """Return what each tagger gave at each target: item, system, seed, given (`就此/d`)."""
    places = targets(items).filter(pl.col("problem") == "").select("item", "target_start", "target_end")
    rows = responses.filter(pl.col("status") == "ok").unique(["item", "system", "seed"], maintain_order=True)
    rows = rows.with_row_index("row").join(places, on="item")
    text = items.select(item="id", sentence=pl.col("content").cast(pl.Binary))
    words = words_at_targets(rows).join(rows.select("row", "item", "system", "seed"), on="row", maintain_order="left")
    words = words.join(text, on="item", maintain_order="left")
    word = pl.col("sentence").bin.slice(pl.col("start"), pl.col("end") - pl.col("start")).cast(pl.String)
    tagged = pl.format("{}/{}", word.str.strip_chars(), "tag").str.join(" ")
    return words.group_by("item", "system", "seed", maintain_order=True).agg(given=tagged)


def reach(tables: Tables, rows: pl.DataFrame) -> pl.DataFrame:
    """Say of each system and pair whether all gold tags are among those the system can give: system, pair, reachable.

    What a system can give stands in its trait `tags`; without it `reachable` is null.
    """
    pairs = rows.select("pair", tag=pl.col("gold_tags").str.split("+")).unique("pair", maintain_order=True)
    systems = rows.select("system").unique(maintain_order=True)
    described = tables.systems
    known = (
        described[TAGS_TRAIT]
        if TAGS_TRAIT in described.columns
        else pl.Series([None] * described.height, dtype=pl.String)
    )
    tags: dict[str, set[str]] = {}
    for name, given_tags in zip(described["name"], known, strict=True):
        if given_tags:  # what every seed of a system can give
            tags[name] = tags.get(name, set(given_tags.split())) & set(given_tags.split())
    reached = [
        (system, pair, tags[system].issuperset(gold) if system in tags else None)
        for system in systems["system"]
        for pair, gold in pairs.iter_rows()
    ]
    schema = {"system": pl.String, "pair": pl.String, "reachable": pl.Boolean}
    return pl.DataFrame(reached, schema=schema, orient="row")


# --- scores and intervals ---------------------------------------------------------------------------------------------
# Of one item: D = Correct / (Total − Record) · 100, as formula (1) of the paper has it; D as published, which is
# Correct / Total · 100 (the printed values are such numbers); R = Record / Total. Z is the mean of D over items [1].
# Where a denominator is zero there is no score, and Z is the mean of the others.
#
# Intervals of D are Wilson's [2], for a share of few sentences that is often 0 or 1. Sentences of one cluster are
# counted as if they always went together: n is divided by Kish's design effect at its largest, Σm²/Σm for clusters of m
# sentences [3]. That is Wilson's own interval when no cluster has two sentences, and never narrower.
#
# [2] Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. JASA 22.
# [3] Kish, L. (1965). Survey sampling. Wiley, chapter 5.

SCORES: tuple[str, ...] = ("D published", "D", "R")
"""D as published comes first: by formula (1) a tagger that gets next to nothing right is judged by the few items of
which some sentence is not Record, and may look better than any other."""

FULL = 100.0


@dataclass(frozen=True, slots=True, eq=False)
class ItemScores:
    """D by formula (1), D as published and R: one row per resample, one column per item; NaN where nothing divides."""

    formula: Floats
    published: Floats
    record: Floats

    @property
    def all(self) -> tuple[Floats, Floats, Floats]:
        """The three in the order of `SCORES`."""
        return self.published, self.formula, self.record


def label_sums(rows: pl.DataFrame, pairs: Sequence[str], codes: Integers, shape: int) -> scipy.sparse.csr_array:
    """Count Correct, Wrong and Record of each pair: one row per cluster, three blocks of one column per pair.

    `codes` are the numbers of the rows' clusters, `shape` how many clusters there are. Rows without a label count for
    nothing.
    """
    column_of = {pair: number for number, pair in enumerate(pairs)}
    block = {label: number * len(pairs) for number, label in enumerate(LABELS)}
    judged = rows["label"].is_not_null().to_numpy()
    labelled = rows.filter(pl.col("label").is_not_null())
    column = labelled["label"].replace_strict(block, return_dtype=pl.Int64)
    column += labelled["pair"].replace_strict(column_of, return_dtype=pl.Int64)
    return cluster_counts(codes[judged], column.to_numpy(), shape=(shape, len(LABELS) * len(pairs)))


def item_scores(totals: Floats) -> ItemScores:
    """Return the scores of each row of counts: all Correct, then all Wrong, then all Record."""
    correct, wrong, record = np.split(totals, len(LABELS), axis=1)
    decided, total = correct + wrong, correct + wrong + record
    return ItemScores(FULL * _ratio(correct, decided), FULL * _ratio(correct, total), _ratio(record, total))


def _ratio(part: Floats, whole: Floats) -> Floats:
    ratio: Floats = np.divide(part, whole, out=np.full_like(part, np.nan), where=whole > 0)
    return ratio


def mean_score(scores: Floats, chosen: NDArray[np.bool_]) -> Floats:
    """Return the mean over the chosen items that have a score, row by row; NaN where none has."""
    chosen_scores = scores[:, chosen]
    known = ~np.isnan(chosen_scores)
    return _ratio(np.where(known, chosen_scores, 0.0).sum(axis=1), known.sum(axis=1).astype(np.float64))


def interval_at(intervals: Intervals, column: int) -> tuple[float | None, float | None, float | None]:
    """Return the value in one column and the ends of its interval; nothing where there is no number."""
    value, low, high = (
        None if np.isnan(part[column]) else float(part[column])
        for part in (intervals.value, intervals.low, intervals.high)
    )
    return value, low, high


def wilson_clustered(successes: int, sizes: Floats, level: float = 0.95) -> tuple[float, float] | None:
    """Return Wilson's interval of a share whose cases come in clusters of these sizes; nothing without cases."""
    cases = float(sizes.sum())
    if not cases:
        return None
    share, n = successes / cases, cases * cases / float((sizes * sizes).sum())
    quantile = float(scipy.special.ndtri((1 + level) / 2))
    square = quantile * quantile
    centre = (share + square / (2 * n)) / (1 + square / n)
    half = quantile * math.sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    # At 0 and 1 the bound is the share itself, which rounding would miss by an ulp.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    return low, 1.0 if successes == cases else min(1.0, centre + half)


def cluster_sizes(rows: pl.DataFrame) -> Floats:
    """Return how many rows each cluster has."""
    codes, count = cluster_codes(rows["cluster"])
    sizes: Floats = np.bincount(codes, minlength=count).astype(np.float64)
    return sizes


def score_intervals(rows: pl.DataFrame, level: float) -> dict[str, tuple[float, float] | None]:
    """Return the interval of each score of one item, whose labelled sentences `rows` are."""
    decided = rows.filter(pl.col("label") != RECORD)
    correct = rows.filter(pl.col("label") == CORRECT).height
    every = cluster_sizes(rows)
    intervals = {
        "D": wilson_clustered(correct, cluster_sizes(decided), level),
        "D published": wilson_clustered(correct, every, level),
        "R": wilson_clustered(rows.height - decided.height, every, level),
    }
    scale = {"D": FULL, "D published": FULL, "R": 1.0}
    return {
        name: None if ends is None else (scale[name] * ends[0], scale[name] * ends[1])
        for name, ends in intervals.items()
    }


def signed(rows: Iterable[Estimate], signature: Signature) -> pl.DataFrame:
    """Return the estimate table with one signature on every row: to compute it for thousands of rows takes seconds."""
    return estimates_frame(rows).with_columns(signature=pl.lit(str(signature), dtype=pl.String))


# --- the analysis -----------------------------------------------------------------------------------------------------


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
        cells = [(by["system"], cell) for by, cell in outcomes.cells(rows, ())]
        for system, cell in cells:
            yield from self._means(system, cell, counts.filter(pl.col("system") == system).sort("pair"))
        if not self.items:
            return
        for system, cell in cells:
            by_pair = cell.partition_by("pair", as_dict=True)
            for row in counts.filter(pl.col("system") == system).sort("pair").iter_rows(named=True):
                yield from self._item(row, by_pair[row["pair"],].drop_nulls("label"))

    # --- one item ---

    def _item(self, row: Mapping[str, Any], labelled: pl.DataFrame) -> Iterator[Estimate]:
        ends = score_intervals(labelled, self.level)
        for name in SCORES:
            low, high = ends[name] or (None, None)
            how = f"Wilson's {self.level:g} interval, sentences of one cluster ({self.cluster}) as if always alike"
            note = how if ends[name] else f"not available: {_nothing_to_divide(row, name)}"
            yield self._row(row, name, row[name], f"{_FORMULAS[name]}; {note}", low, high)
        for name in COUNTS:
            yield self._row(row, name, row[name], f"sentences whose target is {_COUNTED[name]}")
        known = row["reachable"]
        note = "the system does not say which tags it can give (trait 'tags')"
        if known is not None:
            note = "1 when the system can give all gold tags of the item"
        yield self._row(row, REACHABLE, None if known is None else int(bool(known)), note)

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
        levels = {"system": row["system"], "pair": row["pair"]}
        counts = {"n": row["total"], "n_missing": row["failed"]}
        return Estimate(self.name, levels, statistic, number, low, high, method=method, **counts)

    # --- means over items ---

    def _means(self, system: str, cell: pl.DataFrame, counts: pl.DataFrame) -> Iterator[Estimate]:
        groups = group_masks(counts)
        intervals = self._intervals(cell, counts["pair"].to_list(), list(groups.values()))
        for number, (group, mask) in enumerate(groups.items()):
            items = counts.filter(mask)
            if group == WITHIN_REACH and counts["reachable"].null_count():
                items = items.head(0)
            levels = {"system": system, "pair": group}
            for score, name in enumerate(SCORES):
                yield self._mean(levels, name, items, intervals, number * len(SCORES) + score)
            for name in COUNTS:
                note = f"sum over {items.height} items; a sentence counts in each of its items"
                yield self._sum(levels, name, int(items[name].sum()) if items.height else None, note)
            note = "items without D by formula (1): every sentence is Record or failed"
            yield self._sum(levels, LEFT_OUT, items["D"].null_count() if items.height else None, note)

    def _mean(
        self, place: Mapping[str, str], name: str, held: pl.DataFrame, intervals: Intervals, column: int
    ) -> Estimate:
        left_out = held[name].null_count()
        n = held.height - left_out
        if not n:
            note = "no such item has a score" if held.height or place["pair"] != WITHIN_REACH else (
                "no item, or the system does not say which tags it can give (trait 'tags')"
            )  # fmt: skip
            return Estimate(self.name, place, name, None, n=0, n_missing=left_out, method=note)
        value, low, high = interval_at(intervals, column)
        # How many draws had no value is known of all groups together, which says nothing about this one.
        how = self._how(replace(intervals, undefined=0), bounded=low is not None)
        note = f"mean over items of {_FORMULAS[name]}, {left_out} items left out; {how}"
        note += "; a drawn sentence counts in all its items, an item that a draw lacks is left out of it"
        return Estimate(self.name, place, name, value, low, high, n=n, n_missing=left_out, method=note)

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
    masks = {
        ALL_ITEMS: np.ones(len(pairs), np.bool_),
        WITHIN_REACH: counts["reachable"].fill_null(value=False).to_numpy().astype(np.bool_),
        ABOUT_WORDS: np.array([pair.about_words for pair in pairs], np.bool_),
        # Table 4 leaves <[v], [v+v]> to Table 3.
        GOLD_A_OR_V: np.array([pair.gold in (("a",), ("v",)) and not pair.about_words for pair in pairs], np.bool_),
    }
    return {group: mask for group, mask in masks.items() if group == WITHIN_REACH or mask.any()}


def _sentences(rows: Sequence[Estimate]) -> Iterator[Bilingual]:
    by_levels = {(row.by["system"], row.by["pair"], row.statistic): row for row in rows}
    for system in dict.fromkeys(row.by["system"] for row in rows):
        published, formula = (by_levels[system, ALL_ITEMS, name] for name in ("D published", "D"))
        near, other = (by_levels[system, WITHIN_REACH, name] for name in ("D published", "D"))
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
