"""Do the tests of all levels and the correlation of measures agree with SciPy?"""

from __future__ import annotations

from pathlib import Path

import pytest
from scipy import stats

from hengliang.analyses.ratings.comparisons import COPIED, RATINGS, UNIQUE, unique_ratings
from hengliang.analyses.ratings.description import correlation_part, omnibus_part
from hengliang.analyses.ratings.parts import Questions
from hengliang.statistics import TestResult
from tests.analyses.ratings.made_ratings import EFFECTS, made_ratings, scores, table_of

FRAME = made_ratings(items=10, raters=4)


def test_pairs_have_friedmans_test_and_groups_that_of_kruskal_and_wallis(tmp_path: Path) -> None:
    columns = [scores(FRAME, system) for system in EFFECTS]
    ((_, friedman),) = omnibus_part(table_of(tmp_path, FRAME), Questions()).results
    assert isinstance(friedman, TestResult)
    assert friedman.statistic == pytest.approx(stats.friedmanchisquare(*columns).statistic)
    ((_, kruskal),) = omnibus_part(table_of(tmp_path, FRAME, pair=()), Questions()).results
    assert isinstance(kruskal, TestResult)
    assert kruskal.statistic == pytest.approx(stats.kruskal(*columns).statistic)


def test_with_responses_the_omnibus_test_is_labelled_as_counting_copies(tmp_path: Path) -> None:
    ratings = table_of(tmp_path, made_ratings(items=10, raters=4, shared=True), response="response")
    part = omnibus_part(ratings, Questions())
    assert {by[RATINGS] for by, _ in part.results} == {COPIED}
    assert "counts copies" in part.explanation.en


def test_spearman_over_single_ratings(tmp_path: Path) -> None:
    part = correlation_part(table_of(tmp_path, FRAME, "fluency", "clarity"), Questions(), None)
    ((by, found),) = part.results
    assert isinstance(found, TestResult) and by == {"measures": "fluency, clarity"}
    expected = stats.spearmanr(FRAME["fluency"].to_list(), FRAME["clarity"].to_list())
    assert found.effects[0].value == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-6)
    assert found.df == (158.0,)


def test_copies_do_not_count_in_the_correlation_of_unique_ratings(tmp_path: Path) -> None:
    frame = made_ratings(items=10, raters=4, shared=True)
    ratings = table_of(tmp_path, frame, "fluency", "clarity", response="response")
    results = correlation_part(ratings, Questions(), unique_ratings(ratings)).results
    sizes = {by[RATINGS]: found.n for by, found in results if isinstance(found, TestResult)}
    assert sizes == {UNIQUE: frame.unique(["item", "rater", "response"]).height, COPIED: frame.height}
