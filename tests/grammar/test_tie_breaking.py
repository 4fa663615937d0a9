"""Is the accuracy over all tosses what full enumeration says?"""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.grammar.accuracy import CoinTosses, coin_tosses
from hengliang.grammar.prediction import toss

OUTCOMES = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=12)


def enumerated(outcomes: list[float], coins: list[int]) -> dict[int, float]:
    """Toss every coin both ways: the number of successes and how often it comes up."""
    names = sorted({coin for outcome, coin in zip(outcomes, coins, strict=True) if outcome == 0.5})
    found: Counter[int] = Counter()
    for sides in product((0, 1), repeat=len(names)):
        fallen = dict(zip(names, sides, strict=True))
        pairs = zip(outcomes, coins, strict=True)
        found[sum(fallen[coin] if outcome == 0.5 else int(outcome) for outcome, coin in pairs)] += 1
    return {total: count / 2 ** len(names) for total, count in found.items()}


@given(OUTCOMES, st.data())
def test_against_enumeration(outcomes: list[float], data: st.DataObject) -> None:
    coins = data.draw(st.lists(st.integers(0, 4), min_size=len(outcomes), max_size=len(outcomes)))
    tosses = coin_tosses(outcomes, coins)
    expected = enumerated(outcomes, coins)
    found = {tosses.successes + k: chance for k, chance in enumerate(tosses.probabilities.tolist()) if chance > 0}
    assert found.keys() == expected.keys()
    assert all(abs(found[total] - chance) < 1e-12 for total, chance in expected.items())
    assert tosses.lowest <= tosses.expected <= tosses.highest
    mean = sum(total * chance for total, chance in expected.items()) / len(outcomes)
    assert tosses.expected == pytest.approx(mean, abs=1e-12)


@given(OUTCOMES, st.floats(0.5, 0.999))
def test_the_central_interval_holds_its_level_and_no_less_would_do(outcomes: list[float], level: float) -> None:
    tosses = coin_tosses(outcomes)
    low, high = tosses.central(level)
    tail = (1 - level) / 2
    accuracies, chances = tosses.accuracies, tosses.probabilities
    assert chances[accuracies < low - 1e-12].sum() <= tail * (1 + 1e-6)
    assert chances[accuracies > high + 1e-12].sum() <= tail * (1 + 1e-6)
    assert low + high == pytest.approx(2 * tosses.expected)
    if low < high:  # without its lowest value the interval would leave out more than a tail
        assert chances[accuracies <= low + 1e-12].sum() > tail


@given(OUTCOMES)
def test_success_and_failure_are_mirror_images(outcomes: list[float]) -> None:
    tosses, other = coin_tosses(outcomes), coin_tosses([1 - outcome for outcome in outcomes])
    assert other.lowest == pytest.approx(1 - tosses.highest)
    assert other.central()[0] == pytest.approx(1 - tosses.central()[1])


@given(OUTCOMES, st.permutations(range(12)))
def test_the_order_does_not_count(outcomes: list[float], order: list[int]) -> None:
    moved = [outcomes[place] for place in order if place < len(outcomes)]
    assert coin_tosses(moved).probabilities.tolist() == coin_tosses(outcomes).probabilities.tolist()


def test_ten_ties_by_hand() -> None:
    """C(10, k) / 1024: P(X ≤ 1) = 11/1024 < .025 < P(X ≤ 2) = 56/1024, so the central 95 % is 2 to 8 of 10."""
    tosses = coin_tosses([0.5] * 10)
    assert tosses.probabilities.tolist() == pytest.approx([comb(10, k) / 1024 for k in range(11)])
    assert tosses.central() == (0.2, 0.8)
    place = tosses.place(0.8)
    # At least three from the middle on either side: 2 (C(10,0) + C(10,1) + C(10,2)) / 1024 = 112/1024.
    assert place.probability == pytest.approx(112 / 1024)
    assert place.inside
    assert place.central
    assert place.possible
    assert not tosses.place(0.9).central


def test_one_coin_for_an_item_spreads_more_than_one_for_each_comparison() -> None:
    """Two tied comparisons on one coin: both or none, 1/2 each; on two coins 1/4, 1/2, 1/4."""
    together, apart = coin_tosses([0.5, 0.5], ["a", "a"]), coin_tosses([0.5, 0.5], ["a", "b"])
    assert together.probabilities.tolist() == [0.5, 0.0, 0.5]
    assert apart.probabilities.tolist() == [0.25, 0.5, 0.25]
    assert (together.coins, apart.coins) == (1, 2)
    # Half is between the two values that one coin can give: inside, but not possible.
    assert together.place(0.5).inside
    assert not together.place(0.5).possible


def test_a_printed_value_is_placed_by_its_decimals() -> None:
    """265/480 = 0.55208 is printed 0.552: the same to three decimals, not to four."""
    tosses = coin_tosses([1.0] * 200 + [0.5] * 100 + [0.0] * 180)
    assert tosses.place(0.552, 3).possible
    assert not tosses.place(0.552, 4).possible
    assert tosses.place(0.552, 3).nearest == 265 / 480
    assert not tosses.place(0.7, 3).inside


def test_without_ties_there_is_one_value() -> None:
    tosses = coin_tosses([1, 1, 0, np.nan])
    assert (tosses.lowest, tosses.expected, tosses.highest) == (2 / 3, 2 / 3, 2 / 3)
    assert tosses.comparisons == 3
    assert tosses.central() == (2 / 3, 2 / 3)
    assert tosses.place(0.667, 3).possible
    assert tosses.place(2 / 3).probability == 1.0


def test_many_ties_stay_a_distribution() -> None:
    tosses = coin_tosses([0.5] * 5000)
    assert tosses.probabilities.sum() == pytest.approx(1, abs=1e-9)
    assert tosses.central()[0] == pytest.approx(0.5 - 1.96 * 0.5 / 5000**0.5, abs=2e-4)


@pytest.mark.parametrize(
    ("outcomes", "coins", "said"),
    [
        ([], None, "no scored comparison"),
        ([np.nan], None, "no scored comparison"),
        ([0.3], None, "0.3 is no outcome"),
        ([1.0, 0.0], ["a"], "1 names of coins"),
        ([[1.0]], None, "shape"),
    ],
)
def test_mistakes(outcomes: list[float], coins: list[str] | None, said: str) -> None:
    with pytest.raises(UserError, match=said):
        coin_tosses(outcomes, coins)


def test_a_level_that_is_none() -> None:
    with pytest.raises(UserError, match="no probability"):
        coin_tosses([0.5]).central(1.0)


def test_a_toss_is_fair_and_repeats_itself() -> None:
    """Among 2,000 coins heads differ from 1,000 by less than five standard deviations (5 √500 = 112)."""
    tossed = [toss(7, "set", str(number)) for number in range(2000)]
    assert tossed == [toss(7, "set", str(number)) for number in range(2000)]
    assert set(tossed) == {0.0, 1.0}
    assert abs(sum(tossed) - 1000) < 112
    assert tossed != [toss(8, "set", str(number)) for number in range(2000)]


def test_it_can_be_made_by_hand() -> None:
    assert CoinTosses(1, 2, 1, np.array([0.5, 0.5])).highest == 1.0


def test_a_value_that_no_coins_give_is_as_far_out_as_it_was_printed() -> None:
    # One coin for everything: 0 or 1, each half the time, 0.5 on average. 0.3 is 0.2 away from it, 1.2 is farther than
    # either.
    tosses = coin_tosses([0.5, 0.5], coins=["one", "one"])
    assert tosses.place(0.3, 1).probability == 1.0
    assert tosses.place(1.2, 1).probability == 0.0
