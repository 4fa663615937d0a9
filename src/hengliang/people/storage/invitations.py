"""Who may take part?

An invitation is a link. It says which kind of participant comes by it, and may be limited to a number of uses or lead
to one list. The token is shown once, when the invitation is made; the database keeps its digest.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from hengliang.core.errors import UserError, unknown_name
from hengliang.people.storage import tables
from hengliang.people.storage.events import record
from hengliang.people.storage.participants import KINDS, Kind
from hengliang.people.storage.tokens import new_id, new_token, sealed


@dataclass(frozen=True, slots=True)
class Invitation:
    """One invitation as the researchers see it."""

    id: str
    kind: Kind
    label: str
    uses: int | None
    used: int
    version: str | None
    created: float
    revoked: float | None

    @property
    def usable(self) -> bool:
        """Whether it can be used once more."""
        return self.revoked is None and (self.uses is None or self.used < self.uses)


_COLUMNS = [tables.invitations.c[name] for name in Invitation.__slots__]


def invite(
    connection: Connection,
    kind: Kind,
    now: float,
    *,
    label: str = "",
    uses: int | None = None,
    version: str | None = None,
) -> str:
    """Make an invitation and return its token, which is not kept."""
    if kind not in KINDS:
        raise unknown_name("kind of participant", kind, KINDS)
    if uses is not None and uses < 1:
        raise UserError(f"An invitation cannot be used {uses} times.", valid="At least once, or any number of times.")
    token, id = new_token(), new_id()
    row = {"id": id, "token": sealed(token), "kind": kind, "label": label, "uses": uses, "used": 0, "version": version}
    connection.execute(insert(tables.invitations), {**row, "created": now})
    record(connection, "invited", None, {"invitation": id, "kind": kind, "uses": uses, "version": version}, now)
    return token


def invitation_of(connection: Connection, token: str, *, locked: bool = False) -> Invitation | None:
    """Return the invitation of a token, also one that is used up or revoked."""
    chosen = select(*_COLUMNS).where(tables.invitations.c.token == sealed(token))
    row = connection.execute(chosen.with_for_update() if locked else chosen).first()
    return None if row is None else Invitation(*row)


def invitation_with(connection: Connection, id: str) -> Invitation | None:
    """Return the invitation with an id."""
    row = connection.execute(select(*_COLUMNS).where(tables.invitations.c.id == id)).first()
    return None if row is None else Invitation(*row)


def invitations(connection: Connection) -> list[Invitation]:
    """Return all invitations, oldest first."""
    chosen = select(*_COLUMNS).order_by(tables.invitations.c.created, tables.invitations.c.id)
    return [Invitation(*row) for row in connection.execute(chosen)]


def revoke(connection: Connection, id: str, now: float) -> bool:
    """Let nobody come by an invitation any more; returns whether there was one to revoke."""
    held = tables.invitations.c
    changed = connection.execute(
        update(tables.invitations).where(held.id == id, held.revoked.is_(None)).values(revoked=now)
    )
    if changed.rowcount:
        record(connection, "revoked", None, {"invitation": id}, now)
    return bool(changed.rowcount)
