"""Do the rules of a list say what they should?"""

from __future__ import annotations

from itertools import permutations

import pytest

from hengliang.people.design.order_rules import least_rows, rules_of
from hengliang.people.sessions.steps import Presentation
from tests.people.design.made_lists import items_of


def fits(counts: list[int], rows: int, distance: int) -> bool:
    """Return whether items with so many rows each, and empty places, can stand apart, by trying all orders."""
    held = [number for number, count in enumerate(counts) for _ in range(count)] + [-1] * (rows - sum(counts))
    return any(
        all(one != other or one < 0 for place, one in enumerate(order) for other in order[place + 1 : place + distance])
        for order in set(permutations(held))
    )


@pytest.mark.parametrize("counts", [[1], [2], [3], [2, 2], [3, 1], [2, 1, 1], [3, 3], [2, 2, 1], [1, 1, 1]])
@pytest.mark.parametrize("distance", [1, 2, 3])
def test_the_least_number_of_rows_by_trying_all_orders(counts: list[int], distance: int) -> None:
    least = least_rows(counts, distance)
    if least <= 7:
        assert fits(counts, least, distance)
        assert least == sum(counts) or not fits(counts, least - 1, distance)


def test_the_least_number_of_rows() -> None:
    # (4 − 1) · 2 + 1; (3 − 1) · 3 + 2; enough rows of others
    assert least_rows([4, 1], 2) == 7 and least_rows([3, 3], 3) == 8 and least_rows([2, 1, 1, 1], 2) == 5
    assert least_rows([], 2) == 0


def test_the_rules_of_a_list() -> None:
    rows = [
        Presentation("p-1", "practice"),
        Presentation("a-1", block=4),
        Presentation("a-2", block=9),
        Presentation("b-1", block=4),
        Presentation("c-1", "catch", block=4),
        Presentation("a-1", "repeat", block=4, occurrence=2),
        Presentation("d-1", "catch", block=4),
    ]
    rules = rules_of(rows, items_of(rows), 2, 3)
    assert rules.practice == (0,) and rules.names == (4, 9)
    assert rules.block == (-1, 0, 1, 0, 0, 0, 0)
    assert rules.spans == ((1, 6), (6, 7))
    # Block 4 has five places and two catch items: places 1 to 3 and 4 to 5 of the block.
    assert rules.stretch == (-1, 0, 0, 0, 1, 1, -1)
    assert rules.mates[1] == (2, 5) and rules.mates[0] == ()
    assert rules.before[5] == 1 and rules.after[1] == 5 and rules.before[1] == -1
