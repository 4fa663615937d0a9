"""How often do 90 % intervals of the difference of two systems hold the truth when raters are few?

Differences of ratings are drawn from items, raters and single ratings, all normal, with a true difference of 0.62. Each
rater either judges items of their own (nested), as many as the others or not (unequal), or all judge the same items
(crossed). The share of intervals of `system_difference` that hold the truth is printed with its Monte-Carlo error, and
how often there was none; beside it the percentile bootstrap of the same data, which draws raters and, where they are
crossed, items. What is wanted is 90 %, and at most 5 % of verdicts of equivalence within ±0.5 where the truth is 0.5.
"""

from __future__ import annotations

import argparse
import json
import math
import time

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from hengliang.analyses import shared_ratings, system_difference
from hengliang.core import usual_watcher
from hengliang.statistics import Floats, Resampling, crossed_bootstrap, ways_of

RATERS = (2, 4, 8, 16, 24)
DESIGNS = ("nested", "nested, unequal", "crossed")
TRUTH, MARGIN, LEVEL = 0.62, 0.5, 0.9
TASTE, ITEM, RATING = 0.5, 0.8, 1.0
"""Standard deviations of the difference between raters, between items, and between single ratings."""
EACH, CROSSED_ITEMS = 10, 30


def places(design: str, raters: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rater and the item of each pair of ratings."""
    if design == "crossed":
        return np.repeat(np.arange(raters), CROSSED_ITEMS), np.tile(np.arange(CROSSED_ITEMS), raters)
    loads = np.full(raters, EACH)
    if design == "nested, unequal":
        loads = np.linspace(EACH - 7, EACH + 7, raters).round().astype(int)
    rater = np.repeat(np.arange(raters), loads)
    return rater, np.arange(len(rater))


def drawn(rater: np.ndarray, item: np.ndarray, rng: np.random.Generator) -> Floats:
    """Draw the difference of the two systems for each rater and item."""
    differences: Floats = TRUTH + TASTE * rng.normal(size=rater.max() + 1)[rater]
    differences += ITEM * rng.normal(size=item.max() + 1)[item] + RATING * rng.normal(size=len(item))
    return differences


def as_reported(rater: np.ndarray, item: np.ndarray, differences: Floats) -> tuple[float, float]:
    """Return the interval of `system_difference`, NaN where there is none; B always has 0."""
    n = len(differences)
    ratings = pl.DataFrame(
        {
            "item": [f"i{code}" for code in np.tile(item, 2)],
            "rater": [f"r{code}" for code in np.tile(rater, 2)],
            "response": ["a"] * n + ["b"] * n,
            "rating": np.concatenate([differences, np.zeros(n)]),
        }
    )
    givers = ratings.select("item", "response", system=pl.col("response").str.to_uppercase()).unique()
    found = system_difference(shared_ratings(ratings, givers), "A", "B", level=LEVEL, draws=400, permutations=1)
    effect = found.effect("mean difference")
    return (math.nan, math.nan) if effect.low is None or effect.high is None else (effect.low, effect.high)


def bootstrapped(rater: np.ndarray, item: np.ndarray, differences: Floats) -> tuple[float, float]:
    """Return the percentile interval of the same mean."""
    values, ways = (
        np.column_stack([differences, np.ones(len(item))]),
        ways_of({"item": item, "rater": rater}, len(item)),
    )
    found = crossed_bootstrap(values, mean, ways, Resampling(400, 1, LEVEL))
    return float(found.low[0]), float(found.high[0])


def mean(sums: Floats) -> Floats:
    means: Floats = sums[:, :1] / sums[:, 1:]
    return means


def summary(bounds: list[tuple[float, float]]) -> dict[str, float]:
    """Return the share of intervals that hold the truth, and of those that would be taken for equivalence wrongly."""
    low, high = np.array(bounds).T
    made = ~np.isnan(low)
    n = int(made.sum())
    share = float(((low <= TRUTH) & (high >= TRUTH))[made].mean())
    # The truth as the border of the margin: equivalent is what lies between it and twice the margin below or above.
    below = (high < TRUTH) & (low > TRUTH - 2 * MARGIN)
    above = (low > TRUTH) & (high < TRUTH + 2 * MARGIN)
    return {
        "coverage": round(share, 4),
        "error": round(math.sqrt(share * (1 - share) / n), 4),
        "false equivalence": round(float((below | above)[made].mean() / 2), 4),
        "width": round(float(np.median((high - low)[made])), 3),
        "refused": round(1 - n / len(bounds), 4),
    }


def measure(samples: int) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for design in DESIGNS:
        for raters in RATERS:
            began = time.perf_counter()
            rater, item = places(design, raters)
            rng = np.random.default_rng([DESIGNS.index(design), raters])
            ours, theirs = [], []
            with usual_watcher().watch(f"{design}, {raters} raters", samples) as steps:
                for _ in range(samples):
                    differences = drawn(rater, item, rng)
                    ours.append(as_reported(rater, item, differences))
                    theirs.append(bootstrapped(rater, item, differences))
                    steps.advance()
            row: dict[str, object] = {"design": design, "raters": raters, "items": int(item.max()) + 1}
            row |= {"samples": samples, "reported": summary(ours), "bootstrap": summary(theirs)}
            rows.append({**row, "seconds": round(time.perf_counter() - began, 1)})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--json", action="store_true", help="print JSON, as in benchmarks/results")
    arguments = parser.parse_args()
    rows = measure(arguments.samples)
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return
    table = Table(title=f"Coverage of 90 % intervals, {arguments.samples} samples")
    for title in ("design", "raters", "items", "reported", "refused", "width", "false equivalence", "bootstrap"):
        table.add_column(title)
    for row in rows:
        ours, theirs = row["reported"], row["bootstrap"]
        assert isinstance(ours, dict) and isinstance(theirs, dict)
        shares = [f"{held['coverage']:.1%} ± {held['error']:.1%}" for held in (ours, theirs)]
        table.add_row(
            str(row["design"]),
            str(row["raters"]),
            str(row["items"]),
            shares[0],
            f"{ours['refused']:.1%}",
            f"{ours['width']:.2f}",
            f"{ours['false equivalence']:.1%}",
            shares[1],
        )
    Console().print(table)


if __name__ == "__main__":
    main()
