"""Are flexible nouns, competitors and contexts found in a material?"""

from __future__ import annotations

import pytest

from hengliang import UserError
from hengliang.analysis.variation_in_use import competing_classifiers, flexibility_by_context, flexible_nouns
from hengliang.core import estimate_records, sample_tables
from tests.analysis.slot_answers import Given, Use

DATA = Given(
    [Use("学生", "名", block=0), Use("学生", "位", block=1), Use("书", "本", block=0), Use("书", "本", block=1)]
    + [Use("人", "个", before="是这", trigger="demonstrative", block=n) for n in range(2)]
    + [Use("人", "位", before="是这", trigger="demonstrative", block=2)]
)


def test_the_most_flexible_noun_comes_first_and_all_come_last() -> None:
    found = list(estimate_records(flexible_nouns(DATA, least=2).estimate(sample_tables())))
    assert found[0].by == {"rank": "1", "noun": "学生", "in use": found[0].by["in use"]}
    assert {row.statistic: row.value for row in found[:3]} == {"classifiers": 2.0, "entropy": 1.0, "share": 0.5}
    # All seven uses: classifiers (2·2 + 2·1 + 3·2) / 7, shares (2·.5 + 2·1 + 3·2/3) / 7.
    last = {row.statistic: row.value for row in found[-3:]}
    assert last["classifiers"] == pytest.approx(12 / 7)
    assert last["share"] == pytest.approx(5 / 7)
    assert flexible_nouns(DATA, least=100).estimate(sample_tables()).height == 0


def test_competitors_share_nouns() -> None:
    found = list(estimate_records(competing_classifiers(DATA).estimate(sample_tables())))
    assert {(frozenset((row.by["one"], row.by["other"])), row.statistic): row.value for row in found} == {
        (frozenset("名位"), "nouns"): 1, (frozenset("名位"), "overlap"): 1,
        (frozenset("个位"), "nouns"): 1, (frozenset("个位"), "overlap"): 1,
    }  # fmt: skip


def test_contexts_by_hand() -> None:
    found = {
        (row.by.get("attribute"), row.by.get("level")): row
        for row in estimate_records(flexibility_by_context(DATA).estimate(sample_tables()))
    }
    # After a numeral: 学生 always differs (2 uses), 书 never (2): 1/2. After 这: of three pairs of 人 two differ.
    assert found["trigger", "numeral"].value == pytest.approx(1 / 2)
    assert found["trigger", "demonstrative"].value == pytest.approx(2 / 3)
    assert found[None, None].value == pytest.approx((2 * 1 + 2 * 0 + 3 * 2 / 3) / 7)
    assert found["number", "one"].value == found["trigger", "numeral"].value
    assert found["trigger", "numeral"].n == 4


def test_unknown_attributes_are_refused() -> None:
    with pytest.raises(UserError, match="trigger"):
        flexibility_by_context(DATA, by=("weather",)).estimate(sample_tables())
    with pytest.raises(UserError, match="attribute"):
        flexibility_by_context(DATA, cluster="nothing").estimate(sample_tables())


def test_they_keep_the_promises_of_an_analysis() -> None:
    for analysis in (flexible_nouns(DATA), competing_classifiers(DATA), flexibility_by_context(DATA)):
        assert [finding for finding in analysis.conformance() if not finding.kept] == []
