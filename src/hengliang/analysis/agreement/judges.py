"""Does one judge agree with another: a machine with people, a machine with a machine, people with people?

The question that unites studies of evaluation. Given two scores of the same items: do they correlate item by item, and
system by system? Do they order pairs alike? Which systems do they rank differently, on which items do they part most?
How well could any score agree with these raters, and how many of them is a score worth?

[1] Deutsch, D., Foster, G., Freitag, M. (2023). Ties matter: meta-evaluating modern metrics with pairwise accuracy and
    tie calibration. EMNLP 2023.
[2] Kocmi, T., et al. (2021). To ship or not to ship: an extensive evaluation of automatic metrics for machine
    translation. WMT 2021.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
import polars as pl

from hengliang.analysis.agreement.judge_levels import (
    LevelSettings,
    item_level,
    pair_level,
    system_level,
    within_systems,
)
from hengliang.analysis.agreement.noise_ceiling import SPLITS, ceiling_of
from hengliang.analysis.agreement.raters_worth import worth_of
from hengliang.analysis.agreement.score_tables import SIDES, PairedScores, ScoreTable, Side, paired_scores
from hengliang.analysis.agreement.system_pairs import SystemPair, compare_systems, system_means
from hengliang.analysis.agreement.values import AgreementResult, AgreementValue
from hengliang.analysis.resampling import Resampling
from hengliang.analysis.results import check_choice
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate
from hengliang.core.signature import Signature, Value, version
from hengliang.core.terms import Bilingual

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

    `values` are the correlations and accuracies; `by["level"]` says of what. `systems` has one row a system,
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
        for held in self.values:
            if held.by["level"] == level and held.statistic == statistic:
                return held
        known = ", ".join(f"{held.by['level']}: {held.statistic}" for held in self.values)
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
        one, two = self.names
        told = "; ".join(str(self.value("items", name)) for name in ("pearson", "spearman"))
        parts = [
            Bilingual(
                f"Over {self.n} observations of {self.n_items} items, {one} and {two} correlate ({told}).",
                f"在 {self.n_items} 个条目的 {self.n} 个观测上，{one} 与 {two} 的相关为（{told}）。",
            )
        ]
        if self.systems.height >= FEW_ITEMS:
            held, off = self.value("systems", "pearson"), len(self.ranked_differently)
            parts.append(
                Bilingual(
                    f"Over {self.systems.height} systems {held}; {off} of {len(self.pairs)} pairs of systems are "
                    "ranked differently.",
                    f"在 {self.systems.height} 个系统上 {held}；{len(self.pairs)} 对系统中有 {off} 对的排序不同。",
                )
            )
        parts += [result.sentence() for side in SIDES for result in self._people(side)]
        parts += self.notes
        return Bilingual(" ".join(part.en for part in parts), "".join(part.zh for part in parts))

    def _people(self, side: Side) -> list[AgreementResult]:
        return [held[side] for held in (self.ceilings, self.worth) if side in held]

    def summary(self) -> str:
        """Return all numbers and conventions as a block of text."""
        lines = [f"{self.names[0]} and {self.names[1]}: do they agree? · {self.names[0]} 与 {self.names[1]} 是否一致？"]
        lines += [f"  {held.by['level']}: {held.statistic}: {held} (n = {held.n})" for held in self.values]
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

    `reverse` turns the scores of the one for whom a small number is good. `calibrate` names the side whose small
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
    """Turn the scores of a side, and say so in its name."""
    if reverse == "none":
        return both
    names = tuple(f"−{name}" if side == reverse else name for side, name in zip(SIDES, both.names, strict=True))
    units, cells = (frame.with_columns(-pl.col(reverse)) for frame in (both.units, both.cells))
    ratings = dict(both.ratings)
    if reverse in ratings:
        held = ratings[reverse]
        ratings[reverse] = type(held)(-held.values, held.counts)
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
    spearman = next(held.value for held in values if held.statistic == "spearman")
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
