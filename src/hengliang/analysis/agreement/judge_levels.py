"""At which level do two judges agree: items, pairs of items, items within a system, or systems?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl
import scipy

from hengliang.analysis.agreement.matrix import Floats, Integers
from hengliang.analysis.agreement.noise_ceiling import nan_mean
from hengliang.analysis.agreement.pairs import Differences, all_pairs, best_threshold, pairs_within
from hengliang.analysis.agreement.score_tables import SIDES, PairedScores
from hengliang.analysis.agreement.values import AgreementValue
from hengliang.analysis.agreement.weighted import resampled, weighted_pairs
from hengliang.analysis.correlation.weighted import weighted_pearson, weighted_spearman
from hengliang.analysis.resampling import FEW_CLUSTERS, Resampling
from hengliang.core.terms import Bilingual

ITEMS, PAIRS, WITHIN_ITEM = "items", "pairs of items", "pairs within an item"
WITHIN_SYSTEM, SYSTEMS = "items within a system", "systems"
SYMBOLS = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}
CORRELATIONS = tuple(SYMBOLS)
_CONSTANT = Bilingual("one of the two gives all the same score.", "其中一方给出的分数全都相同。")
_FEW = Bilingual("a correlation needs three systems or more.", "相关至少需要三个系统。")


@dataclass(frozen=True, slots=True)
class LevelSettings:
    """How intervals are made, and on which side small differences may count as ties."""

    how: Resampling
    calibrate: str

    def describe(self, clusters: int) -> str:
        """Say how an interval was made."""
        few = ", so few items make the interval too narrow" if clusters < FEW_CLUSTERS else ""
        return (
            f"{self.how.level:.6g} percentile bootstrap interval, {clusters} items drawn with replacement, "
            f"{self.how.draws} draws, seed {self.how.seed}{few}"
        )


def _value(
    level: str,
    statistic: str,
    numbers: tuple[float, float, float],
    n: int,
    method: str,
    settings: LevelSettings,
    reason: Bilingual | None = None,
) -> AgreementValue:
    value, low, high = numbers
    return AgreementValue(
        statistic=statistic,
        symbol=SYMBOLS.get(statistic, "accuracy"),
        value=value,
        n=n,
        low=low,
        high=high,
        level=settings.how.level,
        by={"level": level},
        method=method,
        reason=reason or (_CONSTANT if math.isnan(value) else None),
    )


def item_level(both: PairedScores, settings: LevelSettings) -> list[AgreementValue]:
    """Return the correlations over all observations, and pairwise accuracy over all pairs, with intervals."""
    first, second, clusters = both.scores("first"), both.scores("second"), both.clusters

    def statistic(weights: Floats) -> Floats:
        moments = [weighted_pearson(first, second, weights), weighted_spearman(first, second, weights)]
        return np.column_stack([*moments, weighted_pairs(weights, first, second)])

    value, low, high = resampled(statistic, clusters, settings.how)
    described = settings.describe(int(clusters.max()) + 1)
    heads = (
        (ITEMS, "pearson", "over all answers to all items"),
        (ITEMS, "spearman", "mean ranks, over all answers to all items"),
        (ITEMS, "kendall", "τ-b, over all answers to all items"),
        (PAIRS, "accuracy with ties", "pairs ordered alike or tied for both, of all pairs"),
        (PAIRS, "accuracy without ties", "pairs ordered alike, of the pairs that neither holds equal"),
    )
    return [
        _value(at, name, (float(value[n]), float(low[n]), float(high[n])), len(first), f"{how}; {described}", settings)
        for n, (at, name, how) in enumerate(heads)
    ]


def pair_level(both: PairedScores, settings: LevelSettings) -> list[AgreementValue]:
    """Return accuracy with calibrated ties over all pairs, and the accuracies within items where there are systems."""
    first, second, clusters = both.scores("first"), both.scores("second"), both.clusters
    found = []
    everything = all_pairs(first, second) if settings.calibrate != "none" else None
    if everything is not None:
        threshold, accuracy = best_threshold(_side(everything, settings.calibrate))
        method = f"differences of the {settings.calibrate} score up to {threshold:.6g} are ties, found on these pairs"
        numbers = (accuracy, math.nan, math.nan)
        found.append(
            _value(PAIRS, "accuracy with calibrated ties", numbers, len(first), f"{method}; no interval", settings)
        )
    inside = pairs_within(clusters, first, second)
    if not len(inside.first):
        return found
    kinds = [("accuracy with ties", inside, "mean over items of the share of pairs ordered alike or tied for both")]
    if settings.calibrate != "none":
        side = _side(inside, settings.calibrate)
        threshold, _ = best_threshold(side)
        told = f"differences of the {settings.calibrate} score up to {threshold:.6g} are ties, found on these pairs"
        kinds.append(("accuracy with calibrated ties", side.with_ties(threshold), told))
    for name, pairs, method in kinds:
        found.append(_accuracy_within(name, pairs, clusters, method, settings))
    return found


def _side(pairs: Differences, calibrate: str) -> Differences:
    return pairs if calibrate == "first" else pairs.turned()


def _accuracy_within(
    name: str, pairs: Differences, clusters: Integers, method: str, settings: LevelSettings
) -> AgreementValue:
    accuracy = pairs.group_accuracy(int(clusters.max()) + 1)
    held = accuracy[~np.isnan(accuracy)]

    def mean(weights: Floats) -> Floats:
        average: Floats = (weights @ held / weights.sum(axis=1))[:, None]
        return average

    value, low, high = resampled(mean, np.arange(len(held)), settings.how)
    numbers = (float(value[0]), float(low[0]), float(high[0]))
    return _value(WITHIN_ITEM, name, numbers, len(pairs.first), f"{method}; {settings.describe(len(held))}", settings)


def _grid(cells: pl.DataFrame) -> tuple[list[str], list[Floats]]:
    """Return the systems, and for each side a table of items by systems with NaN for what is not there."""
    systems = cells["system"].unique().sort().to_list()
    wide = [cells.pivot("system", index="item", values=side).sort("item").select(systems) for side in SIDES]
    return systems, [held.cast(pl.Float64).fill_null(float("nan")).to_numpy() for held in wide]


def within_systems(both: PairedScores, settings: LevelSettings) -> list[AgreementValue]:
    """Return the correlations over the items of each system, averaged over systems."""
    systems, (first, second) = _grid(both.cells)
    present = [~np.isnan(first[:, column]) for column in range(len(systems))]
    enough = [column for column in range(len(systems)) if present[column].sum() >= 3]

    def statistic(weights: Floats) -> Floats:
        by_system: dict[str, list[Floats]] = {name: [] for name in CORRELATIONS}
        for column in enough:
            kept = present[column]
            held, one, two = weights[:, kept], first[kept, column], second[kept, column]
            safe = np.where(held.sum(axis=1, keepdims=True) > 0, held, 1.0)
            by_system["pearson"].append(weighted_pearson(one, two, safe))
            by_system["spearman"].append(weighted_spearman(one, two, safe))
            by_system["kendall"].append(weighted_pairs(safe, one, two)[:, 0])
        return np.column_stack([nan_mean(np.column_stack(by_system[name])) for name in CORRELATIONS])

    if not enough:
        return []
    value, low, high = resampled(statistic, np.arange(len(first)), settings.how)
    told = (
        f"mean over {len(enough)} systems of the correlation over each system's items; {settings.describe(len(first))}"
    )
    return [
        _value(WITHIN_SYSTEM, name, (float(value[n]), float(low[n]), float(high[n])), both.cells.height, told, settings)
        for n, name in enumerate(CORRELATIONS)
    ]


def system_level(both: PairedScores, settings: LevelSettings) -> list[AgreementValue]:
    """Return the correlations of the means of systems, and how many pairs of systems are ordered alike."""
    systems, (first, second) = _grid(both.cells)
    present = (~np.isnan(first)).astype(np.float64)
    sums = [np.where(np.isnan(held), 0.0, held) for held in (first, second)]

    def statistic(weights: Floats) -> Floats:
        counts = weights @ present
        means = [np.where(counts > 0, weights @ held / np.maximum(counts, 1), np.nan) for held in sums]
        return _across_systems(*means)

    value, low, high = resampled(statistic, np.arange(len(first)), settings.how)
    base = f"means of {len(systems)} systems over items"
    described = f"{settings.describe(len(first))}; systems are held fixed"
    found = []
    for n, name in enumerate((*CORRELATIONS, "accuracy without ties")):
        numbers = (float(value[n]), float(low[n]), float(high[n]))
        method = f"{base}; {described}" if n < 3 else f"pairs of systems ordered alike, {base}; {described}"
        reason = _FEW if len(systems) < 3 and n < 3 else None
        found.append(_value(SYSTEMS, name, numbers, len(systems), method, settings, reason))
    return found


def _across_systems(first: Floats, second: Floats) -> Floats:
    """Return r, ρ, τ and the accuracy of pairs, row by row; a row that lacks a system has none of them."""
    found = np.full((len(first), 4), np.nan)
    whole = ~(np.isnan(first) | np.isnan(second)).any(axis=1)
    one, two = first[whole], second[whole]
    signs = [np.sign(held[:, :, None] - held[:, None, :]) for held in (one, two)]
    apart = [np.abs(sign).sum(axis=(1, 2)) for sign in signs]
    strict = np.abs(signs[0] * signs[1]).sum(axis=(1, 2))
    balance = (signs[0] * signs[1]).sum(axis=(1, 2))
    found[whole, 3] = np.where(strict > 0, (strict + balance) / np.where(strict > 0, 2 * strict, 1.0), np.nan)
    if first.shape[1] >= 3:
        found[whole, 0] = _pearson_rows(one, two)
        found[whole, 1] = _pearson_rows(scipy.stats.rankdata(one, axis=1), scipy.stats.rankdata(two, axis=1))
        reach = np.sqrt(apart[0] * apart[1])
        found[whole, 2] = np.where(reach > 0, balance / np.where(reach > 0, reach, 1.0), np.nan)
    return found


def _pearson_rows(first: Floats, second: Floats) -> Floats:
    one, two = (held - held.mean(axis=1, keepdims=True) for held in (first, second))
    spread = np.sqrt((one**2).sum(axis=1) * (two**2).sum(axis=1))
    varied = (np.ptp(first, axis=1) > 0) & (np.ptp(second, axis=1) > 0)
    found: Floats = np.where(varied, (one * two).sum(axis=1) / np.where(varied, spread, 1.0), np.nan)
    return np.clip(found, -1.0, 1.0)
