"""What did the server acknowledge, and does the database hold exactly that?

A bot writes down an answer when the server has said that it is kept, and not before. Afterwards the two books are
compared by the id of the submission, the stimulus and the scale: nothing may be missing, changed, doubled or invented.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass, field

import polars as pl
from sqlalchemy import Connection, select

from hengliang.people.storage.tables import answers, participants


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """One answer that the server has said to be kept."""

    bot: int
    submission: str
    about: str
    occurrence: int
    scale: str
    value: float | None
    label: str | None
    status: str = "ok"


@dataclass
class Ledger:
    """All that was acknowledged, in the order in which it was."""

    entries: list[Acknowledged] = field(default_factory=list)

    def add(self, entries: Iterable[Acknowledged]) -> None:
        """Write down what was acknowledged."""
        self.entries.extend(entries)

    def frame(self) -> pl.DataFrame:
        """Return the ledger as a table."""
        return pl.DataFrame([_row(entry) for entry in self.entries], schema=LEDGER_SCHEMA, orient="row")


LEDGER_SCHEMA: dict[str, pl.DataType] = {
    "bot": pl.Int64(),
    "submission": pl.String(),
    "about": pl.String(),
    "occurrence": pl.Int64(),
    "scale": pl.String(),
    "value": pl.Float64(),
    "label": pl.String(),
    "status": pl.String(),
}


def _row(entry: Acknowledged) -> tuple[object, ...]:
    return tuple(getattr(entry, name) for name in LEDGER_SCHEMA)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The ledger beside the database."""

    acknowledged: int
    stored: int
    lost: tuple[str, ...] = ()
    """Acknowledged, but not stored, or stored otherwise."""
    invented: tuple[str, ...] = ()
    """Stored, but never acknowledged."""
    doubled: tuple[str, ...] = ()
    """Stored more than once, or for more than one participant."""

    @property
    def equal(self) -> bool:
        """Whether exactly what was acknowledged is stored."""
        return not (self.lost or self.invented or self.doubled) and self.acknowledged == self.stored


@dataclass(frozen=True, slots=True)
class StoredAnswers:
    """What the database holds of the participants of one invitation: their ids with each answer."""

    rows: tuple[tuple[str, Acknowledged], ...]

    def of_submissions(self, submissions: Set[str]) -> StoredAnswers:
        """Return all answers of those participants who made one of these submissions."""
        known = {participant for participant, entry in self.rows if entry.submission in submissions}
        return StoredAnswers(tuple(row for row in self.rows if row[0] in known))


def stored_answers(connection: Connection, invitation: str) -> StoredAnswers:
    """Return all answers of those who came by an invitation (its id)."""
    columns = [answers.c[name] for name in LEDGER_SCHEMA if name != "bot"]
    query = (
        select(answers.c.participant, *columns)
        .join(participants, participants.c.id == answers.c.participant)
        .where(participants.c.invitation == invitation)
        .order_by(answers.c.id)
    )
    return StoredAnswers(tuple((row[0], Acknowledged(0, *row[1:])) for row in connection.execute(query)))


def compare(ledger: Ledger, stored: StoredAnswers) -> Comparison:
    """Compare what was acknowledged with what is stored."""
    ours = {_key(entry): _said(entry) for entry in ledger.entries}
    theirs = {_key(entry): _said(entry) for _, entry in stored.rows}
    lost = [key for key, said in ours.items() if theirs.get(key) != said]
    invented = [key for key in theirs if key not in ours]
    times = Counter((participant, entry.about, entry.occurrence, entry.scale) for participant, entry in stored.rows)
    doubled = [" ".join(map(str, key)) for key, count in times.items() if count > 1]
    owners = {entry.submission: participant for participant, entry in stored.rows}
    of_bot: dict[int, set[str]] = {}
    for entry in ledger.entries:
        if entry.submission in owners:
            of_bot.setdefault(entry.bot, set()).add(owners[entry.submission])
    doubled += [f"bot {bot}: {', '.join(sorted(found))}" for bot, found in of_bot.items() if len(found) > 1]
    return Comparison(
        len(ours), len(stored.rows), tuple(map(" ".join, lost)), tuple(map(" ".join, invented)), tuple(doubled)
    )


def _key(entry: Acknowledged) -> tuple[str, str, str, str]:
    return (entry.submission, entry.about, str(entry.occurrence), entry.scale)


def _said(entry: Acknowledged) -> tuple[float | None, str | None, str]:
    return (entry.value, entry.label, entry.status)
