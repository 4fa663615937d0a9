"""What do tests of surveys share: a real PostgreSQL server?"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.people.postgres_server import PostgresServer


def _new_server() -> PostgresServer:
    for module in ("psycopg", "sqlalchemy", "psutil"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed: pip install 'hengliang[survey]'")
    from tests.people.postgres_server import PostgresServer, programs

    if programs() is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    return PostgresServer.create()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """Give the server that all tests of one process share; none of them may kill it."""
    server = _new_server()
    yield server
    server.remove()


@pytest.fixture
def own_postgres_server() -> Iterator[PostgresServer]:
    """Give a server that one test may stop and kill."""
    server = _new_server()
    yield server
    server.remove()


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> str:
    """Give the address of an empty database on a real PostgreSQL server; whoever needs a second one asks the server."""
    return postgres_server.empty_database()
