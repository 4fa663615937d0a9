"""Which options do `score` and `filter` share, and what do they ask for?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from hengliang.core.commands.options import engine_of, engine_option, quiet_option, scheduler_option, table_options
from hengliang.core.engine.mapping import Engine
from hengliang.core.errors import UserError
from hengliang.core.io.delimited import TableOptions
from hengliang.core.progress import Lines, Silent, Watcher, long_watcher, usual_watcher
from hengliang.core.registry import load_file
from hengliang.core.text.segmentation import SPACED
from hengliang.corpora.sentence_files import LONGEST, Form, SentenceReading
from hengliang.language_models.base import LanguageModel
from hengliang.language_models.cli import fold_option, ready_segmenter, segmenter_option, tell
from hengliang.language_models.manner import Reading, as_written, script_warning
from hengliang.language_models.opening import model as open_model
from hengliang.language_models.preprocessing.model import CoarseModel, model_through, steps_of
from hengliang.measures.acceptability import End, Length
from hengliang.measures.scored_sentences import (
    MEASURES,
    SPACE_WITHIN,
    SentenceScorer,
    Spaces,
    spaces_warning,
    usual_batch,
)

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--rne", metavar="RECOGNISER", help="See entities by their types, as found by lac, spacy, …."),
    click.option("--preprocess", metavar="STEPS", help="See the text through steps: sp, pos:lac, classes:100, …."),
    click.option("--unigrams", metavar="CORPUS", help="For hf: models: a text file, a corpus, or counts (.parquet)."),
    segmenter_option,
    fold_option,
    click.option(
        "--spaces",
        type=click.Choice(get_args(Spaces)),
        default="words",
        show_default=True,
        help="White space within a line of Chinese parts its words, or says nothing.",
    ),
    click.option(
        "--end",
        type=click.Choice(get_args(End)),
        default="included",
        show_default=True,
        help="Whether the end of a sentence counts.",
    ),
    click.option(
        "--length",
        type=click.Choice(get_args(Length)),
        default="seen",
        show_default=True,
        help="|S| in words as the model sees them (an entity is one), in its units, or in words as written.",
    ),
    click.option("--column", metavar="NAME", help="The column or JSON key of the sentence; else sentence or text."),
    click.option("--id", "id_column", metavar="NAME", help="The column or JSON key of its id; else the row's number."),
    click.option("--format", "form", type=click.Choice(get_args(Form)), help="What FILE is; else its name tells."),
    table_options("errors"),
    click.option(
        "--longest",
        type=click.IntRange(1),
        default=LONGEST,
        show_default=True,
        help="A line of more characters is no sentence.",
    ),
    click.option("--batch", type=click.IntRange(1), help="Rows that the model gets at a time."),
    click.option("--any-script", is_flag=True, help="Score the text even if the model has not read its script."),
    click.option(
        "--file", "plugin", metavar="FILE.py", help="Load this Python file first: it registers a model or recogniser."
    ),
    engine_option,
    scheduler_option,
    quiet_option,
)

MODEL_HELP = "A name of `hengliang models list`, a folder, hf:PATH, arpa:FILE, kenlm:FILE or a plug-in"
MEASURE_HELP = f"One of: {', '.join(MEASURES)}"


def scoring_options(command: Command) -> Command:
    """Give a command the options that say how sentences are read and scored."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Asked:
    """What the shared options ask for."""

    rne: str | None
    preprocess: str | None
    unigrams: str | None
    segmenter: str
    fold: bool
    spaces: Spaces
    end: End
    length: Length
    column: str | None
    id_column: str | None
    form: Form | None
    table: TableOptions
    longest: int
    batch: int | None
    any_script: bool
    plugin: str | None
    engine: str
    scheduler: str | None
    quiet: bool

    def opened(self, reference: str) -> LanguageModel:
        """Return the model, seen through the steps that are asked for; say so if it sees them differently by now."""
        if self.plugin is not None:
            load_file(self.plugin)
        held = self._opened(reference)
        held = held if self.fold else as_written(held)
        if isinstance(held, CoarseModel):
            warn(held.changed_view())
        return held

    def _opened(self, reference: str) -> LanguageModel:
        steps = steps_of(self.preprocess or "", self.rne or "")
        watcher: Watcher = Silent() if self.quiet else long_watcher()
        if steps and self.unigrams:
            raise UserError(
                "--unigrams does not go with --rne or --preprocess.",
                valid="Models that see symbols are models of words, and have unigrams of their own.",
            )
        if steps:
            return model_through(reference, steps, watcher)
        if self.unigrams:
            from hengliang.language_models.huggingface.unigram_counts import model_with_unigrams

            return model_with_unigrams(reference, self.unigrams, watcher, fold=self.fold)
        return open_model(reference)

    def reading(self) -> dict[str, Any]:
        """Return how the file is to be read, as arguments of `SentenceReading`."""
        return {name: getattr(self, name) for name in ("form", "column", "id_column", "table", "longest")}

    def rows(self, file: Path) -> SentenceReading:
        """Open the file; what is wrong with it is told before a model is opened, which may take long."""
        return SentenceReading(file, **self.reading())

    def map_engine(self) -> Engine:
        """Return where the work is done."""
        return engine_of(self.engine, self.scheduler)

    def watcher(self) -> Watcher:
        """Return who watches the work; that a worker has died is told even where nobody sees a bar."""
        seen = usual_watcher()
        return Lines("hengliang") if self.quiet or isinstance(seen, Silent) else seen

    def ready(self, rows: SentenceReading, model: LanguageModel, name: str) -> SentenceReading:
        """Give the model's batches to a reading; refuse a text in a script that the model has not read."""
        rows.batch = self.batch or usual_batch(model)
        lines = rows.peek().sentences().texts
        message = script_warning(getattr(model, "model", model), name, lines.to_list())
        if message and not self.any_script:
            raise UserError(message, remedy="To score it as it is: --any-script")
        warn(message)
        segmenter = self.segmenter or model.conventions().segmenter
        if self.spaces == "words" and segmenter not in SPACED:
            warn(spaces_warning(lines, rows.name))
        if self.spaces == "ignored" or segmenter in SPACED or not lines.str.contains(SPACE_WITHIN).all():
            ready_segmenter(model, name, self.segmenter, self.quiet)
        return rows


def tell_of_manner(reading: Reading, scorer: SentenceScorer) -> None:
    """Tell how many sentences were cut into words and how many characters folded, if any."""
    tell(reading.told(scorer.cutter, scorer.model.conventions().widths))


def warn(message: str) -> None:
    """Tell the user something on the error stream."""
    if message:
        click.echo(f"hengliang: warning: {message}", err=True)


def warn_of_unknown(unknown: int, words: int, model: str) -> None:
    """Tell that the model does not know most of what it was given."""
    if 2 * unknown > words:
        warn(
            f"{model} does not know {unknown:,} of the {words:,} words: the scores say little. "
            "Is the text in the language and the script that the model has read, and the --encoding right?"
        )


def warn_of_rows(unscored: int, problems: tuple[str, ...], grown: int, name: str) -> None:
    """Tell which rows have no score, and that the file has grown."""
    if unscored:
        shown = "".join(f"\n  {problem}" for problem in problems)
        more = f"\n  … and {unscored - len(problems):,} more" if unscored > len(problems) else ""
        warn(f"{unscored:,} {'sentence has' if unscored == 1 else 'sentences have'} no score:{shown}{more}")
    if grown > 0:
        warn(f"{name} grew by {grown:,} bytes while it was read; what was added is not scored.")
