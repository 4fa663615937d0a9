"""Would two describers differ as much within scenes, or within sizes, if it did not matter who described?

Whole clusters exchange their labels within strata. The statistic is the weighted mean of the differences within strata,
so that a describer with more small scenes than another is no better for it. A stratum with a and b clusters of the two
labels has the weight ab / (a + b), by which the mean varies least where all clusters vary alike; one without both
labels has none. The interval holds the differences that neither one-sided test rejects at half the error.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hengliang.core.errors import UserError
from hengliang.core.linear_algebra import on_one_thread
from hengliang.core.signature import Value
from hengliang.core.terms import Bilingual
from hengliang.statistics.correlation.coefficients import check_settings
from hengliang.statistics.permutation import Rearrangement, findings, inverted_interval, label_exchanges, rearranged_p
from hengliang.statistics.resampling import Floats, Integers, Way
from hengliang.statistics.results import Effect, TestResult, checksum

TITLE = Bilingual("stratified permutation test", "分层置换检验")


@on_one_thread
def stratified_exchange(
    values: Any,
    groups: Any,
    *,
    clusters: Any,
    strata: Any,
    names: tuple[str, str],
    unit: str = "pair",
    stratum: str = "size",
    draws: int = 9999,
    seed: int = 1,
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Test the difference of the first name less the second; a cluster has one label and lies in one stratum."""
    check_settings("two-sided", alpha, level)
    numbers = np.asarray(values, dtype=np.float64)
    is_first = np.array([str(label) == names[0] for label in groups], dtype=np.int64)
    units, within = Way.of(unit, clusters), Way.of(stratum, strata)
    bears, placed = _of_clusters(is_first, units, within)
    weights = _weights(bears, placed, within.levels)
    if not weights.any():
        raise UserError(
            f"No {stratum} has both '{names[0]}' and '{names[1]}': there is nothing to exchange.",
            valid=f"A {stratum} with both.",
        )
    counts = np.bincount(units.codes).astype(np.float64)
    sums = np.bincount(units.codes, weights=numbers).astype(np.float64)
    fixed = (counts, placed, weights)
    observed = float(_differences(bears[None, :].astype(np.float64), sums, *fixed)[0])
    plan, chunks = label_exchanges(bears, placed, draws, seed)
    both = [(_differences(one, sums, *fixed), _differences(one, counts * bears, *fixed)) for one in chunks]
    rearranged, slopes = (np.concatenate(part) for part in zip(*both, strict=True))
    low, high = inverted_interval(observed, rearranged, slopes, plan, level) or (None, None)
    effect = Effect(
        "mean difference", "MD", observed, low, high, level, _INTERVALS[low is not None], bounded=False
    )  # fmt: skip
    significant, otherwise = findings(names, observed, "two-sided")
    return TestResult(
        test="stratified-permutation", title=TITLE, symbol="", statistic=observed,
        p=rearranged_p(observed, rearranged, plan), alternative="two-sided", n=len(numbers),
        significant=significant, otherwise=otherwise, effects=(effect,),
        conventions=_conventions(units, f"{int((weights > 0).sum())} × {stratum}", plan),
        details={"mean difference": observed, "rearrangements": float(plan.run)},
        alpha=alpha, data=checksum(numbers, is_first, units.codes, within.codes),
    )  # fmt: skip


_INTERVALS = {
    True: "all differences that neither one-sided test rejects at half the error",
    False: "no interval: the rearrangements are too few to reject anything at this level",
}


def _conventions(units: Way, strata: str, plan: Rearrangement) -> dict[str, Value]:
    return {
        "unit": f"{units.levels} × {units.name}",
        "strata": strata,
        "statistic": "mean of the differences within strata, weighted by ab / (a + b) clusters",
        "rearrangements": plan.describe(),
        "two-sided": "|difference| as large or larger",
        **({} if plan.exact else {"p": "(b + 1) / (m + 1)"}),
    }


def _of_clusters(is_first: Integers, units: Way, within: Way) -> tuple[Integers, Integers]:
    """Return the label and the stratum of each cluster."""
    rows = np.unique(units.codes, return_index=True)[1]
    bears, placed = is_first[rows], within.codes[rows]
    if (bears[units.codes] != is_first).any() or (placed[units.codes] != within.codes).any():
        raise UserError(
            f"A {units.name} has two labels, or lies in two strata ({within.name}).",
            valid=f"One label and one {within.name} for each {units.name}.",
        )
    return bears, placed


def _weights(bears: Integers, placed: Integers, strata: int) -> Floats:
    size = np.bincount(placed, minlength=strata).astype(np.float64)
    chosen = np.bincount(placed, weights=bears, minlength=strata)
    weights: Floats = chosen * (size - chosen) / size
    return weights


def _differences(chosen: Floats, held: Floats, counts: Floats, placed: Integers, weights: Floats) -> Floats:
    """Return the statistic of each rearrangement: by stratum the mean of the chosen less that of the others."""
    total = np.zeros(len(chosen))
    for stratum in np.flatnonzero(weights):
        inside = np.flatnonzero(placed == stratum)
        own, n = chosen[:, inside] @ held[inside], chosen[:, inside] @ counts[inside]
        rest = held[inside].sum() - own
        total += weights[stratum] * (own / n - rest / (counts[inside].sum() - n))
    result: Floats = total / weights.sum()
    return result
