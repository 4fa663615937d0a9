"""Is a difference held against the margin by the right interval?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from hengliang.analysis.ratings.copies import COPIED, RATINGS, UNIQUE, unique_ratings
from hengliang.analysis.ratings.equivalences import equivalence_part
from hengliang.analysis.ratings.parts import Questions
from tests.analysis.ratings.made_ratings import made_ratings, scores, table_of

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
