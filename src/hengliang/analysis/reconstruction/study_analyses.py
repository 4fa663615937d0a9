"""What follows in a study in which readers rebuild scenes: swaps, spread, experts, algorithms against people?

Each analysis reads the judgements of the measure `swaps` or the counts themselves, and computes as
`hengliang scenes analyse` does. `by` names the factors: who described, and how large the scene is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from hengliang.analysis.reconstruction import describer_comparison, expert_regression, spread, swap_table
from hengliang.analysis.reconstruction.describer_comparison import compare_describers, find_human
from hengliang.analysis.reconstruction.expert_regression import pair_shares, score_regression, score_title
from hengliang.analysis.reconstruction.observed import observed_counts, observed_swaps
from hengliang.analysis.reconstruction.scene_clusters import pair_scenes
from hengliang.analysis.reconstruction.study_scores import expert_values
from hengliang.analysis.reconstruction.swap_table import FACTORS, LEVELS, SHARE, TOTAL, swap_cells, swap_layout
from hengliang.core.base_classes import Analysis, Conclusion, Layout, StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate, estimate_records, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.signature import Signature
from hengliang.core.terms import Bilingual
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.statistics.resampling import Resampling

BY = ("condition", "scene_size")
PAIR = "pair"


class ReconstructionAnalysis(Analysis):
    """What the analyses of reconstructions share: the arguments, and the readers one after the other."""

    def __init__(
        self,
        by: Sequence[str] = BY,
        pair: str = PAIR,
        measure: str = "swaps",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        alpha: float = 0.05,
        name: str = "",
    ) -> None:
        self.by = by if isinstance(by, str) else tuple(by)
        self.pair = pair
        self.measure = measure
        self.draws = draws
        self.seed = seed
        self.level = level
        self.alpha = alpha
        self.name = name

    def signature(self) -> Signature:
        """Return the arguments and the generator of random numbers."""
        return super().signature().and_(generator="PCG64")

    def resampling(self) -> Resampling:
        """Return how intervals are made."""
        return Resampling(self.draws, self.seed, self.level)

    def _signed(self, rows: Iterator[Estimate] | Sequence[Estimate]) -> list[Estimate]:
        """Return rows under this analysis's name and signature; what a test says of itself stands within it."""
        own = self.signature()
        return [
            replace(
                row,
                analysis=self.name,
                signature=str(own.and_(result=Signature.parse(row.signature)) if row.signature else own),
            )
            for row in rows
        ]

    def _factors(self) -> dict[str, Bilingual]:
        return {**FACTORS, self.by[0]: FACTORS["describer"], self.by[1]: FACTORS["size"]}


def readers_of(frame: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the answers of each reading system with its name."""
    for key, held in frame.group_by(["system"], maintain_order=True):
        yield str(key[0]), held


@register("swap table")
class SwapTable(ReconstructionAnalysis):
    """Swaps by describer and size with totals, of each reading system; intervals draw pairs and readers apart."""

    title = swap_table.TITLE
    explanation = swap_table.EXPLANATION

    def __init__(
        self,
        by: Sequence[str] = BY,
        pair: str = PAIR,
        measure: str = "swaps",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        name: str = "swap table",
    ) -> None:
        super().__init__(by, pair, measure, draws, seed, level, 0.05, name)

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the cells of the table, each row ending in its total."""
        frame = observed_swaps(tables, self.by, self.pair, self.measure)
        names = (self.by[0], self.by[1])
        rows = [
            row
            for system, held in readers_of(frame)
            for cell in swap_cells(held, self.resampling())
            for row in cell.estimates(self.name, {"system": system}, names)
        ]
        return estimates_frame(self._signed(rows))

    def sentences(self, estimates: pl.DataFrame) -> Sequence[Bilingual]:
        """Say each describer's mean over the sizes that all have, each size weighted alike, fewest swaps first."""
        held: dict[str, dict[str, dict[str, float]]] = {}
        for row in estimate_records(estimates):
            describer, size = row.by.get(self.by[0], TOTAL), row.by.get(self.by[1], TOTAL)
            if row.statistic == SHARE and TOTAL not in (describer, size) and row.value is not None:
                held.setdefault(row.by["system"], {}).setdefault(describer, {})[size] = row.value
        return [_shared_means(system, cells) for system, cells in held.items()]

    def layout(self) -> Layout:
        """Return describers as rows, sizes as columns, a block a statistic."""
        return swap_layout((self.by[0], self.by[1]), ("system",))


@register("spread of answers")
class SpreadOfAnswers(ReconstructionAnalysis):
    """How far apart the readers of one description are, by size, and whether sizes differ.

    Readers of a system are its seeds, of people the respondents. The tests are those of `spread.spread_tests`.
    `domain` is that of the scenes: an answer that does not count its kinds, or not as many things, is missing.
    """

    title = spread.TITLE
    explanation = Bilingual(
        f"{spread.EXPLANATION.en} {spread.TESTS_EXPLANATION.en}", spread.EXPLANATION.zh + spread.TESTS_EXPLANATION.zh
    )

    def __init__(
        self,
        by: Sequence[str] = BY,
        pair: str = PAIR,
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        alpha: float = 0.05,
        name: str = "spread of answers",
        domain: Domain = DEFAULT_DOMAIN,
    ) -> None:
        super().__init__(by, pair, "", draws, seed, level, alpha, name)
        self.domain = domain

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the mean spread of each size, and the tests."""
        return self.conclude(tables).estimates

    def conclude(self, tables: Tables) -> Conclusion:
        """Return the estimates with the sentences of the tests."""
        rows: list[Estimate] = []
        told: list[Bilingual] = []
        for system, held in readers_of(observed_counts(tables, self.by, self.pair, self.domain)):
            spreads = spread.pair_spreads(held)
            place = {"system": system}
            rows += self._signed(list(spread.spread_means(spreads, place, self.resampling(), self.name, self.by[1])))
            columns = {size: values for size, values in spread.spread_columns(spreads).items() if values}
            if len(columns) < 2:
                continue
            tests = spread.spread_tests(columns, self.alpha, self.level, spread.scene_columns(spreads))
            for name, test in tests.tests.items():
                rows += self._signed(test.estimates(self.name, {**place, "test": name}))
                told.append(_of(system, test.sentence()))
            for name, pairs in ((spread.TUKEY, tests.tukey), (spread.GAMES_HOWELL, tests.games_howell)):
                for (one, two), test in pairs.items():
                    levels = {**place, "test": name, "comparison": f"{one} − {two}"}
                    rows += self._signed(test.estimates(self.name, levels))
        return Conclusion(estimates_frame(rows), tuple(told))

    def layout(self) -> Layout:
        """Return sizes and tests as rows."""
        return Layout(
            rows=("system", self.by[1], "test", "comparison"),
            statistics=spread.STATISTICS,
            factors={**self._factors(), "test": Bilingual("Test", "检验"), "comparison": Bilingual("Sizes", "规模")},
            figure_statistics=(spread.SUM,),
        )


@register("expert regression")
class ExpertRegression(ReconstructionAnalysis):
    """Regression of experts' scores on swaps and of swaps on scores, over pairs.

    `scores` are measures that people judged descriptions by, or numeric attributes of the items.
    """

    title = expert_regression.TITLE
    explanation = expert_regression.EXPLANATION

    def __init__(
        self,
        scores: Sequence[str] = ("informativity", "correctness"),
        by: Sequence[str] = BY,
        pair: str = PAIR,
        measure: str = "swaps",
        level: float = 0.95,
        alpha: float = 0.05,
        name: str = "expert regression",
    ) -> None:
        super().__init__(by, pair, measure, 2000, 1, level, alpha, name)
        self.scores = (scores,) if isinstance(scores, str) else tuple(scores)

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return R², the standard error of the regression and the coefficients, both ways."""
        return self.conclude(tables).estimates

    def conclude(self, tables: Tables) -> Conclusion:
        """Return the estimates with a sentence a score."""
        frame = observed_swaps(tables, self.by, self.pair, self.measure)
        scores = {name: expert_values(tables, name, self.pair) for name in self.scores}
        rows: list[Estimate] = []
        told: list[Bilingual] = []
        for system, held in readers_of(frame):
            shares, scenes, family = pair_shares(held), pair_scenes(held), []
            for name, values in scores.items():
                found = score_regression(shares, values, name, scenes=scenes, alpha=self.alpha, level=self.level)
                family.append(found)
                for direction, one in (("score on swaps", found.on_swaps), ("swaps on score", found.on_score)):
                    place = {"system": system, "score": name, "regression": direction}
                    rows += self._signed(list(expert_regression.regression_rows(one, self.name, place)))
                told.append(_of(system, found.sentence()))
            if len(family) > 1:
                told.append(_of(system, expert_regression.holm(family, self.alpha).sentence()))
        return Conclusion(estimates_frame(rows), tuple(told))

    def layout(self) -> Layout:
        """Return scores and both directions as rows."""
        return Layout(
            rows=("system", "score", "regression"),
            statistics=expert_regression.STATISTICS,
            factors={**self._factors(), "regression": Bilingual("Regression of", "回归")},
            levels={
                "score on swaps": Bilingual("score on swaps", "评分对交换率"),
                "swaps on score": Bilingual("swaps on score", "交换率对评分"),
                **{name: score_title(name) for name in self.scores},
            },
            figure="none",
        )


@register("algorithms and people")
class AlgorithmsAndPeople(ReconstructionAnalysis):
    """Each algorithm's descriptions against people's: the paper's ANOVA, a permutation of pairs, a mixed model.

    `human` names the describer that is people; left empty, it is the one whose name says so.
    """

    title = describer_comparison.TITLE
    explanation = describer_comparison.EXPLANATION

    def __init__(
        self,
        human: str = "",
        by: Sequence[str] = BY,
        pair: str = PAIR,
        measure: str = "swaps",
        draws: int = 9999,
        seed: int = 1,
        level: float = 0.95,
        alpha: float = 0.05,
        name: str = "algorithms and people",
    ) -> None:
        super().__init__(by, pair, measure, draws, seed, level, alpha, name)
        self.human = human

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the tests of each algorithm, and the model."""
        return self.conclude(tables).estimates

    def conclude(self, tables: Tables) -> Conclusion:
        """Return the estimates with the sentences of the tests."""
        frame = observed_swaps(tables, self.by, self.pair, self.measure).drop_nulls("swaps")
        describers = tuple(frame["describer"].unique().sort().to_list())
        human = find_human(describers, self.human or None)
        if human is None or len(describers) < 2:
            raise UserError(
                f"None of the describers {', '.join(describers)} is known to be people.",
                valid='Name it: algorithms_and_people(human="…")',
            )
        rows: list[Estimate] = []
        told: list[Bilingual] = []
        for system, held in readers_of(frame):
            found = compare_describers(
                held, human, draws=self.draws, seed=self.seed, alpha=self.alpha, level=self.level
            )
            for one in found.comparisons:
                place = {"system": system, "comparison": f"{one.algorithm} − {human}"}
                for test in (one.anova, one.permutation):
                    if test is not None:
                        rows += self._signed(test.estimates(self.name, {**place, "test": test.title.en}))
                        told.append(_of(system, test.sentence()))
            if found.fit is not None:
                rows += self._signed(found.fit.estimates(self.name, {"system": system}))
                told.append(_of(system, found.fit.sentence()))
            if found.family is not None and len(found.comparisons) > 1:
                told.append(_of(system, found.family.sentence()))
            told += [_of(system, note) for note in found.notes]
        return Conclusion(estimates_frame(rows), tuple(told))

    def layout(self) -> Layout:
        """Return comparisons, tests and terms of the model as rows."""
        return Layout(
            rows=("system", "comparison", "test", "term"),
            statistics=_TESTED,
            factors={**self._factors(), **_TEST_FACTORS},
            levels=LEVELS,
            figure="none",
        )


_TEST_FACTORS: Mapping[str, Bilingual] = {
    "comparison": Bilingual("Comparison", "比较"),
    "test": Bilingual("Test", "检验"),
    "term": Bilingual("Term", "项"),
}
_TESTED: Mapping[str, StatisticLabel] = {
    "one-way-anova": StatisticLabel(Bilingual("F", "F"), "number", 2),
    "coefficient": StatisticLabel(Bilingual("Coefficient", "系数"), "number", 4),
}


def _shared_means(system: str, cells: Mapping[str, Mapping[str, float]]) -> Bilingual:
    sizes = [size for size in next(iter(cells.values())) if all(size in held for held in cells.values())]
    if not sizes:
        return Bilingual(
            f"Swaps of n, {system}: no size has descriptions of all describers, whose means cannot be compared.",
            f"交换占 n 的比例，{system}：没有任何规模兼有所有描述者的描述，平均不可比较。",
        )
    means = sorted((sum(held[size] for size in sizes) / len(sizes), who) for who, held in cells.items())
    over, shown = ", ".join(sizes), [f"{who} {100 * mean:.2f} %" for mean, who in means]
    return Bilingual(
        f"Swaps of n, {system}, sizes {over} weighted alike: {', '.join(shown)}.",
        f"交换占 n 的比例，{system}，规模 {over} 等权：{'，'.join(shown)}。",
    )


def _of(system: str, sentence: Bilingual) -> Bilingual:
    return Bilingual(f"{system}: {sentence.en}", f"{system}：{sentence.zh}")


# What users write among the analyses of a study.
swaps_by_size = SwapTable
spread_of_answers = SpreadOfAnswers
expert_scores_on_swaps = ExpertRegression
algorithms_and_people = AlgorithmsAndPeople
