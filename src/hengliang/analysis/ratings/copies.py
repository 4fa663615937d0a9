"""Which ratings are copies of one rating, and what is left without the copies?

Where several systems gave the same response, people judged it once, and the file holds that one rating under each of
the systems. Counting it several times takes one judgement for several. With a response column the copies are known;
without one they can only be suspected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import polars as pl

from hengliang.analysis import shared_ratings
from hengliang.analysis.ratings.reading import ROW
from hengliang.analysis.ratings.table import Ratings
from hengliang.analysis.shared_ratings import SharedRatings
from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual

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
    """The ratings without copies: for each measure a table with a row a rating and the share of each level in it.

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
        found = shared_ratings.unique_ratings(named.select(*names, measure).rename({**names, measure: "rating"}))
        given = shared_ratings.with_system_indicators(found)
        kept = given.select("item", "rater", "response", "rating", *(f"{SHARE}{level}" for level in ratings.levels))
        frames[measure] = kept.rename({"item": item, "rater": rater, "response": response, "rating": measure})
        shared[measure] = found
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
