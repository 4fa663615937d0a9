"""How far apart are the readers of one description, and does that grow with the size of the scene?

The spread of a pair is the sum over kinds of the sample standard deviations of its readers' counts: one reader of four
who is a swap away gives 1, two readers a swap apart give √2. Tables 4 and 5 of paper 001 have these sums; its text
speaks of the mean over kinds, which is the sum over their number, and F is the same for both. A pair with one answer
has no spread.

The sizes differ much in how spreads vary, so that Welch's and Kruskal and Wallis's tests stand beside the ANOVA, and
Games and Howell's comparisons beside Tukey's. Pairs of one scene are no independent observations of its size: where
scenes have several descriptions, one more analysis of variance takes the mean spread of each scene.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl

from hengliang.analysis.reconstruction.scene_clusters import (
    drawn_unit,
    scenes_are_pairs,
    scenes_are_sizes,
    with_scenes,
)
from hengliang.core.base_classes import StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate
from hengliang.core.terms import Bilingual
from hengliang.measures.reconstruction import spread_of_answers
from hengliang.statistics.ranks.kruskal_wallis import kruskal_wallis_test
from hengliang.statistics.resampling import Floats, Resampling, crossed_bootstrap, describe_crossed, ways_of
from hengliang.statistics.results import TestResult
from hengliang.statistics.variance.anova import one_way_anova
from hengliang.statistics.variance.tukey import games_howell, tukey_hsd

SUM, MEAN = "spread, sum over kinds", "spread, mean over kinds"
STATISTICS: Mapping[str, StatisticLabel] = {
    SUM: StatisticLabel(Bilingual("Spread, sum over kinds", "离散度（各类之和）"), "number", 3),
    MEAN: StatisticLabel(Bilingual("Spread, mean over kinds", "离散度（各类平均）"), "number", 3),
}
TITLE = Bilingual("Spread of the answers", "回答的离散度")
EXPLANATION = Bilingual(
    "How far apart the readers of one description are: the sample standard deviation of their counts of each kind, "
    "summed over the kinds (as Tables 4 and 5 of paper 001 have it) and averaged over them (as its text has it); then "
    "the mean over pairs. A pair with fewer than two answers has none.",
    "同一描述的读者之间相差多少：对每一类物体计算各读者数目的样本标准差，先求和（同论文 001 表 4、5），"
    "再给出各类平均（同其正文），然后对配对取平均。不足两个回答的配对没有离散度。",
)
TESTS_EXPLANATION = Bilingual(
    "Whether the mean spread differs between sizes. Sum and mean over kinds give the same tests. The analysis of "
    "variance takes one variance for all sizes; Welch's does not, and Kruskal and Wallis's takes ranks. Tukey's p are "
    "true ones, where older software stops at .001 and .900; Games and Howell's do without a common variance. All "
    "these count pairs, as the paper does; size is a property of scenes, so that one row more tests scene means.",
    "检验各规模的平均离散度是否不同；求和与求平均所得检验相同。方差分析假定各规模方差相等，Welch 检验不作此假定，"
    "Kruskal–Wallis 检验只用秩。Tukey 的 p 为精确值（旧软件止于 .001 与 .900）；Games–Howell 不假定方差相等。"
    "以上检验均以配对为单位（同论文）；规模是场景的属性，故另有一行以场景平均为单位。",
)


def pair_spreads(frame: pl.DataFrame) -> pl.DataFrame:
    """Return one row a pair: scene, describer, size, readers, and its spread as sum and as mean over kinds.

    `frame` has pair, describer, size, scene (else the pair stands for it) and answer, a list of counts or null.
    """
    frame, rows = with_scenes(frame), []
    for key, held in frame.group_by(["pair", "scene", "describer", "size"], maintain_order=True):
        answers = held["answer"].drop_nulls().to_list()
        spread = spread_of_answers(answers)
        rows.append((*key, len(answers), spread.summed if spread else None, spread.mean if spread else None))
    own = {name: frame.schema[name] for name in ("pair", "scene", "describer", "size")}
    schema = {**own, "readers": pl.Int64(), SUM: pl.Float64(), MEAN: pl.Float64()}
    return pl.DataFrame(rows, schema=schema, orient="row")


def spread_columns(spreads: pl.DataFrame, statistic: str = SUM) -> dict[str, list[float]]:
    """Return the spreads by size, ascending, as Tables 4 and 5 list them."""
    known = spreads.drop_nulls(statistic)
    return {
        str(size): known.filter(pl.col("size") == size)[statistic].to_list() for size in known["size"].unique().sort()
    }


def scene_columns(spreads: pl.DataFrame, statistic: str = SUM) -> dict[str, list[float]] | None:
    """Return the mean spread of each scene by size; None where scenes cannot be told from pairs or from sizes."""
    known = spreads.drop_nulls(statistic)
    if not known.height or scenes_are_pairs(known) or scenes_are_sizes(known):
        return None
    means = known.group_by("scene", "size", maintain_order=True).agg(pl.col(statistic).mean())
    return spread_columns(means, statistic)


def spread_means(
    spreads: pl.DataFrame, by: Mapping[str, str], resampling: Resampling, name: str, size: str = "size"
) -> Iterator[Estimate]:
    """Give the mean spread of each size, with intervals from resampled scenes, or pairs where there is but one."""
    for value in spreads["size"].unique().sort():
        held = spreads.filter(pl.col("size") == value)
        known = held.drop_nulls(SUM)
        blank = Estimate(
            name, {**by, size: str(value)}, SUM, None, n=known.height, n_missing=held.height - known.height
        )
        if not known.height:
            told = "no pair with two answers"
            yield from (replace(blank, statistic=statistic, method=told) for statistic in (SUM, MEAN))
            continue
        unit = drawn_unit(known)
        ways = ways_of({unit: known[unit]}, known.height)
        numbers = np.column_stack([known[SUM].to_numpy(), known[MEAN].to_numpy(), np.ones(known.height)])
        found = crossed_bootstrap(numbers, _means, ways, resampling)
        for number, statistic in enumerate((SUM, MEAN)):
            mean, low, high = (float(part[number]) for part in (found.value, found.low, found.high))
            told = f"mean over pairs of {statistic}; {describe_crossed(resampling, found, ways)}"
            if low < high:
                yield replace(blank, statistic=statistic, value=mean, low=low, high=high, method=told)
            else:
                told = f"mean over pairs of {statistic}; no interval: the {unit}s do not differ"
                yield replace(blank, statistic=statistic, value=mean, method=told)


def _means(sums: Floats) -> Floats:
    means: Floats = sums[:, :-1] / sums[:, -1:]
    return means


@dataclass(frozen=True, slots=True)
class SpreadTests:
    """All tests of whether spreads differ between sizes; `refused` says which could not be run, and why.

    `tukey` and `games_howell` are by pair of sizes. `tests` have that of the means of scenes too, where there is one.
    """

    columns: Mapping[str, Sequence[float]]
    tests: Mapping[str, TestResult]
    tukey: Mapping[tuple[str, str], TestResult]
    games_howell: Mapping[tuple[str, str], TestResult]
    refused: Mapping[str, str]

    @property
    def anova(self) -> TestResult | None:
        """The one-way analysis of variance, which the paper runs."""
        return self.tests.get(ANOVA)

    @property
    def of_scenes(self) -> TestResult | None:
        """The analysis of variance of the means of scenes."""
        return self.tests.get(OF_SCENES)


ANOVA, WELCH, KRUSKAL, TUKEY, GAMES_HOWELL = "ANOVA", "Welch", "Kruskal–Wallis", "Tukey", "Games–Howell"
OF_SCENES = "ANOVA, scene means"


_TESTS: Mapping[str, tuple[Callable[..., TestResult], Mapping[str, str]]] = {
    ANOVA: (one_way_anova, {}),
    WELCH: (one_way_anova, {"variances": "unequal"}),
    KRUSKAL: (kruskal_wallis_test, {}),
}


def spread_tests(
    columns: Mapping[str, Sequence[float]],
    alpha: float = 0.05,
    level: float = 0.95,
    scenes: Mapping[str, Sequence[float]] | None = None,
) -> SpreadTests:
    """Test whether the columns of a table such as Table 4 have the same mean, and which pairs of them differ.

    `scenes` are the means of scenes in the same columns (`scene_columns`).
    """
    groups, settings = list(columns.values()), {"names": tuple(columns), "alpha": alpha, "level": level}
    refused: dict[str, str] = {}
    tests: dict[str, TestResult] = {}
    for name, (test, further) in _TESTS.items():
        try:
            tests[name] = test(*groups, **settings, **further)
        except UserError as error:
            refused[name] = error.problem
    if scenes is not None and len(scenes) > 1:
        try:
            tests[OF_SCENES] = one_way_anova(*scenes.values(), names=tuple(scenes), alpha=alpha, level=level)
        except UserError as error:
            refused[OF_SCENES] = error.problem
    pairs: dict[str, dict[tuple[str, str], TestResult]] = {TUKEY: {}, GAMES_HOWELL: {}}
    for name, compare in ((TUKEY, tukey_hsd), (GAMES_HOWELL, games_howell)):
        try:
            results = compare(*groups, names=tuple(columns), alpha=alpha, level=level)
            pairs[name] = dict(zip(combinations(columns, 2), results, strict=True))
        except UserError as error:
            refused[name] = error.problem
    return SpreadTests(columns, tests, pairs[TUKEY], pairs[GAMES_HOWELL], refused)
