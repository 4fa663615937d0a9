"""What can be asked about scenes and their descriptions from the command line?"""

from __future__ import annotations

import click

from hengliang.core.commands.groups import LazyGroup

COMMANDS = {
    "analyse": "hengliang.cli.scenes_analyse:analyse",
    "corpus": "hengliang.cli.scenes_corpus:corpus",
    "describe": "hengliang.cli.scenes_describe:describe",
    "draw": "hengliang.cli.scenes_draw:draw",
    "experiment": "hengliang.cli.scenes_experiment:experiment",
    "read": "hengliang.cli.scenes_read:read",
}


@click.group(cls=LazyGroup, homes=COMMANDS, what="command about scenes")
def scenes() -> None:
    """Describe scenes with quantifiers, read descriptions back, and find out how well readers reconstruct scenes.

    \b
    Example:
      hengliang scenes describe "BS=2 RC=2" --by greedy
      hengliang scenes read "Half of the objects are blue squares." --size 4
    """
