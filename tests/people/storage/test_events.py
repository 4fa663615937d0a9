"""Does the log say what happened, in order?"""

from __future__ import annotations

from hengliang.people.storage.database import Database
from hengliang.people.storage.events import Event, events, record


def test_events_come_back_in_order_and_by_participant(database: Database) -> None:
    database.write(record, "opened", None, {}, 3.0).result()
    database.write(record, "consented", "p1", {"list": "甲", "number": 0}, 2.0).result()
    database.write(record, "consented", "p2", {}, 1.0).result()
    found = database.read(events).result()
    # By when they were written, not by the clock, which may have been set back.
    assert [(each.kind, each.participant, each.at) for each in found] == [
        ("opened", None, 3.0),
        ("consented", "p1", 2.0),
        ("consented", "p2", 1.0),
    ]
    assert database.read(events, "p1").result() == [
        Event(found[1].id, 2.0, "p1", "consented", {"list": "甲", "number": 0})
    ]
