"""How do our linear and logistic mixed models compare with lme4 and with the library mixedlm?

    python -m benchmarks.mixed [--designs 240] [--out FILE]

Four tables: every case of tests/oracles/mixed.json (lme4 and lmerTest) for both; simulated designs, many of them with
a variance at zero, on which neither may find a likelihood below the other's; times on crossed data of growing size; and
what it costs to leave BLAS its threads, in processes of their own without OMP_NUM_THREADS.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import mixedlm
import numpy as np
import pandas as pd
import polars as pl

from hengliang.statistics import fit_mixed, fit_ordinal
from hengliang.statistics.models import mixed
from hengliang.statistics.models.ordinal import fitting

ORACLE = Path(__file__).parents[1] / "tests" / "oracles" / "mixed.json"
SHORT = 1e-6
SHAPES = (
    "~ x + a + (1 | g) + (1 | h)",
    "~ x + a + (x | g) + (1 | h)",
    "~ x + a + (x || g)",
    "~ x*a + (x + a | g) + (1 | h)",
)


def theirs(formula: str, data: pd.DataFrame, family: str, reml: bool) -> Any:
    if family == "gaussian":
        return mixedlm.lmer(formula, data, REML=reml)
    return mixedlm.glmer(formula, data, family=mixedlm.families.Binomial())


def log_likelihood(fit: Any) -> float:
    held = fit.logLik()
    return float(getattr(held, "value", held))


def against_lme4() -> Iterator[dict[str, Any]]:
    """Give for each case how far both are from R: likelihood, and the largest relative deviations."""
    for case in json.loads(ORACLE.read_text())["cases"]:
        ours = fit_mixed(case["formula"], pl.DataFrame(case["data"]), family=case["family"], reml=case["reml"]).model
        other = theirs(case["formula"], pd.DataFrame(case["data"]), case["family"], case["reml"])
        errors = {c["name"]: c["error"] for c in case["coefficients"]}
        freedoms = {c["name"]: c.get("df") for c in case["coefficients"]}
        plain = {c.name.replace("[", "").replace("]", ""): c for c in ours.coefficients}
        row = {
            "case": case["name"],
            "ours log-likelihood": ours.log_likelihood - case["log_likelihood"],
            "ours errors": max(abs(plain[name].error / error - 1) for name, error in errors.items()),
            "mixedlm log-likelihood": log_likelihood(other) - case["log_likelihood"],
            # Its columns come in another order and under other names, but the set of errors is the same.
            "mixedlm errors": _apart(np.sqrt(np.diag(other.vcov())), np.array(list(errors.values()))),
        }
        if case["family"] == "gaussian":
            known = np.array(list(freedoms.values()), dtype=float)
            row["ours df"] = max(abs(float(plain[name].df or 0) / df - 1) for name, df in freedoms.items())
            row["mixedlm df"] = _apart(other.tidy()["df"].dropna().to_numpy(dtype=float), known)
        yield row


def _apart(one: np.ndarray, two: np.ndarray) -> float:
    return float(np.max(np.abs(np.sort(one) / np.sort(two) - 1)))


def designs(count: int) -> Iterator[tuple[str, dict[str, Any], str, bool]]:
    """Give formulas with data; a quarter of all standard deviations is zero."""
    rng = np.random.default_rng(11)
    for number in range(count):
        n, groups, others = (int(rng.integers(*span)) for span in ((40, 250), (3, 15), (3, 12)))
        g, h = rng.integers(0, groups, n), rng.integers(0, others, n)
        x, a = rng.normal(size=n), rng.integers(0, 2, n) * 1.0
        level, slope, other = rng.choice([0, 0.2, 0.7, 2], 3)
        mean = 0.3 + 0.5 * x - 0.4 * a + rng.normal(0, 1, groups)[g] * level
        mean = mean + rng.normal(0, 1, groups)[g] * slope * x + rng.normal(0, 1, others)[h] * other
        measured = mean + rng.normal(0, 1, n)
        answered = (rng.random(n) < 1 / (1 + np.exp(-mean))).astype(int)
        family = "gaussian" if number % 8 < 4 else "binomial"
        response = measured if family == "gaussian" else answered
        data = {"y": response, "x": x, "a": a, "g": [f"g{k:02d}" for k in g], "h": [f"h{k:02d}" for k in h]}
        yield f"y {SHAPES[number % 4]}", data, family, bool(number % 3)


def simulated(count: int) -> dict[str, Any]:
    """Count the designs on which one of the two ends below the other."""
    short: dict[str, list[float]] = {"ours": [], "mixedlm": []}
    silent, linear, seconds = 0, 0, {"ours": 0.0, "mixedlm": 0.0}
    for formula, data, family, reml in designs(count):
        start = time.perf_counter()
        ours = fit_mixed(formula, pl.DataFrame(data), family=family, reml=reml).model
        middle = time.perf_counter()
        other = theirs(formula, pd.DataFrame(data), family, reml)
        seconds["ours"] += middle - start
        seconds["mixedlm"] += time.perf_counter() - middle
        ahead = ours.log_likelihood - log_likelihood(other)
        if abs(ahead) > SHORT:
            short["mixedlm" if ahead > 0 else "ours"].append(abs(ahead))
            silent += bool(ahead > 0 and other.converged)
            linear += bool(ahead > 0 and family == "gaussian")
    return {
        "designs": count,
        **{f"{name} short": len(held) for name, held in short.items()},
        "mixedlm short, linear models": linear,
        "mixedlm short and said to have converged": silent,
        "mixedlm median shortfall": float(np.median(short["mixedlm"] or [0.0])),
        **{f"{name} seconds": value for name, value in seconds.items()},
    }


def timed() -> Iterator[dict[str, Any]]:
    """Give the seconds of a whole fit with tests, on crossed raters and sentences."""
    rng = np.random.default_rng(0)
    for raters, sentences in ((40, 40), (160, 100), (400, 250)):
        g, h = np.repeat(np.arange(raters), sentences), np.tile(np.arange(sentences), raters)
        kind = rng.integers(0, 4, len(g))
        mean = np.array([0, 0.5, 1.0, -0.3])[kind] + rng.normal(0, 0.6, raters)[g] + rng.normal(0, 0.8, sentences)[h]
        answered = (rng.random(len(g)) < 1 / (1 + np.exp(-mean))).astype(int)
        for family, response in (("gaussian", mean + rng.normal(0, 1, len(g))), ("binomial", answered)):
            data = {"y": response, "a": kind.astype(str), "g": g.astype(str), "h": h.astype(str)}
            start = time.perf_counter()
            fit_mixed("y ~ a + (1 | g) + (1 | h)", pl.DataFrame(data), family=family)
            middle = time.perf_counter()
            theirs("y ~ a + (1 | g) + (1 | h)", pd.DataFrame(data), family, True).tidy()
            yield {
                "ratings": len(g),
                "family": family,
                "ours seconds": middle - start,
                "mixedlm seconds": time.perf_counter() - middle,
            }


def verbal_aggression() -> pl.DataFrame:
    """Return data like VerbAgg of lme4: 316 people answer 24 items, each of a behaviour and a situation."""
    rng = np.random.default_rng(0)
    person, item = np.repeat(np.arange(316), 24), np.tile(np.arange(24), 316)
    anger, gender = rng.normal(0, 5, 316)[person], rng.integers(0, 2, 316)[person]
    effects = 0.5 + 0.05 * anger + 0.3 * gender - item // 8 - item % 2
    mean = effects + rng.normal(0, 1.3, 316)[person] + rng.normal(0, 0.5, 24)[item]
    columns = {"gender": gender, "behaviour": item // 8, "situation": item % 2, "person": person, "item": item}
    return pl.DataFrame(
        {
            "yes": (rng.random(len(mean)) < 1 / (1 + np.exp(-mean))).astype(int),
            "rating": np.digitize(mean + rng.logistic(size=len(mean)), [-1.0, 0.0, 1.5, 3.0]),
            "anger": anger,
            **{name: column.astype(str) for name, column in columns.items()},
        }
    )


def fit_with_threads(limited: bool) -> None:
    """Print the seconds of three fits, on one thread of BLAS as users have it, or on as many as it likes."""
    if not limited:
        mixed._fit = getattr(mixed._fit, "__wrapped__")  # noqa: B009
        fitting._fit = getattr(fitting._fit, "__wrapped__")  # noqa: B009
    data, right = verbal_aggression(), "anger + gender + behaviour + situation + (1 | person) + (1 | item)"
    fits: dict[str, Callable[[], object]] = {
        "binomial": partial(fit_mixed, f"yes ~ {right}", data, family="binomial"),
        "gaussian": partial(fit_mixed, f"rating ~ {right}", data),
        "ordinal": partial(fit_ordinal, f"rating ~ {right}", data),
    }
    for name, fit in fits.items():
        wall, processor = time.perf_counter(), time.process_time()
        fit()
        row = {"seconds": time.perf_counter() - wall, "processor seconds": time.process_time() - processor}
        print(json.dumps({"fit": name, "one thread": limited, **row}))


def on_threads() -> Iterator[dict[str, Any]]:
    """Give the times of the same fits on one thread and on all."""
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    for which in ("limited", "unlimited"):
        command = [sys.executable, "-m", "benchmarks.mixed", "--threads", which]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        yield from (json.loads(line) for line in done.stdout.splitlines())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--designs", type=int, default=240)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--threads", choices=("limited", "unlimited"), help="only fit with these, and print the times")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.threads:
        fit_with_threads(arguments.threads == "limited")
        return
    result: dict[str, Any] = {"mixedlm": metadata.version("mixedlm")}
    result["against lme4"] = list(against_lme4())
    result["simulated"] = simulated(arguments.designs)
    result["times"] = list(timed())
    result["threads"] = list(on_threads())
    for row in (*result["against lme4"], result["simulated"], *result["times"], *result["threads"]):
        print(
            "  ".join(
                f"{key} {value:.2g}" if isinstance(value, float) else f"{key} {value}" for key, value in row.items()
            )
        )
    if arguments.out:
        arguments.out.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
