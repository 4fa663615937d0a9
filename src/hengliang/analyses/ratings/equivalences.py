"""Equivalence tests (TOST) of two levels of ratings, within a margin that was stated beforehand.

That a test finds no difference does not show that there is none. The difference is compared with the margin in two
ways: by the interval that takes whole items and raters for units, which is the one to rely on, and by two one-sided t
tests that take all pairs for independent. Where items and raters are compared by their own means, both must show what
is concluded. Ranks are not used: on a scale of few steps most differences are 0, and a shift of zeros by half a point
is equivalence by construction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hengliang.analyses.ratings.comparisons import (
    BESIDE,
    COPIED,
    RATINGS,
    TITLES,
    UNIQUE,
    Comparison,
    Unique,
    clustered_test,
    comparisons_of,
    samples,
)
from hengliang.analyses.ratings.design import Unit, independence, unit_means, units_of
from hengliang.analyses.ratings.parts import Part, Questions
from hengliang.analyses.ratings.roles import ITEM, RATER
from hengliang.analyses.ratings.table import Ratings
from hengliang.core.base_classes import StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.records import Estimate
from hengliang.core.terms import Bilingual
from hengliang.statistics import equivalence
from hengliang.statistics.equivalence import Equivalence, against_margin
from hengliang.statistics.results import TestResult

TEST = "test"
INDEPENDENT = Bilingual(
    "Two one-sided tests of paired means, pairs taken for independent", "配对均值的双单侧检验，假定各配对相互独立"
)


Held = Mapping[Comparison, Sequence[tuple[str, Equivalence | Bilingual]]]
"""Every comparison held against the margin in several ways, or why not, each with the kind of ratings."""


@dataclass(frozen=True, slots=True)
class _View:
    """The differences as one kind of unit shows them: pairs, or means of the `unit`."""

    name: str
    ratings: Ratings
    held: Held
    unit: Unit | None = None

    def shown(self, asked: Comparison) -> Equivalence | None:
        """Return what the way to rely on found; nothing where it could not be gone."""
        first = self.held[asked][0][1]
        return first if isinstance(first, Equivalence) else None


def equivalence_parts(ratings: Ratings, questions: Questions, unique: Unique | None) -> Iterator[Part]:
    """Compare every difference with the margin: pair by pair, or by the means of items and beside them of raters.

    An interval by items that lies within the margin says nothing of other raters: a verdict is that of all units, and
    those without an interval (one rater, say) show nothing.
    """
    units, views = units_of(ratings), []
    if ratings.is_paired or not units:
        by_comparison = _all_held(ratings, questions, unique, _clustered_title(ratings))
        views.append(_View(" × ".join(ratings.columns.pair), ratings, by_comparison))
    for unit in units:
        means = unit_means(ratings, unit)
        views.append(_View(unit.name, means, _all_held(means, questions, None, _clustered_title(ratings, unit)), unit))
    for number, view in enumerate(views):
        others = [other for other in views if other is not view]
        part = _part(view.ratings, questions, _decided_by_all(view, others), both=len(views) > 1)
        if view.unit is not None:
            title = Bilingual(
                f"{part.title.en}, on the means of '{view.name}'", f"{part.title.zh}（以“{view.name}”的均值为单位）"
            )
            part = replace(part, name=f"{part.name}, {BESIDE}" if number else part.name, title=title)
        yield part


def equivalence_part(ratings: Ratings, questions: Questions, unique: Unique | None) -> Part:
    """Compare every difference with the margin, by these ratings alone."""
    return _part(ratings, questions, _all_held(ratings, questions, unique, _clustered_title(ratings)), both=False)


def _decided_by_all(view: _View, others: Sequence[_View]) -> Held:
    """Let every verdict be that of all units."""
    return {
        asked: [
            (
                kind,
                replace(outcome, beside={other.name: other.shown(asked) for other in others})
                if isinstance(outcome, Equivalence)
                else outcome,
            )
            for kind, outcome in ways
        ]
        for asked, ways in view.held.items()
    }


def _clustered_title(ratings: Ratings, unit: Unit | None = None) -> Bilingual:
    """Say by what an interval is clustered, the units or else what pairs lie within, and of whom alone it speaks."""
    known = [(name, what) for name, what in zip(ratings.item_and_rater, (ITEM, RATER), strict=True) if name]
    alone = [what for name, what in known if ratings.frame[name].n_unique() == 1]
    clusters = [what for name, what in known if name in ratings.paired_clusters and what not in alone]
    clusters = [unit.what] if unit else clusters
    english = f"Interval clustered by {' and '.join(f'{what.en}s' for what in clusters)}"
    chinese = f"按{'与'.join(what.zh for what in clusters)}聚类的区间"
    if not clusters:  # neither items nor raters pair ratings, but something else does
        pair = " × ".join(ratings.columns.pair)
        english, chinese = f"Interval of the differences within {pair}", f"{pair} 内差值的区间"
    for what in alone:
        english += f", for this one {what.en} only"
        chinese += f"，仅针对这一{'名' if what == RATER else '个'}{what.zh}"
    return Bilingual(english, chinese)


def _all_held(ratings: Ratings, questions: Questions, unique: Unique | None, title: Bilingual) -> Held:
    """Compare every difference with the margin in every way; where the data do not allow it, say why."""
    by_comparison: dict[Comparison, list[tuple[str, Equivalence | Bilingual]]] = {}
    for asked in comparisons_of(ratings, questions):
        by_comparison[asked] = []
        try:
            for way in _held(ratings, asked, questions, unique, title):
                by_comparison[asked].append(way)
        except UserError as error:
            by_comparison[asked].append(("", Bilingual(error.problem, error.problem)))
    return by_comparison


def _part(ratings: Ratings, questions: Questions, held: Held, *, both: bool) -> Part:
    """Put into tables and sentences what was found; `both` says that several units decide."""
    margin = questions.margin or 0.0
    estimates: list[Estimate] = []
    sentences: list[Bilingual] = []
    titles: dict[str, Bilingual] = {}
    for asked, ways in held.items():
        for kind, outcome in ways:
            if isinstance(outcome, Bilingual):
                why = Bilingual(f"{asked.label}: {outcome.en}", f"{asked.label}：{outcome.zh}")
                sentences.append(_placed(why, asked, ratings))
                continue
            titles[outcome.test] = outcome.title
            own = {**asked.place(ratings), TEST: outcome.test, **({RATINGS: kind} if kind else {})}
            estimates += _estimates(outcome, own)
            sentences.append(_placed(outcome.sentence(), asked, ratings))
    caution = Bilingual("", "")
    if ratings.is_paired and independence(ratings, pairs=True).en:
        caution = Bilingual(
            " The t tests take pairs for independent; the clustered interval is the one to believe.",
            "t 检验假定各配对相互独立；应以聚类区间为准。",
        )
    if both:
        caution = Bilingual(
            f"{caution.en} Items and raters must both show what is concluded.",
            f"{caution.zh}所下结论须在条目与评分者上同时成立。",
        )
    share = f"{(1 - 2 * questions.alpha) * 100:g} %"
    return Part(
        "equivalence",
        Bilingual(f"Equivalence within ±{margin:g} points", f"±{margin:g} 分以内的等效性"),
        Bilingual(
            f"Two levels are equivalent if the {share} interval of their difference lies within the margin, which "
            "should have been decided before the ratings were seen. No correction for the number of comparisons."
            f"{caution.en}",
            f"若差值的 {share} 区间落在界值之内，则两水平等效；界值应在看到评分之前确定。未按比较次数校正。"
            f"{caution.zh}",
        ),
        estimates=tuple(estimates),
        sentences=tuple(sentences),
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
    ratings: Ratings, asked: Comparison, questions: Questions, unique: Unique | None, title: Bilingual
) -> Iterator[tuple[str, Equivalence | Bilingual]]:
    """Give the ways in which one difference is compared with the margin, or why not, with the kind of ratings."""
    kinds = samples(ratings, asked)
    kind = COPIED if COPIED in kinds else ""
    first, second = kinds[kind]
    margin = questions.margin or 0.0
    if not ratings.is_paired:
        yield kind, equivalence.tost_means(first, second, margin=margin, names=asked.levels, alpha=questions.alpha)
        return
    # An interval of this level is as strict as two one-sided tests at α.
    level = 1 - 2 * questions.alpha
    outcome = clustered_test(ratings, asked, replace(questions, level=level), unique, sensitivity=False)
    yield (
        UNIQUE if unique else "",
        _clustered(outcome, asked, margin, title) if isinstance(outcome, TestResult) else outcome,
    )
    paired = equivalence.tost_paired_means(first, second, margin=margin, names=asked.levels, alpha=questions.alpha)
    yield kind, replace(paired, title=INDEPENDENT)


def _clustered(found: TestResult, asked: Comparison, margin: float, title: Bilingual) -> Equivalence:
    compared = against_margin(found.effect("mean difference"), margin, names=asked.levels)
    return replace(compared, title=title, n=found.n, n_missing=found.n_missing, data=found.data)


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
