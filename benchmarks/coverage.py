"""How often do 95 % intervals of averaged precision, recall and F1 hold the population's value?

A population of clusters is made up: 100 classes whose frequency falls with their rank, clusters that prefer some
classes, and a system that is right more often with frequent classes. From it samples of 100 clusters are drawn, each is
analysed with percentile and with BCa intervals, and the share of intervals that hold the population's value is printed.
What is wanted is 95 %.
"""

from __future__ import annotations

import argparse
import json

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.sparse import csr_array

from hengliang.analyses import averaged_ratios
from hengliang.statistics import IntervalKind, Resampling, bootstrap

NAMES = [f"{average} {ratio}" for average in ("macro", "weighted") for ratio in ("precision", "recall", "F1")]
CLASSES, CLUSTERS, ITEMS, POPULATION = 100, 100, 30, 20_000


def population(rng: np.random.Generator) -> np.ndarray:
    """Return found, answered and gold counts of every class for each cluster of the population."""
    base = 1 / np.arange(1, CLASSES + 1)
    skill = np.linspace(0.8, 0.3, CLASSES)
    rows = np.zeros((POPULATION, 3 * CLASSES))
    for cluster in range(POPULATION):
        taste = base * rng.gamma(1.0, 1.0, CLASSES)
        gold = rng.choice(CLASSES, ITEMS, p=taste / taste.sum())
        guess = rng.choice(CLASSES, ITEMS, p=base / base.sum())
        label = np.where(rng.random(ITEMS) < skill[gold], gold, guess)
        np.add.at(rows[cluster], label[label == gold], 1)
        np.add.at(rows[cluster], CLASSES + label, 1)
        np.add.at(rows[cluster], 2 * CLASSES + gold, 1)
    return rows


def measure(samples: int, draws: int, seed: int) -> dict[str, dict[str, float]]:
    rng = np.random.default_rng(seed)
    everybody = population(rng)
    truth = averaged_ratios(everybody.sum(axis=0, keepdims=True))[0]
    kinds: tuple[IntervalKind, ...] = ("percentile", "bca")
    held = {kind: np.zeros(len(NAMES)) for kind in kinds}
    for sample in range(samples):
        chosen = csr_array(everybody[rng.choice(POPULATION, CLUSTERS, replace=False)])
        for kind in kinds:
            found = bootstrap(chosen, averaged_ratios, Resampling(draws, sample, 0.95, kind))
            held[kind] += (found.low <= truth) & (truth <= found.high)
    return {kind: dict(zip(NAMES, (counts / samples).tolist(), strict=True)) for kind, counts in held.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print the shares as JSON")
    arguments = parser.parse_args()
    shares = measure(arguments.samples, arguments.draws, arguments.seed)
    if arguments.json:
        print(json.dumps(shares, indent=1))
        return
    table = Table("statistic", "percentile", "BCa", title=f"coverage of 95 % intervals in {arguments.samples} samples")
    for name in NAMES:
        table.add_row(name, f"{shares['percentile'][name]:.1%}", f"{shares['bca'][name]:.1%}")
    Console().print(table)


if __name__ == "__main__":
    main()
