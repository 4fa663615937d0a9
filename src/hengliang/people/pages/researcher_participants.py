"""Who takes part, how carefully, and who is to be left out?

Participants are known by their pseudonym. A panel's id is shown only when it is asked for, and the log says so.
"""

from __future__ import annotations

import math
from typing import Any

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from hengliang.people.pages.form_reading import form_of, whole_number
from hengliang.people.pages.participant_quality import Quality, quality_of
from hengliang.people.pages.researcher_access import (
    language_of,
    log,
    lost,
    moment,
    now,
    page,
    see,
)
from hengliang.people.pages.researcher_words import words
from hengliang.people.sessions.survey import Survey
from hengliang.people.storage.endings import exclude, readmit, withdraw_participant
from hengliang.people.storage.participants import Participant, participant, participants

KINDS = ("real", "pilot", "simulated", "preview")
ROWS = 200
"""How many participants a page shows."""
LONGEST_REASON = 500


async def participants_page(request: Request) -> Response:
    """Show participants of one kind, those who came last first."""
    asked = request.query_params
    kind = asked.get("kind", "real") if asked.get("kind") in KINDS else "real"
    panel = asked.get("panel") == "1"
    held: list[Participant] = await request.app.state.database.reading(participants, kind)
    if panel:
        await request.app.state.database.writing(log, request, "panel ids shown", of=kind)
    part_count = max(1, math.ceil(len(held) / ROWS))
    part = min(max(1, whole_number(asked, "part") or 1), part_count)
    shown = sorted(held, key=_came, reverse=True)[(part - 1) * ROWS : part * ROWS]
    return page(
        request,
        "participants.html",
        here="participants",
        kinds=KINDS,
        kind=kind,
        panel=panel,
        part=part,
        part_count=part_count,
        rows=[_row(each) for each in shown],
    )


async def participant_page(request: Request) -> Response:
    """Show one participant, and what can be done about one."""
    return await _page(request, [], 200)


async def exclude_participant(request: Request) -> Response:
    """Leave a participant out, for a reason."""
    reason = (await form_of(request)).get("reason", "").strip()
    if not reason or len(reason) > LONGEST_REASON:
        return await _page(request, ["reason_long" if reason else "reason_needed"], 422)
    return await _done(request, _exclude, reason)


async def readmit_participant(request: Request) -> Response:
    """Let an excluded participant count again."""
    return await _done(request, _readmit)


async def withdraw_for_participant(request: Request) -> Response:
    """Delete what a participant said, at the participant's request."""
    if (await form_of(request)).get("confirm", "").strip() != request.path_params["participant"]:
        return await _page(request, ["confirm_wrong"], 422)
    return await _done(request, _withdraw)


async def _done(request: Request, action: Any, *arguments: Any) -> Response:
    """Do something about a participant, and lead back; it may be impossible meanwhile, or never was possible."""
    done = await request.app.state.database.writing(action, request, request.path_params["participant"], *arguments)
    if done:
        return see(f"/admin/participants/{request.path_params['participant']}")
    return await _page(request, ["impossible"], 409)


def _exclude(connection: Connection, request: Request, who: str, reason: str) -> bool:
    return exclude(connection, who, reason, now(request))


def _readmit(connection: Connection, request: Request, who: str) -> bool:
    return readmit(connection, who, now(request))


def _withdraw(connection: Connection, request: Request, who: str) -> bool:
    held = participant(connection, who, locked=True)
    if held is None or held.status == "withdrawn":
        return False
    # The log of a withdrawal says the same whoever began it; that a researcher did is a line of its own.
    log(connection, request, "asked to withdraw", who)
    withdraw_participant(connection, who, now(request))
    return True


def _looked_up(connection: Connection, survey: Survey, who: str) -> tuple[Participant, Quality] | None:
    held = participant(connection, who)
    return None if held is None else (held, quality_of(connection, survey, who))


async def _page(request: Request, problems: list[str], status: int) -> Response:
    who = request.path_params["participant"]
    found = await request.app.state.database.reading(_looked_up, request.app.state.survey, who)
    if found is None:
        return await lost(request)
    held, quality = found
    say = words(language_of(request))
    return page(
        request,
        "participant.html",
        here="participants",
        status=status,
        row=_row(held),
        quality=quality,
        problems=[say[problem] for problem in problems],
    )


def _came(one: Participant) -> tuple[float, str]:
    return one.consented, one.id


def _row(one: Participant) -> dict[str, Any]:
    names = ("id", "kind", "version", "language", "status", "step", "steps", "external", "reason")
    facts = {name: getattr(one, name) for name in names}
    # The last page only says thank you: who sees it has done all the others.
    facts["steps"] = max(0, one.steps - 1)
    facts["step"] = min(one.step, facts["steps"])
    return {**facts, "began": moment(one.consented), "seen": moment(one.seen)}
