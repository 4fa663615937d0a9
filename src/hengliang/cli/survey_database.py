"""Which survey does a command work on, and in which database?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hengliang.people.storage.requirements import need_survey_extra

if TYPE_CHECKING:
    from hengliang.people.sessions.survey import Survey
    from hengliang.people.storage.database import Database

folder_argument = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
database_option = click.option(
    "--database",
    "database_url",
    envvar="HENGLIANG_DATABASE",
    metavar="URL",
    help="Its database, as postgresql://…; without it the file survey.sqlite in DIR. Also HENGLIANG_DATABASE.",
)


@contextmanager
def opened(folder: Path, database_url: str | None, *, new: bool = False) -> Iterator[tuple[Survey, Database]]:
    """Give the survey and its own database, beside a server that may be running; `new` makes one if there is none."""
    need_survey_extra()
    from hengliang.people.sessions.survey import read_survey
    from hengliang.people.storage.database import Database
    from hengliang.people.storage.database import database_url as address
    from hengliang.people.storage.facts import bind_design
    from hengliang.people.storage.migrating import migrate, revision

    survey = read_survey(folder)
    url = address(folder, database_url)
    if new and revision(url) is None:
        migrate(url)
    with Database.open(url) as database:
        database.write(bind_design, survey.digest).result()
        yield survey, database
