"""Is the AUC the share of pairs in the right order, and is its interval right when sentences come in clusters?"""

from __future__ import annotations

import json
import math
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from hengliang import UserError
from hengliang.statistics.area_under_curve import (
    STATISTICS,
    area_difference,
    area_under_curve,
    discriminate,
    own_pairs,
    pairs_won,
    weighted_area,
    weighted_discrimination,
)
from hengliang.statistics.resampling import Resampling, Way
from tests import ORACLES

ORACLE: dict[str, Any] = json.loads((ORACLES / "area_under_curve.json").read_text(encoding="utf-8"))
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

SAMPLES = st.lists(st.tuples(st.booleans(), st.integers(-4, 4)), min_size=2, max_size=25).filter(
    lambda rows: len({side for side, _ in rows}) == 2
)


def columns(rows: list[tuple[bool, int]]) -> tuple[Flags, Floats]:
    return np.array([side for side, _ in rows]), np.array([score for _, score in rows], np.float64)


# --- the sample -----------------------------------------------------------------------------------------------------


@given(SAMPLES)
def test_it_is_the_share_of_pairs_in_the_right_order(rows: list[tuple[bool, int]]) -> None:
    side, scores = columns(rows)
    pairs = [float(a > b) + (a == b) / 2 for a, b in product(scores[side], scores[~side])]
    area = area_under_curve(side, scores)
    assert area == pytest.approx(sum(pairs) / len(pairs))
    assert area == pytest.approx(roc_auc_score(side, scores))
    u = stats.mannwhitneyu(scores[side], scores[~side], method="asymptotic").statistic
    assert area == pytest.approx(u / (side.sum() * (~side).sum()))


@given(SAMPLES, st.randoms(use_true_random=False))
def test_sides_scale_and_order_of_rows(rows: list[tuple[bool, int]], random: Any) -> None:
    side, scores = columns(rows)
    area = area_under_curve(side, scores)
    assert 0 <= area <= 1
    assert area_under_curve(~side, scores) == pytest.approx(1 - area)
    assert area_under_curve(side, -scores) == pytest.approx(1 - area)
    assert area_under_curve(side, np.exp(3 * scores) - 7) == pytest.approx(area)
    order = list(range(len(rows)))
    random.shuffle(order)
    assert area_under_curve(side[order], scores[order]) == pytest.approx(area)


def test_by_hand() -> None:
    # Pairs of (3, 1) with (1, 0): 3>1, 3>0, 1=1, 1>0: 3.5 of 4.
    assert area_under_curve([1, 1, 0, 0], [3, 1, 1, 0]) == 0.875
    assert area_under_curve([True, False], [2, 2]) == 0.5


def test_the_numbers_of_proc() -> None:
    first, second = (area_under_curve(ORACLE["acceptable"], ORACLE[name]) for name in ("first", "second"))
    assert [first, second] == pytest.approx(ORACLE["areas"], rel=1e-12)


@given(SAMPLES)
def test_correlations_are_those_of_scipy(rows: list[tuple[bool, int]]) -> None:
    side, scores = columns(rows)
    _, r, rho = weighted_discrimination(side, scores, np.ones((1, len(rows))))[0]
    if len(set(scores.tolist())) == 1:
        assert math.isnan(r)
        assert math.isnan(rho)
    else:
        assert r == pytest.approx(stats.pearsonr(side, scores).statistic, abs=1e-12)
        assert rho == pytest.approx(stats.spearmanr(side, scores).statistic, abs=1e-12)


@given(
    SAMPLES.flatmap(
        lambda rows: st.tuples(st.just(rows), st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    )
)
def test_a_weight_of_two_is_the_sentence_written_twice(held: tuple[list[tuple[bool, int]], list[int]]) -> None:
    rows, weights = held
    side, scores = columns(rows)
    written = [row for row, weight in zip(rows, weights, strict=True) for _ in range(weight)]
    found = weighted_discrimination(side, scores, np.array([weights, [1] * len(rows)], np.float64))
    if len({one for one, _ in written}) < 2:
        assert np.isnan(found[0, 0])
        return
    again, numbers = columns(written)
    expected = weighted_discrimination(again, numbers, np.ones((1, len(written))))[0]
    assert found[0] == pytest.approx(expected, abs=1e-9, nan_ok=True)
    assert found[1, 0] == pytest.approx(area_under_curve(side, scores))


# --- clusters -------------------------------------------------------------------------------------------------------


def clustered(n: int, seed: int, shared: float = 1.0) -> tuple[Flags, Floats, Floats, npt.NDArray[np.int64]]:
    """Draw source sentences with one to three changed versions each; `shared` is what a source gives all of them."""
    generator = np.random.default_rng(seed)
    versions = generator.integers(1, 4, n)
    cluster = np.repeat(np.arange(n), versions + 1)
    first = np.concatenate([[True] + [False] * count for count in versions])
    source = generator.normal(0, shared, n)[cluster]
    scores = [source + 0.8 * first + generator.normal(0, 1, len(first)) for _ in range(2)]
    return first, scores[0], scores[1], cluster


def placements(side: Flags, scores: Floats) -> tuple[Floats, Floats]:
    table = (scores[side][:, None] > scores[~side]) + 0.5 * (scores[side][:, None] == scores[~side])
    return table.mean(axis=1), table.mean(axis=0)


def influences(side: Flags, scores: Floats, cluster: npt.NDArray[np.int64]) -> Floats:
    """Return what each cluster adds to the AUC: the terms of Obuchowski (1997), her equations for S10, S01 and S11."""
    of_better, of_worse = placements(side, scores)
    area = of_better.mean()
    parts = np.zeros(len(side))
    parts[side] = (of_better - area) / side.sum()
    parts[~side] = (of_worse - area) / (~side).sum()
    sums: Floats = np.bincount(cluster, parts).astype(np.float64)
    return sums


def clustered_variance(parts: Floats) -> float:
    # With every cluster on both sides, I/(I-1) is common to the three terms.
    return float(len(parts) / (len(parts) - 1) * (parts**2).sum())


def test_without_clusters_the_check_is_the_variance_of_delong() -> None:
    side = np.array(ORACLE["acceptable"], bool)
    one, two = (np.array(ORACLE[name]) for name in ("first", "second"))
    found = []
    for scores in (one, two):
        better, worse = placements(side, scores)
        found.append(better.var(ddof=1) / len(better) + worse.var(ddof=1) / len(worse))
    assert found == pytest.approx(ORACLE["variances"], rel=1e-9)


def standard_error(low: float, high: float) -> float:
    return (high - low) / (2 * 1.959964)


def test_the_interval_is_as_wide_as_the_clustered_variance_says() -> None:
    side, scores, _, cluster = clustered(300, 1)
    found = discriminate(side, scores, cluster, Resampling(draws=3000))
    error = math.sqrt(clustered_variance(influences(side, scores, cluster)))
    assert standard_error(found.low[0], found.high[0]) == pytest.approx(error, rel=0.06)
    # Versions of one source go together, which a comparison that takes them as independent does not see.
    apart = discriminate(side, scores, np.arange(len(side)), Resampling(draws=3000))
    assert standard_error(apart.low[0], apart.high[0]) > 1.1 * error
    assert apart.value.tolist() == found.value.tolist()
    assert len(found.value) == len(STATISTICS)


def test_the_difference_is_as_sure_as_the_clustered_variance_says() -> None:
    side, one, other, cluster = clustered(300, 2)
    two = 0.7 * one + 0.3 * other
    found = area_difference(side, one, two, cluster, Resampling(draws=3000))
    parts = influences(side, two, cluster) - influences(side, one, cluster)
    error = math.sqrt(clustered_variance(parts))
    assert found.value == pytest.approx(roc_auc_score(side, two) - roc_auc_score(side, one))
    assert standard_error(found.intervals.low[2], found.intervals.high[2]) == pytest.approx(error, rel=0.06)
    z = found.value / error
    assert found.p == pytest.approx(2 * stats.norm.sf(abs(z)), abs=0.02)


def test_the_paired_test_of_delong() -> None:
    # pROC takes sentences as independent: each is a cluster of its own. p = .756 there.
    found = area_difference(ORACLE["acceptable"], ORACLE["first"], ORACLE["second"], range(60), Resampling(draws=4000))
    assert found.value == pytest.approx(ORACLE["areas"][1] - ORACLE["areas"][0])
    assert found.p == pytest.approx(ORACLE["p"], abs=0.04)
    variance = sum(ORACLE["variances"]) - 2 * ORACLE["covariance"]
    width = standard_error(found.intervals.low[2], found.intervals.high[2])
    assert width == pytest.approx(math.sqrt(variance), rel=0.06)


def test_all_draws_by_enumeration() -> None:
    # Three clusters have 27 equally likely resamples, whose areas have jumps at .148, .259, .593 and .815: the
    # quantiles .2 and .8 lie between them, so that 20,000 draws hit the same values.
    side = np.array([True, False, True, False, True, False])
    scores = np.array([2.0, 1.0, 1.5, 1.7, 0.5, 0.2])
    cluster = np.array([0, 0, 1, 1, 2, 2])
    every = np.array([np.bincount(drawn, minlength=3)[cluster] for drawn in product(range(3), repeat=3)], np.float64)
    own = own_pairs(side, scores, Way.of("cluster", cluster))
    areas = weighted_area(side, scores, every, own)
    found = discriminate(side, scores, cluster, Resampling(draws=20_000, level=0.6))
    low, high = np.quantile(areas, [0.2, 0.8])
    assert [found.low[0], found.high[0]] == pytest.approx([low, high])


@given(
    st.lists(st.tuples(st.booleans(), st.integers(-3, 3), st.integers(0, 3)), min_size=2, max_size=10),
    st.lists(st.integers(0, 3), min_size=4, max_size=4),
)
def test_no_sentence_is_compared_with_the_copies_of_its_cluster(
    rows: list[tuple[bool, int, int]], weights: list[int]
) -> None:
    side, scores = columns([(one, score) for one, score, _ in rows])
    cluster = np.array([label for *_, label in rows])
    own = own_pairs(side, scores, Way.of("cluster", cluster))
    found = weighted_area(side, scores, np.array([[weights[label] for label in cluster]], np.float64), own)[0]
    # Written out: every copy of a cluster has a number, and copies of one cluster do not meet.
    copies = [(*row, copy) for row in rows for copy in range(weights[row[2]])]
    met = [
        (a[1] > b[1]) + (a[1] == b[1]) / 2
        for a, b in product(copies, copies)
        if a[0] and not b[0] and (a[2] != b[2] or a[3] == b[3])
    ]
    assert found == pytest.approx(np.mean(met) if met else math.nan, nan_ok=True)


def test_without_pairs_of_copies_the_draws_lie_around_the_value() -> None:
    # All 3,125 resamples of five sources whose originals lie a little above their versions.
    generator = np.random.default_rng(7)
    cluster = np.repeat(np.arange(5), 2)
    side = np.tile([True, False], 5)
    scores = generator.normal(0, 2, 5)[cluster] + 0.3 * side
    every = np.array([np.bincount(drawn, minlength=5)[cluster] for drawn in product(range(5), repeat=5)], np.float64)
    value = area_under_curve(side, scores)
    own = own_pairs(side, scores, Way.of("cluster", cluster))
    shift = abs(weighted_area(side, scores, every, own).mean() - value)
    assert shift < abs(weighted_area(side, scores, every).mean() - value) / 3


def test_the_same_score_twice_does_not_differ() -> None:
    side, scores, _, cluster = clustered(40, 3)
    found = area_difference(side, scores, 2 * scores + 1, cluster, Resampling(draws=200))
    assert (found.value, found.p) == (0, 1)
    assert [found.intervals.low[2], found.intervals.high[2]] == [0, 0]


def test_a_difference_turned_round_has_the_other_sign_and_the_same_p() -> None:
    side, one, two, cluster = clustered(60, 4)
    there = area_difference(side, one, two, cluster, Resampling(draws=500))
    back = area_difference(side, two, one, cluster, Resampling(draws=500))
    assert there.value == -back.value
    assert there.p == back.p
    assert there.intervals.low[2] == pytest.approx(-back.intervals.high[2])


def test_a_clear_difference_has_the_smallest_p_there_is() -> None:
    side = np.tile([True, False], 30)
    noise = np.random.default_rng(5).normal(0, 1, 60)
    found = area_difference(side, noise, noise + 20 * side, np.repeat(np.arange(30), 2), Resampling(draws=399))
    assert found.p == pytest.approx(2 / 400)


# --- seeds, pairs ---------------------------------------------------------------------------------------------------


def test_seeds_have_the_mean_of_their_statistics() -> None:
    side, one, two, cluster = clustered(30, 6)
    found = discriminate(side, [one, 100 * two], cluster, Resampling(draws=50))
    apart = [discriminate(side, scores, cluster, Resampling(draws=50)).value for scores in (one, two)]
    assert found.value == pytest.approx(np.mean(apart, axis=0))
    difference = area_difference(side, one, [one, two], cluster, Resampling(draws=50))
    assert difference.value == pytest.approx((apart[1][0] - apart[0][0]) / 2)


def test_pairs_are_won_lost_or_tied() -> None:
    assert pairs_won([3, 1, 2], [1, 3, 2]).tolist() == [1, 0, 0.5]
    # By seeds: both won; one won and one tied; one won and one lost.
    assert pairs_won([[3, 3, 3], [3, 2, 1]], [[1, 1, 1], [1, 2, 2]]).tolist() == [1, 0.75, 0.5]


# --- what cannot be compared ----------------------------------------------------------------------------------------


def test_one_cluster_gives_no_interval() -> None:
    found = discriminate([1, 0], [2, 1], ["a", "a"], Resampling(draws=10))
    assert found.value[0] == 1
    assert np.isnan(found.low).all()
    assert area_difference([1, 0], [2, 1], [1, 2], ["a", "a"], Resampling(draws=10)).p is None


@pytest.mark.parametrize(
    ("acceptable", "scores", "said"),
    [
        ([], [], "0 of 0"),
        ([1, 1], [1, 2], "2 of 2"),
        ([0], [1], "0 of 1"),
        ([1, 0], [1, None], "without a score"),
        ([None, 0], [1, 2], "nobody says"),
        ([1, 0], [1, float("inf")], "infinite"),
        ([1, 0], ["a", "b"], "no number"),
        ([1, 2], [1, 2], "2 is no side"),
        ([1, 0, 1], [1, 2], "2 scores for 3 sentences"),
    ],
)
def test_what_cannot_be_told_apart_is_said(acceptable: list[Any], scores: list[Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        area_under_curve(acceptable, scores)


def test_settings_that_do_not_fit_are_said() -> None:
    with pytest.raises(UserError, match="3 clusters for 2 sentences"):
        discriminate([1, 0], [2, 1], [1, 2, 3], Resampling())
    with pytest.raises(UserError, match="no bca interval"):
        discriminate([1, 0], [2, 1], [1, 2], Resampling(interval="bca"))
    with pytest.raises(UserError, match="0 draws"):
        discriminate([1, 0], [2, 1], [1, 2], Resampling(draws=0))
