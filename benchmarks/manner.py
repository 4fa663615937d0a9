"""How much does it cost a model when raw text is cut or written otherwise than it learned?

The sentences of the test part of the default corpus are scored by a 4-gram model of its training part: in the corpus'
own words, and raw, cut by each segmenter. Told are the share of unknown words, the mean SLOR, the correlation of the
SLOR of the same sentence in both cuts, and the F1 of the words. Two ways to write one sentence of our own follow, as
written and in the width that the model learned. The segmenter `crf` is left out where it was never trained; the
processor's seconds of learning `pku` are those of a new one.

    python -m benchmarks.manner [--model ngram-4] [--sentences N] [--no-training] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from hengliang import UserError
from hengliang import model as open_model
from hengliang.acceptability import acceptability_values
from hengliang.core import long_watcher
from hengliang.corpora import DEFAULT_CORPUS
from hengliang.language_models import (
    LanguageModel,
    Numbers,
    Recipe,
    Texts,
    prepare_segmenter,
    raw_texts,
    read_corpus,
    read_texts,
    train,
    word_regions,
)
from hengliang.tagging import train_segmenter

SEGMENTERS = ("rjieba", "pku", "crf")
SENTENCES = ("增长5%左右。", "增长５％左右。")


def slor(model: LanguageModel, texts: Texts) -> tuple[Numbers, float]:
    """Return the SLOR of each text, which carries words, and the share of its units that are unknown."""
    scores = model.score(texts)
    found = acceptability_values(scores, word_regions(texts), ["SLOR"], end="included", length="units")["SLOR"]
    return found.numbers, float(scores.unknown.sum() / len(texts.words))


def edges(texts: Texts) -> set[tuple[int, int, int]]:
    """Return every word of the texts as text, start and end."""
    rows = np.repeat(np.arange(len(texts)), np.diff(texts.offsets))
    return set(zip(rows.tolist(), texts.starts.tolist(), texts.ends.tolist(), strict=True))


def cuts(model: LanguageModel, given: Texts) -> dict[str, dict[str, float]]:
    """Return what becomes of the same sentences in the corpus' words and in those of each segmenter."""
    numbers, unknown = slor(model, given)
    found = {"corpus": {"unknown": unknown, "slor": float(numbers.mean()), "r": 1.0, "f1": 1.0}}
    for segmenter in SEGMENTERS:
        try:
            prepare_segmenter(segmenter, long_watcher())
        except UserError as error:
            print(f"{segmenter} is left out: {error.problem}")
            continue
        begun = time.process_time()
        texts = raw_texts(given.contents).with_words(segmenter)
        seconds = time.process_time() - begun
        others, unknown = slor(model, texts)
        same = len(edges(given) & edges(texts))
        found[segmenter] = {
            "unknown": unknown,
            "slor": float(others.mean()),
            "r": float(np.corrcoef(numbers, others)[0, 1]),
            "f1": 2 * same / (len(given.words) + len(texts.words)),
            "seconds": seconds,
        }
    return found


def widths(model: str) -> dict[str, dict[str, float]]:
    """Return the SLOR of one sentence in both widths, looked up as written and folded."""
    return {
        sentence: {
            name: float(slor(held, read_texts([sentence]).with_words("pku"))[0][0])
            for name, held in (("as written", open_model(model, fold=False)), ("folded", open_model(model)))
        }
        for sentence in SENTENCES
    }


def seconds_of_learning() -> float:
    """Return the processor time that the segmenter `pku` takes to learn, in a store of its own."""
    kept = os.environ.get("HENGLIANG_HOME")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HENGLIANG_HOME"] = folder
        try:
            begun = time.process_time()
            train_segmenter(watcher=long_watcher())
            return time.process_time() - begun
        finally:
            os.environ.pop("HENGLIANG_HOME")
            if kept is not None:
                os.environ["HENGLIANG_HOME"] = kept


def show(found: dict[str, Any]) -> None:
    """Print the tables."""
    console = Console()
    table = Table("cut by", "unknown words", "mean SLOR", "r with the corpus' cut", "F1 of words")
    for name, row in found["cuts"].items():
        table.add_row(name, f"{row['unknown']:.1%}", f"{row['slor']:.2f}", f"{row['r']:.2f}", f"{row['f1']:.3f}")
    console.print(table)
    table = Table("sentence", "as written", "folded", title="SLOR")
    for sentence, row in found["widths"].items():
        table.add_row(sentence, f"{row['as written']:.2f}", f"{row['folded']:.2f}")
    console.print(table)
    console.print(f"{found['sentences']:,} sentences, {found['words']:,} words; model {found['model']}.")
    if "seconds_of_learning" in found:
        console.print(f"The segmenter pku was learned in {found['seconds_of_learning']:.0f} s of one core.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="ngram-4")
    parser.add_argument("--sentences", type=int, default=0, help="only the first so many")
    parser.add_argument("--no-training", action="store_true", help="do not time the learning of pku")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.model == Recipe("ngram", "4").name:
        train(Recipe("ngram", "4"), watcher=long_watcher())
    given = read_corpus(DEFAULT_CORPUS).parts["test"]
    given = given.take(np.arange(min(arguments.sentences or len(given), len(given))))
    found: dict[str, Any] = {"model": arguments.model, "sentences": len(given), "words": len(given.words)}
    found |= {"cuts": cuts(open_model(arguments.model), given), "widths": widths(arguments.model)}
    if not arguments.no_training:
        found["seconds_of_learning"] = seconds_of_learning()
    if arguments.json:
        print(json.dumps(found, ensure_ascii=False, indent=1))
    else:
        show(found)


if __name__ == "__main__":
    main()
