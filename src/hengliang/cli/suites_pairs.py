"""What does a set of minimal pairs hold, and what is wrong with it?"""

from __future__ import annotations

from collections import Counter

import click
import polars as pl

from hengliang.core.commands.options import echo_json, json_option
from hengliang.materials.pairs.pair_set import lint_pairs, pair_counts
from hengliang.materials.pairs.reading import read_pairs

SHOWN = 10


@click.command()
@click.argument("data")
@click.option(
    "--layout", default="", metavar="NAME", help="sling, climp, zhoblimp, blimp or colac [default: as recognised]."
)
@click.option("--all", "everything", is_flag=True, help=f"Print all findings of a kind, not the first {SHOWN}.")
@json_option
def pairs(data: str, layout: str, everything: bool, as_json: bool) -> None:
    """Read minimal pairs (a name of the catalogue, a file or a folder); count them and say what is wrong with them.

    \b
    Example:
      hengliang suites pairs sling
      hengliang suites pairs ./blimp/data --json
    """
    held = read_pairs(data, layout=layout)
    counts, found = pair_counts(held), lint_pairs(held)
    if as_json:
        echo_json(name=held.name, counts=counts.to_dicts(), findings=[one.to_json() for one in found])
        return
    with pl.Config(tbl_rows=-1, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True, fmt_str_lengths=60):
        click.echo(str(counts))
    kinds = Counter(one.code for one in found)
    for code, number in kinds.items():
        click.echo(f"{code}: {number}")
        of_kind = [one for one in found if one.code == code]
        for one in of_kind if everything else of_kind[:SHOWN]:
            click.echo(f"  {one.file}, line {one.line}: {one.message}")
        if number > SHOWN and not everything:
            click.echo(f"  … and {number - SHOWN} more: --all")
    click.echo(
        f"{held.name}: {len(held.pairs)} pairs" + (f", {len(held.rated)} single sentences." if held.rated else ".")
    )
