"""How is a classifier chooser trained from the command line?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import NoneType
from typing import Any

import click

from hengliang.core.commands.options import echo_json, json_option, quiet_option
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.learning import read_card
from hengliang.core.progress import Silent, long_watcher
from hengliang.core.registry import entries
from hengliang.corpora.catalogue import DEFAULT_CORPUS
from hengliang.systems.classifier_choosers.base import ClassifierChooser, chooser
from hengliang.systems.classifier_choosers.trained import (
    TrainedChooser,
    plain_types,
    setting_types,
    train_chooser,
    type_title,
)
from hengliang.systems.slot_sources import slots_named, slots_of_all


@click.command()
@click.argument("family", metavar="FAMILY")
@click.option(
    "--data",
    multiple=True,
    metavar="DATA",
    help=f"Learn from this: a source of the catalogue, a .csv file or folder of the Chinese Classifier Dataset, a file "
    f"of word/tag tokens, or text:FILE for plain text. May be repeated. [default: {DEFAULT_CORPUS}]",
)
@click.option("--dev", metavar="DATA", help="Hold this out to stop in time [default: the dev part, or a tenth].")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The seed of everything drawn.")
@click.option("--seeds", type=click.IntRange(1), default=1, show_default=True, help="Train so many, from --seed on.")
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="A setting of the family; may be repeated."
)
@click.option("--out", type=click.Path(path_type=Path), help="The folder of the chooser; by default in the store.")
@quiet_option
@json_option
def train(
    family: str,
    data: tuple[str, ...],
    dev: str | None,
    seed: int,
    seeds: int,
    settings: tuple[str, ...],
    out: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Train a classifier chooser: FAMILY is LINEAR, LSTM or BERT.

    A training that was interrupted goes on when the same command is given again; one that is finished is only shown.

    \b
    Example:
      hengliang classifiers train LINEAR
      hengliang classifiers train BERT --seeds 3
      hengliang classifiers train LINEAR --set learner=svm --data ccd/train.csv --dev ccd/dev.csv --out models/ccd
    """
    if out is not None and seeds > 1:
        raise UserError("--out is one folder, and --seeds asks for several choosers.", remedy="Leave one of them out.")
    made = []
    for number in range(seed, seed + seeds):
        one = _chooser(family, data, dev, number, settings)
        folder = train_chooser(one, out, Silent() if quiet else long_watcher())
        made.append((folder, read_card(folder)))
        if not as_json:
            click.echo(f"{folder}")
            for line in card_lines(made[-1][1]):
                click.echo(f"  {line}")
    if as_json:
        echo_json(models=[{"folder": str(folder), "card": dict(card)} for folder, card in made])


def _chooser(
    family: str, data: tuple[str, ...], dev: str | None, seed: int, settings: tuple[str, ...]
) -> TrainedChooser:
    known = {entry.name: entry.kind for entry in entries(ClassifierChooser.role)}
    trained = {name: kind for name, kind in known.items() if issubclass(kind, TrainedChooser)}
    name = next((held for held in trained if held.upper() == family.upper()), "")
    if not name:
        raise unknown_name("trainable chooser", family, trained)
    options: dict[str, Any] = {"seed": seed, **_settings(name, trained[name], settings)}
    if data:
        options["train"] = slots_of_all(data)
    if dev is not None:
        options["dev"] = slots_named(dev, "dev")
    made = chooser(name, **options)
    if not isinstance(made, TrainedChooser):
        raise unknown_name("trainable chooser", family, trained)
    return made


def _settings(family: str, kind: type[TrainedChooser], given: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings that were given, each read as the type that the family asks for."""
    types = setting_types(kind)
    found: dict[str, Any] = {}
    for setting in given:
        name, equals, value = setting.partition("=")
        if name not in types:
            raise unknown_name(f"setting of {family}", name, types)
        if not equals:
            raise UserError(
                f"--set {setting} gives no value.", valid=f"--set {name}=VALUE; {name} is {type_title(types[name])}."
            )
        found[name] = _read(name, value, types[name])
    return found


def _read(name: str, value: str, hint: Any) -> object:
    kinds = plain_types(hint)
    if NoneType in kinds and value.lower() == "none":
        return None
    if bool in kinds:
        if value.lower() not in {"true", "false", "yes", "no"}:
            raise UserError(f"--set {name}={value} is neither yes nor no.", valid="yes, no")
        return value.lower() in {"true", "yes"}
    number = next((kind for kind in (int, float) if kind in kinds), None)
    try:
        return value if number is None else number(value)
    except ValueError:
        raise UserError(f"--set {name}={value} is no number.", valid=f"{name} is {type_title(hint)}.") from None


def card_lines(card: Mapping[str, Any]) -> list[str]:
    """Return what a user wants to know first of a chooser that was just trained."""
    slots = card["slots"]
    lines = [
        f"{card['family']}, seed {card['seed']}: {slots['train']:,} slots, {card['classifiers']} classifiers, "
        f"{card['nouns']:,} nouns"
    ]
    if "dev_accuracy" in card:
        lines.append(f"right on dev: {card['dev_accuracy']:.1%} of {slots['dev']:,}")
    if "training_seconds" in card:
        lines.append(f"{card['training_seconds']:.1f} s of training")
    lines.append(f"licence of the data: {card['licence']}")
    return lines
