"""Which words and tags does a tagger give to these sentences, asked from the command line?"""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any, get_args

import click
import polars as pl

from hengliang.cli.tagger_options import maps_of, maps_option, tagger_plugin_option, tags_option, time_limit_option
from hengliang.core.commands.options import echo_json, json_option, table_options
from hengliang.core.commands.row_files import check_out, write_rows
from hengliang.core.io.delimited import TableOptions
from hengliang.core.labelling.remembered import remembered_tags
from hengliang.core.labelling.spans import LabelledSpans
from hengliang.core.labelling.taggers import Tagger
from hengliang.core.labelling.taggers import tagger as own_tags
from hengliang.core.registry import load_file
from hengliang.core.text.characters import slices
from hengliang.corpora.given_sentences import GivenSentence, given_sentences, tell_problems
from hengliang.corpora.sentence_files import Form
from hengliang.materials.tagged_sentences import gold_text
from hengliang.systems.taggers.sheltered import sheltered
from hengliang.tagger_runs import opened_taggers

_EXAMPLE = 'Example: hengliang taggers tag "他就此打住了。" --tagger lac'
_SCHEMA: dict[str, pl.DataType] = {
    "line": pl.Int64(),
    "sentence": pl.String(),
    "tagged": pl.String(),
    "problem": pl.String(),
}


@click.command()
@click.argument("sentences", nargs=-1, metavar="[SENTENCE]...")
@click.option("--tagger", "-t", "name", default="lac", show_default=True, metavar="TAGGER", help="Who tags.")
@click.option("--own-tags", is_flag=True, help="Show the tagger's own tags instead of mapping them.")
@tags_option
@maps_option
@time_limit_option
@click.option("--file", type=click.Path(path_type=Path), help="Read sentences from this file, one a line or row.")
@click.option("--format", "form", type=click.Choice(get_args(Form)), help="What the file is; else its name tells.")
@click.option("--column", metavar="NAME", help="The column or JSON key of the sentence; else sentence or text.")
@table_options("errors")
@click.option("--out", type=click.Path(path_type=Path), help="Write a table: *.csv, *.tsv, *.jsonl or *.parquet.")
@tagger_plugin_option
@json_option
def tag(
    sentences: tuple[str, ...],
    name: str,
    own_tags: bool,
    tags: str,
    maps: tuple[str, ...],
    seconds: float | None,
    file: Path | None,
    form: Form | None,
    column: str | None,
    table: TableOptions,
    out: Path | None,
    plugin: str | None,
    as_json: bool,
) -> int:
    """Cut SENTENCEs into words and tag them; "-" reads from standard input.

    A sentence that the tagger cannot work on is told, the others are tagged, and the exit code is 2.

    \b
    Example:
      hengliang taggers tag "他就此打住了。" --tagger lac
      hengliang taggers tag --file sentences.txt --tagger thulac --out tagged.tsv
    """
    check_out(out)
    if plugin is not None:
        load_file(plugin)
    batches = given_sentences(sentences, file, form, column, table, _EXAMPLE)
    first = next(batches)
    tagger = _opened(name, tags, seconds, maps, own=own_tags)
    rows: list[dict[str, Any]] = []
    problems: list[tuple[int, str]] = []
    for batch in chain([first], batches):
        found = _tagged(tagger, batch)
        problems += [(row["line"], row["problem"]) for row in found if row["problem"]]
        if out is None and not as_json:
            for row in found:
                click.echo(row["tagged"])
        else:
            rows += found
    if out is not None:
        write_rows(out, rows, _SCHEMA)
        if not as_json:
            click.echo(f"{len(rows) - len(problems):,} sentences tagged.\n{out}")
    if as_json:
        echo_json(sentences=rows, tagger=tagger.name, tags="own" if own_tags else tags)
    return tell_problems(problems)


def _opened(name: str, tags: str, seconds: float | None, maps: tuple[str, ...], *, own: bool) -> Tagger:
    if not own:
        return opened_taggers([name], tags, seconds, maps_of(maps))[0]
    return own_tags(name) if seconds is None else sheltered(own_tags(name), seconds)


def _tagged(tagger: Tagger, batch: list[GivenSentence]) -> list[dict[str, Any]]:
    texts = [given.text for given in batch if not given.problem]
    answers = iter(_lines(remembered_tags(tagger, texts, checked=True), texts))
    rows = []
    for given in batch:
        tagged, problem = ("", given.problem) if given.problem else next(answers)
        rows.append({"line": given.line, "sentence": given.text, "tagged": tagged, "problem": problem})
    return rows


def _lines(found: LabelledSpans, texts: list[str]) -> list[tuple[str, str]]:
    lines = []
    for row, text in enumerate(texts):
        spans = found.of(row)
        words = [word.strip() for word in slices(text, [(start, end) for start, end, _ in spans])]
        lines.append((gold_text(words, [label for _, _, label in spans]), found.problems[row]))
    return lines
