"""Who takes part, and how far are they?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from sqlalchemy import ColumnElement, Connection, Row, delete, insert, select

from hengliang.core.terms import Language
from hengliang.people.storage import tables
from hengliang.people.storage.tokens import new_token, sealed

Kind = Literal["real", "pilot", "simulated", "preview"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""They are kept apart in every count, list and export."""
Status = Literal["active", "finished", "withdrawn", "excluded", "expired"]
STATUSES: tuple[Status, ...] = get_args(Status)
SESSIONS = 20
"""How many devices one participant may use; the oldest ones are forgotten."""


@dataclass(frozen=True, slots=True)
class Participant:
    """One row of the table of participants, without the digests of its secrets."""

    id: str
    kind: Kind
    status: Status
    invitation: str | None
    completion: str | None
    external: str | None
    language: Language
    version: str
    number: int
    seed: int
    order: tuple[int, ...]
    step: int
    steps: int
    since: float
    consent: str
    consented: float
    seen: float
    reserved: float | None
    ended: float | None
    reason: str

    def holds_place(self, now: float) -> bool:
        """Return whether a place on the list is taken: by having finished, or by a reservation that still runs."""
        return self.status == "finished" or (
            self.status == "active" and self.reserved is not None and self.reserved > now
        )


_FIELDS = tuple(Participant.__slots__)
_COLUMNS = [tables.participants.c[name] for name in _FIELDS]
_ORDER = _FIELDS.index("order")


@lru_cache(4096)
def _order(text: str) -> tuple[int, ...]:
    return tuple(json.loads(text))


def participant_from(row: Row[tuple[object, ...]]) -> Participant:
    """Return the participant of a row that `chosen_participants` chose."""
    values = list(row)
    values[_ORDER] = _order(str(values[_ORDER]))
    return Participant(*values)  # type: ignore[arg-type]


def participant(connection: Connection, id: str, *, locked: bool = False) -> Participant | None:
    """Return a participant by id; `locked` keeps others from changing the row until the transaction ends."""
    chosen = select(*_COLUMNS).where(tables.participants.c.id == id)
    # SQLite has one writer at a time and knows no row locks; its dialect leaves the clause out.
    row = connection.execute(chosen.with_for_update() if locked else chosen).first()
    return None if row is None else participant_from(row)


def participants(connection: Connection, kind: Kind | None = None) -> list[Participant]:
    """Return all participants, or those of one kind, in the order in which they came."""
    chosen = select(*_COLUMNS).order_by(tables.participants.c.consented, tables.participants.c.id)
    if kind is not None:
        chosen = chosen.where(tables.participants.c.kind == kind)
    return [participant_from(row) for row in connection.execute(chosen)]


def participants_where(
    connection: Connection, *conditions: ColumnElement[bool], locked: bool = False
) -> list[Participant]:
    """Return the participants for whom all conditions hold, by id; locked ones of others are passed over."""
    chosen = select(*_COLUMNS).where(*conditions).order_by(tables.participants.c.id)
    rows = connection.execute(chosen.with_for_update(skip_locked=True) if locked else chosen)
    return [participant_from(row) for row in rows]


def participant_of_session(connection: Connection, token: str) -> Participant | None:
    """Return who holds the cookie."""
    chosen = select(*_COLUMNS).join(tables.sessions, tables.sessions.c.participant == tables.participants.c.id)
    row = connection.execute(chosen.where(tables.sessions.c.token == sealed(token))).first()
    return None if row is None else participant_from(row)


def participant_of_resume(connection: Connection, token: str) -> Participant | None:
    """Return whose link to go on elsewhere it is."""
    row = connection.execute(select(*_COLUMNS).where(tables.participants.c.resume == sealed(token))).first()
    return None if row is None else participant_from(row)


def new_session(connection: Connection, participant: str, now: float) -> str:
    """Return the cookie for another device of a participant; cookies of other devices stay valid."""
    token = new_token()
    keep_session(connection, token, participant, now)
    held = tables.sessions.c
    newest_first = select(held.token).where(held.participant == participant).order_by(held.created.desc(), held.token)
    old = list(connection.execute(newest_first.offset(SESSIONS)).scalars())
    if old:
        connection.execute(delete(tables.sessions).where(held.token.in_(old)))
    return token


def keep_session(connection: Connection, token: str, participant: str, now: float) -> None:
    """Know a participant by a cookie from now on."""
    connection.execute(insert(tables.sessions), {"token": sealed(token), "participant": participant, "created": now})


def details_of(connection: Connection, participant: str) -> dict[str, str]:
    """Return what a participant said about themselves."""
    held = tables.details.c
    chosen = select(held.field, held.value).where(held.participant == participant).order_by(held.field)
    return {row.field: row.value for row in connection.execute(chosen)}
