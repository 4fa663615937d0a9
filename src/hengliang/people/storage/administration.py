"""Who may see the researchers' pages?

Whoever starts the server is shown a link that works once and for a quarter of an hour. It gives a cookie for half a
day. The database keeps digests of both.
"""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select, update

from hengliang.people.storage import tables
from hengliang.people.storage.events import record
from hengliang.people.storage.tokens import new_token, sealed

LINK_SECONDS = 15 * 60.0
SESSION_SECONDS = 12 * 3600.0

_held = tables.administrators.c


def one_time_link(connection: Connection, now: float) -> str:
    """Return the token of a new link; what has run out is forgotten."""
    connection.execute(delete(tables.administrators).where(_held.expires <= now))
    token = _new(connection, "link", now, LINK_SECONDS)
    record(connection, "link made", None, {}, now)
    return token


def redeem(connection: Connection, token: str, now: float) -> str | None:
    """Return the cookie that a link is worth, once; of two who come at once, one gets it."""
    used = connection.execute(
        update(tables.administrators)
        .where(_held.token == sealed(token), _held.kind == "link", _held.used.is_(None), _held.expires > now)
        .values(used=now)
    )
    if not used.rowcount:
        return None
    session = _new(connection, "session", now, SESSION_SECONDS)
    record(connection, "signed in", None, {}, now)
    return session


def is_administrator(connection: Connection, session: str, now: float) -> bool:
    """Return whether the cookie is that of somebody who came by a link, and not too long ago."""
    chosen = select(_held.token).where(_held.token == sealed(session), _held.kind == "session", _held.expires > now)
    return connection.execute(chosen).first() is not None


def sign_out(connection: Connection, session: str, now: float) -> None:
    """Make a cookie worthless."""
    gone = connection.execute(
        delete(tables.administrators).where(_held.token == sealed(session), _held.kind == "session")
    )
    if gone.rowcount:
        record(connection, "signed out", None, {}, now)


def _new(connection: Connection, kind: str, now: float, seconds: float) -> str:
    token = new_token()
    row = {"token": sealed(token), "kind": kind, "created": now, "expires": now + seconds}
    connection.execute(insert(tables.administrators), row)
    return token
