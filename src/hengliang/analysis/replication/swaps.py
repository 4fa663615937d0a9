"""How many swaps stand behind a percentage, and how far apart were the readers?

In paper 001 readers rebuild a scene of n objects of four kinds. A swap turns an object of one kind into another; a
reconstruction that is s swaps away from the scene differs from it by 2s in all. Percentages are swaps over n, averaged
over readers and pairs, so a percentage of few readers stands for one whole number of swaps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from hengliang.analysis.replication.published import Paper
from hengliang.analysis.replication.verdicts import Printed
from hengliang.measures.reconstruction import greatest_swaps as greatest_swaps
from hengliang.measures.reconstruction import swaps_between as swaps_between


@dataclass(frozen=True, slots=True)
class SwapCell:
    """The reconstructions behind one percentage: pairs × readers, each of n objects."""

    pairs: int
    readers: int
    size: int

    @property
    def most(self) -> int:
        """The number of swaps that the paper counts as 100 %."""
        return self.pairs * self.readers * self.size

    def swaps(self, percentage: str) -> int:
        """Return the whole number of swaps that lies nearest to a printed percentage."""
        return round(Printed.parse(percentage).value / 100 * self.most)

    def percentage(self, swaps: int) -> float:
        """Return the percentage that a number of swaps makes."""
        return 100 * swaps / self.most


def swap_cell(paper: Paper, experiment: str, size: int, models: int = 1) -> SwapCell:
    """Return what stands behind a percentage of one or several models at one size of scene."""
    facts = paper.facts[experiment]
    scenes = dict(zip(facts["sizes"], facts["scenes"], strict=True))[size]
    return SwapCell(scenes * models, facts["readers"], size)


def experiment_of(paper: Paper, size: int) -> str:
    """Return in which experiment scenes of this size were shown."""
    return next(name for name in ("A", "B") if size in paper.facts[name]["sizes"])


def swap_counts(paper: Paper, table: str) -> dict[str, dict[int, int]]:
    """Return the swaps behind every percentage of a table, by model and size."""
    printed = paper.tables[table]
    return {
        model: {
            size: swap_cell(paper, experiment_of(paper, size), size).swaps(text)
            for size, text in zip(printed["sizes"], cells, strict=True)
        }
        for model, cells in printed["cells"].items()
    }


def two_reader_distance(summed_deviations: float) -> float:
    """Return how many swaps two readers are apart: each kind deviates by its difference over √2, s swaps by 2s."""
    return summed_deviations / math.sqrt(2)


@dataclass(frozen=True, slots=True)
class ModelSpread:
    """The mean percentage of swaps of one model, and the least variance that its pairs can have.

    Within a size the pairs may all be equal; between the sizes they differ as the table says. So the variance of the
    pairs about the model's mean is at least that of the sizes' means.
    """

    mean: float
    least_squares: float
    pairs: int


def model_spread(paper: Paper, experiment: str, percentages: Mapping[int, float]) -> ModelSpread:
    """Return the mean and the least sum of squares of one model's pairs."""
    facts = paper.facts[experiment]
    scenes = dict(zip(facts["sizes"], facts["scenes"], strict=True))
    pairs = sum(scenes.values())
    mean = sum(scenes[size] * value for size, value in percentages.items()) / pairs
    return ModelSpread(mean, sum(scenes[size] * (value - mean) ** 2 for size, value in percentages.items()), pairs)
