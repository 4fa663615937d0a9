"""Which taggers are there, under which licence, and what were they trained on, asked from the command line?"""

from __future__ import annotations

from dataclasses import asdict

import click

from hengliang.cli.tagger_options import tagger_plugin_option
from hengliang.core.commands.options import echo_json, json_option
from hengliang.core.labelling.taggers import TaggerCard
from hengliang.core.registry import entries, load_file
from hengliang.systems.taggers.cards import known_taggers, tagger_card


@click.command("list")
@tagger_plugin_option
@json_option
def list_command(plugin: str | None, as_json: bool) -> None:
    """List the taggers with their licence and training data; which of them can run here is seen by `hengliang doctor`.

    \b
    Example:
      hengliang taggers list
    """
    if plugin is not None:
        load_file(plugin)
    known = known_taggers()
    cards = {entry.name: tagger_card(entry.name) if entry.name in known else None for entry in entries("tagger")}
    if as_json:
        echo_json(taggers=[_row(name, card) for name, card in cards.items()])
        return
    for name, card in cards.items():
        click.secho(name, bold=True)
        if card is None:
            click.echo("  nothing is known about its licence and its training data")
            continue
        if card.library:
            click.echo(f"  library   {card.library} {card.version or '(not installed)'}")
        click.echo(f"  licence   {card.licence}")
        click.echo(f"  trained   {card.training_data}")
        if card.note:
            click.echo(f"  note      {card.note}")


def _row(name: str, card: TaggerCard | None) -> dict[str, object]:
    return {"name": name} if card is None else {**asdict(card), "name": name, "version": card.version}
