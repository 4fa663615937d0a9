"""Which list does the next participant get?

The least filled one, counting who has finished and whose reservation still runs; what expired, withdrew or was excluded
gave its place back. Among equals the one with fewer participants ever, then the one whose name comes first. Lists
are counted for each kind of participant on its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, and_, case, func, or_, select, text

from hengliang.people.sessions.survey import Survey
from hengliang.people.storage import tables
from hengliang.people.storage.participants import Kind

# Any number does that no other program takes in the same database.
_LOCK = 7_204_631_905_118_226_402


@dataclass(frozen=True, slots=True)
class Filling:
    """How full one list is."""

    version: str
    taken: int = 0
    """Finished ones and live reservations."""
    ever: int = 0
    """All that ever got the list, also those who left; the number of the next participant."""


def limit(places: int | None, kind: Kind) -> int | None:
    """Return how many participants of a kind a list takes: as many previews and pilots as one likes."""
    return None if kind in ("preview", "pilot") else places


def lock_places(connection: Connection) -> None:
    """Let nobody else count or take places until this transaction ends.

    SQLite's writing transactions exclude each other anyway.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})


def fillings(connection: Connection, versions: Iterable[str], kind: Kind, now: float) -> dict[str, Filling]:
    """Return how full each list is at this time."""
    held = tables.participants.c
    takes = or_(held.status == "finished", and_(held.status == "active", held.reserved > now))
    counted = (
        select(held.version, func.sum(case((takes, 1), else_=0)), func.count())
        .where(held.kind == kind)
        .group_by(held.version)
    )
    found = {version: Filling(version, int(taken), int(ever)) for version, taken, ever in connection.execute(counted)}
    return {version: found.get(version, Filling(version)) for version in versions}


def least_filled(connection: Connection, survey: Survey, kind: Kind, now: float) -> str | None:
    """Return the list for the next participant, or none when all places are taken; call `lock_places` first."""
    places = limit(survey.settings.places, kind)
    open_lists = [
        each for each in fillings(connection, survey.lists, kind, now).values() if places is None or each.taken < places
    ]
    return min(open_lists, key=_rank).version if open_lists else None


def has_place(connection: Connection, version: str, places: int | None, kind: Kind, now: float) -> bool:
    """Return whether one list has a place left; call `lock_places` first."""
    places = limit(places, kind)
    return places is None or fillings(connection, [version], kind, now)[version].taken < places


def _rank(each: Filling) -> tuple[int, int, str]:
    return each.taken, each.ever, each.version
