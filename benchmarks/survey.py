"""How many participants can answer at once with a submit kept within 200 ms, and does that last as answers grow?

Simulated participants go through the real pages over HTTP and think for 5 s on average (exponentially distributed)
before each submit; every answer is flushed to the disk before it is acknowledged. Server, database and participants
share the machine, each in a process of its own. Reported are the times of a submit (POST until 303) and of a turn (POST
and the page that follows), what was sent again, what is lost (acknowledged, but not stored), and the processor time of
each. First more and more participants on an empty database, until the 95th percentile is above 200 ms; then 250
participants on 0 to 1,000,000 stored answers. A bare app that keeps each submit with one INSERT is the yardstick.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from benchmarks.survey_load import answer_for, load_survey, preload, serve_peer
from rich.console import Console
from rich.table import Table
from sqlalchemy import text
from tests.people.kill_harness import ServerProcess, free_port
from tests.people.postgres_server import PostgresServer

from hengliang.people.bots.simulating import quantile
from hengliang.people.storage.facts import bind_design
from hengliang.surveys import Database, Survey, database_url, invitation_of, invite, migrate, stored_answers

LIMIT = 0.200
THINK = 5.0


@dataclass(frozen=True)
class Extent:
    """How much is measured."""

    steps: tuple[int, ...] = (100, 250, 500, 750, 1000, 1500, 2000, 3000)
    seconds: float = 40.0
    stored: tuple[int, ...] = (0, 10_000, 100_000, 1_000_000)
    growing: int = 250
    peer: int = 250


QUICK = Extent((25, 50), 8.0, (0, 5_000), 25, 25)


@dataclass(frozen=True)
class Ground:
    """Where a survey keeps its answers: SQLite, or a PostgreSQL server that is ours."""

    name: str
    postgres: PostgresServer | None = None

    def new_url(self, survey: Survey) -> str:
        """Return the address of a new database."""
        return database_url(survey.folder) if self.postgres is None else self.postgres.new_database()

    def drop(self, url: str) -> None:
        """Remove a database that has been measured."""
        if self.postgres is not None:
            self.postgres.execute(f"DROP DATABASE {url.partition('?')[0].rpartition('/')[2]} WITH (FORCE)")

    def size(self, survey: Survey, database: Database) -> int:
        """Return the bytes of the database."""
        if self.postgres is None:
            return sum(file.stat().st_size for file in survey.folder.glob("survey.sqlite*"))
        asked = text("SELECT pg_database_size(current_database())")
        return database.read(lambda connection: int(connection.execute(asked).scalar_one())).result()

    def processor(self) -> float:
        """Return the processor seconds of the database's own processes so far."""
        if self.postgres is None or self.postgres.process is None:
            return 0.0
        root = psutil.Process(self.postgres.process.pid)
        return processor_seconds(root) + sum(processor_seconds(each) for each in root.children(recursive=True))


def processor_seconds(process: psutil.Process) -> float:
    """Return the processor seconds of a process, and of its children that have ended."""
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system + times.children_user + times.children_system)


def crowd(folder: Path, url: str, invitation: str, participants: int, seconds: float) -> dict[str, Any]:
    """Let participants answer from a process of their own."""
    command = [sys.executable, "-m", "benchmarks.survey", "--load", json.dumps([str(folder), url, invitation])]
    numbers = ["--participants", str(participants), "--seconds", str(seconds)]
    done = subprocess.run([*command, *numbers], check=True, capture_output=True, text=True)
    held: dict[str, Any] = json.loads(done.stdout)
    return held


def measure(ground: Ground, folder: Path, participants: int, seconds: float, stored: int = 0) -> dict[str, Any]:
    """Return one row: so many participants on a database with so many answers."""
    survey = load_survey(folder)
    url = ground.new_url(survey)
    migrate(url)
    with Database.open(url) as database:
        database.write(bind_design, survey.digest).result()
        token = database.write(invite, "simulated", time.time()).result()
        before = database.write(invite, "simulated", time.time()).result()
        if stored:
            database.write(preload, survey, stored, before, time.time()).result()
    server = ServerProcess(folder, url, free_port(), folder / "server.log")
    server.start()
    try:
        process = psutil.Process(server.process.pid if server.process else 0)
        begun, of_database = processor_seconds(process), ground.processor()
        seen = crowd(folder, server.url, token, participants, seconds)
        ours, theirs = processor_seconds(process) - begun, ground.processor() - of_database
        memory = process.memory_info().rss
    finally:
        server.stop()
    with Database.open(url) as database:
        lost, invented = compared(database, token, seen["ledger"])
        size = ground.size(survey, database)
    ground.drop(url)
    whole = seen["whole"]
    cores = {"server": ours / whole, "database": theirs / whole, "participants": seen["processor"] / whole}
    row = {"database": ground.name, "participants": participants, "stored": stored, **summary(seen)}
    return {**row, "lost": lost, "invented": invented, "cores": cores, "bytes": size, "server_bytes": memory}


def compared(database: Database, token: str, ledger: list[list[Any]]) -> tuple[int, int]:
    """Return how many acknowledged answers are not stored as they were, and how many stored ones nobody was told of."""
    invitation = database.read(invitation_of, token).result()
    rows = database.read(stored_answers, invitation.id if invitation else "").result().rows
    theirs = {(entry.submission, entry.about, entry.scale): entry.value for _, entry in rows}
    ours = {(submission, about, scale): value for submission, about, scale, value in ledger}
    lost = sum(key not in theirs or theirs[key] != value for key, value in ours.items())
    return lost, len(rows) - sum(key in ours for key in theirs)


def summary(seen: dict[str, Any]) -> dict[str, Any]:
    """Return percentiles in milliseconds, and counts."""
    row: dict[str, Any] = {
        "submits": len(seen["submits"]),
        "submits_a_second": len(seen["submits"]) / seen["seconds"],
        "acknowledged": len(seen["ledger"]),
        "sent_again": seen["retries"],
        "endings": seen["endings"],
    }
    for name, key in (("submit_ms", "submits"), ("turn_ms", "turns")):
        shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "most": 1.0}
        row[name] = {title: 1000 * quantile(seen[key], share) for title, share in shares.items()}
    return row


def measure_peer(folder: Path, participants: int, seconds: float) -> dict[str, Any]:
    """Return the same row for the bare app."""
    load_survey(folder)
    port = free_port()
    command = [sys.executable, "-m", "benchmarks.survey", "--peer", json.dumps([str(folder), str(port)])]
    process = subprocess.Popen(command)
    try:
        wait_for(port)
        inner = psutil.Process(process.pid)
        begun = processor_seconds(inner)
        seen = crowd(folder, f"http://127.0.0.1:{port}", "token", participants, seconds)
        cores = {"server": (processor_seconds(inner) - begun) / seen["whole"]}
    finally:
        process.terminate()
        process.wait()
    cores["participants"] = seen["processor"] / seen["whole"]
    return {"database": "bare app, SQLite", "participants": participants, **summary(seen), "cores": cores}


def wait_for(port: int) -> None:
    import socket

    until = time.monotonic() + 30
    while time.monotonic() < until:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError("The bare app did not start.")


@contextmanager
def grounds() -> Iterator[list[Ground]]:
    """Give SQLite, and PostgreSQL on a server of our own."""
    server = PostgresServer.create()
    try:
        yield [Ground("SQLite"), Ground("PostgreSQL", server)]
    finally:
        server.remove()


def measured(extent: Extent, tell: Console) -> dict[str, Any]:
    """Return everything that is measured."""
    with tempfile.TemporaryDirectory() as place, grounds() as held:
        root, number = Path(place), iter(range(1000))
        rows, growth = [], []
        for ground in held:
            for participants in extent.steps:
                row = measure(ground, root / str(next(number)), participants, extent.seconds)
                rows.append(row)
                tell.print(line(row), highlight=False)
                if row["submit_ms"]["p95"] > 1000 * LIMIT:
                    break
            for stored in extent.stored:
                row = measure(ground, root / str(next(number)), extent.growing, extent.seconds, stored)
                growth.append(row)
                tell.print(line(row), highlight=False)
        peer = measure_peer(root / "peer", extent.peer, extent.seconds)
        tell.print(line(peer), highlight=False)
        return {
            "machine": {"cores": os.cpu_count(), "processor": platform.machine(), "python": platform.python_version()},
            "think_seconds": THINK,
            "seconds": extent.seconds,
            "limit_ms": 1000 * LIMIT,
            "held": {ground.name: most_held(rows, ground.name) for ground in held},
            "rows": rows,
            "growth": growth,
            "peer": {**peer, "ratios": ratios(rows, growth, peer)},
        }


def most_held(rows: list[dict[str, Any]], name: str) -> int:
    """Return how many participants were held within the limit with nothing lost."""
    fine = [row for row in rows if row["database"] == name and row["submit_ms"]["p95"] <= 1000 * LIMIT]
    return max((row["participants"] for row in fine if not row["lost"] and not row["invented"]), default=0)


def ratios(rows: list[dict[str, Any]], growth: list[dict[str, Any]], peer: dict[str, Any]) -> dict[str, Any]:
    """Return our times and processor use as multiples of the bare app's, with as many participants."""
    found = {}
    for row in [*rows, *growth]:
        if row["participants"] == peer["participants"] and not row["stored"] and row["database"] not in found:
            times = {name: row["submit_ms"][name] / peer["submit_ms"][name] for name in ("p50", "p95")}
            ours = row["cores"]["server"] + row["cores"]["database"]
            found[row["database"]] = {**times, "processor": ours / peer["cores"]["server"]}
    return found


def line(row: dict[str, Any]) -> str:
    """Return one row in words, while it is measured."""
    times, cores = row["submit_ms"], row["cores"]
    return (
        f"{row['database']}, {row['participants']} participants, {row.get('stored', 0):,} stored: "
        f"p50 {times['p50']:.0f} ms, p95 {times['p95']:.0f} ms, lost {row.get('lost', '–')}, "
        f"server {cores['server']:.2f}, participants {cores['participants']:.2f} cores"
    )


def show(found: dict[str, Any]) -> None:
    heads = ("database", "participants", "stored", "submits/s", "submit p50, p95, p99 ms", "turn p95 ms")
    table = Table(*heads, "sent again", "lost", "cores: server, database, participants", "MB", title="survey")
    for row in [*found["rows"], *found["growth"], found["peer"]]:
        submit, cores = row["submit_ms"], row["cores"]
        table.add_row(
            row["database"],
            f"{row['participants']:,}",
            f"{row.get('stored', 0):,}",
            f"{row['submits_a_second']:.0f}",
            ", ".join(f"{submit[name]:.0f}" for name in ("p50", "p95", "p99")),
            f"{row['turn_ms']['p95']:.0f}",
            str(row["sent_again"]),
            str(row.get("lost", "–")),
            ", ".join(f"{cores.get(name, 0.0):.2f}" for name in ("server", "database", "participants")),
            f"{row['bytes'] / 1e6:.0f}" if "bytes" in row else "–",
        )
    Console(width=160).print(table)
    for name, held in found["held"].items():
        ratio = found["peer"]["ratios"].get(name)
        beside = f"; p95 {ratio['p95']:.1f} times the bare app's" if ratio else ""
        Console().print(f"{name}: {held:,} participants at p95 under {found['limit_ms']:.0f} ms, none lost{beside}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a short look: few participants, some seconds")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--out", type=Path, help="write the figures into this file")
    for hidden in ("--load", "--peer"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    parser.add_argument("--participants", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=0.0, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.load:
        folder, url, token = json.loads(arguments.load)
        seen = answer_for(Path(folder), url, token, arguments.participants, arguments.seconds, THINK)
        print(json.dumps(seen))
        return
    if arguments.peer:
        folder, port = json.loads(arguments.peer)
        serve_peer(Path(folder), Path(folder) / "peer.sqlite", int(port))
        return
    found = measured(QUICK if arguments.quick else Extent(), Console(stderr=True))
    if arguments.out:
        arguments.out.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if arguments.json:
        print(json.dumps(found, ensure_ascii=False, indent=1))
    else:
        show(found)


if __name__ == "__main__":
    main()
