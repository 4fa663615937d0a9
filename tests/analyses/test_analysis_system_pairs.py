"""Are the right values of two systems put side by side, and the right test to them?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from hengliang import UserError
from hengliang.analyses.system_differences import system_difference
from hengliang.analyses.system_pairs import COPIES, MEAN, UNIQUE, Asked, Difference, JudgedPairs, RatedPairs, Refused
from hengliang.statistics import Equivalence, TestResult, sign_test, signed_rank_test
from tests.analyses.answers import judge, tables
from tests.analyses.shared_answers import ITEMS, RATERS, rated_tables

RATED = rated_tables()
ASKED = Asked(("signed ranks", "sign", "mcnemar", "permutation"), draws=200, permutations=199)


def test_judgements_are_paired_by_item_and_what_is_missing_stays() -> None:
    pairs = JudgedPairs.of(tables(), "match").pairs("MIX", "GE")
    assert pairs["item"].to_list() == ["i0", "i1", "i2", "i3", "i4"]
    assert pairs["first"].to_list() == [1.0, 0.0, 1.0, None, 1.0]
    assert pairs["second"].to_list() == [1.0, 1.0, 0.0, 0.0, 0.0]


def test_each_test_sees_the_same_pairs() -> None:
    found = {one.test: one.result for one in JudgedPairs.of(tables(), "match").compare("MIX", "GE", ASKED)}
    difference = found.pop(MEAN)
    # Four complete pairs with the differences 0, −1, 1, 1.
    assert isinstance(difference, Difference)
    assert difference.effect.value == 0.25
    assert (difference.n, difference.n_missing) == (4, 1)
    tests = {name: result for name, result in found.items() if isinstance(result, TestResult)}
    assert set(tests) == {"signed-rank", "sign", "mcnemar", "paired-permutation"}
    assert {(result.n, result.n_missing) for result in tests.values()} == {(4, 1)}
    # 2 for and 1 against: p = 2 · P(X ≤ 1 | 3, ½) = 2 · 4/8, at most 1, whatever the test.
    assert [result.p for result in tests.values()] == [1.0] * 4
    assert tests["mcnemar"].details == {"only MIX succeeds": 2, "only GE succeeds": 1}


def test_whole_clusters_flip() -> None:
    answers = {"A": ("个",) * 8, "B": ("本",) * 8}
    held = tables(("个",) * 8, answers, blocks=list("aabbccdd"))
    one = Asked(("permutation",))
    by_item, by_block = (
        [found.result for found in JudgedPairs.of(held, "match", (), cluster).compare("A", "B", one)][1]
        for cluster in ("", "block")
    )
    assert isinstance(by_item, TestResult)
    assert isinstance(by_block, TestResult)
    # All signs equal: 2 of 2⁸ rearrangements by item, 2 of 2⁴ by block.
    assert (by_item.p, by_block.p) == (2 / 2**8, 2 / 2**4)


def test_seeds_are_averaged_and_mcnemar_then_refused() -> None:
    held = tables()
    second = held.responses["label"].filter(pl.col("system") == "GE").with_columns(
        system=pl.lit("MIX"), seed=pl.lit(2, dtype=pl.Int64)
    )  # fmt: skip
    seeds = judge(replace(held, responses={"label": pl.concat([held.responses["label"], second])}))
    pairs = JudgedPairs.of(seeds, "match")
    # MIX says 1 0 1 – 1 with seed 1 and 1 1 0 0 0 with seed 2.
    assert pairs.pairs("MIX", "GE")["first"].to_list() == [1.0, 0.5, 0.5, 0.0, 0.5]
    refused = next(one.result for one in pairs.compare("MIX", "GE", ASKED) if one.test == "mcnemar")
    assert isinstance(refused, Refused)
    assert refused.reason.en == "McNemar's test takes 0 and 1, and 0.5 is a value."
    assert refused.counts == (5, 0)


def test_systems_that_never_differ_cannot_be_tested_but_are_equivalent() -> None:
    held = tables(("个", "本", "张"), {"A": ("个", "本", "个"), "B": ("个", "本", "个")}, blocks=("a", "b", "c"))
    found = {
        one.test: one.result for one in JudgedPairs.of(held, "match").compare("A", "B", replace(ASKED, margin=0.1))
    }
    assert isinstance(found["signed-rank"], Refused)
    assert isinstance(found["sign"], Refused)
    equivalent = found["equivalence"]
    assert isinstance(equivalent, Equivalence)
    assert equivalent.verdict == "equivalent"


def test_a_cluster_that_is_not_there_is_refused() -> None:
    with pytest.raises(UserError, match="No column is called 'blok'"):
        JudgedPairs.of(tables(), "match", (), "blok")
    with pytest.raises(UserError, match="'block' is empty for the item 'i0'"):
        JudgedPairs.of(tables(blocks=(None, "a", "b", "b", "c")), "match", (), "block")


# --- people's ratings -----------------------------------------------------------------------------------------------


def test_unique_ratings_go_through_system_differences() -> None:
    pairs = RatedPairs.of(RATED, "fluency")
    (found,) = pairs.compare("BERT", "RULE", ASKED)
    assert (found.test, found.ratings) == ("system-difference", UNIQUE)
    assert isinstance(found.result, TestResult)
    expected = system_difference(pairs.shared, "BERT", "RULE", draws=200, permutations=199)
    assert (found.result.p, found.result.effects) == (expected.p, expected.effects)
    assert found.result.details["items with different responses"] == ITEMS - ITEMS // 3


def test_the_rating_of_a_shared_response_changes_no_difference() -> None:
    shared = RATED.responses["label"].filter(pl.col("id").is_duplicated())["id"].unique().to_list()
    others = RATED.judgements.with_columns(
        value=pl.when(pl.col("about").is_in(shared)).then(8 - pl.col("value")).otherwise("value")
    )
    results = [
        next(RatedPairs.of(held, "fluency").compare("BERT", "RULE", ASKED)).result
        for held in (RATED, replace(RATED, judgements=others))
    ]
    first, second = (result for result in results if isinstance(result, TestResult))
    assert first.p == second.p
    assert first.effect(MEAN).value == pytest.approx(second.effect(MEAN).value, abs=1e-12)


def test_copies_are_all_pairs_of_an_item_and_a_rater_and_say_so() -> None:
    pairs = RatedPairs.of(RATED, "fluency", (), (UNIQUE, COPIES))
    rows = pairs.pairs("BERT", "RULE")
    assert rows.height == ITEMS * RATERS
    assert int((rows["first"] == rows["second"]).sum()) >= RATERS * ITEMS // 3  # each copy against itself
    asked = replace(ASKED, tests=("signed ranks", "sign"), margin=0.5)
    found = {(one.ratings, one.test): one.result for one in pairs.compare("BERT", "RULE", asked)}
    assert list(found) == [
        (UNIQUE, "system-difference"),
        (UNIQUE, "equivalence"),
        (COPIES, "signed-rank"),
        (COPIES, "sign"),
        (COPIES, "equivalence"),
    ]
    columns = rows["first"].to_numpy(), rows["second"].to_numpy()
    for name, test in (("signed-rank", signed_rank_test), ("sign", sign_test)):
        result = found[COPIES, name]
        assert isinstance(result, TestResult)
        assert result.p == test(*columns).p
        assert result.conventions["ratings"] == "with copies"


def test_a_system_with_two_responses_to_an_item_is_refused() -> None:
    seeds = RATED.responses["label"].with_columns(
        system=pl.col("system").replace("BERT", "GE"),
        seed=pl.when(pl.col("system") == "BERT").then(2).otherwise(1).cast(pl.Int64),
    )
    with pytest.raises(UserError, match="'GE' has 2 responses to item"):
        RatedPairs.of(replace(RATED, responses={"label": seeds}), "fluency").pairs("GE", "RULE")


def test_the_interval_of_a_difference_holds_it() -> None:
    pairs = JudgedPairs.of(tables(), "match")
    difference = next(pairs.compare("MIX", "GE", replace(ASKED, level=0.8))).result
    assert isinstance(difference, Difference)
    effect = difference.effect
    assert effect.low is not None
    assert effect.high is not None
    assert effect.low <= effect.value <= effect.high
    assert effect.level == 0.8
    assert difference.sentence().en.startswith("MIX minus GE, mean over 4 items: MD = 0.25, 80 % CI [")
    assert np.isfinite([row.value for row in difference.estimates("x") if row.value is not None]).all()
