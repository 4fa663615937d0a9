"""Parts of an analysis of ratings: the settings, and the results, further numbers and sentences of one part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hengliang.core.base_classes import FigureKind, StatisticLabel
from hengliang.core.records import Estimate
from hengliang.core.terms import Bilingual
from hengliang.statistics.models.results import ModelFit
from hengliang.statistics.multiple_testing import CORRECTIONS, FamilyResult
from hengliang.statistics.results import Result, Sidedness

COMPARISON = "comparison"
MEASURE = "measure"
ADJUSTED = "adjusted p"


@dataclass(frozen=True, slots=True)
class Questions:
    """How ratings are to be compared: everything that can change a number, besides the ratings.

    `reference` is the level against which all others are tested; without it every pair of levels is. `margin` is the
    difference below which two levels count as equivalent, in points of the scale.
    """

    alpha: float = 0.05
    alternative: Sidedness = "two-sided"
    level: float = 0.95
    family: str = "holm"
    reference: str | None = None
    margin: float | None = None
    model: bool = True
    seed: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One part of an analysis.

    `results` are tests with the levels they belong to, `fits` models by name. `estimates` are further numbers of the
    same table, `sentences` what is to be said besides the sentences of the results, among them `warnings`: which tests
    could not be run or could find nothing, and why. `short` is what a narrow table calls the tests.
    """

    name: str
    title: Bilingual
    explanation: Bilingual
    results: tuple[tuple[Mapping[str, str], Result], ...] = ()
    fits: Mapping[str, ModelFit] = field(default_factory=dict)
    estimates: tuple[Estimate, ...] = ()
    sentences: tuple[Bilingual, ...] = ()
    statistics: Mapping[str, StatisticLabel] = field(default_factory=dict)
    levels: Mapping[str, Bilingual] = field(default_factory=dict)
    figure: FigureKind = "none"
    figure_statistics: tuple[str, ...] = ()
    warnings: tuple[Bilingual, ...] = ()
    short: Bilingual | None = None


def adjusted_label(corrected: FamilyResult) -> dict[str, StatisticLabel]:
    """Return the title of the column with corrected p-values: which correction, and of how many tests."""
    name = CORRECTIONS[corrected.family.method]
    title = Bilingual(f"p, {name.en}, {corrected.size} tests", f"p，{name.zh}，{corrected.size} 项检验")
    return {ADJUSTED: StatisticLabel(title, "p")}


def adjusted_estimates(corrected: FamilyResult, places: Mapping[str, Mapping[str, str]]) -> tuple[Estimate, ...]:
    """Return the corrected p-values, each beside the test of its label."""
    estimates = []
    for estimate in corrected.estimates("", {}):
        by = dict(estimate.by)
        own = places[by.pop("test")]
        # What another correction decides is said in a sentence; in the table it would be a row without a test.
        if "convention" not in by:
            estimates.append(
                Estimate("", own, ADJUSTED, estimate.value, method=estimate.method, signature=estimate.signature)
            )
    return tuple(estimates)
