"""Paired comparison of accuracy: difference with interval, McNemar's test and a clustered permutation test.

One row per pair of systems: the difference of accuracy with an interval from resampled clusters, the items that only
one of the two got right, Cohen's g, McNemar's p, and p of a test in which whole clusters change sides; both p also
corrected over all pairs. McNemar's test takes the items for independent, and slots of one article are not: its p is
then too small or too large. The interval and the clustered p do not assume it. They are what to go by; McNemar's test
is there because papers print it.

Under the null hypothesis the two systems are exchangeable cluster by cluster: all differences of a cluster keep their
signs or all change them [1]. That is McNemar's exact test when every cluster has one item.

[1] Good, P. (2005). Permutation, parametric and bootstrap tests of hypotheses. Springer, chapter 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import polars as pl

from hengliang.analyses import outcomes
from hengliang.analyses.classification import AccuracyDifference, Pairs
from hengliang.analyses.clustered import FACTOR_TITLES, ClusteredAnalysis
from hengliang.core.base_classes import Conclusion, Layout, StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate, estimate_records, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.statistics.contingency.mcnemar import mcnemar_pairs
from hengliang.statistics.multiple_testing import CORRECTIONS, Correction, FamilyResult, family
from hengliang.statistics.permutation import paired_permutation
from hengliang.statistics.resampling import IntervalKind
from hengliang.statistics.results import TestResult, check_alpha, check_choice

McNemarMethod = Literal["exact", "mid-p"]
MCNEMAR, CLUSTERED = "McNemar p", "clustered p"
NO_PAIR = "there is no item that both systems were judged on"
NOT_BINARY = "McNemar's test takes 0 and 1, and an item has another value: a mean over seeds or people, or a soft score"

STATISTICS: Mapping[str, StatisticLabel] = {
    "difference": StatisticLabel(Bilingual("Difference of accuracy", "准确率之差"), "percent", 1),
    "only system": StatisticLabel(Bilingual("Only the system right", "仅该系统正确"), "integer", 0),
    "only reference": StatisticLabel(Bilingual("Only the other right", "仅对照系统正确"), "integer", 0),
    "cohen-g": StatisticLabel(Bilingual("Cohen's g", "Cohen g"), "number", 2),
    MCNEMAR: StatisticLabel(Bilingual("McNemar's p", "McNemar 检验 p"), "p"),
    f"adjusted {MCNEMAR}": StatisticLabel(Bilingual("McNemar's p, adjusted", "McNemar 检验 p（校正）"), "p"),
    CLUSTERED: StatisticLabel(Bilingual("Clustered p", "聚类检验 p"), "p"),
    f"adjusted {CLUSTERED}": StatisticLabel(Bilingual("Clustered p, adjusted", "聚类检验 p（校正）"), "p"),
}


@dataclass(frozen=True, slots=True)
class PairTests:
    """What the two tests say about a pair of systems, or why one could not be run.

    `only` are the items that one system alone got right, `counts` of each test the items with both judgements and
    those without, `trainings` which seeds McNemar's test took, where there are several.
    """

    system: str
    reference: str
    only: tuple[int, int] | None
    counts: Mapping[str, tuple[int, int]]
    tests: Mapping[str, TestResult | str]
    trainings: str = ""

    @property
    def label(self) -> str:
        """What the comparison is called: the difference is the first minus the second."""
        return f"{self.system} − {self.reference}"


@register("paired accuracy")
class PairedAccuracy(ClusteredAnalysis):
    """All pairs of systems: difference with interval, discordant items, McNemar's and the clustered p, corrected.

    A pair (a, b) gives a − b; `all` takes each pair once, the system whose name comes later minus the other. The pairs
    are a family for each test (`correction`). `method` is McNemar's exact or mid-p test. Answers of several seeds to an
    item are averaged for the difference and the clustered test; such means are not 0 or 1, so the discordant items and
    McNemar's test are those of the lowest seed of each system, and the method says so. Where an item still has another
    value (several people, a soft score) they are left out, with the reason. One system alone gives an empty table.
    """

    title = Bilingual("Paired comparison of accuracy", "准确率的配对比较")
    explanation = Bilingual(
        "Each row compares two systems on the same items. McNemar's test takes items for independent; the interval "
        "and the clustered test keep the items of a cluster together. Corrected p-values count all pairs.",
        "每行在相同条目上比较两个系统。McNemar 检验假定条目相互独立；区间与聚类检验将同一聚类的条目作为整体处理。"
        "校正后的 p 值计入全部配对。",
    )
    conventions: Mapping[str, str] = {
        "paired": "items judged for both",
        "seeds": "averaged by item, for McNemar the lowest",
    }

    def __init__(
        self,
        pairs: Pairs = "all",
        method: McNemarMethod = "exact",
        correction: Correction = "holm",
        alpha: float = 0.05,
        permutations: int = 9999,
        cluster: str = "block",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        interval: IntervalKind = "percentile",
        measure: str = "match",
        name: str = "paired accuracy",
    ) -> None:
        super().__init__(cluster, draws, seed, level, interval)
        self.pairs = pairs
        self.method: McNemarMethod = method
        self.correction: Correction = correction
        self.alpha = alpha
        self.permutations = permutations
        self.measure = measure
        self.name = name

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return a row for each pair of systems and number."""
        return self.conclude(tables).estimates

    def conclude(self, tables: Tables) -> Conclusion:
        """Return the estimates, and what the families of tests say."""
        check_choice("method", self.method, get_args(McNemarMethod))
        check_choice("correction", self.correction, tuple(CORRECTIONS))
        check_alpha(self.alpha)
        differences = AccuracyDifference(
            self.pairs, self.cluster, self.draws, self.seed, self.level, self.interval, self.measure, self.name
        ).estimate(tables)
        rows = [replace(row, signature=str(self.signature())) for row in estimate_records(differences)]
        answers = self._answers(tables)
        tested = [self._tested(answers, row.by["system"], row.by["reference"]) for row in rows]
        families = {test: self._family(tested, test) for test in (MCNEMAR, CLUSTERED)} if tested else {}
        for number, pair in enumerate(tested):
            rows += [*self._numbers(pair), *self._adjusted(pair, number, families)]
        sentences = [_of_family(test, family_result) for test, family_result in families.items()]
        return Conclusion(estimates_frame(rows), tuple(sentences))

    def _answers(self, tables: Tables) -> pl.DataFrame:
        rows = outcomes.with_judgements(outcomes.due_answers(tables), tables, self.measure)
        rows = outcomes.with_clusters(rows, tables, self.cluster)
        return rows.with_columns(
            lowest=pl.col("seed").eq_missing(pl.col("seed").min().over("system")),
            seeds=pl.col("seed").n_unique().over("system"),
        )

    def _tested(self, answers: pl.DataFrame, system: str, reference: str) -> PairTests:
        names = (system, reference)
        both, lowest = _paired(answers, names), _paired(answers.filter("lowest"), names)
        complete, single = (frame.drop_nulls(["first", "second"]) for frame in (both, lowest))
        first, second = single["first"], single["second"]
        binary = bool((first.is_in([0.0, 1.0]) & second.is_in([0.0, 1.0])).all())
        only = (int((first > second).sum()), int((first < second).sum())) if binary else None
        tests: dict[str, TestResult | str] = {MCNEMAR: NO_PAIR, CLUSTERED: NO_PAIR}
        if single.height:
            tests[MCNEMAR] = self._mcnemar(single, names) if binary else NOT_BINARY
        if complete.height:
            tests[CLUSTERED] = self._clustered(complete, names)
        sizes = {MCNEMAR: (single, lowest), CLUSTERED: (complete, both)}
        counts = {test: (known.height, every.height - known.height) for test, (known, every) in sizes.items()}
        return PairTests(system, reference, only, counts, tests, _trainings(answers, names))

    def _mcnemar(self, held: pl.DataFrame, names: tuple[str, str]) -> TestResult | str:
        try:
            return mcnemar_pairs(
                held["first"].to_list(), held["second"].to_list(), success=1.0, method=self.method, names=names,
                alpha=self.alpha, level=self.level,
            )  # fmt: skip
        except UserError as error:
            return str(error.problem)

    def _clustered(self, held: pl.DataFrame, names: tuple[str, str]) -> TestResult | str:
        try:
            return paired_permutation(
                held["first"].to_numpy(), held["second"].to_numpy(), items=held["cluster"].cast(pl.String).to_list(),
                names=names, draws=self.permutations, seed=self.seed, alpha=self.alpha, level=self.level,
            )  # fmt: skip
        except UserError as error:
            return str(error.problem)

    def _family(self, tested: Sequence[PairTests], test: str) -> FamilyResult:
        members = [
            (pair.label, result if isinstance(result := pair.tests[test], TestResult) else None) for pair in tested
        ]
        return family(members, method=self.correction, alpha=self.alpha)

    def _numbers(self, one: PairTests) -> Iterator[Estimate]:
        by = {"system": one.system, "reference": one.reference}
        line = str(self.signature())

        def row(test: str, statistic: str, value: float | None, method: str, *ends: float | None) -> Estimate:
            (low, high), (n, missing) = ends or (None, None), one.counts[test]
            how = f"{method}; {one.trainings}" if test == MCNEMAR and one.trainings else method
            return Estimate(
                self.name, by, statistic, value, low, high, n=n, n_missing=missing, method=how, signature=line
            )

        counted = "items that one of the two got right and the other wrong"
        for number, statistic in enumerate(("only system", "only reference")):
            yield row(MCNEMAR, statistic, one.only[number] if one.only else None, counted if one.only else NOT_BINARY)
        for test, result in one.tests.items():
            if isinstance(result, str):
                yield row(test, test, None, f"no test: {result}")
                continue
            if test == MCNEMAR:
                effect = result.effect("cohen-g")
                value = None if effect.value != effect.value else effect.value
                how = f"{effect.method}; items taken for independent"
                yield row(test, "cohen-g", value, how, effect.low, effect.high)
            yield row(test, test, result.p, result.method())

    def _adjusted(self, one: PairTests, place: int, families: Mapping[str, FamilyResult]) -> Iterator[Estimate]:
        for test, family_result in families.items():
            n, missing = one.counts[test]
            yield Estimate(
                self.name,
                {"system": one.system, "reference": one.reference},
                f"adjusted {test}",
                family_result.members[place].adjusted,
                n=n,
                n_missing=missing,
                method=f"{CORRECTIONS[self.correction].en}, family of {family_result.size}",
                signature=str(self.signature().and_(family=family_result.signature())),
            )

    def layout(self) -> Layout:
        """Return pairs as rows and the numbers as columns; the figure shows the differences."""
        factors = {name: FACTOR_TITLES[name] for name in ("system", "reference")}
        return Layout(
            ("system", "reference"), statistics=STATISTICS, factors=factors, figure_statistics=("difference",)
        )


def _paired(answers: pl.DataFrame, names: tuple[str, str]) -> pl.DataFrame:
    """Return the items that either system owed an answer to, with the mean of what was said of each."""
    means = answers.group_by("system", "item", "cluster").agg(pl.col("value").mean())
    sides = [
        means.filter(pl.col("system") == name).select("item", "cluster", pl.col("value").alias(side))
        for name, side in zip(names, ("first", "second"), strict=True)
    ]
    return sides[0].join(sides[1], on=["item", "cluster"], how="full", coalesce=True).sort("item")


def _trainings(answers: pl.DataFrame, names: tuple[str, str]) -> str:
    chosen = answers.filter((pl.col("seeds") > 1) & pl.col("lowest")).select("system", "seed").unique()
    seeds = dict(chosen.iter_rows())
    descriptions = [f"seed {seeds[name]} of {name}" for name in names if name in seeds]
    return f"of {' and '.join(descriptions)} alone" if descriptions else ""


def _of_family(test: str, found: FamilyResult) -> Bilingual:
    title, sentence = STATISTICS[test].title, found.sentence()
    return Bilingual(f"{title.en}: {sentence.en}", f"{title.zh}：{sentence.zh}")


# What users write among the analyses of a study.
paired_accuracy = PairedAccuracy
