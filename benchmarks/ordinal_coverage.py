"""How often do 95 % intervals of an ordinal mixed model hold the true effect?

Ratings on a scale of seven are drawn from a cumulative-link mixed model: raters of two groups judge items of three
systems, each rater each item in one version. The model is fitted, and the share of Wald and of profile intervals that
hold the truth is printed for an effect within raters (a system), for one between raters (their group), and for one
between items. What is wanted is 95 %; the number of clusters decides what one gets.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import partial

import numpy as np
import polars as pl
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from scipy.stats import binomtest

from hengliang.core import engine_named, map_batches, usual_watcher
from hengliang.statistics import ModelDesign as Design
from hengliang.statistics import profile_interval
from hengliang.statistics.models import RandomTerm
from hengliang.statistics.models.ordinal import fit_design

THRESHOLDS = np.array([-2.5, -1.6, -0.9, -0.3, 0.6, 1.8])
TRUTH = {"system[bert]": -0.2, "system[rule]": -0.8, "group[second]": 0.5, "genre[news]": 0.4}
ITEMS, RATERS = 36, (40, 8)
DEVIATIONS = {"rater": 0.9, "item": 0.7}
BATCH = 5


def drawn(raters: int, seed: int) -> Design:
    """Draw one experiment."""
    rng = np.random.default_rng([seed, raters])
    rater, item = (axis.ravel() for axis in np.meshgrid(np.arange(raters), np.arange(ITEMS), indexing="ij"))
    system = (rater + item) % 3
    columns = [system == 1, system == 2, rater % 2 == 1, item // 3 % 2 == 1]
    fixed = np.column_stack(columns).astype(np.float64)
    latent = fixed @ np.array(list(TRUTH.values())) + rng.logistic(size=len(rater))
    latent += DEVIATIONS["rater"] * rng.standard_normal(raters)[rater]
    latent += DEVIATIONS["item"] * rng.standard_normal(ITEMS)[item]
    ratings = pl.Series("rating", np.searchsorted(THRESHOLDS, latent) + 1)
    terms = [
        RandomTerm(name, ("(Intercept)",), np.ones((len(rater), 1)), codes, tuple(map(str, range(count))))
        for name, codes, count in (("rater", rater, raters), ("item", item, ITEMS))
    ]
    return Design(
        formula="rating ~ system + group + genre + (1 | rater) + (1 | item)",
        response_name="rating",
        response=ratings,
        fixed=fixed,
        fixed_names=tuple(TRUTH),
        terms={"system": (0, 1), "group": (2,), "genre": (3,)},
        random=tuple(terms),
        rows=np.arange(len(rater)),
        n_missing=0,
        frame=pl.DataFrame({"rating": ratings}),
    )


def held(raters: int, start: int) -> list[list[list[bool]]]:
    """Return for some samples whether each interval, Wald and profile, holds its truth."""
    found = []
    for seed in range(start, start + BATCH):
        fit = fit_design(drawn(raters, seed))
        wald, profile = [], []
        for name, truth in TRUTH.items():
            coefficient = fit.coefficient(name)
            wald.append(coefficient.low <= truth <= coefficient.high)
            interval = profile_interval(fit, name)
            profile.append(interval.low <= truth <= interval.high)
        found.append([wald, profile])
    return found


def measure(samples: int, engine: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for raters in RATERS:
        began = time.perf_counter()
        starts = range(0, samples, BATCH)
        with usual_watcher().watch(f"{raters} raters", len(starts)) as steps:
            outcomes = []
            for batch in map_batches(partial(held, raters), starts, engine=engine_named(engine)):
                outcomes += batch
                steps.advance()
        counts = np.array(outcomes).sum(axis=0)
        for place, name in enumerate(TRUTH):
            row: dict[str, object] = {"raters": raters, "items": ITEMS, "effect": name, "samples": len(outcomes)}
            for kind, count in (("wald", counts[0, place]), ("profile", counts[1, place])):
                bounds = binomtest(int(count), len(outcomes)).proportion_ci(method="exact")
                row[kind] = {"coverage": count / len(outcomes), "low": float(bounds.low), "high": float(bounds.high)}
            rows.append({**row, "seconds": round(time.perf_counter() - began, 1)})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--engine", default="local")
    parser.add_argument("--json", action="store_true", help="print JSON, as in benchmarks/results")
    arguments = parser.parse_args()
    rows = measure(arguments.samples, arguments.engine)
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return
    table = Table(title=f"Coverage of 95 % intervals, {arguments.samples} samples")
    for title in ("raters", "effect", "Wald", "profile"):
        table.add_column(title)
    for row in rows:
        shown = []
        for kind in ("wald", "profile"):
            cell = row[kind]
            assert isinstance(cell, dict)
            shown.append(f"{cell['coverage']:.1%} [{cell['low']:.1%}, {cell['high']:.1%}]")
        table.add_row(str(row["raters"]), escape(str(row["effect"])), *shown)
    Console().print(table)


if __name__ == "__main__":
    main()
