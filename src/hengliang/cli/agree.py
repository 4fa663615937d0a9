"""Do two judges agree, and who are they?"""

from __future__ import annotations

from pathlib import Path

import click
import polars as pl
from rich.console import Console

from hengliang.analyses.judge_agreement import scores_named
from hengliang.analyses.judge_levels import Calibrate, JudgeAgreement, Reverse, judge_agreement
from hengliang.analyses.ratings.reading import READERS, ROW, RatingsFile, as_numbers, read_ratings_file
from hengliang.core.commands.options import echo_json, json_option, language_option, report_option, table_options
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.delimited import TableOptions
from hengliang.core.io.estimate_rows import estimate_rows
from hengliang.core.runs import RunFolder
from hengliang.core.terms import Language
from hengliang.report.judge_report import judge_estimates, judge_report, judge_tables
from hengliang.report.statistics import check_report_file, write_report
from hengliang.statistics.inter_rater.score_tables import ScoreTable

_SIDES = ("first", "second", "none")


@click.command()
@click.argument("first")
@click.argument("second")
@click.option("--first-score", default="score", show_default=True, metavar="NAME", help="Column of the first score.")
@click.option("--second-score", default="score", show_default=True, metavar="NAME", help="Column of the second score.")
@click.option("--item", default="item", show_default=True, metavar="NAME", help="Column with the id of the item.")
@click.option(
    "--system", metavar="NAME", help="Column with the system that answered [default: system, if there is one]."
)
@click.option(
    "--rater", metavar="NAME", help="Column with the rater of a single rating [default: rater, if there is one]."
)
@click.option("--response", metavar="NAME", help="Column with an id that systems with the same answer share.")
@click.option("--anonymous", is_flag=True, help="Several scores of one item are ratings of raters without names.")
@click.option(
    "--reverse",
    type=click.Choice(("none", "first", "second")),
    default="none",
    show_default=True,
    help="Turn the score of which a small number is good.",
)
@click.option(
    "--calibrate",
    type=click.Choice(_SIDES),
    default="first",
    show_default=True,
    help="Small differences of this score may count as ties.",
)
@click.option("--items", type=click.IntRange(1), default=10, show_default=True, help="Items to list that part most.")
@click.option("--draws", type=click.IntRange(1), default=1000, show_default=True, help="Resamples for the intervals.")
@click.option("--splits", type=click.IntRange(1), default=100, show_default=True, help="Random splits of the raters.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed, the same numbers.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals.")
@table_options()
@report_option
@language_option
@json_option
def agree(
    first: str,
    second: str,
    first_score: str,
    second_score: str,
    item: str,
    system: str | None,
    rater: str | None,
    response: str | None,
    anonymous: bool,
    reverse: Reverse,
    calibrate: Calibrate,
    items: int,
    draws: int,
    splits: int,
    seed: int,
    level: float,
    table: TableOptions,
    out: Path | None,
    language: Language,
    as_json: bool,
) -> None:
    """Tell how far two judges agree: a machine with people, a machine with a machine, people with people.

    FIRST and SECOND are files, as for `hengliang analyse`, with one score a row and columns item, score, and if there
    are any system and rater; or RUN:MEASURE, the judgements of a measure in a run folder (RUN:MEASURE:PART for
    a part of it). Both may be the same file.

    \b
    Example:
      hengliang agree surprisal.csv ratings.csv --first-score surprisal --second-score fluency --reverse first
      hengliang agree runs/mine:log-probability:logprob runs/mine:fluency --out agreement.html
    """
    if out is not None:
        check_report_file(out)
    columns = {"item": item, "system": system, "rater": rater, "response": response}
    tables = _tables((first, second), (first_score, second_score), columns, anonymous, table)
    found = judge_agreement(
        *tables, reverse=reverse, calibrate=calibrate, level=level, draws=draws, seed=seed, splits=splits
    )
    if out is not None:
        write_report(judge_report(found, items), out, language)
    if as_json:
        echo_json(
            estimates=estimate_rows(judge_estimates(found, items)),
            sentences=[found.sentence().to_json()],
            report=str(out) if out else None,
        )
    else:
        _print(found, items, out, language)


def _print(found: JudgeAgreement, items: int, out: Path | None, language: Language) -> None:
    console = Console()
    for table in judge_tables(found, items):
        shown = table.in_language(language).__rich__()
        # Words may be broken where a terminal is narrow; an interval should not be.
        for column in shown.columns:
            column.no_wrap = column.justify == "right"
        console.print(shown)
    console.print(found.sentence()[language], markup=False, highlight=False)
    if out is not None:
        click.echo(f"\n{out}")


def _tables(
    given: tuple[str, str],
    scores: tuple[str, str],
    columns: dict[str, str | None],
    anonymous: bool,
    table: TableOptions,
) -> list[ScoreTable]:
    files = [_file(one, table) for one in given]
    known = [column for file in files if file is not None for column in file.columns]
    for name in columns.values():
        if name is not None and known and name not in known:
            raise unknown_name("column", name, known)
    tables = []
    for one, file, score, side in zip(given, files, scores, ("first", "second"), strict=True):
        if file is None:
            tables.append(_of_run(one))
            continue
        remedies = {
            score: f"Name a column of {one}: --{side}-score NAME",
            columns["item"] or "item": f"Items have one name in both files: rename the column in {one}, or --item NAME",
        }
        for name, remedy in remedies.items():
            if name not in file.columns:
                raise unknown_name("column", name, file.columns, remedy=remedy)
        # An automatic score has no raters: a column that only the other file has is not missed here.
        held = {kind: name for kind, name in columns.items() if name and (kind == "item" or name in file.columns)}
        title = Path(one).stem if score == "score" else score
        tables.append(ScoreTable.of(_frame(file, score), name=title, score=score, anonymous=anonymous, **held))
    return tables


def _file(given: str, table: TableOptions) -> RatingsFile | None:
    """Return what a file holds, or nothing when a run is meant."""
    if not Path(given).is_file() and _run_folder(given):
        return None
    if not Path(given).exists() and Path(given).suffix.lower() not in READERS:
        raise UserError(
            f"'{given}' is neither a file of scores nor a measure of a run.",
            valid=f"Files that end in {', '.join(READERS)}; or RUN:MEASURE, where RUN is the folder of a run.",
        )
    return read_ratings_file(given, table)


def _frame(file: RatingsFile, score: str) -> pl.DataFrame:
    """Return the table of a file with its scores as numbers and the names of labelled values."""
    numbers, wrong = as_numbers(file.frame[score], decimal_comma=file.decimal_comma)
    if wrong.len():
        at = int(wrong[0])
        raise UserError(
            f"The column '{score}' holds '{file.frame[score][at]}' in row {file.frame[ROW][at]} of {file.path}, where "
            "a number belongs.",
            valid="Scores are numbers; a missing one is empty.",
        )
    names = [file.frame[name].str.strip_chars() for name in file.columns if name != score]
    labelled = [column.replace(file.labels[column.name]) if column.name in file.labels else column for column in names]
    return pl.DataFrame([*labelled, numbers.alias(score)])


def _run_folder(given: str) -> str:
    """Return the folder before the colon that is there, or nothing."""
    places = [place for place, character in enumerate(given) if character == ":"]
    return next((given[:place] for place in places if Path(given[:place]).is_dir()), "")


def _of_run(given: str) -> ScoreTable:
    folder = _run_folder(given)
    return scores_named(RunFolder.open(folder).tables(), given[len(folder) + 1 :])
