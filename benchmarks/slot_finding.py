"""How well and how quickly are classifier slots found in bare text, and what do the customers' reviews yield?

Run: python benchmarks/slot_finding.py [TAGGER]. Agreement is with the tags of the dev part of the default corpus. The
times of a first run include tagging; a second run finds the tags in the cache. The sample of the Chinese Classifier
Dataset is shown where the machine has it; nothing is tuned on it.
"""

from __future__ import annotations

import sys
import time

import polars as pl

from hengliang import Material, UserError
from hengliang.classifiers import ccd_slots, classifier_slots, compare_slots, tagged_and_found, tagged_slots
from hengliang.core import long_watcher

SHOWN = 20


def agreement(tagger: str) -> None:
    """Print precision and recall of slots and the agreement of heads on the dev part of the default corpus."""
    began = time.perf_counter()
    tagged, found = tagged_and_found(tagger, "dev", long_watcher())
    seconds = time.perf_counter() - began
    same = compare_slots(tagged, found)
    print(f"{same.tagged:,} slots by the corpus's tags, {same.found:,} by {tagger}, {same.same:,} the same")
    for name, (low, high) in same.intervals().items():
        print(f"{name:10} {getattr(same, name):.3f} ({low:.3f} to {high:.3f})")
    print(f"{seconds:.1f} s for both\n")


def shares(material: Material) -> dict[str, float]:
    """Return the share of each classifier, the most frequent first."""
    counts = material.items()["gold"].value_counts(sort=True)
    total = counts["count"].sum()
    return {form: count / total for form, count in counts.rows()}


def distributions(tagger: str) -> None:
    """Print the most frequent classifiers of the reviews beside those of the default corpus and of the sample."""
    began = time.perf_counter()
    reviews = tagged_slots(tagger=tagger)
    items = reviews.items()
    print(f"reviews: {items.height:,} slots ({items['copies'].sum():,} with copies), {items['gold'].n_unique()} "
          f"classifiers, {items['head'].n_unique():,} head nouns, {time.perf_counter() - began:.0f} s")  # fmt: skip
    print("constructions:", dict(items["construction"].value_counts(sort=True).rows()))
    held: dict[str, dict[str, float]] = {"reviews": shares(reviews), "default": shares(classifier_slots())}
    for name in ("exp1", "exp2_random"):
        try:
            held[name] = shares(ccd_slots(f"ccd-sample/{name}.csv"))
        except UserError as absent:
            print(absent)
    forms = list(held["reviews"])[:SHOWN]
    table = pl.DataFrame({"": forms} | {name: [100 * one.get(form, 0) for form in forms] for name, one in held.items()})
    with pl.Config(tbl_rows=SHOWN, float_precision=1, tbl_hide_column_data_types=True, tbl_hide_dataframe_shape=True):
        print(table)
    for name in ("exp1", "exp2_random"):
        for other in ("default", "reviews"):
            if name in held:
                print(f"distance of {other} from {name}: {distance(held[other], held[name]):.3f}")


def distance(one: dict[str, float], other: dict[str, float]) -> float:
    """Return the share of uses by which two distributions differ (total variation)."""
    return sum(abs(one.get(form, 0) - other.get(form, 0)) for form in one.keys() | other.keys()) / 2


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else "lac"
    agreement(chosen)
    distributions(chosen)
