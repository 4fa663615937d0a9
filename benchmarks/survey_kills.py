"""Is any answer lost, doubled or invented when the server or PostgreSQL is killed 20 times while 200 answer?

The harness of the tests (tests/people/kill_harness.py), with more kills and more participants: SIGKILL to the server
process on SQLite and on PostgreSQL, and to PostgreSQL itself, at moments drawn with a seed; each is started again. What
was acknowledged must be what is stored and what is exported, and the lists must be filled evenly.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.survey_load import load_survey
from rich.console import Console
from rich.table import Table
from tests.people.kill_harness import KillHarness, KillReport
from tests.people.postgres_server import PostgresServer

from hengliang.surveys import database_url


@dataclass(frozen=True)
class Extent:
    """How many answer, how often something is killed, how long they think, and over how many seconds they arrive."""

    participants: int = 200
    kills: int = 20
    think: float = 1.0
    arrivals: float = 20.0


QUICK = Extent(20, 3, 0.2, 3.0)


def row_of(killed: str, database: str, report: KillReport) -> dict[str, Any]:
    comparison = report.comparison
    return {
        "killed": killed,
        "database": database,
        "participants": report.participants,
        "kills": report.kills,
        "acknowledged": comparison.acknowledged,
        "stored": comparison.stored,
        "exported": report.exported,
        "lost": len(comparison.lost),
        "invented": len(comparison.invented),
        "doubled": len(comparison.doubled),
        "same_in_export": report.exported_equal,
        "registered": report.registered,
        "finished": report.finished,
        "sent_again": report.retries,
        "kill_moments": list(report.kill_moments),
        "seconds": report.seconds,
        "clean": report.clean,
    }


def measured(extent: Extent, seed: int, tell: Console) -> list[dict[str, Any]]:
    rows = []
    server = PostgresServer.create()
    try:
        with tempfile.TemporaryDirectory() as folder:
            for number, (killed, database) in enumerate(
                (("the server", "SQLite"), ("the server", "PostgreSQL"), ("PostgreSQL", "PostgreSQL"))
            ):
                survey = load_survey(Path(folder) / str(number))
                url = database_url(survey.folder) if database == "SQLite" else server.new_database()
                harness = KillHarness(
                    survey,
                    url,
                    extent.participants,
                    extent.kills,
                    seed + number,
                    extent.think,
                    extent.arrivals,
                    victim=server if killed == "PostgreSQL" else None,
                    tell=lambda said: tell.print(said, highlight=False),
                )
                rows.append(row_of(killed, database, harness.run()))
    finally:
        server.remove()
    return rows


def show(rows: list[dict[str, Any]]) -> None:
    table = Table("killed", "database", "kills", "participants", "acknowledged", "stored", "exported", title="kills")
    for heading in ("lost", "invented", "doubled", "finished by list", "sent again", "seconds"):
        table.add_column(heading)
    for row in rows:
        counts = (f"{row[name]:,}" for name in ("kills", "participants", "acknowledged", "stored", "exported"))
        faults = (str(row[name]) for name in ("lost", "invented", "doubled"))
        finished = ", ".join(str(count) for count in row["finished"].values())
        table.add_row(
            row["killed"],
            row["database"],
            *counts,
            *faults,
            finished,
            f"{row['sent_again']:,}",
            f"{row['seconds']:.0f}",
        )
    Console(width=160).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="3 kills with 20 participants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--out", type=Path, help="write the figures into this file")
    arguments = parser.parse_args()
    rows = measured(QUICK if arguments.quick else Extent(), arguments.seed, Console(stderr=True))
    if arguments.out:
        arguments.out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    if arguments.json:
        print(json.dumps(rows, indent=1))
    else:
        show(rows)
    if not all(row["clean"] for row in rows):
        sys.exit("Something was lost, invented or doubled, or a list is not as full as the others.")


if __name__ == "__main__":
    main()
