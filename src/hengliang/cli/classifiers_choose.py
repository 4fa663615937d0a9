"""Which classifier goes here, asked from the command line?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar, get_args

import click
import polars as pl
from rich.console import Console

from hengliang.core.commands.options import echo_json, json_option, table_options
from hengliang.core.commands.row_files import check_out, write_rows
from hengliang.core.errors import UserError
from hengliang.core.io.delimited import TableOptions
from hengliang.core.registry import load_file
from hengliang.core.terms import LANGUAGES, Language
from hengliang.corpora.given_sentences import GivenSentence, given_sentences, tell_problems
from hengliang.corpora.sentence_files import Form
from hengliang.report.classifier_advice import draw_advice
from hengliang.systems.classifier_choosers.advice import Advice, advise
from hengliang.systems.classifier_choosers.adviser import Adviser
from hengliang.systems.classifier_choosers.base import ClassifierChooser
from hengliang.systems.classifier_choosers.marked_sentences import MarkedLine, read_marked
from hengliang.systems.classifier_choosers.noun_finding import METHODS, Method
from hengliang.systems.classifier_choosers.opening import open_chooser, usual_chooser

Command = TypeVar("Command", bound=Callable[..., Any])

_EXAMPLE = 'Example: hengliang classifiers choose "他牵着一<CL>马走过来"'
_SCHEMA: dict[str, pl.DataType] = {
    "line": pl.Int64(),
    "slot": pl.Int64(),
    "sentence": pl.String(),
    "place": pl.Int64(),
    "noun": pl.String(),
    "noun_found_by": pl.String(),
    "rank": pl.Int64(),
    "classifier": pl.String(),
    "pinyin": pl.String(),
    "probability": pl.Float64(),
    "english": pl.String(),
    "chinese": pl.String(),
    "examples": pl.String(),
    "notes": pl.String(),
    "problem": pl.String(),
}
_SHARED = (
    click.option("--file", type=click.Path(path_type=Path), help="Read sentences from this file, one a line or row."),
    click.option(
        "--model",
        "-m",
        metavar="MODEL",
        help="The chooser: GE, RULE, DICTIONARY, LINEAR, LSTM, BERT, MLM, LM, LM:LANGUAGE-MODEL, a stored one, its "
        "folder, or ADVISER:ONE-OF-THEM [default: a stored BERT, else LINEAR, else RULE; choose asks our lists too].",
    ),
    click.option("--format", "form", type=click.Choice(get_args(Form)), help="What the file is; else its name tells."),
    click.option("--column", metavar="NAME", help="The column or JSON key of the sentence; else sentence or text."),
    table_options("errors"),
    click.option(
        "--language",
        type=click.Choice(LANGUAGES),
        default="en",
        show_default=True,
        help="Language of what is explained.",
    ),
    click.option("--plugin", metavar="FILE.py", help="Load this Python file first: it registers the chooser."),
)


def sentence_options(command: Command) -> Command:
    """Give a command the options that say which sentences it reads and who answers."""
    for option in reversed(_SHARED):
        command = option(command)
    return command


def opened_chooser(model: str | None, plugin: str | None, *, with_lists: bool = False) -> ClassifierChooser:
    """Return the chooser; where none was named, say on the error stream which one answers."""
    if plugin is not None:
        load_file(plugin)
    if model is not None:
        return open_chooser(model)
    name = usual_chooser()
    lists = " together with our lists" if with_lists else ""
    hint = "; a trained one would know more: hengliang classifiers train LINEAR" if name == "RULE" else ""
    click.echo(f"hengliang: {name}{lists} answers{hint}", err=True)
    return Adviser(name) if with_lists else open_chooser(name)


@click.command()
@click.argument("sentences", nargs=-1, metavar="[SENTENCE]...")
@click.option("--noun", metavar="NOUN", help="The noun that is counted; else it is found in the sentence.")
@click.option("--top", type=click.IntRange(1), default=5, show_default=True, help="So many classifiers a slot.")
@click.option("--finder", type=click.Choice(METHODS), help="How nouns are found; else the best that is installed.")
@click.option("--out", type=click.Path(path_type=Path), help="Write a table: *.csv, *.tsv, *.jsonl or *.parquet.")
@sentence_options
@json_option
def choose(
    sentences: tuple[str, ...],
    noun: str | None,
    top: int,
    finder: Method | None,
    out: Path | None,
    file: Path | None,
    model: str | None,
    form: Form | None,
    column: str | None,
    table: TableOptions,
    language: Language,
    plugin: str | None,
    as_json: bool,
) -> int:
    """Rank the classifiers that fit where a SENTENCE is marked with <CL>; "-" reads from standard input.

    Of several marks in a sentence each is answered with the others left open. In a file of plain text the noun may
    stand after a tab; a table may have a column noun. Traditional sentences get traditional classifiers. Lines that
    cannot be answered are told, the others are answered, and the exit code is 2. The same command goes on after a crash
    or Ctrl-C from the last thousand rows that were finished.

    \b
    Example:
      hengliang classifiers choose "他牵着一<CL>马走过来"
      hengliang classifiers choose "桌上有两<CL>看不懂的书" --noun 书 --model RULE --top 3
      hengliang classifiers choose --file sentences.txt --out choices.csv
    """
    check_out(out)
    if noun is not None and not noun.strip():
        raise UserError("The noun is empty.", valid="--noun names what is counted.", remedy="Leave --noun out.")
    batches = given_sentences(sentences, file, form, column, table, _EXAMPLE)
    first = next(batches)
    chooser = opened_chooser(model, plugin, with_lists=True)
    found: list[Advice] = []
    problems: list[tuple[int, str]] = []
    for batch in chain([first], batches):
        lines = [_marked(given, noun) for given in batch]
        problems += [(line.line, line.problem) for line in lines if line.problem]
        advice = advise(lines, chooser, top, finder)
        if out is None and not as_json:
            _show(advice, language, heading=len(first) > 1 or len(advice) > 1 or file is not None)
        else:
            found += advice
    if out is not None:
        write_rows(out, _rows(found, problems), _SCHEMA)
        if not as_json:
            click.echo(f"{len(found):,} slots answered.\n{out}")
    if as_json:
        echo_json(
            choices=[one.to_json() for one in found],
            problems=[{"line": line, "problem": problem} for line, problem in problems],
            model=chooser.name,
            signature=str(chooser.signature()),
        )
    return tell_problems(problems, "line" if file is not None or sentences == ("-",) else "sentence")


def _marked(given: GivenSentence, noun: str | None) -> MarkedLine:
    if given.problem:
        return MarkedLine(given.line, given.text, problem=given.problem)
    return read_marked(given.text, given.line, noun if noun is not None else given.noun or None)


def _show(advice: Sequence[Advice], language: Language, *, heading: bool) -> None:
    width = Console().width
    for one in advice:
        click.echo(draw_advice(one, language, width=width, heading=heading))
        if heading:
            click.echo()


def _rows(found: Sequence[Advice], problems: Sequence[tuple[int, str]]) -> list[dict[str, Any]]:
    """Return one row a classifier, and one a line that has no answer, in the order of the lines."""
    rows: list[dict[str, Any]] = [{"line": line, "problem": problem} for line, problem in problems]
    for one in found:
        slot = {
            "line": one.line,
            "slot": one.number,
            "sentence": one.sentence,
            "place": one.slot,
            "noun": one.noun.noun,
            "noun_found_by": one.noun.how,
            "notes": "; ".join(note.en for note in one.notes),
        }
        rows += [
            {
                **slot,
                "rank": rank,
                "classifier": choice.classifier,
                "pinyin": choice.pinyin,
                "probability": choice.probability,
                "english": choice.counts.en if choice.counts else "",
                "chinese": choice.counts.zh if choice.counts else "",
                "examples": " ".join(choice.nouns),
            }
            for rank, choice in enumerate(one.choices, 1)
        ] or [slot]

    def order(row: dict[str, Any]) -> tuple[int, int, int]:
        return row["line"], row.get("slot") or 0, row.get("rank") or 0

    return sorted(rows, key=order)
