"""How fast are extraction and RULE, how much memory do they take, and how do both grow with the corpus?

The default corpus, repeated 1, 5, 10 and 20 times in one file, is read, its slots are extracted, and RULE chooses a
classifier for each. Each size runs in a process of its own, so that the peak memory is its own. As a yardstick the same
process counts the file's words by `str.split`, line by line, which is the least that any reader must do: speed is given
as words a second and as a multiple of that yardstick's time.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.table import Table

from hengliang import Material, Signature
from hengliang.classifiers import Rule, slots_of
from hengliang.corpora import DEFAULT_CORPUS, locate, read_pku
from hengliang.materials.slot_extraction import count_compatibility, extract

TIMES = (1, 5, 10, 20)


class Extracted(Material):
    """Slots that were extracted before, as training data."""

    name = "extracted"

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame

    def items(self) -> pl.DataFrame:
        """Return them."""
        return self.frame

    def signature(self) -> Signature:
        """Say that they are the default corpus's."""
        return Signature.of(material=self.name, corpus=DEFAULT_CORPUS)


def words_by_split(path: Path) -> int:
    with path.open(encoding="utf-8") as lines:
        return sum(len(line.split()) for line in lines)


def slots_in_pieces(path: Path) -> Iterator[pl.DataFrame]:
    compatibility = count_compatibility(read_pku(path))
    return extract(read_pku(path), compatibility, source="benchmark")


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(path: Path, original: Path) -> dict[str, float]:
    """Run everything once on the file and return what it took; nothing is kept, so that memory shows what streams."""
    rule = Rule(train=Extracted(pl.concat(slots_in_pieces(original))))
    rule.choose(slots_of(rule.train.items()).head(10))  # type: ignore[union-attr]
    begun = time.perf_counter()
    words = words_by_split(path)
    yardstick = time.perf_counter() - begun
    slots, choosing = 0, 0.0
    begun = time.perf_counter()
    for frame in slots_in_pieces(path):
        chosen = time.perf_counter()
        slots += len(rule.choose(slots_of(frame)))
        choosing += time.perf_counter() - chosen
    extracting = time.perf_counter() - begun - choosing
    return {
        "words": words,
        "slots": slots,
        "yardstick_seconds": yardstick,
        "extraction_seconds": extracting,
        "rule_seconds": choosing,
        "peak_megabytes": peak_megabytes(),
    }


def in_own_process(path: Path, original: Path) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", str(path), "--original", str(original)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    held: dict[str, float] = json.loads(done.stdout)
    return held


def repeated(original: Path, times: int, folder: Path) -> Path:
    target = folder / f"corpus-{times}.txt"
    with target.open("wb") as out:
        for _ in range(times):
            with original.open("rb") as source:
                shutil.copyfileobj(source, out)
    return target


def show(rows: list[dict[str, float]]) -> None:
    table = Table(
        "times", "words", "slots", "words/s", "x split", "RULE slots/s", "peak MB", title="extraction and RULE"
    )
    for row in rows:
        table.add_row(
            f"{row['times']:.0f}",
            f"{row['words']:,.0f}",
            f"{row['slots']:,.0f}",
            f"{row['words'] / row['extraction_seconds']:,.0f}",
            f"{row['extraction_seconds'] / row['yardstick_seconds']:.1f}",
            f"{row['slots'] / row['rule_seconds']:,.0f}",
            f"{row['peak_megabytes']:.0f}",
        )
    Console().print(table)
    first, last = rows[0], rows[-1]
    growth = last["words"] / first["words"]
    Console().print(
        f"{growth:.0f} times the words take {last['extraction_seconds'] / first['extraction_seconds']:.1f} times the "
        f"time of extraction, {last['rule_seconds'] / first['rule_seconds']:.1f} times that of RULE, and "
        f"{last['peak_megabytes'] / first['peak_megabytes']:.2f} times the memory."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the measurements as JSON")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--original", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.one, arguments.original)))
        return
    original = locate(DEFAULT_CORPUS)[0]
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for times in TIMES:
            path = repeated(original, times, Path(folder))
            rows.append({"times": float(times), **in_own_process(path, original)})
            path.unlink()
    if arguments.json:
        print(json.dumps(rows, indent=1))
    else:
        show(rows)


if __name__ == "__main__":
    main()
