"""When does a survey take nobody new, asked from the command line?"""

from __future__ import annotations

import time
from pathlib import Path

import click

from hengliang.cli.survey_database import database_option, folder_argument, opened


@click.command()
@folder_argument
@click.option("--reopen", is_flag=True, help="Take new participants again.")
@database_option
def close(folder: Path, reopen: bool, database_url: str | None) -> None:
    """Let nobody new into the survey in DIR; who has begun can finish. Works also while it is being served.

    \b
    Example:
      hengliang survey close fluency-survey
      hengliang survey close fluency-survey --reopen
    """
    with opened(folder, database_url) as (_, database):
        from hengliang.people.storage.facts import close_survey, open_survey

        now = time.time()
        if reopen:
            database.write(open_survey, now).result()
        else:
            database.write(close_survey, now).result()
    click.echo("Open: new participants can begin." if reopen else "Closed: nobody new can begin, who began can finish.")
