"""Sentences that a command is given: as arguments, in a file, or from standard input."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from hengliang.core.errors import UserError
from hengliang.core.io.delimited import TableOptions
from hengliang.corpora.sentence_files import STANDARD_INPUT, Form, RowChunk, SentenceReading

NOUN_COLUMN = "noun"
_SHOWN_PROBLEMS = 10


class GivenSentence(NamedTuple):
    """A sentence with the number of its line; `noun` is what a column of the file says, `problem` why it is not one."""

    line: int
    text: str
    noun: str = ""
    problem: str = ""


def given_sentences(
    arguments: Sequence[str],
    file: Path | None,
    form: Form | None,
    column: str | None,
    table: TableOptions,
    example: str,
) -> Iterator[list[GivenSentence]]:
    """Yield the sentences in batches; "-" as the only argument, or as the file, is standard input."""
    if bool(arguments) == (file is not None):
        problem = "No sentence was given." if file is None else "Sentences were given both as arguments and in a file."
        raise UserError(problem, valid="Give sentences, --file FILE, or - for standard input.", remedy=example)
    if file is None and tuple(arguments) != (STANDARD_INPUT,):
        yield [GivenSentence(number, text) for number, text in enumerate(arguments, 1)]
        return
    path = STANDARD_INPUT if file is None else file
    for chunk in SentenceReading(path, form=form, column=column, table=table):
        yield _sentences(chunk)


def _sentences(chunk: RowChunk) -> list[GivenSentence]:
    read = chunk.sentences()
    sentences = []
    for row, (number, text) in enumerate(zip(read.numbers.tolist(), read.texts.to_list(), strict=True)):
        problem = read.problems.get(row, "")
        noun = "" if problem else _noun(chunk, chunk.rows[row])
        sentences.append(GivenSentence(number, text, noun, problem))
    return sentences


def _noun(chunk: RowChunk, row: bytes) -> str:
    """Return what the column `noun` of a table, or the key of a JSON object, says."""
    layout = chunk.layout
    if layout.form == "txt":
        return ""
    text = row.decode(layout.encoding)
    if layout.form == "jsonl":
        noun = json.loads(text).get(NOUN_COLUMN)
        return noun.strip() if isinstance(noun, str) else ""
    if NOUN_COLUMN not in layout.fields:
        return ""
    return layout.cells(text)[layout.fields.index(NOUN_COLUMN)].strip()


def tell_problems(problems: Sequence[tuple[int, str]], what: str = "line") -> int:
    """Tell which lines have no answer, and return the exit code: 2 if there are any."""
    if problems:
        listed = "".join(f"\n  {what} {line}: {problem}" for line, problem in problems[:_SHOWN_PROBLEMS])
        more = f"\n  … and {len(problems) - _SHOWN_PROBLEMS:,} more" if len(problems) > _SHOWN_PROBLEMS else ""
        has = f"{what} has" if len(problems) == 1 else f"{what}s have"
        click.echo(f"hengliang: {len(problems):,} {has} no answer:{listed}{more}", err=True)
    return 2 if problems else 0
