"""Kappa, chance-corrected agreement on categories: Cohen's κ, weighted κ and Fleiss' κ.

Cohen's κ is for two raters, plain or with weights for near misses [1, 2]; Fleiss' κ is for any number of raters, the
same number for every unit [3, 4]. Both take chance from the observed shares of the categories, so that κ falls when one
category is rare.

[1] Cohen, J. (1968). Weighted kappa. Psychological Bulletin 70.
[2] Fleiss, J., Cohen, J., Everitt, B. (1969). Large sample standard errors of kappa and weighted kappa. Psychological
    Bulletin 72.
[3] Fleiss, J. (1971). Measuring nominal scale agreement among many raters. Psychological Bulletin 76.
[4] Fleiss, J., Nee, J., Landis, J. (1979). Large sample variance of kappa in the case of different sets of raters.
    Psychological Bulletin 86.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import scipy

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.inter_rater.ratings import MISSING, AgreementResult, AgreementValue, Floats, Ratings, Table
from hengliang.statistics.resampling import IntervalKind, Intervals, Resampling, bootstrap, describe_interval
from hengliang.statistics.results import check_choice

Weights = Literal["none", "linear", "quadratic"]
WEIGHTS: tuple[Weights, ...] = get_args(Weights)

_ONE_CATEGORY = Bilingual(
    "only one category was used, so that agreement by chance is complete.", "只用了一个类别，偶然一致已达百分之百。"
)
_NEVER_OR_ALWAYS = Bilingual("the category was given never or always.", "该类别从未或总是被选用。")
_NORMAL = "normal interval from the large-sample standard error, cut at ±1"
_COHEN_TITLES = {
    "none": Bilingual("Cohen's κ", "Cohen κ"),
    "linear": Bilingual("Cohen's κ, linear weights", "Cohen κ（线性加权）"),
    "quadratic": Bilingual("Cohen's κ, quadratic weights", "Cohen κ（二次加权）"),
}


def cohen_kappa(
    first: Sequence[Any],
    second: Sequence[Any],
    *,
    weights: Weights = "none",
    categories: Sequence[Any] | None = None,
    names: tuple[str, str] = ("A", "B"),
    level: float = 0.95,
) -> AgreementResult:
    """Return Cohen's κ of two raters, with the standard error of Fleiss, Cohen and Everitt and a test against 0.

    With weights, the distance of two categories is the difference of their numbers; categories that are words stand
    one apart, in the order that `categories` gives. Units that one of them left out are not counted.
    """
    check_choice("weights", weights, WEIGHTS)
    Resampling(level=level).check()
    if len(first) != len(second):
        raise UserError(
            f"{names[0]} has {len(first)} ratings and {names[1]} {len(second)}.",
            valid="Two ratings of each unit, in the same order; a missing one is None.",
        )
    coded = Ratings.of([list(first), list(second)], raters=names, categories=categories)
    if weights != "none" and not coded.is_numeric and categories is None:
        raise UserError(
            f"Categories such as '{coded.answers[0]}' have no order.",
            valid="Weights need numbers, or categories in their order.",
            remedy="Name them: categories=['low', 'middle', 'high']",
        )
    pairs = coded.codes[:, (coded.codes != MISSING).all(axis=0)]
    if not pairs.shape[1]:
        raise UserError("No unit was judged by both.", valid="Units with two ratings.")
    size = len(coded.answers)
    table = np.bincount(pairs[0] * size + pairs[1], minlength=size**2).reshape(size, size).astype(np.float64)
    main = _cohen(table, _agreement_weights(coded, weights), weights, level)
    n, missing = pairs.shape[1], coded.codes.shape[1] - pairs.shape[1]
    return AgreementResult(
        measure="cohen kappa",
        title=_COHEN_TITLES[weights],
        subject=Bilingual(
            f"{names[0]} and {names[1]} gave the same category to {np.trace(table):.0f} of {n} units",
            f"{names[0]} 和 {names[1]} 对 {n} 个单位中的 {np.trace(table):.0f} 个给出了相同类别",
        ),
        values=(main,),
        n=n,
        raters=2,
        n_missing=missing,
        conventions={
            "weights": weights,
            "distance": "number" if coded.is_numeric else "place",
            "error": "Fleiss, Cohen and Everitt 1969",
            "level": level,
        },
        data=coded.checksum(),
    )


def _agreement_weights(held: Ratings, weights: Weights) -> Floats:
    size = len(held.answers)
    if weights == "none" or size < 2:
        return np.eye(size)
    places = held.values if held.is_numeric else np.arange(size, dtype=np.float64)
    distance = np.abs(places[:, None] - places[None, :]) / np.ptp(places)
    agreement: Floats = 1 - distance ** (1 if weights == "linear" else 2)
    return agreement


def _cohen(table: Floats, weights: Floats, kind: str, level: float) -> AgreementValue:
    n = table.sum()
    shares = table / n
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    observed, expected = float((weights * shares).sum()), float(rows @ weights @ columns)
    name = "cohen kappa" if kind == "none" else f"cohen kappa {kind}"
    if math.isclose(expected, 1.0):
        return AgreementValue(
            statistic=name, symbol="κ", value=math.nan, n=int(n), level=level, method="none", reason=_ONE_CATEGORY
        )
    kappa = (observed - expected) / (1 - expected)
    margins = (weights @ columns)[:, None] + (rows @ weights)[None, :]
    spread = (shares * (weights - margins * (1 - kappa)) ** 2).sum() - (kappa - expected * (1 - kappa)) ** 2
    spread_0 = (np.outer(rows, columns) * (weights - margins) ** 2).sum() - expected**2
    # Differences of numbers of size 1: what is left below 1e-12 is rounding (complete agreement, or one rater who uses
    # one category only), and its root would look like a small standard error.
    parts = [0.0 if abs(part) < 1e-12 else float(part) for part in (spread, spread_0)]
    error, error_0 = (math.sqrt(max(0.0, part) / n) / (1 - expected) for part in parts)
    flat = error == 0
    reach = math.nan if flat else float(scipy.stats.norm.ppf((1 + level) / 2)) * error
    return AgreementValue(
        statistic=name,
        symbol="κ",
        value=kappa,
        n=int(n),
        low=math.nan if flat else max(-1.0, kappa - reach),
        high=math.nan if flat else min(1.0, kappa + reach),
        level=level,
        error=error,
        test="z",
        test_value=kappa / error_0 if error_0 else math.nan,
        p=float(2 * scipy.stats.norm.sf(abs(kappa) / error_0)) if error_0 else None,
        method=("no interval, the standard error is 0" if flat else _NORMAL)
        + "; p two-sided against κ = 0 with the standard error under independence",
    )


def fleiss_kappa(
    ratings: Table | Ratings,
    *,
    categories: Sequence[Any] | None = None,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 1,
    interval: IntervalKind = "percentile",
) -> AgreementResult:
    """Return Fleiss' κ of a table with one row per rater and one column per unit, overall and for each category.

    Every unit needs the same number of ratings; who gave them does not matter. Intervals resample units; p comes from
    the standard error under chance alone.
    """
    coded = Ratings.of(ratings, categories=categories)
    how = Resampling(draws, seed, level, interval)
    how.check()
    counts = coded.counts()
    raters = _same_number(coded, counts)
    units = len(counts)
    ones = np.ones((units, 1))
    intervals = bootstrap(
        scipy.sparse.csr_array(np.hstack([ones, raters * ones, counts, counts * (raters - counts)])), _fleiss, how
    )
    values = _fleiss_values(intervals, _fleiss_errors(counts), coded.answers, how)
    return AgreementResult(
        measure="fleiss kappa",
        title=Bilingual("Fleiss' κ", "Fleiss κ"),
        subject=Bilingual(
            f"Each of {units} units was put into one of {len(coded.answers)} categories by {raters} raters",
            f"{units} 个单位各由 {raters} 名评分者归入 {len(coded.answers)} 个类别之一",
        ),
        values=values,
        n=units,
        raters=raters,
        conventions={
            "interval": interval,
            "draws": draws,
            "seed": seed,
            "level": level,
            "resampled": "units",
            "error": "Fleiss, Nee and Landis 1979",
        },
        data=coded.checksum(),
    )


def _fleiss_values(
    found: Intervals, errors: Floats, answers: Sequence[str], how: Resampling
) -> tuple[AgreementValue, ...]:
    described = describe_interval(how, found, "unit")
    numbers = zip(("", *answers), found.value, found.low, found.high, errors, strict=True)
    return tuple(
        AgreementValue(
            statistic="fleiss kappa",
            symbol="κ",
            value=float(kappa),
            n=found.clusters,
            low=float(low),
            high=float(high),
            level=how.level,
            test="z",
            test_value=float(kappa / error) if error > 0 else math.nan,
            p=float(2 * scipy.stats.norm.sf(abs(kappa) / error)) if kappa == kappa and error > 0 else None,
            by={"category": answer} if answer else {},
            method=f"{described}; p two-sided against κ = 0 with the standard error under chance",
            reason=None if kappa == kappa else _ONE_CATEGORY if not answer else _NEVER_OR_ALWAYS,
        )
        for answer, kappa, low, high, error in numbers
    )


def _same_number(held: Ratings, counts: Floats) -> int:
    per_unit = counts.sum(axis=1)
    if per_unit.min() != per_unit.max():
        few, many = int(per_unit.argmin()), int(per_unit.argmax())
        raise UserError(
            f"The unit '{held.units[few]}' has {per_unit[few]:.0f} ratings and '{held.units[many]}' "
            f"{per_unit[many]:.0f}.",
            valid="Fleiss' κ needs the same number of ratings for every unit.",
            remedy="Take krippendorff_alpha, which allows gaps, or leave out the units with gaps.",
        )
    if per_unit[0] < 2:
        raise UserError("Every unit has one rating only.", valid="At least two ratings of each unit.")
    return int(per_unit[0])


def _fleiss(sums: Floats) -> Floats:
    """Return κ overall and of each category from sums over units, one row per resample."""
    units = sums[:, [0]]
    raters = sums[:, [1]] / units
    counts, apart = np.hsplit(sums[:, 2:], 2)
    shares = counts / (units * raters)
    by_chance = units * raters * (raters - 1) * shares * (1 - shares)
    both = [np.hstack([part.sum(axis=1, keepdims=True), part]) for part in (apart, by_chance)]
    ratio = np.full(both[0].shape, np.nan)
    np.divide(both[0], both[1], out=ratio, where=both[1] > 1e-12 * units)
    kappa: Floats = 1 - ratio
    return kappa


def _fleiss_errors(counts: Floats) -> Floats:
    """Return the standard errors under chance, overall and of each category [4]."""
    units, raters = len(counts), counts[0].sum()
    shares = counts.sum(axis=0) / counts.sum()
    chance = shares * (1 - shares)
    single = math.sqrt(2 / (units * raters * (raters - 1)))
    total = chance.sum()
    spread = total**2 - (chance * (1 - 2 * shares)).sum()
    overall = single * math.sqrt(max(0.0, float(spread))) / total if total > 0 else math.nan
    return np.array([overall, *[single] * counts.shape[1]])
