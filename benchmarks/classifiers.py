"""How many slots a second does each chooser answer, in a batch and one by one, and how long does it take to load?

Each chooser runs in a process of its own on one core. The slots are those of the default corpus, again and again, each
time with another number before the sentence and the noun of another slot, so that no two are alike and nothing can be
remembered. Loading is from the start of the chooser to its first answer, Python and its libraries being there already.
As a peer, scikit-learn's usual pipeline (CountVectorizer on the characters around the slot and the noun, then
LogisticRegression) answers the same slots in the same run. A chooser that has to be trained and is not in the store of
models is left out, and said so; `hengliang classifiers train LINEAR` and so on trains it.

    python -m benchmarks.classifiers [--only LINEAR] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import polars as pl
from rich.console import Console
from rich.table import Table

from hengliang import UserError
from hengliang.classifiers import ClassifierSlots, examples_of, open_chooser
from hengliang.systems.classifier_choosers.examples import labels_of
from hengliang.systems.classifier_choosers.slots import SLOT_SCHEMA

SIZES: dict[str, tuple[int, int]] = {
    "GE": (50_000, 200_000),
    "RULE": (50_000, 200_000),
    "DICTIONARY": (50_000, 200_000),
    "LINEAR": (50_000, 200_000),
    "LSTM": (500, 2_000),
    "BERT": (250, 1_000),
    "MLM": (250, 1_000),
    "LM:ngram-5": (50, 200),
}
"""Slots in a batch, twice: the ratio of the two times says how the cost grows."""

PEER = "scikit-learn"
PEER_SIZES = (2_500, 10_000)
ONE_BY_ONE = 50
_SHIFT = 7919
"""A prime: the noun of a slot comes from the slot so many places further on."""


def distinct_slots(count: int) -> pl.DataFrame:
    """Return so many slots of which no two are alike."""
    slots = examples_of(ClassifierSlots()).select(list(SLOT_SCHEMA))
    places = pl.int_range(count, eager=True)
    chosen = slots[(places % slots.height).to_list()]
    nouns = slots["noun"].gather(((places + _SHIFT * (1 + places // slots.height)) % slots.height).to_list())
    numbers = (places + 1).cast(pl.String).str.zfill(7)
    return chosen.with_columns(
        sentence=pl.concat_str(pl.lit(numbers), "sentence"), slot=pl.col("slot") + 7, noun=pl.lit(nouns)
    )


def measured(answer: Callable[[pl.DataFrame], Any], sizes: tuple[int, int], load: float) -> dict[str, float]:
    small, large = distinct_slots(sizes[0]), distinct_slots(sizes[1])
    answer(small[:100])
    times = [timed(answer, part) for part in (small, large)]
    singles = small[:ONE_BY_ONE]
    alone = sum(timed(answer, singles[place : place + 1]) for place in range(singles.height))
    return {
        "slots": sizes[1],
        "load_seconds": load,
        "slots_per_second": sizes[1] / times[1],
        "one_by_one_per_second": singles.height / alone,
        "growth": (times[1] / times[0]) / (sizes[1] / sizes[0]),
    }


def timed(answer: Callable[[pl.DataFrame], Any], slots: pl.DataFrame) -> float:
    begun = time.perf_counter()
    answer(slots)
    return time.perf_counter() - begun


def of_chooser(name: str) -> dict[str, float]:
    first = distinct_slots(1)
    begun = time.perf_counter()
    chooser = open_chooser(name)
    chooser.choose(first)
    return measured(chooser.choose, SIZES[name], time.perf_counter() - begun)


def of_peer() -> dict[str, float]:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    examples = examples_of(ClassifierSlots(part="train"))
    kept = examples.filter(pl.col("label").is_in(labels_of(examples)[:50]))[:4000]
    pipeline = make_pipeline(CountVectorizer(analyzer="char", ngram_range=(1, 2)), LogisticRegression(max_iter=50))
    pipeline.fit(windows(kept), kept["label"].to_list())

    def answer(slots: pl.DataFrame) -> Any:
        return pipeline.predict_proba(windows(slots))

    return measured(answer, PEER_SIZES, 0.0)


def windows(slots: pl.DataFrame) -> list[str]:
    """Return five characters on each side of the slot, and the noun."""
    found = []
    for sentence, slot, noun in slots.select(list(SLOT_SCHEMA)).iter_rows():
        content = sentence.encode()
        found.append(f"{content[:slot].decode()[-5:]}_{content[slot:].decode()[:5]}|{noun}")
    return found


def in_process(name: str) -> dict[str, Any]:
    """Measure one chooser in a process of its own, on one core."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1", "MKL_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "benchmarks.classifiers", "--measure", name]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        return {"left_out": lines[-1] if lines else f"it ended with {done.returncode}"}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def report(found: dict[str, dict[str, Any]]) -> None:
    columns = ("chooser", "load s", "slots/s in a batch", "slots/s one by one", "batch : single", "growth", "× peer")
    table = Table(*columns)
    peer = found.get(PEER, {}).get("slots_per_second")
    for name, row in found.items():
        if "left_out" in row:
            table.add_row(name, f"left out: {row['left_out'][:60]}")
            continue
        ratio = row["slots_per_second"] / row["one_by_one_per_second"]
        table.add_row(
            name,
            f"{row['load_seconds']:.2f}",
            f"{row['slots_per_second']:,.0f}",
            f"{row['one_by_one_per_second']:,.0f}",
            f"{ratio:,.1f}",
            f"{row['growth']:.2f}",
            f"{row['slots_per_second'] / peer:,.2f}" if peer else "",
        )
    Console().print(table)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], help="measure this chooser; may be repeated")
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.measure:
        try:
            print(json.dumps(of_peer() if given.measure == PEER else of_chooser(given.measure)))
        except UserError as error:
            raise SystemExit(str(error)) from error
        return
    unknown = [name for name in given.only if name not in (*SIZES, PEER)]
    if unknown:
        raise SystemExit(f"No chooser of this benchmark is called '{unknown[0]}'. Valid: {', '.join((*SIZES, PEER))}.")
    names = [*(given.only or SIZES), *([] if PEER in given.only else [PEER])]
    found = {name: in_process(name) for name in names}
    if given.json:
        print(json.dumps(found, indent=1, ensure_ascii=False))
    else:
        report(found)


if __name__ == "__main__":
    main()
