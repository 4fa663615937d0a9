"""In which form is the report of a run wanted?"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from hengliang.core.terms import LANGUAGES, Language
from hengliang.study.study import ReportFormat, open_run


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(get_args(ReportFormat)),
    default="html",
    show_default=True,
    help="What to write.",
)
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    default="en",
    show_default=True,
    help="Language of the Markdown form; the page has both.",
)
@click.option("--out", type=click.Path(path_type=Path), help="File to write [default: report.* in the run folder].")
def report(run: Path, form: ReportFormat, language: Language, out: Path | None) -> None:
    """Write the report of a finished run, without running anything again.

    \b
    Example:
      hengliang report runs/classifier_baselines --format markdown --language zh --out baselines.md
    """
    click.echo(open_run(run).report(form, out, language))
