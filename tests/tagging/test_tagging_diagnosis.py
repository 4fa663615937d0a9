from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest

from hengliang import Estimate, Tables
from hengliang.core import LANGUAGES, estimate_records
from hengliang.core import find_registered as find
from hengliang.report import estimate_table
from hengliang.tagging.diagnosis import (
    ABOUT_WORDS,
    ALL_ITEMS,
    GOLD_A_OR_V,
    WITHIN_REACH,
    TaggingDiagnosis,
    group_masks,
    tagging_diagnosis,
)
from hengliang.tagging.published import paper_004
from tests.tagging.diagnostic_answers import SENTENCES, TAGGED, diagnostic_tables


def rows(tables: Tables, **settings: object) -> dict[tuple[str, str, str], Estimate]:
    """Return the estimates by system, item and statistic."""
    found = TaggingDiagnosis(**settings).estimate(tables)  # type: ignore[arg-type]
    return {(row.by["system"], row.by["pair"], row.statistic): row for row in estimate_records(found)}


def test_items_by_hand() -> None:
    held = rows(diagnostic_tables())
    # ONE on n:v: one Correct, one Wrong, one Record.
    assert [held["ONE", "n:v", name].value for name in ("correct", "wrong", "record", "total", "failed")] == [
        1,
        1,
        1,
        3,
        0,
    ]
    assert held["ONE", "n:v", "D"].value == 100 * 1 / 2
    assert held["ONE", "n:v", "D published"].value == 100 * 1 / 3
    assert held["ONE", "n:v", "R"].value == 1 / 3
    wilson = binomtest(1, 3).proportion_ci(method="wilson")
    published = held["ONE", "n:v", "D published"]
    assert (published.low, published.high) == pytest.approx((100 * wilson.low, 100 * wilson.high))
    assert "Wilson" in published.method


def test_failed_sentences_are_counted_apart() -> None:
    row = rows(diagnostic_tables())["TWO", "p+r:d", "D published"]
    assert (row.value, row.n, row.n_missing) == (0.0, 1, 1)


def test_no_d_where_every_sentence_is_record() -> None:
    held = rows(diagnostic_tables())
    row = held["ONE", "v:a", "D"]
    assert (row.value, row.low, row.high) == (None, None, None)
    assert "not available: every labelled sentence is Record" in row.method
    assert held["ONE", "v:a", "D published"].value == 0.0


def test_z_four_ways_by_hand() -> None:
    # ONE: D = 50 (p+r:d), 50 (n:v), not available (v:a); D published = 50, 100/3, 0. Without the tag r, p+r:d is out of
    # its reach: D 50 over n:v alone, published (100/3 + 0)/2.
    held = rows(diagnostic_tables(tags={"ONE": "a d n p u v vn", "TWO": "a d n p r u v"}))
    every, within = held["ONE", ALL_ITEMS, "D"], held["ONE", WITHIN_REACH, "D"]
    assert (every.value, every.n, every.n_missing) == (50.0, 2, 1)
    assert (within.value, within.n, within.n_missing) == (50.0, 1, 1)
    assert held["ONE", ALL_ITEMS, "D published"].value == pytest.approx((50 + 100 / 3 + 0) / 3)
    assert held["ONE", WITHIN_REACH, "D published"].value == pytest.approx(100 / 6)
    assert held["ONE", ALL_ITEMS, "left out"].value == 1
    assert [held["ONE", pair, "reachable"].value for pair in ("p+r:d", "n:v")] == [0, 1]
    # TWO: D = not available, 100, 0; published 0 (one sentence, the other failed), 100, 0.
    assert held["TWO", ALL_ITEMS, "D"].value == 50.0
    assert held["TWO", ALL_ITEMS, "D published"].value == pytest.approx(100 / 3)
    assert held["TWO", ALL_ITEMS, "failed"].value == 1


def test_a_tagger_that_does_not_name_its_tags_has_no_items_within_reach() -> None:
    held = rows(diagnostic_tables())
    row = held["ONE", WITHIN_REACH, "D"]
    assert (row.value, row.n) == (None, 0) and "trait 'tags'" in row.method
    assert held["ONE", "n:v", "reachable"].value is None


def test_draws_are_not_said_to_lack_what_only_another_group_lacks() -> None:
    method = rows(diagnostic_tables())["ONE", ALL_ITEMS, "D published"].method
    assert "2000 draws" in method and "without a value" not in method


def test_groups_are_those_of_tables_3_and_4() -> None:
    pairs = list(paper_004().tables["A1"]["rows"])
    masks = group_masks(pl.DataFrame({"pair": pairs, "reachable": [True] * 70}))
    for group, table in ((ABOUT_WORDS, "3"), (GOLD_A_OR_V, "4")):
        chosen = {pair for pair, held in zip(pairs, masks[group], strict=True) if held}
        assert chosen == set(paper_004().tables[table]["items"])
    assert masks[ALL_ITEMS].sum() == 70


def test_groups_without_items_are_left_out() -> None:
    held = rows(diagnostic_tables(SENTENCES[2:5], {"ONE": TAGGED["ONE"][2:5]}))
    assert {pair for _, pair, _ in held} == {ALL_ITEMS, WITHIN_REACH, "n:v"}


def test_the_interval_of_z_draws_sentences_that_count_in_all_their_items() -> None:
    # One sentence stands under both items and is right in both, another is wrong in both: the four equally likely draws
    # of two sentences give Z = 100, 50, 50, 0. The 25 % at each end make the interval [0, 100]. Were the two items
    # drawn apart, 0 and 100 would have a probability of 1/16 each.
    sentences = [
        ("n:v", "甲/n", "[甲]乙"),
        ("v:n", "乙/v", "甲[乙]"),
        ("n:v", "丙/n", "[丙]丁"),
        ("v:n", "丁/v", "丙[丁]"),
    ]
    tagged = ["甲/n 乙/v", "甲/n 乙/v", "丙/v 丁/n", "丙/v 丁/n"]
    held = rows(diagnostic_tables(sentences, {"ONE": tagged}), level=0.6, draws=4000)
    row = held["ONE", ALL_ITEMS, "D"]
    assert (row.value, row.low, row.high) == (50.0, 0.0, 100.0)
    assert "2 clusters (cluster)" in row.method and "counts in all its items" in row.method
    apart = rows(diagnostic_tables(sentences, {"ONE": tagged}), level=0.6, draws=4000, cluster="id")
    assert apart["ONE", ALL_ITEMS, "D"].high != 100.0 or apart["ONE", ALL_ITEMS, "D"].low != 0.0


def test_the_interval_of_z_is_that_of_all_resamples() -> None:
    # All 3³ resamples of three sentences, enumerated: Z of the published kind, items that a resample lacks left out.
    sentences = [("n:v", "甲/n", "[甲]天"), ("n:v", "乙/n", "[乙]天"), ("v:n", "丙/v", "[丙]天")]
    tagged = ["甲/n 天/n", "乙/v 天/n", "丙/v 天/n"]
    right = [1, 0, 1]
    values = []
    for drawn in itertools.product(range(3), repeat=3):
        items = [[right[k] for k in drawn if k in group] for group in ((0, 1), (2,))]
        values.append(np.mean([100 * np.mean(one) for one in items if one]))
    low, high = np.quantile(values, [0.1, 0.9], method="inverted_cdf")
    assert (low, high) == pytest.approx((100 / 3, 100))
    row = rows(diagnostic_tables(sentences, {"ONE": tagged}), level=0.8, draws=20000)["ONE", ALL_ITEMS, "D published"]
    assert (row.low, row.high) == pytest.approx((low, high))


def test_the_same_sentence_under_several_words_widens_the_interval() -> None:
    sentences = [("n:v", "甲/n", "[甲]乙丙"), ("n:v", "乙/n", "甲[乙]丙"), ("n:v", "丙/n", "甲乙[丙]")]
    held = diagnostic_tables(sentences, {"ONE": ["甲/n 乙/n 丙/n"] * 3})
    one, three = (rows(held, cluster=cluster)["ONE", "n:v", "D"] for cluster in ("cluster", "id"))
    wilson = binomtest(1, 1).proportion_ci(method="wilson")
    assert one.low == pytest.approx(100 * wilson.low)
    assert three.low is not None and one.low is not None and one.low < three.low


def test_means_alone() -> None:
    held = rows(diagnostic_tables(), items=False)
    assert {pair for _, pair, _ in held} == {ALL_ITEMS, WITHIN_REACH, ABOUT_WORDS, GOLD_A_OR_V}
    full = rows(diagnostic_tables())
    assert held["ONE", ALL_ITEMS, "D"].value == full["ONE", ALL_ITEMS, "D"].value
    assert tagging_diagnosis(items=False).layout().figure == "intervals"


def test_another_tagger_in_the_run_changes_nothing() -> None:
    alone = rows(diagnostic_tables(tagged={"ONE": TAGGED["ONE"]}))
    both = rows(diagnostic_tables())
    assert {key: row.value for key, row in both.items() if key[0] == "ONE"} == {
        key: row.value for key, row in alone.items()
    }


def test_the_order_of_rows_does_not_matter() -> None:
    held = diagnostic_tables(tags={"ONE": "n v", "TWO": "n"})
    other = replace(
        held, items=held.items.reverse(), responses={"tagging": held.responses["tagging"].reverse()},
        judgements=held.judgements.reverse(),
    )  # fmt: skip
    assert {key: (row.value, row.low) for key, row in rows(held).items()} == {
        key: (row.value, row.low) for key, row in rows(other).items()
    }


def test_z_in_words() -> None:
    told = TaggingDiagnosis().conclude(diagnostic_tables(tags={"ONE": "n v"})).sentences
    assert told[0].en.startswith("ONE: Z = 27.78") and "by formula (1), over 2 of 3 items" in told[0].en
    assert "over the 2 items within reach" in told[0].en and "可达的 2 个项目" in told[0].zh
    assert "within reach" not in told[1].en


def test_a_report_can_lay_it_out() -> None:
    analysis = TaggingDiagnosis()
    for language in LANGUAGES:
        table = estimate_table(analysis.estimate(diagnostic_tables()), analysis.layout(), language)
        assert {"en": "all items (Z)", "zh": "全部项目（总分 Z）"}[language] in table.to_markdown()


def test_registered_and_kept_promises() -> None:
    assert find("analysis", "tagging diagnosis").kind is TaggingDiagnosis
    assert [finding.promise for finding in TaggingDiagnosis().conformance() if not finding.kept] == []
    assert all(text.zh and text.en for text in (TaggingDiagnosis.title, TaggingDiagnosis.explanation))
