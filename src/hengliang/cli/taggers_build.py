"""Which test set follows from what was mined and reviewed, asked from the command line?"""

from __future__ import annotations

from pathlib import Path

import click

from hengliang.core.commands.options import echo_json, json_option, table_options
from hengliang.core.errors import UserError
from hengliang.core.io.delimited import TableOptions
from hengliang.core.io.files import read_table
from hengliang.corpora import catalogue as sources
from hengliang.materials.tagged_sentences import TaggedSentences, tagged_sentences
from hengliang.materials.tagging_review import read_review, review_file
from hengliang.materials.tagging_set_building import MOST, build_set, grow_set
from hengliang.materials.tagging_set_files import write_listing, write_set
from hengliang.materials.tagging_sets import TaggingSet
from hengliang.measures.error_mining import common_words
from hengliang.tagger_runs import INSTANCES, REVIEW, mined_material


@click.command()
@click.option(
    "--run",
    type=click.Path(path_type=Path),
    default=Path("runs/tagger-mining"),
    show_default=True,
    help="The folder of `hengliang taggers mine`.",
)
@click.option(
    "--review", metavar="FILE", help="The reviewed file, or default, which is ours [default: review.tsv of the run]."
)
@click.option("--grow", metavar="CORPUS", help="Add sentences for the same words from this tagged corpus.")
@click.option("--votes", type=click.IntRange(1), default=1, show_default=True, help="Words that so many taggers miss.")
@click.option("--words", type=click.IntRange(1), help="At most so many words a pair, those missed most [default: all].")
@click.option("--most", type=click.IntRange(1), default=MOST, show_default=True, help="So many sentences a word.")
@click.option("--seed", type=int, default=1, show_default=True, help="The seed of the draw of sentences.")
@click.option("--name", default="tagging-set", show_default=True, help="What the set is called.")
@click.option("--text/--references", default=False, help="Write the sentences too, or only where they stand.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("tagging-set.tsv"),
    show_default=True,
    help="The file: .tsv in our format, .txt in the format of the published set (with its sentences).",
)
@table_options("header", "sheet")
@json_option
def build(
    run: Path,
    review: str | None,
    grow: str | None,
    votes: int,
    words: int | None,
    most: int,
    seed: int,
    name: str,
    text: bool,
    out: Path,
    table: TableOptions,
    as_json: bool,
) -> None:
    """Build a test set: the error pairs that the review keeps, their words, and one to five sentences a word.

    \b
    Example:
      hengliang taggers build --run runs/mining --out my-set.tsv
      hengliang taggers build --run runs/mining --grow other-corpus.txt --text --out my-set.txt
    """
    if out.suffix not in {".tsv", ".txt"}:
        raise UserError(f"{out} cannot be written.", valid="The name ends in .tsv (ours) or .txt (as published).")
    asked = mined_material(run)
    instances = common_words(read_table(run / INSTANCES), votes, words)
    decided = read_review(review_file(review) if review is not None else run / REVIEW, table=table)
    found = build_set(instances, decided, asked, most=most, seed=seed, name=name)
    if grow is not None:
        found = grow_set(found, tagged_sentences(grow), most=most, seed=seed)
    _write(out, found, text=text)
    held = found.summary()
    if as_json:
        echo_json(
            items=held.items,
            words=held.words,
            entries=held.entries,
            sentences=held.sentences,
            signature=str(found.signature()),
        )
        return
    click.echo(f"{held.items:,} items, {held.words:,} words, {held.entries:,} entries in {held.sentences:,} sentences")
    click.echo(
        f"Put a tagger to it: hengliang taggers test --set {out}{_corpora(asked, grow, out, text=text)} --tagger lac"
    )
    click.echo(out)


def _corpora(asked: TaggedSentences, grow: str | None, out: Path, *, text: bool) -> str:
    """Return the options that say where the sentences stand, when the set holds references to other corpora."""
    named = [str(asked.corpus), *([grow] if grow is not None else [])]
    if text or out.suffix == ".txt" or named == [sources.DEFAULT_CORPUS]:
        return ""
    return "".join(f" --corpus {name}" for name in named)


def _write(out: Path, found: TaggingSet, *, text: bool) -> None:
    if out.suffix == ".txt":
        write_listing(out, found)
    else:
        write_set(out, found, text=text)
