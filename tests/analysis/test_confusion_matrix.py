"""Do recall, precision and the rows of the matrix say what was found, chosen and missed?"""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.analysis.confusion_matrix import accuracy_by_classifier, confusion_matrix
from hengliang.core import estimate_records
from tests.analysis.slot_answers import Use, slot_tables
from tests.analysis.test_confusion import ANSWERED, GIVEN, USES


def test_recall_and_precision_by_hand() -> None:
    found = {
        (row.by["classifier"], row.statistic): row
        for row in estimate_records(accuracy_by_classifier().estimate(slot_tables(USES, {"A": GIVEN})))
    }
    # 名: four slots, one found; chosen twice, once rightly. 个: three slots, two found; chosen five times.
    # 张: one slot, not answered; never chosen, so there is no precision.
    expected = {
        ("名", "recall"): 1 / 4,
        ("名", "precision"): 1 / 2,
        ("个", "recall"): 2 / 3,
        ("个", "precision"): 2 / 5,
    }
    for key, value in expected.items():
        assert found[key].value == pytest.approx(value)
    assert found["张", "recall"].value == 0
    assert (found["张", "recall"].n, found["张", "recall"].n_missing) == (1, 1)
    assert found["张", "precision"].value is None and found["张", "precision"].n == 0
    assert found["个", "precision"].n == 5


@settings(max_examples=40)
@given(ANSWERED)
def test_values_are_those_of_scikit_learn(pairs: list[tuple[str, str | None]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    gold, label = [one for one, _ in pairs], [other or "-" for _, other in pairs]
    held = slot_tables([Use("物", one) for one in gold], {"A": [other for _, other in pairs]})
    found = {
        (row.by["classifier"], row.statistic): row.value
        for row in estimate_records(accuracy_by_classifier(draws=5).estimate(held))
    }
    names = sorted(set(gold))
    precision, recall, _, _ = metrics.precision_recall_fscore_support(gold, label, labels=names, zero_division=0)
    for place, name in enumerate(names):
        assert found[name, "recall"] == pytest.approx(recall[place])
        assert (found[name, "precision"] or 0.0) == pytest.approx(precision[place])


def test_rows_of_the_matrix_by_hand() -> None:
    found = {
        (row.by["corpus"], row.by["chosen"]): row.value
        for row in estimate_records(confusion_matrix(top=2).estimate(slot_tables(USES, {"A": GIVEN})))
    }
    assert found == {
        ("名", "名"): 1 / 4, ("名", "个"): 3 / 4, ("名", "(other)"): 0, ("名", "(no answer)"): 0,
        ("个", "名"): 1 / 3, ("个", "个"): 2 / 3, ("个", "(other)"): 0, ("个", "(no answer)"): 0,
    }  # fmt: skip


@settings(max_examples=40)
@given(ANSWERED, st.integers(1, 4))
def test_every_row_of_the_matrix_sums_to_one(pairs: list[tuple[str, str | None]], top: int) -> None:
    held = slot_tables([Use("物", one) for one, _ in pairs], {"A": [other for _, other in pairs]})
    sums: dict[str, float] = defaultdict(float)
    for row in estimate_records(confusion_matrix(top=top).estimate(held)):
        sums[row.by["corpus"]] += row.value or 0.0
    assert all(total == pytest.approx(1) for total in sums.values())
    assert len(sums) == min(top, len({one for one, _ in pairs}))


def test_they_keep_the_promises_of_an_analysis() -> None:
    for analysis in (accuracy_by_classifier(), confusion_matrix()):
        assert [finding for finding in analysis.conformance() if not finding.kept] == []
