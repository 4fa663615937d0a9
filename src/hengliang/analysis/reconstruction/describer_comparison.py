"""Do readers rebuild scenes better from the descriptions of algorithms than from those of people?

Paper 001 compares each algorithm with people by an analysis of variance over answers, which takes them for independent.
Beside it stand a permutation test in which whole pairs exchange their describers within a scene (within a size, where
not every scene has both describers), and a linear mixed model of all describers and sizes with random effects of
participants, scenes and pairs, which is the one to believe. Several algorithms are a family, corrected by Holm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from hengliang.analysis.reconstruction.scene_clusters import (
    ONE_OF_EACH_SIZE,
    scenes_are_pairs,
    scenes_are_sizes,
    shared_sizes,
    with_scenes,
)
from hengliang.analysis.reconstruction.stratified_exchange import stratified_exchange
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.terms import Bilingual
from hengliang.statistics.models.mixed import MixedFit, fit_mixed
from hengliang.statistics.models.results import Coefficient
from hengliang.statistics.multiple_testing import FamilyResult, family
from hengliang.statistics.results import TestResult
from hengliang.statistics.variance.anova import one_way_anova

HUMAN_NAMES = frozenset({"human", "humans", "people", "person", "participant", "corpus", "人", "人类", "真人"})
TITLE = Bilingual("Algorithms against people", "算法与人的比较")
EXPLANATION = Bilingual(
    "Swaps in share of n, of each algorithm's descriptions and of people's. The analysis of variance is the paper's "
    "and counts every answer as independent; the permutation test exchanges whole pairs within a scene (within a size, "
    "where not every scene has both describers) and weights the differences within them; the mixed model has random "
    "effects of participants, scenes and pairs. Each size counts alike in a describer's mean, over sizes that all "
    "describers have.",
    "以交换占 n 的比例比较各算法的描述与人的描述。方差分析同论文，把每个回答视为独立；"
    "置换检验在同一场景内（若非每个场景都有两个描述者，则在同一规模内）整体交换配对，并对层内差异加权；"
    "混合模型含参与者、场景与配对的随机效应。描述者的平均只取所有描述者共有的规模，各规模等权。",
)
_RANDOM: tuple[tuple[str, ...], ...] = (
    ("participant", "scene", "pair"),
    ("participant", "scene"),
    ("scene", "pair"),
    ("participant", "pair"),
    ("scene",),
    ("pair",),
    ("participant",),
)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """One algorithm against people; a test that could not be run is None.

    `means` are of the sizes that all describers have, each size weighted alike; `pooled` those over all answers, which
    the ANOVA compares.
    """

    algorithm: str
    human: str
    means: tuple[float, float]
    anova: TestResult | None
    permutation: TestResult | None
    coefficient: Coefficient | None
    pooled: tuple[float, float]

    @property
    def decision(self) -> tuple[float, float] | None:
        """Difference (algorithm less people) and p of the test to believe: mixed model, permutation, ANOVA in turn."""
        if self.coefficient is not None and not math.isnan(self.coefficient.p):
            return self.coefficient.estimate, self.coefficient.p
        if self.permutation is not None and self.permutation.p is not None:
            return self.permutation.statistic, self.permutation.p
        if self.anova is not None and self.anova.p is not None:
            return self.pooled[0] - self.pooled[1], self.anova.p
        return None

    @property
    def p(self) -> float | None:
        """The p to believe, before any correction."""
        return self.decision[1] if self.decision else None


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """All algorithms against people, the model behind them, and what could not be computed.

    `sizes` are those over which the means of the comparisons are taken.
    """

    comparisons: tuple[Comparison, ...]
    fit: MixedFit | None
    notes: tuple[Bilingual, ...]
    sizes: tuple[str, ...]
    alpha: float = 0.05

    @property
    def family(self) -> FamilyResult | None:
        """All comparisons as one family, corrected by Holm."""
        held = [(one.algorithm, one.p) for one in self.comparisons]
        return family(held, method="holm", alpha=self.alpha) if held else None


def find_human(describers: tuple[str, ...], named: str | None = None) -> str | None:
    """Return the describer that is people: the named one, else the one whose name says so, else nothing."""
    if named is not None:
        if named not in describers:
            raise unknown_name("describer", named, describers)
        return named
    return next((name for name in describers if name.lower() in HUMAN_NAMES), None)


def compare_describers(
    given: pl.DataFrame, human: str, *, draws: int = 9999, seed: int = 1, alpha: float = 0.05, level: float = 0.95
) -> Compared:
    """Compare every other describer with people; `given` has the answers that are there."""
    given = with_scenes(given)
    fit, notes = mixed_fit(given, "share ~ describer + size", reference=human, alpha=alpha, level=level)
    shared = shared_sizes(given)
    # Without a common size the means are of what each describer has; a note says so.
    alike = given.filter(pl.col("size").is_in(shared)) if shared else given
    people = given.filter(pl.col("describer") == human)
    found = []
    for name in given["describer"].unique(maintain_order=True):
        if name == human:
            continue
        own = given.filter(pl.col("describer") == name)
        anova = _tried(one_way_anova, people["share"], own["share"], names=(human, name), alpha=alpha, level=level)
        permutation = _tried(
            _exchanged, pl.concat([own, people]), (name, human), draws=draws, seed=seed, alpha=alpha, level=level
        )
        means, pooled = (_size_mean(alike, name), _size_mean(alike, human)), (_mean(own), _mean(people))
        coefficient = _coefficient(fit, f"describer[{name}]")
        found.append(Comparison(name, human, means, anova, permutation, coefficient, pooled))
    sizes = tuple(str(size) for size in alike["size"].unique().sort())
    return Compared(tuple(found), fit, (*notes, *(() if shared else (_NOTHING_SHARED,))), sizes, alpha)


_NOTHING_SHARED = Bilingual(
    "No size has descriptions of all describers: each describer's mean is over its own sizes, and not comparable.",
    "没有任何规模兼有所有描述者的描述：各描述者的平均取自各自的规模，不可直接比较。",
)


def _exchanged(rows: pl.DataFrame, names: tuple[str, str], **settings: Any) -> TestResult:
    """Run the permutation test: within scenes where every scene has both describers, else within sizes.

    Where a scene has one describer only, and several descriptions, the whole scene is exchanged.
    """
    both = rows.group_by("scene").agg(pl.col("describer").n_unique())["describer"]
    stratum = "scene" if both.min() == 2 else "size"
    unit = "scene" if both.max() == 1 and not scenes_are_pairs(rows) else "pair"
    return stratified_exchange(
        rows["share"], rows["describer"], clusters=rows[unit], strata=rows[stratum], names=names, unit=unit,
        stratum=stratum, **settings,
    )  # fmt: skip


def mixed_fit(
    given: pl.DataFrame, fixed: str, *, reference: str | None = None, alpha: float = 0.05, level: float = 0.95
) -> tuple[MixedFit | None, tuple[Bilingual, ...]]:
    """Fit with random effects of participants, scenes and pairs, or of those that the data allow, and say what is not.

    With `reference` the size is a factor and the reference the first level of the describers, else a number.
    """
    frame = with_scenes(given).select("swaps", "share", "describer", "size", "participant", "scene", "pair")
    left_out, notes = _indistinct(frame, by_size=reference is None)
    if reference is not None:
        others = [name for name in frame["describer"].unique(maintain_order=True) if name != reference]
        frame = frame.with_columns(
            pl.col("describer").cast(pl.Enum([reference, *others])), pl.format("n = {}", "size").alias("size")
        )
        fixed = fixed if frame["size"].n_unique() > 1 else fixed.replace(" + size", "")
    refused = ""
    for groups in _RANDOM:
        if left_out in groups:
            continue
        random = " + ".join(f"(1 | {group})" for group in groups)
        try:
            fit = fit_mixed(f"{fixed} + {random}", frame, alpha=alpha, level=level)
        except UserError as error:
            refused = refused or error.problem
            continue
        told = Bilingual(
            f"The mixed model has no more random effects than {random}: {refused}",
            f"混合模型的随机效应只含 {random}：{refused}",
        )
        return fit, (*notes, told) if refused else notes
    return None, (Bilingual(f"No mixed model could be fitted: {refused}", f"无法拟合混合模型：{refused}"),)


def _indistinct(frame: pl.DataFrame, *, by_size: bool) -> tuple[str, tuple[Bilingual, ...]]:
    """Return which of scene and pair has no random effect since nothing tells it from another, and what is said."""
    if scenes_are_pairs(frame):
        return "scene", ()
    if scenes_are_sizes(frame):
        # With sizes as a factor each scene has its own fixed effect, and nothing is lost.
        told = Bilingual(
            f"{ONE_OF_EACH_SIZE.en} The mixed model has no (1 | scene).",
            f"{ONE_OF_EACH_SIZE.zh}混合模型不含 (1 | scene)。",
        )
        return "scene", (told,) if by_size else ()
    return "", ()


def _tried(test: Callable[..., TestResult], *data: Any, **settings: Any) -> TestResult | None:
    """Run a test; data that it refuses give none."""
    try:
        return test(*data, **settings)
    except UserError:
        return None


def _mean(frame: pl.DataFrame) -> float:
    return float(frame["share"].to_numpy().mean()) if frame.height else float("nan")


def _size_mean(given: pl.DataFrame, describer: str) -> float:
    """Return the mean over sizes of the mean share of a describer's answers."""
    means = given.filter(pl.col("describer") == describer).group_by("size").agg(pl.col("share").mean())["share"]
    return float(means.to_numpy().mean()) if len(means) else float("nan")


def _coefficient(fit: MixedFit | None, name: str) -> Coefficient | None:
    held: Mapping[str, Coefficient] = {one.name: one for one in fit.model.coefficients} if fit else {}
    return held.get(name)
