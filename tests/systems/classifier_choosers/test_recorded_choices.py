"""Are recorded choices given back as they stand?"""

from __future__ import annotations

import polars as pl
import pytest

from hengliang import UserError
from hengliang.core import CONTENT_TYPES, check_answers
from hengliang.core import find_registered as find
from hengliang.systems.classifier_choosers.conformance import slot_items
from hengliang.systems.classifier_choosers.recorded_choices import NOT_RECORDED, RecordedChoices
from tests.systems.classifier_choosers.lessons import slots


def test_the_column_answers_and_an_empty_cell_is_missing() -> None:
    items = slot_items([("有一", "", "马", "。"), ("有一", "", "书", "。"), ("有一", "", "人", "。")])
    items = items.with_columns(BERT=pl.Series(["匹", " ", None]))
    system = RecordedChoices("BERT")
    answers = check_answers(system.answer(items), items, system)
    assert answers["content"].dtype == CONTENT_TYPES["ranking"]
    assert answers["content"].to_list() == [[{"label": "匹", "probability": 1.0}], None, None]
    assert answers["status"].to_list() == ["ok", "missing", "missing"]
    assert answers["reason"].to_list() == ["", NOT_RECORDED, NOT_RECORDED]
    assert system.name == "BERT"


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(UserError, match="no column 'LSTM'"):
        RecordedChoices("LSTM").answer(slot_items([("有一", "", "马", "。")]))


def test_no_items_and_bare_slots() -> None:
    system = RecordedChoices("BERT", name="published BERT")
    assert system.answer(slot_items([])).height == 0
    assert system.choose(slots("马", "书")).to_list() == [[], []]
    assert find("classifier chooser", "RECORDED").kind is RecordedChoices
