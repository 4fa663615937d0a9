"""How fast is a 5-gram model estimated, and with how much memory, beside KenLM's lmplz?

The text is made from the default corpus. Sentences are drawn with replacement, some far oftener than others (the weight
of the sentence of rank r is 1 / (1000 + r), ranks being dealt out at random), and in each of them 30 % of the words,
chosen with a fixed seed, are replaced by random draws from the corpus, that is, from its unigram distribution. So new
n-grams keep coming, while frequent ones stay frequent.

Both start from the same file and run in a process of their own, one after the other. lmplz writes an ARPA file, which
is what it does, with its temporary files in the same folder and the sorting memory that is stated. Ours ends with the
tables in memory, and then once more with the tables written to disk in our own form.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from hengliang.corpora import DEFAULT_CORPUS, locate, read_pku
from hengliang.language_models import FALLBACK_DISCOUNTS as FALLBACK
from hengliang.language_models import edges_of, ranges
from hengliang.language_models import estimate_kneser_ney as estimate
from hengliang.language_models import write_ngram_model as write_model
from hengliang.language_models.ngram import encode_file

WORDS = (10_000_000, 50_000_000)
ORDER = 5
SORTING_MEMORY = "4G"
REPLACED = 0.3
HEAD = 1000
SEED = 1
STOPS = frozenset("。！？")
DRAWN_AT_ONCE = 20_000


def corpus_sentences() -> tuple[list[str], list[int]]:
    """Return the words of the default corpus and the sizes of its sentences."""
    words: list[str] = []
    sizes: list[int] = []
    for paragraph in read_pku(locate(DEFAULT_CORPUS)[0]):
        begun = len(words)
        for word in paragraph.words:
            words.append(word)
            if word in STOPS:
                sizes.append(len(words) - begun)
                begun = len(words)
        if len(words) > begun:
            sizes.append(len(words) - begun)
    return words, sizes


def write_text(target: Path, count: int) -> None:
    """Write a text of so many words, a sentence a line."""
    words, sizes_listed = corpus_sentences()
    corpus, sizes = np.array(words, object), np.array(sizes_listed, np.int64)
    starts = edges_of(sizes)[:-1]
    random = np.random.default_rng(SEED)
    weights = random.permutation(1 / (HEAD + np.arange(len(sizes))))
    left = count
    with target.open("w", encoding="utf-8") as out:
        while left:
            drawn = random.choice(len(sizes), DRAWN_AT_ONCE, p=weights / weights.sum())
            places = ranges(starts[drawn], sizes[drawn])[:left]
            replaced = np.flatnonzero(random.random(len(places)) < REPLACED)
            places[replaced] = random.integers(0, len(corpus), len(replaced))
            after = np.full(len(places), " ", object)
            ends = np.cumsum(sizes[drawn]) - 1
            after[ends[ends < len(places)]] = "\n"
            after[-1] = "\n"
            out.write("".join((corpus[places] + after).tolist()))
            left -= len(places)


def train(source: Path, stored: Path | None) -> None:
    """Train ours, and write it into a folder if one is given."""
    estimated = estimate(encode_file(source), order=ORDER, fallback=FALLBACK)
    if stored is not None:
        write_model(estimated.tables, stored)


def timed(command: list[str], complaints: Path) -> dict[str, float]:
    """Run a command and return its wall-clock time, its processor time and its peak memory."""
    begun = time.perf_counter()
    with complaints.open("wb") as errors:
        process = subprocess.Popen(command, stdout=errors, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[0]} failed:\n{complaints.read_text(encoding='utf-8', errors='replace')[-2000:]}")
    return {
        "seconds": seconds,
        "processor": usage.ru_utime + usage.ru_stime,
        "gigabytes": usage.ru_maxrss * 1024 / 1e9,
    }


def measure(count: int, folder: Path) -> dict[str, dict[str, float]]:
    """Return what lmplz, if it is there, and ours take for a text of so many words."""
    source, arpa, stored, complaints = (folder / name for name in ("text.txt", "model.arpa", "model", "messages.txt"))
    write_text(source, count)
    found: dict[str, dict[str, float]] = {}
    lmplz = shutil.which("lmplz")
    if lmplz:
        command = [lmplz, "-o", str(ORDER), "-S", SORTING_MEMORY, "-T", f"{folder}/", "--text", str(source)]
        command += ["--arpa", str(arpa), "--discount_fallback"]
        found["lmplz, to ARPA"] = timed(command, complaints)
        arpa.unlink()
    ours = [sys.executable, "-m", "benchmarks.lm_training", "--train", str(source)]
    found["ours, to tables"] = timed(ours, complaints)
    found["ours, to disk"] = timed([*ours, "--stored", str(stored)], complaints)
    shutil.rmtree(stored)
    source.unlink()
    return found


def show(results: dict[int, dict[str, dict[str, float]]]) -> None:
    table = Table("words", "who", "seconds", "x lmplz", "processor s", "peak GB", "x lmplz", title="5-gram estimation")
    for count, found in results.items():
        peer = found.get("lmplz, to ARPA")
        for who, took in found.items():
            table.add_row(
                f"{count:,}",
                who,
                f"{took['seconds']:.1f}",
                f"{took['seconds'] / peer['seconds']:.2f}" if peer else "-",
                f"{took['processor']:.1f}",
                f"{took['gigabytes']:.2f}",
                f"{took['gigabytes'] / peer['gigabytes']:.2f}" if peer else "-",
            )
    Console().print(table)
    Console().print(f"lmplz: -S {SORTING_MEMORY}, temporary files and ARPA in {tempfile.gettempdir()}.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, nargs="+", default=WORDS, help="sizes of the texts")
    parser.add_argument("--train", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--stored", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.train:
        train(arguments.train, arguments.stored)
        return
    if not shutil.which("lmplz"):
        Console().print("lmplz is not on the PATH: no peer to compare with. It comes with KenLM, built from source.")
    results = {}
    for count in arguments.words:
        with tempfile.TemporaryDirectory() as folder:
            results[count] = measure(count, Path(folder))
    show(results)


if __name__ == "__main__":
    main()
