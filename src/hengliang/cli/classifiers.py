"""What can be asked about classifiers from the command line?"""

from __future__ import annotations

import click

from hengliang.core.commands.groups import LazyGroup

COMMANDS = {
    "choose": "hengliang.cli.classifiers_choose:choose",
    "experiment": "hengliang.cli.classifiers_experiment:experiment",
    "inventory": "hengliang.cli.classifiers_inventory:inventory",
    "proofread": "hengliang.cli.classifiers_proofread:proofread",
    "train": "hengliang.cli.classifiers_train:train",
}


@click.group(cls=LazyGroup, homes=COMMANDS, what="command about classifiers")
def classifiers() -> None:
    """Ask which classifier a sentence wants, proofread texts, train choosers, make experiments.

    \b
    Example:
      hengliang classifiers choose "他牵着一<CL>马走过来"
      hengliang classifiers proofread "我买了三书。"
    """
