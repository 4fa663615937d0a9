"""What do tests of storage share: every database there is?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed: pip install 'hengliang[survey]'")

from hengliang.people.storage.database import Database, database_url
from hengliang.people.storage.migrating import migrate, revision
from hengliang.people.storage.tables import metadata

if TYPE_CHECKING:
    from tests.people.postgres_server import PostgresServer

KINDS = ["sqlite", "postgresql"]


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the address of an empty database without tables, of each kind in turn."""
    return database_url(tmp_path, None if request.param == "sqlite" else request.getfixturevalue("postgres_url"))


@pytest.fixture(params=KINDS)
def migrated_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the address of a database with all tables and nothing in them, of each kind in turn."""
    if request.param == "postgresql":
        return _with_empty_tables(request.getfixturevalue("postgres_server"))
    url = database_url(tmp_path)
    migrate(url)
    return url


@pytest.fixture
def database(migrated_url: str) -> Iterator[Database]:
    """Give a database with all tables and nothing in them, of each kind in turn."""
    with Database.open(migrated_url) as opened:
        yield opened


def _with_empty_tables(server: PostgresServer) -> str:
    url = server.database("migrated")
    if revision(url) is None:
        migrate(url)
    rows = "; ".join(f"DELETE FROM {table.name}" for table in reversed(metadata.sorted_tables))
    # As a replica, which no trigger hinders: the log of events, too, is emptied between tests.
    server.execute(f"SET session_replication_role TO replica; {rows}", "migrated")
    return url
