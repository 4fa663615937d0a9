"""Do examples hold what a chooser may learn from, and nothing else?"""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Item, UserError
from hengliang.core import items_frame
from hengliang.systems.classifier_choosers.examples import (
    EXAMPLE_SCHEMA,
    examples_checksum,
    examples_of,
    hold_out,
    labels_of,
)
from tests.systems.classifier_choosers.lessons import Lessons


class Unlabelled(Lessons):
    """Lessons of which the second half has no gold answer, and one item no slot."""

    def items(self) -> pl.DataFrame:
        items = super().items()
        half = items.height // 2
        labelled = items.with_columns(gold=pl.when(pl.int_range(pl.len()) < half).then("gold"))
        bare = items_frame([Item("bare", "bare", "lessons", "", "没有空位。")]).with_columns(gold=pl.lit("个"))
        return pl.concat([labelled, bare], how="diagonal")


def test_only_slots_with_an_answer_teach() -> None:
    assert examples_of(Lessons()).schema == pl.Schema(EXAMPLE_SCHEMA)
    assert examples_of(Lessons()).height == 16
    assert examples_of(Unlabelled()).height == 8


def test_nothing_to_learn_from_is_an_error() -> None:
    with pytest.raises(UserError, match="'lessons' has no slot with a gold classifier"):
        examples_of(Lessons([]))


def test_labels_come_by_frequency_then_by_character() -> None:
    # 个 6 (1 马 + 5 人), 本 3, then 位, 匹 and 头 twice each, 部 once.
    assert labels_of(examples_of(Lessons())) == ("个", "本", "位", "匹", "头", "部")


def test_the_checksum_is_of_the_content() -> None:
    examples = examples_of(Lessons())
    assert examples_checksum(examples) == examples_checksum(examples_of(Lessons(who="another reading")))
    changed = examples.with_columns(label=pl.lit("个"))
    assert len({examples_checksum(examples), examples_checksum(changed), examples_checksum(examples.reverse())}) == 3


@given(st.integers(50, 200))
def test_a_sentence_is_on_one_side_only(count: int) -> None:
    rows = [(f"名{number // 3}", "个", 1) for number in range(count)]
    examples = examples_of(Lessons(rows))
    kept, held = hold_out(examples)
    assert kept.height + held.height == examples.height
    assert not set(kept["sentence"]) & set(held["sentence"])


def test_a_single_sentence_serves_for_both() -> None:
    examples = examples_of(Lessons([("书", "本", 4)]))
    assert [part.height for part in hold_out(examples)] == [4, 4]
