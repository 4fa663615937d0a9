"""What does an engine cost for each batch, and how much time do two processes save, beside the standard library's pool?

Three ways do the same work in one run: `InProcess`, `Processes(2)` and `concurrent.futures.ProcessPoolExecutor(2)`, the
latter two by `spawn`. Rounds alternate between the ways, and the best round of each counts, because other programs
on the machine can only make a round slower.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, closing
from dataclasses import asdict, dataclass

from hengliang.core import InProcess, Processes, available_cpus

WORKERS = 2
SCHEMA_VERSION = 1
Mapper = Callable[[Callable[[int], int], Iterable[int]], AbstractContextManager[Iterator[int]]]


@dataclass(frozen=True)
class Row:
    """One measured value and what it is beside the standard library's pool in the same run."""

    measure: str
    way: str
    value: float
    unit: str
    ratio_to_pool: float


def nothing(batch: int) -> int:
    return batch


def count(batch: int) -> int:
    """Keep one processor busy for some hundredths of a second, in Python alone."""
    total = 0
    for number in range(1_000_000):
        total += number & batch
    return total


def in_process(function: Callable[[int], int], batches: Iterable[int]) -> AbstractContextManager[Iterator[int]]:
    return closing(InProcess().map(function, batches))


def processes(function: Callable[[int], int], batches: Iterable[int]) -> AbstractContextManager[Iterator[int]]:
    return closing(Processes(WORKERS).map(function, batches))


class Pool(AbstractContextManager[Iterator[int]]):
    """The standard library's pool, which ends with the block as our engines do."""

    def __init__(self, function: Callable[[int], int], batches: Iterable[int]) -> None:
        self.function, self.batches = function, batches

    def __enter__(self) -> Iterator[int]:
        """Start the pool and hand it all batches."""
        self.pool = ProcessPoolExecutor(WORKERS, mp_context=multiprocessing.get_context("spawn"))
        return self.pool.map(self.function, self.batches)

    def __exit__(self, *_error: object) -> None:
        """Wait until the processes of the pool have ended."""
        self.pool.shutdown()


WAYS: dict[str, Mapper] = {"in process": in_process, f"{WORKERS} processes": processes, f"pool of {WORKERS}": Pool}
POOL = f"pool of {WORKERS}"


def timed(way: Mapper, function: Callable[[int], int], batches: int) -> tuple[float, float, float]:
    """Return the seconds to the first result, from there to the last result, and of the whole with its end."""
    begun = time.perf_counter()
    with way(function, range(batches)) as results:
        first = next(results)
        after_first = time.perf_counter()
        total = first + sum(results)
        after_last = time.perf_counter()
    if function is nothing and total != sum(range(batches)):
        raise SystemExit("The results are wrong.")
    return after_first - begun, after_last - after_first, time.perf_counter() - begun


def best_of(rounds: int, function: Callable[[int], int], batches: int) -> dict[str, tuple[float, ...]]:
    """Return the least of each time over rounds that alternate between the ways."""
    seen: dict[str, list[tuple[float, ...]]] = {name: [] for name in WAYS}
    for _ in range(rounds):
        for name, way in WAYS.items():
            seen[name].append(timed(way, function, batches))
    return {name: tuple(min(times) for times in zip(*rounds_seen, strict=True)) for name, rounds_seen in seen.items()}


def rows_of(measure: str, unit: str, values: dict[str, float]) -> list[Row]:
    return [Row(measure, way, value, unit, value / values[POOL]) for way, value in values.items()]


def measure(rounds: int, small: int, large: int) -> list[Row]:
    """Measure with a `small` number of batches that keep a processor busy, and a `large` number of empty ones."""
    empty = best_of(rounds, nothing, large)
    work = best_of(rounds, count, small)
    _, alone_later, alone = work["in process"]
    return [
        *rows_of("first result of empty batches", "ms", {way: 1e3 * times[0] for way, times in empty.items()}),
        *rows_of("each further empty batch", "µs", {way: 1e6 * times[1] / (large - 1) for way, times in empty.items()}),
        *rows_of(f"{small} batches of work, start to end", "s", {way: times[2] for way, times in work.items()}),
        *rows_of("its speed-up", "times", {way: alone / times[2] for way, times in work.items()}),
        *rows_of("its speed-up once running", "times", {way: alone_later / times[1] for way, times in work.items()}),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of which the best counts (3)")
    options = parser.parse_args()
    rows = measure(options.rounds, small=60, large=2000)
    if options.json:
        print(json.dumps({"schema_version": SCHEMA_VERSION, "rows": [asdict(row) for row in rows]}, indent=1))
        return
    print(f"{available_cpus()} processors, {WORKERS} workers, best of {options.rounds} rounds")
    print(f"{'':34}{'':14}{'value':>12}       beside the pool")
    for row in rows:
        print(f"{row.measure:34}{row.way:14}{row.value:12.3f} {row.unit:6}{row.ratio_to_pool:9.2f}")


if __name__ == "__main__":
    main()
