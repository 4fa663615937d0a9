"""Are systems found out that answer another time, in another batch, order or under other ids otherwise?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import polars as pl
import pytest

from hengliang.core.labelling.same_answers import SameAnswers
from hengliang.core.records import Item, items_frame

ITEMS = items_frame(Item(f"item-{n}", f"item-{n}", "test", "", f"text {n}") for n in range(12))
Answering = Callable[[pl.DataFrame], list[str]]


def plain(items: pl.DataFrame) -> list[str]:
    """Answer by the content alone."""
    return [content.upper() for content in items["content"].to_list()]


def by_batch(items: pl.DataFrame) -> list[str]:
    """Answer otherwise in a batch of another size."""
    return [f"{text} {items.height}" for text in plain(items)]


def by_place(items: pl.DataFrame) -> list[str]:
    """Answer otherwise at another place of the batch."""
    return [f"{text} {place}" for place, text in enumerate(plain(items))]


def by_id(items: pl.DataFrame) -> list[str]:
    """Answer by the id."""
    return items["id"].to_list()


def by_clock(numbers: Iterator[int]) -> Answering:
    """Answer otherwise each time."""

    def answered(items: pl.DataFrame) -> list[str]:
        return [f"{text} {next(numbers)}" for text in plain(items)]

    return answered


def broken(answered: Answering) -> set[str]:
    """Return which promises are broken."""
    return {name for name, promise in SameAnswers(ITEMS, answered).promises() if promise()}


AGAIN, ALONE, OTHER, ORDER, IDS = (name for name, _ in SameAnswers(ITEMS, plain).promises())


@pytest.mark.parametrize(
    ("answered", "expected"),
    [
        (plain, set()),
        (by_batch, {ALONE, OTHER}),
        (by_place, {ALONE, OTHER, ORDER}),
        (by_id, {IDS}),
    ],
    ids=["plain", "batch", "place", "id"],
)
def test_each_dependence_breaks_its_promises(answered: Answering, expected: set[str]) -> None:
    assert broken(answered) == expected


def test_what_changes_each_time_breaks_all() -> None:
    assert broken(by_clock(count())) == {AGAIN, ALONE, OTHER, ORDER, IDS}


def test_a_difference_names_the_text_and_both_answers() -> None:
    found = SameAnswers(ITEMS, by_id).under_other_ids()
    assert found == "'text 0': 'item-0' and then 'other-item-0'"


def test_answers_may_be_alike_without_being_the_same() -> None:
    def same_text(one: str, other: str) -> bool:
        return one.split()[:2] == other.split()[:2]

    assert SameAnswers(ITEMS, by_batch, same_text).in_batches_of_one() == ""


def test_few_items_can_be_turned_too() -> None:
    assert SameAnswers(ITEMS[:3], plain).in_another_order() == ""
