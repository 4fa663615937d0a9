"""Which reconstructions are analysed, how, and where does the report go?"""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click
from rich.console import Console

from hengliang.analysis.reconstruction.answers import Reconstructions
from hengliang.analysis.reconstruction.battery import Battery, Settings, analyse_reconstructions
from hengliang.analysis.reconstruction.experts import read_experts
from hengliang.analysis.reconstruction.folders import read_folder
from hengliang.analysis.reconstruction.hypotheses import answer_hypotheses
from hengliang.analysis.reconstruction.reading import Wrong, read_reconstructions
from hengliang.core.commands.options import echo_json, json_option, language_option, report_option, table_options
from hengliang.core.errors import UserError
from hengliang.core.io.estimate_rows import estimate_rows
from hengliang.core.terms import Language
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, read_domain
from hengliang.people.collected.reading import KINDS
from hengliang.report import words
from hengliang.report.content import ReportContent
from hengliang.report.reconstruction import reconstruction_content
from hengliang.report.reconstruction_brief import reconstruction_brief
from hengliang.report.statistics import check_report_file, write_report


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--experts",
    type=click.Path(path_type=Path),
    metavar="FILE|FOLDER",
    help="Scores of experts by pair: naturalness, informativity, correctness; or the folder of their survey.",
)
@click.option("--human", metavar="DESCRIBER", help="Which describer is people [default: the one called Human].")
@click.option("--domain", type=click.Path(path_type=Path), metavar="TOML", help="Kinds of things, if not the usual.")
@click.option(
    "--wrong",
    type=click.Choice(get_args(Wrong)),
    default="refuse",
    show_default=True,
    help="Of a file: answers whose counts do not add up are refused, or missing.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Probability of error of a test.")
@click.option(
    "--draws", type=click.IntRange(1), default=2000, show_default=True, help="Resamples behind each interval."
)
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="The seed of everything that is drawn."
)
@click.option("--kind", type=click.Choice(KINDS), default="real", show_default=True, help="Of a survey: whose answers.")
@click.option("--database", metavar="URL", help="Of a survey: its database [default: survey.sqlite in its folder].")
@click.option("--finished-only", is_flag=True, help="Of a survey: only participants who reached the end.")
@click.option("--reader", metavar="SYSTEM", help="Of a run: the answers of this reader [default: each apart].")
@table_options("header")
@report_option
@language_option
@click.option("--verbose", "-v", is_flag=True, help="Print every sentence of the report.")
@json_option
def analyse(file: Path, out: Path | None, language: Language, verbose: bool, as_json: bool, **options: Any) -> None:
    """Analyse reconstructions of scenes: swaps, spread of answers, experts' scores, algorithms against people.

    FILE has one row a reconstruction (pair, describer, scene, participant, and a column for each of BS, RS, BC, RC) or
    one row a count (kind, count); a column experiment parts what is analysed apart. Or it is the folder of a survey or
    of a run.

    \b
    Example:
      hengliang scenes analyse answers.csv
      hengliang scenes analyse answers.xlsx --experts scores.csv --out report.html
      hengliang scenes analyse survey --experts ratings --kind simulated
      hengliang scenes analyse runs/scenes --reader "MODEL READER" --json
    """
    if out is not None:
        check_report_file(out)
        if out.absolute() == file.absolute():
            raise UserError(f"The report would take the place of {file}.", remedy="Choose another --out.")
    data = _read(file, options)
    experts = options["experts"]
    scores = None if experts is None else read_experts(experts, options["table"], kind=options["kind"])
    settings = Settings(alpha=options["alpha"], draws=options["draws"], seed=options["seed"], human=options["human"])
    battery = analyse_reconstructions(data, scores, settings)
    content = reconstruction_content(battery)
    if out is not None:
        write_report(content, out, language)
    if as_json:
        _show_json(battery, content, out)
        return
    if verbose:
        _show_sentences(content, language)
    else:
        console = Console(highlight=False)
        for each in reconstruction_brief(battery, language):
            console.print(each)
    if out is not None:
        click.echo(f"\n{out}")


def _read(file: Path, options: dict[str, Any]) -> Reconstructions:
    domain = None if options["domain"] is None else read_domain(options["domain"])
    if file.is_dir():
        return read_folder(
            file,
            domain,
            database_url=options["database"],
            kind=options["kind"],
            finished_only=options["finished_only"],
            system=options["reader"],
        )
    for option in ("--database", "--finished-only", "--reader"):
        if options[option.removeprefix("--").replace("-", "_")]:
            raise UserError(f"{option} is for a folder, and {file} is none.")
    if options["kind"] != "real":
        raise UserError(f"--kind is for the folder of a survey, and {file} is none.")
    return read_reconstructions(
        file,
        domain or DEFAULT_DOMAIN,
        options["table"],
        wrong=options["wrong"],
    )


def _show_json(battery: Battery, content: ReportContent, out: Path | None) -> None:
    hypotheses = [
        {"experiment": results.name, "hypothesis": one.number, "verdict": one.verdict, **one.sentence().to_json()}
        for results in battery.experiments
        for one in answer_hypotheses(results)
    ]
    sentences = [
        {"analysis": entry.name, **sentence.to_json()} for entry in content.analyses for sentence in entry.sentences
    ]
    echo_json(
        estimates=estimate_rows(content.estimates),
        hypotheses=hypotheses,
        sentences=sentences,
        notes=[note.to_json() for note in content.notes],
        report=str(out) if out else None,
        simulated=content.simulated,
    )


def _show_sentences(content: ReportContent, language: Language) -> None:
    if content.simulated:
        click.echo(words.SIMULATED[language])
    for note in content.notes:
        click.echo(f"- {note[language]}")
    for entry in content.analyses:
        if entry.sentences:
            click.echo(f"\n{entry.title[language]}")
            for sentence in entry.sentences:
                click.echo(f"  {sentence[language]}")
