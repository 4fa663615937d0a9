"""Is a difference held against the margin by the right interval?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from hengliang.analyses.ratings.comparisons import COPIED, RATINGS, UNIQUE, unique_ratings
from hengliang.analyses.ratings.equivalences import equivalence_part, equivalence_parts
from hengliang.analyses.ratings.parts import Questions
from tests.analyses.ratings.made_ratings import made_ratings, scores, table_of

FRAME = made_ratings(items=14, raters=6)


def test_means_agree_with_two_one_sided_t_tests(tmp_path: Path) -> None:
    part = equivalence_part(table_of(tmp_path, FRAME, levels=("CORPUS", "BERT")), Questions(margin=0.5), None)
    rows = {(row.by["test"], row.statistic): row for row in part.estimates}
    first, second = np.array(scores(FRAME, "CORPUS")), np.array(scores(FRAME, "BERT"))
    below = stats.ttest_rel(first + 0.5, second, alternative="greater").pvalue
    above = stats.ttest_rel(first - 0.5, second, alternative="less").pvalue
    assert rows["tost-paired-means", "equivalence p"].value == pytest.approx(max(below, above))
    for test in ("tost-paired-means", "interval-against-margin"):
        assert rows[test, "difference"].value == pytest.approx(np.mean(first - second))
    assert "90 %" in part.statistics["difference"].title.en


def test_a_wider_margin_is_never_harder(tmp_path: Path) -> None:
    ratings = table_of(tmp_path, FRAME, levels=("CORPUS", "BERT"))

    def p(margin: float) -> float:
        rows = equivalence_part(ratings, Questions(margin=margin), None).estimates
        return next(row.value or 0 for row in rows if row.statistic == "equivalence p")

    assert p(0.2) >= p(0.5) >= p(1.0) >= p(3.0)


def test_large_differences_are_not_equivalent(tmp_path: Path) -> None:
    far = FRAME.with_columns(
        pl.when(pl.col("system") == "RULE").then(1).otherwise(pl.col("fluency").clip(5, 7)).alias("fluency")
    )
    part = equivalence_part(table_of(tmp_path, far, levels=("CORPUS", "RULE")), Questions(margin=0.5), None)
    assert all("not equivalent" in sentence.en for sentence in part.sentences)
    assert all("不等效" in sentence.zh for sentence in part.sentences)


def test_unpaired_and_shared_ratings(tmp_path: Path) -> None:
    alone = equivalence_part(table_of(tmp_path, FRAME, pair=()), Questions(margin=0.5), None)
    assert {row.by["test"] for row in alone.estimates} == {"tost-means"}
    shared = table_of(tmp_path, made_ratings(items=14, raters=6, shared=True), response="response")
    rows = equivalence_part(shared, Questions(margin=0.5), unique_ratings(shared)).estimates
    assert {row.by[RATINGS] for row in rows} == {UNIQUE, COPIED}


def two_raters(shared: bool) -> pl.DataFrame:
    """Two raters with items of their own; by chance both rate A above B by 0.1 in the mean, items by −3 to 3."""
    rows = []
    for rater, gaps in (("p1", (-3, -2, -1, 0, 0, 0, 1, 1, 2, 3)), ("p2", (-2, -2, -1, 0, 0, 0, 0, 2, 2, 2))):
        for number, gap in enumerate(gaps):
            item = f"{rater}-{number}"
            high, low = ("A", "B") if gap >= 0 else ("B", "A")
            answers = {high: "x", low: "x" if shared and gap == 0 else "y"}
            rows += [(item, rater, high, answers[high], 4 + abs(gap)), (item, rater, low, answers[low], 4)]
    return pl.DataFrame(rows, schema=["item", "rater", "system", "response", "fluency"], orient="row")


def test_two_raters_who_happen_to_agree_are_no_equivalence(tmp_path: Path) -> None:
    # The means of the two raters are equal, 0.1, so that drawing raters gives [0.1, 0.1]. The items' standard deviation
    # is 1.62: with 20 items no interval is narrower than 0.1 ± 1.729 × 1.62/√20 = [−0.53, 0.73].
    ratings = table_of(tmp_path, two_raters(shared=True), response="response", levels=("A", "B"))
    part = equivalence_part(ratings, Questions(margin=0.5), unique_ratings(ratings))
    held = next(row for row in part.estimates if row.by[RATINGS] == UNIQUE)
    assert held.low is not None and held.high is not None
    assert held.low < -0.5 and held.high > 0.5
    assert part.sentences[0].en.startswith("Whether A and B are equivalent within the margin ±0.50 is undecided")


def test_why_there_is_no_clustered_interval_is_said(tmp_path: Path) -> None:
    one = two_raters(shared=False).filter(pl.col("rater") == "p1")
    part = equivalence_part(table_of(tmp_path, one, levels=("A", "B")), Questions(margin=0.5), None)
    assert part.sentences[0].en == "A − B: no test (All pairs belong to one rater.)"
    assert "pairs taken for independent" in part.sentences[1].en
    assert "假定各配对相互独立" in part.sentences[1].zh


def test_equivalence_for_one_rater_says_so(tmp_path: Path) -> None:
    one = two_raters(shared=True).filter(pl.col("rater") == "p1")
    ratings = table_of(tmp_path, one, response="response", levels=("A", "B"))
    part = equivalence_part(ratings, Questions(margin=3), unique_ratings(ratings))
    assert part.sentences[0].en.startswith("A and B are equivalent within the margin ±3.00 (")
    assert "for this one rater only" in part.sentences[0].en
    assert "仅针对这一名评分者" in part.sentences[0].zh


# --- items and raters that are units of their own ---------------------------------------------------------------------


def raters_between(shifts: tuple[float, ...] = (1, 1, -1, -1)) -> pl.DataFrame:
    """Return ratings of 40 items under A and B, by other raters under each; A and B have raters of the same kinds.

    The items' means differ by 0, 1, −1 and 0 in turn, whatever the raters.
    """
    rows = [
        (f"s{item}", f"{system}{rater}", system, 4 + shift + (item % 2 if system == "A" else item % 4 // 2))
        for item in range(40)
        for system in "AB"
        for rater, shift in enumerate(shifts)
    ]
    return pl.DataFrame(rows, schema=["item", "rater", "system", "fluency"], orient="row")


def test_items_alone_show_no_equivalence(tmp_path: Path) -> None:
    # By items: the variance of the differences is 0.5 × 40/39, and t(39) at .95 is 1.685, so that the interval is about
    # ±1.685 × √(0.5128/40) = ±0.19. By raters: four means on each side, two of them 1 above and two 1 below, variance
    # 4/3; t(6) at .95 is 1.943, and ±1.943 × √(2/4 × 4/3) = ±1.59: other raters may differ by more than half a point.
    ratings = table_of(tmp_path, raters_between())
    by_item, by_rater = equivalence_parts(ratings, Questions(margin=0.5), None)
    assert [row.by["test"] for row in by_item.estimates if row.statistic == "difference"] == [
        "interval-against-margin",
        "tost-paired-means",
    ]
    items = by_item.estimates[0]
    assert items.low == pytest.approx(-0.19, abs=0.03) and items.high == pytest.approx(0.19, abs=0.03)
    raters = next(row for row in by_rater.estimates if row.statistic == "difference")
    assert raters.low == pytest.approx(-1.587, abs=1e-3) and raters.high == pytest.approx(1.587, abs=1e-3)
    for part in (by_item, by_rater):
        for sentence in part.sentences:
            assert sentence.en.startswith("Whether A and B are equivalent within the margin ±0.50 is undecided (")
            assert "尚无定论" in sentence.zh
    first = by_item.sentences[0]
    assert "(Interval clustered by items: " in first.en and "（按条目聚类的区间：" in first.zh
    assert "; by 'rater': " in first.en and "[−1.59, 1.59]" in first.en and "；按“rater”：" in first.zh
    told = next(row.method for row in by_item.estimates if row.statistic == "equivalence p")
    assert told is not None and told.endswith("undecided")


def test_items_and_raters_together_show_equivalence(tmp_path: Path) -> None:
    # Within two points lie ±0.19 by items and ±1.59 by raters.
    for part in equivalence_parts(table_of(tmp_path, raters_between()), Questions(margin=2), None):
        assert all(told.en.startswith("A and B are equivalent within the margin ±2.00 (") for told in part.sentences)


def test_a_unit_without_an_interval_shows_no_equivalence(tmp_path: Path) -> None:
    # One rater for each system: two means have no interval, and say nothing of other raters.
    by_item, by_rater = equivalence_parts(table_of(tmp_path, raters_between((0,))), Questions(margin=0.5), None)
    assert by_item.sentences[0].en.startswith("Whether A and B are equivalent within the margin ±0.50 is undecided (")
    assert "by 'rater': no interval" in by_item.sentences[0].en and "按“rater”：无区间" in by_item.sentences[0].zh
    assert not by_rater.estimates


def test_raters_outside_the_pairs_must_agree_and_are_in_no_title(tmp_path: Path) -> None:
    # Each item has one rating under each system, by a rater of that system alone.
    place = pl.col("item").str.slice(1).cast(pl.Int64) % 4
    frame = raters_between().filter(pl.col("rater").str.slice(1).cast(pl.Int64) == place)
    by_item, by_rater = equivalence_parts(table_of(tmp_path, frame, pair=("item",)), Questions(margin=1.0), None)
    # The raters' shifts are the same on both sides of an item, so that the interval by items is ±0.19 again.
    assert by_item.sentences[0].en.startswith("Whether A and B are equivalent within the margin ±1.00 is undecided (")
    assert "Interval clustered by items:" in by_item.sentences[0].en and by_rater.name == "equivalence, other unit"


def test_the_title_names_items_and_raters_only_where_both_are_clusters(tmp_path: Path) -> None:
    part = equivalence_part(table_of(tmp_path, FRAME, levels=("CORPUS", "BERT")), Questions(margin=0.5), None)
    assert "(Interval clustered by items and raters: " in part.sentences[0].en
    raters = FRAME.group_by("rater", "system").agg(pl.col("fluency").first()).sort("rater", "system")
    alone = equivalence_part(
        table_of(tmp_path, raters, pair=("rater",), levels=("CORPUS", "BERT")), Questions(margin=0.5), None
    )
    assert "clustered by items" not in alone.sentences[0].en
