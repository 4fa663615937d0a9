"""How carefully has one participant answered so far?

The numbers of `collected/quality.py`, from one participant's answers alone, so that a page about somebody costs
the same however many others there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import polars as pl
from sqlalchemy import Connection, select

from hengliang.experiments import ANSWER_SCHEMA
from hengliang.people.collected.quality import participant_quality
from hengliang.people.sessions.survey import Survey
from hengliang.people.storage import tables


@dataclass(frozen=True, slots=True)
class Quality:
    """What speaks for and against the care of one participant; a missing number is one that cannot be had yet."""

    answers: int = 0
    not_understood: float | None = None
    """The share of answers that say so."""
    catch_shown: int = 0
    catch_failed: int = 0
    repeats: int = 0
    repeat_difference: float | None = None
    """How far second answers lie from first ones, on average."""
    median_seconds: float | None = None
    comments: tuple[tuple[str, str], ...] = ()
    """What the participant wrote, after what it is about."""


def quality_of(connection: Connection, survey: Survey, participant: str) -> Quality:
    """Return how carefully a participant has answered so far, with every comment once."""
    held = tables.answers.c
    version = tables.participants.c.version
    names = [name for name in ANSWER_SCHEMA if name != "version"]
    asked = (
        select(*(held[name] for name in names), version, held.comment)
        .join_from(tables.answers, tables.participants, held.participant == tables.participants.c.id)
        .where(held.participant == participant)
        .order_by(held.id)
    )
    rows = [dict(row) for row in connection.execute(asked).mappings()]
    if not rows:
        return Quality()
    comments = tuple(dict.fromkeys((row["about"], row["comment"]) for row in rows if row["comment"]))
    answers = pl.DataFrame(rows, schema={**ANSWER_SCHEMA, "comment": pl.String()}).drop("comment")
    found: dict[str, Any] = participant_quality(replace(survey.experiment, answers=answers)).row(0, named=True)
    told = {name: found[name] for name in Quality.__slots__ if name != "comments"}
    return Quality(**told, comments=comments)
