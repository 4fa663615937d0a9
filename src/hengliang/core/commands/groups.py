"""Lazy groups of commands, and the error message for whatever a command raises.

A group imports the module of a command only when that command is asked for, so that one command that loads much does
not slow the others down.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Mapping
from typing import Any

import click

from hengliang.core.closure import written_source
from hengliang.core.errors import Failure, UnknownName, UserError

# --- lazy groups ------------------------------------------------------------------------------------------------------


class LazyGroup(click.Group):
    """Imports a command's module only when that command is asked for, so that `--help` of another one is quick.

    `homes` says for each command where it is, as `package.module:name`; `what` is what a command is called when an
    unknown one is asked for.
    """

    def __init__(self, *arguments: Any, homes: Mapping[str, str], what: str = "command", **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.homes = homes
        self.what = what

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted(self.homes)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name; an unknown one lists the commands."""
        if cmd_name not in self.homes:
            raise UnknownName(self.what, cmd_name, self.homes)
        module, _, name = self.homes[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands as click does, but without importing them: what each does is read off its source."""
        names = self.list_commands(ctx)
        room = formatter.width - 6 - max(map(len, names), default=0)
        summaries = [click.Command(name, help=written_docstring(self.homes[name])) for name in names]
        with formatter.section("Commands"):
            formatter.write_dl([(str(command.name), command.get_short_help_str(room)) for command in summaries])


def written_docstring(home: str) -> str:
    """Return the docstring of the function at `package.module:name` as it is written there."""
    module, _, name = home.partition(":")
    source = written_source(module)
    if source is None:
        command: click.Command = getattr(importlib.import_module(module), name)
        return command.help or ""
    written = re.search(rf'^def {name}\(.*?"""(.*?)"""', source, re.DOTALL | re.MULTILINE)
    return written[1] if written else ""


# --- errors of a command ----------------------------------------------------------------------------------------------


def explained(error: Exception) -> UserError:
    """Return what to tell of an error: a user's mistake as it is, a library that is not here with the line for it.

    Anything else is a fault of our own, and raised as it is when HENGLIANG_DEBUG asks to see where it happened.
    """
    from hengliang.core.environment import missing_library

    if isinstance(error, UserError):
        return error
    missing = missing_library(error) if isinstance(error, ImportError) else None
    if missing is not None:
        return missing
    if os.environ.get("HENGLIANG_DEBUG"):
        raise error
    return Failure(
        f"a fault of our own: {type(error).__name__}: {error}.",
        remedy="Set HENGLIANG_DEBUG=1 and repeat the command to see where, and report it.",
    )
