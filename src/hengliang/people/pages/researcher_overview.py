"""How far is the survey, is it open, and what does it look like to a participant?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from hengliang.people.pages.researcher_access import log, moment, now, page, see
from hengliang.people.sessions.survey import Survey
from hengliang.people.storage.endings import expire_unanswered
from hengliang.people.storage.erasing import to_erase
from hengliang.people.storage.facts import close_survey, is_open, open_survey
from hengliang.people.storage.invitations import invite
from hengliang.people.storage.newcomers import Newcomers, number_unanswered
from hengliang.people.storage.participants import Kind
from hengliang.people.storage.progress import ListProgress, progress

KINDS: tuple[Kind, ...] = ("real", "pilot", "simulated")
"""Whose progress is shown, each apart from the others."""
COUNTS = ("active", "finished", "expired", "withdrawn", "excluded", "answers")


@dataclass(frozen=True, slots=True)
class Part:
    """The progress of one kind of participants: a row a list, and their sum."""

    kind: str
    rows: tuple[ListProgress, ...]

    @property
    def total(self) -> ListProgress:
        """The sum of all lists."""
        return ListProgress("", **{name: sum(getattr(row, name) for row in self.rows) for name in COUNTS})

    @property
    def anybody(self) -> bool:
        """Whether anybody of this kind has ever been here."""
        return any(getattr(self.total, name) for name in COUNTS)


def parts_of(connection: Connection, survey: Survey, at: float) -> list[Part]:
    """Return the progress of every kind of participants, with a row for every list, also one that nobody has begun."""
    return [Part(kind, tuple(progress(connection, kind, at, survey.lists))) for kind in KINDS]


def _counted(connection: Connection, survey: Survey, at: float) -> dict[str, Any]:
    return {
        "parts": parts_of(connection, survey, at),
        "open": is_open(connection, at),
        "unanswered": number_unanswered(connection, at),
        "to_erase": len(to_erase(connection)),
    }


async def _progress(request: Request) -> dict[str, Any]:
    survey: Survey = request.app.state.survey
    at = now(request)
    counted = await request.app.state.database.reading(_counted, survey, at)
    newcomers: Newcomers = request.app.state.newcomers
    refused = {"number": newcomers.refused, "last": moment(newcomers.last_refused)}
    return {**counted, "refused": refused, "places": survey.settings.places, "counted": moment(at)}


async def overview(request: Request) -> Response:
    """Show state, progress and design."""
    survey: Survey = request.app.state.survey
    return page(
        request,
        "overview.html",
        here="overview",
        design=survey.design,
        proof=request.app.state.proof,
        digest=survey.digest,
        task=survey.task.name,
        lists=len(survey.lists),
        **await _progress(request),
    )


async def fresh_progress(request: Request) -> Response:
    """Show the counts alone, for the script that keeps them fresh."""
    return page(request, "progress.html", here="overview", **await _progress(request))


async def close(request: Request) -> Response:
    """Let nobody new begin."""
    await request.app.state.database.writing(_close, request)
    return see("/admin")


def _close(connection: Connection, request: Request) -> None:
    close_survey(connection, now(request))


async def reopen(request: Request) -> Response:
    """Let new participants begin again."""
    await request.app.state.database.writing(_reopen, request)
    return see("/admin")


def _reopen(connection: Connection, request: Request) -> None:
    open_survey(connection, now(request))


async def free_places(request: Request) -> Response:
    """Give back the places of who has not answered an item."""
    await request.app.state.database.writing(_free_places, request)
    return see("/admin")


def _free_places(connection: Connection, request: Request) -> None:
    log(connection, request, "places freed", number=expire_unanswered(connection, now(request)))


async def preview(request: Request) -> Response:
    """Lead this browser onto the participants' path, as somebody who does not count and holds no place."""
    token = await request.app.state.database.writing(_preview, request)
    return see(f"/i/{token}")


def _preview(connection: Connection, request: Request) -> str:
    return invite(connection, "preview", now(request), label="preview", uses=1)
