"""Which options do several commands share?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import click

from hengliang.bilingual import LANGUAGES
from hengliang.core.engine.mapping import Engine, engine_named
from hengliang.materials.table_quoting import Quoting
from hengliang.progress import Silent, Terminal, Watcher
from hengliang.report.rows import SCHEMA_VERSION

quiet_option = click.option("--quiet", "-q", is_flag=True, help="Show no progress.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
engine_option = click.option(
    "--engine", default="local", show_default=True, metavar="ENGINE", help="local, processes, processes:N or dask."
)
scheduler_option = click.option(
    "--scheduler", metavar="ADDRESS", help="With --engine dask: where its scheduler listens, as tcp://HOST:8786."
)

quoting_option = click.option(
    "--quoting",
    type=click.Choice(get_args(Quoting)),
    default="auto",
    show_default=True,
    help="Whether quotation marks quote the fields of a table, or are text.",
)
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
