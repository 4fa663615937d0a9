"""Which nouns, classifiers and contexts vary in a material of classifier slots, whatever systems say about it?

Three analyses of a reference material (by default the training part of the default corpus), which need no answers: the
nouns with most variation, the classifiers that compete for the same nouns, and the contexts in which two writers differ
most.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from hengliang.analysis.classifier_variation import FACTORS
from hengliang.analysis.noun_classifiers import (
    competitors,
    default_reference,
    disagreement_interval,
    noun_profiles,
    reference_uses,
)
from hengliang.core.base_classes import Analysis, Layout, Material, StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual

_COUNTED = "counted in the reference material"
_OF_NOUNS = ("classifiers", "entropy", "share")
CONTEXTS: Mapping[str, Bilingual] = {
    "trigger": Bilingual("What comes before", "前项"),
    "number": Bilingual("Number", "数"),
    "construction": Bilingual("Construction", "结构"),
    "numeral": Bilingual("numeral", "数词"),
    "demonstrative": Bilingual("demonstrative (这, 那)", "指示词（这、那）"),
    "distributive": Bilingual("distributive (每, 各, 某)", "分指词（每、各、某）"),
    "ordinal": Bilingual("ordinal (第)", "序数（第）"),
    "serial": Bilingual("serial number (届, 期)", "届次"),
    "elided": Bilingual("elided 一", "省略“一”"),
    "interrogative": Bilingual("interrogative (哪)", "疑问词（哪）"),
    "sequence": Bilingual("place in a sequence (上, 下)", "次序（上、下）"),
    "one": Bilingual("one", "一"),
    "another number": Bilingual("another number", "其他数"),
    "plain": Bilingual("noun right after it", "名词紧随其后"),
    "modified": Bilingual("modified noun", "带定语"),
    "through 的": Bilingual("through 的", "经“的”"),
    "noun first": Bilingual("noun first", "名词在前"),
    "coordinated": Bilingual("coordinated", "并列"),
    "nominalised": Bilingual("nominalised", "名物化"),
    "title": Bilingual("title", "称谓"),
    "compound": Bilingual("compound", "复合"),
}


class ReferenceAnalysis(Analysis):
    """What analyses of a reference material share."""

    reference: Material

    def number(self, by: Mapping[str, str], statistic: str, value: float, n: int, how: str = _COUNTED) -> Estimate:
        """Return a number that was counted."""
        signature = str(self.signature())
        return Estimate(self.name, by, statistic, value, n=n, method=how, signature=signature)


@register("flexible nouns")
class FlexibleNouns(ReferenceAnalysis):
    """The `top` nouns with the greatest entropy of classifiers among those with at least `least` uses."""

    title = Bilingual("The most flexible nouns", "量词最灵活的名词")
    explanation = Bilingual(
        "Nouns of the training material that are in use with several classifiers. Entropy is in bits: 1 is as "
        "uncertain as two equally frequent classifiers.",
        "训练材料中与多个量词搭配的名词。熵以比特计：1 相当于两个同样常用的量词。",
    )

    def __init__(
        self, reference: Material | None = None, least: int = 10, top: int = 20, name: str = "flexible nouns"
    ) -> None:
        self.reference = default_reference() if reference is None else reference
        self.least = least
        self.top = top
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return four numbers a noun, the most flexible first, after the same for all frequent nouns together."""
        profiles = noun_profiles(reference_uses(self.reference)).filter(pl.col("uses") >= self.least)
        shown = profiles.sort("entropy", "uses", "noun", descending=[True, True, False]).head(self.top)
        found: list[Estimate] = []
        for rank, row in enumerate(shown.iter_rows(named=True), 1):
            by = {"rank": str(rank), "noun": row["noun"], "in use": row["in_use"]}
            found += [self.number(by, statistic, float(row[statistic]), row["uses"]) for statistic in _OF_NOUNS]
        if profiles.height:
            mean = f"mean of the {profiles.height} nouns with at least {self.least} uses, weighted by their uses"
            uses = int(profiles["uses"].sum())
            for statistic in _OF_NOUNS:
                value = float((profiles[statistic] * profiles["uses"]).sum()) / uses
                found.append(self.number({}, statistic, value, uses, mean))
        return estimates_frame(found)

    def layout(self) -> Layout:
        """Show a row a noun."""
        return Layout(
            rows=("rank", "noun", "in use"),
            statistics={
                "classifiers": StatisticLabel(Bilingual("Classifiers", "量词数"), "number", 1),
                "entropy": StatisticLabel(Bilingual("Entropy (bits)", "熵（比特）"), "number", 2),
                "share": StatisticLabel(Bilingual("Share of the commonest", "最常用者比例"), "percent", 1),
            },
            factors=FACTORS,
            figure="none",
        )


@register("competing classifiers")
class CompetingClassifiers(ReferenceAnalysis):
    """The `top` pairs of classifiers that share most uses of the same nouns."""

    title = Bilingual("Classifiers that compete", "相互竞争的量词")
    explanation = Bilingual(
        "Two classifiers compete where the same noun is in use with both. The overlap counts, noun by noun, the uses "
        "of the rarer of the two.",
        "同一名词可与两个量词搭配，则二者竞争。重叠数为逐一名词累计其中较少见者的用例数。",
    )

    def __init__(self, reference: Material | None = None, top: int = 20, name: str = "competing classifiers") -> None:
        self.reference = default_reference() if reference is None else reference
        self.top = top
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the shared nouns and the overlap of each pair, the greatest overlap first."""
        found: list[Estimate] = []
        pairs = competitors(reference_uses(self.reference)).head(self.top)
        for rank, row in enumerate(pairs.iter_rows(named=True), 1):
            by = {
                "rank": str(rank),
                "one": row["classifier"],
                "other": row["classifier_other"],
                "examples": row["examples"],
            }
            found.append(self.number(by, "nouns", float(row["nouns"]), row["uses"]))
            found.append(self.number(by, "overlap", float(row["overlap"]), row["uses"]))
        return estimates_frame(found)

    def layout(self) -> Layout:
        """Show a row a pair."""
        return Layout(
            rows=("rank", "one", "other", "examples"),
            statistics={
                "nouns": StatisticLabel(Bilingual("Shared nouns", "共有名词"), "integer", 0),
                "overlap": StatisticLabel(Bilingual("Overlap", "重叠数"), "integer", 0),
            },
            factors=FACTORS,
            figure="none",
        )


@register("flexibility by context")
class FlexibilityByContext(ReferenceAnalysis):
    """How often two uses of the same noun in the same kind of context have different classifiers.

    `by` are attributes of the slots; `number` (one or another number) is read off segmented slots. Intervals leave out
    a cluster at a time.
    """

    title = Bilingual("Flexibility by context", "各语境的灵活度")
    explanation = Bilingual(
        "Draw a use of a noun and another use of the same noun in the same kind of context: how often do the two have "
        "different classifiers? Nouns with one use in the context say nothing and are left out, so n differs.",
        "随机取某名词的一个用例，再取同类语境中该名词的另一用例：二者量词不同的概率。"
        "在该语境只有一例的名词不计，故 n 各异。",
    )

    def __init__(
        self,
        reference: Material | None = None,
        by: Sequence[str] = ("trigger", "number", "construction"),
        cluster: str = "block",
        name: str = "flexibility by context",
    ) -> None:
        self.reference = default_reference() if reference is None else reference
        self.by = tuple(by)
        self.cluster = cluster
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the probability of different classifiers for each level of each attribute, and for all together."""
        uses = reference_uses(self.reference)
        for name in (*self.by, self.cluster):
            if name not in uses.columns:
                raise unknown_name(
                    "attribute", name, [one for one in uses.columns if one not in {"item", "classifier"}]
                )
        if uses[self.cluster].null_count():
            raise UserError(f"The attribute '{self.cluster}' is empty for some slots.", remedy="Name another cluster.")
        found = [self._level({}, uses)]
        for name in self.by:
            known = uses.drop_nulls(name)
            found += [
                self._level({"attribute": name, "level": str(level)}, known.filter(pl.col(name) == level))
                for level in known[name].unique().sort().to_list()
            ]
        return estimates_frame(found)

    def _level(self, by: Mapping[str, str], uses: pl.DataFrame) -> Estimate:
        value, low, high = disagreement_interval(uses, self.cluster)
        repeated = uses.filter(pl.len().over("noun") > 1)
        how = "1 − Σ c(c − 1) / n(n − 1) within nouns, weighted by n; 0.95 interval: jackknife over "
        how += f"{uses[self.cluster].n_unique()} clusters ({self.cluster}), normal"
        if value is None:
            how = "no noun has two uses here"
        elif low is None:
            how += ", withheld: leaving out a cluster changes nothing"
        return Estimate(
            self.name,
            by,
            "different",
            value,
            low,
            high,
            n=repeated.height,
            n_missing=uses.height - repeated.height,
            method=how,
            signature=str(self.signature()),
        )

    def layout(self) -> Layout:
        """Show a row a level."""
        label = StatisticLabel(Bilingual("Two uses differ", "两例不同"), "percent", 1)
        return Layout(rows=("attribute", "level"), statistics={"different": label}, factors=FACTORS, levels=CONTEXTS)


# What users write among the analyses of a study.
flexible_nouns = FlexibleNouns
competing_classifiers = CompetingClassifiers
flexibility_by_context = FlexibilityByContext
