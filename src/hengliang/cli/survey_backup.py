"""How is a copy made of all that a survey keeps, asked from the command line?"""

from __future__ import annotations

from pathlib import Path

import click

from hengliang.cli.survey_database import database_option, folder_argument
from hengliang.people.storage.requirements import need_survey_extra


@click.command()
@folder_argument
@click.option("--to", "target", type=click.Path(path_type=Path), required=True, help="The new file.")
@database_option
def backup(folder: Path, target: Path, database_url: str | None) -> None:
    """Copy the database of the survey in DIR as of this moment, also while people answer.

    SQLite gives an SQLite file, PostgreSQL what pg_dump writes in its custom format. A copy holds personal data, and
    answers that somebody withdraws later stay in it: delete old copies.

    \b
    Example:
      hengliang survey backup fluency-survey --to backups/2026-11-16.sqlite
    """
    need_survey_extra()
    from hengliang.people.sessions.survey import read_survey
    from hengliang.people.storage.backup import back_up
    from hengliang.people.storage.database import database_url as address

    read_survey(folder)
    back_up(address(folder, database_url), target)
    click.echo(f"{target}: {target.stat().st_size:,} bytes")
