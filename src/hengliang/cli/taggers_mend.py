"""Which training sentences would help a tagger where it does worst, asked from the command line?"""

from __future__ import annotations

from pathlib import Path

import click
import polars as pl

from hengliang.cli.tagger_options import (
    asked_items,
    corpora_option,
    maps_of,
    maps_option,
    notes_json,
    tagger_plugin_option,
    tags_option,
    tell_failures,
    tell_notes,
    time_limit_option,
)
from hengliang.core.commands.options import echo_json, json_option, language_option, quiet_option, watcher
from hengliang.core.io.files import write_text
from hengliang.core.registry import load_file
from hengliang.core.terms import Bilingual, Language
from hengliang.corpora import catalogue as sources
from hengliang.corpora.parts import PARTS, Part
from hengliang.materials.error_pairs import error_pair
from hengliang.materials.tagged_sentences import tagged_sentences
from hengliang.materials.tagging_items import DEFAULT_SET
from hengliang.materials.targeted_sentences import PER_WORD, targeted_sentences
from hengliang.tagger_runs import diagnosis_study, missed_words, opened_taggers, worst_pairs

_NOTHING = Bilingual(
    "It gets all of these error pairs right: there is nothing to mend.", "这些错误对全部标对，无须改进。"
)


@click.command()
@click.option("--tagger", "-t", "name", default="crf", show_default=True, metavar="TAGGER", help="Who is to be mended.")
@click.option("--set", "test_set", default=DEFAULT_SET, show_default=True, metavar="SET", help="The test set.")
@corpora_option
@click.option(
    "--part",
    "parts",
    multiple=True,
    type=click.Choice(PARTS),
    default=("dev",),
    show_default=True,
    help="Diagnose on the sentences of this part only, so that the others can tell what mending gained.",
)
@click.option("--worst", type=click.IntRange(1), default=10, show_default=True, help="Mend so many error pairs.")
@click.option("--least", type=click.IntRange(1), default=5, show_default=True, help="Of those with so many sentences.")
@click.option(
    "--per-word", type=click.IntRange(1), default=PER_WORD, show_default=True, help="Sentences a word and kind."
)
@click.option("--no-contrast", is_flag=True, help="Leave out sentences in which the tagger's answer would be right.")
@click.option(
    "--pool", default=sources.DEFAULT_CORPUS, show_default=True, metavar="CORPUS", help="Look in this corpus."
)
@click.option("--pool-part", "pool_parts", multiple=True, type=click.Choice(PARTS), help="Look in this part only.")
@click.option("--seed", type=int, default=1, show_default=True, help="The seed of the draw of sentences.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write the sentences with their words and tags, a line each, to learn from.",
)
@click.option(
    "--run",
    type=click.Path(path_type=Path),
    default=Path("runs/tagger-mending"),
    show_default=True,
    help="Folder of the run.",
)
@tags_option
@maps_option
@time_limit_option
@tagger_plugin_option
@quiet_option
@language_option
@json_option
def mend(
    name: str,
    test_set: str,
    corpora: tuple[str, ...],
    parts: tuple[Part, ...],
    worst: int,
    least: int,
    per_word: int,
    no_contrast: bool,
    pool: str,
    pool_parts: tuple[Part, ...],
    seed: int,
    out: Path | None,
    run: Path,
    tags: str,
    maps: tuple[str, ...],
    seconds: float | None,
    plugin: str | None,
    quiet: bool,
    language: Language,
    as_json: bool,
) -> None:
    """List the training sentences that would teach a tagger the error pairs where it does worst.

    The tagger is put to the test set first. For every word that it misses in its worst pairs, sentences of the pool
    are listed in which the word has the tags it should have, and as many in which it rightly has the tags it was given.
    None of them is near a sentence of the test set.

    \b
    Example:
      hengliang taggers mend --tagger crf --worst 10 --out more.txt
      hengliang taggers train --name mended --added more.txt
      hengliang taggers compare --tagger crf --tagger crf:mended
    """
    if plugin is not None:
        load_file(plugin)
    whole, material = asked_items(test_set, corpora), asked_items(test_set, corpora, parts)
    study = diagnosis_study(opened_taggers([name], tags, seconds, maps_of(maps)), material, name="tagger mending")
    found = study.run(run, watcher=watcher(quiet), option="--run")
    tell_failures(found, language)
    pairs = worst_pairs(found, worst, least)
    chosen: tuple[Part, ...] = pool_parts or (("train",) if pool == sources.DEFAULT_CORPUS else ())
    sentences = tagged_sentences(pool, chosen).items()
    places = targeted_sentences(
        missed_words(found, pairs["pair"].to_list()),
        sentences,
        avoid=whole.items()["content"].to_list(),
        per_word=per_word,
        contrast=not no_contrast,
        seed=seed,
    )
    if out is not None:
        _write(out, sentences, places)
    if as_json:
        echo_json(pairs=pairs.to_dicts(), sentences=places.to_dicts(), notes=notes_json(study))
        return
    _print(pairs, places, language)
    tell_notes(study, language)
    if out is not None:
        click.echo(out)


def _write(out: Path, sentences: pl.DataFrame, places: pl.DataFrame) -> None:
    """Write the sentences that were found, each once, in the order of the corpus."""
    lines = sentences.join(places.select(id="item").unique(), on="id", how="semi", maintain_order="left")["gold"]
    write_text(out, "".join(f"{line}\n" for line in lines.to_list()))


def _print(pairs: pl.DataFrame, places: pl.DataFrame, language: Language) -> None:
    if not pairs.height:
        click.echo(_NOTHING[language])
        return
    for row in pairs.iter_rows(named=True):
        held = places.filter(places["pair"] == row["pair"])
        right = held.filter(held["kind"] == "right").height
        click.echo(_line(row["pair"], row["score"], held["word"].n_unique(), (right, held.height - right), language))
    count = f"{places['item'].n_unique():,}"
    click.echo(f"{count} sentences in all" if language == "en" else f"共 {count} 句")


def _line(name: str, score: float, words: int, uses: tuple[int, int], language: Language) -> str:
    head = f"{error_pair(name)!s:<18} D {score:5.1f}  "
    if language == "en":
        return f"{head}{words:,} word{'s' * (words != 1)}, {uses[0]:,} right and {uses[1]:,} contrasting uses"
    return f"{head}{words:,} 个词例，正例 {uses[0]:,} 处，对比例 {uses[1]:,} 处"
