"""Are the items of several materials all there, once, with where they come from?"""

from __future__ import annotations

import polars as pl
import pytest

from hengliang import UserError
from hengliang.materials.joined_slots import JoinedSlots
from tests.systems.classifier_choosers.lessons import Lessons


class Renamed(Lessons):
    """Lessons with other ids and one attribute more."""

    name = "renamed"
    licence = "MIT"

    def items(self) -> pl.DataFrame:
        return super().items().with_columns(id=pl.format("other-{}", "id"), extra=pl.lit("x"))


def test_all_items_are_there_and_name_their_collection() -> None:
    first, second = Lessons(), Renamed([("书", "本", 2)])
    joined = JoinedSlots([first, second])
    items = joined.items()
    assert items["id"].to_list() == [*first.items()["id"].to_list(), "other-slot-1", "other-slot-2"]
    assert items["collection"].to_list() == ["lessons"] * first.items().height + ["renamed"] * 2
    assert items["extra"].to_list() == [None] * first.items().height + ["x"] * 2
    assert (joined.name, joined.licence) == ("lessons + renamed", "CC0; MIT")


def test_an_attribute_of_two_types_is_left_out() -> None:
    class Numbered(Renamed):
        name = "numbered"

        def items(self) -> pl.DataFrame:
            return super().items().with_columns(id=pl.format("n-{}", "id"), extra=pl.lit(1))

    items = JoinedSlots([Renamed([("书", "本", 1)]), Numbered([("书", "本", 1)])]).items()
    assert "extra" not in items.columns
    assert items.height == 2


def test_the_signature_changes_with_each_part_and_their_order() -> None:
    one, other = Lessons(who="a"), Lessons([("书", "本", 1)], who="b")
    hashes = {JoinedSlots(parts).signature().hash for parts in ([one], [one, other], [other, one])}
    assert len(hashes) == 3


def test_the_same_item_twice_gets_a_number() -> None:
    rows = [("书", "本", 1)]
    items = JoinedSlots([Lessons(rows), Lessons(rows)], collections=["first", "second"]).items()
    assert items["id"].to_list() == ["slot-1", "slot-1~2"]
    assert items["collection"].to_list() == ["first", "second"]


def test_nothing_at_all_and_too_few_names_are_refused() -> None:
    with pytest.raises(UserError, match="0 materials"):
        JoinedSlots([]).items()
    with pytest.raises(UserError, match="2 materials are joined, with 1 names"):
        JoinedSlots([Lessons(), Lessons()], collections=["first"]).items()
