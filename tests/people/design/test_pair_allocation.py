"""Has every pair its readers, is nobody asked twice or more than others, and is it all left to chance?"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.people.design.pair_allocation import (
    Allocation,
    Pair,
    again_by_scene,
    allocate,
    inevitable_repeats,
)


def pairs_of(scenes: dict[int, int], describers: str) -> list[Pair]:
    """Return so many scenes of each size, each with a description by every describer."""
    return [
        Pair(f"{size}-{number}-{who}", f"{size}-{number}", size)
        for size, count in scenes.items()
        for number in range(count)
        for who in describers
    ]


EXPERIMENT_A = pairs_of({4: 3, 9: 4, 20: 3}, "HIG")
EXPERIMENT_B = pairs_of({6: 6, 10: 6, 16: 6}, "IG")


def faults(pairs: Sequence[Pair], made: Allocation, readers: int, participants: int) -> list[str]:
    """Count everything anew, and return what is not as promised."""
    found = []
    by_id = {pair.id: pair for pair in pairs}
    read = Counter(id for shown in made.lists for id in shown)
    if read != dict.fromkeys(by_id, readers):
        found.append("a pair has other readers than wanted")
    if len(made.lists) != participants:
        found.append("there are other participants than wanted")
    if any(len(set(shown)) < len(shown) for shown in made.lists):
        found.append("somebody reads a pair twice")
    for size in (None, *{pair.size for pair in pairs}):
        loads = [sum(size in (None, by_id[id].size) for id in shown) for shown in made.lists]
        if max(loads) - min(loads) > 1:
            found.append(f"loads of size {size} are {loads}")
    for scene, described in Counter(pair.scene for pair in pairs).items():
        met = [sum(by_id[id].scene == scene for id in shown) for shown in made.lists]
        if max(met) > -(-described * readers // participants):
            found.append(f"somebody meets the scene {scene} {max(met)} times")
    for shown in made.lists:
        sizes = [by_id[id].size for id in shown]
        if sizes != sorted(sizes):
            found.append(f"sizes do not ascend: {sizes}")
    return found


@given(
    scenes=st.dictionaries(st.integers(1, 30), st.integers(1, 5), min_size=1, max_size=4),
    describers=st.integers(1, 4),
    readers=st.integers(1, 6),
    more=st.integers(0, 20),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=60, deadline=None)
def test_whatever_is_possible_is_even(
    scenes: dict[int, int], describers: int, readers: int, more: int, seed: int
) -> None:
    pairs = pairs_of(scenes, "HIGX"[:describers])
    participants = min(readers + more, len(pairs) * readers)
    made = allocate(pairs, readers, participants, seed)
    assert faults(pairs, made, readers, participants) == []
    assert made.again == inevitable_repeats(pairs, readers, participants) == again_by_scene(pairs, made.lists)
    # The same seed gives the same lists, in whatever order the pairs come.
    assert allocate(pairs[::-1], readers, participants, seed) == made


def test_the_plans_of_the_paper() -> None:
    first = allocate(EXPERIMENT_A, 4, 20)
    # Section 3.2.3: 30 pairs × 4 readers over 20 participants are 120 / 20 = 6 each.
    assert len(EXPERIMENT_A) == 30 and first.loads == (6,) * 20 and first.again == 0
    second = allocate(EXPERIMENT_B, 2, 20)
    # 36 pairs (ids 31 to 66; the text says 66 pairs and 2 to 3 each) × 2 readers are 72: 12 read four, 8 read three.
    assert len(EXPERIMENT_B) == 36 and Counter(second.loads) == {4: 12, 3: 8} and second.again == 0


def test_experts_who_see_everything_see_scenes_again() -> None:
    made = allocate(EXPERIMENT_A, 4, 4)
    # Each of 4 experts sees all 30 pairs of 10 scenes: 20 of them are of a scene seen before, as must be.
    assert made.loads == (30,) * 4
    assert made.again == inevitable_repeats(EXPERIMENT_A, 4, 4) == 80


def valid_allocations(pairs: Sequence[Pair], readers: int, participants: int) -> set[tuple[frozenset[str], ...]]:
    """Try every way to give readers to pairs, and keep those without a fault: brute force."""
    choices = list(itertools.combinations(range(participants), readers))
    found = set()
    for chosen in itertools.product(choices, repeat=len(pairs)):
        lists = tuple(
            tuple(pair.id for pair, people in sorted(zip(pairs, chosen, strict=True), key=_size) if person in people)
            for person in range(participants)
        )
        if not faults(pairs, Allocation(lists, readers, 1), readers, participants):
            found.add(tuple(frozenset(shown) for shown in lists))
    return found


def _size(held: tuple[Pair, tuple[int, ...]]) -> int:
    return held[0].size


@pytest.mark.parametrize(
    ("scenes", "describers", "readers", "participants"),
    [({4: 2}, "IG", 2, 4), ({4: 1, 9: 2}, "IG", 1, 3), ({4: 1, 6: 1, 9: 1}, "I", 2, 4)],
)
def test_all_allocations_are_reached_equally_often(
    scenes: dict[int, int], describers: str, readers: int, participants: int
) -> None:
    pairs = pairs_of(scenes, describers)
    possible = valid_allocations(pairs, readers, participants)
    draws = 25 * len(possible)
    seen = Counter(
        tuple(frozenset(shown) for shown in allocate(pairs, readers, participants, seed).lists) for seed in range(draws)
    )
    assert set(seen) == possible
    # χ² with so many degrees of freedom has this mean and a standard deviation of √(2 df); 5 of them are one in 10⁶.
    statistic = sum((seen[each] - 25) ** 2 / 25 for each in possible)
    freedom = len(possible) - 1
    assert statistic < freedom + 5 * (2 * freedom) ** 0.5 + 5


def test_the_order_within_a_size_is_random() -> None:
    pairs = pairs_of({4: 3}, "I")
    orders = Counter(allocate(pairs, 2, 2, seed).lists[0] for seed in range(600))
    # Six orders of three pairs, 100 times each; the standard deviation is about 9.
    assert len(orders) == 6 and min(orders.values()) > 55 and max(orders.values()) < 145


@pytest.mark.parametrize(
    ("pairs", "readers", "participants", "said"),
    [
        ([], 1, 1, "no pairs"),
        (EXPERIMENT_A, 0, 20, "0 readers of a pair are none"),
        (EXPERIMENT_A, 4, 0, "0 participants are none"),
        (EXPERIMENT_A, 4, 3, "4 different readers, but there are 3 participants"),
        (EXPERIMENT_A, 1, 31, "30 readings: of 31 participants 1 would have nothing"),
        ([Pair("a", "s", 4), Pair("a", "t", 4)], 1, 1, "Two pairs are called 'a'"),
        ([Pair("a", "s", 4), Pair("b", "s", 9)], 1, 1, "'s' has the sizes 4 and 9"),
    ],
)
def test_what_is_impossible_is_refused_with_its_numbers(
    pairs: list[Pair], readers: int, participants: int, said: str
) -> None:
    with pytest.raises(UserError, match=said):
        allocate(pairs, readers, participants)
