"""What differs between two runs?"""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from hengliang.core.commands.options import echo_json, json_option
from hengliang.report.compare import compare_estimates
from hengliang.study.study import open_run


@click.command()
@click.argument("left", type=click.Path(path_type=Path))
@click.argument("right", type=click.Path(path_type=Path))
@json_option
def compare(left: Path, right: Path, as_json: bool) -> None:
    """Put the numbers of two runs side by side, and say which part of their signatures differs.

    \b
    Example:
      hengliang compare runs/before runs/after
    """
    table = compare_estimates(open_run(left).estimates, open_run(right).estimates)
    if as_json:
        echo_json(comparisons=table.to_polars().to_dicts())
    else:
        Console().print(table)
