"""Which options do the commands about taggers share, and what do they all tell after a run?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import click
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.terms import Language, both
from hengliang.corpora import catalogue as sources
from hengliang.corpora.parts import Part
from hengliang.materials.tagged_sentences import corpus_name
from hengliang.materials.tagging_items import TaggingItems, open_set, tagging_items
from hengliang.study.study import Run, Study
from hengliang.tagger_runs import failures, unmapped_tags, unmet_tags

several_taggers = click.option(
    "--tagger",
    "-t",
    "names",
    multiple=True,
    metavar="TAGGER",
    help="rjieba, jieba, lac, thulac, snownlp, jiagu, crf:MODEL, hf:FOLDER, program:COMMAND, one of your own; may be "
    "repeated. `hengliang taggers list` shows them all.",
)
tags_option = click.option(
    "--tags", default="pku", show_default=True, metavar="TAGS", help="The tags to map to: pku, ud or ctb."
)
maps_option = click.option(
    "--map",
    "maps",
    multiple=True,
    metavar="TAGGER=MAP",
    help="Map a tagger's tags by this map or file, as program=my-tags.tsv; may be repeated [default: its own].",
)
corpora_option = click.option(
    "--corpus",
    "corpora",
    multiple=True,
    default=(sources.DEFAULT_CORPUS,),
    show_default=True,
    metavar="CORPUS",
    help="Where the sentences stand of a set that holds references only; may be repeated.",
)
time_limit_option = click.option(
    "--time-limit",
    "seconds",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Run each tagger in a process of its own; a sentence that takes longer counts as failed, the rest goes on.",
)
tagger_plugin_option = click.option(
    "--plugin", metavar="FILE.py", help="Load this Python file first: it registers the tagger."
)


def maps_of(values: Sequence[str]) -> dict[str, str]:
    """Return the map that is named for each tagger; what follows a colon in a tagger's reference need not be said."""
    found = dict(value.rpartition("=")[::2] for value in values)
    wrong = next((value for value in values if not all(value.rpartition("=")[::2])), None)
    if wrong is not None:
        raise UserError(f"'{wrong}' names no tag map.", valid="TAGGER=MAP, as program=my-tags.tsv or lac=lac.")
    return found


def asked_items(test_set: str, corpora: Sequence[str], parts: Sequence[Part] = ()) -> TaggingItems:
    """Return the items of a test set, or of these parts of it; where its sentences are must be known."""
    found = open_set(test_set, corpora[0])
    bare = found.entries.filter(pl.col("content").is_null())["corpus"].unique().sort().to_list()
    absent = [name for name in bare if name not in {corpus_name(corpus) for corpus in corpora}]
    if absent:
        raise UserError(
            f"{test_set} holds no sentences, only where they stand in the corpus {absent[0]}.",
            remedy=f"Say where that is: --corpus {absent[0]}.txt, or write the set with its sentences: "
            "hengliang taggers build --text",
        )
    return tagging_items(found.of_parts(parts) if parts else test_set, corpora)


def tell_failures(run: Run, language: Language) -> None:
    """Tell on standard error on how many sentences each tagger failed, and why, and which tags do not meet."""
    for line in chain(failures(run), unmapped_tags(run), unmet_tags(run)):
        click.echo(line[language], err=True)


def tell_notes(study: Study, language: Language) -> None:
    """Tell what a reader of the numbers must know, as that a tagger was trained on these sentences."""
    for note in study.notes:
        click.echo(both(note)[language])


def notes_json(study: Study) -> list[dict[str, str]]:
    """Return the same for programs, in both languages."""
    return [both(note).to_json() for note in study.notes]
