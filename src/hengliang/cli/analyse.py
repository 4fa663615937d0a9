"""Which ratings are analysed, how, and where does the report go?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

import click
from rich.console import Console

from hengliang.analyses.ratings.battery import Battery, run_battery
from hengliang.analyses.ratings.parts import Questions
from hengliang.analyses.ratings.reading import read_ratings_file
from hengliang.analyses.ratings.table import Columns, Ratings, ratings_table
from hengliang.analysis.ratings.experiment_table import Wanted, experiment_ratings
from hengliang.core.commands.options import echo_json, json_option, language_option, quiet_option, table_options
from hengliang.core.errors import UserError
from hengliang.core.io.estimate_rows import estimate_rows
from hengliang.core.progress import Silent, Watcher, usual_watcher
from hengliang.core.terms import Bilingual, Language
from hengliang.people.collected.reading import KINDS, collected_experiment
from hengliang.people.tasks.scene_details import asks_for_scenes
from hengliang.report import words
from hengliang.report.content import ReportContent
from hengliang.report.ratings import ratings_brief, ratings_content
from hengliang.report.statistics import check_report_file, write_report
from hengliang.statistics.multiple_testing import CORRECTIONS
from hengliang.statistics.results import Sidedness

PILOT = Bilingual(
    "These are answers of a pilot, not of the experiment itself.", "这是预实验的回答，不是正式实验的回答。"
)


def _names(_context: click.Context, option: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Read names that are parted by commas."""
    names = tuple(name.strip() for name in (value or "").replace("，", ",").split(",") if name.strip())
    if value is not None and not names:
        raise UserError(f"{option.opts[0]} names no column.", valid="Names parted by commas: item,rater")
    return names


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--measure", "-m", "measures", multiple=True, metavar="COLUMN", help="Ratings; may be repeated.")
@click.option("--by", metavar="COLUMN", help="What is compared, for example system.")
@click.option("--pair", callback=_names, metavar="COLUMNS", help="What pairs ratings, for example item,rater.")
@click.option("--item", metavar="COLUMN", help="What was rated: ratings of one item are no independent observations.")
@click.option("--rater", metavar="COLUMN", help="Who rated [default for both: recognised by name or --pair, and said].")
@click.option(
    "--split",
    metavar="COLUMN",
    help="A column of two values, to compare ratings by: match; of an experiment's items: sample.",
)
@click.option("--response", metavar="COLUMN", help="What was judged; equal responses to an item share one rating.")
@click.option("--wide", callback=_names, metavar="COLUMNS", help="The file is wide: all other columns are ratings.")
@click.option("--scale", metavar="LOW-HIGH", help="The scale, for example 1-7 [default: inferred and stated].")
@click.option("--levels", callback=_names, metavar="LEVELS", help="Compare only these levels, in this order.")
@click.option("--reference", metavar="LEVEL", help="Compare all others with this level [default: all pairs].")
@click.option("--margin", type=float, metavar="POINTS", help="Test equivalence within so many points of the scale.")
@click.option(
    "--family",
    type=click.Choice(tuple(CORRECTIONS)),
    default="holm",
    show_default=True,
    help="How the comparisons of one measure are corrected as a family.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Probability of error of a test.")
@click.option(
    "--alternative",
    type=click.Choice(get_args(Sidedness)),
    default="two-sided",
    show_default=True,
    help="greater: the first level of a comparison is higher.",
)
@click.option("--no-model", is_flag=True, help="Fit no ordinal mixed model.")
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="The seed of everything that is drawn."
)
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="real",
    show_default=True,
    help="Of an experiment: whose answers; simulated ones are marked on every figure.",
)
@click.option(
    "--database", metavar="URL", help="Of an experiment: its database [default: survey.sqlite in its folder]."
)
@click.option("--finished-only", is_flag=True, help="Of an experiment: only participants who reached the end.")
@table_options()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="REPORT",
    help="Report to write: .html, .md or .json [default: NAME-report.html in this folder].",
)
@language_option
@click.option("--verbose", "-v", is_flag=True, help="Print every sentence of the report, not one line a comparison.")
@json_option
@quiet_option
def analyse(
    file: Path, out: Path | None, language: Language, verbose: bool, as_json: bool, quiet: bool, **options: Any
) -> None:
    """Analyse ratings, and write a report: counts, tests with effect sizes, equivalence, an ordinal model.

    FILE has one row a rating (or, with --wide, one column a system or a rater): CSV, TSV, JSON Lines, Parquet, Excel
    or SPSS. It may also be the folder of an experiment, which knows its scales, systems and plan by itself. With --json
    nothing is written unless --out says where.

    \b
    Example:
      hengliang analyse ratings.csv --measure fluency --by system --pair item,rater
      hengliang analyse ratings.csv -m fluency --by language --item sentence --rater judge
      hengliang analyse ratings.sav -m fluency -m clarity --by system --pair item,rater --split match --scale 1-7
      hengliang analyse wide.xlsx -m fluency --by system --pair item,rater --wide item,rater --margin 0.5
      hengliang analyse experiment
      hengliang analyse experiment --kind simulated --out trial.html
    """
    target = _target(file, out, as_json)
    asked = _of_experiment(file, options) if file.is_dir() else _of_file(file, options)
    watcher: Watcher = Silent() if quiet or as_json else usual_watcher()
    battery = run_battery(asked.ratings, _questions(options, asked.margin), watcher)
    content = ratings_content(battery, simulated=asked.simulated, titles=asked.titles)
    if target is not None:
        write_report(content, target, language)
    if as_json:
        _show_json(content, target)
        return
    _show_sentences(battery, content, language) if verbose else _show_brief(battery, content, language)
    click.echo(f"\n{target}")


@dataclass(frozen=True, slots=True)
class _Asked:
    """Which ratings are analysed, and what is known about them besides."""

    ratings: Ratings
    margin: float | None = None
    simulated: bool = False
    titles: Mapping[str, Bilingual] = field(default_factory=dict)


def _of_file(file: Path, options: dict[str, Any]) -> _Asked:
    for option, name in (("--measure", "measures"), ("--by", "by")):
        if not options[name]:
            raise UserError(
                f"{option} is missing.",
                valid="A file needs --measure and --by; the folder of an experiment does not.",
                remedy=f"hengliang analyse {file} --measure fluency --by system --pair item,rater",
            )
    for option in ("--database", "--finished-only"):
        if options[option.removeprefix("--").replace("-", "_")]:
            raise UserError(f"{option} is for the folder of an experiment, and {file} is none.")
    if options["kind"] != "real":
        raise UserError(f"--kind is for the folder of an experiment, and {file} is none.")
    read = read_ratings_file(file, options["table"])
    return _Asked(
        ratings_table(read, _columns(options), scale=options["scale"], levels=options["levels"]), options["margin"]
    )


def _of_experiment(folder: Path, options: dict[str, Any]) -> _Asked:
    """Read an experiment; what options say goes before what its plan says."""
    for option in ("--by", "--pair", "--item", "--rater", "--response", "--wide"):
        if options[option.removeprefix("--")]:
            raise UserError(
                f"{option} is for a file, and {folder} is the folder of an experiment.",
                valid="An experiment compares its systems, paired by item and rater, and knows its shared responses.",
                remedy=f"hengliang analyse {folder}",
            )
    experiment = collected_experiment(
        folder,
        database_url=options["database"],
        kind=options["kind"],
        finished_only=options["finished_only"],
    )
    if asks_for_scenes(experiment):
        raise UserError(
            f"The answers in {folder} are counts of things in scenes, not ratings.",
            remedy=f"hengliang scenes analyse {folder}",
        )
    wanted = Wanted(tuple(options["measures"]), options["levels"], options["scale"], options["split"])
    ratings = experiment_ratings(experiment, folder, wanted)
    if options["kind"] == "pilot":
        ratings = replace(ratings, notes=(PILOT, *ratings.notes))
    margin = options["margin"] if options["margin"] is not None else experiment.plan.margin
    titles = {scale.name: scale.statement for scale in experiment.scales}
    return _Asked(ratings, margin, experiment.simulated, titles)


def _questions(options: dict[str, Any], margin: float | None) -> Questions:
    return Questions(
        alpha=options["alpha"],
        alternative=options["alternative"],
        family=options["family"],
        reference=options["reference"],
        margin=margin,
        model=not options["no_model"],
        seed=options["seed"],
    )


def _columns(options: dict[str, Any]) -> Columns:
    measures = tuple(dict.fromkeys(options["measures"]))
    parts = (options[name] for name in ("by", "pair", "split", "response", "wide", "item", "rater"))
    return Columns(measures, *parts)


def _target(file: Path, out: Path | None, as_json: bool) -> Path | None:
    """Return where the report goes, and refuse what cannot be written before anything is computed."""
    if out is None:
        # A folder may be given as a dot, which has no name of its own.
        name = file.resolve().name if file.is_dir() else file.stem
        return None if as_json else Path(f"{name}-report.html")
    check_report_file(out)
    if out.absolute() == file.absolute():
        raise UserError(f"The report would take the place of {file}.", remedy="Choose another --out.")
    return out


def _show_json(content: ReportContent, target: Path | None) -> None:
    sentences = [
        {"analysis": entry.name, **sentence.to_json()} for entry in content.analyses for sentence in entry.sentences
    ]
    echo_json(
        estimates=estimate_rows(content.estimates),
        sentences=sentences,
        notes=[note.to_json() for note in content.notes],
        report=str(target) if target else None,
        simulated=content.simulated,
    )


def _show_brief(battery: Battery, content: ReportContent, language: Language) -> None:
    console = Console(highlight=False)
    for each in ratings_brief(battery, language, simulated=content.simulated):
        console.print(each)


def _show_sentences(battery: Battery, content: ReportContent, language: Language) -> None:
    if content.simulated:
        click.echo(words.SIMULATED[language])
    for note in battery.notes:
        click.echo(f"- {note[language]}")
    for entry in content.analyses:
        if entry.sentences:
            click.echo(f"\n{entry.title[language]}")
            for sentence in entry.sentences:
                click.echo(f"  {sentence[language]}")
