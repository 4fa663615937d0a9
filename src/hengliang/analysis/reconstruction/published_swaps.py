"""Do readers of this run need as many swaps as the readers of the paper?

Tables 2 and 3 of paper 001 [1] laid beside the swaps of this run, cell by cell: other descriptions, other readers. A
cell of the paper rests on three to six descriptions with four or two readers each, so that chance alone moves it far.
It goes with this run when it lies where an experiment of that size would show it: as many scenes are drawn from those
of this run, of each one description, of each as many answers, and the middle 95 % of such means is the range. A wide
range tells little: a cell that lies in it cannot be told apart from this run, no more. Where all answers of this run
are alike there is no range, and nothing is decided.

[1] Pel, R. (2020). A task-based evaluation of algorithms that generate quantifiable expressions. Bachelor's thesis,
    Utrecht University. Section 4.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hengliang.analysis.reconstruction.observed import observed_swaps
from hengliang.analysis.reconstruction.study_analyses import BY, PAIR, ReconstructionAnalysis, readers_of
from hengliang.analysis.reconstruction.swap_table import SHARE, SwapCell, swap_cell
from hengliang.analysis.replication.published import published
from hengliang.analysis.replication.swaps import experiment_of
from hengliang.analysis.replication.swaps import swap_cell as printed_cell
from hengliang.analysis.replication.verdicts import Printed
from hengliang.core.base_classes import Layout, StatisticLabel
from hengliang.core.records import Estimate, estimate_records, estimates_frame
from hengliang.core.registry import register
from hengliang.core.runs import Tables
from hengliang.core.signature import Signature, digest
from hengliang.core.terms import Bilingual

PRINTED, DIFFERENCE, AS_LARGE, INSIDE = "in the paper", "difference", "in an experiment as large", "inside"
TABLES = ("2", "3")

STATISTICS: Mapping[str, StatisticLabel] = {
    PRINTED: StatisticLabel(Bilingual("Paper 001", "论文 001"), "percent", 2),
    SHARE: StatisticLabel(Bilingual("Here", "本次"), "percent", 2),
    DIFFERENCE: StatisticLabel(Bilingual("Here less paper", "本次减论文"), "percent", 2),
    AS_LARGE: StatisticLabel(Bilingual("Experiments as large as the paper's", "与论文同等规模的实验"), "percent", 2),
    INSIDE: StatisticLabel(Bilingual("Paper lies in that range", "论文值在该范围内"), "integer", 0),
}


@cache
def printed_swaps() -> Mapping[tuple[str, int], Printed]:
    """Return the percentages of Tables 2 and 3 by describer and size."""
    paper = published("001")
    return {
        (model, size): Printed.parse(text)
        for table in TABLES
        for model, cells in paper.tables[table]["cells"].items()
        for size, text in zip(paper.tables[table]["sizes"], cells, strict=True)
    }


@register("swaps beside the paper")
class PublishedSwaps(ReconstructionAnalysis):
    """Tables 2 and 3 of paper 001 beside the swaps of this run, with the difference and whether they agree."""

    title = Bilingual("Swaps beside those of the paper", "与论文交换次数的对照")
    explanation = Bilingual(
        "Swaps in percent of the size of the scene. The paper's readers were twenty students, and its descriptions are "
        "not printed, so ours are others. A cell of the paper rests on three to six descriptions with four or two "
        "readers each; the range of experiments as large holds 95 % of the means of so many scenes, descriptions and "
        "answers drawn from this run. A printed percentage within it (1) cannot be told apart from this run; where all "
        "answers are alike there is no range, and nothing is decided.",
        "交换次数占场景规模的百分比。论文的读者为二十名学生，且未印出其描述，因此此处的描述与之不同。"
        "论文的每一格只基于三至六条描述，每条由四人或两人阅读；“同等规模的实验”一列的范围，"
        "是从本次数据中抽取同样多的场景、描述与回答所得均值的中间 95 %。"
        "所印百分比在该范围内（1）只表示与本次结果无法区分；各回答全同时没有范围，不作判断。",
    )

    def __init__(
        self,
        by: Sequence[str] = BY,
        pair: str = PAIR,
        measure: str = "swaps",
        draws: int = 2000,
        seed: int = 1,
        level: float = 0.95,
        name: str = "swaps beside the paper",
    ) -> None:
        super().__init__(by, pair, measure, draws, seed, level, 0.05, name)

    def signature(self) -> Signature:
        """Return the arguments, the code, and what the paper prints."""
        return super().signature().and_(paper=digest(str(sorted(printed_swaps().items()))))

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return every printed cell of which this run has answers, with ours."""
        frame = observed_swaps(tables, self.by, self.pair, self.measure)
        return estimates_frame(
            self._signed([row for system, held in readers_of(frame) for row in self._cells(system, held)])
        )

    def _cells(self, system: str, frame: pl.DataFrame) -> Iterator[Estimate]:
        for (describer, size), printed in printed_swaps().items():
            held = frame.filter((pl.col("describer") == describer) & (pl.col("size") == size))
            if held["share"].count():
                cell = swap_cell(held, (describer, str(size)), self.resampling())
                yield from self._compared(system, cell, printed, held.drop_nulls("share"))

    def _compared(self, system: str, cell: SwapCell, printed: Printed, given: pl.DataFrame) -> Iterator[Estimate]:
        value, low, high = cell.values[SHARE]
        place = {"system": system, self.by[0]: cell.describer, self.by[1]: cell.size}
        known = printed.value / 100
        yield Estimate(self.name, place, PRINTED, known, method="as printed in Tables 2 and 3 of paper 001")
        yield Estimate(self.name, place, SHARE, value, low, high, n=cell.n, n_missing=cell.n_missing, method=cell.how)
        yield Estimate(self.name, place, DIFFERENCE, (value or 0) - known, method="here less the printed percentage")
        pairs, readers = paper_cell(int(cell.size))
        means = 100 * means_of_experiments(given, pairs, readers, self.draws, self.seed)
        lowest, highest = np.quantile(means, [(1 - self.level) / 2, (1 + self.level) / 2]).tolist()
        told = (
            f"{pairs} scenes, one description each with {readers} answers, drawn {self.draws:,} times, seed {self.seed}"
        )
        middle = float(means.mean()) / 100
        if lowest == highest:
            yield Estimate(self.name, place, AS_LARGE, middle, method=f"{told}; all answers are alike")
            return
        yield Estimate(self.name, place, AS_LARGE, middle, lowest / 100, highest / 100, method=told)
        inside = printed.agrees(lowest, highest)
        yield Estimate(self.name, place, INSIDE, float(inside), method="the printed percentage lies in that range")

    def sentences(self, estimates: pl.DataFrame) -> Sequence[Bilingual]:
        """Say for each reader which cells cannot be told apart from the paper's, and which can."""
        held: dict[str, dict[str, dict[str, Estimate]]] = {}
        for row in estimate_records(estimates):
            cell = f"{row.by[self.by[0]]} n = {row.by[self.by[1]]}"
            held.setdefault(row.by["system"], {}).setdefault(cell, {})[row.statistic] = row
        return [_told(system, cells) for system, cells in held.items()]

    def layout(self) -> Layout:
        """Return a row for each reader, describer and size."""
        return Layout(
            rows=("system", *self.by),
            statistics=STATISTICS,
            factors=self._factors(),
            figure_statistics=(PRINTED, SHARE),
        )


def paper_cell(size: int) -> tuple[int, int]:
    """Return how many descriptions with how many readers each are behind a cell of the paper."""
    paper = published("001")
    cell = printed_cell(paper, experiment_of(paper, size), size)
    return cell.pairs, cell.readers


def means_of_experiments(given: pl.DataFrame, pairs: int, readers: int, draws: int, seed: int) -> NDArray[np.float64]:
    """Return the mean share of swaps in experiments that draw so many scenes, a pair of each, and so many answers.

    Scenes are drawn without putting them back where there are more of them than are drawn, else with putting them back:
    another experiment would have had others. So would it have had other readers, and answers are put back too.
    """
    ordered = given.sort("scene", "pair", maintain_order=True)
    answers = ordered["share"].to_numpy()
    by_pair = ordered.group_by("scene", "pair", maintain_order=True).len()
    by_scene = by_pair.group_by("scene", maintain_order=True).agg(pairs=pl.len())
    random = np.random.default_rng(seed)
    number = by_scene.height
    scenes = np.array([random.choice(number, pairs, replace=number <= pairs) for _ in range(draws)])
    chosen = _drawn(by_scene["pairs"].to_numpy(), scenes, random)
    places = _drawn(by_pair["len"].to_numpy(), np.repeat(chosen[:, :, None], readers, axis=2), random)
    means: NDArray[np.float64] = answers[places].mean(axis=(1, 2))
    return means


def _drawn(sizes: NDArray[Any], groups: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
    """Return for each group that is asked for the place of one of its members, drawn at random."""
    sizes = sizes.astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    found: NDArray[np.int64] = starts[groups] + (random.random(groups.shape) * sizes[groups]).astype(np.int64)
    return found


def _told(system: str, cells: Mapping[str, Mapping[str, Estimate]]) -> Bilingual:
    english, chinese = [], []
    kinds = (
        (1.0, "cannot be told apart", "无法区分"),
        (0.0, "can be told apart", "可以区分"),
        (None, "no verdict, all answers alike", "回答全同，不作判断"),
    )
    for wanted, told, said in kinds:
        listed = [
            (cell, rows) for cell, rows in cells.items() if (rows[INSIDE].value if INSIDE in rows else None) == wanted
        ]
        english.append(f"{told} ({len(listed)}): {'; '.join(_cell(*one) for one in listed) or 'none'}")
        chinese.append(f"{said}（{len(listed)}）：{'；'.join(_cell(*one, '论文') for one in listed) or '无'}")
    return Bilingual(
        f"{system}, % swaps here and in the paper, {len(cells)} cells. {'. '.join(english)}.",
        f"{system}，本次与论文的交换 %，共 {len(cells)} 格。{'。'.join(chinese)}。",
    )


def _cell(cell: str, rows: Mapping[str, Estimate], paper: str = "paper") -> str:
    such = rows[AS_LARGE]
    between = "" if such.low is None or such.high is None else f" [{100 * such.low:.1f}, {100 * such.high:.1f}]"
    return f"{cell} {100 * (rows[SHARE].value or 0):.1f}{between}, {paper} {100 * (rows[PRINTED].value or 0):.1f}"


# What users write among the analyses of a study.
published_swaps = PublishedSwaps
