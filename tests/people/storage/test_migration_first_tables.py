"""Do the first tables keep what must not change?"""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, insert, text
from sqlalchemy.exc import DBAPIError

from hengliang.people.storage import tables
from hengliang.people.storage.database import Database
from hengliang.people.storage.events import events, record


@pytest.mark.parametrize("change", ["UPDATE events SET kind = 'nothing'", "DELETE FROM events", "TRUNCATE events"])
def test_events_can_only_be_appended(database: Database, change: str) -> None:
    if change.startswith("TRUNCATE") and database.url.startswith("sqlite"):
        change = "DELETE FROM events WHERE id > 0"
    database.write(record, "began", None, {}, 1.0).result()

    def run(connection: Connection) -> None:
        connection.execute(text(change))

    with pytest.raises(DBAPIError, match="events are appended, never changed"):
        database.write(run).result()
    assert [each.kind for each in database.read(events).result()] == ["began"]


def test_answers_belong_to_somebody(database: Database) -> None:
    def orphan(connection: Connection) -> None:
        connection.execute(insert(tables.details), {"participant": "nobody", "field": "age", "value": "30"})

    with pytest.raises(DBAPIError, match=r"(?i)foreign key"):
        database.write(orphan).result()
