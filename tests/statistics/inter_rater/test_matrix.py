"""Are ratings taken as they are, gaps and all, and is a table that is none refused?"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from hengliang import UserError
from hengliang.statistics.inter_rater.ratings import Ratings


def test_numbers_are_ordered_by_size_and_gaps_are_kept() -> None:
    held = Ratings.of([[10, 2, None], [2, float("nan"), 3]])
    assert held.answers == ("2", "3", "10")
    assert held.codes.tolist() == [[2, 0, -1], [0, -1, 1]]
    assert held.n_missing == 2
    assert held.counts().tolist() == [[1, 0, 1], [1, 0, 0], [0, 1, 0]]
    numbers = held.numbers()
    assert numbers[0, 0] == 10
    assert np.isnan(numbers[0, 2])


def test_words_keep_the_order_of_the_categories() -> None:
    held = Ratings.of([["high", "low"], ["low", "low"]], categories=["low", "middle", "high"])
    assert held.answers == ("low", "middle", "high")
    assert held.codes.tolist() == [[2, 0], [0, 0]]
    assert not held.is_numeric


def test_a_long_table_gives_the_same_as_a_matrix() -> None:
    frame = pl.DataFrame({"who": ["b", "a", "b"], "what": ["y", "x", "x"], "said": [3, 1, 2]})
    held = Ratings.from_frame(frame, rater="who", unit="what", rating="said")
    wide = Ratings.of([[1, None], [2, 3]], raters=["a", "b"], units=["x", "y"])
    assert (held.raters, held.units) == (("a", "b"), ("x", "y"))
    assert held.codes.tolist() == wide.codes.tolist()
    assert held.checksum() == wide.checksum()
    assert held.only([1]).raters == ("b",)


@pytest.mark.parametrize(
    ("ratings", "problem"),
    [
        ([], "no table"),
        ([1, 2], "no table"),
        ([[], []], "no ratings"),
        ([[1, 2], [1]], "1 to 2 values"),
        ([[None, None]], "All ratings are missing"),
        ([[1, "a"], [1, 2]], "mix words such as 'a' and numbers such as 1"),
        ([[1, float("inf")]], "infinite"),
        ([[1, {}]], "is no rating"),
    ],
)
def test_what_is_no_table_of_ratings_is_refused(ratings: Any, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        Ratings.of(ratings)


def test_other_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="'4' is not among the categories"):
        Ratings.of([[1, 4]], categories=[1, 2, 3])
    with pytest.raises(UserError, match="named twice"):
        Ratings.of([[1, 2]], categories=[1, 2, 2])
    with pytest.raises(UserError, match="3 names of raters"):
        Ratings.of([[1, 2]], raters=["a", "b", "c"])
    with pytest.raises(UserError, match="needs numbers"):
        Ratings.of([["a", "b"]]).numbers()
    frame = pl.DataFrame({"rater": ["a", "a"], "item": ["x", "x"], "score": [1, 2]})
    with pytest.raises(UserError, match="'a' judged 'x' more than once"):
        Ratings.from_frame(frame)
    with pytest.raises(UserError, match="No column is called 'judge'"):
        Ratings.from_frame(frame.rename({"rater": "judges"}), rater="judge")
