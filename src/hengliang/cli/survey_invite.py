"""How are people let into a survey, asked from the command line?"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from hengliang.cli.survey_database import database_option, folder_argument, opened
from hengliang.core.commands.options import echo_json, json_option
from hengliang.core.errors import UserError, unknown_name
from hengliang.people.sessions.settings import is_web_address

if TYPE_CHECKING:
    from sqlalchemy import Connection

KINDS = ("real", "pilot", "simulated")
LOCAL = "http://127.0.0.1:8000"
"""Where a survey is that has never been served otherwise."""


@click.command()
@folder_argument
@click.option("--kind", type=click.Choice(KINDS), default="real", show_default=True, help="Which data they give.")
@click.option("--label", default="", help="What you call the link; participants do not see it.")
@click.option("--uses", type=click.IntRange(1), help="How many people may use it; without it, any number.")
@click.option("--version", metavar="LIST", help="The list that they get; without it, the least filled one.")
@click.option("--number", type=click.IntRange(1, 10_000), help="So many links, each for one person.")
@click.option("--researcher", is_flag=True, help="A one-time link to the researchers' pages instead, for 15 minutes.")
@click.option("--url", metavar="URL", help="Where the survey is served; without it, where it was served last.")
@database_option
@json_option
def invite(
    folder: Path,
    kind: str,
    label: str,
    uses: int | None,
    version: str | None,
    number: int | None,
    researcher: bool,
    url: str | None,
    database_url: str | None,
    as_json: bool,
) -> None:
    """Make links to the survey in DIR, also while it is being served. A link is shown once: only its digest is kept.

    \b
    Example:
      hengliang survey invite fluency-survey
      hengliang survey invite fluency-survey --kind pilot --label colleagues --uses 5
      hengliang survey invite fluency-survey --number 40 > links.txt
      hengliang survey invite fluency-survey --researcher
    """
    if number is not None and uses is not None:
        raise UserError("--number makes links for one person each.", remedy="Leave --uses out.")
    with opened(folder, database_url, new=True) as (survey, database):
        if version is not None and version not in survey.lists:
            raise unknown_name("list", version, survey.lists)
        wanted = _Wanted(kind, label, 1 if number is not None else uses, version, number or 1)
        if researcher:
            made = database.write(_researcher_link, url, time.time()).result()
        else:
            made = database.write(_links, wanted, url, time.time()).result()
    if as_json:
        facts = {"kind": "researcher"} if researcher else {"kind": kind, "uses": wanted.uses, "version": version}
        echo_json(links=[{"url": link, "label": named, **facts} for link, named in made])
    else:
        for link, _ in made:
            click.echo(link)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What kind of links are wanted, and how many."""

    kind: str
    label: str
    uses: int | None
    version: str | None
    count: int


def _links(connection: Connection, wanted: _Wanted, url: str | None, now: float) -> list[tuple[str, str]]:
    """Make the links in one transaction, all or none, and return each with its label."""
    from hengliang.people.storage import invitations
    from hengliang.people.storage.participants import Kind

    numbered = [f"{wanted.label} {place}".strip() for place in range(1, wanted.count + 1)]
    kind = cast(Kind, wanted.kind)
    made = []
    for label in numbered if wanted.count > 1 else [wanted.label]:
        token = invitations.invite(connection, kind, now, label=label, uses=wanted.uses, version=wanted.version)
        made.append((f"{_root(connection, url)}/i/{token}", label))
    return made


def _researcher_link(connection: Connection, url: str | None, now: float) -> list[tuple[str, str]]:
    from hengliang.people.storage.administration import one_time_link

    return [(f"{_root(connection, url)}/admin/link/{one_time_link(connection, now)}", "")]


def _root(connection: Connection, url: str | None) -> str:
    from hengliang.people.pages.starting import PUBLIC_URL
    from hengliang.people.storage.facts import fact

    if url is not None and not is_web_address(url):
        raise UserError(f"--url {url} is no address of the web.", valid="As https://survey.example.")
    return (url or fact(connection, PUBLIC_URL) or LOCAL).rstrip("/")
