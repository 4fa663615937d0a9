"""Does every thing stand in every place equally often, and follow every other equally often?"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.people.tasks.orders import order_of, round_length, turn_of


@pytest.mark.parametrize("count", range(1, 12))
def test_a_round_is_balanced(count: int) -> None:
    turns = [order_of(count, turn) for turn in range(round_length(count))]
    places = Counter((place, thing) for order in turns for place, thing in enumerate(order))
    follows = Counter(pair for order in turns for pair in pairwise(order))
    # n or 2n orders; each of n things in each of n places once or twice.
    assert set(places.values()) == {len(turns) // count}
    assert len(places) == count**2
    # n(n - 1) ordered pairs share the (n - 1) neighbours of each order: again once or twice each.
    assert len(follows) == count * (count - 1)
    assert set(follows.values()) <= {len(turns) // count}


def test_two_alternate_and_three_have_all_orders() -> None:
    assert [order_of(2, turn) for turn in range(4)] == [(0, 1), (1, 0), (0, 1), (1, 0)]
    assert len({order_of(3, turn) for turn in range(6)}) == 6
    assert order_of(0, 5) == ()


@given(st.integers(1, 30), st.integers(0, 10**9))
def test_an_order_holds_everything_once(count: int, turn: int) -> None:
    assert sorted(order_of(count, turn)) == list(range(count))


@given(st.integers(0, 10**6), st.text())
def test_turns_stay_and_go_on_by_one(number: int, about: str) -> None:
    assert turn_of(number, about) == turn_of(number, about)
    assert turn_of(number + 1, about) == turn_of(number, about) + 1
