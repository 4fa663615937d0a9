"""Does every database get the same tables, once, wholly or not at all?"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

from hengliang import UserError
from hengliang.people.storage import migrating
from hengliang.people.storage.database import Database
from hengliang.people.storage.engines import DatabaseAway, database_url, engine_of
from hengliang.people.storage.migrating import check_revision, head, migrate, revision
from hengliang.people.storage.tables import metadata

BROKEN = """
revision = "0002"
down_revision = "0001"

from alembic import op
import sqlalchemy as sa

def upgrade():
    op.create_table("half", sa.Column("a", sa.Integer))
    op.execute("this is not SQL")
"""


def test_a_migrated_database_is_what_the_tables_say(url: str) -> None:
    assert revision(url) is None
    migrate(url)
    assert revision(url) == head() == "0001"
    with engine_of(url, writing=True, pooled=False).connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []


def test_migrating_again_changes_nothing(url: str) -> None:
    migrate(url)
    with engine_of(url, writing=True, pooled=False).begin() as connection:
        connection.execute(text("INSERT INTO facts (name, value) VALUES ('kept', 'yes')"))
    migrate(url)
    with engine_of(url, writing=False, pooled=False).connect() as connection:
        assert connection.execute(text("SELECT value FROM facts")).scalars().all() == ["yes"]


def test_two_who_migrate_at_once_wait_for_each_other(url: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(migrate, [url] * 4)) == [None] * 4
    assert revision(url) == head()


def test_a_database_of_a_newer_version_is_refused(url: str) -> None:
    migrate(url)
    with engine_of(url, writing=True, pooled=False).begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    for refuse in (migrate, check_revision, Database.open):
        with pytest.raises(
            UserError, match=r"kept by a newer hengliang \(revision 9999, we know up to 0001\)"
        ) as caught:
            refuse(url)
        assert "pip install --upgrade" in caught.value.remedy
    assert revision(url) == "9999"


def test_a_database_that_is_not_there_is_refused(url: str) -> None:
    with pytest.raises(UserError, match="There is no survey in"):
        Database.open(url)


def test_a_migration_that_fails_leaves_everything_as_it_was(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(url)
    revisions = tmp_path / "revisions"
    revisions.mkdir()
    (revisions / "first.py").write_text((migrating.FOLDER / "first_tables.py").read_text(encoding="utf-8"))
    (revisions / "second.py").write_text(BROKEN)
    monkeypatch.setattr(migrating, "FOLDER", revisions)
    assert head() == "0002"
    with pytest.raises(UserError, match=r"kept by an older hengliang \(revision 0001, now 0002\)"):
        check_revision(url)
    with pytest.raises(DatabaseAway):
        migrate(url)
    assert revision(url) == "0001"
    with engine_of(url, writing=True, pooled=False).connect() as connection:
        assert "half" not in inspect(connection).get_table_names()


def test_a_file_that_is_no_database_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "survey.sqlite").write_bytes(b"This is a letter, not a database. " * 100)
    with pytest.raises(DatabaseAway, match="file is not a database"):
        migrate(database_url(tmp_path))
