from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from hengliang import Estimate, Signature
from hengliang.statistics import cluster_codes
from hengliang.tagging.diagnosis import (
    cluster_sizes,
    item_scores,
    label_sums,
    mean_score,
    score_intervals,
    signed,
    wilson_clustered,
)


def test_the_three_scores_by_hand() -> None:
    # Two items: 3 Correct, 1 Wrong, 4 Record; and 2 Record alone.
    scores = item_scores(np.array([[3.0, 0.0, 1.0, 0.0, 4.0, 2.0]]))
    assert scores.formula[0, 0] == 100 * 3 / 4 and np.isnan(scores.formula[0, 1])
    assert scores.published.tolist() == [[100 * 3 / 8, 0.0]]
    assert scores.record.tolist() == [[4 / 8, 1.0]]
    assert all(
        one is two for one, two in zip(scores.all, (scores.published, scores.formula, scores.record), strict=True)
    )


def test_the_mean_leaves_out_what_is_not_available() -> None:
    scores = np.array([[10.0, np.nan, 40.0], [np.nan, np.nan, 5.0]])
    every = np.ones(3, np.bool_)
    assert mean_score(scores, every).tolist() == [25.0, 5.0]
    assert np.isnan(mean_score(scores, np.array([False, True, False]))).all()


@given(st.integers(0, 30), st.integers(1, 30), st.sampled_from([0.8, 0.95, 0.99]))
def test_without_clusters_it_is_wilsons_interval(right: int, more: int, level: float) -> None:
    # SciPy's interval of a binomial share.
    n = max(right, 1) + more
    low, high = wilson_clustered(right, np.ones(n), level) or (np.nan, np.nan)
    expected = binomtest(right, n).proportion_ci(level, "wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=20), st.data())
def test_clusters_never_narrow_the_interval(sizes: list[int], data: st.DataObject) -> None:
    right = data.draw(st.integers(0, sum(sizes)))
    plain = wilson_clustered(right, np.ones(sum(sizes)))
    held = wilson_clustered(right, np.array(sizes, np.float64))
    assert plain is not None and held is not None
    assert held[1] - held[0] >= plain[1] - plain[0] - 1e-12
    assert 0 <= held[0] <= right / sum(sizes) <= held[1] <= 1


def test_equal_clusters_count_once_each() -> None:
    # Ten clusters of three alike sentences are as good as ten sentences: n = 30² / (10 · 9) = 10.
    held = wilson_clustered(15, np.full(10, 3.0))
    assert held == pytest.approx(wilson_clustered(5, np.ones(10)))
    assert wilson_clustered(0, np.ones(0)) is None


def test_labels_are_counted_by_cluster_and_item() -> None:
    rows = pl.DataFrame(
        {
            "pair": ["a:b", "c:d", "a:b", "a:b", "c:d"],
            "label": ["Correct", "Wrong", "Record", None, "Correct"],
            "cluster": ["s1", "s1", "s2", "s2", "s2"],
        }
    )
    codes, count = cluster_codes(rows["cluster"])
    sums = label_sums(rows, ["a:b", "c:d"], codes, count).toarray()
    # Columns: Correct a:b, c:d; Wrong a:b, c:d; Record a:b, c:d.
    assert sums.tolist() == [[1, 0, 0, 1, 0, 0], [0, 1, 0, 0, 1, 0]]
    assert cluster_sizes(rows).tolist() == [2, 3]


def test_intervals_of_one_item() -> None:
    rows = pl.DataFrame({"label": ["Correct", "Wrong", "Record"], "cluster": ["s1", "s2", "s3"]})
    found = score_intervals(rows, 0.95)
    for name, right, n, scale in (("D", 1, 2, 100), ("D published", 1, 3, 100), ("R", 1, 3, 1)):
        expected = binomtest(right, n).proportion_ci(method="wilson")
        assert found[name] == pytest.approx((scale * expected.low, scale * expected.high))
    assert score_intervals(rows.filter(pl.col("label") == "Record"), 0.95)["D"] is None


def test_one_signature_on_every_row() -> None:
    rows = [Estimate("x", {}, name, 1.0, method="m") for name in ("a", "b")]
    assert signed(rows, Signature.of(version=1))["signature"].to_list() == ["version:1"] * 2
    assert signed([], Signature.of(version=1)).height == 0
