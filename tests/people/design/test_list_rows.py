"""Do practice, fillers, catch items and repeats come to their lists and blocks?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.people.design.item_files import Items, read_items
from hengliang.people.design.list_rows import Blocks, blocks_of, repeated, rows_of


def items(tmp_path: Path, *rows: str, columns: str = "item,text,role,size,expected") -> Items:
    file = tmp_path / "items.csv"
    file.write_text("\n".join([columns, *rows, ""]), encoding="utf-8")
    return read_items(file)


@pytest.fixture
def scenes(tmp_path: Path) -> Items:
    """Scenes of 20, 4 and 9 things, three of each, with fillers and a catch item that name no size."""
    rows = [f"{number},场景{number}。,,{(20, 4, 9)[number % 3]}," for number in range(9)]
    rows += ["f1,填充一。,filler,,", "f2,填充二。,filler,,", "f3,填充三。,filler,,", "c1,检查。,catch,,7"]
    return items(tmp_path, *rows, "p1,练习。,practice,,")


def test_blocks_are_in_the_order_of_numbers(scenes: Items) -> None:
    blocks = blocks_of(scenes, "size")
    assert blocks.names == (4, 9, 20)
    assert [blocks[about] for about in scenes.of_role("target")] == [3, 1, 2] * 3


def test_what_names_no_block_is_spread(scenes: Items) -> None:
    blocks = blocks_of(scenes, "size")
    rows = rows_of("1", scenes.of_role("target"), scenes, blocks, 0.0, 1, 1)
    held = Counter((row.role, row.block) for row in rows)
    # Three fillers, one a block; the catch item half-way through.
    assert held == {
        **{("target", block): 3 for block in (1, 2, 3)},
        **{("filler", block): 1 for block in (1, 2, 3)},
        ("catch", 2): 1,
        ("practice", 1): 1,
    }


def test_texts_are_blocks_in_the_order_of_the_alphabet_after_numbers(tmp_path: Path) -> None:
    held = items(tmp_path, "1,甲,b", "2,乙,2", "3,丙,a", "4,丁,10", columns="item,text,block")
    assert blocks_of(held, None).names == (2, 10, "a", "b")


def test_a_target_without_a_block(tmp_path: Path) -> None:
    held = items(tmp_path, "1,甲,1", "2,乙,", columns="item,text,block")
    with pytest.raises(UserError, match=r"The item '2' \('乙'\) has no block"):
        blocks_of(held, None)
    with pytest.raises(UserError, match=r"No target has a 'size' .* Columns: block\."):
        blocks_of(held, "size")
    assert blocks_of(items(tmp_path, "1,甲", columns="item,text"), None) == Blocks()


def test_a_share_of_the_targets_is_shown_again() -> None:
    targets = [str(number) for number in range(80)]
    again = repeated("1", targets, {1: 80}, Blocks(), 0.05, 10, 3)
    assert [(row.role, row.occurrence) for row in again] == [("repeat", 2)] * 4
    assert len({row.about for row in again}) == 4
    assert again == repeated("1", targets[::-1], {1: 80}, Blocks(), 0.05, 10, 3)
    assert again != repeated("1", targets, {1: 80}, Blocks(), 0.05, 10, 4)
    assert repeated("1", targets, {1: 80}, Blocks(), 0.0, 10, 3) == []
    assert len(repeated("1", targets[:5], {1: 80}, Blocks(), 0.01, 10, 3)) == 1


def test_repeats_come_from_blocks_that_are_long_enough() -> None:
    blocks = Blocks({"a": 1, "b": 2, "c": 2})
    assert all(row.about in "bc" for row in repeated("1", ["a", "b", "c"], {1: 3, 2: 30}, blocks, 0.2, 10, 1))
    with pytest.raises(
        UserError, match="Version 2: 1 targets are to be shown again at least 31 places later, but only 0"
    ):
        repeated("2", ["a", "b", "c"], {1: 3, 2: 30}, blocks, 0.2, 31, 1)
    with pytest.raises(UserError, match=r"A share of 0\.3 cannot be repeated"):
        repeated("1", ["a"], {1: 3}, blocks, 0.3, 1, 1)
