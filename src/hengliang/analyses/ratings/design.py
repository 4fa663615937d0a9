"""Experimental design of ratings: paired or unpaired, crossed or nested, and the units that are independent.

Forty ratings of one sentence are not forty observations. Where the same item and rater were rated under two levels, the
levels are compared pair by pair, and the clustered test beside it respects both. Otherwise the unit is the item, and
beside it the rater: its ratings under a level become one mean. Units that stand under one level only (nested: every
sentence has one source language) are compared between levels, units that stand under several (crossed) within.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from hengliang.analyses.ratings.reading import ROW
from hengliang.analyses.ratings.roles import ITEM, RATER, Roles, repeated_columns
from hengliang.analyses.ratings.table import Ratings
from hengliang.core.terms import Bilingual

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Unit:
    """What is one observation: the mean of all ratings that one `name` has under a level.

    `count` are there; `crossed` of them stand under two levels or more. Where those are fewer than half (numbers that
    were used twice, say), units are compared between levels all the same.
    """

    name: str
    what: Bilingual
    count: int
    crossed: int

    @property
    def is_nested(self) -> bool:
        """Whether each, or most of them, stands under one level only."""
        return 2 * self.crossed < self.count


def units_of(ratings: Ratings) -> tuple[Unit, ...]:
    """Return what must be averaged before levels are compared: items and raters that have several ratings.

    None where ratings are paired by all that is known, where a response is known (`comparisons.py` counts the copies
    itself), and where nothing is known.
    """
    if ratings.columns.response is not None:
        return ()
    units = []
    item, rater = ratings.item_and_rater
    for name, what in ((item, ITEM), (rater, RATER)):
        if name is None or name in ratings.paired_clusters:
            continue
        levels = levels_within(ratings, name)
        if len(levels) < ratings.frame.height:
            units.append(Unit(name, what, len(levels), int((levels > 1).sum())))
    return tuple(units)


def levels_within(ratings: Ratings, name: str) -> pl.Series:
    """Return under how many levels each item, or each rater, has ratings."""
    return ratings.frame.group_by(name).agg(pl.col(ratings.columns.by).n_unique().alias("levels"))["levels"]


def unit_means(ratings: Ratings, unit: Unit) -> Ratings:
    """Return the mean of each unit under each level in the place of its ratings; crossed units are pairs."""
    by = ratings.columns.by
    means = (
        ratings.frame.group_by(unit.name, by)
        .agg(pl.col(ROW).min(), *(pl.col(name).mean() for name in ratings.columns.measures))
        .sort(ROW)
    )
    pair = () if unit.is_nested else (unit.name,)
    roles = [role for role in (ratings.roles.item, ratings.roles.rater) if role is not None]
    role = next(role for role in roles if role.name == unit.name)
    # One column now, whatever it was made of.
    alone = replace(role, columns=(unit.name,))
    columns = replace(ratings.columns, pair=pair, split=None, item=unit.name, rater=None)
    return replace(
        ratings,
        columns=columns,
        frame=means.select(ROW, *ratings.columns.measures, by, unit.name),
        roles=Roles(item=alone),
        asked_pair=pair,
    )


def design_note(ratings: Ratings) -> Bilingual | None:
    """Say what the design is and what follows from it, where that is not a comparison pair by pair."""
    units = units_of(ratings)
    if units:
        return _averaged(ratings, units)
    return None if ratings.clusters else _unknown(ratings)


def _averaged(ratings: Ratings, units: tuple[Unit, ...]) -> Bilingual:
    by, rows = ratings.columns.by, ratings.frame.height
    english = [f"Design: {rows:,} ratings are not {rows:,} independent observations."]
    chinese = [f"设计：{rows:,} 个评分并非 {rows:,} 个相互独立的观测。"]
    if ratings.asked_pair and not ratings.is_paired:
        unpaired = _unpaired(ratings)
        english.append(unpaired.en)
        chinese.append(unpaired.zh)
    elif ratings.is_paired:
        names = " × ".join(ratings.columns.pair)
        english.append(f"They are paired by {names}, and besides:")
        chinese.append(f"评分按 {names} 配对，此外：")
    for unit in units:
        if unit.is_nested and unit.crossed:
            english.append(
                f"{unit.crossed:,} of {unit.count:,} '{unit.name}' stand under two levels of '{by}' or more, too few "
                f"to be compared within: levels are compared between the means of '{unit.name}'."
            )
            chinese.append(
                f"{unit.count:,} 个“{unit.name}”中只有 {unit.crossed:,} 个出现在“{by}”的两个或更多水平之下，"
                f"不足以作组内比较：以各“{unit.name}”的均值比较各水平。"
            )
        elif unit.is_nested:
            english.append(
                f"Every '{unit.name}' ({unit.count:,}) stands under one '{by}' only (nested): levels are compared "
                f"between the means of '{unit.name}'."
            )
            chinese.append(
                f"每个“{unit.name}”（共 {unit.count:,} 个）只出现在一个“{by}”之下（嵌套）："
                f"以各“{unit.name}”的均值比较各水平。"
            )
        else:
            english.append(
                f"{unit.crossed:,} of {unit.count:,} '{unit.name}' stand under two levels of '{by}' or more (crossed): "
                f"levels are compared within '{unit.name}', on its means."
            )
            chinese.append(
                f"{unit.count:,} 个“{unit.name}”中有 {unit.crossed:,} 个出现在“{by}”的两个或更多水平之下（交叉）："
                f"在各“{unit.name}”内以其均值比较各水平。"
            )
    return Bilingual(" ".join(english), "".join(chinese))


def _unpaired(ratings: Ratings) -> Bilingual:
    """Say why what was to pair ratings does not."""
    by, names = ratings.columns.by, " × ".join(ratings.asked_pair)
    levels = ratings.frame.group_by(ratings.asked_pair).agg(pl.col(by).n_unique().alias("levels"))["levels"]
    if not (levels > 1).any():
        return Bilingual(
            f"No {names} has ratings under two levels of '{by}', so that --pair pairs nothing.",
            f"没有任何 {names} 在“{by}”的两个水平下都有评分，因此 --pair 无法配对。",
        )
    few = f"{(levels > 1).sum():,}"
    return Bilingual(
        f"{few} of {len(levels):,} {names} have ratings under two levels of '{by}' or more, fewer than "
        "half: a comparison of these pairs alone would leave out most ratings, so that --pair is left aside.",
        f"{len(levels):,} 个 {names} 中只有 {few} 个在“{by}”的两个或更多水平下都有评分，不足一半："
        "只比较这些配对会略去大部分评分，因此不采用 --pair。",
    )


def _unknown(ratings: Ratings) -> Bilingual:
    """Say that ratings are taken for independent, and name the columns that make one doubt it."""
    taken = [ROW, *ratings.columns.measures, *ratings.columns.factors]
    doubtful = repeated_columns(ratings.file.frame, taken)
    english = (
        "No column is known that names items or raters of several ratings: every rating is taken for an independent "
        "observation. Where an item or a rater has several, p is too small: name the columns with --item and --rater."
    )
    chinese = (
        "不知道哪一列是有多个评分的条目或评分者：每个评分都按独立观测处理。"
        "若同一条目或同一评分者有多个评分，p 值会偏小：请用 --item 和 --rater 指明。"
    )
    if not doubtful:
        return Bilingual(english, chinese)
    counts = [f"'{name}' ({ratings.file.frame[name].n_unique():,})" for name in doubtful[:_SHOWN]]
    rows = f"{ratings.frame.height:,}"
    return Bilingual(
        f"Warning: {english} Values repeat in {', '.join(counts)} of {rows} rows.",
        f"警告：{chinese}在 {rows} 行中，取值重复的列有：{'、'.join(counts)}。",
    )


def independence(ratings: Ratings, *, pairs: bool) -> Bilingual:
    """Return the caution for tests that take pairs, or all ratings, for independent though items or raters repeat.

    Empty where they do not, and where nothing is known of them: that is said by the note on the design.
    """
    count = ratings.frame.select(ratings.columns.pair).n_unique() if pairs else ratings.frame.height
    names = [name for name in ratings.clusters if ratings.frame[name].n_unique() < count]
    if not names:
        return Bilingual("", "")
    english, chinese = " or ".join(f"'{name}'" for name in names), "或".join(f"“{name}”" for name in names)
    what = Bilingual("Pairs", "配对") if pairs else Bilingual("Ratings", "评分")
    better = (
        Bilingual("; the clustered test is the one to believe", "，应以聚类检验为准") if pairs else Bilingual("", "")
    )
    return Bilingual(
        f" {what.en} of one {english} are taken for independent here, and p is too small where they resemble each other"
        f"{better.en}.",
        f"此处假定同一{chinese}的各{what.zh}相互独立；若其彼此相似，p 值偏小{better.zh}。",
    )
