"""Agreement between judges at the level of items, pairs and systems: correlation, pairwise accuracy, tie calibration.

A judge is whatever scores answers: a machine or people. Given two scores of the same items, the chapter computes which
systems the two rank differently (permutation tests), whether they order pairs of items alike (pairwise accuracy, with
calibrated ties [1]; the shares of pairs of systems ordered alike follow [2]), their correlations item by item and
system by system with bootstrap intervals, and, against single raters, the noise ceiling and how many raters a score is
worth. `judge_agreement` at the end puts all of this together.

[1] Deutsch, D., Foster, G., Freitag, M. (2023). Ties matter: meta-evaluating modern metrics with pairwise accuracy and
    tie calibration. EMNLP 2023.
[2] Kocmi, T., et al. (2021). To ship or not to ship: an extensive evaluation of automatic metrics for machine
    translation. WMT 2021.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, get_args

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from hengliang.core.errors import UserError
from hengliang.core.linear_algebra import on_one_thread
from hengliang.core.records import Estimate
from hengliang.core.signature import Signature, Value, version
from hengliang.core.terms import Bilingual
from hengliang.statistics.correlation.coefficients import weighted_pearson, weighted_spearman
from hengliang.statistics.inter_rater.noise_ceiling import SPLITS, ceiling_of, nan_mean, resampled, weighted_pairs
from hengliang.statistics.inter_rater.raters_worth import worth_of
from hengliang.statistics.inter_rater.ratings import AgreementResult, AgreementValue, Floats, Integers
from hengliang.statistics.inter_rater.score_tables import SIDES, PairedScores, ScoreTable, Side, paired_scores
from hengliang.statistics.permutation import label_exchanges, rearranged_p, sign_flips
from hengliang.statistics.resampling import FEW_CLUSTERS, Resampling
from hengliang.statistics.results import check_choice

# --- pairs of systems: ranked differently, with permutation tests -----------------------------------------------------
# The score of a system is its mean over items. Every pair of systems is reported with the differences of both judges,
# each with p of a permutation test: were the two systems exchangeable, the sign of each item's difference would be a
# coin flip. Systems that have no item in common are compared by their means, and p exchanges labels of items.


@dataclass(frozen=True, slots=True)
class SystemPair:
    """Two systems under two judges: `system` minus `reference`, on the items that both have.

    Where they have none in common (`paired` is false), on the items of either, which `items` then counts together.
    """

    system: str
    reference: str
    items: int
    first: float
    second: float
    first_p: float
    second_p: float
    paired: bool = True

    @property
    def is_ranked_differently(self) -> bool:
        """Whether one judge prefers the one system and the other the other; a tie of one judge counts, too."""
        return bool(np.sign(self.first) != np.sign(self.second))


def system_means(cells: pl.DataFrame) -> pl.DataFrame:
    """Return the mean of each system under both judges, its items and its ranks, the best first by the second judge."""
    means = cells.group_by("system").agg(pl.len().alias("items"), pl.col("first").mean(), pl.col("second").mean())
    ranks = [pl.col(side).rank(descending=True).alias(f"{side}_rank") for side in SIDES]
    return means.with_columns(*ranks).sort("second", "system", descending=[True, False])


def compare_systems(cells: pl.DataFrame, *, draws: int = 10_000, seed: int = 1) -> tuple[SystemPair, ...]:
    """Return every pair of systems, in the order of names."""
    systems = cells["system"].unique().sort().to_list()
    wide: dict[Side, pl.DataFrame] = {
        side: cells.pivot("system", index="item", values=side).sort("item") for side in SIDES
    }
    pairs = []
    for reference, system in combinations(systems, 2):
        differences = [(wide[side][system] - wide[side][reference]).drop_nulls().to_numpy() for side in SIDES]
        if not len(differences[0]):
            pairs.append(_unpaired(cells, system, reference, draws, seed))
            continue
        means = [_mean(side_differences) for side_differences in differences]
        ps = [sign_flip_p(side_differences, draws=draws, seed=seed) for side_differences in differences]
        pairs.append(SystemPair(system, reference, len(differences[0]), means[0], means[1], ps[0], ps[1]))
    return tuple(pairs)


def _mean(differences: Floats) -> float:
    """Return the mean; one that float noise alone keeps from 0 is 0, for its sign says who is ranked higher."""
    mean = float(differences.mean())
    return 0.0 if abs(mean) <= 1e-12 * float(np.abs(differences).max()) else mean


def _unpaired(cells: pl.DataFrame, system: str, reference: str, draws: int, seed: int) -> SystemPair:
    cells_of_systems = [cells.filter(pl.col("system") == name).sort("item") for name in (system, reference)]
    means, ps = [], []
    for side in SIDES:
        own, other = (frame[side].to_numpy() for frame in cells_of_systems)
        means.append(float(own.mean() - other.mean()))
        ps.append(label_exchange_p(own, other, draws=draws, seed=seed))
    items = cells_of_systems[0].height + cells_of_systems[1].height
    return SystemPair(system, reference, items, means[0], means[1], ps[0], ps[1], paired=False)


@on_one_thread
def label_exchange_p(first: Floats, second: Floats, *, draws: int = 10_000, seed: int = 1) -> float:
    """Return the two-sided p of equal means when it does not matter which of two groups a value belongs to."""
    n, values = len(first), np.concatenate([first, second])
    chosen = np.repeat([1, 0], [n, len(second)])
    plan, chunks = label_exchanges(chosen, np.zeros(len(values), dtype=np.int64), draws, seed)
    sums = np.concatenate([labels @ values for labels in chunks])
    differences = sums / n - (values.sum() - sums) / len(second)
    return rearranged_p(float(first.mean() - second.mean()), differences, plan)


@on_one_thread
def sign_flip_p(differences: Floats, *, draws: int = 10_000, seed: int = 1) -> float:
    """Return the two-sided p of a mean of zero when the sign of each difference is a coin flip.

    All sign changes are tried where there are few (`permutation.EXACT_LIMIT`); else (1 + as extreme) / (1 + draws).
    """
    plan, chunks = sign_flips(len(differences), draws, seed)
    sums = np.concatenate([signs @ differences for signs in chunks])
    return rearranged_p(float(differences.sum()), sums, plan)


# --- pairwise accuracy with ties and tie calibration ------------------------------------------------------------------
# Pairwise accuracy with ties counts a pair as right when both judges order it alike or both call it equal [1]. An
# automatic score hardly ever gives two answers the same number, people often do; so differences of the automatic score
# up to a threshold may count as ties, and the threshold that gives the highest accuracy is sought [1]. It is sought on
# the data that it is then used on, and so flatters a little.

MOST_PAIRS = 5_000_000
"""Pairs up to which a threshold is sought: some 3,000 items, all against all."""


@dataclass(frozen=True, slots=True, eq=False)
class Differences:
    """The differences of two scores within pairs, and the group (item) each pair belongs to."""

    first: Floats
    second: Floats
    group: Integers

    @property
    def right(self) -> NDArray[np.bool_]:
        """Whether both order the pair alike or both hold it equal."""
        alike: NDArray[np.bool_] = np.sign(self.first) == np.sign(self.second)
        return alike

    def with_ties(self, threshold: float) -> Differences:
        """Return the pairs with differences of the first score up to the threshold as ties."""
        return Differences(np.where(np.abs(self.first) <= threshold, 0.0, self.first), self.second, self.group)

    def turned(self) -> Differences:
        """Return the pairs with the two scores exchanged."""
        return Differences(self.second, self.first, self.group)

    def group_accuracy(self, groups: int) -> Floats:
        """Return the accuracy within each group, NaN where a group has no pair."""
        pairs = np.bincount(self.group, minlength=groups)
        right = np.bincount(self.group, weights=self.right, minlength=groups)
        accuracy: Floats = np.where(pairs > 0, right / np.maximum(pairs, 1), np.nan)
        return accuracy


def all_pairs(first: Floats, second: Floats) -> Differences | None:
    """Return the differences of all pairs, or nothing when they are too many."""
    n = len(first)
    if n * (n - 1) // 2 > MOST_PAIRS:
        return None
    left, right = np.triu_indices(n, 1)
    return Differences(first[left] - first[right], second[left] - second[right], np.zeros(len(left), dtype=np.int64))


def pairs_within(groups: Integers, first: Floats, second: Floats) -> Differences:
    """Return the differences of the pairs within each group (item)."""
    order = np.argsort(groups, kind="stable")
    codes = groups[order]
    lefts, rights = [], []
    # The pairs at distance 1, 2, … in sorted order; groups are small, so the loop is short.
    for distance in range(1, int(np.bincount(codes).max()) if len(codes) else 0):
        same = np.flatnonzero(codes[distance:] == codes[:-distance])
        lefts.append(order[same])
        rights.append(order[same + distance])
    left = np.concatenate(lefts) if lefts else np.zeros(0, dtype=np.int64)
    right = np.concatenate(rights) if rights else np.zeros(0, dtype=np.int64)
    return Differences(first[left] - first[right], second[left] - second[right], groups[left])


def best_threshold(pairs: Differences) -> tuple[float, float]:
    """Return the threshold for ties of the first score with the highest accuracy over all pairs, and that accuracy.

    A threshold is 0 (only equal scores are ties) or the size of some difference; of several that do equally well it is
    the smallest.
    """
    if not len(pairs.first):
        return math.nan, math.nan
    size = np.abs(pairs.first)
    order = np.argsort(size, kind="stable")
    # As the threshold passes a pair, the pair turns from what the score says into a tie.
    gain = (pairs.second == 0).astype(np.int64) - pairs.right.astype(np.int64)
    total = int(pairs.right.sum()) + np.cumsum(gain[order])
    sizes = size[order]
    last = np.append(sizes[1:] > sizes[:-1], True)
    thresholds, right = np.append(0.0, sizes[last]), np.append(int(pairs.right.sum()), total[last])
    best = int(right.argmax())
    return float(thresholds[best]), float(right[best] / len(size))


# --- levels: items, pairs of items, items within a system, systems ----------------------------------------------------
# Computes the agreement of two judges at each of these levels, with intervals that resample items.

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
    agreement_values = []
    everything = all_pairs(first, second) if settings.calibrate != "none" else None
    if everything is not None:
        threshold, accuracy = best_threshold(_side(everything, settings.calibrate))
        method = f"differences of the {settings.calibrate} score up to {threshold:.6g} are ties, found on these pairs"
        numbers = (accuracy, math.nan, math.nan)
        agreement_values.append(
            _value(PAIRS, "accuracy with calibrated ties", numbers, len(first), f"{method}; no interval", settings)
        )
    inside = pairs_within(clusters, first, second)
    if not len(inside.first):
        return agreement_values
    kinds = [("accuracy with ties", inside, "mean over items of the share of pairs ordered alike or tied for both")]
    if settings.calibrate != "none":
        side = _side(inside, settings.calibrate)
        threshold, _ = best_threshold(side)
        tie_method = (
            f"differences of the {settings.calibrate} score up to {threshold:.6g} are ties, found on these pairs"
        )
        kinds.append(("accuracy with calibrated ties", side.with_ties(threshold), tie_method))
    for name, pairs, method in kinds:
        agreement_values.append(_accuracy_within(name, pairs, clusters, method, settings))
    return agreement_values


def _side(pairs: Differences, calibrate: str) -> Differences:
    return pairs if calibrate == "first" else pairs.turned()


def _accuracy_within(
    name: str, pairs: Differences, clusters: Integers, method: str, settings: LevelSettings
) -> AgreementValue:
    accuracy = pairs.group_accuracy(int(clusters.max()) + 1)
    accuracies = accuracy[~np.isnan(accuracy)]

    def mean(weights: Floats) -> Floats:
        average: Floats = (weights @ accuracies / weights.sum(axis=1))[:, None]
        return average

    value, low, high = resampled(mean, np.arange(len(accuracies)), settings.how)
    numbers = (float(value[0]), float(low[0]), float(high[0]))
    return _value(
        WITHIN_ITEM, name, numbers, len(pairs.first), f"{method}; {settings.describe(len(accuracies))}", settings
    )


def _grid(cells: pl.DataFrame) -> tuple[list[str], list[Floats]]:
    """Return the systems, and for each side a table of items by systems with NaN for what is not there."""
    systems = cells["system"].unique().sort().to_list()
    wide = [cells.pivot("system", index="item", values=side).sort("item").select(systems) for side in SIDES]
    return systems, [table.cast(pl.Float64).fill_null(float("nan")).to_numpy() for table in wide]


def within_systems(both: PairedScores, settings: LevelSettings) -> list[AgreementValue]:
    """Return the correlations over the items of each system, averaged over systems."""
    systems, (first, second) = _grid(both.cells)
    present = [~np.isnan(first[:, column]) for column in range(len(systems))]
    enough = [column for column in range(len(systems)) if present[column].sum() >= 3]

    def statistic(weights: Floats) -> Floats:
        by_system: dict[str, list[Floats]] = {name: [] for name in CORRELATIONS}
        for column in enough:
            kept = present[column]
            kept_weights, first_kept, second_kept = weights[:, kept], first[kept, column], second[kept, column]
            safe = np.where(kept_weights.sum(axis=1, keepdims=True) > 0, kept_weights, 1.0)
            by_system["pearson"].append(weighted_pearson(first_kept, second_kept, safe))
            by_system["spearman"].append(weighted_spearman(first_kept, second_kept, safe))
            by_system["kendall"].append(weighted_pairs(safe, first_kept, second_kept)[:, 0])
        return np.column_stack([nan_mean(np.column_stack(by_system[name])) for name in CORRELATIONS])

    if not enough:
        return []
    value, low, high = resampled(statistic, np.arange(len(first)), settings.how)
    method = (
        f"mean over {len(enough)} systems of the correlation over each system's items; {settings.describe(len(first))}"
    )
    return [
        _value(
            WITHIN_SYSTEM, name, (float(value[n]), float(low[n]), float(high[n])), both.cells.height, method, settings
        )
        for n, name in enumerate(CORRELATIONS)
    ]


def system_level(both: PairedScores, settings: LevelSettings) -> list[AgreementValue]:
    """Return the correlations of the means of systems, and how many pairs of systems are ordered alike."""
    systems, (first, second) = _grid(both.cells)
    present = (~np.isnan(first)).astype(np.float64)
    sums = [np.where(np.isnan(scores), 0.0, scores) for scores in (first, second)]

    def statistic(weights: Floats) -> Floats:
        counts = weights @ present
        means = [np.where(counts > 0, weights @ scores / np.maximum(counts, 1), np.nan) for scores in sums]
        return _across_systems(*means)

    value, low, high = resampled(statistic, np.arange(len(first)), settings.how)
    base = f"means of {len(systems)} systems over items"
    described = f"{settings.describe(len(first))}; systems are held fixed"
    agreement_values = []
    for n, name in enumerate((*CORRELATIONS, "accuracy without ties")):
        numbers = (float(value[n]), float(low[n]), float(high[n]))
        method = f"{base}; {described}" if n < 3 else f"pairs of systems ordered alike, {base}; {described}"
        reason = _FEW if len(systems) < 3 and n < 3 else None
        agreement_values.append(_value(SYSTEMS, name, numbers, len(systems), method, settings, reason))
    return agreement_values


def _across_systems(first: Floats, second: Floats) -> Floats:
    """Return r, ρ, τ and the accuracy of pairs, row by row; a row that lacks a system has none of them."""
    statistics = np.full((len(first), 4), np.nan)
    whole = ~(np.isnan(first) | np.isnan(second)).any(axis=1)
    whole_first, whole_second = first[whole], second[whole]
    signs = [np.sign(means[:, :, None] - means[:, None, :]) for means in (whole_first, whole_second)]
    apart = [np.abs(sign).sum(axis=(1, 2)) for sign in signs]
    strict = np.abs(signs[0] * signs[1]).sum(axis=(1, 2))
    balance = (signs[0] * signs[1]).sum(axis=(1, 2))
    statistics[whole, 3] = np.where(strict > 0, (strict + balance) / np.where(strict > 0, 2 * strict, 1.0), np.nan)
    if first.shape[1] >= 3:
        statistics[whole, 0] = _pearson_rows(whole_first, whole_second)
        statistics[whole, 1] = _pearson_rows(
            scipy.stats.rankdata(whole_first, axis=1), scipy.stats.rankdata(whole_second, axis=1)
        )
        reach = np.sqrt(apart[0] * apart[1])
        statistics[whole, 2] = np.where(reach > 0, balance / np.where(reach > 0, reach, 1.0), np.nan)
    return statistics


def _pearson_rows(first: Floats, second: Floats) -> Floats:
    first_centred, second_centred = (scores - scores.mean(axis=1, keepdims=True) for scores in (first, second))
    spread = np.sqrt((first_centred**2).sum(axis=1) * (second_centred**2).sum(axis=1))
    varied = (np.ptp(first, axis=1) > 0) & (np.ptp(second, axis=1) > 0)
    r: Floats = np.where(varied, (first_centred * second_centred).sum(axis=1) / np.where(varied, spread, 1.0), np.nan)
    return np.clip(r, -1.0, 1.0)


# --- agreement of two judges ------------------------------------------------------------------------------------------
# Puts the levels, the pairs of systems and the comparison with single raters together into one result.


Reverse = Literal["none", "first", "second"]
Calibrate = Literal["first", "second", "none"]
_FIXED_CONVENTIONS: Mapping[str, Value] = {
    "interval": "percentile",
    "resampled": "items",
    "shared answers": "one observation; each system's own where systems are compared",
    "correlation": "Pearson, Spearman with mean ranks, Kendall tau-b",
}
FEW_SYSTEMS = 10
FEW_ITEMS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """How far two judges agree.

    `values` are the correlations and accuracies; `by["level"]` says of what. `systems` has one row per system,
    `pairs` every pair of systems; `items` every unit with both scores, standardised, the one on which they part most
    first. `ceilings` and `worth` are there for each side that has single ratings: the worth of the other side's scores.
    """

    names: tuple[str, str]
    values: tuple[AgreementValue, ...]
    n: int
    n_items: int
    left_out: int
    n_missing: int
    systems: pl.DataFrame
    pairs: tuple[SystemPair, ...]
    items: pl.DataFrame
    ceilings: Mapping[Side, AgreementResult] = field(default_factory=dict)
    worth: Mapping[Side, AgreementResult] = field(default_factory=dict)
    conventions: Mapping[str, Value] = field(default_factory=dict)
    notes: tuple[Bilingual, ...] = ()
    data: str = ""
    alpha: float = 0.05

    def value(self, level: str, statistic: str) -> AgreementValue:
        """Return one number, by its level (`items`, `systems` …) and name (`pearson` …)."""
        for entry in self.values:
            if entry.by["level"] == level and entry.statistic == statistic:
                return entry
        known = ", ".join(f"{entry.by['level']}: {entry.statistic}" for entry in self.values)
        raise UserError(f"There is no '{statistic}' of '{level}'.", valid=f"There are: {known}.")

    @property
    def ranked_differently(self) -> tuple[SystemPair, ...]:
        """The pairs of systems that the two judges rank differently."""
        return tuple(pair for pair in self.pairs if pair.is_ranked_differently)

    def parting(self, count: int = 10) -> pl.DataFrame:
        """Return the items on which the two part most."""
        return self.items.head(count)

    def sentence(self) -> Bilingual:
        """Say how far the two agree, as a results section would."""
        first, second = self.names
        correlations = "; ".join(str(self.value("items", name)) for name in ("pearson", "spearman"))
        parts = [
            Bilingual(
                f"Over {self.n} observations of {self.n_items} items, {first} and {second} correlate ({correlations}).",
                f"在 {self.n_items} 个条目的 {self.n} 个观测上，{first} 与 {second} 的相关为（{correlations}）。",
            )
        ]
        if self.systems.height >= FEW_ITEMS:
            pearson, off = self.value("systems", "pearson"), len(self.ranked_differently)
            parts.append(
                Bilingual(
                    f"Over {self.systems.height} systems {pearson}; {off} of {len(self.pairs)} pairs of systems are "
                    "ranked differently.",
                    f"在 {self.systems.height} 个系统上 {pearson}；{len(self.pairs)} 对系统中有 {off} 对的排序不同。",
                )
            )
        parts += [result.sentence() for side in SIDES for result in self._people(side)]
        parts += self.notes
        return Bilingual(" ".join(part.en for part in parts), "".join(part.zh for part in parts))

    def _people(self, side: Side) -> list[AgreementResult]:
        return [results[side] for results in (self.ceilings, self.worth) if side in results]

    def summary(self) -> str:
        """Return all numbers and conventions as a block of text."""
        lines = [f"{self.names[0]} and {self.names[1]}: do they agree? · {self.names[0]} 与 {self.names[1]} 是否一致？"]
        lines += [f"  {entry.by['level']}: {entry.statistic}: {entry} (n = {entry.n})" for entry in self.values]
        for pair in self.ranked_differently:
            lines.append(
                f"  ranked differently: {pair.system} − {pair.reference}: {pair.first:.4g} (p = {pair.first_p:.3g}) "
                f"and {pair.second:.4g} (p = {pair.second_p:.3g})"
            )
        for row in self.parting(5).iter_rows(named=True):
            lines.append(
                f"  parting: {row['item']} {row['system']}: {row['first']:.4g} and {row['second']:.4g}, "
                f"{row['difference']:+.2f} standard deviations"
            )
        lines += [line for side in SIDES for result in self._people(side) for line in result.summary().splitlines()[:4]]
        lines += [f"  convention {name}: {value}" for name, value in self.conventions.items()]
        return "\n".join([*lines, "  " + self.sentence().en, "  " + self.sentence().zh])

    def signature(self) -> Signature:
        """Return the conventions and the checksum of both tables."""
        parts: dict[str, Value | Signature] = {"hengliang": version(), "measure": "judge agreement"}
        return Signature.of(
            **parts, first=self.names[0], second=self.names[1], **dict(self.conventions), data=self.data
        )

    def estimates(self, analysis: str, by: Mapping[str, str] | None = None) -> Iterator[Estimate]:
        """Give the correlations and accuracies, then ceiling and worth of each side with raters."""
        signature = str(self.signature())
        for value in self.values:
            yield value.estimate(analysis, by, signature, self.left_out if value.by["level"] == "items" else None)
        for side in SIDES:
            for result in self._people(side):
                people = {**(by or {}), "level": f"raters of {self.names[SIDES.index(side)]}"}
                shown = (value for value in result.values if "who" not in value.by)
                yield from (value.estimate(analysis, people, signature) for value in shown)

    def __str__(self) -> str:
        return self.summary()


def judge_agreement(
    first: ScoreTable,
    second: ScoreTable,
    *,
    reverse: Reverse = "none",
    calibrate: Calibrate = "first",
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 1,
    splits: int = SPLITS,
    permutations: int = 10_000,
    alpha: float = 0.05,
) -> JudgeAgreement:
    """Compare two judges on the items that both scored.

    `reverse` negates the scores of the judge for whom a small number is good. `calibrate` names the side whose small
    differences may count as ties. All intervals resample items, with all answers to an item together.
    """
    check_choice("reverse", reverse, get_args(Reverse))
    check_choice("calibrate", calibrate, get_args(Calibrate))
    how = Resampling(draws, seed, level)
    how.check()
    both = _turned(paired_scores(first, second), reverse)
    _check_scores(both)
    settings = LevelSettings(how, calibrate)
    values = [*item_level(both, settings), *pair_level(both, settings)]
    systems = system_means(both.cells)
    if systems.height >= 2:
        values += [*within_systems(both, settings), *system_level(both, settings)]
    ceilings, worth = _against_raters(both, splits, how)
    return JudgeAgreement(
        names=both.names,
        values=tuple(values),
        n=both.units.height,
        n_items=both.units["item"].n_unique(),
        left_out=both.left_out,
        n_missing=both.n_missing,
        systems=systems,
        pairs=compare_systems(both.cells, draws=permutations, seed=seed) if systems.height >= 2 else (),
        items=_standardised(both),
        ceilings=ceilings,
        worth=worth,
        conventions={
            **{"reverse": reverse, "calibrate ties": calibrate, "draws": draws, "seed": seed, "level": level},
            **{"splits": splits, "permutations": permutations, **_FIXED_CONVENTIONS},
        },
        notes=_notes(both, values, systems.height, reverse),
        data=f"{first.checksum()}-{second.checksum()}",
        alpha=alpha,
    )


def _turned(both: PairedScores, reverse: Reverse) -> PairedScores:
    """Negate the scores of a side, and say so in its name."""
    if reverse == "none":
        return both
    names = tuple(f"−{name}" if side == reverse else name for side, name in zip(SIDES, both.names, strict=True))
    units, cells = (frame.with_columns(-pl.col(reverse)) for frame in (both.units, both.cells))
    ratings = dict(both.ratings)
    if reverse in ratings:
        side_ratings = ratings[reverse]
        ratings[reverse] = type(side_ratings)(-side_ratings.values, side_ratings.counts)
    return PairedScores((names[0], names[1]), units, cells, ratings, both.left_out, both.n_missing)


def _check_scores(both: PairedScores) -> None:
    if both.units.height < FEW_ITEMS:
        raise UserError(
            f"'{both.names[0]}' and '{both.names[1]}' have {both.units.height} answers in common.",
            valid=f"At least {FEW_ITEMS}.",
        )
    for side, name in zip(SIDES, both.names, strict=True):
        scores = both.scores(side)
        if np.ptp(scores) == 0:
            raise UserError(
                f"All {len(scores)} scores of '{name}' are {scores[0]:g}: there is nothing to agree with.",
                valid="Scores that differ between items.",
            )


def _against_raters(
    both: PairedScores, splits: int, how: Resampling
) -> tuple[dict[Side, AgreementResult], dict[Side, AgreementResult]]:
    """Return for each side with single ratings its ceiling, and what the other side's scores are worth against it."""
    ceilings: dict[Side, AgreementResult] = {}
    worth: dict[Side, AgreementResult] = {}
    for side, other in zip(SIDES, SIDES[::-1], strict=True):
        ratings = both.ratings.get(side)
        if ratings is None or (ratings.counts >= 2).sum() < FEW_ITEMS:
            continue
        names = both.names if side == "second" else both.names[::-1]
        ceilings[side] = ceiling_of(ratings, both.clusters, names[1], splits=splits, how=how)
        if np.ptp(both.scores(other)[ratings.counts >= 2]) > 0:
            worth[side] = worth_of(both.scores(other), ratings, both.clusters, names, splits=splits, how=how)
    return ceilings, worth


def _standardised(both: PairedScores) -> pl.DataFrame:
    """Return the units with standardised scores and ranks, the largest difference of standardised scores first."""
    units = both.units
    scaled = [((pl.col(side) - pl.col(side).mean()) / pl.col(side).std(ddof=0)).alias(f"{side}_z") for side in SIDES]
    ranks = [pl.col(side).rank().alias(f"{side}_rank") for side in SIDES]
    units = units.with_columns(*scaled, *ranks).with_columns(difference=pl.col("first_z") - pl.col("second_z"))
    return units.sort(pl.col("difference").abs().round(9), "item", "system", descending=[True, False, False])


def _notes(both: PairedScores, values: list[AgreementValue], systems: int, reverse: Reverse) -> tuple[Bilingual, ...]:
    notes = []
    spearman = next(entry.value for entry in values if entry.statistic == "spearman")
    if spearman < 0 and not math.isnan(spearman):
        notes.append(
            Bilingual(
                f"The two run against each other. If a small {both.names[0]} is good, turn it: --reverse first.",
                f"二者方向相反。若 {both.names[0]} 越小越好，请用 --reverse first 反转。",
            )
            if reverse == "none"
            else Bilingual("The two run against each other.", "二者方向相反。")
        )
    if 2 <= systems < FEW_SYSTEMS:
        notes.append(
            Bilingual(
                f"Correlations over systems rest on {systems} systems only; their intervals resample items and say "
                "nothing about other systems.",
                f"系统层面的相关只基于 {systems} 个系统；其区间由重抽条目得出，不能推及其他系统。",
            )
        )
    if both.left_out:
        notes.append(
            Bilingual(
                f"{both.left_out} answers were scored by one of the two only and are left out.",
                f"有 {both.left_out} 个回答只有一方评分，未计入。",
            )
        )
    return tuple(notes)
