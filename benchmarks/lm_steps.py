"""How long would the networks of the paper train on this machine?

Some steps are timed at each size, with the vocabulary and the sentences of the default corpus, and extrapolated to the
epochs of the usual settings. The sizes called `paper` are those of Wang et al. (2021), table 3a; the trainings of size
`small` are run in full by `make studies`, so that the extrapolation can be held against a real training.
"""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from hengliang.corpora import DEFAULT_CORPUS
from hengliang.language_models import build_vocabulary, read_corpus
from hengliang.language_models.neural import Kind, architecture, time_steps, usual_settings

RUNS: tuple[tuple[Kind, str], ...] = (
    ("lstm", "small"),
    ("lstm", "paper"),
    ("transformer", "small"),
    ("transformer", "paper"),
)


def main() -> None:
    texts = read_corpus(DEFAULT_CORPUS).parts["train"]
    symbols = len(build_vocabulary(texts.words, len(texts)))
    length = round(len(texts.words) / len(texts))
    table = Table(
        "", "parameters", "targets/s", "epochs", "min an epoch", "min in all", title="Training times, extrapolated"
    )
    for kind, size in RUNS:
        built = architecture(kind, size, symbols)
        settings = usual_settings(built)
        found = time_steps(built, settings, steps=5, length=length)
        epoch = found.extrapolate(len(texts.words), len(texts)) / 60
        row = (
            f"{found.targets_per_second:,.0f}",
            str(settings.epochs),
            f"{epoch:,.1f}",
            f"{settings.epochs * epoch:,.1f}",
        )
        table.add_row(f"{kind} {size}", f"{built.parameters:,}", *row)
    Console().print(table)
    threads = usual_settings(architecture("lstm", "paper", symbols)).threads
    print(f"{len(texts.words):,} words in {len(texts):,} sentences, {symbols:,} symbols, {threads} threads.")
