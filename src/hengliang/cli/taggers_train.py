"""How is our own tagger trained from the command line?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import polars as pl

from hengliang.core.commands.options import echo_json, json_option, quiet_option
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.learning import read_card
from hengliang.core.progress import Silent, Watcher, long_watcher
from hengliang.corpora.catalogue import DEFAULT_CORPUS
from hengliang.corpora.parts import PARTS, Part
from hengliang.materials.tagged_sentences import TaggedSentences
from hengliang.systems.taggers.trained.chains import ChainSettings
from hengliang.systems.taggers.trained.training import NAME, TaggerSettings, train_tagger


@click.command()
@click.option("--name", default=NAME, show_default=True, help="The name in the store; the tagger is then crf:NAME.")
@click.option("--data", default=DEFAULT_CORPUS, show_default=True, help="A tagged corpus of the catalogue, or a file.")
@click.option(
    "--parts", default="train", show_default=True, help="The parts of the corpus to learn from, as train+dev, or all."
)
@click.option("--added", multiple=True, metavar="FILE", help="Learn from this tagged file too; may be repeated.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The seed of everything drawn.")
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="passes, penalty, least or algorithm; repeatable."
)
@click.option("--out", type=click.Path(path_type=Path), help="The folder of the tagger; by default in the store.")
@quiet_option
@json_option
def train(
    name: str,
    data: str,
    parts: str,
    added: tuple[str, ...],
    seed: int,
    settings: tuple[str, ...],
    out: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Train the tagger crf on the tagged sentences of a corpus.

    Sentences of the other parts are never learned from, even where they stand in the training part too. Those of dev
    are tagged in the end, and the card holds the scores. An interrupted training goes on; a finished one is only shown.

    \b
    Example:
      hengliang taggers train
      hengliang taggers train --name mended --added more.txt
      hengliang taggers train --data corpus.txt --parts all --set passes=10 --out models/mine
    """
    watcher = Silent() if quiet else long_watcher()
    folder = _trained(out or name, data, _parts(parts), added, seed, _settings(settings), watcher)
    card = read_card(folder)
    if as_json:
        echo_json(models=[{"folder": str(folder), "card": dict(card)}])
        return
    click.echo(f"{folder}")
    for line in card_lines(card):
        click.echo(f"  {line}")


def _trained(
    where: str | Path,
    data: str,
    parts: tuple[Part, ...],
    added: tuple[str, ...],
    seed: int,
    settings: TaggerSettings,
    watcher: Watcher,
) -> Path:
    material = TaggedSentences(data, parts)
    others = tuple(part for part in PARTS if part not in parts) if parts else ()
    whole = TaggedSentences(data).items() if others else None
    more = [TaggedSentences(Path(file)).items() for file in added]
    held = {part: whole.filter(whole["corpus_part"] == part) for part in others} if whole is not None else {}
    dev = held.pop("dev", None)
    return train_tagger(
        material.items(),
        where,
        settings=settings,
        seed=seed,
        added=pl.concat([frame.select("content", "gold") for frame in more]) if more else None,
        dev=dev if dev is not None and dev.height else None,
        held_out=pl.concat(list(held.values())) if held else None,
        facts={
            "data": str(material.signature()),
            "licence": material.licence,
            "parts": list(parts) or ["all"],
            "added": [str(file) for file in added],
        },
        watcher=watcher,
    )


def _parts(given: str) -> tuple[Part, ...]:
    if given == "all":
        return ()
    known: dict[str, Part] = {part: part for part in PARTS}
    for name in given.split("+"):
        if name not in known:
            raise unknown_name("part", name, [*PARTS, "all"])
    return tuple(known[name] for name in dict.fromkeys(given.split("+")))


def _settings(given: tuple[str, ...]) -> TaggerSettings:
    """Return the settings of both chains, each value read as the type of its usual one."""
    usual: dict[str, Any] = asdict(ChainSettings())
    found: dict[str, Any] = {}
    for setting in given:
        name, _, value = setting.partition("=")
        if name not in usual:
            raise unknown_name("setting of the tagger crf", name, usual)
        try:
            found[name] = type(usual[name])(value)
        except ValueError:
            raise UserError(
                f"--set {setting} is no number.", valid=f"--set {name}=NUMBER, usually {usual[name]}."
            ) from None
    chain = ChainSettings(**found)
    chain.parameters()
    return TaggerSettings(chain, chain)


def card_lines(card: Mapping[str, Any]) -> list[str]:
    """Return what a user wants to know first of a tagger that was just trained."""
    lines = [
        f"{card['family']}, seed {card['seed']}: {card['sentences']:,} sentences, {card['words']:,} words, "
        f"{len(card['tags'])} tags; {card['left_out']:,} sentences left out because they are held out"
    ]
    if "dev" in card:
        dev = card["dev"]
        lines.append(
            f"on dev ({dev['sentences']:,} sentences): F1 of words {dev['word_f1']:.2%}, "
            f"of tagged words {dev['tagged_f1']:.2%}"
        )
    seconds = sum(card["training_seconds"].values())
    lines.append(f"{seconds:.0f} s of training, {sum(held['bytes'] for held in card['files'].values()):,} bytes")
    lines.append(f"licence of the data: {card['licence']}")
    return lines
