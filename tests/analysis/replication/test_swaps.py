"""Are swaps counted as paper 001 defines them, and recovered from its percentages?"""

from __future__ import annotations

import itertools
import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.analysis.replication.swaps import (
    SwapCell,
    experiment_of,
    greatest_swaps,
    model_spread,
    swap_cell,
    swap_counts,
    swaps_between,
    two_reader_distance,
)
from hengliang.replication import published_numbers as published

PAPER = published("001")
SCENES = st.integers(2, 20).flatmap(
    lambda n: st.lists(st.integers(0, n), min_size=3, max_size=3).map(
        lambda cuts: tuple(b - a for a, b in itertools.pairwise([0, *sorted(cuts), n]))
    )
)


def scenes(size: int) -> list[tuple[int, ...]]:
    return [split for split in itertools.product(range(size + 1), repeat=4) if sum(split) == size]


@pytest.mark.parametrize("scene", [(2, 1, 0, 1), (1, 1, 1, 1), (4, 0, 0, 0), (2, 2, 1, 1)])
def test_the_greatest_number_of_swaps_by_enumeration(scene: tuple[int, ...]) -> None:
    assert greatest_swaps(scene) == max(swaps_between(scene, other) for other in scenes(sum(scene)))


@given(SCENES, st.data())
def test_two_readers_are_as_far_apart_as_their_deviations_say(scene: tuple[int, ...], data: st.DataObject) -> None:
    other = data.draw(st.permutations(scene))
    summed = sum(statistics.stdev(pair) for pair in zip(scene, other, strict=True))
    assert two_reader_distance(summed) == pytest.approx(swaps_between(scene, other))
    assert swaps_between(scene, other) == swaps_between(other, scene) <= greatest_swaps(scene)


def test_one_deviant_reader_of_four_is_one() -> None:
    # Three readers say (2, 1, 0, 1), one says (2, 1, 1, 0): two kinds deviate by √(3·(1/4)² + (3/4)²)/√3 = 1/2 each.
    readers = [(2, 1, 0, 1)] * 3 + [(2, 1, 1, 0)]
    assert sum(statistics.stdev(kind) for kind in zip(*readers, strict=True)) == pytest.approx(1)
    # Two readers one swap apart: two kinds at 1/√2 each.
    assert sum(statistics.stdev(kind) for kind in zip(*readers[2:], strict=True)) == pytest.approx(math.sqrt(2))


def test_every_percentage_is_a_whole_number_of_swaps() -> None:
    # 8.33 % of 3 pairs × 4 readers × 4 objects = 4 of 48, and so on.
    assert swap_counts(PAPER, "2") == {
        "Human": {4: 4, 9: 9, 20: 36},
        "QDG-IA": {4: 0, 9: 17, 20: 44},
        "QDG-GREEDY": {4: 1, 9: 12, 20: 36},
    }
    assert swap_counts(PAPER, "3") == {"QDG-IA": {6: 1, 10: 12, 16: 20}, "QDG-GREEDY": {6: 1, 10: 10, 16: 15}}
    assert experiment_of(PAPER, 16) == "B"


def test_a_cell() -> None:
    cell = swap_cell(PAPER, "A", 9)
    assert cell == SwapCell(4, 4, 9)
    assert (cell.most, cell.swaps("11.81%")) == (144, 17)
    assert cell.percentage(17) == pytest.approx(11.8056, abs=1e-4)


def test_the_least_spread_of_a_model() -> None:
    # Three scenes at 0, four at 10, three at 20: mean 10, sum of squares 3·100 + 3·100.
    found = model_spread(PAPER, "A", {4: 0.0, 9: 10.0, 20: 20.0})
    assert (found.mean, found.least_squares, found.pairs) == (10, 600, 10)
