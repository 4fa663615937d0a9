"""On which scale are the surprisals of our models of the paper's sentences, beside those that the paper recorded?

Wang et al. (2021) published what each of their models said of each word of their suites. Ours learned from other and
less text, so no number can be the same; but if words were counted twice, or in other units, or the closing of
constituents were left out, surprisals would be off by a factor. For each kind of model this tells mean, median and 90th
percentile in nats by word over the same words, recorded and ours, and how the two correlate word by word.

Trainings of one kind are averaged word by word. Ours are the models of the study `structural_supervision`; if that was
run before, their answers are remembered and nothing is scored anew.

    python -m benchmarks.structure_scale [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from hengliang import Material, Study, System
from hengliang.core import usual_watcher
from hengliang.corpora import is_here
from hengliang.grammar import NEWSPAPER, PUBLISHED, published_suites, recorded_study
from hengliang.grammar import PLAIN_MODELS as PLAIN
from hengliang.grammar import PUBLISHED_SUITES_SOURCE as SOURCE
from hengliang.grammar import STRUCTURED_MODELS as STRUCTURED
from hengliang.studies import structural_supervision

KINDS = (*PLAIN.values(), *STRUCTURED.values())
OURS = "ours, "


def both_sides() -> pl.DataFrame:
    """Return the surprisals that the paper recorded and those of our models, which are called otherwise."""
    recorded = [system for system in recorded_study(PUBLISHED).systems if system.name in KINDS]
    ours = [model for model in NEWSPAPER.models() if model.name in KINDS]
    for model in ours:
        model.name = f"{OURS}{model.name}"
    # Answers are remembered by batches, so ours are asked all that the study asks, not the paper's sentences alone.
    asked = structural_supervision.study().materials
    return pl.concat([word_surprisals(published_suites(), recorded), word_surprisals(asked, ours)])


def word_surprisals(materials: Material | Sequence[Material], systems: Sequence[System]) -> pl.DataFrame:
    """Return the surprisal of each word by system: item, start, end, system, nats; trainings averaged."""
    study = Study(name="scale", materials=materials, systems=list(systems))
    with tempfile.TemporaryDirectory() as held:
        study.run(held, only="items")
        units = study.run(held, only="responses", watcher=usual_watcher()).responses["units"]
    words = units.filter(pl.col("status") == "ok").select("item", "system", "content").explode("content")
    words = words.select("item", "system", pl.col("content").struct.unnest()).filter(pl.col("start") < pl.col("end"))
    name = pl.col("system").str.replace(r" \(seed .*\)$", "")
    return words.group_by("item", "start", "end", system=name).agg(nats=-pl.col("logprob").mean())


def scales(words: pl.DataFrame, kinds: Sequence[str] = KINDS) -> list[dict[str, Any]]:
    """Return for each kind of model what its surprisals are like, over the words that both sides have scored."""
    wide = words.pivot("system", index=["item", "start", "end"], values="nats")
    found = []
    for kind in kinds:
        both = wide.select(recorded=kind, ours=f"{OURS}{kind}").drop_nulls()
        theirs, own = (both[name].to_numpy() for name in ("recorded", "ours"))
        row: dict[str, Any] = {"model": kind, "words": both.height, "pearson": float(np.corrcoef(theirs, own)[0, 1])}
        for name, values in (("recorded", theirs), ("ours", own)):
            low, high = np.quantile(values, [0.5, 0.9]).tolist()
            row[name] = {"mean": float(values.mean()), "median": low, "ninetieth": high}
        found.append(row)
    return found


def show(rows: list[Mapping[str, Any]]) -> None:
    table = Table(
        "", "words", *(f"{who}: {what}" for what in ("mean", "median", "90 %") for who in ("paper", "ours")), "r"
    )
    for row in rows:
        cells = [f"{row[who][what]:.2f}" for what in ("mean", "median", "ninetieth") for who in ("recorded", "ours")]
        table.add_row(row["model"], f"{row['words']:,}", *cells, f"{row['pearson']:.2f}")
    Console(width=120).print(table)


def main() -> None:
    """Read the arguments, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON")
    given = parser.parse_args()
    absent = [name for name in (SOURCE, PUBLISHED) if not is_here(name)]
    if absent:
        sys.exit(f"Not at hand: {', '.join(absent)}. See: hengliang data show {absent[0]}")
    rows = scales(both_sides())
    if given.json:
        print(json.dumps(rows, indent=1, ensure_ascii=False))
    else:
        show(list(rows))


if __name__ == "__main__":
    main()
