from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from hengliang import Item, UserError
from hengliang.core import Choice, answer_schema, items_frame
from hengliang.systems.classifier_choosers import ClassifierChooser, General, Rule, chooser
from hengliang.systems.classifier_choosers.base import RANKING
from hengliang.systems.classifier_choosers.conformance import slot_items
from hengliang.systems.classifier_choosers.slots import slots_of
from tests.systems.classifier_choosers.lessons import Lessons, rankings


class Listing(ClassifierChooser):
    """Returns whatever it was given, as lists of choices."""

    name = "listing"

    def __init__(self, answers: Any = ()) -> None:
        self.answers = answers

    def choose(self, slots: pl.DataFrame) -> Any:
        return self.answers


TWO = slot_items([("有一", "", "书", ""), ("有一", "", "马", "")])


def test_lists_of_choices_become_the_answer_table() -> None:
    answers = Listing([[Choice("本", 0.75), Choice("部", 0.25)], [Choice("匹", 1.0)]]).answer(TWO)
    assert dict(answers.schema) == answer_schema("ranking")
    assert rankings(answers["content"]) == [[("本", 0.75), ("部", 0.25)], [("匹", 1.0)]]
    assert answers["item"].to_list() == ["slot-1", "slot-2"]


def test_an_empty_ranking_is_missing_and_not_an_answer() -> None:
    answers = Listing([[], [Choice("匹", 1.0)]]).answer(TWO)
    assert answers["status"].to_list() == ["missing", "ok"]
    assert answers["content"].to_list()[0] is None
    assert answers["reason"][0]


def test_lists_and_series_are_ranked_alike_and_no_answer_is_an_empty_ranking() -> None:
    asked = slots_of(TWO)
    listed = Listing([[Choice("本", 1.0)], []]).ranked(asked)
    held = Listing(pl.Series([[{"label": "本", "probability": 1.0}], None], dtype=RANKING)).ranked(asked)
    assert listed.dtype == held.dtype == RANKING
    assert rankings(listed) == rankings(held) == [[("本", 1.0)], []]
    with pytest.raises(UserError, match="1 rankings for 2 slots"):
        Listing([[Choice("匹", 1.0)]]).ranked(asked)


def test_too_few_rankings_are_refused() -> None:
    with pytest.raises(UserError, match="1 rankings for 2 slots"):
        Listing([[Choice("匹", 1.0)]]).answer(TWO)


def test_a_series_of_another_type_is_refused() -> None:
    with pytest.raises(UserError, match="hengliang check listing"):
        Listing(pl.Series(["个", "个"])).answer(TWO)


def test_without_any_slot_the_chooser_is_not_asked() -> None:
    bare = items_frame([Item("a", "a", "m", "", "这里没有空。")])
    # It would return nothing for one slot; it is asked for none.
    assert Listing([]).answer(bare)["status"].to_list() == ["failed"]


def test_choosers_are_made_by_name() -> None:
    assert isinstance(chooser("GE"), General)
    rule = chooser("RULE", train=Lessons(), seed=5)
    assert isinstance(rule, Rule) and rule.seed == 5


def test_unknown_names_and_arguments_say_what_is_valid() -> None:
    with pytest.raises(UserError, match=r"Did you mean RULE\?"):
        chooser("RULES")
    with pytest.raises(UserError, match=r"'RULE'.*'sed'.*Options: train, seed, name"):
        chooser("RULE", sed=1)
