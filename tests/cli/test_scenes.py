"""Does the group of commands about scenes know them all, and only when they are asked for?"""

from __future__ import annotations

import click
import pytest

from hengliang.cli.scenes import COMMANDS, scenes
from tests.cli.scene_runs import Capture, complaint, output


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_is_there_with_an_example_and_help_for_every_option(name: str) -> None:
    command = scenes.get_command(click.Context(scenes), name)
    assert command is not None
    assert "Example:" in (command.help or "")
    for parameter in command.params:
        assert not isinstance(parameter, click.Option) or parameter.help


def test_an_unknown_command_lists_the_known_ones(capsys: Capture) -> None:
    assert "Did you mean describe?" in complaint(capsys, "discribe")


def test_the_help_lists_the_commands(capsys: Capture) -> None:
    shown = output(capsys, "--help")
    assert all(name in shown for name in COMMANDS)
