"""Are the numbers of items in lists the best there are, by trying all?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.people.design.list_counts import Kind, Shares, most_even, possible


def divisions(items: int, lists: int) -> Iterator[tuple[int, ...]]:
    """Return every way to divide so many items of one kind."""
    if lists == 1:
        yield (items,)
        return
    for first in range(items + 1):
        yield from ((first, *rest) for rest in divisions(items - first, lists - 1))


def spread(numbers: Sequence[int]) -> int:
    return max(numbers) - min(numbers)


def disparity(counts: Sequence[Sequence[int]]) -> int:
    """Return what is minimised where all kinds differ in their variants: spreads of the kinds and of all items."""
    columns = [sum(column) for column in zip(*counts, strict=True)]
    rows = [*counts, columns] if len(counts) > 1 else list(counts)
    return sum(spread(row) for row in rows)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3, unique=True), st.data())
@settings(max_examples=60, deadline=None)
def test_no_division_is_more_even_and_a_refusal_means_that_there_is_none(
    variants: list[int], data: st.DataObject
) -> None:
    lists = data.draw(st.integers(1, 3))
    items = [data.draw(st.integers(1, 5)) for _ in variants]
    shares = Shares(tuple(Kind(number) for number in variants), tuple(items), lists)
    best: int | None = None
    least: int | None = None
    for counts in product(*(divisions(number, lists) for number in items)):
        sizes = [sum(n * row[place] for n, row in zip(variants, counts, strict=True)) for place in range(lists)]
        least = spread(sizes) if least is None else min(least, spread(sizes))
        if spread(sizes) <= 1:
            best = disparity(counts) if best is None else min(best, disparity(counts))
    assert possible(shares) == (best is not None)
    if best is None:
        with pytest.raises(UserError, match="are not possible"):
            most_even(shares)
        assert spread(shares.sizes(most_even(shares, uneven=True))) == least
    else:
        found = most_even(shares)
        assert found.sum(axis=1).tolist() == items and spread(shares.sizes(found)) <= 1
        assert disparity(found.tolist()) == best


def test_the_papers_first_experiment() -> None:
    # 111 + 2·62 + 3·23 + 4·4 = 320 rows, four lists of 80. 28 + 2·15 + 3·6 + 4 = 80, three times; what is left is
    # 27 + 2·17 + 3·5 + 4 = 80, too. Sentences a list: 50 each.
    shares = Shares(tuple(Kind(number) for number in (1, 2, 3, 4)), (111, 62, 23, 4), 4)
    found = most_even(shares)
    assert shares.sizes(found) == [80, 80, 80, 80]
    assert found.sum(axis=0).tolist() == [50, 50, 50, 50]
    assert [spread(row) for row in found.tolist()] == [1, 2, 1, 0]


def test_whole_clusters_that_do_not_come_out_even_are_refused_with_what_is_possible() -> None:
    shares = Shares((Kind(3),), (10,), 4)
    with pytest.raises(UserError) as caught:
        most_even(shares)
    assert caught.value.problem.startswith("Lists of 7 or 8 rows are not possible: 10 × 3 variants")
    # 10 clusters: 2, 3, 2, 3 of them; 5 lists of 2 clusters, or 2 of 5, are even.
    assert (
        caught.value.valid
        == "The most even sizes of 4 lists are 9, 9, 6, 6. Even sizes are possible with 2 or 5 lists."
    )
    assert "--uneven" in caught.value.remedy
    assert sorted(shares.sizes(most_even(shares, uneven=True))) == [6, 6, 9, 9]


def test_strata_are_even_within_and_over_numbers_of_variants() -> None:
    kinds = tuple(Kind(number, stratum) for number in (1, 2) for stratum in ("a", "b"))
    found = most_even(Shares(kinds, (8, 12, 4, 16), 4))
    assert found.tolist() == [[2] * 4, [3] * 4, [1] * 4, [4] * 4]


def test_systems_without_an_answer_in_a_latin_square() -> None:
    # 4 items that lack the same of 4 turns: when all first turns differ, each list goes without one of them.
    shares = Shares((Kind(3, "", (0,)),), (4,), 4, turns=4)
    found = most_even(shares)
    assert found.tolist() == [[1, 1, 1, 1]] and shares.sizes(found) == [3, 3, 3, 3]


def test_nothing_to_divide() -> None:
    assert most_even(Shares((), (), 3)).shape == (0, 3)
    assert np.array_equal(most_even(Shares((Kind(2),), (3,), 1)), [[3]])
