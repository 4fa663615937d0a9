"""How does somebody leave, and what stays of them?"""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, delete, or_, select, update

from hengliang.people.storage import tables
from hengliang.people.storage.erasing import note_withdrawal
from hengliang.people.storage.events import record
from hengliang.people.storage.facts import remember_withdrawal
from hengliang.people.storage.newcomers import unanswered
from hengliang.people.storage.participants import participant, participants_where
from hengliang.people.storage.tokens import sealed, tidied
from hengliang.people.storage.writing import FORGET

_OWN = (tables.answers, tables.details, tables.sessions)


def withdraw(connection: Connection, code: str, now: float) -> bool:
    """Delete all that a participant said, and every way back to the person; returns whether the code was somebody's.

    A tombstone stays: the id, that it withdrew, its list and number, and when it came and went; and, apart from it, a
    fingerprint of the panel's id, which does not take part again. The place on the list is free again. Right and wrong
    codes take one look into an index of digests, so the time says nothing about a code.
    """
    held = tables.participants.c
    found = connection.execute(select(held.id).where(held.withdrawal == sealed(tidied(code)))).scalar()
    return found is not None and withdraw_participant(connection, found, now)


def withdraw_participant(connection: Connection, id: str, now: float) -> bool:
    """Delete what a participant said, as with the code, for one who asks the researchers to; false for nobody."""
    # Locked before anything is deleted: an answer on its way comes before, and is deleted, or is refused.
    person = participant(connection, id, locked=True)
    if person is None or person.status == "withdrawn":
        return False
    if person.external is not None:
        remember_withdrawal(connection, person.kind, person.external)
    for table in _OWN:
        connection.execute(delete(table).where(table.c.participant == id))
    empty = dict.fromkeys(("resume", "withdrawal", "completion", "external", "invitation", "reserved"))
    connection.execute(
        update(tables.participants)
        .where(tables.participants.c.id == id)
        .values(**empty, status="withdrawn", ended=now, reason="", order="[]")
    )
    record(connection, "withdrew", id, {}, now)
    note_withdrawal(connection, id)
    connection.info[FORGET] = True
    return True


def exclude(connection: Connection, id: str, reason: str, now: float) -> bool:
    """Keep a participant's answers out of the data, for a stated reason; the place is free again.

    Returns false for nobody and for one who withdrew or is excluded already.
    """
    person = participant(connection, id, locked=True)
    if person is None or person.status in ("withdrawn", "excluded"):
        return False
    # `ended` stays when somebody finished, for readmission asks for it.
    values = {"status": "excluded", "reason": reason, "reserved": None, "ended": person.ended or now}
    connection.execute(update(tables.participants).where(tables.participants.c.id == id).values(**values))
    record(connection, "excluded", id, {"from": person.status}, now)
    return True


def readmit(connection: Connection, id: str, now: float) -> bool:
    """Take an exclusion back: who was at the end has finished, who was not may go on if a place is left."""
    person = participant(connection, id, locked=True)
    if person is None or person.status != "excluded":
        return False
    status = "finished" if person.step >= person.steps - 1 else "expired"
    connection.execute(
        update(tables.participants).where(tables.participants.c.id == id).values(status=status, reason="")
    )
    record(connection, "readmitted", id, {"to": status}, now)
    return True


def expire(connection: Connection, now: float) -> int:
    """Write down whose reservation has run out, and return how many there were.

    Their places are free from that moment on, whether this is called or not; they may come back while a place is left.
    """
    held = tables.participants.c
    return _expire(connection, now, or_(held.reserved.is_(None), held.reserved <= now))


def expire_unanswered(connection: Connection, now: float) -> int:
    """Give back the places of all real participants who have not answered an item; returns how many there were.

    They may come back while a place is left, a few at a time from one address.
    """
    return _expire(connection, now, tables.participants.c.kind == "real", unanswered())


def _expire(connection: Connection, now: float, *conditions: ColumnElement[bool]) -> int:
    held = tables.participants.c
    lapsed = participants_where(connection, held.status == "active", *conditions, locked=True)
    for person in lapsed:
        values = {"status": "expired", "reserved": None, "ended": now}
        connection.execute(update(tables.participants).where(held.id == person.id).values(**values))
        record(connection, "expired", person.id, {"step": person.step}, now)
    return len(lapsed)
