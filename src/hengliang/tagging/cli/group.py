"""Command group `hengliang taggers`."""

from __future__ import annotations

import click

from hengliang.core.commands.groups import LazyGroup

COMMANDS = {
    "build": "hengliang.tagging.cli.diagnosis:build",
    "compare": "hengliang.tagging.cli.diagnosis:compare",
    "list": "hengliang.tagging.cli.taggers:list_command",
    "maps": "hengliang.tagging.cli.taggers:maps",
    "mend": "hengliang.tagging.cli.taggers:mend",
    "mine": "hengliang.tagging.cli.diagnosis:mine",
    "tag": "hengliang.tagging.cli.taggers:tag",
    "test": "hengliang.tagging.cli.diagnosis:test",
    "train": "hengliang.tagging.cli.taggers:train",
}


@click.group(cls=LazyGroup, homes=COMMANDS, what="command about taggers")
def taggers() -> None:
    """Find what taggers get wrong, build a test set of it, put any tagger to the test, and mend one.

    \b
    Example:
      hengliang taggers tag "他就此打住了。" --tagger lac
      hengliang taggers mine --out runs/mining
      hengliang taggers test --tagger thulac --tagger snownlp
    """
