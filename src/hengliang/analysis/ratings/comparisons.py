"""Is one level rated higher than another, and how large is the difference?

Where ratings are paired (the same item, the same rater), the main test is Wilcoxon's signed-rank test, as in most
papers, with the sign test and Brunner and Munzel's test beside it, which do not order differences between answers. A
permutation of whole items and raters shows what is left when ratings of one item and of one rater are not taken for
independent. Without pairs the main test is Mann and Whitney's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hengliang.analysis import permutation, system_differences
from hengliang.analysis.families import CORRECTIONS, family
from hengliang.analysis.layout import StatisticLabel
from hengliang.analysis.multiverse import Convention, with_sensitivity
from hengliang.analysis.ranks import brunner_munzel, mann_whitney, sign, signed_ranks
from hengliang.analysis.ratings.copies import COPIED, RATINGS, TITLES, UNIQUE, Unique
from hengliang.analysis.ratings.parts import COMPARISON, MEASURE, Part, Questions, adjusted_estimates, adjusted_label
from hengliang.analysis.ratings.table import Ratings
from hengliang.analysis.results import TestResult
from hengliang.analysis.wording import write_p
from hengliang.bilingual import Bilingual
from hengliang.errors import UserError, unknown_name
from hengliang.records import Estimate

Floats = NDArray[np.float64]
# No column of a file is called so.
_FIRST, _SECOND, _DIFFERENT = "\0first", "\0second", "\0different"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two levels of one measure."""

    measure: str
    first: str
    second: str

    @property
    def levels(self) -> tuple[str, str]:
        """The two levels."""
        return self.first, self.second

    @property
    def label(self) -> str:
        """What a table calls it: the difference is the first minus the second."""
        return f"{self.first} − {self.second}"

    def place(self, ratings: Ratings) -> dict[str, str]:
        """Return where its results stand; the measure is named where there are several."""
        named = {MEASURE: self.measure} if len(ratings.columns.measures) > 1 else {}
        return {**named, COMPARISON: self.label}


@dataclass(frozen=True, slots=True)
class Test:
    """A test of two samples: its function, its conventions, and what a reader should know of it."""

    __test__ = False  # pytest takes every class of such a name for tests

    name: str
    title: Bilingual
    explanation: Bilingual
    function: Callable[..., TestResult]
    conventions: Sequence[Convention]


SIGNED_RANKS = Test(
    "signed ranks",
    Bilingual("Paired comparisons: Wilcoxon's signed-rank test", "配对比较：Wilcoxon 符号秩检验"),
    Bilingual(
        "Differences within a pair are ranked by size. r is z by the root of the number of pairs, those without a "
        "difference included. Pairs are taken for independent, as papers do.",
        "按大小对配对内的差值排秩。r 为 z 除以配对数的平方根，配对数含无差异的配对。"
        "与多数论文一样，假定各配对相互独立。",
    ),
    signed_ranks.signed_rank_test,
    signed_ranks.CONVENTIONS,
)
SIGN = Test(
    "sign",
    Bilingual("Beside it: the sign test", "对照：符号检验"),
    Bilingual(
        "Only the direction of a difference counts, so that the distance between two answers need not mean anything.",
        "只看差异的方向，因此不要求两个回答之间的距离有意义。",
    ),
    sign.sign_test,
    sign.CONVENTIONS,
)
BRUNNER_MUNZEL = Test(
    "brunner-munzel",
    Bilingual("Beside it: the Brunner–Munzel test", "对照：Brunner–Munzel 检验"),
    Bilingual(
        "How probable it is that a rating of the second is higher than one of the first (above .5 where the second is "
        "higher); the two may spread differently. That ratings come in pairs is not used.",
        "后者的评分高于前者的概率（大于 .5 表示后者较高）；两者的离散程度可以不同。此检验不利用配对。",
    ),
    brunner_munzel.brunner_munzel_test,
    # By permutation the test takes a second, and says the same but in small samples.
    [way for way in brunner_munzel.CONVENTIONS if way.settings.get("reference") != "permutation"],
)
MANN_WHITNEY = Test(
    "mann-whitney",
    Bilingual("Comparisons: the Mann–Whitney U test", "比较：Mann–Whitney U 检验"),
    Bilingual(
        "The ratings of two levels are ranked together. r is z by the root of the number of ratings.",
        "将两个水平的评分合并排秩。r 为 z 除以评分数的平方根。",
    ),
    mann_whitney.mann_whitney_test,
    mann_whitney.CONVENTIONS,
)

MAIN = (SIGNED_RANKS.name, MANN_WHITNEY.name)
"""The tests that papers report, one of which leads."""


def comparisons_of(ratings: Ratings, questions: Questions) -> list[Comparison]:
    """Return what is compared: every level with the reference, or every pair of levels."""
    reference = questions.reference
    if reference is not None and reference not in ratings.levels:
        raise unknown_name(f"level of '{ratings.columns.by}'", reference, ratings.levels)
    pairs = (
        [(level, reference) for level in ratings.levels if level != reference]
        if reference is not None
        else list(combinations(ratings.levels, 2))
    )
    return [Comparison(measure, *pair) for measure in ratings.columns.measures for pair in pairs]


def comparison_parts(ratings: Ratings, questions: Questions) -> Iterator[Part]:
    """Give the parts that compare two levels at a time, the main test first."""
    tests = (SIGNED_RANKS, SIGN, BRUNNER_MUNZEL) if ratings.is_paired else (MANN_WHITNEY, BRUNNER_MUNZEL)
    for number, test in enumerate(tests):
        yield part_of(test, ratings, questions, corrected=number == 0)


def part_of(test: Test, ratings: Ratings, questions: Questions, *, corrected: bool) -> Part:
    """Run one test on all comparisons; `corrected` makes them a family for each measure.

    Where responses are known, the pairs of ratings of two different responses are tested; the corrected test also has
    all pairs, copies included, beside them.
    """
    results: list[tuple[Mapping[str, str], TestResult]] = []
    refused: list[Bilingual] = []
    found: dict[Comparison, TestResult | None] = {}
    for asked in comparisons_of(ratings, questions):
        for kind, held in samples(ratings, asked).items():
            if kind == COPIED and not corrected:
                continue
            place = {**asked.place(ratings), **({RATINGS: kind} if kind else {})}
            result = attempt(test.function, test.conventions, *held, **settings_of(asked, questions))
            if kind != COPIED:
                found[asked] = result if isinstance(result, TestResult) else None
            if isinstance(result, TestResult):
                results.append((place, result))
            else:
                refused.append(_refusal(place, result))
    kind_of_family = {RATINGS: UNIQUE} if ratings.columns.response else {}
    extra, labels, told = _families(found, ratings, questions, kind_of_family) if corrected else ((), {}, [])
    return Part(
        test.name,
        test.title,
        test.explanation,
        results=tuple(results),
        estimates=extra,
        sentences=(*told, *refused),
        statistics=labels,
        levels=TITLES,
    )


def samples(ratings: Ratings, asked: Comparison) -> dict[str, tuple[Floats, Floats]]:
    """Return the ratings of the two levels by kind of ratings; the kind is empty where no responses are known."""
    if not ratings.is_paired:
        return {"": tuple(np.asarray(ratings.values(asked.measure, level)) for level in asked.levels)}  # type: ignore[dict-item]
    pairs = placed_pairs(ratings, asked)
    if ratings.columns.response is None:
        return {"": _sides(pairs)}
    return {UNIQUE: _sides(pairs.filter(pl.col(_DIFFERENT))), COPIED: _sides(pairs)}


def _sides(pairs: pl.DataFrame) -> tuple[Floats, Floats]:
    return pairs[_FIRST].to_numpy(), pairs[_SECOND].to_numpy()


def _refusal(place: Mapping[str, str], why: Bilingual) -> Bilingual:
    at = ", ".join(place.values())
    return Bilingual(f"{at}: {why.en}", f"{at}：{why.zh}")


def settings_of(asked: Comparison, questions: Questions) -> dict[str, Any]:
    """Return the settings that all tests of two samples share."""
    return {
        "names": (asked.first, asked.second),
        "alternative": questions.alternative,
        "alpha": questions.alpha,
        "level": questions.level,
    }


def attempt(
    function: Callable[..., TestResult], conventions: Sequence[Convention], *data: Any, **settings: Any
) -> TestResult | Bilingual:
    """Run a test with its sensitivity, or return why these data do not allow it."""
    try:
        return with_sensitivity(function, conventions, *data, **settings)
    except UserError as error:
        return Bilingual(f"no test ({error.problem})", f"无法检验（{error.problem}）")


def _families(
    found: Mapping[Comparison, TestResult | None],
    ratings: Ratings,
    questions: Questions,
    kind: Mapping[str, str],
) -> tuple[tuple[Estimate, ...], dict[str, Any], list[Bilingual]]:
    """Correct the tests of each measure as one family; a test that could not be run counts.

    `kind` is what the places of these tests hold besides measure and comparison.
    """
    extra: list[Estimate] = []
    labels: dict[str, Any] = {}
    told: list[Bilingual] = []
    for measure in ratings.columns.measures:
        own = {asked.label: (asked, result) for asked, result in found.items() if asked.measure == measure}
        corrected = family(
            [(label, result) for label, (_, result) in own.items()],
            method=questions.family,  # type: ignore[arg-type]  # family() checks it
            alpha=questions.alpha,
        )
        places = {label: {**asked.place(ratings), **kind} for label, (asked, _) in own.items()}
        extra += [row for row in adjusted_estimates(corrected, places) if row.value is not None]
        labels |= adjusted_label(corrected)
        sentence = corrected.sentence()
        told.append(Bilingual(f"All comparisons on {measure}: {sentence.en}", f"“{measure}”的全部比较：{sentence.zh}"))
    return tuple(extra), labels, told


def clustered_part(ratings: Ratings, questions: Questions, unique: Unique | None) -> Part:
    """Compare the levels with whole items and whole raters for units; copies count once where responses are known."""
    found = {asked: clustered_test(ratings, asked, questions, unique) for asked in comparisons_of(ratings, questions)}
    tested = {asked: result for asked, result in found.items() if isinstance(result, TestResult)}
    refused = [_refusal(asked.place(ratings), why) for asked, why in found.items() if not isinstance(why, TestResult)]
    extra, labels, told = _families({asked: tested.get(asked) for asked in found}, ratings, questions, {})
    few = too_few_clusters(ratings, questions)
    unit = " and ".join(ratings.columns.pair)
    chinese = "与".join(f"“{name}”" for name in ratings.columns.pair)
    once = Bilingual(" Copies of one rating count once.", "同一评分的副本只计一次。") if unique else Bilingual("", "")
    return Part(
        "clustered",
        Bilingual(f"Clustered by {unit}", f"按{chinese}聚类"),
        Bilingual(
            f"Ratings of one {ratings.columns.pair[0]} resemble each other, and more of them are not more evidence. "
            f"Here whole clusters ({unit}) are drawn or change sides. Differences are in points of the scale.{once.en}",
            f"同一“{ratings.columns.pair[0]}”的评分彼此相似，数量多并不等于证据多。"
            f"这里以整个聚类（{chinese}）为单位重抽样或互换。差值以量表分计。{once.zh}",
        ),
        results=tuple((asked.place(ratings), result) for asked, result in tested.items()),
        estimates=extra,
        sentences=(*told, *([few] if few else []), *refused),
        statistics={"system-difference": StatisticLabel(Bilingual("Difference", "差值"), "number", 2), **labels},
    )


def too_few_clusters(ratings: Ratings, questions: Questions) -> Bilingual | None:
    """Return the warning where clusters are so few that no ratings whatever would be significant.

    k clusters change sides in 2ᵏ ways, of which two are as extreme as it gets, one on each side.
    """
    item, rater = ratings.columns.item_and_rater
    # Where copies count once, whole items change sides and raters do not.
    units = [name for name in ((item,) if ratings.columns.response else (item, rater)) if name]
    if not units:
        return None
    count, name = min((ratings.frame[unit].n_unique(), unit) for unit in units)
    size = len(comparisons_of(ratings, questions)) // len(ratings.columns.measures)
    smallest = 2.0 ** (-count + (questions.alternative == "two-sided"))
    smallest *= size if questions.family in ("holm", "bonferroni") else 1
    if smallest <= questions.alpha:
        return None
    least = write_p(min(1.0, smallest))
    return Bilingual(
        f"With {count} clusters ({name}) p of the clustered test, corrected, cannot fall below {least}, whatever the "
        "ratings: that it finds nothing is no evidence.",
        f"只有 {count} 个聚类（“{name}”）时，无论评分如何，聚类检验校正后的 p 值都不会低于 {least}："
        "未发现差异并不构成证据。",
    )


def clustered_test(
    ratings: Ratings, asked: Comparison, questions: Questions, unique: Unique | None, *, sensitivity: bool = True
) -> TestResult | Bilingual:
    """Test one difference with whole items and raters for units, or say why that cannot be done.

    Without `sensitivity` no other convention is tried, which saves half of the time.
    """
    if unique:
        return _difference(asked, questions, unique, sensitivity)
    return _permuted(ratings, asked, questions, sensitivity)


def _permuted(ratings: Ratings, asked: Comparison, questions: Questions, sensitivity: bool) -> TestResult | Bilingual:
    item, rater = ratings.columns.item_and_rater
    pairs = placed_pairs(ratings, asked)
    return attempt(
        permutation.paired_permutation,
        # The first convention is the one that is chosen.
        permutation.CONVENTIONS[1:] if sensitivity else (),
        *_sides(pairs),
        items=pairs[item] if item else None,
        raters=pairs[rater] if rater else None,
        seed=questions.seed,
        **settings_of(asked, questions),
    )


def _difference(asked: Comparison, questions: Questions, unique: Unique, sensitivity: bool) -> TestResult | Bilingual:
    settings = settings_of(asked, questions)
    del settings["names"]
    return attempt(
        system_differences.system_difference,
        system_differences.CONVENTIONS[1:] if sensitivity else (),
        unique.shared[asked.measure],
        asked.first,
        asked.second,
        seed=questions.seed,
        **settings,
    )


def placed_pairs(ratings: Ratings, asked: Comparison) -> pl.DataFrame:
    """Return the pairs with the columns that say whose they are, in an order of their own; a missing half is null."""
    by, pair, response = ratings.columns.by, list(ratings.columns.pair), ratings.columns.response
    given = pl.col(response) if response else pl.lit("")
    sides = [
        ratings.frame.filter(pl.col(by) == level).select(
            *pair, pl.col(asked.measure).alias(name), given.alias(f"{name} response")
        )
        for level, name in ((asked.first, _FIRST), (asked.second, _SECOND))
    ]
    both = sides[0].join(sides[1], on=pair, how="full", coalesce=True)
    different = pl.col(f"{_FIRST} response").ne_missing(pl.col(f"{_SECOND} response"))
    return both.with_columns(different.alias(_DIFFERENT)).sort(pair)


def family_note(questions: Questions, ratings: Ratings) -> Bilingual:
    """Say what the family of tests is."""
    size = len(comparisons_of(ratings, questions)) // len(ratings.columns.measures)
    name = CORRECTIONS[questions.family]
    if size == 1:
        return Bilingual("One comparison a measure: p is not corrected.", "每个测量只有一项比较：p 值不作校正。")
    again = Bilingual(" and, on its own, by the clustered test", "；聚类检验另成一族") if ratings.is_paired else None
    return Bilingual(
        f"The family: the {size} comparisons of one measure by the main test{again.en if again else ''} ({name.en}). "
        "The tests beside it and those of splits are shown with their own p.",
        f"检验族：同一测量上由主检验所做的 {size} 项比较（{name.zh}）{again.zh if again else ''}。"
        "对照检验与分组检验列出各自的 p 值。",
    )
