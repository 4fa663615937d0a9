"""How are the best sentences of a file kept from the command line?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hengliang.cli.scoring_options import (
    MEASURE_HELP,
    MODEL_HELP,
    Asked,
    scoring_options,
    tell_of_manner,
    warn,
    warn_of_rows,
    warn_of_unknown,
)
from hengliang.core.commands.options import echo_json, json_option
from hengliang.core.errors import UserError
from hengliang.language_models.manner import Reading
from hengliang.measures.filtered_sentences import FilteredSentences, check_filter, filter_sentences, read_keep
from hengliang.measures.scored_sentence_files import read_scored, write_scores
from hengliang.measures.scored_sentences import SentenceScorer, check_measures, measure_names


@click.command("filter")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--model", "-m", metavar="MODEL", help=f"{MODEL_HELP}.")
@click.option("--scores", type=click.Path(path_type=Path), help="What `hengliang score` wrote for FILE, instead.")
@click.option("--measure", default="slor", show_default=True, metavar="NAME", help=f"{MEASURE_HELP}.")
@click.option("--keep", metavar="SHARE|COUNT", help="The best share of the scored (0.8, 80%), or so many (1000).")
@click.option("--above", type=float, metavar="SCORE", help="Keep sentences with this score or more.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The kept rows, in the format of FILE.")
@click.option(
    "--rejected", type=click.Path(path_type=Path), help="The others with score or reason: *.tsv, .csv, .jsonl."
)
@scoring_options
@json_option
def filter_command(
    file: Path,
    model: str | None,
    scores: Path | None,
    measure: str,
    keep: str | None,
    above: float | None,
    out: Path,
    rejected: Path | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Keep the sentences of FILE that are most acceptable to a language model, byte for byte and in their order.

    The scores stay beside the result (OUT.scores.parquet), so that the same command with another --keep scores nothing
    again. Sentences without a score are never kept. Of sentences with the same score at the border the first are kept.
    A file of which no sentence has a score ends with exit code 1.

    \b
    Example:
      hengliang filter generated.txt --model ngram-4 --keep 0.8 --out clean.txt --rejected rest.tsv
      hengliang filter generated.csv --scores scores.parquet --above -1.2 --out clean.csv
    """
    asked, wanted = Asked(**given), read_keep(keep, above)
    if (model is None) == (scores is None):
        raise UserError("Say where the scores come from.", valid="Either --model MODEL or --scores FILE.")
    (measure,) = measure_names([measure])
    check_filter(file, out, rejected, asked.form)
    if scores is None and model is not None:
        scores = _scored(file, model, measure, out, asked)
    elif scores is not None and scores.is_file() and read_scored(scores) is None:
        warn(f"{scores} has no note beside it that tells whose scores these are: only the number of rows is checked.")
    # What was added while the file was scored has been told; scores of another day must be those of the whole file.
    growing = model is not None
    found = filter_sentences(
        file, scores or out, out, wanted, measure, rejected=rejected, growing=growing, **asked.reading()
    )
    if as_json:
        echo_json(filtered=found.to_json())
    else:
        click.echo(_summary(found))
    return int(not found.scored)


def _scored(file: Path, model: str, measure: str, out: Path, asked: Asked) -> Path:
    """Score the file, or find that it has been scored, and return where the scores are."""
    engine = asked.map_engine()
    rows = asked.rows(file)
    held = asked.opened(model)
    scorer = SentenceScorer(
        held,
        check_measures(held, [measure]),
        asked.end,
        asked.length,
        segmenter=asked.segmenter,
        spaces=asked.spaces,
    )
    target = out.with_name(f"{out.name}.scores.parquet")
    found = write_scores(scorer, asked.ready(rows, held, model), target, engine=engine, watcher=asked.watcher())
    warn_of_rows(found.unscored, found.problems, found.grown, str(file))
    warn_of_unknown(found.unknown, found.words, model)
    tell_of_manner(Reading(found.given, found.cut, found.folded), scorer)
    return target


def _summary(found: FilteredSentences) -> str:
    share = f" ({found.kept / found.scored:.1%} of those with a score)" if found.scored else ""
    lines = [f"{found.kept:,} of {found.rows:,} sentences kept{share}; {found.unscored:,} without a score."]
    if found.threshold is not None:
        lines.append(f"The lowest {found.measure} that was kept is {found.threshold!r}.")
    if found.tied:
        verb = "sentence has" if found.tied == 1 else "sentences have"
        lines.append(f"{found.tied:,} more {verb} this score and came later in the file: left out.")
    return "\n".join([*lines, found.out])
