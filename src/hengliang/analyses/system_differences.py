"""Difference of two systems on unique ratings: two-way clustered interval, permutation p, net superiority.

Where two systems gave the same response there is one rating of it, and their difference is zero whatever it was. Only
the items with different responses tell the systems apart; the others say how often that happens. The interval draws
items and raters anew, or, where either are few, takes t with the variance between them; p flips whole items. Beside it
stands the paper's way, a paired t over all rows with copies, and the design effect: by how much its variance is too
small, or too large.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, get_args

import numpy as np
import polars as pl
import scipy

from hengliang.analyses.observations import UNIQUE, SharedRatings
from hengliang.core.errors import UserError
from hengliang.core.linear_algebra import on_one_thread
from hengliang.core.signature import digest
from hengliang.core.terms import Bilingual
from hengliang.statistics.conventions import Convention
from hengliang.statistics.correlation.coefficients import check_settings, one_sided
from hengliang.statistics.permutation import findings, paired_permutation
from hengliang.statistics.resampling import (
    FEW_CLUSTERS,
    Floats,
    Intervals,
    Resampling,
    Way,
    describe_crossed,
    describe_jackknife,
    has_few_levels,
    jackknife_intervals,
    percentile_intervals,
    sums_left_out,
    two_way_variance,
    way_weights,
    widest_ways,
)
from hengliang.statistics.results import Effect, TestResult, check_choice, p_remark, write_statistic

PMethod = Literal["items", "two-way"]
CONVENTIONS: tuple[Convention, ...] = (Convention({"p_method": "items"}), Convention({"p_method": "two-way"}))

ONE_RATER = Bilingual(
    "There is one rater: all this holds for this rater only.", "只有一名评分者：以上结果仅适用于该评分者。"
)
"""The note on results that say nothing about other raters."""

_CELLS = 1_000_000
_RATED = Bilingual("rated ", "的评分")


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """The ratings of two systems' responses.

    `rows` holds every rating once: item, rater, rating, and its weight in the mean of its item on either side; equal
    responses have both weights. `pairs` holds comparisons of two ratings where responses differ. `left_out` items
    lack a rating on some side.
    """

    rows: pl.DataFrame
    pairs: pl.DataFrame
    items: int
    differing: int
    left_out: int


@dataclass(frozen=True, slots=True)
class _Naive:
    """What the rows say when copies count as ratings and ratings as independent."""

    difference: float
    error: float
    p: float
    n: int
    paired: bool


def system_differences(
    shared: SharedRatings,
    pairs: Sequence[tuple[str, str]] | None = None,
    *,
    draws: int = 2000,
    p_method: PMethod = "items",
    permutations: int = 9999,
    seed: int = 1,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    level: float = 0.95,
) -> tuple[TestResult, ...]:
    """Compare the systems of each pair, or of all pairs; p is not corrected for how many there are."""
    chosen = list(combinations(shared.systems, 2)) if pairs is None else list(pairs)
    if not chosen:
        raise UserError(
            f"There is nothing to compare: systems are {', '.join(shared.systems)}.", valid="Two systems or more."
        )
    return tuple(
        system_difference(
            shared,
            first,
            second,
            draws=draws,
            p_method=p_method,
            permutations=permutations,
            seed=seed,
            alternative=alternative,
            alpha=alpha,
            level=level,
        )
        for first, second in chosen
    )


def system_difference(
    shared: SharedRatings,
    first: str,
    second: str,
    *,
    draws: int = 2000,
    p_method: PMethod = "items",
    permutations: int = 9999,
    seed: int = 1,
    alternative: str = "two-sided",
    alpha: float = 0.05,
    level: float = 0.95,
) -> TestResult:
    """Return by how much `first` is rated higher than `second`, over all items that both answered.

    Every item counts the same, however many raters it had. The effects are the mean difference over all items, that
    over the items with different responses, and the net superiority P(higher) − P(lower) within items: by the same
    rater where a rater saw both responses, else between raters. Their intervals are about items and raters in general;
    with one rater they hold for this one, and the notes say so. p flips whole `items`, which asks whether it could have
    been the other way round with these raters; `two-way` is the difference over its standard error clustered by item
    and rater, for a claim about other raters too.
    """
    check_settings(alternative, alpha, level)
    check_choice("p_method", p_method, get_args(PMethod))
    sides = _sides(shared, first, second)
    how = Resampling(draws, seed, level)
    ways = _ways(sides.rows)
    intervals = _intervals(sides, ways, how)
    error = math.sqrt(two_way_variance(_influence(sides), widest_ways(ways)))
    asked = (first, second), permutations, seed, alternative
    p, how_p = _flipped(sides, *asked) if p_method == "items" else _clustered(sides, error, ways, alternative)
    naive = _naive(sides)
    method = _describe(sides, how, intervals, ways)
    significant, otherwise = findings((first, second), float(intervals.value[0]), alternative, _RATED)
    return TestResult(
        test="system-difference",
        title=Bilingual("difference of systems on unique ratings", "基于去重评分的系统差异"),
        symbol="",
        statistic=float(intervals.value[0]),
        p=p,
        alternative=alternative,
        n=sides.items,
        n_missing=sides.left_out,
        significant=significant,
        otherwise=otherwise,
        effects=_effects(intervals, method, level),
        conventions={
            "unit": UNIQUE,
            "items": "equal weight, equal responses differ by 0",
            "p": how_p,
            "interval": method,
        },
        details=_details(sides, error, naive),
        notes=(*_notes(naive, error), *_few_raters(sides, p_method)),
        alpha=alpha,
        data=digest(shared.checksum(), first, second),
    )


def _flipped(
    sides: _Sides, names: tuple[str, str], permutations: int, seed: int, alternative: str
) -> tuple[float | None, str]:
    means = _item_means(sides).filter("differs")
    if means.height < 2:
        return None, "none: one item with different responses cannot be tested"
    columns = means["first"], means["second"]
    result = paired_permutation(*columns, names=names, draws=permutations, seed=seed, alternative=alternative)
    return result.p, f"signs of whole items flip, {result.conventions['rearrangements']}"


def _clustered(sides: _Sides, error: float, ways: tuple[Way, ...], alternative: str) -> tuple[float | None, str]:
    df = min(way.levels for way in widest_ways(ways)) - 1
    if df < 1 or error == 0:
        return None, "none: no variance between clusters"
    means = _item_means(sides)
    t = float((means["first"] - means["second"]).to_numpy().mean()) / error
    p = one_sided(float(scipy.stats.t.sf(t, df)), float(scipy.stats.t.cdf(t, df)), alternative)
    return p, f"t with the two-way standard error and {df} degrees of freedom, the fewer of items and raters less one"


def _details(sides: _Sides, error: float, naive: _Naive) -> dict[str, float]:
    details = {
        "items with different responses": float(sides.differing),
        "unique ratings": float(sides.rows.height),
        "two-way standard error": error,
        "with copies: rows": float(naive.n),
        "with copies: difference": naive.difference,
        "with copies: standard error": naive.error,
        "with copies: p": naive.p,
        "design effect": error**2 / naive.error**2 if naive.error > 0 else math.nan,
    }
    return {name: value for name, value in details.items() if not math.isnan(value)}


def _sides(shared: SharedRatings, first: str, second: str) -> _Sides:
    c = shared.columns
    if first == second:
        raise UserError(f"'{first}' cannot be compared with itself.", valid="Two different systems.")
    answered = shared.responses_of(first).join(shared.responses_of(second), on=c.item, how="full", coalesce=True)
    both = answered.rename({c.response: "a", f"{c.response}_right": "b"})
    rated = shared.ratings.select(item=c.item, rater=c.rater, response=c.response, rating=c.rating)
    rows = rated.join(both.select(item=c.item, a="a", b="b"), on="item").with_columns(
        on_first=pl.col("response") == pl.col("a"), on_second=pl.col("response") == pl.col("b")
    )
    rows = rows.filter(
        (pl.col("on_first").fill_null(value=False) | pl.col("on_second").fill_null(value=False))
        & pl.col("on_first").any().over("item")
        & pl.col("on_second").any().over("item")
    ).sort("item", "rater", "response")
    weight = [
        (pl.col(side).cast(pl.Float64) / pl.col(side).sum().over("item")).alias(f"weight_{side}")
        for side in ("on_first", "on_second")
    ]
    rows = rows.with_columns(*weight, differs=pl.col("a") != pl.col("b"))
    items = rows["item"].n_unique()
    differing = rows.filter("differs")
    if not differing.height:
        raise UserError(
            f"'{first}' and '{second}' have no item with different responses that were both rated.",
            valid="One item or more on which they differ.",
        )
    return _Sides(rows, _compared(differing), items, differing["item"].n_unique(), answered.height - items)


def _compared(differing: pl.DataFrame) -> pl.DataFrame:
    """Pair the ratings of the two responses to each item: by the same rater if there is one, else all with all."""
    sides = [differing.filter(side).select("item", "rater", "rating") for side in ("on_first", "on_second")]
    pairs = sides[0].join(sides[1], on="item", suffix="_second")
    same = pl.col("rater") == pl.col("rater_second")
    pairs = pairs.filter(same | ~same.any().over("item")).sort("item", "rater", "rater_second")
    return pairs.with_columns(
        weight=1.0 / pl.len().over("item"), sign=(pl.col("rating") - pl.col("rating_second")).sign()
    )


def _item_means(sides: _Sides) -> pl.DataFrame:
    mean = {name: (pl.col("rating") * pl.col(f"weight_on_{name}")).sum() for name in ("first", "second")}
    return sides.rows.group_by("item", maintain_order=True).agg(**mean, differs=pl.col("differs").first())


def _ways(rows: pl.DataFrame) -> tuple[Way, ...]:
    items, raters = Way.of("item", rows["item"]), Way.of("rater", rows["rater"])
    # With one rater nothing can be said about raters; what is said then holds for this one.
    return (items, raters) if raters.levels > 1 else (items,)


def _row_columns(sides: _Sides) -> Floats:
    """Return what is summed over ratings: the two sides' weighted ratings and weights, and the weight of the item.

    Ratings are taken from the middle of their item. That changes no difference within an item, and keeps the level of
    items out of sums whose weights fluctuate.
    """
    rows = sides.rows
    first, second, rating = (rows[name].to_numpy() for name in ("weight_on_first", "weight_on_second", "rating"))
    _, codes = np.unique(rows["item"].to_numpy(), return_inverse=True)
    share = (first + second) / 2
    centred = rating - np.bincount(codes, weights=share * rating)[codes]
    differs = rows["differs"].to_numpy().astype(np.float64)
    columns = [first * centred * differs, first * differs, second * centred * differs, second * differs]
    return np.column_stack([*columns, share * differs, share])


def _statistic(sums: Floats) -> Floats:
    """Return the difference over all items and over those that differ, and the net superiority over all items."""
    with np.errstate(divide="ignore", invalid="ignore"):
        where_different = sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]
        share = sums[:, 4] / sums[:, 5]
        superiority = sums[:, 6] / sums[:, 7]
        values: Floats = np.column_stack([share * where_different, where_different, share * superiority])
    values[~np.isfinite(values)] = np.nan
    return values


@on_one_thread
def _intervals(sides: _Sides, ways: tuple[Way, ...], how: Resampling) -> Intervals:
    how.check()
    rows, pairs = _row_columns(sides), sides.pairs.select(pl.col("weight") * pl.col("sign"), one="weight").to_numpy()
    value = _statistic(np.concatenate([rows.sum(axis=0), pairs.sum(axis=0)])[None, :])[0]
    if has_few_levels(ways):
        left_out = [_left_out(rows, pairs, way, *_places(sides, way)) for way in ways]
        intervals = jackknife_intervals(value, left_out, ways, how.level)
        limits = np.array([1.0 if bounded else np.inf for *_, bounded in _NAMES])
        return replace(intervals, low=np.maximum(intervals.low, -limits), high=np.minimum(intervals.high, limits))
    used = widest_ways(ways)
    places = [_places(sides, way) for way in used]
    drawn = []
    for tables in way_weights(used, how.draws, how.seed, chunk=max(1, _CELLS // max(len(rows), len(pairs)))):
        of_rows, of_pairs = np.ones((len(tables[0]), len(rows))), np.ones((len(tables[0]), len(pairs)))
        for way, table, (left, right) in zip(used, tables, places, strict=True):
            of_rows *= table[:, way.codes]
            of_pairs *= table[:, left] * np.where(left == right, 1.0, table[:, right])
        drawn.append(_statistic(np.hstack([of_rows @ rows, of_pairs @ pairs])))
    return percentile_intervals(value, np.concatenate(drawn), how.level, min(way.levels for way in used))


def _left_out(rows: Floats, pairs: Floats, way: Way, left: np.ndarray, right: np.ndarray) -> Floats:
    """Return the values without each level; a pair of two raters' ratings goes with either of them."""
    two = left != right
    without = sums_left_out(pairs, left, way.levels, (pairs[two], right[two]))
    return _statistic(np.hstack([sums_left_out(rows, way.codes, way.levels), without]))


def _describe(sides: _Sides, how: Resampling, intervals: Intervals, ways: tuple[Way, ...]) -> str:
    few = has_few_levels(ways)
    description = describe_jackknife(how.level, intervals, ways) if few else describe_crossed(how, intervals, ways)
    return description if sides.rows["rater"].n_unique() > 1 else f"{description}, for this one rater only"


def _places(sides: _Sides, way: Way) -> tuple[np.ndarray, np.ndarray]:
    """Return the level of each pair's first and second rating."""
    level = dict(zip(sides.rows[way.name].to_list(), way.codes.tolist(), strict=True))
    second = "rater_second" if way.name == "rater" else "item"
    left, right = ([level[label] for label in sides.pairs[name].to_list()] for name in (way.name, second))
    return np.array(left), np.array(right)


def _influence(sides: _Sides) -> Floats:
    """Return what each rating adds to the mean difference, so that the parts of an item sum to its own deviation."""
    first, of_first, second, of_second, differing, share = _row_columns(sides).T
    mean_first, mean_second = first.sum() / of_first.sum(), second.sum() / of_second.sum()
    difference = (mean_first - mean_second) * differing.sum() / share.sum()
    deviation = (first - of_first * mean_first) - (second - of_second * mean_second)
    influence: Floats = deviation + differing * (mean_first - mean_second) - share * difference
    return influence / sides.items


def _naive(sides: _Sides) -> _Naive:
    """Compare rows with copies: paired by item and rater where raters saw both responses, else as two samples."""
    rows = sides.rows
    left, right = (rows.filter(side).select("item", "rater", "rating") for side in ("on_first", "on_second"))
    pairs = left.join(right, on=["item", "rater"], suffix="_second")
    differences = (pairs["rating"] - pairs["rating_second"]).to_numpy()
    seen_both = (sides.pairs["rater"] == sides.pairs["rater_second"]).all()
    if seen_both and len(differences) >= 2 and differences.std() > 0:
        error = float(differences.std(ddof=1) / math.sqrt(len(differences)))
        mean, df = float(differences.mean()), len(differences) - 1
        return _Naive(mean, error, float(2 * scipy.stats.t.sf(abs(mean) / error, df)), len(differences), paired=True)
    a, b = left["rating"].to_numpy(), right["rating"].to_numpy()
    difference, n = float(a.mean() - b.mean()), len(a) + len(b)
    if min(len(a), len(b)) < 2 or a.std() + b.std() == 0:
        return _Naive(difference, math.nan, math.nan, n, paired=False)
    error = math.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b))
    return _Naive(difference, error, float(scipy.stats.ttest_ind(a, b, equal_var=False).pvalue), n, paired=False)


_NAMES = (
    ("mean difference", "MD", False),
    ("mean difference where responses differ", "MD of different responses", False),
    ("net superiority", "P(higher) − P(lower)", True),
)


def _effects(intervals: Intervals, method: str, level: float) -> tuple[Effect, ...]:
    bounds = [[None if np.isnan(b) else float(b) for b in side] for side in (intervals.low, intervals.high)]
    return tuple(
        Effect(name, symbol, float(value), low, high, level, method, bounded)
        for (name, symbol, bounded), value, low, high in zip(_NAMES, intervals.value, *bounds, strict=True)
    )


def _notes(naive: _Naive, error: float) -> tuple[Bilingual, ...]:
    if math.isnan(naive.error) or naive.error == 0:
        return ()
    ratio = write_statistic(error**2 / naive.error**2)
    test = Bilingual("paired t", "配对 t 检验") if naive.paired else Bilingual("Welch's t", "Welch t 检验")
    numbers = f"MD = {write_statistic(naive.difference)}, SE = {write_statistic(naive.error, 3)}, {p_remark(naive.p)}"
    return (
        Bilingual(
            f"With copies, the paper's way ({test.en} over {naive.n} rows taken as independent): {numbers}. The "
            f"variance clustered by item and rater is {ratio} times that.",
            f"含副本（论文的做法，{test.zh}，{naive.n} 行视为独立）：{numbers}。"
            f"按条目和评分者聚类的方差是其 {ratio} 倍。",
        ),
    )


def _few_raters(sides: _Sides, p_method: str) -> tuple[Bilingual, ...]:
    """Say whom the numbers are about where raters are few."""
    raters = sides.rows["rater"].n_unique()
    if raters == 1:
        return (ONE_RATER,)
    if raters >= FEW_CLUSTERS:
        return ()
    p = Bilingual(" p asks about these raters only.", "p 值仅针对这些评分者。") if p_method == "items" else None
    return (
        Bilingual(
            f"The interval is about raters in general, of whom {raters} say little, and is therefore wide."
            + (p.en if p else ""),
            f"区间针对一般的评分者，而评分者只有 {raters} 名，信息有限，因此区间较宽。" + (p.zh if p else ""),
        ),
    )
