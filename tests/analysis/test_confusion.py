"""Is every confusion counted once, against the right total, and in both directions?"""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Estimate, UserError
from hengliang.analysis.confusion import choices, confusion, confusion_counts, frequent
from hengliang.core import estimate_records
from hengliang.report import estimate_table
from tests.analysis.slot_answers import Use, shuffled, slot_tables

# Corpus → chosen: 名→个 three times (学生 twice, 干部 once), 名 right once, 个→名 once, 个 right twice, 张 unanswered.
USES = [
    Use("学生", "名", block=0), Use("学生", "名", block=0), Use("干部", "名", block=1), Use("干部", "名", block=1),
    Use("人", "个", block=0), Use("人", "个", block=1), Use("人", "个", block=2), Use("纸", "张", block=2),
]  # fmt: skip
GIVEN = ["个", "个", "个", "名", "名", "个", "个", None]


def rows(top: int = 10, seeds: int = 1) -> dict[tuple[str, str, str], Estimate]:
    found = confusion(top=top).estimate(slot_tables(USES, {"A": GIVEN}, seeds))
    return {(row.by["corpus"], row.by["chosen"], row.statistic): row for row in estimate_records(found)}


def test_counts_shares_and_directions_by_hand() -> None:
    found = rows()
    # 名 has four slots, three of them got 个; 个 has three slots, one of them got 名.
    value = {key: row.value for key, row in found.items()}
    assert value == {
        ("名", "个", "count"): 3, ("名", "个", "reverse"): 1,
        ("名", "个", "share"): 3 / 4, ("名", "个", "asymmetry"): (3 - 1) / (3 + 1),
        ("个", "名", "count"): 1, ("个", "名", "reverse"): 3,
        ("个", "名", "share"): 1 / 3, ("个", "名", "asymmetry"): (1 - 3) / (1 + 3),
    }  # fmt: skip
    # The exact sign test of 3 against 1: 2 · (1 + 4) / 16 = 0.625, the same from both sides.
    assert found["名", "个", "asymmetry"].p == pytest.approx(0.625)
    assert found["个", "名", "asymmetry"].p == pytest.approx(0.625)


def test_the_commonest_comes_first_with_its_nouns() -> None:
    first = next(estimate_records(confusion(top=1).estimate(slot_tables(USES, {"A": GIVEN}))))
    assert first.by == {"system": "A", "rank": "1", "corpus": "名", "chosen": "个", "nouns": "学生 2, 干部 1"}
    assert {key[:2] for key in rows(top=1)} == {("名", "个")}


def test_a_slot_without_an_answer_is_no_confusion_and_is_counted() -> None:
    held = slot_tables([Use("纸", "张"), Use("纸", "张", block=1)], {"A": ["个", None]})
    found = list(estimate_records(confusion().estimate(held)))
    # One of two slots of 张 got 个; the other is missing and stays in the denominator.
    assert {row.statistic: row.value for row in found}["share"] == 1 / 2
    assert {(row.n, row.n_missing) for row in found} == {(1, 1)}


def test_seeds_are_averaged() -> None:
    one, three = rows(), rows(seeds=3)
    for key, row in one.items():
        assert three[key].value == pytest.approx(row.value)
        assert three[key].p == row.p


def test_no_errors_no_confusions() -> None:
    assert confusion().estimate(slot_tables(USES[:4], {"A": ["名"] * 4})).height == 0
    assert confusion().estimate(slot_tables(USES[:2], {"A": [None, None]})).height == 0


def test_one_class_only() -> None:
    held = slot_tables([Use("学生", "名", block=n) for n in range(3)], {"A": ["个"] * 3})
    share = {row.statistic: row for row in estimate_records(confusion().estimate(held))}
    assert (share["share"].value, share["share"].low, share["share"].high) == (1.0, 1.0, 1.0)
    assert share["asymmetry"].value == 1.0


def test_items_without_gold_are_refused_or_left_out() -> None:
    held = slot_tables([Use("学生", None), Use("学生", "名")], {"A": ["个", "个"]})
    assert choices(held).height == 1
    with pytest.raises(UserError, match="gold"):
        confusion().estimate(slot_tables([Use("学生", None)], {"A": ["个"]}))
    with pytest.raises(UserError, match="top"):
        confusion(top=0)


def test_words_say_what_the_numbers_say() -> None:
    told = confusion().conclude(slot_tables(USES, {"A": GIVEN})).sentences
    assert [one.en for one in told] == ["A most often has 个 where the corpus has 名: 3 times, 75% of the slots of 名."]
    assert "“名”换成“个”" in told[0].zh


def test_the_report_can_show_it_sorted_by_count() -> None:
    table = estimate_table(confusion().estimate(slot_tables(USES, {"A": GIVEN})), confusion().layout())
    assert table.frame["rank"].to_list() == ["1", "2"]
    assert table.frame["count"].to_list() == [3.0, 1.0]


def test_it_keeps_the_promises_of_an_analysis() -> None:
    assert [finding for finding in confusion().conformance() if not finding.kept] == []


LABELS = st.sampled_from("个名张只")
ANSWERED = st.lists(st.tuples(LABELS, st.one_of(LABELS, st.none())), min_size=1, max_size=30)


@settings(max_examples=50)
@given(ANSWERED)
def test_the_matrix_is_that_of_scikit_learn_and_its_rows_sum_to_the_corpus_counts(
    pairs: list[tuple[str, str | None]],
) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    gold, label = [one for one, _ in pairs], [other for _, other in pairs]
    found = confusion_counts(slot_tables([Use("物", one) for one in gold], {"A": label}))
    names = [*sorted({*gold, *(one for one in label if one)}), "-"]
    theirs = metrics.confusion_matrix(gold, [one or "-" for one in label], labels=names)
    ours = {(corpus, chosen or "-"): count for _, corpus, chosen, count in found.iter_rows()}
    for row, corpus in enumerate(names):
        for column, chosen in enumerate(names):
            assert ours.get((corpus, chosen), 0) == theirs[row, column]
    sums = found.group_by("corpus").agg(pl.col("count").sum())
    assert dict(sums.iter_rows()) == Counter(gold)


@settings(max_examples=20)
@given(ANSWERED, st.integers(0, 99))
def test_the_order_of_rows_does_not_matter(pairs: list[tuple[str, str | None]], seed: int) -> None:
    uses = [Use("物", gold, block=place % 4) for place, (gold, _) in enumerate(pairs)]
    held = slot_tables(uses, {"A": [label for _, label in pairs]})
    analysis = confusion(draws=50)
    assert analysis.estimate(held).equals(analysis.estimate(shuffled(held, seed)))


def test_frequent_classes_come_by_items_and_not_by_answers() -> None:
    held = choices(slot_tables(USES, {"A": GIVEN, "B": GIVEN}))
    assert frequent(held, 2) == ["名", "个"]
