"""Does the incremental algorithm keep to its order, and move a pattern up when it should?"""

from __future__ import annotations

from collections import Counter
from math import gcd
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.materials.quantified_expressions import Description, Expression, denotation, is_true
from hengliang.materials.quantifiers import READINGS, Reading
from hengliang.materials.scenes import Scene, read_scene, scene_space
from hengliang.systems.describers.candidate_tables import DENOMINATORS
from hengliang.systems.describers.candidates import CRISP, candidates, pattern_name
from hengliang.systems.describers.incremental import Incremental, moved_up
from hengliang.systems.describers.preferences import Preferences, shipped_preferences
from tests.systems.describers.scene_strategies import scenes

FRACTIONS = [(part, whole) for whole in DENOMINATORS for part in range(1, whole) if gcd(part, whole) == 1]


def walked(scene: Scene, reading: Reading, preferred: Preferences, longest: int) -> Description:
    """Return what a plain walk through all candidates in the order of preference says, if it asserts something new."""
    held = candidates(scene.domain, CRISP)
    order = preferred.order_of(one.pattern for one in held)
    ranks = preferred.filler_ranks(held, scene.domain)
    ranked = sorted(range(len(held)), key=lambda place: (order.index(held[place].pattern), ranks[place]))
    space = scene_space(scene.domain, scene.size)
    left = space.everything
    said: list[Expression] = []
    for place in ranked:
        for numbers in FRACTIONS if held[place].quantifier == "fraction" else [()]:
            expression = held[place].expression(numbers)
            if left.bit_count() == 1 or len(said) == longest or not is_true(expression, scene, reading):
                continue
            fewer = left & denotation(expression, space, reading)
            new = left & denotation(expression, space, "semantic") != left
            if fewer != left and new:
                left = fewer
                said.append(expression)
    return tuple(said)


@settings(max_examples=30)
@given(scenes(8), st.sampled_from(READINGS), st.randoms(use_true_random=False), st.integers(1, 6))
def test_it_is_a_walk_in_the_order_of_preference(scene: Scene, reading: Reading, drawn: Random, longest: int) -> None:
    names = [pattern_name(name, rest) for name in CRISP for rest in (False, True)]
    drawn.shuffle(names)
    preferred = Preferences(tuple((name, 1, 1) for name in names), (("most", (("one value, one value", 1, 2),)),))
    describer = Incremental(scene.domain, reading=reading, longest=longest, moving=0, preferences=preferred)
    assert describer.logical_form(scene)[0] == walked(scene, reading, preferred, longest)


def test_the_order_decides_what_is_said_first() -> None:
    scene = read_scene("BS=4 RS=5")
    first = {}
    for name in ("all", "most", "no", "only"):
        preferred = Preferences(((name, 1, 1),))
        first[name] = str(Incremental(moving=0, preferences=preferred).logical_form(scene)[0][0])
    # Fewer values before more, nouns before adjectives: red is the first that most objects are.
    assert first == {
        "all": "all(object, square)",
        "most": "most(object, red)",
        "no": "no(object, circle)",
        "only": "only(square, object)",
    }


def test_fillers_follow_their_counts() -> None:
    scene = read_scene("BS=4 RS=5")
    fillers = (("most", (("one value, one value", 2, 5), ("object, one value", 2, 3))),)
    preferred = Preferences((("most", 1, 1),), fillers)
    said, _ = Incremental(moving=0, preferences=preferred, inventory=("most",)).logical_form(scene)
    assert list(map(str, said))[:2] == ["most(square, red)", "most(object, red)"]


@given(st.integers(0, 40), st.integers(0, 10**9))
def test_a_move_takes_one_pattern_from_the_lower_into_the_upper_half(count: int, seed: int) -> None:
    before = np.random.default_rng(seed).permutation(count)
    after = moved_up(before, Random(seed))
    assert sorted(after.tolist()) == list(range(count))
    half = (count + 1) // 2
    up = [one for one in range(count) if after[one] < before[one]]
    # One has moved up, from the lower half into the upper; those that it passed moved down by one; the others stay.
    assert len(up) == (count > 1)
    for one in up:
        assert before[one] >= half > after[one]
        passed = {other for other in range(count) if after[one] <= before[other] < before[one]}
        others = [other for other in range(count) if other != one]
        assert [int(after[other] - before[other]) for other in others] == [int(other in passed) for other in others]


def test_every_move_is_drawn_alike() -> None:
    drawn = Counter(tuple(moved_up(np.arange(4), Random(seed)).tolist()) for seed in range(2000))
    # One of two patterns to one of two places: four moves, each drawn 500 ± 19 times.
    assert len(drawn) == 4 and all(400 < count < 600 for count in drawn.values())


def test_moves_happen_as_often_as_they_should() -> None:
    # Of the crisp patterns only *all* and *no* tell anything else about four blue squares than the first of them.
    scene = read_scene("BS=4 RC=16")
    usual, _ = Incremental(moving=0).logical_form(scene)
    assert all(Incremental(moving=0, seed=seed).logical_form(scene)[0] == usual for seed in range(20))
    always = [Incremental(moving=1, seed=seed).logical_form(scene)[0] != usual for seed in range(300)]
    sometimes = [Incremental(seed=seed).logical_form(scene)[0] != usual for seed in range(1500)]
    # One in ten of what happens when a pattern is moved each time; three spreads of the difference are allowed.
    expected = 0.1 * np.mean(always)
    spread = np.sqrt(expected / 1500 + 0.01 * np.mean(always) / 300)
    assert np.mean(always) > 0.1 and abs(np.mean(sometimes) - expected) < 3 * spread


def test_a_probability_is_one() -> None:
    for moving in (-0.1, 1.1, float("nan")):
        with pytest.raises(UserError, match="is no probability"):
            Incremental(moving=moving).describe([read_scene("BS=4")])


def test_preferences_belong_to_the_signature() -> None:
    own = Preferences((("no", 1, 1),))
    shipped = Incremental().signature()
    assert dict(shipped.pairs)["shipped.counts"] == dict(shipped_preferences().signature().pairs)["counts"]
    hashes = {shipped.hash, Incremental(preferences=own).signature().hash, Incremental(moving=0.2).signature().hash}
    assert len(hashes) == 3
