from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest

from hengliang import Estimate, Tables, UserError
from hengliang.core import LANGUAGES, estimate_records
from hengliang.core import find_registered as find
from hengliang.report import estimate_table
from hengliang.statistics import adjust
from hengliang.tagging.diagnosis import ALL_ITEMS, WITHIN_REACH
from hengliang.tagging.differences import (
    ADJUSTED,
    FORMULA,
    ONLY_REFERENCE,
    ONLY_SYSTEM,
    PUBLISHED,
    P,
    TaggingDifferences,
    tagging_differences,
)
from hengliang.tagging.labels import TaggingItemMeasure
from tests.tagging.diagnostic_answers import TAGGED, diagnostic_tables, tagging, tagging_frame


def rows(tables: Tables, **settings: object) -> dict[tuple[str, str], Estimate]:
    """Return the estimates of TWO − ONE by item and statistic."""
    found = TaggingDifferences(**settings).estimate(tables)  # type: ignore[arg-type]
    assert {(row.by["system"], row.by["reference"]) for row in estimate_records(found)} == {("TWO", "ONE")}
    return {(row.by["pair"], row.statistic): row for row in estimate_records(found)}


def many(right: dict[str, str]) -> Tables:
    """Return tables of some items; letters say for each sentence who is right: 1, 2, b(oth) or n(either)."""
    sentences = [
        (pair, f"{chr(0x4E00 + 40 * row + place)}/n", f"[{chr(0x4E00 + 40 * row + place)}]天")
        for row, (pair, letters) in enumerate(right.items())
        for place, _ in enumerate(letters)
    ]
    letters = [letter for held in right.values() for letter in held]

    def tagged(own: str) -> list[str]:
        tags = ["n" if letter in ("b", own) else "v" for letter in letters]
        return [f"{gold.partition('/')[0]}/{tag} 天/x" for (_, gold, _), tag in zip(sentences, tags, strict=True)]

    return diagnostic_tables(sentences, {"ONE": tagged("1"), "TWO": tagged("2")})


def test_items_by_hand() -> None:
    # n:v: ONE has Correct, Record, Wrong, TWO three Correct. D 50 and 100, published 100/3 and 100.
    held = rows(diagnostic_tables())
    assert held["n:v", FORMULA].value == 50.0
    assert held["n:v", PUBLISHED].value == pytest.approx(100 - 100 / 3)
    assert (held["n:v", ONLY_SYSTEM].value, held["n:v", ONLY_REFERENCE].value) == (2, 0)
    assert held["n:v", P].value == pytest.approx(2 * 0.5**2)  # two sentences speak for TWO and none for ONE
    # p+r:d: the second sentence failed for TWO; on the first ONE is Correct and TWO Record.
    assert (held["p+r:d", PUBLISHED].value, held["p+r:d", PUBLISHED].n, held["p+r:d", PUBLISHED].n_missing) == (
        -100,
        1,
        1,
    )
    assert held["p+r:d", FORMULA].value is None
    # v:a: ONE Record, TWO Wrong: no D for ONE, nobody right, nothing that speaks for one of them.
    assert held["v:a", FORMULA].value is None and held["v:a", P].value == 1.0


def test_the_difference_of_z_by_hand() -> None:
    held = rows(diagnostic_tables())
    # By formula (1) only n:v has a score for both; published: 66.67, −100 and 0.
    every = held[ALL_ITEMS, FORMULA]
    assert (every.value, every.n, every.n_missing) == (50.0, 1, 2)
    assert held[ALL_ITEMS, PUBLISHED].value == pytest.approx((200 / 3 - 100 + 0) / 3)
    assert held[ALL_ITEMS, PUBLISHED].n == 3


def test_an_item_of_which_nothing_is_left_is_counted() -> None:
    # TWO fails on both sentences of p+r:d, so the two have no sentence of it in common: an item without a score.
    held = rows(diagnostic_tables(tagged={**TAGGED, "TWO": (None, *TAGGED["TWO"][1:])}))
    every = held[ALL_ITEMS, PUBLISHED]
    assert every.value == pytest.approx((200 / 3 + 0) / 2)
    assert (every.n, every.n_missing) == (2, 1)
    lost = held["p+r:d", PUBLISHED]
    assert (lost.value, lost.n, lost.n_missing) == (None, 0, 2)
    assert held["p+r:d", P].value is None and held["p+r:d", ADJUSTED].value is None
    assert "family of 2" in held["n:v", ADJUSTED].method  # it is no test


def test_draws_are_not_said_to_lack_what_only_another_group_lacks() -> None:
    held = rows(diagnostic_tables())  # without the trait `tags` no item is known to be within reach, in no draw
    assert "without a value" not in held[ALL_ITEMS, PUBLISHED].method


def test_the_test_is_a_sign_test_of_the_sentences_that_differ() -> None:
    held = rows(many({"n:v": "2222221bbnn", "n:a": "1122bb"}))
    # SciPy: six of seven, two of four.
    assert held["n:v", P].value == pytest.approx(binomtest(6, 7).pvalue)
    assert held["n:a", P].value == pytest.approx(binomtest(2, 4).pvalue)


def test_p_values_are_corrected_over_items() -> None:
    tables = many({"n:v": "222222222", "n:a": "22222222", "n:d": "1bn"})
    held = rows(tables)
    order = ("n:a", "n:d", "n:v")
    plain = [held[pair, P].value for pair in order]
    assert [held[pair, ADJUSTED].value for pair in order] == pytest.approx(list(adjust(plain, "holm")))
    other = rows(tables, correction="bonferroni")
    assert other["n:a", ADJUSTED].value == pytest.approx(min(1.0, 3 * (plain[0] or 0)))
    assert "Holm correction, family of 3" in held["n:v", ADJUSTED].method


def test_the_interval_draws_the_same_sentences_for_both() -> None:
    # Both taggers have the same answers: whatever is drawn, the difference is 0.
    held = rows(diagnostic_tables(tagged={"ONE": TAGGED["ONE"], "TWO": TAGGED["ONE"]}))
    row = held[ALL_ITEMS, PUBLISHED]
    assert (row.value, row.low, row.high) == (0.0, 0.0, 0.0)
    assert "the same for both" in row.method


def test_the_interval_is_that_of_all_resamples() -> None:
    # One item of four sentences: TWO is right alone on two, ONE on one. All 4⁴ resamples, enumerated.
    signs = [1, 1, -1, 0]
    values = [100 * np.mean([signs[k] for k in drawn]) for drawn in itertools.product(range(4), repeat=4)]
    low, high = np.quantile(values, [0.1, 0.9], method="inverted_cdf")
    row = rows(many({"n:v": "221b"}), level=0.8, draws=20000)[ALL_ITEMS, PUBLISHED]
    assert (row.value, row.low, row.high) == pytest.approx((25.0, low, high))


def test_items_within_reach_of_both() -> None:
    held = rows(diagnostic_tables(tags={"ONE": "n v a d p", "TWO": "n v p r"}))
    # p+r is out of ONE's reach, so n:v and v:a are left.
    assert held[WITHIN_REACH, PUBLISHED].n == 2
    unknown = rows(diagnostic_tables(tags={"ONE": "n v"}))[WITHIN_REACH, PUBLISHED]
    assert unknown.value is None and "trait 'tags'" in unknown.method


def test_of_several_seeds_the_lowest_is_taken() -> None:
    held = diagnostic_tables()
    again = tagging_frame([tagging(f"i{n}", "TWO", text, seed=2) for n, text in enumerate(TAGGED["ONE"])])
    first = held.responses["tagging"].with_columns(seed=pl.when(pl.col("system") == "TWO").then(pl.lit(1, pl.Int64)))
    answers = pl.concat([first, again])
    judged = TaggingItemMeasure().judge(held.items, answers)
    seeded = replace(held, responses={"tagging": answers}, judgements=judged)
    assert rows(seeded)["n:v", PUBLISHED].value == rows(held)["n:v", PUBLISHED].value


def test_pairs_that_are_named() -> None:
    held = diagnostic_tables()
    found = tagging_differences(pairs=[("ONE", "TWO")]).estimate(held)
    values = {(row.by["pair"], row.statistic): row.value for row in estimate_records(found)}
    assert values["n:v", FORMULA] == -50.0
    with pytest.raises(UserError, match="THREE"):
        tagging_differences(pairs=[("ONE", "THREE")]).estimate(held)
    with pytest.raises(UserError, match="names no pairs"):
        tagging_differences(pairs="some").estimate(held)  # type: ignore[arg-type]
    with pytest.raises(UserError, match="correction"):
        tagging_differences(correction="guess").estimate(held)  # type: ignore[arg-type]


def test_one_tagger_alone_has_nothing_to_compare() -> None:
    found = tagging_differences().conclude(diagnostic_tables(tagged={"ONE": TAGGED["ONE"]}))
    assert found.estimates.height == 0 and found.sentences == ()


def test_taggers_that_share_no_sentence() -> None:
    tagged = {"ONE": [None] * 6, "TWO": TAGGED["TWO"]}
    found = tagging_differences().estimate(diagnostic_tables(tagged=tagged))
    assert found["value"].to_list() == [None, None]
    assert "no item has a score for both" in found["method"][0]


def test_in_words() -> None:
    told = tagging_differences().conclude(many({"n:v": "2222222222", "n:a": "12"})).sentences
    assert "TWO − ONE: Z as published differs by 50.00" in told[0].en and "相差 50.00" in told[0].zh
    assert "1 of 2 tests is significant" in told[1].en and "n:v" in told[1].en


def test_registered_laid_out_and_kept_promises() -> None:
    assert find("analysis", "tagging differences").kind is TaggingDifferences
    assert [finding.promise for finding in TaggingDifferences().conformance() if not finding.kept] == []
    analysis = TaggingDifferences()
    for language in LANGUAGES:
        assert (
            "TWO" in estimate_table(analysis.estimate(diagnostic_tables()), analysis.layout(), language).to_markdown()
        )
