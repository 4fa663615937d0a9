"""How is one page of answers kept once, however often it is sent?

The server knows the current step. A submit of an earlier step is a replay and changes nothing; one of a later step
cannot be; one of the current step is kept in one transaction with the step that follows from it. The unique constraint
on participant, presentation and scale stands behind that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import Connection, insert, update

from hengliang.core.terms import Language
from hengliang.people.sessions.settings import Settings
from hengliang.people.storage import tables
from hengliang.people.storage.assignment import has_place, lock_places
from hengliang.people.storage.events import record
from hengliang.people.storage.invitations import invitation_with
from hengliang.people.storage.newcomers import Arrival, has_answered, is_counted
from hengliang.people.storage.participants import Participant, participant
from hengliang.people.storage.registration import CROWDED, Refused


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """One answer on one scale, with all that is kept about how it came about."""

    about: str
    scale: str
    role: str
    trial: int
    highlighted: bool
    value: float | None = None
    label: str | None = None
    status: str = "ok"
    reason: str = ""
    comment: str = ""
    occurrence: int = 1
    screen: int = 0
    place: int = 0
    seconds: float | None = None
    """Time on the page by the browser's clock; none: by ours."""
    timing: str = ""
    language: Language | None = None
    """In which language it was asked; none: the participant's."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One submitted page, checked by its task."""

    participant: str
    step: int
    id: str
    """The browser's own id of the submit, kept with the answers."""
    answers: tuple[StoredAnswer, ...] = ()
    details: Mapping[str, str] = field(default_factory=dict)
    event: str = "submitted"
    last: bool = False
    """Whether the next page is the end."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a submit, and which step is the current one now."""

    kind: Literal["stored", "replayed", "ahead", "ended"]
    step: int


def submit(
    connection: Connection, submission: Submission, settings: Settings, now: float, *, arrival: Arrival | None = None
) -> Outcome:
    """Keep a page of answers if it is the current one; every other submit changes nothing.

    `Refused` is raised as by `go_on`.
    """
    person = participant(connection, submission.participant, locked=True)
    if person is None:
        return Outcome("ended", 0)
    if person.status in ("withdrawn", "excluded"):
        return Outcome("ended", person.step)
    if submission.step < person.step:
        return Outcome("replayed", person.step)
    if person.status == "finished":
        return Outcome("ended", person.step)
    if submission.step > person.step:
        return Outcome("ahead", person.step)
    answered = bool(submission.answers) or has_answered(connection, person.id)
    if not person.holds_place(now) and not _place_again(connection, person, settings, now, answered, arrival):
        return Outcome("ended", person.step)
    _keep(connection, submission, person, now)
    _advance(connection, submission, now, now + 60 * settings.held_minutes(answered))
    return Outcome("stored", person.step + 1)


def go_on(connection: Connection, id: str, settings: Settings, now: float, *, arrival: Arrival | None = None) -> bool:
    """Return whether a participant may answer the current page.

    One whose reservation ran out gets a place on the list again, if there is one. `arrival` says from where they come:
    for those who have not answered anything yet the same holds as for newcomers, and `Refused` is raised when too many
    of one address wait.
    """
    person = participant(connection, id, locked=True)
    if person is None or person.status not in ("active", "expired"):
        return False
    if person.holds_place(now):
        return True
    answered = has_answered(connection, id)
    if not _place_again(connection, person, settings, now, answered, arrival):
        return False
    values = {"status": "active", "seen": now, "reserved": now + 60 * settings.held_minutes(answered), "ended": None}
    _change(connection, id, values)
    return True


def _place_again(
    connection: Connection,
    person: Participant,
    settings: Settings,
    now: float,
    answered: bool,
    arrival: Arrival | None,
) -> bool:
    lock_places(connection)
    if not has_place(connection, person.version, settings.places, person.kind, now):
        return False
    invitation = invitation_with(connection, person.invitation) if person.invitation else None
    if invitation is not None and is_counted(settings, invitation) and not answered and arrival is not None:
        if not arrival.may_take(connection, settings, invitation, now):
            raise Refused(CROWDED)
        arrival.takes(person.id)
    record(connection, "came back", person.id, {"step": person.step}, now)
    return True


def _keep(connection: Connection, submission: Submission, person: Participant, now: float) -> None:
    rows = [_row(answer, submission, person, now) for answer in submission.answers]
    if rows:
        connection.execute(insert(tables.answers), rows)
    details = [
        {"participant": person.id, "field": field, "value": _plain(value)}
        for field, value in submission.details.items()
    ]
    if details:
        connection.execute(insert(tables.details), details)


def _row(answer: StoredAnswer, submission: Submission, person: Participant, now: float) -> dict[str, Any]:
    row: dict[str, Any] = {name: getattr(answer, name) for name in StoredAnswer.__slots__}
    for name in ("label", "reason", "comment", "timing"):
        row[name] = None if row[name] is None else _plain(row[name])
    row["value"] = _finite(answer.value)
    seconds = _finite(answer.seconds)
    row["language"] = answer.language or person.language
    # A clock that was set back leaves the time unknown, not 0.
    by_server = now - person.since if now >= person.since else None
    row["seconds"] = by_server if seconds is None else seconds
    kept = {"participant": submission.participant, "answered": now, "submission": _plain(submission.id)[:64]}
    return {**row, **kept}


def _advance(connection: Connection, submission: Submission, now: float, until: float) -> None:
    values: dict[str, Any] = {"step": submission.step + 1, "since": now, "seen": now}
    if submission.last:
        values |= {"status": "finished", "reserved": None, "ended": now}
    else:
        values |= {"status": "active", "reserved": until, "ended": None}
    _change(connection, submission.participant, values)
    detail = {"step": submission.step, "answers": len(submission.answers)}
    record(connection, submission.event, submission.participant, detail, now)
    if submission.last:
        record(connection, "finished", submission.participant, {}, now)


def _change(connection: Connection, id: str, values: Mapping[str, Any]) -> None:
    connection.execute(update(tables.participants).where(tables.participants.c.id == id).values(**values))


def _plain(text: str) -> str:
    """Return a text that both databases can keep: no NUL, which PostgreSQL refuses, and no half of a character."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None
