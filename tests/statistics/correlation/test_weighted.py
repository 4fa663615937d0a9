from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hengliang import UserError
from hengliang.statistics.correlation.coefficients import (
    MOST_FOR_WEIGHTED_KENDALL,
    bootstrap_coefficient,
    weighted_kendall,
    weighted_pearson,
    weighted_ranks,
    weighted_spearman,
)
from hengliang.statistics.resampling import Resampling, Way

COEFFICIENTS = [
    (weighted_pearson, stats.pearsonr),
    (weighted_spearman, stats.spearmanr),
    (weighted_kendall, stats.kendalltau),
]
rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 3)), min_size=4, max_size=12)


@settings(max_examples=60, deadline=None)
@given(rows)
def test_a_weight_is_how_often_the_observation_stands_there(observations: list[tuple[int, int, int]]) -> None:
    x, y, weights = (np.array(column, dtype=float) for column in zip(*observations, strict=True))
    times = weights.astype(int)
    many = np.repeat(x, times), np.repeat(y, times)
    for weighted, plain in COEFFICIENTS:
        (found,) = weighted(x, y, weights[None, :])
        if times.sum() < 2 or np.ptp(many[0]) == 0 or np.ptp(many[1]) == 0:
            assert np.isnan(found)
        else:
            assert found == pytest.approx(plain(*many).statistic, abs=1e-9)


def test_ranks_are_middle_ranks_less_one_half() -> None:
    # 3 once, 5 three times, 9 not drawn: ranks 1, (2 + 3 + 4)/3 = 3, and nothing that matters.
    assert weighted_ranks(np.array([5.0, 3.0, 9.0]), np.array([[3.0, 1.0, 0.0]]))[0, :2].tolist() == [2.5, 0.5]


def test_large_numbers_keep_their_digits() -> None:
    x, y = np.arange(20.0), np.random.default_rng(1).normal(size=20)
    far = weighted_pearson(x + 1e8, y, np.ones((1, 20)))[0]
    assert far == pytest.approx(weighted_pearson(x, y, np.ones((1, 20)))[0], abs=1e-6)


def test_the_bootstrap_of_observations_is_scipys() -> None:
    generator = np.random.default_rng(2)
    x = generator.normal(size=40)
    y = x + generator.normal(size=40)
    found = bootstrap_coefficient(weighted_spearman, x, y, (), Resampling(draws=4000))
    other = stats.bootstrap(
        (x, y),
        lambda a, b: stats.spearmanr(a, b).statistic,
        paired=True,
        vectorized=False,
        method="percentile",
        n_resamples=2000,
        rng=np.random.default_rng(3),
    ).confidence_interval
    assert (found.low[0], found.high[0]) == pytest.approx((other.low, other.high), abs=0.04)


def test_limits() -> None:
    one = bootstrap_coefficient(
        weighted_pearson, np.arange(5.0), np.arange(5.0) ** 2, (Way.of("item", [1] * 5),), Resampling()
    )
    assert np.isnan(one.low[0])
    many = np.zeros(MOST_FOR_WEIGHTED_KENDALL + 1)
    with pytest.raises(UserError, match="too many pairs"):
        weighted_kendall(many, many, many[None, :])
