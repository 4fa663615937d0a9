from __future__ import annotations

import math

import numpy as np
import pytest

from hengliang.statistics.permutation import CrossedFlips, rearranged_p
from hengliang.statistics.resampling import Way, two_way_variance


def crossed(items: int, raters: int) -> tuple[Way, Way]:
    return (
        Way.of("item", np.repeat(np.arange(items), raters)),
        Way.of("rater", np.tile(np.arange(raters), items)),
    )


def test_t_is_the_mean_over_its_two_way_error() -> None:
    ways = crossed(12, 6)
    differences = np.random.default_rng(2).normal(0.3, 1, 72) + np.random.default_rng(3).normal(size=6)[ways[1].codes]
    flips = CrossedFlips(differences, ways, 99, 1)
    t, error = flips.observed()
    variance = two_way_variance((differences - differences.mean()) / 72, ways)
    assert error == pytest.approx(math.sqrt(variance))
    assert t == pytest.approx(differences.mean() / error)
    # The fewer flip, whichever comes first.
    assert flips.flipped()[0].total == 2**6
    assert CrossedFlips(differences, ways[::-1], 99, 1).observed() == pytest.approx((t, error))


def test_every_flip_is_the_statistic_of_flipped_data() -> None:
    ways = crossed(7, 4)
    differences = np.random.default_rng(5).normal(0.5, 1, 28)[np.arange(28)]
    _, _, values = CrossedFlips(differences, ways, 1, 1).flipped(shift=0.2)
    for number, value in enumerate(values):
        signs = np.where((number >> np.arange(4)) & 1, -1.0, 1.0)
        moved = (differences - 0.2) * signs[ways[1].codes]
        assert value == pytest.approx(CrossedFlips(moved, ways, 1, 1).observed()[0])


def test_the_interval_is_the_border_of_what_is_rejected() -> None:
    ways = crossed(20, 8)
    generator = np.random.default_rng(6)
    differences = generator.normal(0.4, 1, 160) + 0.4 * generator.normal(size=8)[ways[1].codes]
    flips = CrossedFlips(differences, ways, 99, 1)
    interval = flips.interval(0.95)
    assert interval is not None
    low, high = interval
    assert low < flips.mean < high
    for bound, outward in ((low, -1), (high, 1)):
        inside, outside = (flips.flipped(bound + outward * step) for step in (-1e-3, 1e-3))
        assert rearranged_p(inside[1], inside[2], inside[0]) > 0.05
        assert rearranged_p(outside[1], outside[2], outside[0]) <= 0.05


def test_four_raters_cannot_reject() -> None:
    differences = np.random.default_rng(1).normal(size=40)
    assert CrossedFlips(differences, crossed(10, 4), 99, 1).interval(0.95) is None


def test_differences_that_are_all_alike() -> None:
    flips = CrossedFlips(np.full(36, 2.0), crossed(6, 6), 99, 1)
    assert flips.observed() == (math.inf, 0.0)
    assert CrossedFlips(np.zeros(36), crossed(6, 6), 99, 1).observed() == (0.0, 0.0)
    assert flips.interval(0.95) == (2.0, 2.0)


@pytest.mark.parametrize("size", [2e-14, 0.1, 0.3, -1e9 / 3])
def test_differences_of_any_size_that_are_all_alike(size: float) -> None:
    # Rounding leaves a variance of some 1e-16 of the square, which is no error of the mean.
    assert CrossedFlips(np.full(36, size), crossed(6, 6), 99, 1).observed()[0] == math.copysign(math.inf, size)
