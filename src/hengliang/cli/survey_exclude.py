"""Whose answers are left out of a survey's data, and why, asked from the command line?"""

from __future__ import annotations

import time
from pathlib import Path

import click

from hengliang.cli.survey_database import database_option, folder_argument, opened
from hengliang.core.errors import UserError


@click.command()
@folder_argument
@click.argument("participant")
@click.option("--reason", help="Why; kept with the participant and counted in the export. Nothing personal.")
@click.option("--readmit", is_flag=True, help="Take an exclusion back.")
@database_option
def exclude(folder: Path, participant: str, reason: str | None, readmit: bool, database_url: str | None) -> None:
    """Leave PARTICIPANT (a pseudonym, as in exports) out of the data of the survey in DIR; the place is free again.

    \b
    Example:
      hengliang survey exclude fluency-survey 0k3v9m2xq8t7w1ab --reason "failed 3 of 4 catch items"
      hengliang survey exclude fluency-survey 0k3v9m2xq8t7w1ab --readmit
    """
    stated = (reason or "").strip()
    if readmit == bool(stated):
        raise UserError("Say why, or take an exclusion back.", valid='--reason "…" or --readmit.')
    with opened(folder, database_url) as (_, database):
        from hengliang.people.storage import endings, participants

        held = database.read(participants.participant, participant).result()
        if held is None:
            raise UserError(
                f"Nobody in {folder} is called '{participant}'.",
                valid="The ids are on the researchers' pages and in the export.",
            )
        now = time.time()
        if readmit:
            done = database.write(endings.readmit, participant, now).result()
        else:
            done = database.write(endings.exclude, participant, stated, now).result()
    if not done:
        wanted = "readmitted" if readmit else "excluded"
        raise UserError(
            f"{participant} is {held.status} and cannot be {wanted}.",
            valid="Who was excluded can be readmitted; who has neither withdrawn nor been excluded can be excluded.",
            remedy=f"hengliang survey progress {folder} tells how many are left.",
        )
    click.echo(f"{participant} is {'readmitted' if readmit else 'excluded'}.")
