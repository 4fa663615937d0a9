"""Is every error of exactly one kind?"""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.analysis.error_kinds import KINDS, error_kinds, with_kinds
from hengliang.core import estimate_records
from hengliang.materials.classifier_categories import category_of_form
from tests.analysis.slot_answers import Use, slot_tables


def test_kinds_by_hand() -> None:
    # 本, 辆 and 名 are true classifiers, 箱 is a measure word, 鑫 is no classifier at all.
    assert [category_of_form(form) for form in "本辆名箱鑫"] == ["true", "true", "true", "measure", "not in list"]
    pairs = [("名", "个"), ("个", "名"), ("本", "辆"), ("本", "箱"), ("本", "鑫"), ("个", "鑫"), ("鑫", "个")]
    wrong = pl.DataFrame(pairs, schema=["gold", "label"], orient="row")
    assert with_kinds(wrong)["error"].to_list() == [
        "general for specific", "specific for general", "within a category", "across categories", "not in list",
        "specific for general", "general for specific",
    ]  # fmt: skip


def test_shares_are_of_errors_alone() -> None:
    # One right answer, one missing, three errors: two are 个 for another, one is across categories.
    uses = [Use("书", "本", block=n) for n in range(5)]
    found = list(estimate_records(error_kinds().estimate(slot_tables(uses, {"A": ["本", None, "个", "个", "箱"]}))))
    value = {row.by["error"]: row.value for row in found}
    assert value["general for specific"] == pytest.approx(2 / 3)
    assert value["across categories"] == pytest.approx(1 / 3)
    assert {(row.n, row.n_missing) for row in found} == {(3, 1)}


def test_a_system_without_errors_has_no_shares() -> None:
    found = list(estimate_records(error_kinds().estimate(slot_tables([Use("书", "本")], {"A": ["本"]}))))
    assert [row.value for row in found] == [None] * len(KINDS)
    assert {row.n for row in found} == {0}


FORMS = st.sampled_from("个本辆名箱条鑫")


@settings(max_examples=40)
@given(st.lists(st.tuples(FORMS, FORMS), min_size=1, max_size=20))
def test_the_shares_sum_to_one(pairs: list[tuple[str, str]]) -> None:
    uses = [Use("物", gold, block=place % 3) for place, (gold, _) in enumerate(pairs)]
    found = error_kinds(draws=10).estimate(slot_tables(uses, {"A": [label for _, label in pairs]}))
    total = sum(row.value or 0.0 for row in estimate_records(found))
    assert total == pytest.approx(1.0 if any(gold != label for gold, label in pairs) else 0.0)


def test_it_keeps_the_promises_of_an_analysis() -> None:
    assert [finding for finding in error_kinds().conformance() if not finding.kept] == []
