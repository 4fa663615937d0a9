"""What can be asked about taggers from the command line?"""

from __future__ import annotations

import click

from hengliang.core.commands.groups import LazyGroup

COMMANDS = {
    "build": "hengliang.cli.taggers_build:build",
    "compare": "hengliang.cli.taggers_compare:compare",
    "list": "hengliang.cli.taggers_list:list_command",
    "maps": "hengliang.cli.taggers_maps:maps",
    "mend": "hengliang.cli.taggers_mend:mend",
    "mine": "hengliang.cli.taggers_mine:mine",
    "tag": "hengliang.cli.taggers_tag:tag",
    "test": "hengliang.cli.taggers_test:test",
    "train": "hengliang.cli.taggers_train:train",
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
