"""What have the participants of a survey answered, who are they, and who is left out?

Everything comes out of the database as columns, in chunks, so that a million answers need little more memory than the
tables that are made of them. Participants of other kinds, withdrawn and excluded ones never come out; how many they are
is counted. Participants who did not finish come out unless they are not wanted, and are marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import polars as pl
from sqlalchemy import Connection, Select, func, literal, select
from sqlalchemy.exc import SQLAlchemyError

from hengliang.core.errors import UserError
from hengliang.people.collected.reading import Kind, kind_named
from hengliang.people.storage import tables
from hengliang.people.storage.engines import engine_of, explained, is_sqlite, said
from hengliang.people.storage.facts import fact
from hengliang.people.storage.migrating import check_revision

KEPT = ("active", "finished", "expired")
"""The states of participants whose answers come out."""

CHUNK = 20_000

COLLECTED_SCHEMA: dict[str, pl.DataType] = {
    "participant": pl.String(),
    "about": pl.String(),
    "occurrence": pl.Int64(),
    "scale": pl.String(),
    "value": pl.Float64(),
    "label": pl.String(),
    "status": pl.String(),
    "reason": pl.String(),
    "comment": pl.String(),
    "language": pl.String(),
    "role": pl.String(),
    "trial": pl.Int64(),
    "screen": pl.Int64(),
    "place": pl.Int64(),
    "highlighted": pl.Boolean(),
    "answered": pl.Float64(),
    "seconds": pl.Float64(),
    "timing": pl.String(),
    "submission": pl.String(),
}
"""The answers as the database has them."""

PARTICIPANT_SCHEMA: dict[str, pl.DataType] = {
    "participant": pl.String(),
    "status": pl.String(),
    "external": pl.String(),
    "language": pl.String(),
    "version": pl.String(),
    "number": pl.Int64(),
    "step": pl.Int64(),
    "steps": pl.Int64(),
    "consent": pl.String(),
    "consented": pl.Float64(),
    "seen": pl.Float64(),
    "ended": pl.Float64(),
    "completion": pl.String(),
}
DETAIL_SCHEMA: dict[str, pl.DataType] = {"participant": pl.String(), "field": pl.String(), "value": pl.String()}


@dataclass(frozen=True, slots=True, eq=False)
class Collected:
    """What one kind of participants said, and how many are not among them.

    `answers` has the version of the participant and whether they finished beside each answer; `details` what they told
    about themselves. `states` counts all participants of the kind by their state, `reasons` the excluded ones by why.
    """

    kind: Kind
    answers: pl.DataFrame
    participants: pl.DataFrame
    details: pl.DataFrame
    states: Mapping[str, int]
    reasons: Mapping[str, int]
    finished_only: bool = False


def collect(
    connection: Connection, kind: str = "real", *, finished_only: bool = False, timing: bool = False
) -> Collected:
    """Return all answers of one kind of participants, each exactly once, in the order in which they were stored.

    `timing` brings the browser's events along, which are most of the bytes. Participants are read before answers: an
    answer that was stored before this began is there, and one of somebody who came since is not.
    """
    wanted = kind_named(kind)
    state = select(tables.participants.c.status, func.count()).where(tables.participants.c.kind == wanted)
    states = dict(_pairs(connection, state.group_by(tables.participants.c.status)))
    kept = ("finished",) if finished_only else KEPT
    participants = _frame(connection, _participants(wanted, kept), PARTICIPANT_SCHEMA)
    details = _frame(connection, _details(wanted, kept), DETAIL_SCHEMA)
    answers = _frame(connection, _answers(wanted, kept, timing=timing), COLLECTED_SCHEMA)
    beside = participants.select("participant", "version", finished=pl.col("status") == "finished")
    return Collected(
        wanted,
        answers.join(beside, on="participant", how="inner", maintain_order="left"),
        participants,
        details.join(beside.select("participant"), on="participant", how="semi"),
        states,
        _reasons(connection, wanted),
        finished_only,
    )


def _participants(kind: str, kept: tuple[str, ...]) -> Select[Any]:
    held = tables.participants.c
    columns = [held.id if name == "participant" else held[name] for name in PARTICIPANT_SCHEMA]
    return select(*columns).where(held.kind == kind, held.status.in_(kept)).order_by(held.consented, held.id)


def _details(kind: str, kept: tuple[str, ...]) -> Select[Any]:
    held, owner = tables.details.c, tables.participants.c
    joined = select(held.participant, held.field, held.value).join(tables.participants, held.participant == owner.id)
    return joined.where(owner.kind == kind, owner.status.in_(kept)).order_by(held.participant, held.field)


def _answers(kind: str, kept: tuple[str, ...], *, timing: bool) -> Select[Any]:
    held, owner = tables.answers.c, tables.participants.c
    left_out = () if timing else ("timing",)
    columns = [literal("").label(name) if name in left_out else held[name] for name in COLLECTED_SCHEMA]
    joined = select(*columns).join_from(tables.answers, tables.participants, held.participant == owner.id)
    return joined.where(owner.kind == kind, owner.status.in_(kept)).order_by(held.id)


def _frame(connection: Connection, statement: Select[Any], schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Read rows chunk by chunk into columns; no more than one chunk is ever there as Python objects."""
    result = connection.execution_options(yield_per=CHUNK).execute(statement)
    chunks = [
        pl.DataFrame([tuple(row) for row in rows], schema=schema, orient="row", strict=False)
        for rows in result.partitions(CHUNK)
    ]
    return pl.concat([pl.DataFrame(schema=schema), *chunks])


def _reasons(connection: Connection, kind: str) -> dict[str, int]:
    held = tables.participants.c
    asked = select(held.reason, func.count()).where(held.kind == kind, held.status == "excluded").group_by(held.reason)
    return dict(_pairs(connection, asked.order_by(held.reason)))


def _pairs(connection: Connection, statement: Select[Any]) -> list[tuple[str, int]]:
    return [(name, count) for name, count in connection.execute(statement)]


# --- the database -----------------------------------------------------------------------------------------------------


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    """Give a connection to a survey's database for reading; nothing is created and nothing is changed."""
    check_revision(url)
    engine = engine_of(url, writing=False, pooled=False)
    try:
        with engine.connect() as opened:
            # One look at all tables; in SQLite every transaction is one.
            level = {} if is_sqlite(url) else {"isolation_level": "REPEATABLE READ"}
            connection = opened.execution_options(**level)
            with connection.begin():
                yield connection
    except SQLAlchemyError as error:
        raise explained(error, url) from error
    finally:
        engine.dispose()


def read_collected(
    url: str, kind: str = "real", *, design: str | None = None, finished_only: bool = False, timing: bool = False
) -> Collected:
    """Return all answers of one kind of participants from the database at an address; `design` is whose it must be."""
    with connected(url) as connection:
        held = fact(connection, "design")
        if None not in (design, held) and design != held:
            raise UserError(
                f"The database {said(url)} holds the answers of another design ({held}, not {design}).",
                remedy="Read it with the folder as it was served.",
            )
        return collect(connection, kind, finished_only=finished_only, timing=timing)
