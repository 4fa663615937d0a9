"""How far is the survey, list by list?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, and_, case, func, or_, select

from hengliang.people.storage import tables
from hengliang.people.storage.participants import STATUSES, Kind


@dataclass(frozen=True, slots=True)
class ListProgress:
    """How many participants of one list are where, and how many answers they gave."""

    version: str
    active: int = 0
    finished: int = 0
    expired: int = 0
    """Whose reservation ran out, whether that has been written down or not."""
    withdrawn: int = 0
    excluded: int = 0
    answers: int = 0
    """Of everybody but those who were excluded."""


def progress(connection: Connection, kind: Kind, now: float, versions: Iterable[str] = ()) -> list[ListProgress]:
    """Return the state of every list that somebody has got, and of those in `versions`, by name."""
    held = tables.participants.c
    lapsed = and_(held.status == "active", or_(held.reserved.is_(None), held.reserved <= now))
    status = case((lapsed, "expired"), else_=held.status)
    counted = select(held.version, status, func.count()).where(held.kind == kind).group_by(held.version, status)
    found: dict[str, dict[str, int]] = {version: {} for version in versions}
    for version, state, number in connection.execute(counted):
        found.setdefault(version, {})[state] = number
    answers = _answers(connection, kind)
    return [
        ListProgress(version, **{state: states.get(state, 0) for state in STATUSES}, answers=answers.get(version, 0))
        for version, states in sorted(found.items())
    ]


def _answers(connection: Connection, kind: Kind) -> dict[str, int]:
    """Count by participant first: the index of answers is in that order."""
    held = tables.participants.c
    own = (
        select(tables.answers.c.participant, func.count().label("given"))
        .group_by(tables.answers.c.participant)
        .subquery()
    )
    counted = (
        select(held.version, func.sum(own.c.given))
        .join(own, own.c.participant == held.id)
        .where(held.kind == kind, held.status != "excluded")
        .group_by(held.version)
    )
    return {version: int(given) for version, given in connection.execute(counted)}
