"""How accurate are models whose surprisals somebody has recorded?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import click
from rich.cells import cell_len
from rich.console import Console

from hengliang.analysis.recorded_accuracy import CoinFor, recorded_table
from hengliang.core.commands.options import (
    echo_json,
    json_option,
    language_option,
    quiet_option,
    table_options,
    watcher,
)
from hengliang.core.io.delimited import TableOptions
from hengliang.core.io.estimate_rows import estimate_rows
from hengliang.core.terms import Language
from hengliang.report.recorded_table import statements, tables_of
from hengliang.report.tables import Table
from hengliang.suite_runs import recorded_suite_study
from hengliang.systems.recorded.surprisal_tables import SurprisalUnit


@click.command()
@click.option(
    "--recorded",
    required=True,
    metavar="DIR",
    help="Folder of <model>-<seed>/<suite>.tsv, or the name of one in the catalogue (wang2021-surprisals).",
)
@click.option(
    "--unit",
    type=click.Choice(get_args(SurprisalUnit)),
    help="What the surprisals are in, for --out: no accuracy depends on it. [default: bits for the published files, "
    "else nats]",
)
@click.option("--modifiers", is_flag=True, help="A row for each class and modifier.")
@click.option("--coin-seed", type=click.IntRange(0), metavar="N", help="Settle ties once by coins of this seed, too.")
@click.option(
    "--coin-for",
    type=click.Choice(("comparison", "item")),
    default="comparison",
    show_default=True,
    help="What one coin settles: a tied comparison, or all of an item.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="Also run the paper's other analyses (structure, modifiers, domains, garden paths) into this folder.",
)
@table_options("header", "sheet")
@quiet_option
@language_option
@json_option
def table(
    recorded: str,
    unit: SurprisalUnit | None,
    modifiers: bool,
    coin_seed: int | None,
    coin_for: CoinFor,
    out: Path | None,
    table: TableOptions,
    quiet: bool,
    language: Language,
    as_json: bool,
) -> None:
    """Print the accuracy of recorded models by class, with published values where the files are the published ones.

    \b
    Example:
      hengliang suites table --recorded wang2021-surprisals
      hengliang suites table --recorded my-surprisals --modifiers --json
      hengliang suites table --recorded wang2021-surprisals --out runs/recorded
    """
    found = recorded_table(recorded, modifiers=modifiers, coin_for=coin_for, coin_seed=coin_seed, table=table)
    said = statements(found)
    run = recorded_suite_study(recorded, unit=unit, table=table).run(out, watcher=watcher(quiet)) if out else None
    if as_json:
        echo_json(
            estimates=estimate_rows(found.estimates()),
            sentences=[sentence.to_json() for sentence in said],
            left_out=list(found.left_out),
        )
        return
    console = Console()
    for one in tables_of(found, language):
        print_whole(console, one)
    for sentence in said:
        console.print(sentence[language], markup=False, highlight=False)
    if run is not None:
        click.echo(run.folder.path / "report.html")


def print_whole(console: Console, table: Table, title: str = "") -> None:
    """Print a table so that a narrow terminal breaks names, and figures only at their spaces, and cuts nothing off.

    A first column that says the same in every row goes into the title, for it takes the width of a figure.
    """
    first = {str(row[0]) for row in table.cells()}
    if title and table.columns[0].header and table.columns[1].header and len(first) == 1:
        table = replace(table, columns=table.columns[1:])
        title = f"{title}: {first.pop()}"
    shown, cells = table.__rich__(), table.cells()
    # Above a narrow table its title would be broken to the width of the table.
    console.print(title or shown.title or "", markup=False, highlight=False)
    shown.title = None
    for place, (column, drawn) in enumerate(zip(table.columns, shown.columns, strict=True)):
        drawn.overflow = "fold"
        if not column.header:
            figures = [str(row[place]).split() for row in cells]
            drawn.no_wrap = all(len(parts) < 2 for parts in figures)
            drawn.min_width = max((cell_len(part) for parts in figures for part in parts), default=1)
    console.print(shown)
