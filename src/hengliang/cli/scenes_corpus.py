"""What does a corpus of elicited descriptions show, asked from the command line?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from hengliang.analysis.descriptions.beside_describers import DESCRIBERS
from hengliang.analysis.descriptions.corpus import CorpusReport, corpus_report
from hengliang.cli.scenes_describe import chosen_domain, domain_option
from hengliang.core.commands.options import echo_json, json_option, table_options
from hengliang.core.io.delimited import TableOptions
from hengliang.core.io.estimate_rows import estimate_rows
from hengliang.core.terms import LANGUAGES, Language
from hengliang.materials.elicited_descriptions import CORPUS, read_descriptions
from hengliang.report.pivot import estimate_table


@click.command()
@click.argument("file", default=CORPUS)
@click.option("--scenes", type=click.Path(path_type=Path), metavar="FILE", help="What the numbered scenes hold.")
@click.option("--seeds", type=click.IntRange(0), default=5, show_default=True, help="Runs of each algorithm; 0: none.")
@click.option("--draws", type=click.IntRange(1), default=2000, show_default=True, help="Resamples behind intervals.")
@click.option("--tables", is_flag=True, help="Print the tables of all numbers too; they are wide.")
@domain_option
@table_options("header")
@click.option("--language", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Of what is printed.")
@json_option
def corpus(
    file: str,
    scenes: Path | None,
    seeds: int,
    draws: int,
    tables: bool,
    domain: Path | None,
    table: TableOptions,
    language: Language,
    as_json: bool,
) -> None:
    """Tell how people describe scenes: vagueness, completeness, length and order, by size of the scene.

    FILE is the corpus qtuna, a folder, or a table with the columns subject, scene (a code) and text. Beside people
    stand QDG-IA and QDG-GREEDY on the same scenes, and below them what vague quantifiers mean to these people. The
    report with tables and figures is that of the study: hengliang run scene_descriptions.

    \b
    Example:
      hengliang scenes corpus
      hengliang scenes corpus pilot.csv --seeds 0 --language zh
    """
    kinds = chosen_domain(domain)
    frame = read_descriptions(file, scenes=scenes, domain=kinds, table=table)
    describers = DESCRIBERS if seeds else ()
    if not as_json:
        click.echo(
            f"hengliang: reading {frame.height:,} descriptions; a corpus as large as qtuna takes a minute", err=True
        )
    report = corpus_report(frame, domain=kinds, describers=describers, seeds=tuple(range(1, seeds + 1)), draws=draws)
    if as_json:
        echo_json(estimates=estimate_rows(report.estimates))
    else:
        for line in _lines(report, language, tables):
            click.echo(line)


def _lines(report: CorpusReport, language: Language, tables: bool) -> Iterator[str]:
    for sentence in report.sentences:
        yield sentence[language]
    for name, layout in report.layouts.items() if tables else ():
        yield ""
        yield str(estimate_table(report.estimates.filter(analysis=name), layout).in_language(language))
