"""How do the scores of taggers fit into a terminal?

The report has a column for every number. Here an error pair and a tagger share a line with what matters most: both
forms of D with their intervals, and the counts behind them.
"""

from __future__ import annotations

from collections.abc import Mapping

import click
import polars as pl
from rich import box
from rich.console import Console
from rich.table import Table

from hengliang.analysis.tagging_diagnosis import GROUPS, PAIR_TITLE, REACHABLE, SCORE_LABELS
from hengliang.analysis.tagging_differences import ADJUSTED, FORMULA, ONLY_REFERENCE, ONLY_SYSTEM, PUBLISHED
from hengliang.analysis.tagging_differences import STATISTICS as DIFFERENCE_LABELS
from hengliang.core.records import Estimate, estimate_records
from hengliang.core.terms import Bilingual, Language
from hengliang.report.formats import Style, write_number
from hengliang.statistics.results import DASH

COUNTS = Bilingual("Correct/\nwrong/\nrecorded", "对/错/\n记录")
SYSTEM = Bilingual("Tagger", "标注器")
ONLY = Bilingual("only\n{}\nright", "仅\n{}\n标对")
ADJUSTED_P = Bilingual("p,\nadjusted", "p\n（校正）")
MARKS = Bilingual(
    "Recorded: wrong in another way than the pair says. − so many sentences failed. "
    "* out of reach: the tagger never gives these tags.",
    "记录：以该模式以外的方式标错。− 后为失败的句数。* 不可达：标注器从不给出这些标记。",
)

WIDEST = 24
"""So many letters of a tagger's name stay on one line."""

Cells = dict[str, Estimate]


def print_scores(console: Console, estimates: pl.DataFrame, language: Language) -> None:
    """Print D and the counts of every error pair and tagger, the means first."""
    rows = _by(estimates, "pair", "system")
    table = _table(PAIR_TITLE[language])
    table.add_column(SYSTEM[language], overflow="fold", min_width=min(WIDEST, max(len(name) for _, name in rows)))
    for name in ("D published", "D"):
        table.add_column(SCORE_LABELS[name].title[language].replace(" ", "\n", 1), justify="right", no_wrap=True)
    table.add_column(COUNTS[language], justify="right", no_wrap=True)
    for (pair, system), cells in rows.items():
        scores = [_score(cells.get(name)) for name in ("D published", "D")]
        table.add_row(_item(pair, language) + _reach(cells), system, *scores, _counts(cells))
    console.print(table)
    click.echo(MARKS[language])


def print_differences(console: Console, estimates: pl.DataFrame, language: Language) -> None:
    """Print of each two taggers by how much they differ in every error pair, and whether that is more than chance."""
    for (system, reference), rows in _parted(estimates).items():
        click.echo(f"{system} − {reference}")
        table = _table(PAIR_TITLE[language])
        for name in (PUBLISHED, FORMULA):
            title = DIFFERENCE_LABELS[name].title[language].replace(" of ", " of\n", 1)
            table.add_column(title, justify="right", no_wrap=True)
        for name in (system, reference):
            table.add_column(ONLY[language].format(name), justify="right")
        table.add_column(ADJUSTED_P[language], justify="right", no_wrap=True)
        for pair, cells in rows.items():
            differences = [_score(cells.get(name), "\n") for name in (PUBLISHED, FORMULA)]
            numbers = [_whole(cells.get(name)) for name in (ONLY_SYSTEM, ONLY_REFERENCE)]
            p = cells.get(ADJUSTED)
            shown = "" if p is None or p.value is None else write_number(p.value, Style("p", 3))
            table.add_row(_item(pair, language), *differences, *numbers, shown)
        console.print(table)


def print_sentences(sentences: pl.DataFrame, analysis: str, language: Language) -> None:
    """Print what an analysis says in words."""
    for line in sentences.filter(pl.col("analysis") == analysis)[language].to_list():
        click.echo(line)


def _table(*names: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in names:
        table.add_column(name, overflow="fold")
    return table


def _by(estimates: pl.DataFrame, *factors: str) -> Mapping[tuple[str, ...], Cells]:
    found: dict[tuple[str, ...], Cells] = {}
    for row in estimate_records(estimates):
        found.setdefault(tuple(row.by[factor] for factor in factors), {})[row.statistic] = row
    return _together(found)


def _together(found: dict[tuple[str, ...], Cells]) -> dict[tuple[str, ...], Cells]:
    """Bring what has the same first factor together, in the order in which that is met first."""
    order = {first: place for place, first in enumerate(dict.fromkeys(key[0] for key in found))}
    return dict(sorted(found.items(), key=lambda entry: order[entry[0][0]]))


def _parted(estimates: pl.DataFrame) -> dict[tuple[str, str], dict[str, Cells]]:
    parted: dict[tuple[str, str], dict[str, Cells]] = {}
    for (system, reference, pair), cells in _by(estimates, "system", "reference", "pair").items():
        parted.setdefault((system, reference), {})[pair] = cells
    return parted


def _item(pair: str, language: Language) -> str:
    return GROUPS[pair][language] if pair in GROUPS else pair


def _reach(cells: Cells) -> str:
    found = cells.get(REACHABLE)
    return " *" if found is not None and found.value == 0 else ""


def _score(row: Estimate | None, space: str = " ") -> str:
    if row is None or row.value is None:
        return DASH
    ends = "" if row.low is None or row.high is None else f"{space}[{row.low:.1f}, {row.high:.1f}]"
    return f"{row.value:.1f}{ends}".replace("-", "−")


def _counts(cells: Cells) -> str:
    counted = "/".join(_whole(cells.get(name)) for name in ("correct", "wrong", "record"))
    failed = cells.get("failed")
    return f"{counted} −{failed.value:.0f}" if failed is not None and failed.value else counted


def _whole(row: Estimate | None) -> str:
    return "" if row is None or row.value is None else f"{row.value:,.0f}"
