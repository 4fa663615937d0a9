"""Are answers counted and means taken as by hand?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from hengliang.analyses.ratings.description import answers_part, middles_part
from hengliang.analyses.ratings.parts import Questions
from hengliang.analyses.ratings.table import Columns, ratings_table
from tests.analyses.ratings.made_ratings import made_ratings, scores, table_of

# Table 2 of paper 000, Fluency: how often each answer from 1 to 7 was given. The means of its Table 4 follow.
TABLE_2 = {
    "CORPUS": (39, 33, 28, 29, 58, 102, 111),
    "RULE": (63, 49, 28, 38, 51, 87, 84),
    "LSTM": (49, 44, 26, 33, 56, 99, 93),
    "BERT": (41, 36, 21, 34, 59, 101, 108),
}
TABLE_4 = {"CORPUS": "4.960", "RULE": "4.405", "LSTM": "4.680", "BERT": "4.923"}


def test_counts_and_means_of_a_published_table_come_back(tmp_path: Path) -> None:
    rows = [
        (system, answer + 1)
        for system, counts in TABLE_2.items()
        for answer, count in enumerate(counts)
        for _ in range(count)
    ]
    frame = pl.DataFrame(rows, schema=["system", "fluency"], orient="row")
    ratings = table_of(tmp_path, frame, pair=())
    counted = answers_part(ratings).estimates
    for system, counts in TABLE_2.items():
        held = [row.value for row in counted if row.by["system"] == system]
        assert held == list(counts)
        assert all(row.n == 400 for row in counted if row.by["system"] == system)
    means = {
        row.by["system"]: row.value for row in middles_part(ratings, Questions()).estimates if row.statistic == "mean"
    }
    # 4.9225 is printed as 4.923: half a unit in the last place goes up.
    assert {name: f"{np.floor(1000 * (value or 0) + 0.5) / 1000:.3f}" for name, value in means.items()} == TABLE_4


def test_middles_agree_with_numpy_and_hold_their_interval(tmp_path: Path) -> None:
    frame = made_ratings(items=10, raters=5)
    part = middles_part(table_of(tmp_path, frame), Questions())
    found = {(row.by["system"], row.statistic): row for row in part.estimates}
    for system in ("CORPUS", "RULE"):
        values = np.array(scores(frame, system))
        mean = found[system, "mean"]
        assert mean.value == pytest.approx(values.mean())
        assert found[system, "median"].value == np.median(values)
        assert found[system, "standard deviation"].value == pytest.approx(values.std(ddof=1))
        assert mean.low is not None and mean.high is not None and mean.low < values.mean() < mean.high
        assert "10 levels of item and 5 levels of rater" in mean.method
    assert part.sentences[0].en.startswith("On fluency, from high to low: ")


def test_the_interval_respects_clusters(tmp_path: Path) -> None:
    frame = made_ratings(items=10, raters=5)
    clustered = middles_part(table_of(tmp_path, frame), Questions()).estimates[0]
    alone = middles_part(table_of(tmp_path, frame, pair=()), Questions()).estimates[0]
    assert clustered.high is not None and clustered.low is not None and alone.high is not None and alone.low is not None
    # Ratings of one item and of one rater go together, so fifty of them say less than fifty independent ones.
    assert clustered.high - clustered.low > 1.3 * (alone.high - alone.low)


def test_the_interval_of_a_mean_by_few_raters_is_t(tmp_path: Path) -> None:
    # Two raters with items of their own and means 3 and 4: 3.5, standard error 0.5, t(1) at .95 is 6.314: 0.343, which
    # lies below the scale, to 6.657. Drawing the two raters would give [3, 4], whatever the level.
    rows = [("a", "p1", "A", 2), ("b", "p1", "A", 4), ("c", "p2", "A", 3), ("d", "p2", "A", 5)]
    rows += [(item, rater, "B", 4) for item, rater, _, _ in rows]
    frame = pl.DataFrame(rows, schema=["item", "rater", "system", "fluency"], orient="row")
    found = middles_part(table_of(tmp_path, frame), Questions(level=0.9)).estimates[0]
    assert (found.value, found.low, found.high) == pytest.approx((3.5, 1.0, 6.657), abs=1e-3)
    assert "jackknife variance by 2 levels of rater, degrees of freedom 1" in found.method


def test_missing_ratings_are_counted_and_left_out(tmp_path: Path) -> None:
    frame = made_ratings(items=4, raters=3).with_columns(
        pl.when(pl.int_range(pl.len()) == 0).then(None).otherwise(pl.col("fluency")).alias("fluency")
    )
    rows = [row for row in answers_part(table_of(tmp_path, frame)).estimates if row.by["system"] == "CORPUS"]
    assert sum(row.value or 0 for row in rows) == 11
    assert {(row.n, row.n_missing) for row in rows} == {(11, 1)}


def test_value_labels_title_the_answers(tmp_path: Path) -> None:
    ratings = table_of(tmp_path, made_ratings(items=3, raters=2))
    file = ratings.file
    labelled = type(file)(file.path, file.frame, file.form, file.checksum, {"fluency": {"7": "非常同意"}})
    again = ratings_table(labelled, Columns(("fluency",), "system", ("item", "rater")), scale="1-7")
    assert answers_part(again).statistics["answer 7"].title.en == "7 非常同意"
