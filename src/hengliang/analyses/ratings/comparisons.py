"""Comparisons of levels in ratings: Wilcoxon, sign test, Brunner–Munzel, Mann–Whitney, clustered permutation.

First copies of one rating, which must count once; then the tests, their families, and the clustered test.

Where ratings are paired (the same item, the same rater), the main test is Wilcoxon's signed-rank test, as in most
papers, with the sign test and Brunner and Munzel's test beside it, which do not order differences between answers. A
permutation of whole items and raters shows what is left when ratings of one item and of one rater are not taken for
independent. Without pairs the main test is Mann and Whitney's. Where items or raters have several ratings that cannot
be paired, their means are compared (`design.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb, isfinite
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hengliang.analyses.observations import SharedRatings, with_system_indicators
from hengliang.analyses.observations import unique_ratings as ratings_without_copies
from hengliang.analyses.ratings.design import Unit, independence, unit_means, units_of
from hengliang.analyses.ratings.parts import COMPARISON, MEASURE, Part, Questions, adjusted_estimates, adjusted_label
from hengliang.analyses.ratings.reading import ROW
from hengliang.analyses.ratings.table import Ratings
from hengliang.analyses.system_differences import CONVENTIONS as DIFFERENCE_CONVENTIONS
from hengliang.analyses.system_differences import system_difference
from hengliang.core.base_classes import StatisticLabel
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import Estimate
from hengliang.core.terms import Bilingual
from hengliang.statistics import permutation
from hengliang.statistics.conventions import Convention, with_sensitivity
from hengliang.statistics.multiple_testing import CORRECTIONS, FamilyResult, Member, family
from hengliang.statistics.ranks import brunner_munzel, mann_whitney, sign
from hengliang.statistics.ranks import wilcoxon as signed_ranks
from hengliang.statistics.results import Result, TestResult, write_p

# --- copies of one rating ---------------------------------------------------------------------------------------------
# Finds ratings that are copies of one rating and returns the ratings without them. Where several systems gave the same
# response, people judged it once, and the file holds that one rating under each of the systems. Counting it several
# times takes one judgement for several. With a response column the copies are known; without one they can only be
# suspected.

RATINGS = "ratings"
UNIQUE = "unique ratings"
COPIED = "with copies"
TITLES = {
    RATINGS: Bilingual("Ratings", "评分"),
    UNIQUE: Bilingual("unique ratings", "去重评分"),
    COPIED: Bilingual("with copies, the paper's way", "含副本，即论文的做法"),
}
_FEW_RATERS = 2
_SUSPECT = 0.1


SHARE = "share_"
"""Before the name of a level: the column with its share in the response, 1 by the number of levels that gave it."""


@dataclass(frozen=True, slots=True, eq=False)
class Unique:
    """The ratings without copies: for each measure a table with one row per rating and the share of each level in it.

    `shared` holds the same with who gave which response, under names of its own.
    """

    frames: Mapping[str, pl.DataFrame]
    shared: Mapping[str, SharedRatings]
    key: tuple[str, ...]
    n_copies: int
    n_rows: int

    def of(self, measure: str, *others: str) -> pl.DataFrame:
        """Return the unique ratings of one measure, with those of other measures beside them."""
        frame = self.frames[measure]
        for other in others:
            frame = frame.join(self.frames[other].select(*self.key, other), on=self.key)
        return frame

    def note(self, ratings: Ratings) -> Bilingual:
        """Say how many rows are copies."""
        response, by = ratings.columns.response, ratings.columns.by
        kept = self.n_rows - self.n_copies
        return Bilingual(
            f"{self.n_copies} of {self.n_rows} rows are copies: the same rater's rating of the same {response} under "
            f"another {by}. There are {kept} unique ratings. Results on unique ratings are the ones to rely on; those "
            "with copies, labelled as the paper's way, take one judgement for several.",
            f"{self.n_rows} 行中有 {self.n_copies} 行是副本：同一评分者对同一“{response}”的评分重复列于另一“{by}”之下。"
            f"去重后共有 {kept} 个评分。应以去重评分的结果为准；标为论文做法的含副本结果把一次判断当作多次。",
        )


def unique_ratings(ratings: Ratings) -> Unique | None:
    """Return the ratings without copies; nothing where no response column is named."""
    response = ratings.columns.response
    if response is None:
        return None
    item, rater = ratings.item_and_rater
    if item is None or rater is None or len(ratings.columns.pair) != len({item, rater}):
        raise UserError(
            "Copies of a rating are found by item, rater and response, and --pair does not name one item and one "
            "rater column.",
            remedy="Add for example: --pair item,rater",
        )
    key = (item, rater, response)
    named = ratings.frame.filter(pl.col(response).is_not_null())
    _check_alike(named, key, ratings)
    # Under names of our own, so that no column of the file can clash with a share.
    names = {item: "item", rater: "rater", response: "response", ratings.columns.by: "system"}
    frames, shared = {}, {}
    for measure in ratings.columns.measures:
        merged = ratings_without_copies(named.select(*names, measure).rename({**names, measure: "rating"}))
        indicators = with_system_indicators(merged)
        kept = indicators.select(
            "item", "rater", "response", "rating", *(f"{SHARE}{level}" for level in ratings.levels)
        )
        frames[measure] = kept.rename({"item": item, "rater": rater, "response": response, "rating": measure})
        shared[measure] = merged
    if ratings.columns.split:
        split = named.group_by(key).agg(pl.col(ratings.columns.split).first())
        frames = {name: frame.join(split, on=key, how="left") for name, frame in frames.items()}
    first = shared[ratings.columns.measures[0]]
    return Unique(frames, shared, key, first.n_copies, first.ratings.height + first.n_copies)


def _check_alike(frame: pl.DataFrame, key: Sequence[str], ratings: Ratings) -> None:
    """Refuse copies that differ: then they are two ratings, and the response column does not say what was judged."""
    for measure in ratings.columns.measures:
        apart = frame.filter(pl.col(measure).n_unique().over(key) > 1)
        if apart.height:
            first = apart.row(0, named=True)
            same = apart.filter(pl.all_horizontal(pl.col(name) == first[name] for name in key))
            what = ", ".join(f"{name} '{first[name]}'" for name in key)
            raise UserError(
                f"{what} has different ratings '{measure}' in rows {', '.join(map(str, same[ROW].to_list()))}: "
                "copies of one rating are equal.",
                valid="One rating for each item, rater and response.",
                remedy="Leave --response away if every system's response was judged on its own.",
            )


def suspicion(ratings: Ratings) -> Bilingual | None:
    """Return a warning where two levels have the same ratings of an item from all its raters, on all measures.

    Two raters or more who agree on everything by chance are rare; many such items point to copies.
    """
    if ratings.columns.response is not None or len(ratings.columns.pair) < _FEW_RATERS:
        return None
    pair = list(ratings.columns.pair)
    item = ratings.columns.item or pair[0]
    measures = list(ratings.columns.measures)
    worst: tuple[float, str, str, int, int] | None = None
    for first, second in combinations(ratings.levels, 2):
        sides = [ratings.frame.filter(pl.col(ratings.columns.by) == level) for level in (first, second)]
        joined = (
            sides[0]
            .select(*dict.fromkeys((item, *pair)), *measures)
            .join(sides[1].select(*pair, *(pl.col(name).alias(f"\0{name}") for name in measures)), on=pair)
        )
        same = pl.all_horizontal(pl.col(name).eq_missing(pl.col(f"\0{name}")) for name in measures)
        items = joined.group_by(item).agg(same.all().alias("same"), pl.len().alias("raters"))
        judged = items.filter(pl.col("raters") >= _FEW_RATERS)
        equal = int(judged["same"].sum())
        if judged.height and (worst is None or equal / judged.height > worst[0]):
            worst = (equal / judged.height, first, second, equal, judged.height)
    if worst is None or worst[0] < _SUSPECT:
        return None
    _, first, second, equal, count = worst
    return Bilingual(
        f"Warning: on {equal} of {count} levels of '{item}', every rater gave {first} and {second} exactly the same "
        "ratings. If these are copies of one rating of a shared response, they are one observation: name the column "
        "that holds the response with --response.",
        f"警告：在“{item}”的 {count} 个取值中，有 {equal} 个上所有评分者给 {first} 与 {second} 的评分完全相同。"
        "若这些是对同一回答的一次评分的副本，则只算一个观测：请用 --response 指明回答所在的列。",
    )


# --- tests of two levels ----------------------------------------------------------------------------------------------


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

_MANY = 50

BESIDE = "other unit"
"""The part that compares the means of raters where those of items lead."""


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
    """Give the parts that compare two levels at a time, the main test first.

    Ratings that cannot be paired are compared by the means of items, and beside them of raters, where these are known.
    """
    units = list(units_of(ratings))
    leading = None if ratings.is_paired or not units else units.pop(0)
    compared = unit_means(ratings, leading) if leading else ratings
    caution = independence(compared, pairs=compared.is_paired)
    parts = []
    for number, test in enumerate(_tests_of(compared)):
        part = part_of(test, compared, questions, corrected=True, copies=number == 0)
        if leading:
            part = _on_means(part, leading)
        elif test is not SIGNED_RANKS:
            part = replace(part, explanation=_joined(part.explanation, caution))
        elif caution.en:  # its explanation says of every file that pairs are taken for independent
            believed = Bilingual(" The clustered test is the one to believe.", "应以聚类检验为准。")
            part = replace(part, explanation=_joined(part.explanation, believed))
        parts.append(part)
    if leading:
        parts[0] = _with_floor(parts[0], leading, _least_p(compared, questions), questions)
    for unit in units:
        means = unit_means(ratings, unit)
        least = _least_p(means, questions)
        beside = _on_means(part_of(_tests_of(means)[0], means, questions, corrected=True), unit)
        beside = _with_floor(beside, unit, least, questions)
        names = (leading.name if leading else " × ".join(ratings.columns.pair), unit.name)
        main = parts[0]
        # So few raters that they could show nothing cannot take anything back either.
        parts = [decided_by_both(part, beside, names) for part in parts] if least <= questions.alpha else parts
        parts.append(replace(decided_by_both(beside, main, names), name=BESIDE))
    yield from parts


def _least_p(ratings: Ratings, questions: Questions) -> float:
    """Return the smallest corrected p that any ratings of so many units could have.

    k pairs change sides in 2ᵏ ways, and m of n units are chosen in n! / (m! (n − m)!) ways; one is the most extreme, or
    one on each side.
    """
    ways = [1]
    for asked in comparisons_of(ratings, questions):
        first, second = next(iter(samples(ratings, asked).values()))
        # More than these have more ways than any p could tell.
        if ratings.is_paired:
            ways.append(2 ** min(_MANY, int((~np.isnan(first - second)).sum())))
        else:
            counts = min(_MANY, len(first)), min(_MANY, len(second))
            ways.append(comb(sum(counts), counts[0]))
    least = (2 if questions.alternative == "two-sided" else 1) / max(ways)
    size = len(comparisons_of(ratings, questions)) // len(ratings.columns.measures)
    return min(1.0, least * (size if questions.family in ("holm", "bonferroni") else 1))


def _with_floor(part: Part, unit: Unit, least: float, questions: Questions) -> Part:
    """Say of a part that it could find nothing, where units are so few."""
    if least <= questions.alpha:
        return part
    name, floor = unit.name, write_p(least)
    few = Bilingual(
        f"With so few '{name}' ({unit.count}) p by {unit.what.en}, corrected, cannot fall below {floor}, whatever the "
        f"ratings: that it finds nothing is no evidence, and nothing can be said of another '{name}'.",
        f"“{name}”太少（{unit.count} 个），无论评分如何，按{unit.what.zh}检验校正后的 p 值都不会低于 {floor}："
        f"未发现差异并不构成证据，也不能推及其他“{name}”。",
    )
    return replace(part, sentences=(*part.sentences, few), warnings=(*part.warnings, few))


def decided_by_both(part: Part, other: Part, names: tuple[str, str]) -> Part:
    """Let the sentences of a part decide by the larger p of two units.

    A difference between the means of items that the means of raters do not show may not hold for other raters, and the
    other way round. A test without a p stays as it is, and so does one beside which there is none.
    """
    beside = {tuple(by.items()): _decisive(result) for by, result in other.results if isinstance(result, TestResult)}
    results: list[tuple[Mapping[str, str], Result]] = []
    for by, result in part.results:
        p = beside.get(tuple(by.items()))
        own = _decisive(result) if isinstance(result, TestResult) else None
        if isinstance(result, TestResult) and p is not None and own is not None and isfinite(p) and isfinite(own):
            before = result.correction or Bilingual("", "")
            how = Bilingual(
                f"{before.en}{', ' if before.en else ''}the larger p by '{names[0]}' and by '{names[1]}'",
                f"{before.zh}{'，' if before.zh else ''}取按“{names[0]}”与按“{names[1]}”的较大 p 值",
            )
            result = replace(result, adjusted_p=max(p, own), correction=how)
        results.append((by, result))
    return replace(part, results=tuple(results))


def _decisive(result: TestResult) -> float | None:
    return result.p if result.adjusted_p is None else result.adjusted_p


def _tests_of(ratings: Ratings) -> tuple[Test, ...]:
    return (SIGNED_RANKS, SIGN, BRUNNER_MUNZEL) if ratings.is_paired else (MANN_WHITNEY, BRUNNER_MUNZEL)


def _on_means(part: Part, unit: Unit) -> Part:
    """Say of a test that its observations are means."""
    name, test = unit.name, _SHORT_NAMES.get(part.name, part.title)
    return replace(
        part,
        title=Bilingual(f"{part.title.en}, on the means of '{name}'", f"{part.title.zh}（以“{name}”的均值为单位）"),
        explanation=_joined(
            Bilingual(
                f"One observation is the mean of all ratings of one '{name}' under one level: where a text below says "
                f"ratings, it is these means. ",
                f"一个观测是一个“{name}”在一个水平下全部评分的均值：下文所说的评分均指这些均值。",
            ),
            part.explanation,
        ),
        short=Bilingual(f"{test.en}\nby {unit.what.en}", f"{test.zh}\n按{unit.what.zh}"),
    )


_SHORT_NAMES = {
    SIGNED_RANKS.name: Bilingual("Wilcoxon", "Wilcoxon"),
    MANN_WHITNEY.name: Bilingual("Mann–Whitney", "Mann–Whitney"),
}


def _joined(first: Bilingual, second: Bilingual) -> Bilingual:
    return Bilingual(first.en + second.en, first.zh + second.zh)


def part_of(test: Test, ratings: Ratings, questions: Questions, *, corrected: bool, copies: bool = True) -> Part:
    """Run one test on all comparisons; `corrected` makes them a family for each measure, by which sentences decide.

    Where responses are known, the pairs of ratings of two different responses are tested; with `copies` the corrected
    test also has all pairs, copies included, beside them, as a family of their own.
    """
    results: list[tuple[Mapping[str, str], Comparison, TestResult]] = []
    refused: list[Bilingual] = []
    by_kind: dict[str, dict[Comparison, TestResult | None]] = {}
    for asked in comparisons_of(ratings, questions):
        for kind, pair in samples(ratings, asked).items():
            if kind == COPIED and not (corrected and copies):
                continue
            cell = {**asked.place(ratings), **({RATINGS: kind} if kind else {})}
            result = attempt(test.function, test.conventions, *pair, **settings_of(asked, questions))
            if not isinstance(result, TestResult):
                result = _nothing_paired(ratings, asked, *pair) or result
            by_kind.setdefault(kind, {})[asked] = result if isinstance(result, TestResult) else None
            if isinstance(result, TestResult):
                results.append((cell, asked, result))
            else:
                refused.append(_refusal(cell, result))
    family_kind = UNIQUE if ratings.columns.response else ""
    kept = _Families((), {}, [], {})
    adjusted: dict[tuple[str, Comparison], TestResult] = {}
    for kind, tests in by_kind.items() if corrected else ():
        families = _families(tests, ratings, questions, {RATINGS: kind} if kind else {})
        adjusted |= {(kind, asked): result for asked, result in families.adjusted.items()}
        kept = families if kind == family_kind else kept
    return Part(
        test.name,
        test.title,
        test.explanation,
        results=tuple((cell, adjusted.get((cell.get(RATINGS, ""), asked), result)) for cell, asked, result in results),
        estimates=kept.estimates,
        sentences=(*kept.told, *refused),
        statistics=kept.labels,
        levels=TITLES,
        warnings=tuple(refused),
    )


def _nothing_paired(ratings: Ratings, asked: Comparison, first: Floats, second: Floats) -> Bilingual | None:
    """Say why two levels have no pairs, though others have, and what to do."""
    if not ratings.is_paired or ratings.columns.response or not np.isnan(first - second).all():
        return None
    pair, levels = " × ".join(ratings.columns.pair), ",".join(asked.levels)
    return Bilingual(
        f"no test (no {pair} has ratings of both; --levels {levels} compares the two alone, by the means of items "
        "and raters)",
        f"无法检验（没有任何 {pair} 同时有两者的评分；可用 --levels {levels} 单独比较二者，"
        "以条目与评分者的均值为单位）",
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


@dataclass(frozen=True, slots=True)
class _Families:
    """The tests of each measure after correction: further numbers, their titles, sentences, tests with both p."""

    estimates: tuple[Estimate, ...]
    labels: dict[str, Any]
    told: list[Bilingual]
    adjusted: dict[Comparison, TestResult]


def _families(
    found: Mapping[Comparison, TestResult | None],
    ratings: Ratings,
    questions: Questions,
    kind: Mapping[str, str],
) -> _Families:
    """Correct the tests of each measure as one family; a test that could not be run counts.

    `kind` is what the places of these tests hold besides measure and comparison.
    """
    extra: list[Estimate] = []
    labels: dict[str, Any] = {}
    sentences: list[Bilingual] = []
    adjusted: dict[Comparison, TestResult] = {}
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
        sentences.append(
            Bilingual(f"All comparisons on {measure}: {sentence.en}", f"“{measure}”的全部比较：{sentence.zh}")
        )
        for member in corrected.members:
            asked, result = own[member.label]
            if result is not None:
                adjusted[asked] = _within(result, member, corrected)
    return _Families(tuple(extra), labels, sentences, adjusted)


def _within(result: TestResult, member: Member, corrected: FamilyResult) -> TestResult:
    """Return a test with the p that it has within its family; a family of one corrects nothing."""
    if corrected.size == 1 or corrected.family.method == "none":
        return result
    name = CORRECTIONS[corrected.family.method]
    how = Bilingual(f"{name.en}, {corrected.size} tests", f"{name.zh}（{corrected.size} 项检验）")
    return replace(result, adjusted_p=member.adjusted, correction=how)


def clustered_part(ratings: Ratings, questions: Questions, unique: Unique | None) -> Part:
    """Compare the levels with whole items and whole raters for units; copies count once where responses are known."""
    outcomes = {
        asked: clustered_test(ratings, asked, questions, unique) for asked in comparisons_of(ratings, questions)
    }
    tested = {asked: result for asked, result in outcomes.items() if isinstance(result, TestResult)}
    refused = [
        _refusal(asked.place(ratings), why) for asked, why in outcomes.items() if not isinstance(why, TestResult)
    ]
    families = _families({asked: tested.get(asked) for asked in outcomes}, ratings, questions, {})
    few = too_few_clusters(ratings, questions)
    clusters = ratings.paired_clusters or ratings.columns.pair
    unit = " and ".join(clusters)
    chinese = "与".join(f"“{name}”" for name in clusters)
    once = Bilingual(" Copies of one rating count once.", "同一评分的副本只计一次。") if unique else Bilingual("", "")
    return Part(
        "clustered",
        Bilingual(f"Clustered by {unit}", f"按{chinese}聚类"),
        Bilingual(
            f"Ratings of one {clusters[0]} resemble each other, and more of them are not more evidence. "
            f"Here whole clusters ({unit}) are drawn or change sides. Differences are in points of the scale.{once.en}",
            f"同一“{clusters[0]}”的评分彼此相似，数量多并不等于证据多。"
            f"这里以整个聚类（{chinese}）为单位重抽样或互换。差值以量表分计。{once.zh}",
        ),
        results=tuple((asked.place(ratings), families.adjusted[asked]) for asked in tested),
        estimates=families.estimates,
        sentences=(*families.told, *([few] if few else []), *refused),
        statistics={
            "system-difference": StatisticLabel(Bilingual("Difference", "差值"), "number", 2),
            **families.labels,
        },
        warnings=tuple(refused),
    )


def too_few_clusters(ratings: Ratings, questions: Questions) -> Bilingual | None:
    """Return the warning where clusters are so few that no ratings whatever would be significant.

    k clusters change sides in 2ᵏ ways, of which two are as extreme as it gets, one on each side.
    """
    item, rater = _paired_roles(ratings)
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

    Without `sensitivity` no other convention is tested, which saves half of the time.
    """
    if unique:
        return _difference(asked, questions, unique, sensitivity)
    return _permuted(ratings, asked, questions, sensitivity)


def _permuted(ratings: Ratings, asked: Comparison, questions: Questions, sensitivity: bool) -> TestResult | Bilingual:
    item, rater = _paired_roles(ratings)
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


def _paired_roles(ratings: Ratings) -> tuple[str | None, str | None]:
    """Return the columns of items and raters, as far as pairs lie within them."""
    item, rater = (name if name in ratings.paired_clusters else None for name in ratings.item_and_rater)
    return item, rater


def _difference(asked: Comparison, questions: Questions, unique: Unique, sensitivity: bool) -> TestResult | Bilingual:
    settings = settings_of(asked, questions)
    del settings["names"]
    return attempt(
        system_difference,
        DIFFERENCE_CONVENTIONS[1:] if sensitivity else (),
        unique.shared[asked.measure],
        asked.first,
        asked.second,
        seed=questions.seed,
        **settings,
    )


def placed_pairs(ratings: Ratings, asked: Comparison) -> pl.DataFrame:
    """Return the pairs with the columns that say whose they are, in an order of their own; a missing half is null."""
    by, pair, response = ratings.columns.by, list(ratings.columns.pair), ratings.columns.response
    response_text = pl.col(response) if response else pl.lit("")
    sides = [
        ratings.frame.filter(pl.col(by) == level).select(
            *pair, pl.col(asked.measure).alias(name), response_text.alias(f"{name} response")
        )
        for level, name in ((asked.first, _FIRST), (asked.second, _SECOND))
    ]
    both = sides[0].join(sides[1], on=pair, how="full", coalesce=True)
    # An item that is a combination of columns has one of its own.
    apart = [name for name in ratings.paired_clusters if name not in pair]
    both = both.join(ratings.frame.select(*pair, *apart).unique(pair), on=pair, how="left") if apart else both
    different = pl.col(f"{_FIRST} response").ne_missing(pl.col(f"{_SECOND} response"))
    return both.with_columns(different.alias(_DIFFERENT)).sort(pair)


def family_note(questions: Questions, ratings: Ratings) -> Bilingual:
    """Say what the family of tests is."""
    size = len(comparisons_of(ratings, questions)) // len(ratings.columns.measures)
    name = CORRECTIONS[questions.family]
    if size == 1:
        return Bilingual("One comparison a measure: p is not corrected.", "每个测量只有一项比较：p 值不作校正。")
    also = Bilingual(", by the clustered test", "、聚类检验") if ratings.is_paired else Bilingual("", "")
    return Bilingual(
        f"The family: the {size} comparisons of one measure by one test ({name.en}), on its own by the main test"
        f"{also.en} and by each test beside it. Sentences decide by the corrected p. Splits are shown with their own "
        "p.",
        f"检验族：同一测量上由同一检验所做的 {size} 项比较（{name.zh}），主检验{also.zh}及各对照检验各成一族。"
        "语句按校正后的 p 值下结论。分组检验列出各自的 p 值。",
    )
