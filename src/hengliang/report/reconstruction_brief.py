"""What does an analysis of reconstructions say in one screenful or two?

The tables as paper 001 lays them out: swaps by describer and size, the spread by size, then a line for each test, and
the four hypotheses. The report has everything.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from hengliang.analysis.reconstruction.battery import Battery, ExperimentResults
from hengliang.analysis.reconstruction.describer_comparison import Comparison
from hengliang.analysis.reconstruction.hypotheses import answer_hypotheses
from hengliang.analysis.reconstruction.spread import SUM, SpreadTests, spread_columns
from hengliang.analysis.reconstruction.swap_table import (
    LEVELS,
    OF_MAXIMUM,
    OF_PAIRS,
    SHARE,
    STATISTICS,
    TOTAL,
    SwapCell,
)
from hengliang.core.terms import Bilingual, Language
from hengliang.report import words
from hengliang.statistics.results import DASH, TestResult, p_remark, write_percent_level

_SHOWN = (SHARE, OF_MAXIMUM)


def reconstruction_brief(battery: Battery, language: Language = "en") -> list[RenderableType]:
    """Return what a terminal shows."""
    shown: list[RenderableType] = [Text(words.SIMULATED[language], "bold red")] if battery.data.simulated else []
    shown.append(Text(_source(battery)[language]))
    shown += [Text(f"- {note[language]}") for note in battery.notes]
    for results in battery.experiments:
        shown += [Text("")]
        if len(battery.experiments) > 1:
            shown.append(Text(results.name, "bold underline"))
        shown += [*_swaps(battery, results.cells, language), *_spread(results, language)]
        shown += [*_lines(results, language), *_hypotheses(results, language)]
    if battery.together:
        shown += [Text(""), Text(_TOGETHER[language], "bold underline"), *_swaps(battery, battery.together, language)]
    return shown


def _source(battery: Battery) -> Bilingual:
    data = battery.data
    pairs, readers = data.frame["pair"].n_unique(), data.frame["participant"].n_unique()
    sizes = ", ".join(map(str, data.sizes))
    return Bilingual(
        f"{data.source}: {data.given.height} answers by {readers} participants to {pairs} pairs; sizes {sizes}",
        f"{data.source}：{readers} 名参与者对 {pairs} 个配对的 {data.given.height} 个回答；规模 {sizes}",
    )


# --- tables -----------------------------------------------------------------------------------------------------------


def _swaps(battery: Battery, cells: tuple[SwapCell, ...], language: Language) -> Iterator[RenderableType]:
    level = write_percent_level(battery.settings.level)
    for statistic in _SHOWN:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        sizes = list(dict.fromkeys(cell.size for cell in cells))
        table.add_column("", no_wrap=True)
        for size in sorted(sizes, key=_by_number):
            # An interval stands below its value, and goes on in another line rather than lose digits.
            table.add_column(LEVELS[TOTAL][language] if size == TOTAL else f"n = {size}", overflow="fold")
        found = {(cell.describer, cell.size): cell for cell in cells}
        for describer in dict.fromkeys(cell.describer for cell in cells):
            row = [_percent(found.get((describer, size)), statistic) for size in sorted(sizes, key=_by_number)]
            row = [cell.replace(" [", "\n[") for cell in row]
            table.add_row(LEVELS[TOTAL][language] if describer == TOTAL else describer, *map(Text, row))
        yield Text(f"{STATISTICS[statistic].title[language]}, % [{level} CI]", "bold")
        yield table
    apart = [cell for cell in cells if _differ(cell)]
    if apart:
        told = ", ".join(f"{_place(cell, language)} {_percent(cell, OF_PAIRS)}" for cell in apart)
        yield Text(_EVERY_PAIR[language].format(told))


def _place(cell: SwapCell, language: Language) -> str:
    who = LEVELS[TOTAL][language] if cell.describer == TOTAL else cell.describer
    return who if cell.size == TOTAL else f"{who} n = {cell.size}"


def _by_number(size: str) -> tuple[int, int]:
    return (1, 0) if size == TOTAL else (0, int(size))


def _differ(cell: SwapCell) -> bool:
    one, other = cell.values[SHARE][0], cell.values[OF_PAIRS][0]
    return one is not None and other is not None and abs(one - other) > 5e-5


def _percent(cell: SwapCell | None, statistic: str) -> str:
    if cell is None or cell.values[statistic][0] is None:
        return DASH
    value, low, high = (None if part is None else f"{100 * part:.2f}" for part in cell.values[statistic])
    return f"{value} [{low}, {high}]" if low is not None else f"{value}"


def _spread(results: ExperimentResults, language: Language) -> Iterator[RenderableType]:
    columns = spread_columns(results.spreads, SUM)
    if not columns:
        return
    kinds = len(results.data.domain.kinds)
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("")
    for size in columns:
        table.add_column(f"n = {size}", no_wrap=True)
    means = [sum(held) / len(held) for held in columns.values()]
    table.add_row(_SUM[language], *(f"{mean:.3f}" for mean in means))
    table.add_row(_MEAN[language], *(f"{mean / kinds:.3f}" for mean in means))
    table.add_row(_PAIRS[language], *(str(len(held)) for held in columns.values()))
    yield Text("")
    yield Text(_SPREAD[language], "bold")
    yield table


# --- lines ------------------------------------------------------------------------------------------------------------


def _lines(results: ExperimentResults, language: Language) -> Iterator[RenderableType]:
    if results.tests:
        for name, test in results.tests.tests.items():
            yield Text(f"  {name}: {test.statistic_text()}")
        for name, line in _comparisons(results.tests).items():
            yield Text(f"  {name}: {line}")
    if results.regressions:
        yield Text("")
        yield Text(_EXPERTS[language], "bold")
        for held in results.regressions.values():
            yield Text(f"  {held.sentence()[language]}")
    if results.compared and results.compared.comparisons:
        yield Text("")
        yield Text(_AGAINST[language], "bold")
        for one in results.compared.comparisons:
            yield Text(f"  {_against(one, language)}")
    for note in results.notes:
        yield Text(f"- {note[language]}")


def _comparisons(tests: SpreadTests) -> dict[str, str]:
    held = {"Tukey": tests.tukey, "Games–Howell": tests.games_howell}
    return {
        name: ", ".join(f"{one}–{two} {p_remark(test.p)}" for (one, two), test in pairs.items() if test.p is not None)
        for name, pairs in held.items()
        if pairs
    }


def _against(one: Comparison, language: Language) -> str:
    parts = [f"{one.algorithm} {100 * one.means[0]:.2f} %, {one.human} {100 * one.means[1]:.2f} %"]
    tests: tuple[TestResult | None, ...] = (one.anova, one.permutation)
    parts += [f"{test.title[language]}: {test.statistic_text()}" for test in tests if test is not None]
    if one.coefficient is not None:
        parts.append(f"{_MODEL[language]}: {one.coefficient.describe()}")
    return "; ".join(parts)


def _hypotheses(results: ExperimentResults, language: Language) -> Iterator[RenderableType]:
    yield Text("")
    yield Text(_HYPOTHESES[language], "bold")
    for answer in answer_hypotheses(results):
        yield Text(f"  {answer.sentence()[language]}")


_TOGETHER = Bilingual("All experiments", "全部实验")
_EVERY_PAIR = Bilingual("With every pair counted once: {}", "每个配对只计一次时：{}")
_SUM = Bilingual("sum over kinds", "各类之和")
_MEAN = Bilingual("mean over kinds", "各类平均")
_PAIRS = Bilingual("pairs", "配对数")
_SPREAD = Bilingual("Spread of the answers to one description, mean over pairs", "同一描述的回答离散度（配对平均）")
_EXPERTS = Bilingual("Experts' scores and swaps", "专家评分与交换次数")
_AGAINST = Bilingual("Algorithms against people, swaps of n", "算法与人的比较（交换占 n 的比例）")
_MODEL = Bilingual("mixed model", "混合模型")
_HYPOTHESES = Bilingual("Hypotheses of paper 001, section 3.3", "论文 001 第 3.3 节的假设")
