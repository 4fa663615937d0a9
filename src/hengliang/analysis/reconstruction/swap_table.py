"""How many swaps do readers need, by who wrote the description and how large the scene is?

Tables 2, 3 and 6 of paper 001 [1]: swaps in percent of the size n. A total of a size is made as the paper makes it, all
swaps over all things shown, which is the mean over answers; beside it stands the mean in which every pair counts once,
however many answered it. A swap percentage of the true maximum divides by the most swaps that any answer could need: n
less the smallest count of the scene.

Intervals draw scenes and participants apart (`crossed_resampling`), for a reader gives several answers and a scene has
several descriptions with several readers each. Where a cell has one scene of each size, pairs are drawn instead.

[1] Pel, R. (2020). A task-based evaluation of algorithms that generate quantifiable expressions. Bachelor's thesis,
    Utrecht University. Sections 3.4 and 4.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from hengliang.analysis.reconstruction.scene_clusters import drawn_unit, scenes_are_sizes, with_scenes
from hengliang.core.base_classes import Layout, StatisticLabel
from hengliang.core.records import Estimate
from hengliang.core.terms import Bilingual
from hengliang.statistics.resampling import Floats, Intervals, Resampling, crossed_bootstrap, describe_crossed, ways_of

SWAPS, SHARE, OF_MAXIMUM, OF_PAIRS, EXACT = (
    "swaps",
    "swap percentage",
    "swap percentage of maximum",
    "swap percentage, every pair once",
    "without a swap",
)
TOTAL = "total"

STATISTICS: Mapping[str, StatisticLabel] = {
    SHARE: StatisticLabel(Bilingual("Swaps of n", "交换占 n 的比例"), "percent", 2),
    OF_PAIRS: StatisticLabel(Bilingual("Swaps of n, every pair once", "交换占 n 的比例（配对等权）"), "percent", 2),
    OF_MAXIMUM: StatisticLabel(Bilingual("Swaps of the true maximum", "交换占实际最大值的比例"), "percent", 2),
    SWAPS: StatisticLabel(Bilingual("Swaps an answer", "每个回答的交换次数"), "number", 2),
    EXACT: StatisticLabel(Bilingual("Answers without a swap", "无交换的回答"), "percent", 2),
}
FACTORS: Mapping[str, Bilingual] = {
    "describer": Bilingual("Describer", "描述者"),
    "size": Bilingual("Size of the scene", "场景规模"),
    "experiment": Bilingual("Experiment", "实验"),
    "pair": Bilingual("Pair", "配对"),
    "score": Bilingual("Score", "评分"),
    "system": Bilingual("Reader", "读者"),
}
LEVELS: Mapping[str, Bilingual] = {
    TOTAL: Bilingual("total", "合计"),
}
TITLE = Bilingual("Swaps by describer and size", "各描述者、各规模的交换次数")
EXPLANATION = Bilingual(
    "A swap turns a thing of one kind into another; an answer needs as many as lie between it and the scene. In "
    "percent of the size n of the scene, as in paper 001, and of the most swaps that an answer could need. A total is "
    "the mean over answers; 'every pair once' first takes the mean of each pair.",
    "一次交换把一个物体变为另一类；一个回答的交换次数即它与原场景的距离。既按场景规模 n 计算百分比（同论文 001），"
    "也按可能的最大交换次数计算。合计为各回答的平均；“配对等权”先对每个配对取平均。",
)

_COLUMNS = {SWAPS: "swaps", SHARE: "share", OF_MAXIMUM: "share_of_maximum", EXACT: "exact"}


@dataclass(frozen=True, slots=True)
class SwapCell:
    """The answers to the descriptions of one describer (or all) at one size (or all), with each statistic's interval.

    `values` maps a statistic to its value, low and high; a bound is None where there is no interval, and `how` says
    how they were made.
    """

    describer: str
    size: str
    values: Mapping[str, tuple[float | None, float | None, float | None]]
    n: int
    n_missing: int
    pairs: int
    how: str

    def estimates(
        self, analysis: str, by: Mapping[str, str], names: tuple[str, str], signature: str = ""
    ) -> Iterator[Estimate]:
        """Give one row a statistic; `names` are what describer and size are called."""
        place = {**by, names[0]: self.describer, names[1]: self.size}
        for statistic, (value, low, high) in self.values.items():
            told = f"{_METHODS[statistic]}; {self.how}"
            yield Estimate(
                analysis, place, statistic, value, low, high, n=self.n, n_missing=self.n_missing, method=told,
                signature=signature,
            )  # fmt: skip


_METHODS = {
    SWAPS: "mean over answers",
    SHARE: "mean over answers of swaps / n",
    OF_MAXIMUM: "mean over answers of swaps / (n − the smallest count of the scene)",
    OF_PAIRS: "mean over pairs of their mean swaps / n",
    EXACT: "share of answers that are the scene",
}


def swap_cells(frame: pl.DataFrame, resampling: Resampling | None = None) -> list[SwapCell]:
    """Return every cell of the table, row by row, each row ending in its total, and a row of totals.

    A describer without scenes of a size has a cell there without a number.

    `frame` has one row an answer that was due: describer, size, scene, pair, participant, swaps, share,
    share_of_maximum, exact.
    """
    how = resampling or Resampling()
    describers = frame["describer"].unique(maintain_order=True).to_list()
    sizes = frame["size"].unique().sort().to_list()
    found = []
    for describer in (*describers, TOTAL):
        row = frame if describer == TOTAL else frame.filter(pl.col("describer") == describer)
        for size in (*sizes, TOTAL):
            cell = row if size == TOTAL else row.filter(pl.col("size") == size)
            found.append(swap_cell(cell, (describer, str(size)), how))
    return found


def swap_cell(due: pl.DataFrame, place: tuple[str, str], resampling: Resampling) -> SwapCell:
    """Return the statistics of the answers in one cell."""
    given = due.filter(pl.col("swaps").is_not_null())
    counts = (given.height, due.height - given.height, given["pair"].n_unique())
    if not given.height:
        nothing = dict.fromkeys(STATISTICS, (None, None, None))
        return SwapCell(*place, nothing, *counts, "no answer")
    # A single reader cannot be drawn anew: the interval then speaks of other descriptions for this reader.
    given = with_scenes(given)
    unit = drawn_unit(given)
    drawn = [unit] if given["participant"].n_unique() == 1 else [unit, "participant"]
    ways = ways_of({name: given[name] for name in drawn}, given.height)
    intervals = crossed_bootstrap(_sums(given), _means, ways, resampling)
    values = {
        name: _bounded(intervals, number, alike=_alike(given, name))
        for number, name in enumerate((*_COLUMNS, OF_PAIRS))
    }
    ordered = {name: values[name] for name in STATISTICS}
    told = describe_crossed(resampling, intervals, ways)
    if scenes_are_sizes(given):
        told += "; pairs drawn, for there is one scene of each size: nothing is said about other scenes"
    if all(_alike(given, name) for name in _COLUMNS):
        told = "no interval: all answers are alike, and resampling cannot show others"
    return SwapCell(*place, ordered, *counts, told)


def _sums(given: pl.DataFrame) -> Floats:
    """Return the sums of which all means are made: each statistic and 1, then the share and 1 by the pair's readers."""
    each = 1 / given.select(pl.len().over("pair"))["len"].to_numpy().astype(np.float64)
    columns = [given[name].to_numpy().astype(np.float64) for name in _COLUMNS.values()]
    share = given["share"].to_numpy()
    return np.column_stack([*columns, np.ones(given.height), share * each, each])


def _means(sums: Floats) -> Floats:
    k = len(_COLUMNS)
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Floats = np.column_stack([sums[:, :k] / sums[:, [k]], sums[:, [k + 1]] / sums[:, [k + 2]]])
    return means


def _alike(given: pl.DataFrame, name: str) -> bool:
    return given[_COLUMNS.get(name, "share")].n_unique() == 1


def _bounded(intervals: Intervals, place: int, *, alike: bool) -> tuple[float | None, float | None, float | None]:
    value, low, high = (float(part[place]) for part in (intervals.value, intervals.low, intervals.high))
    known = not (alike or np.isnan(low))
    return value, low if known else None, high if known else None


def swap_layout(names: tuple[str, str] = ("describer", "size"), further: Sequence[str] = ()) -> Layout:
    """Return the table as the paper has it: describers as rows, sizes as columns, a block for each statistic."""
    return Layout(
        rows=(*further, "statistic", names[0]),
        columns=names[1],
        statistics=STATISTICS,
        factors={**FACTORS, names[0]: FACTORS["describer"], names[1]: FACTORS["size"]},
        levels=LEVELS,
        figure_statistics=(SHARE,),
    )
