"""Is the agreement of two extractions counted right?"""

from __future__ import annotations

import polars as pl
import pytest

from hengliang import UserError
from hengliang.systems.slot_finding.agreement import compare_slots


def slots(*rows: tuple[int, int, str, str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["paragraph", "offset", "gold", "head"], orient="row")


def test_slots_and_heads_are_compared() -> None:
    tagged = slots((1, 3, "家", "公司"), (1, 9, "个", "人"), (2, 0, "本", "书"), (3, 3, "位", "老师"))
    found = slots(
        (1, 3, "家", "航空公司"), (1, 9, "个", "人"), (2, 0, "部", "书"), (4, 0, "个", "人"), (3, 3, "位", "学生")
    )
    same = compare_slots(tagged, found)
    # In common: the two of paragraph 1 and that of 3. 人 is the same head, 航空公司 ends in 公司, 学生 is another one.
    assert (same.tagged, same.found, same.same, same.same_heads, same.like_heads) == (4, 5, 3, 1, 2)
    assert (same.precision, same.recall, same.heads, same.like) == (3 / 5, 3 / 4, 1 / 3, 2 / 3)
    low, high = same.intervals()["recall"]
    assert low < 3 / 4 < high


def test_nothing_in_common_is_an_error() -> None:
    with pytest.raises(UserError, match="of 1 and 1 slots have none in common"):
        compare_slots(slots((1, 3, "家", "公司")), slots((1, 3, "个", "公司")))
