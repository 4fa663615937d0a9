"""Do the levels differ at all, and do two measures say the same?"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from hengliang.analysis.ratings.comparisons import attempt
from hengliang.analysis.ratings.copies import COPIED, RATINGS, TITLES, UNIQUE, Unique
from hengliang.analysis.ratings.design import independence, unit_means, units_of
from hengliang.analysis.ratings.parts import MEASURE, Part, Questions
from hengliang.analysis.ratings.table import Ratings
from hengliang.core.terms import Bilingual
from hengliang.statistics.correlation import coefficients
from hengliang.statistics.ranks import friedman, kruskal_wallis
from hengliang.statistics.results import TestResult


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
            found = attempt(friedman.friedman_test, friedman.CONVENTIONS, *columns, **settings)
        else:
            groups = [ratings.values(measure, level) for level in ratings.levels]
            found = attempt(kruskal_wallis.kruskal_wallis_test, kruskal_wallis.CONVENTIONS, *groups, **settings)
        if isinstance(found, TestResult):
            results.append(({MEASURE: measure, **copied}, found))
        else:
            refused.append(Bilingual(f"{measure}: {found.en}", f"{measure}：{found.zh}"))
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
            found = attempt(
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
            place = {"measures": f"{first}, {second}", **({RATINGS: kind} if kind else {})}
            if isinstance(found, TestResult):
                results.append((place, found))
            else:
                refused.append(Bilingual(f"{first}, {second}: {found.en}", f"{first}、{second}：{found.zh}"))
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
