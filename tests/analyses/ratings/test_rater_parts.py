"""Is it said how far raters agree, and who should be looked at?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang.analyses.ratings.parts import Questions
from hengliang.analyses.ratings.raters import rater_parts
from hengliang.analyses.ratings.reading import read_ratings_file
from hengliang.analyses.ratings.table import Columns, Ratings, ratings_table
from hengliang.statistics import krippendorff_alpha
from tests.analyses.ratings.made_ratings import made_ratings

FRAME = made_ratings(items=12, raters=5)


def taken(folder: Path, frame: pl.DataFrame, response: str | None = None) -> Ratings:
    frame.write_csv(folder / "ratings.csv")
    columns = Columns(("fluency",), "system", ("item", "rater"), None, response, ())
    return ratings_table(read_ratings_file(folder / "ratings.csv"), columns)


def test_alpha_is_that_of_raters_and_responses(tmp_path: Path) -> None:
    agreement, raters = rater_parts(taken(tmp_path, FRAME), Questions())
    table = FRAME.with_columns(unit=pl.concat_str("item", "system", separator="/")).pivot(
        "unit", index="rater", values="fluency"
    )
    expected = krippendorff_alpha(table.drop("rater").rows(), metric="ordinal").value
    ((place, result),) = agreement.results
    assert place == {"measure": "fluency"}
    assert next(result.estimates("a")).value == pytest.approx(expected)
    assert {row.by["rater"] for row in raters.estimates} == set(FRAME["rater"].to_list())
    assert all(row.value is not None for row in raters.estimates)


def test_a_rater_who_always_answers_seven_is_flagged(tmp_path: Path) -> None:
    lazy = FRAME["rater"].unique().sort()[0]
    frame = FRAME.with_columns(fluency=pl.when(pl.col("rater") == lazy).then(7).otherwise("fluency"))
    _, raters = rater_parts(taken(tmp_path, frame), Questions())
    flags = {row.by["rater"]: row.value or 0.0 for row in raters.estimates if row.statistic == "flags"}
    assert flags[lazy] == max(flags.values()) > 0
    assert lazy in raters.sentences[0].en
    assert lazy in raters.sentences[0].zh


def test_a_slider_is_measured_in_distances(tmp_path: Path) -> None:
    frame = FRAME.with_columns(fluency=pl.col("fluency") + pl.int_range(pl.len()) / 1000)
    agreement, _ = rater_parts(taken(tmp_path, frame), Questions())
    ((_, result),) = agreement.results
    assert not agreement.sentences
    assert next(result.estimates("a")).statistic == "krippendorff alpha interval"


def test_copies_of_a_rating_are_one(tmp_path: Path) -> None:
    doubled = FRAME.with_columns(answer=pl.lit("same"))
    # All systems gave the same response: one unit an item, and the first rating of each rater counts.
    first = doubled.unique(["item", "rater"], keep="first", maintain_order=True)
    ratings = doubled.drop("fluency").join(first.select("item", "rater", "fluency"), on=["item", "rater"])
    agreement, _ = rater_parts(taken(tmp_path, ratings, "answer"), Questions())
    (_, result) = agreement.results[0]
    assert next(result.estimates("a")).n == first["item"].n_unique()


def test_without_raters_there_is_nothing_to_say(tmp_path: Path) -> None:
    # Columns called item and rater would be recognised by their names.
    FRAME.drop("item", "rater").write_csv(tmp_path / "ratings.csv")
    columns = Columns(("fluency",), "system", (), None, None, ())
    assert list(rater_parts(ratings_table(read_ratings_file(tmp_path / "ratings.csv"), columns), Questions())) == []
