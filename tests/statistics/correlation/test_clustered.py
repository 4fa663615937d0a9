"""Are correlations of drawn clusters those of the rows written out, for all measures together?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hengliang import UserError
from hengliang.statistics.correlation import clustered
from hengliang.statistics.correlation.clustered import (
    Coefficient,
    can_be_drawn,
    clustered_correlation,
    clustered_draws,
    coefficient_value,
)
from hengliang.statistics.resampling import Resampling, Way, bootstrap_weights

COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall")
SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


def data(n: int = 60, clusters: int = 12, seed: int = 3) -> tuple[np.ndarray, np.ndarray, Way]:
    generator = np.random.default_rng(seed)
    shared = np.round(generator.normal(size=n), 1)
    measures = np.vstack([shared + generator.normal(size=n), np.round(generator.normal(size=n))])
    return measures, shared, Way("source", generator.permutation(np.arange(n) % clusters), clusters)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_the_value_is_that_of_scipy(coefficient: Coefficient) -> None:
    measures, shared, _ = data()
    for measure in measures:
        assert coefficient_value(coefficient, measure, shared) == pytest.approx(
            SCIPY[coefficient](measure, shared).statistic
        )


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("clusters", [60, 12, 3])
def test_a_draw_is_the_coefficient_of_the_rows_that_were_drawn(coefficient: Coefficient, clusters: int) -> None:
    measures, shared, way = data(clusters=clusters)
    how = Resampling(draws=25, seed=5)
    drawn = clustered_draws(coefficient, measures, shared, way, how)
    weights = np.concatenate(list(bootstrap_weights(clusters, 25, 5)))
    for row, weight in zip(drawn, weights, strict=True):
        # The sample written out: each row as often as its cluster was drawn.
        rows = np.repeat(np.arange(len(shared)), weight[way.codes].astype(int))
        expected = [SCIPY[coefficient](measure[rows], shared[rows]).statistic for measure in measures]
        assert row == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_chunks_do_not_matter(coefficient: Coefficient, monkeypatch: pytest.MonkeyPatch) -> None:
    measures, shared, way = data()
    how = Resampling(draws=30, seed=2)
    whole = clustered_draws(coefficient, measures, shared, way, how)
    monkeypatch.setattr(clustered, "_CELLS", 100)
    assert clustered_draws(coefficient, measures, shared, way, how) == pytest.approx(whole)


def test_the_interval_is_near_fishers_when_clusters_are_single() -> None:
    generator = np.random.default_rng(11)
    shared = generator.normal(size=400)
    measure = (0.5 * shared + generator.normal(size=400))[None, :]
    way, how = Way("source", np.arange(400), 400), Resampling(draws=4000)
    drawn = clustered_draws("pearson", measure, shared, way, how)
    found = clustered_correlation("pearson", measure, shared, way, how, drawn)
    # Both are approximations of the same interval for bivariate normal data, some .17 wide here.
    low, high = stats.pearsonr(measure[0], shared).confidence_interval()
    assert found.low is not None and found.high is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.015)
    assert "400 levels of source" in found.method


def test_copies_within_clusters_widen_the_interval_to_that_of_the_clusters() -> None:
    generator = np.random.default_rng(12)
    shared = generator.normal(size=50)
    measure = 0.5 * shared + generator.normal(size=50)
    how = Resampling(draws=1000)
    single = Way("source", np.arange(50), 50)
    fivefold = Way("source", np.repeat(np.arange(50), 5), 50)
    for coefficient in COEFFICIENTS:
        once = clustered_draws(coefficient, measure[None, :], shared, single, how)
        five = clustered_draws(coefficient, np.repeat(measure, 5)[None, :], np.repeat(shared, 5), fivefold, how)
        # Every sentence five times says nothing new: the draws are the same.
        assert five == pytest.approx(once)


def test_several_seeds_have_the_mean_of_their_coefficients() -> None:
    measures, shared, way = data()
    how = Resampling(draws=200)
    drawn = clustered_draws("spearman", measures, shared, way, how)
    found = clustered_correlation("spearman", measures, shared, way, how, drawn)
    assert found.value == pytest.approx(np.mean([stats.spearmanr(measure, shared).statistic for measure in measures]))
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(drawn.mean(axis=1), [0.025, 0.975])))


def test_one_cluster_and_too_many_for_kendall_have_no_bootstrap() -> None:
    measures, shared, _ = data()
    one = Way("source", np.zeros(60, np.int64), 1)
    assert not can_be_drawn("pearson", one)
    found = clustered_correlation("pearson", measures[:1], shared, one, Resampling(), np.empty((0, 1)))
    assert (found.low, found.high) == (None, None) and "cannot be resampled" in found.method
    many = clustered.MOST_CLUSTERS_FOR_KENDALL + 1
    generator = np.random.default_rng(1)
    x, y = generator.normal(size=(2, many))
    way = Way("source", np.arange(many), many)
    assert not can_be_drawn("kendall", way) and can_be_drawn("spearman", way)
    alone = clustered_correlation("kendall", x[None, :], y, way, Resampling(), np.empty((0, 1)))
    # Fieller, Hartley and Pearson: Fisher's z with variance 0.437 / (n − 4).
    reach = 1.959963984540054 * math.sqrt(0.437 / (many - 4))
    tau = stats.kendalltau(x, y).statistic
    assert (alone.low, alone.high) == pytest.approx(tuple(np.tanh(np.arctanh(tau) + np.array([-reach, reach]))))
    twice = Way("source", np.repeat(np.arange(many), 2), many)
    pairs = clustered_correlation(
        "kendall", np.repeat(x, 2)[None, :], np.repeat(y, 2), twice, Resampling(), drawn_none()
    )
    assert pairs.low is None and "too many for Kendall" in pairs.method
    with pytest.raises(UserError, match="compares too many pairs"):
        clustered_draws("kendall", x[None, :], y, way, Resampling(draws=2))


def drawn_none() -> np.ndarray:
    return np.empty((0, 1))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4), st.integers(0, 3)), min_size=6, max_size=25),
    st.sampled_from(COEFFICIENTS),
)
def test_draws_lie_within_bounds_and_follow_monotone_changes(
    rows: list[tuple[int, int, int]], coefficient: Coefficient
) -> None:
    x, y, codes = (np.array(column, dtype=np.float64) for column in zip(*rows, strict=True))
    _, numbers = np.unique(codes, return_inverse=True)
    way = Way("source", numbers.astype(np.int64), int(numbers.max()) + 1)
    how = Resampling(draws=20, seed=4)
    drawn = clustered_draws(coefficient, x[None, :], y, way, how)
    defined = drawn[~np.isnan(drawn)]
    assert ((defined >= -1) & (defined <= 1)).all()
    changed = 2 * x + 3 if coefficient == "pearson" else np.exp(x)
    assert clustered_draws(coefficient, changed[None, :], y, way, how) == pytest.approx(drawn, nan_ok=True, abs=1e-9)
    assert clustered_draws(coefficient, -x[None, :], y, way, how) == pytest.approx(-drawn, nan_ok=True, abs=1e-9)
