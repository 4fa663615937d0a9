"""Split of the ratings in two: median test, χ² at every cut-off and Mann–Whitney, as for answers that match or do not.

The battery of a split of the ratings in two: Mood's median test, χ² at every cut-off of the scale, and the Mann–Whitney
test, each on the unique ratings where copies are known, with the copies beside it. As in the paper, the copies are
those of the systems that are compared with the corpus: the corpus's own answers define the split and are left out. All
these take ratings for independent. Beside them the means of items are split, and those of raters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import polars as pl

from hengliang.analyses.ratings.comparisons import (
    BESIDE,
    COPIED,
    MAIN,
    RATINGS,
    TITLES,
    UNIQUE,
    Unique,
    attempt,
    comparison_parts,
)
from hengliang.analyses.ratings.design import independence, units_of
from hengliang.analyses.ratings.parts import ADJUSTED, MEASURE, Part, Questions
from hengliang.analyses.ratings.reading import EXPERIMENT, ROW
from hengliang.analyses.ratings.table import Ratings
from hengliang.core.base_classes import StatisticLabel
from hengliang.core.errors import UserError
from hengliang.core.records import CORPUS
from hengliang.core.terms import Bilingual, both
from hengliang.statistics.contingency.cutoffs import CutoffScan, scan_cutoffs
from hengliang.statistics.ranks import mann_whitney, median
from hengliang.statistics.results import Result, TestResult

CUTOFF = "cutoff"
MEANS = "split means"
"""The part that splits means of items, not ratings."""
LARGEST = "largest"


def split_levels(ratings: Ratings) -> tuple[str, str]:
    """Return the two levels of the split; more or fewer are refused."""
    name = ratings.columns.split or ""
    placed = ratings.frame.filter(pl.col(name).is_not_null())
    levels = placed[name].unique(maintain_order=True).to_list()
    if len(levels) != 2:
        shown = ", ".join(f"'{level}'" for level in levels[:5]) or "none"
        first = placed.filter(pl.col(name) == levels[2])[ROW][0] if len(levels) > 2 else None
        raise UserError(
            f"The column '{name}' has {len(levels)} levels: {shown}"
            + (f" ('{levels[2]}' first in row {first})." if first is not None else "."),
            valid="A split has two levels; rows with an empty cell are left out.",
            remedy="Export the answers and compare more levels there: hengliang survey export"
            if ratings.file.form == EXPERIMENT
            else f"Compare more levels with --by {name}.",
        )
    return levels[0], levels[1]


def split_parts(ratings: Ratings, questions: Questions, unique: Unique | None) -> Iterator[Part]:
    """Give the tests of the split."""
    names = split_levels(ratings)
    samples = list(_samples(ratings, unique, names))
    settings = {"names": names, "alpha": questions.alpha, "level": questions.level}
    column = ratings.columns.split or ""
    caution, counted = independence(ratings, pairs=False), _copied_note(ratings)
    caution = Bilingual(caution.en + counted.en, caution.zh + counted.zh)
    yield _part(
        "split median",
        Bilingual(f"Split by {column}: Mood's median test", f"按“{column}”分组：Mood 中位数检验"),
        Bilingual(
            f"How many ratings of each group lie above the median of all.{caution.en}",
            f"各组评分中高于总中位数的有多少。{caution.zh}",
        ),
        [(cell, attempt(median.median_test, median.CONVENTIONS, *pair, **settings)) for cell, pair in samples],
    )
    if ratings.scale.steps:
        yield from _cutoff_parts(column, caution, _scans(ratings, questions, names, samples))
    yield _part(
        "split mann-whitney",
        Bilingual(f"Split by {column}: the Mann–Whitney U test", f"按“{column}”分组：Mann–Whitney U 检验"),
        Bilingual(f"The ratings of both groups are ranked together.{caution.en}", f"将两组评分合并排秩。{caution.zh}"),
        [
            (
                cell,
                attempt(
                    mann_whitney.mann_whitney_test,
                    mann_whitney.CONVENTIONS,
                    *pair,
                    alternative=questions.alternative,
                    **settings,
                ),
            )
            for cell, pair in samples
        ],
    )
    yield from _means_parts(ratings, questions, unique, names)


def _means_parts(
    ratings: Ratings, questions: Questions, unique: Unique | None, names: tuple[str, str]
) -> Iterator[Part]:
    """Give the split of the means of items, and beside them of raters: the tests that take no rating for independent.

    Copies count once. The two must agree, as in comparisons of levels that cannot be paired.
    """
    column = ratings.columns.split or ""
    by_name: dict[str, list[Part]] = {}
    for measure in ratings.columns.measures:
        rated = unique.of(measure) if unique else ratings.frame.drop(ROW)
        own = replace(
            ratings,
            columns=replace(ratings.columns, measures=(measure,), by=column, pair=(), split=None, response=None),
            frame=rated.filter(pl.col(column).is_in(names)).with_row_index(ROW),
            levels=names,
        )
        if units_of(own):
            for part in comparison_parts(own, replace(questions, reference=None)):
                if part.name in (*MAIN, BESIDE):
                    name = MEANS if part.name in MAIN else f"{MEANS}, {BESIDE}"
                    placed = tuple(({MEASURE: measure}, result) for _, result in part.results)
                    by_name.setdefault(name, []).append(replace(part, name=name, results=placed))
    for parts in by_name.values():
        first = parts[0]
        title = Bilingual(f"Split by {column}: {first.title.en}", f"按“{column}”分组：{first.title.zh}")
        yield replace(
            first,
            title=title,
            results=tuple(placed for part in parts for placed in part.results),
            estimates=(),
            sentences=tuple(why for part in parts for why in part.warnings),
            statistics={},
        )


Pair = tuple[list[float], list[float]]


def _samples(ratings: Ratings, unique: Unique | None, names: tuple[str, str]) -> Iterator[tuple[dict[str, str], Pair]]:
    column = ratings.columns.split or ""
    for measure in ratings.columns.measures:
        copied = ratings.frame.filter(pl.col(ratings.columns.by).is_in(_copied_levels(ratings)))
        frames = {UNIQUE: unique.of(measure), COPIED: copied} if unique else {"": ratings.frame}
        for kind, frame in frames.items():
            cell = {MEASURE: measure, **({RATINGS: kind} if kind else {})}
            first, second = (frame.filter(pl.col(column) == name)[measure].drop_nulls().to_list() for name in names)
            yield cell, (first, second)


def _copied_levels(ratings: Ratings) -> list[str]:
    """Return the levels whose ratings the paper splits: all but the corpus, where its answers are all of one kind."""
    by, column = ratings.columns.by, ratings.columns.split or ""
    kinds = ratings.frame.filter(pl.col(by) == CORPUS)[column].drop_nulls().n_unique()
    return [level for level in ratings.levels if level != CORPUS or kinds != 1]


def _copied_note(ratings: Ratings) -> Bilingual:
    """Say whose ratings the paper's way counts, where that is not every level's."""
    levels = _copied_levels(ratings)
    if ratings.columns.response is None or len(levels) == len(ratings.levels):
        return Bilingual("", "")
    return Bilingual(
        f" The paper's way counts the ratings of {', '.join(levels)}; those of {CORPUS}, whose answers define the "
        "split, are not among them.",
        f"论文的做法只计 {'、'.join(levels)} 的评分；{CORPUS} 的回答界定了分组，其评分不计在内。",
    )


def _part(
    name: str,
    title: Bilingual,
    explanation: Bilingual,
    found: list[tuple[dict[str, str], TestResult | Bilingual]],
) -> Part:
    results: list[tuple[Mapping[str, str], Result]] = [(at, test) for at, test in found if isinstance(test, TestResult)]
    refused = [test for _, test in found if isinstance(test, Bilingual)]
    return Part(name, title, explanation, results=tuple(results), sentences=tuple(refused), levels=TITLES)


def _scans(
    ratings: Ratings, questions: Questions, names: tuple[str, str], held: list[tuple[dict[str, str], Pair]]
) -> list[tuple[dict[str, str], CutoffScan]]:
    settings = {"alpha": questions.alpha, "level": questions.level, "seed": questions.seed}
    scale = [float(step) for step in ratings.scale.steps]
    return [
        (cell, scan_cutoffs(*pair, scale=scale, names=names, family_method=questions.family, **settings))
        for cell, pair in held
        if all(pair)
    ]


def _cutoff_parts(column: str, caution: Bilingual, scans: list[tuple[dict[str, str], CutoffScan]]) -> Iterator[Part]:
    """Give the tests at the single cut-offs, and the one test of the largest difference."""
    estimates = [
        replace(estimate, p=None) if estimate.statistic == ADJUSTED else estimate
        for cell, scan in scans
        for estimate in scan.estimates("", cell)
        if estimate.by[CUTOFF] != LARGEST
    ]
    yield Part(
        "split cut-offs",
        Bilingual(f"Split by {column}: χ² at every cut-off", f"按“{column}”分组：各分界点的卡方检验"),
        Bilingual(
            f"At each cut-off the ratings up to it are held against those above.{caution.en}",
            f"在每个分界点，比较不高于与高于该点的评分。{caution.zh}",
        ),
        estimates=tuple(estimates),
        sentences=tuple(_said(cell, sentence) for cell, scan in scans for sentence in scan.sentences()),
        statistics={
            "chi-squared": StatisticLabel(Bilingual("χ²", "χ²"), "number", 2),
            "phi": StatisticLabel(Bilingual("φ", "φ"), "number", 2),
            ADJUSTED: StatisticLabel(Bilingual("p, corrected", "校正后 p"), "p"),
        },
        levels=TITLES,
    )
    yield Part(
        "split largest cut-off",
        Bilingual(f"Split by {column}: the largest χ²", f"按“{column}”分组：最大的 χ²"),
        Bilingual(
            "The tests at the cut-offs share their ratings; the honest single answer is the largest of them, held "
            f"against what it is when ratings are dealt to the groups at random.{caution.en}",
            "各分界点的检验共用同一批评分；较稳妥的单一结论是其中最大者，并与评分随机分组时的最大值相比较。"
            f"{caution.zh}",
        ),
        results=tuple((cell, scan.largest) for cell, scan in scans),
        sentences=tuple(_said(cell, scan.sentence()) for cell, scan in scans),
        levels=TITLES,
    )


def _said(place: Mapping[str, str], sentence: Bilingual) -> Bilingual:
    levels = [TITLES.get(level, both(level)) for level in place.values()]
    english, chinese = ", ".join(level.en for level in levels), "，".join(level.zh for level in levels)
    return Bilingual(f"{english}: {sentence.en}", f"{chinese}：{sentence.zh}")
