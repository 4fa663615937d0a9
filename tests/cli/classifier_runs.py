"""How do the tests of `hengliang classifiers` run it, and which small chooser do they ask?"""

from __future__ import annotations

from pathlib import Path

import click
import polars as pl

from hengliang import UserError
from hengliang.classifiers import NounCounts, Rule
from hengliang.cli.classifiers import classifiers

COUNTS = [("马", "匹", 3), ("马", "头", 1), ("书", "本", 20), ("书", "部", 5), ("桌子", "张", 6), ("鸟", "只", 2)]


def run(*arguments: str) -> int:
    """Run the command as the program does and return its exit code."""
    try:
        return classifiers.main(args=list(arguments), standalone_mode=False) or 0
    except UserError as error:
        click.echo(f"hengliang: {error}", err=True)
        return error.exit_code


def saved_rule(folder: Path) -> str:
    """Write a small RULE and return its folder."""
    table = pl.DataFrame(COUNTS, schema={"noun": pl.String, "label": pl.String, "count": pl.Int64}, orient="row")
    return str(Rule(NounCounts(table, "by hand", "CC0"), name="small").save(folder))
