"""How long does a cumulative-link mixed model take, beside R's `clmm`, as the ratings grow?

Raters and items are crossed: `rating ~ system + (1 | rater) + (1 | item)` on a scale of seven. Each fit runs in a
process of its own, which tells its time and its peak memory; `clmm` runs with its default settings, and only its own
time counts, not the start of R. Sizes above `--r-limit` are left to us alone.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from hengliang.statistics import fit_ordinal

FORMULA = "rating ~ system + (1 | rater) + (1 | item)"
# Raters, items, and the share of all pairs that was rated.
SIZES = {1_600: (40, 40, 1.0), 16_000: (160, 200, 0.5), 100_000: (400, 1_000, 0.25)}
THRESHOLDS = np.array([-2.5, -1.6, -0.9, -0.3, 0.6, 1.8])

R_SCRIPT = """
suppressMessages(library(ordinal))
data <- read.csv(commandArgs(TRUE)[1], stringsAsFactors = TRUE)
data$rating <- ordered(data$rating)
seconds <- system.time(fit <- clmm(rating ~ system + (1 | rater) + (1 | item), data))[["elapsed"]]
cat(sprintf('{"seconds": %.4f, "log_likelihood": %.8f}', seconds, as.numeric(logLik(fit))))
"""


@dataclass(frozen=True)
class Fit:
    """One fit: how long it took, its log-likelihood, and the peak memory of its process in megabytes."""

    seconds: float
    log_likelihood: float
    megabytes: float | None = None


def ratings(raters: int, items: int, share: float, seed: int) -> pl.DataFrame:
    """Return crossed ratings from a known model."""
    rng = np.random.default_rng(seed)
    pairs = rng.choice(raters * items, round(raters * items * share), replace=False)
    pairs.sort()
    rater, item = np.divmod(pairs, items)
    system = rng.integers(0, 3, len(pairs))
    latent = np.array([0.0, -0.2, -0.8])[system] + rng.logistic(size=len(pairs))
    latent += 0.9 * rng.standard_normal(raters)[rater] + 0.7 * rng.standard_normal(items)[item]
    return pl.DataFrame(
        {
            "rating": np.searchsorted(THRESHOLDS, latent) + 1,
            "system": np.array(["corpus", "bert", "rule"])[system],
            "rater": np.char.add("r", rater.astype(str)),
            "item": np.char.add("i", item.astype(str)),
        }
    )


def fit_here(file: Path) -> Fit:
    """Fit in this process, after a small fit that loads everything."""
    warm = ratings(6, 8, 1.0, 0)
    fit_ordinal(FORMULA, warm)
    data = pl.read_csv(file)
    start = time.perf_counter()
    fit = fit_ordinal(FORMULA, data)
    seconds = time.perf_counter() - start
    return Fit(seconds, fit.log_likelihood, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def fit_apart(file: Path) -> Fit:
    command = [sys.executable, "-m", "benchmarks.ordinal", "--fit", str(file)]
    return Fit(**json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def fit_in_r(file: Path) -> Fit | None:
    if not shutil.which("Rscript"):
        return None
    done = subprocess.run(["Rscript", "-e", R_SCRIPT, str(file)], capture_output=True, text=True)
    return Fit(**json.loads(done.stdout)) if done.returncode == 0 else None


def measure(r_limit: int, seed: int) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for size, shape in SIZES.items():
            file = Path(folder) / f"{size}.csv"
            ratings(*shape, seed).write_csv(file)
            ours = fit_apart(file)
            theirs = fit_in_r(file) if size <= r_limit else None
            rows.append({"ratings": size, "ours": asdict(ours), "clmm": asdict(theirs) if theirs else None})
    return rows


def show(rows: list[dict[str, object]]) -> Table:
    table = Table(title=FORMULA)
    for title in (
        "ratings",
        "hengliang, s",
        "peak MB",
        "µs a rating",
        "clmm, s",
        "times faster",
        "log-likelihood − clmm's",
    ):
        table.add_column(title, justify="right")
    for row in rows:
        ours, theirs = row["ours"], row["clmm"]
        assert isinstance(ours, dict)
        beside = ["not run", "", ""]
        if isinstance(theirs, dict):
            ratio = theirs["seconds"] / ours["seconds"]
            difference = ours["log_likelihood"] - theirs["log_likelihood"]
            beside = [f"{theirs['seconds']:.2f}", f"{ratio:.1f}", f"{difference:.1e}"]
        each = ours["seconds"] / int(str(row["ratings"])) * 1e6
        table.add_row(
            f"{row['ratings']:,}", f"{ours['seconds']:.3f}", f"{ours['megabytes']:.0f}", f"{each:.0f}", *beside
        )
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--r-limit", type=int, default=16_000, help="the most ratings that R has to fit")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--fit", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.fit:
        print(json.dumps(asdict(fit_here(arguments.fit))))
        return
    rows = measure(arguments.r_limit, arguments.seed)
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return
    Console().print(show(rows))
    if not shutil.which("Rscript"):
        print("Rscript is not on the path, so there is nothing to compare with: apt-get install r-cran-ordinal")


if __name__ == "__main__":
    main()
