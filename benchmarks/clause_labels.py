"""Does a word list in the silver trees, and not their syntax, teach a model what a subordinator asks for?

The trees of the default corpus are chunked by rules. One rule gives a clause the label CP instead of IP if it begins
with a word of a hand-written list (`SUBORDINATORS` in `chunk_words.py`), and that list holds every subordinator of our
suites. So the label may be the lesson. Two RNNGs of each seed learn from the same sentences with the same brackets: one
from the trees as they are, one from trees in which every CP that does not end in 的 or 之, that is every CP that is not
a relative clause, is called IP. Both are asked the subordination suites, of which the control counts.

    python -m benchmarks.clause_labels [--sentences 6000] [--seeds 2] [--folder FOLDER] [--json]

Trained models are kept in FOLDER, and a second call goes on where the first one stopped. Four trainings of 6,000
sentences take about half an hour of one core.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.table import Table

from hengliang import Estimate, Study
from hengliang.core import estimate_records, usual_watcher
from hengliang.corpora import DEFAULT_CORPUS, Tree, read_treebank, write_brackets
from hengliang.corpora.trees import SUBORDINATORS
from hengliang.grammar import prediction, suite_accuracy, suites
from hengliang.language_models import TrainedModel, read_card, trained

ARMS: Mapping[str, bool] = {"CP as given": False, "CP renamed IP": True}
RELATIVE_ENDS = frozenset("的之")
TRAINING_SHARE = 0.8
"""A file is cut into parts of 80, 10 and 10 per cent."""


def without_clause_label(tree: Tree) -> Tree:
    """Return the tree with every CP that does not end in 的 or 之 called IP; brackets and words stay.

    >>> clause = Tree("CP", ("如果", Tree("NP", ("他",)), Tree("VP", ("来",))))
    >>> without_clause_label(Tree("S", (clause, Tree("CP", ("新", "的"))))).children[0].label
    'IP'
    """
    label = "IP" if tree.label == "CP" and tree.words()[-1] not in RELATIVE_ENDS else tree.label
    return Tree(label, tuple(without_clause_label(part) if isinstance(part, Tree) else part for part in tree.children))


def labels(trees: list[Tree]) -> Iterator[str]:
    """Yield the label of every constituent, a constituent before its parts."""
    for tree in trees:
        yield from (part.label for part in (tree, *tree.parts()) if isinstance(part, Tree))


def write_arms(folder: Path, sentences: int) -> dict[str, Any]:
    """Write a file of trees for each arm, and return how many labels there are and how many were renamed."""
    count = round(sentences / TRAINING_SHARE)
    given = list(read_treebank(DEFAULT_CORPUS, first={"train": count, "dev": 0, "test": 0}).trees["train"])
    renamed = [without_clause_label(tree) for tree in given]
    folder.mkdir(parents=True, exist_ok=True)
    for arm, trees in zip(ARMS, (given, renamed), strict=True):
        (folder / f"{arm}.mrg").write_text(write_brackets(trees), encoding="utf-8")
    changed = sum(old != new for old, new in zip(labels(given), labels(renamed), strict=True))
    return {"trees": len(given), "cp": sum(label == "CP" for label in labels(given)), "renamed": changed}


def models(folder: Path, seeds: int, size: str) -> list[TrainedModel]:
    """Return the RNNGs of both arms; they are trained when a study asks them."""
    return [
        trained("rnng", size, seed, str(folder / f"{arm}.mrg"), arm) for arm in ARMS for seed in range(1, seeds + 1)
    ]


def subordinators(items: pl.DataFrame) -> list[str]:
    """Return the subordinators of the suites, each once."""
    found = set()
    for content, spans in items.select("content", "spans").iter_rows():
        text = content.encode()
        found |= {text[span["start"] : span["end"]].decode() for span in spans if span["name"] == "subordinator"}
    return sorted(found - {""})


def measured(folder: Path, sentences: int, seeds: int, size: str, draws: int = 10_000) -> dict[str, Any]:
    """Train, ask and return a row per training: control and simple accuracy with intervals, perplexity and F1."""
    counts = write_arms(folder / "trees", sentences)
    asked = suites("subordination")
    systems = models(folder / "trees", seeds, size)
    study = Study(
        name="clause_labels",
        materials=asked,
        systems=systems,
        measures=[prediction()],
        analyses=[
            suite_accuracy(by=("class", "seed"), show="controls", draws=draws, name="control"),
            suite_accuracy(by=("class", "seed"), draws=draws, name="simple"),
        ],
    )
    run = study.run(folder / f"run-{sentences}-{seeds}-{size}", watcher=usual_watcher())
    words = subordinators(run.items)
    return {
        "sentences": sentences,
        "size": size,
        "sets": run.items["set"].n_unique(),
        "subordinators": words,
        "in_the_list": sum(word in SUBORDINATORS for word in words),
        **counts,
        "rows": [row_of(list(estimate_records(run.estimates)), system) for system in systems],
    }


def row_of(estimates: Sequence[Estimate], system: TrainedModel) -> dict[str, Any]:
    """Return what one training came to."""
    card = read_card(system.folder())
    row: dict[str, Any] = {"arm": system.name, "seed": system.seed, "sentences": card["sentences"]["train"]}
    for found in estimates:
        if found.statistic == "accuracy" and found.by["system"] == system.name and found.by["seed"] == str(system.seed):
            row[found.analysis] = {"value": found.value, "low": found.low, "high": found.high, "n": found.n}
    row["perplexity"] = card["perplexity"]["test"]["per_word"]
    row["labelled_f1"] = card["parsing"]["test"]["labelled_f1"]
    return row


def show(found: Mapping[str, Any]) -> None:
    """Print the counts and a table."""
    console = Console(width=120)
    console.print(
        f"{found['in_the_list']} of {len(found['subordinators'])} subordinators of the suites are in the word list; "
        f"{found['renamed']:,} of {found['cp']:,} CP labels in {found['trees']:,} trees are renamed."
    )
    table = Table("", "seed", "control", "simple accuracy", "perplexity", "F1")
    for row in found["rows"]:
        cells = [
            f"{100 * row[name]['value']:.1f} [{100 * row[name]['low']:.1f}, {100 * row[name]['high']:.1f}]"
            for name in ("control", "simple")
        ]
        f1 = f"{100 * row['labelled_f1']:.1f}"
        table.add_row(row["arm"], str(row["seed"]), *cells, f"{row['perplexity']:.0f}", f1)
    console.print(table)


def main() -> None:
    """Read the arguments, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=6000, help="about how many sentences are learned from")
    parser.add_argument("--seeds", type=int, default=2, help="trainings of each arm")
    parser.add_argument("--size", default="small", help="size of the RNNG")
    parser.add_argument("--folder", type=Path, default=Path("runs/clause_labels"), help="trees, models and run")
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON")
    given = parser.parse_args()
    os.environ["HENGLIANG_HOME"] = str((given.folder / "home").resolve())  # not among the user's own models
    found = measured(given.folder, given.sentences, given.seeds, given.size)
    if given.json:
        print(json.dumps(found, indent=1, ensure_ascii=False))
    else:
        show(found)


if __name__ == "__main__":
    main()
