"""Where does a text lack a classifier or have a wrong one, asked from the command line?"""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import click
import polars as pl

from hengliang.cli.classifiers_choose import opened_chooser, sentence_options
from hengliang.core.commands.options import echo_json, json_option
from hengliang.core.commands.row_files import check_out, write_rows
from hengliang.core.io.delimited import TableOptions
from hengliang.core.terms import Language
from hengliang.corpora.given_sentences import given_sentences, tell_problems
from hengliang.corpora.sentence_files import EMPTY_LINE, Form
from hengliang.report.classifier_advice import draw_correction, draw_summary
from hengliang.systems.proofreading.corrections import Correction, Thresholds
from hengliang.systems.proofreading.proofreader import Proofreader

_EXAMPLE = 'Example: hengliang classifiers proofread "我买了三书。"'
_USUAL = Thresholds()
_NO_PROBLEM = ("", EMPTY_LINE)
"""A line between paragraphs is no mistake."""
_SCHEMA: dict[str, pl.DataType] = {
    "line": pl.Int64(),
    "start": pl.Int64(),
    "end": pl.Int64(),
    "fault": pl.String(),
    "written": pl.String(),
    "noun": pl.String(),
    "suggestion": pl.String(),
    "probability": pl.Float64(),
    "others": pl.String(),
    "probability_written": pl.Float64(),
    "reason": pl.String(),
    "reason_zh": pl.String(),
    "text": pl.String(),
}


@click.command()
@click.argument("texts", nargs=-1, metavar="[TEXT]...")
@click.option(
    "--evidence",
    type=click.IntRange(1),
    default=_USUAL.evidence,
    show_default=True,
    help="What must be known of a noun before its classifier is doubted: a use counts 1, a listed pair 3.",
)
@click.option(
    "--evidence-general",
    type=click.IntRange(1),
    default=_USUAL.evidence_general,
    show_default=True,
    help="Uses of a noun, none with 个, before 个 is doubted.",
)
@click.option(
    "--kinship",
    type=click.IntRange(1),
    default=_USUAL.kinship,
    show_default=True,
    help="Nouns that two classifiers must share to be exchangeable: more means more doubts.",
)
@click.option(
    "--rare",
    type=click.FloatRange(0, 1),
    default=_USUAL.rare,
    show_default=True,
    help="A classifier is doubted only if the chooser gives it at most this probability.",
)
@click.option(
    "--never",
    type=click.FloatRange(0, 1),
    default=_USUAL.never,
    show_default=True,
    help="A trained chooser doubts by itself what it gives at most this probability …",
)
@click.option(
    "--clear",
    type=click.FloatRange(0, 1),
    default=_USUAL.clear,
    show_default=True,
    help="… where its own first choice has at least this one.",
)
@click.option(
    "--sure",
    type=click.FloatRange(0, 1),
    default=_USUAL.sure,
    show_default=True,
    help="Classifiers with this probability or more are suggested first.",
)
@click.option("--tagger", default="lac", show_default=True, metavar="TAGGER", help="Who finds the words: lac, spacy:….")
@click.option("--out", type=click.Path(path_type=Path), help="Write a table: *.csv, *.tsv, *.jsonl or *.parquet.")
@sentence_options
@json_option
def proofread(
    texts: tuple[str, ...],
    tagger: str,
    out: Path | None,
    file: Path | None,
    model: str | None,
    form: Form | None,
    column: str | None,
    table: TableOptions,
    language: Language,
    plugin: str | None,
    as_json: bool,
    **thresholds: Any,
) -> int:
    """Find missing and doubtful classifiers in each TEXT and suggest better ones; "-" reads from standard input.

    Only what is very probably wrong is told: many mistakes are passed over. Offsets are bytes of the line. Lines that
    cannot be read are told, the others are read, and the exit code is 2.

    \b
    Example:
      hengliang classifiers proofread "我买了三书，他有一辆桌子。"
      hengliang classifiers proofread --file essay.txt --language zh
      cat essay.txt | hengliang classifiers proofread - --json
    """
    check_out(out)
    asked = Thresholds(**thresholds)
    batches = given_sentences(texts, file, form, column, table, _EXAMPLE)
    first = next(batches)
    reader = Proofreader(opened_chooser(model, plugin), asked, tagger)
    found: list[tuple[Correction, str]] = []
    problems: list[tuple[int, str]] = []
    slots = sentences = 0
    for batch in chain([first], batches):
        problems += [(given.line, given.problem) for given in batch if given.problem not in _NO_PROBLEM]
        read = reader.read([given.text for given in batch])
        problems += [(batch[number - 1].line, problem) for number, problem in read.problems]
        slots, sentences = slots + read.slots, sentences + read.sentences
        for one in read.corrections:
            given = batch[one.text - 1]
            placed = one.on_line(given.line)
            found.append((placed, given.text))
            if out is None and not as_json:
                click.echo(draw_correction(placed, given.text, language))
    corrections = [one for one, _ in found]
    if out is not None:
        write_rows(out, [_row(one, text) for one, text in found], _SCHEMA)
    if as_json:
        echo_json(
            corrections=[one.to_json() for one in corrections],
            problems=[{"line": line, "problem": problem} for line, problem in problems],
            sentences=sentences,
            classifiers=slots,
            model=reader.chooser.name,
            signature=str(reader.chooser.signature()),
        )
    else:
        click.echo(draw_summary(corrections, slots, sentences, language) + (f"\n{out}" if out is not None else ""))
    return tell_problems(problems, "line" if file is not None or texts == ("-",) else "text")


def _row(one: Correction, text: str) -> dict[str, Any]:
    best = one.suggestions[0] if one.suggestions else None
    return {
        "line": one.text,
        "start": one.start,
        "end": one.end,
        "fault": one.fault,
        "written": one.written,
        "noun": one.noun,
        "suggestion": best.classifier if best else None,
        "probability": best.probability if best else None,
        "others": " ".join(other.classifier for other in one.suggestions[1:]),
        "probability_written": one.probability,
        "reason": one.reason.en,
        "reason_zh": one.reason.zh,
        "text": text,
    }
