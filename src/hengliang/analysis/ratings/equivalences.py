"""Are two levels rated alike, within a margin that was stated beforehand?

That a test finds no difference does not show that there is none. The difference is held against the margin in two ways:
by the interval that takes whole items and raters for units, which is the one to rely on, and by two one-sided t tests
that take all pairs for independent. Ranks are not used: on a scale of few steps most differences are 0, and a shift of
zeros by half a point is equivalence by construction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hengliang.analysis import equivalence
from hengliang.analysis.layout import StatisticLabel
from hengliang.analysis.margins import Equivalence, against_margin
from hengliang.analysis.ratings.comparisons import Comparison, clustered_test, comparisons_of, samples
from hengliang.analysis.ratings.copies import COPIED, RATINGS, TITLES, UNIQUE, Unique
from hengliang.analysis.ratings.parts import Part, Questions
from hengliang.analysis.ratings.table import Ratings
from hengliang.analysis.results import TestResult
from hengliang.bilingual import Bilingual
from hengliang.errors import UserError
from hengliang.records import Estimate

TEST = "test"
CLUSTERED = Bilingual("Interval clustered by items and raters", "按条目与评分者聚类的区间")


def equivalence_part(ratings: Ratings, questions: Questions, unique: Unique | None) -> Part:
    """Hold every comparison against the margin."""
    margin = questions.margin or 0.0
    estimates: list[Estimate] = []
    told: list[Bilingual] = []
    titles: dict[str, Bilingual] = {}
    for asked in comparisons_of(ratings, questions):
        place = asked.place(ratings)
        try:
            for kind, found in _held(ratings, asked, questions, unique):
                titles[found.test] = found.title
                own = {**place, TEST: found.test, **({RATINGS: kind} if kind else {})}
                estimates += _estimates(found, own)
                told.append(_placed(found.sentence(), asked, ratings))
        except UserError as error:
            told.append(Bilingual(f"{asked.label}: {error.problem}", f"{asked.label}：{error.problem}"))
    share = f"{(1 - 2 * questions.alpha) * 100:g} %"
    return Part(
        "equivalence",
        Bilingual(f"Equivalence within ±{margin:g} points", f"±{margin:g} 分以内的等效性"),
        Bilingual(
            f"Two levels are equivalent if the {share} interval of their difference lies within the margin, which "
            "should have been decided before the ratings were seen. No correction for the number of comparisons.",
            f"若差值的 {share} 区间落在界值之内，则两水平等效；界值应在看到评分之前确定。未按比较次数校正。",
        ),
        estimates=tuple(estimates),
        sentences=tuple(told),
        statistics={
            "difference": StatisticLabel(
                Bilingual(f"Difference, {share} interval", f"差值及 {share} 区间"), "number", 2
            ),
            "equivalence p": StatisticLabel(Bilingual("p of equivalence", "等效检验 p"), "p"),
        },
        levels={**TITLES, **titles},
        figure="intervals",
        figure_statistics=("difference",),
    )


def _held(
    ratings: Ratings, asked: Comparison, questions: Questions, unique: Unique | None
) -> Iterator[tuple[str, Equivalence]]:
    """Give the ways in which one difference is held against the margin, with the kind of ratings."""
    kinds = samples(ratings, asked)
    kind = COPIED if COPIED in kinds else ""
    first, second = kinds[kind]
    margin = questions.margin or 0.0
    if not ratings.is_paired:
        yield kind, equivalence.tost_means(first, second, margin=margin, names=asked.levels, alpha=questions.alpha)
        return
    # An interval of this level is as strict as two one-sided tests at α.
    level = 1 - 2 * questions.alpha
    found = clustered_test(ratings, asked, replace(questions, level=level), unique, sensitivity=False)
    if isinstance(found, TestResult):
        held = against_margin(found.effect("mean difference"), margin, names=asked.levels)
        named = replace(held, title=CLUSTERED, n=found.n, n_missing=found.n_missing, data=found.data)
        yield UNIQUE if unique else "", named
    yield kind, equivalence.tost_paired_means(first, second, margin=margin, names=asked.levels, alpha=questions.alpha)


def _estimates(found: Equivalence, place: dict[str, str]) -> Iterator[Estimate]:
    """Give the difference and p of one way, under names that all ways share."""
    for number, estimate in enumerate(found.estimates("", place)):
        if number == 0:
            yield replace(estimate, statistic="difference", p=None)
        elif estimate.value is not None:
            yield replace(estimate, statistic="equivalence p", p=None)


def _placed(sentence: Bilingual, asked: Comparison, ratings: Ratings) -> Bilingual:
    if len(ratings.columns.measures) == 1:
        return sentence
    return Bilingual(f"{asked.measure}: {sentence.en}", f"{asked.measure}：{sentence.zh}")
