"""Are copies of one rating found, merged and suspected?"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.analyses.ratings.comparisons import SHARE, suspicion, unique_ratings
from tests.analyses.ratings.made_ratings import EFFECTS, made_ratings, table_of

SHARED = made_ratings(items=15, raters=4, shared=True)


def test_one_row_is_left_for_each_item_rater_and_response(tmp_path: Path) -> None:
    ratings = table_of(tmp_path, SHARED, "fluency", "clarity", response="response", split="match")
    unique = unique_ratings(ratings)
    assert unique is not None
    expected = SHARED.unique(["item", "rater", "response"]).height
    assert unique.of("fluency").height == expected == SHARED.height - unique.n_copies
    both = unique.of("fluency", "clarity")
    assert {"fluency", "clarity", "match"} <= set(both.columns) and both.height == expected
    assert f"{unique.n_copies} of {SHARED.height} rows are copies" in unique.note(ratings).en


def test_shares_of_the_givers_sum_to_one(tmp_path: Path) -> None:
    ratings = table_of(tmp_path, SHARED, response="response")
    unique = unique_ratings(ratings)
    assert unique is not None
    shares = unique.of("fluency").select(pl.sum_horizontal(f"{SHARE}{level}" for level in ratings.levels)).to_series()
    assert shares.to_list() == pytest.approx([1.0] * len(shares))


def test_copies_that_differ_are_no_copies(tmp_path: Path) -> None:
    apart = made_ratings(items=15, raters=4, shared=False)
    with pytest.raises(UserError, match=r"has different ratings 'fluency' in rows \d+") as caught:
        unique_ratings(table_of(tmp_path, apart, response="response"))
    assert "--response" in caught.value.remedy


def test_without_item_and_rater_copies_cannot_be_found(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="by item, rater and response") as caught:
        unique_ratings(table_of(tmp_path, SHARED, pair=(), response="response"))
    assert "--pair" in caught.value.remedy


def test_copies_are_suspected_where_no_response_is_named(tmp_path: Path) -> None:
    warning = suspicion(table_of(tmp_path, SHARED, "fluency", "clarity"))
    assert warning is not None and "--response" in warning.en and "--response" in warning.zh
    # How often the two systems gave the same response, counted by hand.
    wide = SHARED.unique(["item", "system"]).pivot(on="system", index="item", values="response")
    most = max(wide.filter(pl.col(first) == pl.col(second)).height for first, second in combinations(EFFECTS, 2))
    assert f"on {most} of 15" in warning.en


def test_ratings_of_their_own_are_not_suspected(tmp_path: Path) -> None:
    assert suspicion(table_of(tmp_path, made_ratings(items=15, raters=4))) is None
    assert suspicion(table_of(tmp_path, SHARED, response="response")) is None
    assert suspicion(table_of(tmp_path, SHARED, pair=())) is None
