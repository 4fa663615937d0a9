"""What happened, in which order?

The log is appended to; triggers of the database refuse every change. It holds no answer and no free text: a withdrawal
deletes what somebody said, and leaves when somebody came and went.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select

from hengliang.people.storage import tables


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the log."""

    id: int
    at: float
    participant: str | None
    kind: str
    detail: Mapping[str, Any]


def record(connection: Connection, kind: str, participant: str | None, detail: Mapping[str, Any], now: float) -> None:
    """Append a line to the log; `detail` holds numbers and names of ours, nothing that a participant wrote."""
    text = json.dumps(detail, ensure_ascii=False, sort_keys=True) if detail else ""
    connection.execute(insert(tables.events), {"at": now, "participant": participant, "kind": kind, "detail": text})


def events(connection: Connection, participant: str | None = None) -> list[Event]:
    """Return the log, or what it says of one participant, oldest first."""
    chosen = select(tables.events).order_by(tables.events.c.id)
    if participant is not None:
        chosen = chosen.where(tables.events.c.participant == participant)
    return [
        Event(row.id, row.at, row.participant, row.kind, json.loads(row.detail) if row.detail else {})
        for row in connection.execute(chosen)
    ]
