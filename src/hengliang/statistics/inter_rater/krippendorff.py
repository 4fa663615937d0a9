"""Krippendorff's alpha: agreement beyond chance on any scale, with missing ratings.

Krippendorff's α = 1 − Dₒ / Dₑ compares the disagreement within units with the disagreement between all ratings [1]. The
coincidences of a unit with m ratings are its ordered pairs, each counted 1/(m − 1); units with fewer than two ratings
say nothing and are left out. Intervals resample units.

[1] Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of Pennsylvania.
[2] Hayes, A., Krippendorff, K. (2007). Answering the call for a standard reliability measure for coding data.
    Communication Methods and Measures 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
import scipy

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.statistics.inter_rater.ratings import MISSING, AgreementResult, AgreementValue, Floats, Ratings, Table
from hengliang.statistics.resampling import IntervalKind, Resampling, bootstrap, describe_interval
from hengliang.statistics.results import check_choice

Metric = Literal["nominal", "ordinal", "interval", "ratio"]
METRICS: tuple[Metric, ...] = get_args(Metric)

TENTATIVE, RELIABLE = 0.667, 0.8
"""Krippendorff's bounds: below the first no conclusion, from the second on a sound one."""

MOST_ANSWERS = 300
"""Different answers up to which ordinal and ratio coincidences are tabulated: 300 × 300 for each resample."""

_TITLES = {
    "nominal": Bilingual("Krippendorff's α, nominal", "Krippendorff α（名义）"),
    "ordinal": Bilingual("Krippendorff's α, ordinal", "Krippendorff α（顺序）"),
    "interval": Bilingual("Krippendorff's α, interval", "Krippendorff α（等距）"),
    "ratio": Bilingual("Krippendorff's α, ratio", "Krippendorff α（比率）"),
}
_ALL_EQUAL = Bilingual(
    "all ratings are the same, so that nothing could have been disagreed about.",
    "所有评分都相同，无从谈起一致与否。",
)
_NO_PAIRS = Bilingual("no unit has two ratings.", "没有任何单位有两个评分。")


def krippendorff_alpha(
    ratings: Table | Ratings,
    *,
    metric: Metric = "nominal",
    raters: Sequence[str] | None = None,
    categories: Sequence[Any] | None = None,
    pairs: bool = True,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 1,
    interval: IntervalKind = "percentile",
) -> AgreementResult:
    """Return Krippendorff's α of a table with one row per rater and one column per unit, and α of each pair of raters.

    `metric` says what the distance of two answers is: nominal (equal or not), ordinal (ranks between them, by how often
    each rank was given), interval (squared difference), ratio (squared relative difference).
    """
    check_choice("metric", metric, METRICS)
    coded = Ratings.of(ratings, raters=raters, categories=categories)
    check_metric(coded, metric)
    how = Resampling(draws, seed, level, interval)
    how.check()
    main, units = _alpha(coded, metric, how)
    others = _pair_values(coded, metric, level) if pairs and len(coded.raters) > 2 else ()
    return AgreementResult(
        measure="krippendorff alpha",
        title=_TITLES[metric],
        subject=_subject(main.value, len(coded.raters), units),
        values=(main, *others),
        n=units,
        raters=len(coded.raters),
        n_missing=coded.n_missing,
        conventions={
            "metric": metric,
            "interval": interval,
            "draws": draws,
            "seed": seed,
            "level": level,
            "resampled": "units",
            "single ratings": "left out",
        },
        data=coded.checksum(),
    )


def alpha_value(ratings: Ratings, metric: Metric) -> float:
    """Return α alone, NaN where it is not defined: no unit has two ratings, or all ratings are the same."""
    sums, statistic = _sums(ratings, metric)
    if not sums.shape[0]:
        return float("nan")
    return float(statistic(np.asarray(sums.sum(axis=0)).reshape(1, -1))[0, 0])


def _alpha(held: Ratings, metric: Metric, how: Resampling) -> tuple[AgreementValue, int]:
    sums, statistic = _sums(held, metric)
    units = sums.shape[0]
    if not units:
        raise UserError(
            "No unit has two ratings, so that nobody can be compared.",
            valid="Krippendorff's α needs units that at least two raters judged.",
            remedy="Check that rows are raters and columns are units; turn the table if it is the other way round.",
        )
    intervals = bootstrap(sums, statistic, how)
    value = float(intervals.value[0])
    return AgreementValue(
        statistic=f"krippendorff alpha {metric}",
        symbol="α",
        value=value,
        n=units,
        low=float(intervals.low[0]),
        high=float(intervals.high[0]),
        level=how.level,
        method=describe_interval(how, intervals, "unit"),
        reason=_ALL_EQUAL if np.isnan(value) else None,
    ), units


def check_metric(held: Ratings, metric: Metric) -> None:
    """Refuse ratings that a metric cannot measure."""
    if len(held.raters) < 2:
        raise UserError("One rater alone cannot agree.", valid="At least two rows, a row a rater.")
    if metric in {"interval", "ratio"}:
        held.need_numbers(f"The {metric} metric")
    if metric == "ratio" and (held.values < 0).any():
        raise UserError(
            f"The ratio metric has no place for {held.values.min():g}.",
            valid="Numbers from zero up.",
            remedy="Take metric='interval' for a scale without a true zero.",
        )
    if metric in {"ordinal", "ratio"} and len(held.answers) > MOST_ANSWERS:
        raise UserError(
            f"There are {len(held.answers)} different answers.",
            valid=f"The {metric} metric takes up to {MOST_ANSWERS}.",
            remedy="Round the ratings, or take metric='interval'.",
        )


def _sums(held: Ratings, metric: Metric) -> tuple[scipy.sparse.csr_array, Callable[[Floats], Floats]]:
    """Return the sums of each unit with two ratings or more, from which α follows, and the function from sums to α."""
    m = (held.codes != MISSING).sum(axis=0).astype(np.float64)
    paired = m >= 2
    m = m[paired]
    if metric == "interval":
        numbers = held.numbers()[:, paired]
        known = np.where(np.isnan(numbers), 0.0, numbers - held.values.mean())
        first, second = known.sum(axis=0), (known**2).sum(axis=0)
        within = 2 * (m * second - first**2) / (m - 1)
        return scipy.sparse.csr_array(np.column_stack([m, first, second, within])), _interval_alpha
    counts = held.counts()[paired]
    if metric == "nominal":
        within = (m**2 - (counts**2).sum(axis=1)) / (m - 1)
        return scipy.sparse.csr_array(np.column_stack([within, counts])), _nominal_alpha
    return _coincidences(counts), _ordinal_alpha if metric == "ordinal" else _ratio_alpha_of(held.values)


def _coincidences(counts: Floats) -> scipy.sparse.csr_array:
    """Return for each unit how often each answer meets each other one, answer by answer, in a sparse table."""
    m = counts.sum(axis=1)
    blocks = []
    for answer in range(counts.shape[1]):
        met = counts.copy()
        met[:, answer] -= 1  # a rating does not meet itself
        blocks.append(scipy.sparse.csr_array(met * (counts[:, answer] / (m - 1))[:, None]))
    return scipy.sparse.csr_array(scipy.sparse.hstack(blocks))


def _interval_alpha(sums: Floats) -> Floats:
    n, first, second, within = sums.T
    # Rounding leaves a little where all values are equal; the slack is relative to their size.
    between = 2 * (n * second - first**2)
    between = np.where(between <= 1e-12 * n * second, 0.0, between)
    return _one_minus((n - 1) * within, between)


def _nominal_alpha(sums: Floats) -> Floats:
    within, counts = sums[:, 0], sums[:, 1:]
    n = counts.sum(axis=1)
    return _one_minus((n - 1) * within, n**2 - (counts**2).sum(axis=1))


def _ordinal_alpha(sums: Floats) -> Floats:
    answers = int(np.sqrt(sums.shape[1]))
    pairs = sums.reshape(-1, answers, answers)
    counts = pairs.sum(axis=2)
    # The ordinal distance of two answers is the distance of their mean ranks among all ratings.
    ranks = np.cumsum(counts, axis=1) - counts / 2
    return _from_distances(pairs, (ranks[:, :, None] - ranks[:, None, :]) ** 2)


def _ratio_alpha_of(values: Floats) -> Callable[[Floats], Floats]:
    total = values[:, None] + values[None, :]
    distance = np.where(total > 0, (values[:, None] - values[None, :]) / np.where(total > 0, total, 1), 0.0) ** 2

    def alpha(sums: Floats) -> Floats:
        return _from_distances(sums.reshape(-1, len(values), len(values)), distance[None])

    return alpha


def _from_distances(pairs: Floats, distances: Floats) -> Floats:
    counts = pairs.sum(axis=2)
    n = counts.sum(axis=1)
    observed = (pairs * distances).sum(axis=(1, 2))
    expected = (counts[:, :, None] * counts[:, None, :] * distances).sum(axis=(1, 2))
    return _one_minus((n - 1) * observed, expected)


def _one_minus(observed: Floats, expected: Floats) -> Floats:
    ratio = np.full(len(observed), np.nan)
    np.divide(observed, expected, out=ratio, where=expected > 0)
    return (1 - ratio)[:, None]


def _pair_values(held: Ratings, metric: Metric, level: float) -> tuple[AgreementValue, ...]:
    values = []
    for first, second in combinations(range(len(held.raters)), 2):
        both = held.only([first, second])
        shared = int((both.codes != MISSING).all(axis=0).sum())
        value = alpha_value(both, metric)
        reason = None if not np.isnan(value) else _NO_PAIRS if shared == 0 else _ALL_EQUAL
        values.append(
            AgreementValue(
                statistic=f"krippendorff alpha {metric}",
                symbol="α",
                value=value,
                n=shared,
                level=level,
                by={"first rater": held.raters[first], "second rater": held.raters[second]},
                method="the two raters alone, no interval",
                reason=reason,
            )
        )
    return tuple(values)


def _subject(value: float, raters: int, units: int) -> Bilingual:
    if np.isnan(value):
        return Bilingual(f"{raters} raters judged {units} units", f"{raters} 名评分者评了 {units} 个单位")
    if value < TENTATIVE:
        judged = Bilingual("too little for a conclusion, α < .667", "不足以得出结论，α < .667")
    elif value < RELIABLE:
        judged = Bilingual("enough for tentative conclusions, .667 ≤ α < .800", "可作初步结论，.667 ≤ α < .800")
    else:
        judged = Bilingual("enough for sound conclusions, α ≥ .800", "足以得出可靠结论，α ≥ .800")
    return Bilingual(
        f"The agreement of {raters} raters on {units} units is, by Krippendorff's bounds, {judged.en}",
        f"按 Krippendorff 的界限，{raters} 名评分者对 {units} 个单位的一致性{judged.zh}",
    )
