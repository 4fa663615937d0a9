"""How does a backup become a survey's database again, asked from the command line?"""

from __future__ import annotations

from pathlib import Path

import click

from hengliang.cli.survey_database import database_option, folder_argument
from hengliang.people.storage.requirements import need_survey_extra


@click.command()
@folder_argument
@click.argument("backup", type=click.Path(path_type=Path))
@database_option
def restore(folder: Path, backup: Path, database_url: str | None) -> None:
    """Put BACKUP, which `hengliang survey backup` wrote, in the place of the database of the survey in DIR.

    Stop the survey first. The backup is checked, and must be one of this survey. The present files are kept under
    another name, with the time; they hold personal data, so delete them when you are sure. Who withdrew after the
    backup was made is withdrawn again. PostgreSQL has a program of its own for this, pg_restore.

    \b
    Example:
      hengliang survey restore fluency-survey backups/2026-11-16.sqlite
    """
    need_survey_extra()
    from hengliang.people.sessions.survey import read_survey
    from hengliang.people.storage.database import database_url as address
    from hengliang.people.storage.restoring import restore as restore_backup

    survey = read_survey(folder)
    restored = restore_backup(address(folder, database_url), backup, survey.digest)
    click.echo(f"The survey holds what {backup} held: {_held(restored.participants, restored.answers)}.")
    if restored.withdrawn:
        click.echo(f"Withdrawn again, because they withdrew after the backup: {restored.withdrawn}.")
    elif restored.withdrawn is None:
        click.echo("No former database could be read: who withdrew after the backup was made is in the survey again.")
    if restored.aside:
        click.echo(
            f"The former files: {', '.join(str(file) for file in restored.aside)}. Delete them when you are sure."
        )


def _held(participants: int, answers: int) -> str:
    people = "1 participant" if participants == 1 else f"{participants:,} participants"
    return f"{people}, {'1 answer' if answers == 1 else f'{answers:,} answers'}"
