"""Can one visitor take all places of a survey whose link is public?

Who agrees gets a place, and whoever has the link can agree as often as they like. So a place without an answer is held
for a short time only (`first_answer_minutes`), and one network address holds no more of such places than it leaves to
others. People in one classroom or household share an address: what counts is only who has not answered an item yet, a
few may always begin, and a link for one person is nobody else's business. Addresses are in memory alone and never
stored; a server that starts again begins to count anew.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, Connection, and_, exists, func, select

from hengliang.people.sessions.settings import Settings
from hengliang.people.storage import tables
from hengliang.people.storage.assignment import fillings, limit
from hengliang.people.storage.invitations import Invitation

NETWORKS = 10_000
"""Of how many addresses newcomers are remembered."""
ALWAYS = 4
"""So many may always begin from one address, also when few places are left."""
ALERT_SECONDS = 600.0
"""How often a line in the log of events says that somebody was refused for this reason."""

_held = tables.participants.c


def unanswered() -> ColumnElement[bool]:
    """Return the condition that a participant has not answered an item yet."""
    return ~exists().where(tables.answers.c.participant == _held.id)


def has_answered(connection: Connection, id: str) -> bool:
    """Return whether a participant has answered an item."""
    return connection.execute(select(tables.answers.c.id).where(tables.answers.c.participant == id)).first() is not None


def is_counted(settings: Settings, invitation: Invitation) -> bool:
    """Return whether it matters how many come from one address: by a link for many, to places that are limited.

    Programs that simulate participants come by links of their own, all from one address.
    """
    limited = settings.places is not None and settings.unanswered_per_address > 0
    return limited and invitation.kind == "real" and invitation.uses != 1


@dataclass
class Newcomers:
    """Who came from which network address, and how often somebody was refused because of that; for many threads."""

    refused: int = 0
    last_refused: float = 0.0
    _of: OrderedDict[str, tuple[str, ...]] = field(default_factory=OrderedDict)
    _logged: float = float("-inf")
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, network: str) -> tuple[str, ...]:
        """Return who came from an address and may still be without an answer."""
        with self._lock:
            return self._of.get(network, ())

    def keep(self, network: str, ids: Sequence[str]) -> None:
        """Remember so of an address."""
        with self._lock:
            self._of.pop(network, None)
            if ids:
                self._of[network] = tuple(ids)
            while len(self._of) > NETWORKS:
                self._of.popitem(last=False)

    def refuse(self, now: float, steady: float) -> bool:
        """Count a refusal, and return whether the log of events should say so once more.

        `now` is the time of day, which is shown; `steady` is of a clock that nobody sets, or one that was set back
        would keep the log silent for as long.
        """
        with self._lock:
            self.refused += 1
            self.last_refused = now
            due = steady - self._logged >= ALERT_SECONDS
            if due:
                self._logged = steady
            return due


@dataclass(frozen=True, slots=True)
class Arrival:
    """From where somebody comes, for a place that they take."""

    newcomers: Newcomers
    network: str
    lists: tuple[str, ...]
    """All lists of the survey."""

    def may_take(self, connection: Connection, settings: Settings, invitation: Invitation, now: float) -> bool:
        """Return whether one more from this address may hold a place without an answer; call `lock_places` first."""
        left = self._places_left(connection, settings, invitation, now)
        waiting = self._waiting(connection, now)
        self.newcomers.keep(self.network, waiting)
        number = len(waiting)
        # With one more of ours, as many places must be left to others as we hold.
        return number < ALWAYS or (number < settings.unanswered_per_address and number + 1 <= left - 1)

    def takes(self, id: str) -> None:
        """Remember who took a place."""
        self.newcomers.keep(self.network, [*(each for each in self.newcomers.of(self.network) if each != id), id])

    def _places_left(self, connection: Connection, settings: Settings, invitation: Invitation, now: float) -> int:
        """Return how many places are free for who has this invitation, on one list or on all."""
        places = limit(settings.places, invitation.kind) or 0
        versions = self.lists if invitation.version is None else (invitation.version,)
        filled = fillings(connection, versions, invitation.kind, now)
        return sum(max(0, places - each.taken) for each in filled.values())

    def _waiting(self, connection: Connection, now: float) -> list[str]:
        known = self.newcomers.of(self.network)
        if not known:
            return []
        holds = and_(_held.status == "active", _held.reserved > now)
        return list(connection.execute(select(_held.id).where(_held.id.in_(known), holds, unanswered())).scalars())


def number_unanswered(connection: Connection, now: float) -> int:
    """Return how many real participants hold a place and have not answered an item."""
    holds = and_(_held.kind == "real", _held.status == "active", _held.reserved > now)
    return int(connection.execute(select(func.count()).where(holds, unanswered())).scalar_one())
