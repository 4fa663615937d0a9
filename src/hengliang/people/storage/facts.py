"""What does a database know about the survey it belongs to: its design, its secret, whether it is open?"""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256

from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from hengliang.core.errors import UserError
from hengliang.people.storage import tables
from hengliang.people.storage.events import record

__all__ = [
    "bind_course",
    "bind_design",
    "close_survey",
    "fact",
    "form_secret",
    "has_withdrawn",
    "is_open",
    "open_survey",
    "remember_withdrawal",
    "set_fact",
]

WITHDRAWN = "withdrawn"
"""What stands beside the fingerprint of a panel's id that withdrew."""


def fact(connection: Connection, name: str) -> str | None:
    """Return one fact, if it is known."""
    return connection.execute(select(tables.facts.c.value).where(tables.facts.c.name == name)).scalar()


def set_fact(connection: Connection, name: str, value: str) -> None:
    """Keep a fact, in place of a former one."""
    changed = connection.execute(update(tables.facts).where(tables.facts.c.name == name).values(value=value))
    if not changed.rowcount:
        connection.execute(insert(tables.facts).values(name=name, value=value))


def settled(connection: Connection, name: str, value: str) -> str:
    """Return a fact, which is `value` if nobody said anything before; two who say so at once get the same."""
    make = postgres_insert if connection.dialect.name == "postgresql" else sqlite_insert
    connection.execute(make(tables.facts).values(name=name, value=value).on_conflict_do_nothing())
    return str(fact(connection, name))


def bind_design(connection: Connection, digest: str) -> None:
    """Give the database to one design for ever; refuse one that belongs to another.

    Answers to other stimuli, lists or tasks in the same tables could not be told apart later.
    """
    held = settled(connection, "design", digest)
    if held != digest:
        raise UserError(
            f"This database holds the answers of another design ({held}, not {digest}).",
            remedy="Serve the folder as it was, or give a changed design a folder and a database of its own.",
        )


def bind_course(connection: Connection, course: str) -> None:
    """Keep those settings on which everybody's pages depend; refuse others once somebody has begun.

    The database knows of a participant how many pages are done. With another sequence of pages that number would mean
    another place.
    """
    held = settled(connection, "course", course)
    if held == course:
        return
    if connection.execute(select(func.count()).select_from(tables.participants)).scalar_one():
        raise UserError(
            f"Participants have begun with other settings: {held}; survey.toml says now: {course}.",
            remedy="Set these entries of survey.toml back, or give the changed survey a folder of its own.",
        )
    set_fact(connection, "course", course)


def form_secret(connection: Connection) -> bytes:
    """Return the key with which form tokens are made; drawn once, so that a restart leaves open pages valid."""
    return bytes.fromhex(settled(connection, "secret", secrets.token_hex(32)))


def remember_withdrawal(connection: Connection, kind: str, external: str) -> None:
    """Keep a fingerprint of a panel's id that withdrew, so that it does not take part again; not who it was here."""
    settled(connection, _fingerprint(connection, kind, external), WITHDRAWN)


def has_withdrawn(connection: Connection, kind: str, external: str) -> bool:
    """Return whether somebody with this panel's id has withdrawn."""
    return fact(connection, _fingerprint(connection, kind, external)) == WITHDRAWN


def _fingerprint(connection: Connection, kind: str, external: str) -> str:
    """Return a digest that only this database's key makes: the id does not follow from it."""
    text = f"{WITHDRAWN}\x00{kind}\x00{external}".encode(errors="surrogatepass")
    return hmac.new(form_secret(connection), text, sha256).hexdigest()


def is_open(connection: Connection, now: float) -> bool:
    """Return whether new participants are taken at this time; those who began may always go on."""
    if fact(connection, "state") == "closed":
        return False
    until = fact(connection, "closes")
    return until is None or now < float(until)


def close_survey(connection: Connection, now: float, *, at: float | None = None) -> None:
    """Take no new participants any more, from now or from a later time on."""
    if at is None or at <= now:
        set_fact(connection, "state", "closed")
    else:
        set_fact(connection, "closes", repr(at))
    record(connection, "closed", None, {} if at is None else {"from": at}, now)


def open_survey(connection: Connection, now: float) -> None:
    """Take new participants again, without an end."""
    set_fact(connection, "state", "open")
    set_fact(connection, "closes", "inf")
    record(connection, "opened", None, {}, now)
