"""How fast and in how much memory does `hengliang score` give SLOR, and how does KenLM's Python module do in a loop?

A 4-gram model with the standard preprocessing is trained on the default corpus. Its sentences, words apart, are written
again and again until the file has as many lines as asked for. Ours is the whole command in a process of its own: start,
reading, scoring with unigrams, finished parts on disk, and the joined Parquet file; in one process, on two, and on a
Dask cluster of two worker processes on this machine. KenLM's users write a loop: two calls a line (the model and a
model of the unigrams alone), since one does not give SLOR; its loop reads the same file, already in lower
case, and keeps its numbers in memory. Starting Python and opening the models counts on both sides. Memory is that of
the process and all its children together, as the operating system tells it every twentieth of a second.

    python -m benchmarks.score [--lines 1000000] [--json]
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import psutil
from rich.console import Console
from rich.table import Table

from hengliang.corpora import DEFAULT_CORPUS, read_running_text
from hengliang.language_models import Recipe, export_arpa, train
from hengliang.language_models import read_ngram_model as read_model

LIMIT = 1e-3
"""The largest difference in SLOR: KenLM adds up in 32 bits, which costs it some thousandths of a nat a sentence."""

PEER = """
import sys, kenlm, numpy
model, unigrams = kenlm.Model(sys.argv[1]), kenlm.Model(sys.argv[2])
found = []
with open(sys.argv[3], encoding="utf-8") as lines:
    for line in lines:
        line = line.rstrip("\\n")
        found.append((model.score(line) - unigrams.score(line)) / (line.count(" ") + 2))
numpy.save(sys.argv[4], numpy.array(found) * numpy.log(10.0))
"""


def measured(command: Sequence[str | Path]) -> dict[str, float]:
    """Run a command to its end; return its wall time and the largest memory of it and its children together."""
    begun = time.perf_counter()
    process = psutil.Popen([str(part) for part in command], stdout=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, _memory(process))
        time.sleep(0.05)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}.")
    return {"seconds": time.perf_counter() - begun, "megabytes": peak / 1e6}


def _memory(process: psutil.Process) -> int:
    total = 0
    try:
        for one in [process, *process.children(recursive=True)]:
            total += one.memory_info().rss
    except psutil.NoSuchProcess:
        pass
    return total


def written(lines: pl.Series, count: int, file: Path) -> Path:
    """Write `count` lines: the sentences of the corpus, again and again."""
    times = -(-count // len(lines))
    text = pl.concat([lines] * times).head(count)
    file.write_text("\n".join(text.to_list()) + "\n", encoding="utf-8")
    return file


def unigram_arpa(folder: Path, file: Path) -> Path:
    """Write the unigrams of a model as an ARPA file."""
    _, vocabulary = read_model(folder)
    logs = np.nan_to_num(vocabulary.unigram_logprobs / np.log(10.0), nan=-99.0)
    rows = [f"{value:.7f}\t{symbol}\t0" for value, symbol in zip(logs, vocabulary.symbols, strict=True)]
    # KenLM wants an order of 2 at least: one bigram after the end of a sentence, where nothing is ever asked.
    head = ["\\data\\", f"ngram 1={len(rows)}", "ngram 2=1", "", "\\1-grams:"]
    tail = ["", "\\2-grams:", "-1\t</s> </s>", "", "\\end\\", ""]
    file.write_text("\n".join([*head, *rows, *tail]), encoding="utf-8")
    return file


def binary(arpa: Path) -> Path:
    """Return the file as KenLM opens it quickest, where its program for that is on this machine."""
    if not shutil.which("build_binary"):
        return arpa
    built = arpa.with_suffix(".binary")
    subprocess.run(["build_binary", "probing", arpa, built], check=True, capture_output=True)
    return built


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """Give the address of a Dask cluster of worker processes on this machine."""
    import distributed

    logging.getLogger("distributed").setLevel(logging.CRITICAL + 1)
    make: Any = distributed.LocalCluster
    with make(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None) as held:
        yield held.scheduler_address


def ours(file: Path, model: Path, out: Path, *options: str) -> dict[str, float]:
    """Run the command."""
    arguments: list[str | Path] = [
        "score",
        file,
        "--model",
        model,
        "--measure",
        "slor",
        "--out",
        out,
        "--quiet",
        *options,
    ]
    return measured([Path(sys.executable).parent / "hengliang", *arguments])


def measure(count: int, folder: Path) -> dict[str, Any]:
    """Return seconds and memory of everybody, and how far the numbers lie apart."""
    model = train(Recipe("ngram", "4", preprocess="sp"), folder / "model")
    sentences = read_running_text(DEFAULT_CORPUS).sentences["line"]
    # A line without a space is raw text to us, whose words are found first, and one word to KenLM.
    lines = sentences.filter(sentences.str.contains(" "))
    file = written(lines, count, folder / "sentences.txt")
    found: dict[str, Any] = {"lines": count, "words": int(lines.str.count_matches(" ").mean() * count + count)}  # type: ignore[operator]
    found["growth"] = {
        share: ours(written(lines, share, folder / "part.txt"), model, folder / f"{share}.parquet")
        for share in (count // 4, count // 2)
    }
    found["one process"] = ours(file, model, folder / "one.parquet")
    found["two processes"] = ours(file, model, folder / "two.parquet", "--engine", "processes:2")
    with cluster(2) as address:
        found["Dask, two workers"] = ours(
            file, model, folder / "dask.parquet", "--engine", "dask", "--scheduler", address
        )
    arpa, unigrams = folder / "model.arpa", unigram_arpa(model, folder / "unigrams.arpa")
    export_arpa(str(model), arpa)
    arpa, unigrams = (binary(file) for file in (arpa, unigrams))
    low = written(lines.str.to_lowercase(), count, folder / "low.txt")
    found["KenLM in a loop"] = measured([sys.executable, "-c", PEER, arpa, unigrams, low, folder / "peer.npy"])
    tables = [pl.read_parquet(folder / f"{name}.parquet") for name in ("one", "two", "dask")]
    found["same with every engine"] = all(table.equals(tables[0]) for table in tables)
    found["difference"] = float(np.abs(tables[0]["slor"].to_numpy() - np.load(folder / "peer.npy")).max())
    return found


def show(found: dict[str, Any]) -> None:
    """Print the table and what it stands on."""
    console = Console(width=110)
    title = f"SLOR of {found['lines']:,} sentences, {found['words']:,} words, with a 4-gram model"
    table = Table("", "seconds", "sentences/s", "times KenLM's speed", "memory MB", title=title)
    peer = found["KenLM in a loop"]["seconds"]
    for name in ("one process", "two processes", "Dask, two workers", "KenLM in a loop"):
        seconds = found[name]["seconds"]
        speed = f"{found['lines'] / seconds:,.0f}"
        table.add_row(name, f"{seconds:.1f}", speed, f"{peer / seconds:.2f}", f"{found[name]['megabytes']:,.0f}")
    console.print(table)
    growth = {**found["growth"], found["lines"]: found["one process"]}
    for count, held in growth.items():
        console.print(f"{int(count):>10,} lines: {held['seconds']:6.1f} s, {held['megabytes']:,.0f} MB")
    console.print(
        f"largest difference in SLOR {found['difference']:.1e} (limit {LIMIT:.0e}); the same table with every engine: "
        f"{found['same with every engine']}; {os.cpu_count()} cores"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=1_000_000, help="lines of the file")
    parser.add_argument("--json", action="store_true", help="print the measurements as JSON")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as held:
        found = measure(arguments.lines, Path(held))
    if arguments.json:
        print(json.dumps(found, indent=1))
    else:
        show(found)
    if found["difference"] > LIMIT or not found["same with every engine"]:
        sys.exit("The scores differ.")


if __name__ == "__main__":
    main()
