"""Does the group of commands about classifiers know them all, and only when they are asked for?"""

from __future__ import annotations

import click
import pytest

from hengliang.cli.classifiers import COMMANDS, classifiers
from tests.cli.classifier_runs import run

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_is_there_with_an_example_and_help_for_every_option(name: str) -> None:
    command = classifiers.get_command(click.Context(classifiers), name)
    assert command is not None
    assert "Example:" in (command.help or "")
    for parameter in command.params:
        assert not isinstance(parameter, click.Option) or parameter.help


def test_an_unknown_command_lists_the_known_ones(capsys: Capture) -> None:
    assert run("chose") == 2
    assert "Did you mean choose?" in capsys.readouterr().err


def test_the_help_lists_the_commands(capsys: Capture) -> None:
    assert run("--help") == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in COMMANDS)
