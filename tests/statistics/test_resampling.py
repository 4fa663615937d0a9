from __future__ import annotations

import math
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.sparse import csr_array

from hengliang import UserError
from hengliang.statistics.resampling import (
    Floats,
    IntervalKind,
    Resampling,
    bootstrap,
    bootstrap_weights,
    cluster_codes,
    cluster_counts,
    describe_interval,
)


def mean(sums: Floats) -> Floats:
    means: Floats = sums[:, :1] / sums[:, 1:]
    return means


def sums_of(values: Floats, clusters: np.ndarray[tuple[int], np.dtype[np.int64]]) -> csr_array:
    """Sum and number of the values in each cluster."""
    size = int(clusters.max()) + 1
    columns = np.repeat([0, 1], len(values))
    weights = np.concatenate([values, np.ones(len(values))])
    return cluster_counts(np.tile(clusters, 2), columns, weights, shape=(size, 2))


# --- counting -------------------------------------------------------------------------------------------------------


def test_clusters_are_numbered_by_name_whatever_the_order() -> None:
    codes, count = cluster_codes(pl.Series(["b", "a", "c", "a"]))
    assert (codes.tolist(), count) == ([1, 0, 2, 0], 3)
    assert cluster_codes(pl.Series([], dtype=pl.String))[1] == 0


def test_counts_sum_by_cluster_and_column() -> None:
    table = cluster_counts(np.array([0, 0, 1, 0]), np.array([1, 1, 0, 2]), shape=(2, 3))
    assert table.toarray().tolist() == [[0, 2, 1], [1, 0, 0]]


# --- drawing --------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 20), st.integers(1, 30), st.integers(0, 5), st.integers(1, 31))
def test_weights_are_whole_resamples_and_the_chunk_size_changes_nothing(
    n: int, draws: int, seed: int, chunk: int
) -> None:
    whole = np.concatenate(list(bootstrap_weights(n, draws, seed)))
    assert whole.shape == (draws, n)
    assert (whole.sum(axis=1) == n).all()
    assert (np.concatenate(list(bootstrap_weights(n, draws, seed, chunk=chunk))) == whole).all()


def test_weights_are_multinomial() -> None:
    # Each of 5 clusters is drawn Binomial(5, 1/5) times: mean 1, variance 5 · 1/5 · 4/5 = 4/5,
    # covariance of two clusters −5 · 1/5 · 1/5 = −1/5. Standard errors with 40,000 draws are below 0.01.
    weights = np.concatenate(list(bootstrap_weights(5, 40_000, seed=3)))
    expected = np.full((5, 5), -1 / 5) + np.eye(5)
    assert np.abs(weights.mean(axis=0) - 1).max() < 0.02
    assert np.abs(np.cov(weights.T) - expected).max() < 0.03


# --- intervals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("interval", "method"), [("percentile", "percentile"), ("bca", "BCa")])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_unclustered_intervals_are_those_of_scipy(interval: IntervalKind, method: str, seed: int) -> None:
    # Both draw integers(0, n, (draws, n)) from the same generator, so that the resamples are the same ones and the
    # bounds agree but for the order of additions.
    values = np.random.default_rng(10 + seed).exponential(size=37)
    found = bootstrap(sums_of(values, np.arange(37)), mean, Resampling(999, seed, 0.9, interval))
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=999, confidence_level=0.9, method=method, rng=np.random.default_rng(seed)
    ).confidence_interval
    assert found.value[0] == pytest.approx(values.mean(), rel=1e-12)
    assert (found.low[0], found.high[0]) == pytest.approx((theirs.low, theirs.high), rel=1e-9)


def test_three_clusters_by_hand() -> None:
    # Clusters with (sum, number) (2, 2), (0, 1), (1, 3). All 27 resamples are equally likely; the interval at level
    # 1/3 lies between the quantiles 1/3 and 2/3 of their means, which many draws must reproduce.
    sums = np.array([[2.0, 2.0], [0.0, 1.0], [1.0, 3.0]])
    means = sorted(mean(sums[list(drawn)].sum(axis=0, keepdims=True))[0, 0] for drawn in product(range(3), repeat=3))
    found = bootstrap(csr_array(sums), mean, Resampling(draws=20_000, seed=5, level=1 / 3))
    assert found.value[0] == 3 / 6
    # Of the 27 means the 9th and 10th are the same number, and so are the 18th and 19th: no interpolation matters.
    assert means[8] == means[9] and means[17] == means[18]
    assert (found.low[0], found.high[0]) == pytest.approx((means[8], means[17]))


def test_copies_of_a_cluster_member_add_no_certainty() -> None:
    values, clusters = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 0.0]), np.arange(6)
    once = bootstrap(sums_of(values, clusters), mean, Resampling())
    fivefold = bootstrap(sums_of(np.tile(values, 5), np.tile(clusters, 5)), mean, Resampling())
    assert (fivefold.low[0], fivefold.high[0]) == pytest.approx((once.low[0], once.high[0]))
    alone = bootstrap(sums_of(np.tile(values, 5), np.arange(30)), mean, Resampling())
    assert alone.high[0] - alone.low[0] < once.high[0] - once.low[0]


@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_one_cluster_gives_a_value_and_no_interval(interval: IntervalKind) -> None:
    found = bootstrap(sums_of(np.array([1.0, 0.0]), np.zeros(2, dtype=np.int64)), mean, Resampling(interval=interval))
    assert found.value[0] == 0.5
    assert math.isnan(found.low[0]) and math.isnan(found.high[0])
    assert describe_interval(Resampling(), found, "block") == "no interval: 1 cluster (block) cannot be resampled"


@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_equal_clusters_give_an_interval_of_no_width(interval: IntervalKind) -> None:
    found = bootstrap(sums_of(np.ones(8), np.arange(8)), mean, Resampling(interval=interval))
    assert (found.low[0], found.high[0]) == (1.0, 1.0)


def test_draws_without_a_value_are_left_out_and_counted() -> None:
    def ratio(sums: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            ratios: Floats = sums[:, :1] / sums[:, 1:]
        return ratios

    # Only one of four clusters has a denominator; a resample misses it with probability (3/4)^4 = 81/256 ≈ 0.316.
    sums = csr_array(np.array([[1.0, 2.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]))
    found = bootstrap(sums, ratio, Resampling(draws=4000))
    # Standard deviation of the share: √(0.316 · 0.684 / 4000) ≈ 0.0074.
    assert abs(found.undefined / 4000 - 81 / 256) < 4 * 0.0074
    assert (found.low[0], found.high[0]) == (0.5, 0.5)
    assert f"{found.undefined} draws without a value" in describe_interval(Resampling(draws=4000), found, "block")


def test_bca_does_not_exist_where_all_draws_lie_on_one_side() -> None:
    def largest(sums: Floats) -> Floats:
        # 1 when all clusters are there, else less: no resample can be above the sample.
        share: Floats = (sums > 0).mean(axis=1, keepdims=True)
        return share

    sums = csr_array(np.eye(60))
    found = bootstrap(sums, largest, Resampling(draws=200, interval="bca"))
    assert math.isnan(found.low[0]) and math.isnan(found.high[0])


@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_an_interval_that_would_not_hold_its_value_is_withheld(interval: IntervalKind) -> None:
    def one_in(sums: Floats) -> Floats:
        # The macro recall of a system that finds one class and misses all others: 1 / (classes in the resample). A
        # resample of 40 single items holds about 40 · (1 − 1/e) ≈ 25 of the 40 classes, never all of them.
        share: Floats = 1 / (sums > 0).sum(axis=1, keepdims=True)
        return share

    found = bootstrap(csr_array(np.eye(40)), one_in, Resampling(interval=interval))
    assert found.value[0] == 1 / 40
    assert math.isnan(found.low[0]) and math.isnan(found.high[0])


def test_the_method_names_everything_and_warns_of_few_clusters() -> None:
    few = bootstrap(sums_of(np.arange(8.0), np.arange(8)), mean, Resampling(draws=50, seed=4, level=0.9))
    text = describe_interval(Resampling(draws=50, seed=4, level=0.9), few, "block")
    assert text.startswith(
        "0.9 percentile bootstrap interval, 8 clusters (block) drawn with replacement, 50 draws, seed 4"
    )
    assert "too narrow" in text
    enough = bootstrap(sums_of(np.arange(40.0), np.arange(40)), mean, Resampling(interval="bca"))
    text = describe_interval(Resampling(interval="bca"), enough, "block")
    assert "BCa" in text and "too narrow" not in text


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (Resampling(draws=0), "0 draws"),
        (Resampling(level=95), "level 95"),
        (Resampling(interval="basic"), "percentile, bca"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_computed_is_refused(wrong: Resampling, message: str) -> None:
    with pytest.raises(UserError, match=message):
        bootstrap(sums_of(np.ones(3), np.arange(3)), mean, wrong)


def test_the_memory_of_many_draws_stays_small() -> None:
    chunks = [weights.size for weights in bootstrap_weights(5000, 2000, seed=1)]
    # All weights at once would be 10 million numbers, 80 MB; a chunk holds a fifth of them.
    assert max(chunks) <= 2_000_000 and sum(chunks) == 10_000_000


# --- do they cover? -------------------------------------------------------------------------------------------------


def test_clustered_intervals_cover_and_unclustered_ones_do_not() -> None:
    # 40 clusters of 10 items; a cluster's level is Beta(2, 2), its items are right with that probability. The true mean
    # is 1/2 and the correlation within a cluster is 1/(2 + 2 + 1) = 1/5, so that the variance of the mean is
    # 1 + 9/5 = 2.8 times that of independent items: an interval that ignores clusters covers
    # 2Φ(1.96/√2.8) − 1 ≈ 0.76. With 40 clusters the clustered one should cover P(|t₃₉| < 1.96·√(39/40)) ≈ 0.94.
    # With 300 simulations the standard error of a coverage of 0.94 is 0.014, of 0.76 it is 0.025.
    generator = np.random.default_rng(7)
    covered = {"clusters": 0, "items": 0}
    for simulation in range(300):
        level = np.repeat(generator.beta(2, 2, 40), 10)
        values = (generator.random(400) < level).astype(np.float64)
        for unit, codes in (("clusters", np.repeat(np.arange(40), 10)), ("items", np.arange(400))):
            found = bootstrap(sums_of(values, codes), mean, Resampling(draws=400, seed=simulation))
            covered[unit] += bool(found.low[0] <= 0.5 <= found.high[0])
    assert 0.90 <= covered["clusters"] / 300 <= 0.98
    assert covered["items"] / 300 < 0.84
