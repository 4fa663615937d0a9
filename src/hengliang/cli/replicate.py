"""Which published statistics follow from what their papers print?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from pathlib import Path

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from hengliang.analysis.replication.conventions import ClaimMultiverse, claim_multiverse
from hengliang.analysis.replication.published import PAPERS, claims_of
from hengliang.analysis.replication.table import Replicated, recompute, signature, summary
from hengliang.analysis.replication.verdicts import VERDICTS
from hengliang.core.commands.options import echo_json, json_option, language_option
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.files import write_text
from hengliang.core.terms import Bilingual, Language
from hengliang.report.replication import (
    CONVENTIONS,
    conventions_table,
    render_replication,
    replication_lines,
    replication_markdown,
    robustness_lines,
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
@language_option
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

    Without --claim and --verdict, the terminal lists the claims that do not follow, and counts the others.

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
        if not rows:
            raise UserError(
                f"None of these claims has the verdict {' or '.join(verdicts)}.",
                remedy="Leave --verdict away to see which they have.",
            )
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
        _print(rows, found, language, closely=name is not None, every=bool(name or verdicts))


def _echo(rows: Sequence[Replicated], found: Sequence[ClaimMultiverse]) -> None:
    parts = {"multiverses": [each.to_json() for each in found]} if found else {}
    papers = tuple(dict.fromkeys(row.paper for row in rows))
    echo_json(signature=str(signature(papers)), summary=summary(rows), claims=[row.to_json() for row in rows], **parts)


_EXPECTED = ("same", "compatible")


def _print(
    rows: Sequence[Replicated], found: Sequence[ClaimMultiverse], language: Language, *, closely: bool, every: bool
) -> None:
    """Print the claims that were chosen; without a choice, those that do not simply follow."""
    console = Console(highlight=False)
    shown = [row for row in rows if every or row.verdict not in _EXPECTED]
    for row in shown:
        _print_lines(console, *replication_lines(row, language))
    if found and not closely:
        console.print("", Text(CONVENTIONS[language], style="underline"))
        for each in found:
            if each.kept < each.decided:
                _print_lines(console, *robustness_lines(each, language))
        console.print(_KEPT[language].format(sum(each.kept == each.decided for each in found), len(found)))
    for each in found if closely else []:
        console.print(conventions_table(each, language))
    console.print(summary_table(rows, language))
    if len(shown) < len(rows):
        console.print(_REST[language])


def _print_lines(console: Console, name: str, *others: str) -> None:
    console.print(Text(name, style="bold"))
    for line in others:
        if line:
            console.print(Padding(Text(line), (0, 0, 0, 2), expand=False))


_KEPT = Bilingual("All conventions keep {} of {} conclusions.", "{1} 项结论中有 {0} 项在所有惯例下均维持。")
_REST = Bilingual(
    "What is the same or compatible is not listed: --verdict same, --claim ID, or --out FILE for all.",
    "一致与相容的条目未列出：用 --verdict same 或 --claim 编号查看，或用 --out 文件 写出全部。",
)
