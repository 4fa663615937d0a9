"""What happens before a survey begins to be served, and what is its researcher told?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection

from hengliang.people.design.list_proof import check_proof
from hengliang.people.sessions.survey import Survey, read_survey
from hengliang.people.storage.administration import one_time_link
from hengliang.people.storage.facts import bind_design, is_open, set_fact
from hengliang.people.storage.invitations import invitations, invite

LINKS_FILE = "survey-links.txt"
"""The file in a survey's folder that gets the links where nobody sits at a terminal."""
PUBLIC_URL = "public_url"
"""The fact that remembers under which address the survey was last served, for links that are made beside the server."""


def checked_survey(folder: Path) -> Survey:
    """Return the survey in a folder when its lists are still the ones that its design has proved."""
    survey = read_survey(folder)
    if survey.design.proof:
        check_proof(survey.experiment, survey.design)
    return survey


@dataclass(frozen=True, slots=True)
class Links:
    """What is shown when a survey begins to be served: the tokens, and whether it is open."""

    researcher: str
    participants: str | None
    open: bool


def begin(connection: Connection, survey: Survey, public_url: str, new_invitation: bool, now: float) -> Links:
    """Bind the database to the design, remember the public address, and make the links that are shown.

    The database keeps digests of links only. A link for participants is so made once, and again only when it is wanted.
    """
    bind_design(connection, survey.digest)
    set_fact(connection, PUBLIC_URL, public_url)
    invited = None
    if new_invitation or not any(each.kind == "real" for each in invitations(connection)):
        invited = invite(connection, "real", now, label="general")
    return Links(one_time_link(connection, now), invited, is_open(connection, now))


def opening_lines(survey: Survey, public_url: str, links: Links, folder: Path, told: Sequence[str] = ()) -> list[str]:
    """Return what is shown when a survey begins to be served; `told` in place of the links, which are secrets."""
    title = survey.experiment.title
    state = [] if links.open else [f"The survey is closed. Open it again: hengliang survey close {folder} --reopen"]
    return [
        f"{title.en} / {title.zh}" if title.en != title.zh else title.en,
        *(told or link_lines(public_url, links, folder)),
        *state,
        "Stop with Ctrl-C.",
    ]


def link_lines(public_url: str, links: Links, folder: Path) -> list[str]:
    """Return the links for participants and researchers, each with what it is good for."""
    invited = (
        f"{public_url}/i/{links.participants}  (shown this once)"
        if links.participants
        else f"the links that were made before; a new one: hengliang survey invite {folder}"
    )
    return [
        f"Participants: {invited}",
        f"Researchers:  {public_url}/admin/link/{links.researcher}  (works once, within 15 minutes)",
    ]


def lines_beside(file: Path, public_url: str, links: Links, folder: Path) -> list[str]:
    """Write the links into a file for its owner alone, after earlier ones, and return what is shown in their place.

    What a service prints goes into a journal that others can read. A survey whose folder takes no file begins all the
    same, and says so.
    """
    try:
        # An earlier start may have left the participants' link there, which is made once.
        # Windows has neither of the two.
        guarded = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | guarded, 0o600)
        with os.fdopen(descriptor, "a", encoding="utf-8") as stream:
            if hasattr(os, "fchmod"):  # Windows keeps a file for its owner by other means
                os.fchmod(descriptor, 0o600)
            now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
            stream.write("\n".join([f"# {now}", *link_lines(public_url, links, folder), ""]))
    except OSError as error:
        where = f"not written, for {file} cannot be: {(error.strerror or str(error)).lower()}"
        return [f"At {public_url}", f"Links: {where}; new ones: hengliang survey invite {folder} (--researcher)"]
    made = "both links" if links.participants else "the researchers' link, which works once, within 15 minutes,"
    return [f"At {public_url}", f"Links: {made} can be read in {file}, by its owner alone"]
