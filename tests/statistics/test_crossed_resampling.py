from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from hengliang import UserError
from hengliang.statistics.resampling import (
    Floats,
    Resampling,
    Way,
    bootstrap,
    cluster_counts,
    crossed_bootstrap,
    crossed_draws,
    crossed_intervals,
    describe_crossed,
    percentile_intervals,
    row_weights,
    sums_left_out,
    two_way_variance,
    ways_of,
    widest_ways,
)


def mean(sums: Floats) -> Floats:
    means: Floats = sums[:, :1] / sums[:, 1:]
    return means


def columns(values: Floats) -> Floats:
    return np.column_stack([values, np.ones(len(values))])


def one_way(values: Floats, way: Way, how: Resampling) -> tuple[float, float]:
    place = np.repeat([0, 1], len(values))
    weights = np.concatenate([values, np.ones(len(values))])
    found = bootstrap(cluster_counts(np.tile(way.codes, 2), place, weights, shape=(way.levels, 2)), mean, how)
    return found.low[0], found.high[0]


labels = st.lists(st.integers(0, 5), min_size=3, max_size=30).filter(lambda held: len(set(held)) > 1)


@settings(max_examples=30, deadline=None)
@given(labels, st.integers(0, 5))
def test_one_way_alone_is_the_clustered_bootstrap_draw_for_draw(clusters: list[int], seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=len(clusters))
    how, way = Resampling(draws=50, seed=seed), Way.of("item", clusters)
    found = crossed_bootstrap(columns(values), mean, (way,), how)
    assert (found.low[0], found.high[0]) == pytest.approx(one_way(values, way, how), nan_ok=True)


@settings(max_examples=30, deadline=None)
@given(labels, st.integers(0, 5))
def test_with_one_rater_an_item_it_is_the_bootstrap_by_rater(rater: list[int], seed: int) -> None:
    # Every row is an item of its own, so items lie within raters and drawing whole raters draws them too. Where every
    # rater has one item, both number the same rows, only in another order.
    assume(len(set(rater)) < len(rater))
    values = np.random.default_rng(seed).normal(size=len(rater))
    how, raters = Resampling(draws=50, seed=seed), Way.of("rater", rater)
    items = Way.of("item", range(len(rater)))
    found = crossed_bootstrap(columns(values), mean, (items, raters), how)
    assert (found.low[0], found.high[0]) == pytest.approx(one_way(values, raters, how), nan_ok=True)
    swapped = crossed_bootstrap(columns(values), mean, (raters, items), how)
    assert (swapped.low[0], swapped.high[0]) == pytest.approx((found.low[0], found.high[0]), nan_ok=True)


def test_ways_within_others_are_left_out() -> None:
    rows = Way.of("row", range(6))
    items = Way.of("item", list("aabbcc"))
    raters = Way.of("rater", [1, 2, 1, 2, 1, 2])
    assert widest_ways((rows, items)) == (items,)
    assert widest_ways((items, raters)) == (items, raters)
    assert widest_ways((items, Way.of("other", list("xxyyzz")))) == (items,)
    assert widest_ways((rows, items, raters)) == (items, raters)


def test_weights_are_products_of_two_independent_multinomials() -> None:
    items, raters = Way.of("item", np.repeat(np.arange(4), 5)), Way.of("rater", np.tile(np.arange(5), 4))
    weights = np.concatenate(list(row_weights((items, raters), 20_000, seed=3)))
    assert weights.shape == (20_000, 20)
    assert (weights.sum(axis=1) == 20).all()
    # E[w²] of a product is (2 − 1/4)(2 − 1/5) = 3.15; the standard error with 20,000 draws is about 0.04.
    assert np.square(weights).mean() == pytest.approx(3.15, abs=0.1)


def test_the_variance_is_that_of_owen() -> None:
    # Balanced I × J without items or raters behind the numbers: the pigeonhole variance of the mean is
    # near three times σ²/N (Owen 2007), the two-way variance near σ²/N.
    generator = np.random.default_rng(5)
    items, raters = Way.of("item", np.repeat(np.arange(30), 30)), Way.of("rater", np.tile(np.arange(30), 30))
    ratios, plain = [], []
    for _ in range(20):
        values = generator.normal(size=900)
        drawn = crossed_draws(columns(values), mean, (items, raters), Resampling(draws=300, seed=1))
        ratios.append(drawn.var() * 900)
        plain.append(two_way_variance((values - values.mean()) / 900, (items, raters)) * 900)
    assert np.mean(ratios) == pytest.approx(3, abs=0.35)
    # Where it falls below the larger part that part stands, so it averages a little above 1.
    assert 0.95 < np.mean(plain) < 1.5


def test_two_way_variance_by_hand() -> None:
    # u = [[1, 2], [3, −1]]: items 3² + 2² = 13, raters 4² + 1² = 17, cells 1 + 4 + 9 + 1 = 15; 13 + 17 − 15 = 15 < 17.
    items, raters = Way.of("item", [0, 0, 1, 1]), Way.of("rater", [0, 1, 0, 1])
    assert two_way_variance(np.array([1.0, 2.0, 3.0, -1.0]), (items, raters)) == 17
    # u = [[1, 2], [−1, −2]]: items 9 + 9 = 18, raters 0, cells 10: 8 is below 18.
    assert two_way_variance(np.array([1.0, 2.0, -1.0, -2.0]), (items, raters)) == 18
    # u = [[2, 1], [1, 2]]: items 9 + 9, raters 9 + 9, cells 10: 26.
    assert two_way_variance(np.array([2.0, 1.0, 1.0, 2.0]), (items, raters)) == 26
    assert two_way_variance(np.array([1.0, 2.0, 3.0, -1.0]), (items,)) == 13


def test_coverage_when_raters_and_items_both_matter() -> None:
    # 25 items × 12 raters, standard deviations .5, .5 and 1, truth 0, 200 samples: the standard error of a rate of .95
    # is .015. Drawing items alone takes these raters for all raters.
    generator = np.random.default_rng(11)
    items, raters = Way.of("item", np.repeat(np.arange(25), 12)), Way.of("rater", np.tile(np.arange(12), 25))
    how = Resampling(draws=200)
    both = one = 0
    for _ in range(200):
        values = 0.5 * generator.normal(size=25)[items.codes] + 0.5 * generator.normal(size=12)[raters.codes]
        values += generator.normal(size=300)
        found = crossed_bootstrap(columns(values), mean, (items, raters), how)
        both += found.low[0] <= 0 <= found.high[0]
        low, high = one_way(values, items, how)
        one += low <= 0 <= high
    assert both / 200 > 0.9
    assert one / 200 < 0.85


def test_one_rater_gives_no_interval_and_the_method_says_so() -> None:
    items, raters = Way.of("item", [0, 1, 2, 3]), Way.of("rater", ["r"] * 4)
    found = crossed_bootstrap(columns(np.arange(4.0)), mean, (items, raters), Resampling())
    assert found.value[0] == 1.5
    assert math.isnan(found.low[0])
    assert describe_crossed(Resampling(), found, (items, raters)) == "no interval: 1 rater cannot be resampled"


def test_few_levels_get_the_t_interval_of_the_mean() -> None:
    # One way with as many ratings in each cluster: the t interval of the cluster means, as SciPy has it.
    values = np.random.default_rng(4).normal(size=24)
    clusters = Way.of("rater", np.repeat(np.arange(6), 4))
    found, told = crossed_intervals(columns(values), mean, (clusters,), Resampling(level=0.9))
    expected = stats.ttest_1samp(values.reshape(6, 4).mean(axis=1), 0).confidence_interval(0.9)
    assert (found.low[0], found.high[0]) == pytest.approx((expected.low, expected.high))
    assert told == "0.9 t interval, jackknife variance by 6 levels of rater, degrees of freedom 5"
    # Enough levels are drawn, as without this.
    many, how = Way.of("item", np.arange(24)), Resampling(draws=50)
    drawn, method = crossed_intervals(columns(values), mean, (many,), how)
    plain = crossed_bootstrap(columns(values), mean, (many,), how)
    assert (drawn.low[0], drawn.high[0]) == (plain.low[0], plain.high[0])
    assert method == describe_crossed(how, plain, (many,))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=20), st.integers(0, 5))
def test_sums_without_a_level_are_those_of_the_rest(places: list[tuple[int, int]], seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=(len(places), 2))
    one, other = np.array(places).T
    two = one != other
    found = sums_left_out(values, one, 5, (values[two], other[two]))
    for level in range(5):
        rest = values[(one != level) & (other != level)].sum(axis=0)
        assert found[level] == pytest.approx(rest, abs=1e-9)
        if not len(values[(one != level) & (other != level)]):
            assert (found[level] == 0).all()


def test_items_within_raters_bound_the_interval_from_below() -> None:
    raters, items = Way.of("rater", [0, 0, 1, 1]), Way.of("item", range(4))
    found, told = crossed_intervals(columns(np.array([1.0, 5.0, 2.0, 4.0])), mean, (items, raters), Resampling())
    alone, _ = crossed_intervals(columns(np.array([1.0, 5.0, 2.0, 4.0])), mean, (items,), Resampling())
    # Both raters have the mean 3, so that the raters' own variance is 0.
    assert (found.low[0], found.high[0]) == pytest.approx((alone.low[0], alone.high[0]))
    assert "item lies within rater, and the interval is no narrower than with 4 levels of item for units" in told


def test_there_is_no_t_interval_without_variation_or_from_one_level() -> None:
    raters = Way.of("rater", [0, 0, 1, 1])
    alike, told = crossed_intervals(columns(np.ones(4)), mean, (raters,), Resampling())
    assert math.isnan(alike.low[0]) and "none where nothing varies" in told
    one, told = crossed_intervals(columns(np.arange(4.0)), mean, (Way.of("rater", ["r"] * 4),), Resampling())
    assert math.isnan(one.low[0]) and told == "no interval: 1 rater says nothing about others"


def test_description_names_both_ways() -> None:
    items, raters = Way.of("item", np.repeat(np.arange(30), 8)), Way.of("rater", np.tile(np.arange(8), 30))
    found = crossed_bootstrap(columns(np.arange(240.0)), mean, (items, raters), Resampling(draws=20, seed=7))
    told = describe_crossed(Resampling(draws=20, seed=7), found, (items, raters))
    assert "30 levels of item and 8 levels of rater drawn with replacement" in told
    assert "seed 7" in told and "so few levels of rater" in told
    nested = describe_crossed(Resampling(), found, (Way.of("row", range(240)), items))
    assert "row not drawn, for it lies within item" in nested


def test_percentiles_leave_out_what_is_not_defined_and_withhold_what_misses_its_value() -> None:
    drawn = np.array([[1.0, 5.0], [2.0, 6.0], [np.nan, 7.0]])
    found = percentile_intervals(np.array([1.5, 1.0]), drawn, 0.5, 3)
    assert (found.low[0], found.high[0]) == (1.25, 1.75)
    assert np.isnan(found.low[1])
    assert found.undefined == 1


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="Observation 2 has no rater"):
        Way.of("rater", ["a", None, "b"])
    with pytest.raises(UserError, match="Observation 1 has no rater"):
        Way.of("rater", [math.nan, 1.0])
    with pytest.raises(UserError, match="2 labels of 'item' for 3"):
        ways_of({"item": [1, 2], "rater": None}, 3)
    items = Way.of("item", [0, 1])
    with pytest.raises(UserError, match="no bca interval"):
        crossed_bootstrap(columns(np.arange(2.0)), mean, (items,), Resampling(interval="bca"))
    with pytest.raises(UserError, match="3 ways"):
        two_way_variance(np.arange(2.0), (items, items, items))
