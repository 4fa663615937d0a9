"""How much of the error is noise of the extraction or a legitimate alternative, and how good could a system be?

Three things limit accuracy against a corpus besides the system: slots that are none, which nobody can fill; heads that
are wrong, which mislead whoever looks at the noun; and variation, where the same context occurs with another
classifier. Variation is measured as an old result on nearest neighbours [1] suggests: take a use in the same context
from the reference; if it differs with the probability d, and K classes are possible, then the least error R that any
system with this context can reach lies between (K−1)/K · (1 − √(1 − d·K/(K−1))) and d.

[1] Cover, T., Hart, P. (1967). Nearest neighbor pattern classification. IEEE Trans. Inf. Theory 13, 21-27.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from hengliang.analyses import outcomes
from hengliang.analyses.clustered import FACTOR_TITLES, ClusteredAnalysis, mean_with_interval
from hengliang.analysis.noun_classifiers import default_reference
from hengliang.core.base_classes import Layout, Material, StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.materials.slot_checks import LEFT_OUT, SECOND, read_verdicts
from hengliang.statistics.resampling import Floats, Intervals, bootstrap, cluster_codes, cluster_counts
from hengliang.systems.classifier_choosers.slots import slots_of

CONTEXTS: Mapping[str, Bilingual] = {
    "noun": Bilingual("same noun", "同一名词"),
    "noun, trigger": Bilingual("same noun and kind of trigger", "同一名词、同类前项"),
    "noun, trigger, neighbours": Bilingual("same noun, kind of trigger and neighbours", "同一名词、同类前项、相同邻字"),
}
"""The contexts in which uses are compared, from the poorest to the richest."""

STATISTICS: Mapping[str, StatisticLabel] = {
    "covered": StatisticLabel(Bilingual("Context in the reference", "语境见于参照"), "percent", 1),
    "varied": StatisticLabel(Bilingual("There with another classifier", "另有其他量词"), "percent", 1),
    "different": StatisticLabel(Bilingual("Another use differs", "另一例不同"), "percent", 1),
    "pessimistic": StatisticLabel(Bilingual("Best accuracy, at least", "最佳准确率下界"), "percent", 1),
    "optimistic": StatisticLabel(Bilingual("Best accuracy, at most", "最佳准确率上界"), "percent", 1),
}
FACTORS: Mapping[str, Bilingual] = {
    **FACTOR_TITLES,
    "context": Bilingual("Context", "语境"),
    "slots": Bilingual("Slots", "空位"),
}


def contexts(items: pl.DataFrame, window: int) -> pl.DataFrame:
    """Return a row an item with a noun: item, classifier, noun, trigger, and the `window` characters on either side."""
    slots = slots_of(items)
    trigger = pl.col("trigger").fill_null("") if "trigger" in items.columns else pl.lit("")
    held = items.select(item="id", classifier=pl.col("gold").str.normalize("NFC"), trigger=trigger)
    sentence, place = pl.col("sentence").cast(pl.Binary), pl.col("slot")
    around = slots.select(
        "noun",
        "problem",
        before=sentence.bin.slice(0, place).cast(pl.String, strict=False).str.tail(window),
        after=sentence.bin.slice(place).cast(pl.String, strict=False).str.head(window),
    )
    found = pl.concat([held, around], how="horizontal").filter((pl.col("problem") == "") & (pl.col("noun") != ""))
    found = found.drop("problem").filter(pl.col("classifier").fill_null("") != "")
    if not found.height:
        raise UserError(
            "No item has a slot, a noun and a gold answer.", valid="Classifier slots, with an attribute or span 'head'."
        )
    return found


def context_columns(context: str) -> list[str]:
    """Return the columns that make up a context."""
    named = {"noun": ["noun"], "trigger": ["trigger"], "neighbours": ["before", "after"]}
    return [column for part in context.split(", ") for column in named[part]]


def compared(uses: pl.DataFrame, reference: pl.DataFrame, context: str) -> pl.DataFrame:
    """Return for each use its `others` (uses of the reference in the same context) and how many of them `differ`."""
    on = context_columns(context)
    total = reference.group_by(on).agg(others=pl.len().cast(pl.Int64))
    same = reference.group_by(*on, "classifier").agg(same=pl.len().cast(pl.Int64))
    held = uses.join(total, on=on, how="left", maintain_order="left")
    held = held.join(same, on=[*on, "classifier"], how="left", maintain_order="left")
    return held.select(
        "item",
        pl.col("others").fill_null(0),
        differ=pl.col("others").fill_null(0) - pl.col("same").fill_null(0),
    )


def least_error(different: Floats, classes: int) -> Floats:
    """Return the lower bound of the least possible error, given how often a use in the same context differs [1]."""
    if classes < 2:
        return np.zeros_like(different)
    most = (classes - 1) / classes
    found: Floats = most * (1 - np.sqrt(np.clip(1 - different / most, 0.0, 1.0)))
    return found


# --- variation in the same context ----------------------------------------------------------------------------------


@register("label noise")
class LabelNoise(ClusteredAnalysis):
    """How often the same context occurs in the reference with another classifier, and what accuracy that allows.

    `covered` is of all slots, the others of the covered ones. A use in the same context counts with equal weight,
    however many there are. What holds for covered slots need not hold for the others.
    """

    conventions: Mapping[str, str] = {"bounds": "Cover and Hart 1967", "ties": "none"}
    title = Bilingual("Variation in the same context", "相同语境中的变异")
    explanation = Bilingual(
        "For slots whose context also occurs in the training material: is it there with another classifier, and how "
        "often does a use drawn from there differ? No system that sees only this context can be better than the upper "
        "bound, and a very good one reaches the lower bound. A richer context covers fewer slots.",
        "对语境也见于训练材料的空位：那里是否另有其他量词，随机取一例不同的概率有多大？只凭该语境的系统不可能超过上界，"
        "足够好的系统可达下界。语境越丰富，覆盖的空位越少。",
    )

    def __init__(
        self,
        reference: Material | None = None,
        window: int = 1,
        cluster: str = "block",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        name: str = "label noise",
    ) -> None:
        if window < 1:
            raise UserError(f"{window} characters are no neighbours.", valid="window is 1 or more.")
        super().__init__(cluster, draws, seed, level, "percentile")
        self.reference = default_reference() if reference is None else reference
        self.window = window
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return five numbers for each kind of context."""
        uses, reference = contexts(tables.items, self.window), contexts(self.reference.items(), self.window)
        classes = pl.concat([uses["classifier"], reference["classifier"]]).n_unique()
        clusters = outcomes.with_clusters(uses.select("item"), tables, self.cluster)["cluster"]
        found: list[Estimate] = []
        for context in CONTEXTS:
            intervals = variation(compared(uses, reference, context), clusters, classes, self)
            note = f"{self.window} characters on either side" if "neighbours" in context else "uses in the reference"
            counts = (uses.height, tables.items.height - uses.height)
            note += f", {classes} classifiers possible"
            found += self.cell_estimates({"context": context}, list(STATISTICS), intervals, counts, note)
        return estimates_frame(found)

    def layout(self) -> Layout:
        """Show a row a context."""
        return Layout(
            rows=("context",),
            statistics=STATISTICS,
            factors=FACTORS,
            levels=CONTEXTS,
            figure_statistics=("different", "pessimistic", "optimistic"),
        )


def variation(held: pl.DataFrame, clusters: pl.Series, classes: int, analysis: ClusteredAnalysis) -> Intervals:
    """Return `STATISTICS` of compared uses with their intervals."""
    codes, count = cluster_codes(clusters)
    covered = (held["others"] > 0).to_numpy()
    share = (held["differ"] / held["others"]).fill_nan(0.0).to_numpy()
    varied = (held["differ"] > 0).to_numpy()
    weights = np.concatenate([np.ones(len(codes)), covered, varied & covered, np.where(covered, share, 0.0)])
    columns = np.repeat(np.arange(4), len(codes))
    sums = cluster_counts(np.tile(codes, 4), columns, weights.astype(np.float64), shape=(count, 4))
    return bootstrap(sums, VariationStatistic(classes), analysis.resampling())


class VariationStatistic:
    """From sums (slots, covered, varied, differing share) to `STATISTICS`, for `bootstrap`."""

    def __init__(self, classes: int) -> None:
        self.classes = classes

    def __call__(self, totals: Floats) -> Floats:
        """Return the five numbers of each row."""
        slots, covered, varied, differing = totals.T
        known = covered > 0
        share, different = (
            np.divide(part, covered, out=np.full_like(part, np.nan), where=known) for part in (varied, differing)
        )
        return np.column_stack(
            [covered / slots, share, different, 1 - different, 1 - least_error(different, self.classes)]
        )


# --- accuracy where the labels are better or worse ------------------------------------------------------------------

GROUPS: Mapping[str, Bilingual] = {
    "all": Bilingual("all", "全部"),
    "head right": Bilingual("head judged right by a reader", "中心语经判读为正确"),
    "head wrong": Bilingual("head or slot judged wrong", "中心语或空位判为有误"),
    "plain": Bilingual("noun right after the slot", "名词紧随空位"),
    "through 的": Bilingual("head through 的", "中心语经“的”"),
    "other constructions": Bilingual("other constructions", "其他结构"),
    "same classifier": Bilingual("context in the reference, always with this classifier", "语境见于参照，量词均相同"),
    "also others": Bilingual("context in the reference, also with others", "语境见于参照，另有其他量词"),
    "only others": Bilingual("context in the reference, only with others", "语境见于参照，量词均不同"),
    "new": Bilingual("context not in the reference", "语境未见于参照"),
}


@register("accuracy by label quality")
class AccuracyByLabelQuality(ClusteredAnalysis):
    """Accuracy on slots whose labels can be trusted more or less.

    Readers' verdicts are those of `hengliang.materials.slot_checks`; they exist for some slots of the default corpus.
    The context is noun, kind of trigger and neighbours. Groups of different kinds overlap.
    """

    conventions: Mapping[str, str] = {"unanswered": "left out and counted"}
    title = Bilingual("Accuracy by quality of the labels", "准确率（按标注质量）")
    explanation = Bilingual(
        "Accuracy on slots with a checked head, by construction, and by whether the same context is in the training "
        "material with the same classifier, also with others, or only with others.",
        "按中心语是否经过核对、按结构、按相同语境在训练材料中的量词是否相同给出的准确率。",
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
        name: str = "accuracy by label quality",
    ) -> None:
        super().__init__(cluster, draws, seed, level, "percentile")
        self.reference = default_reference() if reference is None else reference
        self.window = window
        self.measure = measure
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the accuracy of each system in each group that has slots."""
        rows = outcomes.with_judgements(outcomes.due_answers(tables), tables, self.measure)
        rows = outcomes.with_clusters(rows, tables, self.cluster)
        groups = self.groups(tables.items)
        found: list[Estimate] = []
        for by, cell in outcomes.cells(rows, ()):
            for group in GROUPS:
                part = cell if group == "all" else cell.filter(pl.col("item").is_in(groups[group].implode()))
                if not part.height:
                    continue
                judged = part.drop_nulls("value")
                intervals = mean_with_interval(judged["value"], judged["cluster"], self.resampling())
                counts = (judged.height, part.height - judged.height)
                note = f"mean of '{self.measure}'"
                found += self.cell_estimates({**by, "slots": group}, ["accuracy"], intervals, counts, note)
        return estimates_frame(found)

    def groups(self, items: pl.DataFrame) -> dict[str, pl.Series]:
        """Return the ids of the items of each group."""
        context = compared(
            contexts(items, self.window), contexts(self.reference.items(), self.window), "noun, trigger, neighbours"
        )
        others, differ = pl.col("others"), pl.col("differ")
        found = {
            "same classifier": context.filter((others > 0) & (differ == 0))["item"],
            "also others": context.filter((differ > 0) & (differ < others))["item"],
            "only others": context.filter((others > 0) & (differ == others))["item"],
            "new": context.filter(others == 0)["item"],
        }
        empty = items["id"].head(0)
        named = items["construction"] if "construction" in items.columns else None
        for group in ("plain", "through 的"):
            found[group] = empty if named is None else items.filter(named == group)["id"]
        rest = ["plain", "through 的"]
        found["other constructions"] = empty if named is None else items.filter(~named.is_in(rest))["id"]
        checked = checked_heads(items)
        return {**found, **{f"head {verdict}": checked.filter(verdict=verdict)["id"] for verdict in ("right", "wrong")}}

    def layout(self) -> Layout:
        """Show a row a group and a column a system."""
        label = StatisticLabel(Bilingual("Accuracy", "准确率"), "percent", 1)
        return Layout(rows=("slots",), columns="system", statistics={"accuracy": label}, factors=FACTORS, levels=GROUPS)


def checked_heads(items: pl.DataFrame) -> pl.DataFrame:
    """Return id and verdict (right, wrong) of the items whose head a reader has judged, as it stands now."""
    if not {"paragraph", "offset", "head"} <= set(items.columns):
        return pl.DataFrame(schema={"id": pl.String, "verdict": pl.String})
    verdicts = read_verdicts().filter(~pl.col("sample").is_in([LEFT_OUT, SECOND]))
    held = verdicts.join(
        items.select("id", "paragraph", "offset", present="head", classifier="gold"),
        on=["paragraph", "offset", "classifier"],
        how="inner",
    )
    mended = (pl.col("present") == pl.col("better")).fill_null(False)
    held = held.filter((pl.col("present") == pl.col("head")) | mended)
    right = (pl.col("slot_verdict") == "right") & (mended | (pl.col("head_verdict") == "right"))
    named = pl.when(right).then(pl.lit("right")).otherwise(pl.lit("wrong"))
    return held.select("id", verdict=named).unique("id", keep="first", maintain_order=True).sort("id")


# What users write among the analyses of a study.
label_noise = LabelNoise
accuracy_by_label_quality = AccuracyByLabelQuality
