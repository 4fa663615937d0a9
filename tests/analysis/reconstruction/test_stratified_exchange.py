"""Is the difference taken within strata, and p that of all exchanges?"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.analysis.reconstruction.stratified_exchange import stratified_exchange
from hengliang.statistics import TestResult

World = list[tuple[str, str, list[float]]]
"""Clusters: stratum, label and values."""

WORLD: World = [
    ("s", "A", [1.0, 2.0]), ("s", "A", [3.0]), ("s", "B", [0.0, 1.0]),
    ("t", "A", [9.0]), ("t", "B", [7.0, 8.0]), ("t", "B", [6.0, 8.0, 9.0]),
]  # fmt: skip


def run(world: World) -> TestResult:
    rows = [(place, *cluster[:2], value) for place, cluster in enumerate(world) for value in cluster[2]]
    clusters, strata, labels, values = zip(*rows, strict=True)
    return stratified_exchange(values, labels, clusters=clusters, strata=strata, names=("A", "B"))


def statistic(world: World, first: set[int]) -> float:
    """Return the weighted mean of differences, written out; `first` are the clusters that bear A."""
    total = weights = 0.0
    for stratum in {cluster[0] for cluster in world}:
        inside = [place for place, cluster in enumerate(world) if cluster[0] == stratum]
        own, other = [p for p in inside if p in first], [p for p in inside if p not in first]
        if own and other:
            weight = len(own) * len(other) / len(inside)
            means = [np.mean([value for p in side for value in world[p][2]]) for side in (own, other)]
            total, weights = total + weight * float(means[0] - means[1]), weights + weight
    return total / weights


def brute_force(world: World) -> tuple[float, float]:
    now = {place for place, cluster in enumerate(world) if cluster[1] == "A"}
    choices = []
    for stratum in {cluster[0] for cluster in world}:
        inside = [place for place, cluster in enumerate(world) if cluster[0] == stratum]
        choices.append(list(combinations(inside, len(now & set(inside)))))
    every = [statistic(world, {place for part in chosen for place in part}) for chosen in product(*choices)]
    observed = statistic(world, now)
    return observed, float(np.mean([abs(value) >= abs(observed) - 1e-9 for value in every]))


def test_by_hand() -> None:
    # s: A has 1, 2, 3, B has 0, 1: 2 − .5 = 1.5, weight 2·1/3. t: 9 − 38/5 = 1.4, weight 1·2/3. Mean 1.45.
    found = run(WORLD)
    assert found.statistic == pytest.approx(1.45) and found.p == pytest.approx(brute_force(WORLD)[1])
    assert found.conventions["rearrangements"] == "all 9" and found.conventions["strata"] == "2 × size"


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("st"), st.sampled_from("AB"), st.lists(st.integers(0, 9), min_size=1, max_size=3)),
        min_size=4,
        max_size=7,
    )
)
def test_against_all_exchanges(drawn: list[tuple[str, str, list[int]]]) -> None:
    world = [(stratum, label, [float(value) for value in values]) for stratum, label, values in drawn]
    both = [{label for stratum, label, _ in world if stratum == name} == {"A", "B"} for name in "st"]
    if not any(both):
        with pytest.raises(UserError, match="nothing to exchange"):
            run(world)
        return
    found = run(world)
    assert (found.statistic, found.p) == pytest.approx(brute_force(world))


def test_a_shift_of_a_whole_stratum_changes_nothing() -> None:
    moved = [(s, label, [value + (100 if s == "t" else 0) for value in values]) for s, label, values in WORLD]
    one, other = run(WORLD), run(moved)
    assert (one.statistic, one.p) == pytest.approx((other.statistic, other.p))


def test_clusters_of_two_labels_are_refused() -> None:
    with pytest.raises(UserError, match="two labels"):
        stratified_exchange([1, 2, 3], ["A", "B", "B"], clusters=[1, 1, 2], strata=[1, 1, 1], names=("A", "B"))
