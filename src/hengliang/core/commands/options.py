"""Shared command-line options: progress, JSON output, engine, language, and how tables are read."""

from __future__ import annotations

import functools
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from hengliang.core.engine.mapping import Engine, engine_named
from hengliang.core.io.delimited import Header, OnBroken, Quoting, TableOptions, TableWarning
from hengliang.core.io.estimate_rows import SCHEMA_VERSION
from hengliang.core.progress import Silent, Terminal, Watcher
from hengliang.core.terms import LANGUAGES

Command = TypeVar("Command", bound=Callable[..., Any])

quiet_option = click.option("--quiet", "-q", is_flag=True, help="Show no progress.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
engine_option = click.option(
    "--engine", default="local", show_default=True, metavar="ENGINE", help="local, processes, processes:N or dask."
)
scheduler_option = click.option(
    "--scheduler", metavar="ADDRESS", help="With --engine dask: where its scheduler listens, as tcp://HOST:8786."
)

encoding_option = click.option(
    "--encoding",
    default="auto",
    show_default=True,
    metavar="NAME",
    help="Encoding of a text file: utf-8, utf-16, gb18030, big5, …; auto recognises the first three.",
)
_TABLE = {
    "encoding": encoding_option,
    "delimiter": click.option(
        "--delimiter",
        default="auto",
        show_default=True,
        metavar="SIGN",
        help="What parts the cells of a text table: a sign, or comma, tab, semicolon, bar.",
    ),
    "quoting": click.option(
        "--quoting",
        type=click.Choice(get_args(Quoting)),
        default="auto",
        show_default=True,
        help="Whether quotation marks quote the cells of a text table, or are text.",
    ),
    "header": click.option(
        "--no-header", is_flag=True, help="The first row of a table names no columns: they are called 1, 2, …."
    ),
    "sheet": click.option("--sheet", metavar="NAME", help="Sheet of an Excel file [default: the first]."),
    "errors": click.option(
        "--errors",
        type=click.Choice(get_args(OnBroken)),
        default="raise",
        show_default=True,
        help="A line of a table that cannot be read stops the work (raise), or is left out and told (skip).",
    ),
}
language_option = click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    default="en",
    show_default=True,
    help="Language of what is printed and of a Markdown report; the page has both.",
)
report_option = click.option(
    "--out", type=click.Path(path_type=Path), metavar="REPORT", help="Also write a report: .html, .md or .json."
)


def watcher(quiet: bool, about: str = "") -> Watcher:
    """Return who watches the work; `about` names it where a command does several pieces."""
    return Silent() if quiet else Terminal(about=about)


def engine_of(engine: str, scheduler: str | None = None) -> Engine:
    """Return the engine that --engine and --scheduler name together."""
    return engine_named(engine, scheduler)


def echo_json(**parts: Any) -> None:
    """Print a JSON object with its schema version."""
    click.echo(json.dumps({"schema_version": SCHEMA_VERSION, **parts}, ensure_ascii=False, indent=1))


def table_options(*without: str) -> Callable[[Command], Command]:
    """Give a command the options that say how its tables are read; it gets them as one value, `table`.

    `without` names those that say nothing of its tables, as `header` where the columns have names of their own.
    """

    def with_options(command: Command) -> Command:
        @functools.wraps(command)
        def asked(
            *arguments: Any,
            encoding: str = "auto",
            delimiter: str = "auto",
            quoting: Quoting = "auto",
            no_header: bool = False,
            sheet: str | None = None,
            errors: OnBroken = "raise",
            **others: Any,
        ) -> Any:
            header: Header = "no" if no_header else "auto"
            table = TableOptions(encoding, delimiter, quoting, header, sheet, errors)
            with warnings.catch_warnings():
                warnings.simplefilter("always", TableWarning)
                warnings.showwarning = functools.partial(_show, set(), warnings.showwarning)
                return command(*arguments, table=table, **others)

        for name, option in reversed(_TABLE.items()):
            asked = asked if name in without else option(asked)
        return asked  # type: ignore[return-value]

    return with_options


def _show(
    told: set[str], usual: Callable[..., None], message: Warning | str, category: type[Warning], *where: Any
) -> None:
    """Tell what a user should know of a table on the error stream, once; other warnings are shown as ever."""
    if not issubclass(category, TableWarning):
        usual(message, category, *where)
    elif str(message) not in told:
        told.add(str(message))
        click.echo(f"hengliang: warning: {message}", err=True)


def table_words(table: TableOptions) -> list[str]:
    """Return the options of a table as one types them, for another command."""
    usual = TableOptions()
    named = ("encoding", "delimiter", "quoting", "sheet", "errors")
    changed = {f"--{name}": getattr(table, name) for name in named if getattr(table, name) != getattr(usual, name)}
    return [word for pair in changed.items() for word in pair] + (["--no-header"] if table.header == "no" else [])
