"""Where are several classifiers in use, and do systems fail where writers vary?

The "flexibility" of which de Bruijn (2023, section 7.3) speaks. Two analyses: accuracy by how settled the noun's
classifier is in a reference material (by default the training part of the default corpus), and what knowing the noun
can bring at best. `variation_in_use` looks at the reference itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from hengliang.analyses import outcomes
from hengliang.analyses.clustered import FACTOR_TITLES, LEVEL_TITLES, ClusteredAnalysis, mean_with_interval
from hengliang.analysis.noun_classifiers import (
    BANDS,
    UNSEEN,
    default_reference,
    noun_only_scores,
    noun_profiles,
    reference_uses,
    uses_of,
    with_bands,
)
from hengliang.core.base_classes import Layout, Material, StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate, estimate_records, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.systems.classifier_choosers.general import GENERAL_CLASSIFIER
from hengliang.systems.classifier_choosers.slots import slots_of

FACTORS: Mapping[str, Bilingual] = {
    **FACTOR_TITLES,
    "band": Bilingual("Share of the noun's commonest classifier", "名词最常用量词的比例"),
    "knows": Bilingual("What is known", "已知信息"),
    "rank": Bilingual("Rank", "序"),
    "noun": Bilingual("Noun", "名词"),
    "in use": Bilingual("In use", "所用量词"),
    "one": Bilingual("One", "其一"),
    "other": Bilingual("Other", "其二"),
    "examples": Bilingual("Nouns", "名词举例"),
    "attribute": Bilingual("Attribute", "属性"),
    "level": Bilingual("Level", "取值"),
}
_PERCENT = StatisticLabel(Bilingual("Accuracy", "准确率"), "percent", 1)


# --- accuracy by flexibility ----------------------------------------------------------------------------------------


@register("classifier variation")
class ClassifierVariation(ClusteredAnalysis):
    """Accuracy by the share that the commonest classifier has among the noun's uses in the reference.

    A noun that occurs once has the share 1: `least` leaves nouns with fewer uses in a band of their own.
    """

    conventions: Mapping[str, str] = {"unanswered": "left out and counted", "bands": ".9 .7 .5"}
    title = Bilingual("Accuracy by flexibility of the noun", "准确率（按名词的量词灵活度）")
    explanation = Bilingual(
        "A noun is settled when nearly all its uses in the training material have the same classifier, and flexible "
        "when several classifiers share them. Where writers vary, the corpus answer is one of several good ones.",
        "名词在训练材料中几乎总用同一量词，则量词固定；由几个量词分担，则量词灵活。"
        "作者用法不一之处，语料答案只是几个可取答案之一。",
    )

    def __init__(
        self,
        reference: Material | None = None,
        least: int = 3,
        cluster: str = "block",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        measure: str = "match",
        name: str = "classifier variation",
    ) -> None:
        super().__init__(cluster, draws, seed, level, "percentile")
        self.reference = default_reference() if reference is None else reference
        self.least = least
        self.measure = measure
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the accuracy of each system for each band."""
        rows = outcomes.with_judgements(outcomes.due_answers(tables), tables, self.measure)
        rows = outcomes.with_clusters(rows, tables, self.cluster)
        bands = self._bands(tables.items)
        rows = rows.join(bands, on="item", how="left", maintain_order="left")
        order = [name for name, _ in BANDS]
        order += [f"fewer than {self.least} uses", UNSEEN]
        found: list[Estimate] = []
        for by, cell in outcomes.cells(rows, ()):
            for band in order:
                part = cell.filter(pl.col("band") == band)
                if not part.height:
                    continue
                judged = part.drop_nulls("value")
                intervals = mean_with_interval(judged["value"], judged["cluster"], self.resampling())
                counts = (judged.height, part.height - judged.height)
                found += self.cell_estimates({**by, "band": band}, ["accuracy"], intervals, counts, "mean of 'match'")
        return estimates_frame(found)

    def _bands(self, items: pl.DataFrame) -> pl.DataFrame:
        nouns = _known_nouns(items)
        uses = reference_uses(self.reference)
        seen = nouns.join(noun_profiles(uses).select("noun", "uses"), on="noun", how="left", maintain_order="left")
        rare = (seen["uses"] < self.least).fill_null(False)
        band = pl.when(rare).then(pl.lit(f"fewer than {self.least} uses")).otherwise(with_bands(nouns["noun"], uses))
        return nouns.select("item", band=band)

    def layout(self) -> Layout:
        """Show a row a band and a column a system."""
        rare = f"fewer than {self.least} uses"
        return Layout(
            rows=("band",),
            columns="system",
            statistics={"accuracy": _PERCENT},
            factors=FACTORS,
            levels={
                **LEVEL_TITLES,
                UNSEEN: Bilingual("noun not seen", "未见名词"),
                rare: Bilingual(rare, f"少于 {self.least} 例"),
            },
        )


def _known_nouns(items: pl.DataFrame) -> pl.DataFrame:
    nouns = items.select(item="id").with_columns(noun=slots_of(items)["noun"])
    if not (nouns["noun"] != "").any():
        raise UserError(
            "The items name no nouns.",
            valid="Classifier slots: each item has an attribute or a span called 'head'.",
        )
    return nouns


# --- what the noun can bring ----------------------------------------------------------------------------------------

_KNOWS: Mapping[str, Bilingual] = {
    "reference": Bilingual("the noun's uses in the reference, 个 if unseen", "名词在参照材料中的用法，未见者用“个”"),
    "other uses here": Bilingual("the noun's other uses here, if any", "名词在此处的其他用法（若有）"),
    "all other uses": Bilingual(
        "the noun's other uses here and in the reference, if any", "名词在两处的其他用法（若有）"
    ),
    "itself": Bilingual("the noun's uses here, this one too: an upper bound", "名词在此处的全部用法，含本例：上界"),
}


@register("noun ceiling")
class NounCeiling(ClusteredAnalysis):
    """What a chooser that knows nothing but the noun would reach on the items of the run.

    The truth lies between leaving the use itself out, which is too hard on rare nouns, and counting it in, which is an
    upper bound: a noun that occurs once is then always right. What is missing to 1 is variation that the noun does not
    explain. Ties count with the probability of drawing the right one.
    """

    conventions: Mapping[str, str] = {"ties": "expected score", "other uses": "leave one out"}
    title = Bilingual("What the noun alone can bring", "仅凭名词的上限")
    explanation = Bilingual(
        "Accuracy of choosing each noun's commonest classifier, with more and more knowledge of its distribution. "
        "What a chooser with full knowledge of the noun still gets wrong can be won from context only, or not at all.",
        "按名词最常用量词选择的准确率，对其分布所知逐步增加。完全了解名词分布仍选错之处，只能靠语境，或无从判断。",
    )

    def __init__(
        self,
        reference: Material | None = None,
        cluster: str = "block",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        name: str = "noun ceiling",
    ) -> None:
        super().__init__(cluster, draws, seed, level, "percentile")
        self.reference = default_reference() if reference is None else reference
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the accuracy for each degree of knowledge; slots where it says nothing are counted as missing."""
        _known_nouns(tables.items)
        uses, more = uses_of(tables.items), reference_uses(self.reference)
        if not uses.height:
            raise UserError("No item has a noun and a gold answer.", valid="Classifier slots with their classifiers.")
        here, everywhere = noun_only_scores(uses), noun_only_scores(uses, more)
        scores = {
            "reference": rule_scores(uses, more),
            "other uses here": here["left_out"],
            "all other uses": everywhere["left_out"],
            "itself": here["itself"],
        }
        rows = outcomes.with_clusters(uses.select("item"), tables, self.cluster)
        found: list[Estimate] = []
        for knows, score in scores.items():
            held = rows.with_columns(score=score).drop_nulls("score")
            intervals = mean_with_interval(held["score"], held["cluster"], self.resampling())
            counts = (held.height, tables.items.height - held.height)
            note = "the commonest classifier of the noun is chosen; a draw counts with its probability"
            found += self.cell_estimates({"knows": knows}, ["accuracy"], intervals, counts, note)
        return estimates_frame(found)

    def sentences(self, estimates: pl.DataFrame) -> Sequence[Bilingual]:
        """Say how much of the slots the noun cannot explain."""
        value = {row.by["knows"]: row.value for row in estimate_records(estimates)}
        least, most = value.get("itself"), value.get("all other uses")
        if least is None or most is None:
            return ()
        return (
            Bilingual(
                f"At least {1 - least:.1%} of the slots have a classifier that the noun alone does not explain; judged "
                f"by the noun's other uses, where it has any, {1 - most:.1%}.",
                f"至少 {1 - least:.1%} 的空位，其量词无法由名词本身解释；"
                f"以名词的其他用例（若有）判断则为 {1 - most:.1%}。",
            ),
        )

    def layout(self) -> Layout:
        """Show a row a degree of knowledge."""
        return Layout(rows=("knows",), statistics={"accuracy": _PERCENT}, factors=FACTORS, levels=_KNOWS)


def rule_scores(uses: pl.DataFrame, reference: pl.DataFrame) -> pl.Series:
    """Return the expected score of the commonest classifier in the reference on each use; unseen nouns get 个."""
    counted = reference.group_by("noun", "classifier").agg(count=pl.len())
    best = counted.filter(pl.col("count") == pl.col("count").max().over("noun"))
    best = best.with_columns(chance=1 / pl.len().over("noun"), seen=pl.lit(True))
    held = uses.select("noun", "classifier").join(
        best.select("noun", "classifier", "chance"), on=["noun", "classifier"], how="left", maintain_order="left"
    )
    held = held.join(best.select("noun", "seen").unique(), on="noun", how="left", maintain_order="left")
    general = (pl.col("classifier") == GENERAL_CLASSIFIER).cast(pl.Float64)
    return held.select(
        score=pl.when(pl.col("seen").is_null()).then(general).otherwise(pl.col("chance").fill_null(0.0))
    )["score"]


# What users write among the analyses of a study.
classifier_variation = ClassifierVariation
noun_ceiling = NounCeiling
