"""How is a language model trained from the command line?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from hengliang.core.commands.options import echo_json, json_option, quiet_option
from hengliang.core.learning import read_card
from hengliang.core.progress import Silent, long_watcher
from hengliang.corpora.catalogue import DEFAULT_CORPUS
from hengliang.corpora.running_text import LONGEST
from hengliang.systems.language_models.recipes import SIZES, USUAL, Recipe
from hengliang.systems.language_models.recipes import train as train_recipe

_SIZES = "; ".join(f"{kind}: {', '.join(sizes)} (usually {USUAL[kind]})" for kind, sizes in SIZES.items())


@click.command()
@click.argument("kind", metavar="KIND")
@click.option("--data", default=DEFAULT_CORPUS, show_default=True, help="A source of the catalogue, or a text file.")
@click.option("--size", default="", help=f"How large, for n-grams the order. {_SIZES}.")
@click.option("--seed", default=1, show_default=True, help="The seed of everything that is drawn.")
@click.option("--out", type=click.Path(path_type=Path), help="The folder of the model; by default in the store.")
@click.option("--segmenter", default="rjieba", show_default=True, help="Finds the words of raw text.")
@click.option("--longest", default=LONGEST, show_default=True, help="Sentences of more words are left out.")
@click.option(
    "--preprocess", default="", help="What the model sees of a text: sp, rne:RECOGNISER, pos:TAGGER, classes:N, or sp+…"
)
@click.option(
    "--sentences", type=click.IntRange(0), default=0, help="Learn from the first so many sentences only; 0 means all."
)
@click.option(
    "--trees", default="", help="Which trees rnng and plm learn from: given (the default), right-branching or shuffled."
)
@click.option(
    "--epochs",
    type=click.IntRange(0),
    default=0,
    help="How often at most a network goes through the text; 0: as usual.",
)
@quiet_option
@json_option
def train(
    kind: str,
    data: str,
    size: str,
    seed: int,
    out: Path | None,
    segmenter: str,
    longest: int,
    preprocess: str,
    sentences: int,
    trees: str,
    epochs: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Train a language model: KIND is ngram, lstm, transformer, masked, rnng or plm.

    The last two model sentences together with their trees: those of a treebank (sinica-treebank, brackets, CoNLL-U), or
    derived from a tagged corpus by cascaded chunking, as for the default corpus.

    The corpus is split into train, dev and test by contiguous blocks. A training that was interrupted goes on when the
    same command is given again; one that is finished is only shown.

    \b
    Example:
      hengliang lm train ngram --size 5
      hengliang lm train lstm --data my-novel.txt --seed 2 --out models/novel
      hengliang lm train ngram --size 4 --preprocess rne:lac
      hengliang lm train rnng --seed 2
      hengliang lm train plm --data my-treebank.mrg --trees right-branching
    """
    recipe = Recipe(kind, size, seed, data, segmenter, longest, preprocess, sentences, trees, epochs)  # type: ignore[arg-type]  # settled()
    folder = train_recipe(recipe, out, Silent() if quiet else long_watcher())
    card = read_card(folder)
    if as_json:
        echo_json(folder=str(folder), card=dict(card))
        return
    click.echo(f"{folder}")
    for line in card_lines(card):
        click.echo(f"  {line}")


def card_lines(card: Mapping[str, Any]) -> list[str]:
    """Return what a user wants to know first of a model that was just trained."""
    lines = [f"{card['kind']} {card['size']}, trained on {card['data']} ({card['words']['train']:,} words)"]
    lines.append(f"vocabulary {card['vocabulary']:,}, {card['training_seconds']:.1f} s of training")
    for part, found in card.get("perplexity", {}).items():
        values = ", ".join(f"{name.replace('_', ' ')} {value:,.4g}" for name, value in found.items())
        lines.append(f"{part}: {values}")
    for part, found in card.get("parsing", {}).items():
        values = ", ".join(f"{name.replace('_', ' ')} {value:,.4g}" for name, value in found.items())
        lines.append(f"{part}, best trees: {values}")
    return lines
