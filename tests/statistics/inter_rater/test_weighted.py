"""Are correlations of weighted units those of the repeated units?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hengliang.statistics.correlation.coefficients import weighted_pearson, weighted_spearman
from hengliang.statistics.inter_rater import noise_ceiling as weighted
from hengliang.statistics.inter_rater.noise_ceiling import PairCounts, resampled, weighted_pairs
from hengliang.statistics.resampling import Resampling

ROWS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 3)), min_size=2, max_size=25)


def arrays(rows: list[tuple[int, int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    first, second, times = (np.array(column) for column in zip(*rows, strict=True))
    return first.astype(float), second.astype(float), times


@settings(max_examples=80)
@given(ROWS)
def test_weights_are_repetitions(rows: list[tuple[int, int, int]]) -> None:
    first, second, times = arrays(rows)
    one, two = np.repeat(first, times), np.repeat(second, times)
    weights = times[None, :].astype(float)
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(two) == 0:
        return
    assert weighted_pearson(first, second, weights)[0] == pytest.approx(stats.pearsonr(one, two).statistic)
    assert weighted_spearman(first, second, weights)[0] == pytest.approx(stats.spearmanr(one, two).statistic)
    counts = PairCounts.of(first, second, times)
    assert counts.tau == pytest.approx(stats.kendalltau(one, two).statistic)


@settings(max_examples=80)
@given(ROWS)
def test_pairs_are_counted_one_by_one(rows: list[tuple[int, int, int]]) -> None:
    first, second, times = arrays(rows)
    found = PairCounts.of(first, second, times)
    tally = dict.fromkeys(("concordant", "discordant", "tied_first", "tied_second", "tied_both"), 0)
    for i in range(len(rows)):
        for j in range(i):
            x, y = np.sign(first[i] - first[j]), np.sign(second[i] - second[j])
            kind = "tied_both" if x == y == 0 else "tied_first" if x == 0 else "tied_second" if y == 0 else ""
            tally[kind or ("concordant" if x == y else "discordant")] += times[i] * times[j]
    assert {name: getattr(found, name) for name in tally} == tally


@settings(max_examples=40)
@given(ROWS, st.integers(0, 1000))
def test_both_ways_of_counting_agree(rows: list[tuple[int, int, int]], seed: int) -> None:
    first, second, _ = arrays(rows)
    weights = np.random.default_rng(seed).integers(0, 3, (4, len(rows))).astype(float)
    at_once = weighted_pairs(weights, first, second)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weighted, "ALL_AT_ONCE", 0)
        one_by_one = weighted_pairs(weights, first, second)
    assert at_once == pytest.approx(one_by_one, nan_ok=True)


def test_accuracies_by_hand() -> None:
    # Pairs: (a, b) alike, (a, c) tied for the second only, (b, c) discordant.
    found = PairCounts.of(np.array([1.0, 2, 3]), np.array([1.0, 2, 1]))
    assert (found.concordant, found.discordant, found.tied_second, found.pairs) == (1, 1, 1, 3)
    assert found.accuracy == pytest.approx(1 / 3)
    assert found.strict_accuracy == 0.5
    nothing = PairCounts.of(np.ones(3), np.ones(3))
    assert nothing.accuracy == 1
    assert math.isnan(nothing.tau)
    assert math.isnan(nothing.strict_accuracy)


def test_many_pairs_of_rows_at_once() -> None:
    generator = np.random.default_rng(1)
    first, second = generator.normal(size=(3, 20)), generator.normal(size=(3, 20))
    weights = generator.integers(0, 4, (5, 20)).astype(float)
    table = weighted_pearson(first, second, weights)
    for draw in range(5):
        times = weights[draw].astype(int)
        for row in range(3):
            expected = np.corrcoef(np.repeat(first[row], times), np.repeat(second[row], times))[0, 1]
            assert table[draw, row] == pytest.approx(expected)


def test_constant_values_have_no_correlation() -> None:
    weights = np.array([[1.0, 1, 1, 1], [2, 2, 0, 0]])
    found = weighted_pearson(np.array([1e9 + 0.1, 1e9 + 0.1, 1e9 + 1, 1e9 + 2]), np.array([1.0, 2, 3, 4]), weights)
    assert not math.isnan(found[0])
    assert math.isnan(found[1])


def test_resampling_draws_whole_clusters() -> None:
    values = np.array([1.0, 2, 10, 20, 30])
    clusters = np.array([0, 0, 1, 2, 2])

    def mean(weights: np.ndarray) -> np.ndarray:
        # The two units of a cluster are drawn equally often.
        assert (weights[:, 0] == weights[:, 1]).all()
        means: np.ndarray = (weights @ values / weights.sum(axis=1))[:, None]
        return means

    value, low, high = resampled(mean, clusters, Resampling(200, 3))
    assert value[0] == values.mean()
    assert 1.5 <= low[0] <= value[0] <= high[0] <= 25
    assert np.isnan(resampled(mean, np.zeros(5, dtype=int), Resampling(20))[1:]).all()


def test_infinite_draws_count_as_the_largest() -> None:
    def statistic(weights: np.ndarray) -> np.ndarray:
        return np.where(weights[:, :1] > 0, np.inf, weights[:, 1:2])

    value, low, high = resampled(statistic, np.arange(3), Resampling(200))
    assert math.isinf(value[0])
    assert math.isinf(high[0])
    assert math.isfinite(low[0])
