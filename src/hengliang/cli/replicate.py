"""Which published statistics follow from what their papers print?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from pathlib import Path

import click
from rich.console import Console

from hengliang.analysis.replication.conventions import ClaimMultiverse, claim_multiverse
from hengliang.analysis.replication.published import PAPERS, claims_of
from hengliang.analysis.replication.table import Replicated, recompute, signature, summary
from hengliang.analysis.replication.verdicts import VERDICTS
from hengliang.bilingual import LANGUAGES, Language
from hengliang.cli.options import echo_json, json_option
from hengliang.errors import UserError, unknown_name
from hengliang.files import write_text
from hengliang.report.replication import (
    conventions_table,
    render_replication,
    replication_markdown,
    replication_table,
    robustness_table,
    summary_table,
)

FORMS = (".html", ".md")


@click.command()
@click.argument("paper", required=False)
@click.option("--claim", "name", metavar="ID", help="One claim, or a group of them (the part before the point).")
@click.option(
    "--verdict", "verdicts", multiple=True, type=click.Choice(tuple(VERDICTS)), help="Only these; may be repeated."
)
@click.option(
    "--multiverse", is_flag=True, help="Run every published conclusion under all defensible conventions, too."
)
@json_option
@click.option("--out", type=click.Path(path_type=Path), help="Write a page (.html) or Markdown (.md) to this file.")
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    default="en",
    show_default=True,
    help="Language of the tables and of Markdown; the page has both.",
)
def replicate(
    paper: str | None,
    name: str | None,
    verdicts: tuple[str, ...],
    multiverse: bool,
    as_json: bool,
    out: Path | None,
    language: Language,
) -> None:
    """Recompute the statistics of PAPER (000 or 001; both if none is named) from the numbers that it prints.

    \b
    Example:
      hengliang replicate 000
      hengliang replicate --claim median-test
      hengliang replicate --verdict differs
      hengliang replicate 000 --claim hypotheses-2.h5-decision --multiverse
      hengliang replicate --multiverse --out replication.html
    """
    if paper is not None and paper not in PAPERS:
        raise unknown_name("paper", paper, PAPERS, remedy="Leave it away for all papers: hengliang replicate")
    if out is not None and out.suffix not in FORMS:
        raise UserError(f"'{out}' has no form that can be written.", valid=f"A name that ends in {' or '.join(FORMS)}.")
    held = claims_of(PAPERS if paper is None else (paper,), name)
    rows = [recompute(of, claim) for of, claim in held]
    if verdicts:
        kept = [row.verdict in verdicts for row in rows]
        held, rows = list(compress(held, kept)), list(compress(rows, kept))
    found = [each for of, claim in held if (each := claim_multiverse(of, claim))] if multiverse else []
    if multiverse and not found:
        raise UserError(
            f"'{name}' is no conclusion that a convention could change.",
            remedy="All that are: hengliang replicate --multiverse",
        )
    if out is not None:
        form = render_replication(rows, found) if out.suffix == ".html" else replication_markdown(rows, found, language)
        write_text(out, form)
    if as_json:
        _echo(rows, found)
    elif out is not None:
        click.echo(out)
    else:
        _print(rows, found, name is not None, language)


def _echo(rows: Sequence[Replicated], found: Sequence[ClaimMultiverse]) -> None:
    parts = {"multiverses": [each.to_json() for each in found]} if found else {}
    papers = tuple(dict.fromkeys(row.paper for row in rows))
    echo_json(signature=str(signature(papers)), summary=summary(rows), claims=[row.to_json() for row in rows], **parts)


def _print(rows: Sequence[Replicated], found: Sequence[ClaimMultiverse], closely: bool, language: Language) -> None:
    console = Console()
    console.print(replication_table(rows, language))
    if found and not closely:
        console.print(robustness_table(found, language))
    for each in found if closely else []:
        console.print(conventions_table(each, language))
    console.print(summary_table(rows, language))
