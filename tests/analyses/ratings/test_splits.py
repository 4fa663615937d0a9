"""Is a split tested by its median, at all cut-offs and by ranks, as SciPy does?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from scipy import stats

from hengliang import UserError
from hengliang.analyses.ratings.comparisons import COPIED, RATINGS, UNIQUE, unique_ratings
from hengliang.analyses.ratings.parts import ADJUSTED, Part, Questions
from hengliang.analyses.ratings.splits import split_levels, split_parts
from hengliang.statistics import TestResult
from tests.analyses.ratings.made_ratings import made_ratings, table_of

FRAME = made_ratings(items=12, raters=6)


def parts_of(folder: Path, frame: pl.DataFrame, response: str | None = None) -> dict[str, Part]:
    ratings = table_of(folder, frame, split="match", response=response)
    return {part.name: part for part in split_parts(ratings, Questions(), unique_ratings(ratings))}


def groups(frame: pl.DataFrame) -> tuple[list[int], list[int]]:
    names = frame["match"].unique(maintain_order=True).to_list()
    first, second = (frame.filter(pl.col("match") == name)["fluency"].to_list() for name in names)
    return first, second


def only(part: Part) -> TestResult:
    ((_, found),) = part.results
    assert isinstance(found, TestResult)
    return found


def test_the_three_tests_agree_with_scipy(tmp_path: Path) -> None:
    parts, (first, second) = parts_of(tmp_path, FRAME), groups(FRAME)
    median = stats.median_test(first, second, ties="below", correction=False)
    assert only(parts["split median"]).statistic == pytest.approx(median.statistic)
    ranks = stats.mannwhitneyu(first, second, method="asymptotic", use_continuity=False)
    assert only(parts["split mann-whitney"]).p == pytest.approx(ranks.pvalue)
    found = {row.by["cutoff"]: row for row in parts["split cut-offs"].estimates if row.statistic == "chi-squared"}
    assert list(found) == ["1", "2", "3", "4", "5", "6"]
    for cutoff, row in found.items():
        low = [sum(value <= int(cutoff) for value in group) for group in (first, second)]
        table = [[low[0], len(first) - low[0]], [low[1], len(second) - low[1]]]
        assert row.value == pytest.approx(stats.chi2_contingency(table, correction=False).statistic)
    largest = only(parts["split largest cut-off"])
    assert largest.statistic == pytest.approx(max(row.value or 0 for row in found.values()))
    assert sum(row.statistic == ADJUSTED for row in parts["split cut-offs"].estimates) == 6


def test_copies_stand_beside_unique_ratings(tmp_path: Path) -> None:
    frame = made_ratings(items=20, raters=4, shared=True)
    found = parts_of(tmp_path, frame, "response")["split mann-whitney"].results
    kinds = {by[RATINGS]: test.n for by, test in found if isinstance(test, TestResult)}
    assert kinds == {UNIQUE: frame.unique(["item", "rater", "response"]).height, COPIED: frame.height}


def test_the_papers_way_leaves_out_the_answers_that_define_the_split(tmp_path: Path) -> None:
    frame = made_ratings(items=20, raters=4, shared=True)
    corpus = frame.filter(pl.col("system") == "CORPUS").select("item", gold="response").unique()
    match = pl.when(pl.col("response") == pl.col("gold")).then(pl.lit("yes")).otherwise(pl.lit("no"))
    frame = frame.join(corpus, on="item", maintain_order="left").with_columns(match=match).drop("gold")
    parts = parts_of(tmp_path, frame, "response")
    others = frame.filter(pl.col("system") != "CORPUS")
    for name in ("split median", "split mann-whitney"):
        kinds = {by[RATINGS]: test for by, test in parts[name].results if isinstance(test, TestResult)}
        # 3 systems on 20 items by 4 raters; CORPUS, which matches itself, is none of them.
        assert kinds[COPIED].n == others.height == 240
        assert kinds[UNIQUE].n == frame.unique(["item", "rater", "response"]).height
        assert "ratings of RULE, LSTM, BERT; those of CORPUS" in parts[name].explanation.en
        assert "RULE、LSTM、BERT" in parts[name].explanation.zh
    first, second = (others.filter(pl.col("match") == kind)["fluency"].to_list() for kind in ("yes", "no"))
    expected = stats.median_test(first, second, ties="below", correction=False)
    copied = next(test for by, test in parts["split median"].results if by[RATINGS] == COPIED)
    assert isinstance(copied, TestResult) and copied.statistic == pytest.approx(expected.statistic)


@pytest.mark.parametrize("response", [None, "response"])
def test_a_split_of_items_is_tested_on_their_means(tmp_path: Path, response: str | None) -> None:
    frame = made_ratings(items=12, raters=6, shared=True).with_columns(
        match=pl.when(pl.col("item").is_in([f"s{n:02}" for n in range(1, 7)])).then(pl.lit("x")).otherwise(pl.lit("y"))
    )
    parts = parts_of(tmp_path, frame, response)
    # Every item lies on one side of the split, every rater has ratings on both; copies count once where known.
    counted = frame.unique(["item", "rater", "response"]) if response else frame
    means = counted.group_by("item", "match").agg(pl.col("fluency").mean())
    first, second = (means.filter(pl.col("match") == kind)["fluency"].to_list() for kind in "xy")
    by_item, by_rater = only(parts["split means"]), only(parts["split means, other unit"])
    assert (by_item.n, by_rater.n) == (12, 6)
    assert by_item.statistic in (
        pytest.approx(stats.mannwhitneyu(first, second).statistic),
        pytest.approx(stats.mannwhitneyu(second, first).statistic),
    )
    assert by_rater.test == "signed-rank" and "'rater'" in parts["split means, other unit"].title.en


def test_a_split_says_that_ratings_are_taken_for_independent(tmp_path: Path) -> None:
    for name, part in parts_of(tmp_path, FRAME).items():
        if name.startswith("split means"):
            continue
        assert "Ratings of one 'item' or 'rater' are taken for independent here" in part.explanation.en
        assert "相互独立" in part.explanation.zh


def test_a_split_has_two_levels(tmp_path: Path) -> None:
    three = FRAME.with_columns(
        pl.when(pl.int_range(pl.len()) == 9).then(pl.lit("perhaps")).otherwise("match").alias("match")
    )
    with pytest.raises(UserError, match=r"'match' has 3 levels: .* \('perhaps' first in row 11\)") as caught:
        split_levels(table_of(tmp_path, three, split="match"))
    assert "--by match" in caught.value.remedy
    one = FRAME.with_columns(pl.lit("yes").alias("match"))
    with pytest.raises(UserError, match="has 1 levels: 'yes'"):
        split_levels(table_of(tmp_path, one, split="match"))


def test_rows_without_a_split_are_left_out(tmp_path: Path) -> None:
    frame = FRAME.with_columns(pl.when(pl.col("system") == "CORPUS").then(None).otherwise("match").alias("match"))
    assert only(parts_of(tmp_path, frame)["split median"]).n == FRAME.filter(pl.col("system") != "CORPUS").height
