"""Descriptive statistics of ratings: distribution of answers, mean, median and spread, omnibus tests, correlation.

First how often each answer was given under each level, and where the middle lies; then tests of all levels at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import polars as pl

from hengliang.analyses.ratings.comparisons import COPIED, RATINGS, TITLES, UNIQUE, Unique, attempt
from hengliang.analyses.ratings.design import independence, unit_means, units_of
from hengliang.analyses.ratings.parts import MEASURE, Part, Questions
from hengliang.analyses.ratings.reading import ROW, write_rating
from hengliang.analyses.ratings.table import Ratings
from hengliang.core.base_classes import StatisticLabel
from hengliang.core.records import Estimate
from hengliang.core.signature import Signature, version
from hengliang.core.terms import Bilingual, both
from hengliang.statistics.correlation import coefficients
from hengliang.statistics.ranks import friedman, kruskal_wallis
from hengliang.statistics.resampling import Floats, Resampling, Way, crossed_intervals
from hengliang.statistics.results import TestResult

# --- distribution, mean and median of each level ----------------------------------------------------------------------


_MIDDLES = {
    "mean": StatisticLabel(Bilingual("Mean", "均值"), "number", 3),
    "median": StatisticLabel(Bilingual("Median", "中位数"), "number", 1),
    "standard deviation": StatisticLabel(Bilingual("SD", "标准差"), "number", 3),
}


def answers_part(ratings: Ratings) -> Part:
    """Return how often each answer of the scale was given to each level."""
    by, signature = ratings.columns.by, _signature(ratings)
    estimates = []
    for measure in ratings.columns.measures:
        for level in ratings.levels:
            values = np.asarray(ratings.values(measure, level))
            missing = ratings.n_missing(measure, level)
            cell = {MEASURE: measure, by: level}
            estimates += [
                Estimate(
                    "",
                    cell,
                    f"answer {step}",
                    float((values == step).sum()),
                    n=len(values),
                    n_missing=missing,
                    method="count of this answer",
                    signature=signature,
                )
                for step in ratings.scale.steps
            ]
    labels = ratings.file.labels.get(ratings.columns.measures[0], {})
    named = {step: f"{step} {labels[str(step)]}" if str(step) in labels else str(step) for step in ratings.scale.steps}
    return Part(
        "answers",
        Bilingual("How often each answer was given", "各回答的频数"),
        Bilingual(
            f"One row for each {by}, one column for each answer of the scale {ratings.scale}.",
            f"每行为一个“{by}”，每列为量表 {ratings.scale} 的一个回答。",
        ),
        estimates=tuple(estimates),
        statistics={f"answer {step}": StatisticLabel(both(name), "integer", 0) for step, name in named.items()},
    )


def middles_part(ratings: Ratings, questions: Questions) -> Part:
    """Return mean, median and spread of each level; the interval of a mean respects items and raters."""
    by, signature = ratings.columns.by, _signature(ratings, questions)
    estimates, middles = [], []
    for measure in ratings.columns.measures:
        for level in ratings.levels:
            own = ratings.frame.filter((pl.col(by) == level) & pl.col(measure).is_not_null())
            values = own[measure].to_numpy()
            low, high, method = _mean_interval(own, measure, ratings, questions)
            cell, n, missing = {MEASURE: measure, by: level}, own.height, ratings.n_missing(measure, level)
            middle, spread = float(np.median(values)), float(values.std(ddof=1)) if n > 1 else None
            for name, value, ends, how in (
                ("mean", float(values.mean()), (low, high), f"mean; {method}"),
                ("median", middle, (None, None), "median"),
                ("standard deviation", spread, (None, None), "sample standard deviation (n − 1)"),
            ):
                estimates.append(
                    Estimate("", cell, name, value, *ends, n=n, n_missing=missing, method=how, signature=signature)
                )
            middles.append((level, measure, float(values.mean()), middle))
    return Part(
        "middles",
        Bilingual("Means and medians", "均值与中位数"),
        Bilingual(
            "A mean takes the steps of the scale for equally wide; the tests below do not. Its interval is that of "
            "items and raters of the same kind.",
            "均值假定量表各级间距相等，下面的检验则不作此假定。其区间考虑了条目与评分者的抽样。",
        ),
        estimates=tuple(estimates),
        sentences=_sentences(middles, ratings),
        statistics=_MIDDLES,
        figure="intervals",
        figure_statistics=("mean",),
    )


def _mean_interval(
    own: pl.DataFrame, measure: str, ratings: Ratings, questions: Questions
) -> tuple[float | None, float | None, str]:
    resampling = Resampling(level=questions.level, seed=questions.seed)
    ways = [Way.of(name, own[name]) for name in ratings.clusters] or [Way.of("rating", own[ROW])]
    values = np.column_stack([own[measure].to_numpy(), np.ones(own.height)])
    intervals, method = crossed_intervals(values, _ratio, ways, resampling)
    low, high = float(intervals.low[0]), float(intervals.high[0])
    if np.isnan(low):
        return None, None, method
    # Two raters leave a mean open far beyond the scale, where it cannot be.
    return max(low, ratings.scale.low), min(high, ratings.scale.high), method


def _ratio(sums: Floats) -> Floats:
    quotient: Floats = np.divide(sums[:, :1], sums[:, 1:], out=np.full((len(sums), 1), np.nan), where=sums[:, 1:] > 0)
    return quotient


def _sentences(told: list[tuple[str, str, float, float]], ratings: Ratings) -> tuple[Bilingual, ...]:
    sentences = []
    for measure in ratings.columns.measures:
        own = sorted((row for row in told if row[1] == measure), key=lambda row: -row[2])
        listed = [f"{level} (M = {mean:.2f}, Mdn = {write_rating(middle)})" for level, _, mean, middle in own]
        chinese = "、".join(listed).replace(" (", "（").replace(")", "）").replace(", Mdn", "，Mdn")
        sentences.append(
            Bilingual(f"On {measure}, from high to low: {', '.join(listed)}.", f"“{measure}”由高到低：{chinese}。")
        )
    return tuple(sentences)


def _signature(ratings: Ratings, questions: Questions | None = None) -> str:
    signature = Signature.of(hengliang=version(), analysis="description of ratings", data=ratings.checksum)
    if questions is not None:
        signature = signature.and_(level=questions.level, seed=questions.seed, draws=Resampling().draws)
    return str(signature)


# --- omnibus tests and correlation of measures ------------------------------------------------------------------------
# Tests whether the levels differ at all, and whether two measures say the same.


def omnibus_part(ratings: Ratings, questions: Questions) -> Part:
    """Return the test of all levels at once: Friedman's for pairs, else that of Kruskal and Wallis.

    Ratings that cannot be paired, though items or raters have several, are averaged first, as in the comparisons.
    """
    units = () if ratings.is_paired else units_of(ratings)[:1]
    for unit in units:
        ratings = unit_means(ratings, unit)
    results: list[tuple[Mapping[str, str], TestResult]] = []
    refused = []
    settings = {"names": ratings.levels, "alpha": questions.alpha, "level": questions.level}
    copied = {RATINGS: COPIED} if ratings.columns.response else {}
    for measure in ratings.columns.measures:
        if ratings.is_paired:
            columns = [column.to_list() for column in ratings.paired(measure).drop_nulls()]
            result = attempt(friedman.friedman_test, friedman.CONVENTIONS, *columns, **settings)
        else:
            groups = [ratings.values(measure, level) for level in ratings.levels]
            result = attempt(kruskal_wallis.kruskal_wallis_test, kruskal_wallis.CONVENTIONS, *groups, **settings)
        if isinstance(result, TestResult):
            results.append(({MEASURE: measure, **copied}, result))
        else:
            refused.append(Bilingual(f"{measure}: {result.en}", f"{measure}：{result.zh}"))
    name = Bilingual("Friedman's test", "Friedman 检验") if ratings.is_paired else _KRUSKAL
    warning = Bilingual(
        " It counts copies of one rating as several; the model below does not.",
        "此检验把同一评分的副本算作多个，下面的模型则不然。",
    )
    plain = Bilingual("Whether the levels differ at all.", "各水平之间是否存在差异。")
    for unit in units:
        plain = Bilingual(f"{plain.en} On the means of '{unit.name}'.", f"{plain.zh}以“{unit.name}”的均值为单位。")
    caution = independence(ratings, pairs=ratings.is_paired)
    plain = Bilingual(plain.en + caution.en, plain.zh + caution.zh)
    return Part(
        "omnibus",
        Bilingual(f"All levels at once: {name.en}", f"总体比较：{name.zh}"),
        Bilingual(plain.en + warning.en, plain.zh + warning.zh) if copied else plain,
        results=tuple(results),
        sentences=tuple(refused),
        levels=TITLES,
    )


_KRUSKAL = Bilingual("the Kruskal–Wallis test", "Kruskal–Wallis 检验")


def correlation_part(ratings: Ratings, questions: Questions, unique: Unique | None) -> Part:
    """Return Spearman's correlation of each pair of measures over single ratings."""
    item, rater = ratings.item_and_rater
    results: list[tuple[Mapping[str, str], TestResult]] = []
    refused = []
    for first, second in combinations(ratings.columns.measures, 2):
        every = ratings.frame
        frames = {UNIQUE: unique.of(first, second), COPIED: every} if unique else {"": every}
        for kind, frame in frames.items():
            clusters = {
                "items": frame[item].to_list() if item else None,
                "raters": frame[rater].to_list() if rater else None,
            }
            result = attempt(
                coefficients.spearman,
                coefficients.SPEARMAN_CONVENTIONS,
                frame[first].to_list(),
                frame[second].to_list(),
                names=(first, second),
                interval="bootstrap",
                seed=questions.seed,
                alternative=questions.alternative,
                alpha=questions.alpha,
                level=questions.level,
                **clusters,
            )
            cell = {"measures": f"{first}, {second}", **({RATINGS: kind} if kind else {})}
            if isinstance(result, TestResult):
                results.append((cell, result))
            else:
                refused.append(Bilingual(f"{first}, {second}: {result.en}", f"{first}、{second}：{result.zh}"))
    return Part(
        "correlation",
        Bilingual("Do the measures say the same? Spearman's ρ", "各测量是否一致：Spearman ρ"),
        Bilingual(
            "Over single ratings. The interval draws items and raters; p takes all ratings for independent.",
            "以单个评分计算。区间由条目与评分者重抽样得出；p 值假定评分相互独立。",
        ),
        results=tuple(results),
        sentences=tuple(refused),
        levels={**TITLES},
    )
