"""How does something in descriptions change with the number of things in a scene?

A subject gives several descriptions and a scene is described by many, so descriptions are not independent. By size
there are means, with intervals from subjects drawn anew: they speak of other people and the same scenes. Over sizes
there are two trends for each doubling of the size. The slope is that of least squares, with a standard error that is
clustered by subject and by scene at once, and t with one degree of freedom less than the smaller number of clusters.
The mixed model has subjects and scenes as crossed random effects; of shares it is logistic, and its coefficient is in
log-odds. Where several expressions of one description count, descriptions are a third random effect, unless its
variance cannot be estimated: then it is left out, and the method of the estimate says so. Both trends speak of other
people and other scenes. Sizes have different subjects, so nothing here is paired.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
import scipy

from hengliang.core.errors import UserError
from hengliang.core.records import Estimate
from hengliang.statistics.models.diagnosis import EXTREME, SINGULAR
from hengliang.statistics.models.mixed import MixedFit, fit_mixed
from hengliang.statistics.models.results import Coefficient, ModelFit
from hengliang.statistics.resampling import (
    Floats,
    Resampling,
    Way,
    bootstrap,
    cluster_codes,
    cluster_counts,
    describe_interval,
    two_way_variance,
)
from hengliang.statistics.results import MINUS

ALL = "all"
TREND = "per doubling"
SLOPE, COEFFICIENT = "slope", "mixed coefficient"
DESCRIPTION = "description_id"
"""The column that says which rows are of one description."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What is averaged: a column of a table, and whether it is a share (yes or no).

    `weight` names a column of numbers of trials: the mean is then Σ value / Σ weight, as of vague expressions among
    all expressions.
    """

    measure: str
    column: str
    share: bool
    weight: str | None = None

    @property
    def statistic(self) -> str:
        """What the averages are called."""
        return "share" if self.share else "mean"


def size_estimates(
    analysis: str, measured: Measured, rows: pl.DataFrame, how: Resampling, pooled: bool = False
) -> list[Estimate]:
    """Return means by size with intervals, the differences between sizes, and both trends.

    `rows` have subject, scene_key, scene_size and the column; rows in which it is null are counted as missing. `pooled`
    adds the mean over all sizes.
    """
    present = rows.filter(pl.col(measured.column).is_not_null())
    if measured.weight:
        present = present.filter(pl.col(measured.weight) > 0)
    missing = dict(rows.group_by("scene_size").len().iter_rows())
    for size, count in present.group_by("scene_size").len().iter_rows():
        missing[size] -= count
    sizes = sorted(present["scene_size"].unique().to_list())
    if not sizes:
        return []
    found = _means(analysis, measured, present, sizes, missing, how, pooled)
    if len(sizes) > 1:
        found += [
            slope_estimate(analysis, measured, present, sum(missing.values()), how.level),
            mixed_trend(analysis, measured, present, how.level),
        ]
    return found


def _means(
    analysis: str,
    measured: Measured,
    rows: pl.DataFrame,
    sizes: Sequence[int],
    missing: Mapping[int, int],
    how: Resampling,
    pooled: bool,
) -> list[Estimate]:
    values, weights = _values(measured, rows)
    codes, count = cluster_codes(rows["subject"])
    place = rows["scene_size"].replace_strict({size: spot for spot, size in enumerate(sizes)}).to_numpy()
    k = len(sizes)
    sums = cluster_counts(
        np.tile(codes, 2), np.concatenate([place, k + place]), np.concatenate([values, weights]), shape=(count, 2 * k)
    )
    held = bootstrap(sums, _by_size, how)
    told = describe_interval(how, replace(held, undefined=0), "subject")
    counts = [rows.filter(pl.col("scene_size") == size).height for size in sizes]
    differences = [difference(sizes[one], sizes[other]) for one, other in _pairs(k)]
    found = []
    for column, level in enumerate([*map(str, sizes), ALL, *differences]):
        if level == ALL and not pooled:
            continue
        sized = column < k
        what = f"difference of two {measured.statistic}s" if column > k else measured.statistic
        found.append(
            Estimate(
                analysis,
                {"measure": measured.measure, "size": level},
                measured.statistic,
                _number(held.value[column]),
                _number(held.low[column]),
                _number(held.high[column]),
                n=counts[column] if sized else rows.height,
                n_missing=missing[sizes[column]] if sized else sum(missing.values()),
                method=f"{what}; {told}",
            )
        )
    return found


def _values(measured: Measured, rows: pl.DataFrame) -> tuple[Floats, Floats]:
    values = rows[measured.column].cast(pl.Float64).to_numpy()
    weights = rows[measured.weight].cast(pl.Float64).to_numpy() if measured.weight else np.ones(rows.height)
    return values, weights


def _by_size(sums: Floats) -> Floats:
    """Return the mean of each size, over all sizes, and the differences of pairs of sizes."""
    total, number = np.split(sums, 2, axis=1)
    means = np.divide(total, number, out=np.full_like(total, np.nan), where=number > 0)
    everywhere = total.sum(axis=1, keepdims=True) / np.maximum(number.sum(axis=1, keepdims=True), 1e-300)
    less = [means[:, [one]] - means[:, [other]] for one, other in _pairs(means.shape[1])]
    return np.hstack([means, everywhere, *less])


def _pairs(sizes: int) -> list[tuple[int, int]]:
    """Return which sizes are compared: each with the one before it, and the largest with the smallest."""
    following = [(place + 1, place) for place in range(sizes - 1)]
    return [*following, (sizes - 1, 0)] if sizes > 2 else following


def difference(larger: int, smaller: int) -> str:
    """Return what the difference of two sizes is called.

    >>> difference(20, 4)
    '20 − 4'
    """
    return f"{larger} {MINUS} {smaller}"


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


# --- trends ---------------------------------------------------------------------------------------------------------


def slope_estimate(analysis: str, measured: Measured, rows: pl.DataFrame, missing: int, level: float) -> Estimate:
    """Return the weighted least-squares slope on log₂ size with a standard error clustered by subject and scene."""
    values, weights = _values(measured, rows)
    doublings = np.log2(rows["scene_size"].to_numpy())
    means = values / weights
    centred = doublings - np.average(doublings, weights=weights)
    spread = float(np.sum(weights * centred**2))
    slope = float(np.sum(weights * centred * means)) / spread
    residuals = means - np.average(means, weights=weights) - slope * centred
    ways = (Way.of("subject", rows["subject"]), Way.of("scene", rows["scene_key"]))
    error = math.sqrt(two_way_variance(weights * centred * residuals / spread, ways))
    df = min(way.levels for way in ways) - 1
    low, high, p = t_interval(slope, error, df, level)
    return Estimate(
        analysis,
        {"measure": measured.measure, "size": TREND},
        SLOPE,
        slope,
        low,
        high,
        df=(float(df),),
        p=p,
        n=rows.height,
        n_missing=missing,
        method=f"least squares on log2 size; standard error {error:.4g} clustered by {ways[0].levels} subjects and "
        f"{ways[1].levels} scenes (two-way); t",
    )


def t_interval(value: float, error: float, df: int, level: float) -> tuple[float | None, float | None, float | None]:
    """Return the bounds of an interval and the two-sided p of no difference from zero; nothing without a spread."""
    if df < 1 or error <= 0:
        return None, None, None
    reach = float(scipy.stats.t.ppf((1 + level) / 2, df)) * error
    return value - reach, value + reach, float(2 * scipy.stats.t.sf(abs(value) / error, df))


def mixed_trend(analysis: str, measured: Measured, rows: pl.DataFrame, level: float) -> Estimate:
    """Return the coefficient of log₂ size in a mixed model; a table of expressions tells their `description_id`."""
    by = {"measure": measured.measure, "size": TREND}
    table = trials(measured, rows).with_columns(doubling=pl.col("scene_size").log(2))
    family = "binomial" if measured.share else "gaussian"
    formula = "value ~ doubling + (1 | subject) + (1 | scene_key)"
    return mixed_estimate(analysis, by, formula, "doubling", table, family, level)


def mixed_estimate(
    analysis: str, by: Mapping[str, str], formula: str, term: str, table: pl.DataFrame, family: str, level: float
) -> Estimate:
    """Return one coefficient of a mixed model; where it cannot be fitted there is no number, and the reason.

    Where a table has several rows of a description, descriptions are added to the random effects of the formula.
    """
    try:
        fit, left_out = _fit_with_descriptions(formula, table, family, level)
    except UserError as error:
        told = f"no model: {error.problem} {error.remedy}".strip()
        return Estimate(analysis, by, COEFFICIENT, None, n=table.height, method=told)
    held: Coefficient = fit.coefficient(term)
    unit = "log-odds" if family == "binomial" else "linear"
    warned = "".join(f"; warning: {warning.en}" for warning in fit.model.warnings)
    groups = ", ".join(f"{count} {name}" for name, count in fit.model.groups.items())
    return Estimate(
        analysis,
        by,
        COEFFICIENT,
        _number(held.estimate),
        _number(held.low),
        _number(held.high),
        df=() if held.df is None else (held.df,),
        p=_number(held.p),
        n=fit.model.n,
        n_missing=fit.model.n_missing,
        method=f"{fit.model.title.en} {fit.model.formula}, coefficient of {term} ({unit}), {groups}, "
        f"p {'Satterthwaite' if family == 'gaussian' else 'Wald'}{left_out}{warned}",
    )


def _fit_with_descriptions(formula: str, table: pl.DataFrame, family: str, level: float) -> tuple[MixedFit, str]:
    """Return the fit with descriptions as random effects, or without them and the reason."""
    left_out = ""
    if DESCRIPTION in table.columns and table[DESCRIPTION].n_unique() < table.height:
        try:
            fit = fit_mixed(f"{formula} + (1 | {DESCRIPTION})", table, family=family, level=level)
            reason = _not_estimated(fit.model)
        except UserError as error:
            reason = error.problem
        if not reason:
            return fit, ""
        left_out = f"; no random effect of the description: {reason}"
    return fit_mixed(formula, table, family=family, level=level), left_out


def _not_estimated(model: ModelFit) -> str:
    """Say why the variance between descriptions is not known from a fit, if it is not."""
    if not model.converged:
        return "the search for the best estimates did not settle"
    deviation = math.sqrt(max(one.variance for one in model.components if one.group == DESCRIPTION))
    if deviation < SINGULAR:
        return "its variance is estimated as zero"
    return "its variance has no limit" if deviation > EXTREME else ""


def trials(measured: Measured, rows: pl.DataFrame) -> pl.DataFrame:
    """Return one row a trial: a count out of several becomes that many successes and the rest failures."""
    named = [name for name in (DESCRIPTION, "subject", "scene_key", "scene_size") if name in rows.columns]
    kept = rows.select(*named, value=pl.col(measured.column).cast(pl.Float64))
    if measured.weight is None:
        return kept
    counts = rows[measured.weight].cast(pl.Int64)
    hits = rows[measured.column].cast(pl.Int64)
    outcomes = [[1.0] * hit + [0.0] * (count - hit) for hit, count in zip(hits, counts, strict=True)]
    return kept.with_columns(value=pl.Series(outcomes, dtype=pl.List(pl.Float64))).explode("value")
