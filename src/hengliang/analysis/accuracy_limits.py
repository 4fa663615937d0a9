"""What limits the best system: the labels, the variation of writers, or the system itself?

The error of each system is set against the least error that any system could have. That is bounded by how often
another use in the same context differs (`hengliang.analysis.label_noise`). The rich context (noun, kind of trigger,
neighbours) covers few slots, and easy ones; so the variation of the noun is measured on all slots, and scaled by how
much the rich context reduces it where both are known. The assumptions:

1. the rich context explains the same share of a noun's variation where it is not covered;
2. nouns that the reference does not have vary as much as the others;
3. what lies beyond the neighbours (the article, the writer) decides nothing: a system that sees it can do better.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

import numpy as np
import polars as pl

from hengliang.analyses import outcomes
from hengliang.analyses.clustered import FACTOR_TITLES, ClusteredAnalysis
from hengliang.analysis.label_noise import compared, contexts, least_error
from hengliang.analysis.noun_classifiers import default_reference
from hengliang.core.base_classes import Layout, Material, StatisticLabel
from hengliang.core.records import Estimate, estimate_records, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.materials.classifier_slots import NAME
from hengliang.materials.slot_checks import slot_precision
from hengliang.statistics.resampling import Floats, Intervals, bootstrap, cluster_codes, cluster_counts

PARTS: Mapping[str, Bilingual] = {
    "error": Bilingual("error", "错误率"),
    "variation at least": Bilingual("least possible error, at least", "最小可能错误率下界"),
    "variation at most": Bilingual("least possible error, at most", "最小可能错误率上界"),
    "left at most": Bilingual("left for a better system, at most", "可改进空间上界"),
    "left at least": Bilingual("left for a better system, at least", "可改进空间下界"),
    "no slot": Bilingual("within these: slots that are none", "其中：并非空位"),
    "wrong head": Bilingual("within these: wrong head nouns", "其中：中心名词有误"),
}
_READERS = {"slot": "no slot", "head": "wrong head"}
_RICH = "noun, trigger, neighbours"


@register("accuracy limits")
class AccuracyLimits(ClusteredAnalysis):
    """The error of each system beside the least possible error, and what is left to win.

    `window` is the number of characters on either side that make up the neighbours. Shares of slots that are none and
    of wrong heads come from readers' verdicts on a random sample of the default corpus, and are shown for it only.
    """

    conventions: Mapping[str, str] = {"seeds": "averaged by item", "bounds": "Cover and Hart 1967, scaled"}
    title = Bilingual("What limits accuracy", "准确率的限制因素")
    explanation = Bilingual(
        "The least possible error is that of a system which knows exactly how often each classifier is used with the "
        "noun, the kind of trigger and the neighbours. It is estimated from how often another use in the same context "
        "differs, scaled from the slots with such a use to all; noise of the extraction is within it. What a system "
        "has above it is left for a better one. A system that uses more of the text can go below it.",
        "最小可能错误率，是完全掌握每个量词与名词、前项类型及邻字搭配频率的系统的错误率。"
        "它由相同语境中另一用例不同的概率估计，并由有此类用例的空位推及全部；抽取噪声包含在内。"
        "系统高出的部分为可改进空间。利用更多上下文的系统可低于此值。",
    )

    def __init__(
        self,
        reference: Material | None = None,
        window: int = 1,
        cluster: str = "block",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        measure: str = "match",
        name: str = "accuracy limits",
    ) -> None:
        super().__init__(cluster, draws, seed, level, "percentile")
        self.reference = default_reference() if reference is None else reference
        self.window = window
        self.measure = measure
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the parts of each system's error, and what readers say of the slots."""
        uses, reference = contexts(tables.items, self.window), contexts(self.reference.items(), self.window)
        classes = pl.concat([uses["classifier"], reference["classifier"]]).n_unique()
        noun = compared(uses, reference, "noun")
        rich = compared(uses, reference, _RICH).select("item", pl.col("others", "differ").name.prefix("rich_"))
        slots = noun.join(rich, on="item", maintain_order="left")
        rows = outcomes.with_judgements(outcomes.due_answers(tables), tables, self.measure)
        rows = rows.group_by("system", "item", maintain_order=True).agg(pl.col("value").mean())
        rows = rows.join(slots, on="item", how="inner", maintain_order="left")
        rows = outcomes.with_clusters(rows, tables, self.cluster)
        found: list[Estimate] = []
        for by, cell in outcomes.cells(rows, ()):
            judged = cell.drop_nulls("value")
            intervals = self._intervals(judged, classes) if judged.height else None
            counts = (judged.height, tables.items.height - judged.height)
            for place, part in enumerate(list(PARTS)[:5]):
                held = None if intervals is None else _one(intervals, place)
                note = f"{self.window} characters on either side, {classes} classifiers possible"
                found += self.cell_estimates({**by, "part": part}, ["share"], held, counts, note)
        found += self._readers(tables)
        return estimates_frame(found)

    def _intervals(self, rows: pl.DataFrame, classes: int) -> Intervals:
        codes, count = cluster_codes(rows["cluster"])
        known, rich = (rows["others"] > 0).to_numpy(), (rows["rich_others"] > 0).to_numpy()
        by_noun = np.where(known, (rows["differ"] / rows["others"]).fill_nan(0.0).to_numpy(), 0.0)
        by_context = np.where(rich, (rows["rich_differ"] / rows["rich_others"]).fill_nan(0.0).to_numpy(), 0.0)
        columns = [np.ones(len(codes)), 1 - rows["value"].to_numpy(), known, by_noun, rich * by_noun, by_context]
        weights = np.concatenate(columns).astype(np.float64)
        places = np.repeat(np.arange(len(columns)), len(codes))
        sums = cluster_counts(np.tile(codes, len(columns)), places, weights, shape=(count, len(columns)))
        return bootstrap(sums, LimitStatistic(classes), self.resampling())

    def _readers(self, tables: Tables) -> Iterator[Estimate]:
        """Give the shares of wrong slots and heads where readers have checked this very material."""
        if set(tables.items["material"].unique()) != {NAME}:
            return
        held = slot_precision().filter((pl.col("round") == "final") & (pl.col("sample") == "random"))
        for row in held.iter_rows(named=True):
            yield Estimate(
                self.name,
                {"part": _READERS[row["what"]]},
                "share",
                1 - row["precision"],
                1 - row["high"],
                1 - row["low"],
                n=row["judged"],
                n_missing=row["gone"] + row["changed"],
                method="share of wrong ones among those read in the whole corpus; Wilson's 0.95 interval",
                signature=str(self.signature()),
            )

    def sentences(self, estimates: pl.DataFrame) -> Sequence[Bilingual]:
        """Say of the best system how much of its error could be avoided."""
        held = {(row.by.get("system"), row.by["part"]): row.value for row in estimate_records(estimates)}
        errors = {system: value for (system, part), value in held.items() if part == "error" and value is not None}
        if not errors:
            return ()
        best = min(errors.items(), key=itemgetter(1))[0]
        values = [held.get((best, part)) for part in ("variation at least", "variation at most")]
        if any(value is None for value in values):
            return ()
        low, high = (f"{100 * float(value or 0):.0f}" for value in values)
        error = f"{errors[best]:.1%}"
        return (
            Bilingual(
                f"{best} has the least error, {error}. With noun, trigger and neighbours alone the least possible "
                f"error lies between {low} and {high} %.",
                f"{best} 的错误率最低，为 {error}。仅凭名词、前项和邻字，最小可能错误率介于 {low}% 与 {high}% 之间。",
            ),
        )

    def layout(self) -> Layout:
        """Show a row a part and a column a system."""
        return Layout(
            rows=("part",),
            columns="system",
            statistics={"share": StatisticLabel(Bilingual("Share of slots", "占空位比例"), "percent", 1)},
            factors={**FACTOR_TITLES, "part": Bilingual("Part", "部分")},
            levels=PARTS,
        )


def _one(intervals: Intervals, place: int) -> Intervals:
    at = [place]
    return Intervals(
        intervals.value[at], intervals.low[at], intervals.high[at], intervals.clusters, intervals.undefined
    )


class LimitStatistic:
    """From sums to the first five of `PARTS`, for `bootstrap`.

    The sums are: slots, wrong answers, slots whose noun is known, the differing share by noun, the same where the rich
    context is known, the differing share by rich context.
    """

    def __init__(self, classes: int) -> None:
        self.classes = classes

    def __call__(self, totals: Floats) -> Floats:
        """Return the five numbers of each row."""
        slots, wrong, known, by_noun, by_noun_there, by_context = totals.T
        error = wrong / slots
        overall, kept = _divided(by_noun, known), _divided(by_context, by_noun_there)
        most = np.clip(overall * kept, 0.0, 1.0)
        least = least_error(most, self.classes)
        return np.column_stack([error, least, most, error - least, error - most])


def _divided(part: Floats, whole: Floats) -> Floats:
    found: Floats = np.divide(part, whole, out=np.full_like(part, np.nan), where=whole > 0)
    return found


# What users write among the analyses of a study.
accuracy_limits = AccuracyLimits
