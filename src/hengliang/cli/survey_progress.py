"""How far is a survey, asked from the command line?"""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from hengliang.cli.survey_database import database_option, folder_argument, opened
from hengliang.core.commands.options import echo_json, json_option

KINDS = ("real", "pilot", "simulated", "preview")
COUNTS = ("active", "finished", "expired", "withdrawn", "excluded", "answers")


@click.command()
@folder_argument
@click.option("--kind", type=click.Choice(KINDS), default="real", show_default=True, help="Whose progress.")
@database_option
@json_option
def progress(folder: Path, kind: str, database_url: str | None, as_json: bool) -> None:
    """Show how many participants of each list of the survey in DIR are where; also while it is being served.

    \b
    Example:
      hengliang survey progress fluency-survey
      hengliang survey progress fluency-survey --kind pilot --json
    """
    with opened(folder, database_url) as (survey, database):
        from typing import cast

        from hengliang.people.storage.facts import is_open
        from hengliang.people.storage.participants import Kind
        from hengliang.people.storage.progress import progress as counted

        now = time.time()
        rows = database.read(counted, cast(Kind, kind), now, list(survey.lists)).result()
        state = "open" if database.read(is_open, now).result() else "closed"
        places = survey.settings.places
    if as_json:
        echo_json(kind=kind, state=state, places=places, lists=[asdict(row) for row in rows])
        return
    table = Table("list", *COUNTS, title=f"{kind} participants; the survey is {state}", title_justify="left")
    for row in rows:
        table.add_row(row.version, *(str(getattr(row, name)) for name in COUNTS))
    table.add_section()
    table.add_row("all", *(str(sum(getattr(row, name) for row in rows)) for name in COUNTS))
    Console().print(table)
