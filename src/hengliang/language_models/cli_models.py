"""Command line of stored models: `hengliang models` list, train, show and remove."""

from __future__ import annotations

import sys

import click
from rich.cells import cell_len
from rich.console import Console
from rich.table import Column, Table

from hengliang.core import places
from hengliang.core.commands.options import echo_json, engine_of, json_option, scheduler_option
from hengliang.core.errors import unknown_name
from hengliang.core.learning import read_card, remove_model, stored_model, stored_models
from hengliang.language_models.cli import card_lines
from hengliang.language_models.recipes import FIXED_SET, train_all, with_seeds


@click.group()
def models() -> None:
    """List, show and remove the trained models on this machine.

    \b
    Example:
      hengliang models list
    """


@models.command("list")
@json_option
def list_models(as_json: bool) -> None:
    """List the trained models.

    \b
    Example:
      hengliang models list --json
    """
    stored = stored_models()
    if as_json:
        echo_json(models=[{"name": model.name, "bytes": model.size, **model.card} for model in stored])
        return
    if not stored:
        click.echo(f"There are no trained models in {places.models()}.")
        return
    # A name is there to be typed: where there is no room, the other columns give way, and into a pipe nothing is cut.
    longest = max(cell_len(model.name) for model in stored)
    table = Table(Column("model", no_wrap=True, min_width=longest), "kind", "data", "licence", "bytes")
    for model in stored:
        card = {key: str(value) for key, value in model.card.items()}
        table.add_row(
            model.name, card.get("kind", ""), card.get("data", ""), card.get("licence", ""), f"{model.size:,}"
        )
    Console(width=None if sys.stdout.isatty() else 10_000).print(table)


@models.command("train")
@click.option("--only", "kinds", multiple=True, help="Train only models of this kind; may be given several times.")
@click.option("--seeds", type=click.IntRange(1), default=1, show_default=True, help="Train each network so many times.")
@click.option(
    "--engine", default="processes", show_default=True, metavar="ENGINE", help="local, processes, processes:N or dask."
)
@scheduler_option
def train_set(kinds: tuple[str, ...], seeds: int, engine: str, scheduler: str | None) -> None:
    """Train the fixed set of small models that the quick studies use, one on each core.

    Models that are there already are left alone, and an interrupted training goes on.

    \b
    Example:
      hengliang models train
      hengliang models train --only lstm --only transformer --seeds 3
    """
    known = list(dict.fromkeys(recipe.kind for recipe in FIXED_SET))
    unknown = [kind for kind in kinds if kind not in known]
    if unknown:
        remedy = "Train a model of any other kind with: hengliang lm train KIND"
        raise unknown_name("kind of model in the fixed set", unknown[0], known, remedy=remedy)
    wanted = [recipe for recipe in with_seeds(FIXED_SET, seeds) if not kinds or recipe.kind in kinds]
    for folder in train_all(wanted, engine_of(engine, scheduler)):
        click.echo(f"{folder.name}: {'; '.join(card_lines(read_card(folder)))}")


@models.command()
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Show the card of one model.

    \b
    Example:
      hengliang models show rule-1
    """
    model = stored_model(name)
    if as_json:
        echo_json(name=model.name, folder=str(model.folder), bytes=model.size, card=dict(model.card))
        return
    click.echo(f"{model.name}  {model.folder}  {model.size:,} bytes")
    for key, value in model.card.items():
        click.echo(f"  {key}: {value}")


@models.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
def remove(name: str, yes: bool) -> None:
    """Delete a trained model.

    \b
    Example:
      hengliang models remove rule-1 --yes
    """
    model = stored_model(name)
    if not yes:
        click.confirm(f"Delete {model.folder}?", abort=True)
    remove_model(name)
    click.echo(f"Removed {model.folder}.")
