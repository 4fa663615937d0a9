"""How many errors of how many kinds does each tagger make, and which of them do most taggers make?

The counts of mining [1, sections 2.1.2 to 2.1.4]: instances and error pairs of each tagger, the candidates that enough
taggers share, and of the most frequent candidates how often each tagger makes them.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from hengliang.analyses.clustered import FACTOR_TITLES
from hengliang.core.base_classes import Analysis, Layout, StatisticLabel
from hengliang.core.records import Estimate, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.measures.error_mining import LEAST, SHARE, candidates, pair_counts
from hengliang.measures.tagging_errors import error_instances

EVERYBODY = "all taggers"
STATISTICS: Mapping[str, StatisticLabel] = {
    "instances": StatisticLabel(Bilingual("Instances", "实例"), "integer", 0),
    "error pairs": StatisticLabel(Bilingual("Error pairs", "错误对"), "integer", 0),
    "candidates": StatisticLabel(Bilingual("Candidates", "候选项目"), "integer", 0),
    "candidates about words": StatisticLabel(Bilingual("of which about words", "其中涉及分词"), "integer", 0),
}


@register("error counts")
class ErrorCounts(Analysis):
    """Instances and error pairs of each tagger, and the candidates that more than `share` of them, and `least`, make.

    A tagger makes a pair when it has `times` instances of it. Sentences that a tagger failed on have no instances.
    """

    title = Bilingual("Errors found", "发现的错误")
    explanation = Bilingual(
        "An instance is a smallest group of words that begins and ends together in corpus and tagger and is cut or "
        "tagged otherwise. An error pair names the tags on both sides. A candidate is a pair that enough taggers make.",
        "实例指语料与标注器中起止相同、而切分或标注不同的最小词组；错误对记下两边的标记；足够多的标注器都犯的错误对为候选项目。",
    )

    def __init__(
        self, share: float = SHARE, least: int = LEAST, times: int = 1, shown: int = 40, name: str = "error counts"
    ) -> None:
        self.share = share
        self.least = least
        self.times = times
        self.shown = shown
        self.name = name
        if times > 1:
            self.title = Bilingual(f"Errors found, made {times} times or more", f"发现的错误（至少 {times} 次）")

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the counts of each tagger and of all, then those of the most frequent candidates."""
        responses = tables.responses["tagging"]
        systems = responses["system"].unique(maintain_order=True).to_list()
        instances = error_instances(tables.items, responses)
        found = candidates(instances, systems, self.share, self.least, self.times)
        return estimates_frame([*self._totals(systems, instances, found), *self._pairs(systems, instances, found)])

    def _totals(self, systems: list[str], instances: pl.DataFrame, found: pl.DataFrame) -> Iterator[Estimate]:
        for system in systems:
            own = instances.filter(pl.col("system") == system)
            yield self._count(system, "", "instances", own.height)
            yield self._count(system, "", "error pairs", own["pair"].n_unique())
        kept = found.filter("kept")
        yield self._count(EVERYBODY, "", "instances", instances.height)
        yield self._count(EVERYBODY, "", "error pairs", found.height)
        yield self._count(EVERYBODY, "", "candidates", kept.height)
        yield self._count(EVERYBODY, "", "candidates about words", kept.filter(pl.col("direction") != "same").height)

    def _pairs(self, systems: list[str], instances: pl.DataFrame, found: pl.DataFrame) -> Iterator[Estimate]:
        counts = {
            (pair, system): count
            for pair, system, count in pair_counts(instances).select("pair", "system", "instances").iter_rows()
        }
        for pair in found.filter("kept")["pair"].head(self.shown).to_list():
            for system in systems:
                yield self._count(system, pair, "instances", counts.get((pair, system), 0))

    def _count(self, system: str, pair: str, statistic: str, count: int) -> Estimate:
        by = {"system": system, "pair": pair or "all pairs"}
        method = f"count; a tagger makes a pair with {self.times} instances; more than {self.share:g} of the taggers"
        how = f"{method}, and at least {self.least}"
        return Estimate(self.name, by, statistic, float(count), n=count, method=how, signature=str(self.signature()))

    def layout(self) -> Layout:
        """Show pairs as rows and a tagger's counts as columns."""
        return Layout(
            rows=("pair", "system"),
            statistics=STATISTICS,
            factors={"system": FACTOR_TITLES["system"], "pair": Bilingual("Error pair", "错误对")},
            levels={
                EVERYBODY: Bilingual(EVERYBODY, "全部标注器"),
                "all pairs": Bilingual("all pairs", "全部错误对"),
            },
            figure="none",
        )


# What users write among the analyses of a study.
error_counts = ErrorCounts
