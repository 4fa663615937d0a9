"""How fast does an n-gram model score a corpus, against KenLM on the same model, and do both say the same?

A 5-gram model is estimated from the train part of the default corpus. Two texts are scored: all sentences of the
corpus, four in five of which the model was trained on, and those it was not trained on, repeated up to as many words.
KenLM's Python module and ours take turns in one process, and both are given the same list of sentences, strings with
spaces between the words, so that both split them and look the words up. KenLM scores sentence by sentence (`score`) on
one thread. Ours scores the whole list at once: to one number a sentence, as KenLM does (`line_logprobs`), and to every
unit with its byte span (`score(read_texts(lines))`), which KenLM does not give. The best of several rounds counts.
Wall time and processor time are both shown, since polars splits and numbers words on all cores.

Differences are taken unit by unit, and by sentence from the sum of KenLM's units in 64 bits: its own `score` adds up in
32 bits, which costs it some thousandths of a nat on long sentences.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from hengliang.corpora import DEFAULT_CORPUS, read_running_text
from hengliang.language_models import NgramModel, encode_words, read_arpa, read_segmented_texts, read_texts, write_arpa
from hengliang.language_models import estimate_kneser_ney as estimate
from hengliang.language_models import write_ngram_model as write_model

ORDER = 5
ROUNDS = 7
UNIT_LIMIT, SENTENCE_LIMIT = 1e-5, 1e-3
OURS, SPANS = "ours, sentences", "ours, units with spans"

Times = dict[str, tuple[float, float]]


def estimated(lines: pl.Series, folder: Path) -> Path:
    """Estimate a model and return its ARPA file."""
    texts = read_segmented_texts(lines)
    arpa = folder / "model.arpa"
    write_arpa(estimate(encode_words(texts.words, texts.offsets), order=ORDER).tables, arpa)
    return arpa


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def prepared(arpa: Path, folder: Path) -> tuple[NgramModel, dict[str, Any], dict[str, float]]:
    """Open the model in every way, and say how long it took to read, write and open it."""
    import kenlm

    took = {"read the ARPA file": seconds(lambda: read_arpa(arpa))}
    tables = read_arpa(arpa)
    took["write our format"] = seconds(lambda: write_model(tables, folder / "model"))
    model = NgramModel(folder / "model")
    took["open our format"] = seconds(model.conventions)
    peers = {"KenLM, ARPA file": kenlm.Model(str(arpa))}
    if shutil.which("build_binary"):
        binary = folder / "model.probing"
        subprocess.run(["build_binary", "probing", arpa, binary], check=True, capture_output=True)
        took["open KenLM's probing binary"] = seconds(lambda: kenlm.Model(str(binary)))
        peers["KenLM, probing binary"] = kenlm.Model(str(binary))
    else:
        Console(stderr=True).print("build_binary is not on the PATH: KenLM is measured on the ARPA file only.")
    return model, peers, took


def timed(lines: list[str], model: NgramModel, peers: Mapping[str, Any]) -> Times:
    """Let all take turns and return the best wall time and the best processor time of each."""
    works: dict[str, Callable[[], object]] = {
        OURS: lambda: model.line_logprobs(pl.Series(lines)),
        SPANS: lambda: model.score(read_texts(lines)),
    }
    for name, peer in peers.items():
        works[name] = lambda peer=peer: [peer.score(line) for line in lines]  # type: ignore[misc]
    best = dict.fromkeys(works, (np.inf, np.inf))
    for _ in range(ROUNDS):
        for name, work in works.items():
            processor = time.process_time()
            wall = seconds(work)
            processor = time.process_time() - processor
            best[name] = (min(best[name][0], wall), min(best[name][1], processor))
    return best


def differences(lines: list[str], model: NgramModel, peer: Any) -> dict[str, float]:
    units = np.array([unit[0] for line in lines for unit in peer.full_scores(line)]) * np.log(10.0)
    scores = model.score(read_segmented_texts(lines))
    theirs = np.add.reduceat(units, scores.offsets[:-1])
    return {
        "unit_difference": float(np.abs(scores.logprobs - units).max()),
        "sentence_difference": float(np.abs(model.line_logprobs(pl.Series(lines)) - theirs).max()),
    }


def measured(lines: list[str], model: NgramModel, peers: Mapping[str, Any]) -> dict[str, Any]:
    words = sum(len(line.split(" ")) for line in lines)
    found = differences(lines, model, next(iter(peers.values())))
    return {"words": words, "sentences": len(lines), **found, "seconds": timed(lines, model, peers)}


def show(results: Mapping[str, dict[str, Any]], took: Mapping[str, float]) -> None:
    console = Console(width=120)
    for what, result in results.items():
        times: Times = result["seconds"]
        fastest = [min(pair[kind] for name, pair in times.items() if name.startswith("KenLM")) for kind in (0, 1)]
        title = f"{what}: {result['words']:,} words, {result['sentences']:,} sentences"
        table = Table("", "wall s", "processor s", "words/s", "x KenLM (wall)", "x KenLM (processor)", title=title)
        for name, (wall, processor) in times.items():
            ratios = (f"{fastest[0] / wall:.2f}", f"{fastest[1] / processor:.2f}")
            table.add_row(name, f"{wall:.3f}", f"{processor:.3f}", f"{result['words'] / wall:,.0f}", *ratios)
        console.print(table)
        console.print(
            f"largest difference: {result['unit_difference']:.1e} nats a unit (limit {UNIT_LIMIT:.0e}), "
            f"{result['sentence_difference']:.1e} a sentence (limit {SENTENCE_LIMIT:.0e})"
        )
    console.print(" · ".join(f"{what}: {value * 1000:,.1f} ms" for what, value in took.items()))
    console.print(f"x KenLM: the speed as a multiple of the faster KenLM's; threads of polars: {pl.thread_pool_size()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the measurements as JSON")
    parser.add_argument("--arpa", type=Path, help="score with this ARPA file instead of estimating a model")
    arguments = parser.parse_args()
    try:
        import kenlm  # noqa: F401
    except ImportError:
        sys.exit("The peer is missing. Install it with: pip install 'hengliang[kenlm]'")
    sentences = read_running_text(DEFAULT_CORPUS).sentences
    seen = pl.col("part") == "train"
    unseen = sentences.filter(~seen)["line"].to_list()
    with tempfile.TemporaryDirectory() as held:
        folder = Path(held)
        arpa = arguments.arpa or estimated(sentences.filter(seen)["line"], folder)
        model, peers, took = prepared(arpa, folder)
        texts = {"whole corpus": sentences["line"].to_list(), "unseen sentences": unseen * 5}
        results = {what: measured(lines, model, peers) for what, lines in texts.items()}
    if arguments.json:
        print(json.dumps({"took": took, "results": results}, indent=1))
    else:
        show(results, took)
    worst = [max(result[name] for result in results.values()) for name in ("unit_difference", "sentence_difference")]
    if worst[0] > UNIT_LIMIT or worst[1] > SENTENCE_LIMIT:
        sys.exit("The log-probabilities differ by more than the limit.")


if __name__ == "__main__":
    main()
