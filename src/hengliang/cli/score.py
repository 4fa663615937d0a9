"""How are the sentences of a file scored from the command line?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import polars as pl
from rich.console import Console

from hengliang.cli.scoring_options import (
    MEASURE_HELP,
    MODEL_HELP,
    Asked,
    scoring_options,
    tell_of_manner,
    warn_of_rows,
    warn_of_unknown,
)
from hengliang.core.commands.options import echo_json, json_option
from hengliang.core.engine.mapping import WorkerDied, map_batches
from hengliang.core.settings import json_number
from hengliang.corpora.running_text import GIVEN
from hengliang.corpora.sentence_files import SentenceReading
from hengliang.language_models.manner import Reading
from hengliang.measures.explanation import LOWEST
from hengliang.measures.scored_sentence_files import ScoredSentences, check_out, flat_frame, write_scores
from hengliang.measures.scored_sentences import SentenceScorer, check_measures, column_of, measure_names
from hengliang.report.sentence_scores import draw_scores

_KEPT_PROBLEMS = 10


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--model", "-m", required=True, metavar="MODEL", help=f"{MODEL_HELP}.")
@click.option("--measure", "measures", multiple=True, default=("slor",), metavar="NAME", help=f"{MEASURE_HELP}.")
@click.option("--out", type=click.Path(path_type=Path), help="A file *.tsv, *.csv, *.jsonl or *.parquet.")
@click.option("--explain", is_flag=True, help="Show the words that pull each sentence down.")
@click.option(
    "--lowest", type=click.IntRange(1), default=LOWEST, show_default=True, help="With --explain: so many words."
)
@click.option("--with-text", is_flag=True, help="Write the sentence into the result as well.")
@scoring_options
@json_option
def score(
    file: Path,
    model: str,
    measures: tuple[str, ...],
    out: Path | None,
    explain: bool,
    lowest: int,
    with_text: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Score how acceptable each sentence of FILE is to a language model: one a line, or a row of CSV, TSV or JSONL.

    Any size; "-" reads from standard input. With --out the same command goes on after a crash or Ctrl-C and ends with
    the same bytes; without it the scores are printed. What has no score is told with its reason; a file of which
    nothing could be scored ends with exit code 1.

    \b
    Example:
      hengliang score generated.txt --model ngram-4 --out scores.tsv
      hengliang score essays.csv --column sentence --id key -m ngram-4 --rne lac --measure slor --explain
    """
    asked, measures = Asked(**given), measure_names(measures)
    engine = asked.map_engine()
    if out is not None:
        check_out(file, out)
    rows = asked.rows(file)
    held = asked.opened(model)
    chosen = check_measures(held, measures)
    asked.ready(rows, held, model)
    shown = out is None and not as_json and sys.stdout.isatty()
    words = (asked.segmenter, asked.spaces)
    scorer = SentenceScorer(held, chosen, asked.end, asked.length, lowest if explain else 0, with_text or shown, *words)
    if out is None:
        frames = map_batches(scorer, rows, engine=engine, on_event=_tell)
        unscored = _print(frames, scorer, rows, as_json=as_json, shown=shown)
        return int(unscored == rows.rows)
    found = write_scores(scorer, rows, out, engine=engine, watcher=asked.watcher())
    warn_of_rows(found.unscored, found.problems, found.grown, str(file))
    warn_of_unknown(found.unknown, found.words, model)
    tell_of_manner(Reading(found.given, found.cut, found.folded), scorer)
    if as_json:
        echo_json(scores=found.to_json())
    else:
        click.echo("\n".join(_summary(found)))
    return int(found.unscored == found.rows)


def _tell(event: WorkerDied) -> None:
    click.echo(f"hengliang: {event}", err=True)


def _summary(found: ScoredSentences) -> Iterator[str]:
    means = ", ".join(f"{name} {value:.4f}" for name, value in found.means.items() if value is not None)
    yield f"{found.rows:,} sentences, {found.unscored:,} without a score" + (f"; mean {means}." if means else ".")
    yield found.out


def _print(
    frames: Iterator[pl.DataFrame], scorer: SentenceScorer, rows: SentenceReading, *, as_json: bool, shown: bool
) -> int:
    """Print scores as they come: a table for people, TSV for programs, or all as one JSON object.

    Return how many sentences have no score.
    """
    problems: list[str] = []
    unscored, unknown, words, first, objects = 0, 0, 0, True, []
    reading = Reading()
    columns = [column_of(measure) for measure in scorer.measures]
    for frame in frames:
        failed = frame.filter(pl.col("problem").is_not_null())
        unscored += failed.height
        unknown, words = unknown + int(frame["unknown"].sum()), words + int(frame["words_seen"].sum())
        given = frame["cut_by"] == GIVEN
        reading += Reading(int(given.sum()), int((~given).sum()), int(frame["folded"].sum()))
        wanted = _KEPT_PROBLEMS - len(problems)
        told = failed.select("number", "problem").head(wanted).rows()
        problems += [f"{rows.layout.row_name} {number}: {problem}" for number, problem in told]
        if as_json:
            objects += [{**row, **{name: json_number(row[name]) for name in columns}} for row in frame.to_dicts()]
        elif shown:
            click.echo(draw_scores(frame, columns, width=Console().width, heading=first))
        else:
            click.echo(flat_frame(frame).write_csv(separator="\t", include_header=first), nl=False)
        first = False
    if as_json:
        echo_json(sentences=objects, signature=str(scorer.signature()))
    warn_of_rows(0 if shown else unscored, tuple(problems), rows.grown, rows.name)
    warn_of_unknown(unknown, words, scorer.model.name)
    tell_of_manner(reading, scorer)
    return unscored
