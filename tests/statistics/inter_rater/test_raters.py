"""Is a careless rater found, and a careful one left in peace?"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from hengliang import UserError
from hengliang.statistics.inter_rater.krippendorff import krippendorff_alpha
from hengliang.statistics.inter_rater.raters import Thresholds, diagnose_raters


def ratings(items: int = 30, seed: int = 2) -> pl.DataFrame:
    """Four raters who follow the items, one who always says 7, and one who turns the scale round."""
    generator = np.random.default_rng(seed)
    quality = generator.normal(4, 1.5, items)
    rows = []
    for place, name in enumerate(("ann", "bo", "cy", "di", "seven", "turned")):
        for item in range(items):
            score = int(np.clip(round(quality[item] + generator.normal(0, 1)), 1, 7))
            score = 7 if name == "seven" else 8 - score if name == "turned" else score
            rows.append((name, f"i{item}", float(score), place * items + item))
    return pl.DataFrame(rows, schema=["rater", "item", "score", "trial"], orient="row")


def test_the_two_who_cannot_be_trusted_are_flagged() -> None:
    found = diagnose_raters(ratings())
    assert [rater.name for rater in found.flagged] == ["seven", "turned"]
    seven, turned = found.flagged
    assert (seven.most_used, seven.most_used_share, seven.deviation) == (7, 1, 0)
    assert math.isnan(seven.with_others)
    assert seven.flags[0].en == "nearly always 7 (100 % of answers, bound 90 %)"
    assert seven.flags[0].zh == "几乎总答 7（占 100 %，界限 90 %）"
    assert turned.with_others < -0.5
    assert turned.flags[0].en.startswith("against the rest (r = −.")
    sentence = found.sentence()
    assert "to be looked at: seven and turned" in sentence.en
    assert "需查看：seven和turned" in sentence.zh


def test_numbers_of_one_rater_by_hand() -> None:
    frame = pl.DataFrame(
        {
            "rater": ["a"] * 4 + ["b"] * 4 + ["c"] * 3,
            "item": ["w", "x", "y", "z"] * 2 + ["w", "x", "y"],
            "score": [1, 2, 4, 4, 2, 2, 3, 5, 3, 4, 4],
        }
    )
    found = diagnose_raters(frame, metric="interval")
    a = found.rater("a")
    # The others' means: w (2+3)/2 = 2.5, x 3, y 3.5, z 5; a gives 1, 2, 4, 4.
    assert (a.n, a.mean, a.most_used, a.most_used_share) == (4, 2.75, 4, 0.5)
    assert a.shift == pytest.approx(((1 - 2.5) + (2 - 3) + (4 - 3.5) + (4 - 5)) / 4)
    assert a.with_others == pytest.approx(np.corrcoef([1, 2, 4, 4], [2.5, 3, 3.5, 5])[0, 1])
    table: list[list[int | None]] = [[2, 2, 3, 5], [3, 4, 4, None]]
    assert a.alpha_without == pytest.approx(krippendorff_alpha(table, metric="interval", draws=1).value)
    whole: list[list[int | None]] = [[1, 2, 4, 4], *table]
    assert found.alpha == pytest.approx(krippendorff_alpha(whole, metric="interval", draws=1).value)
    assert "4 answers only (fewer than 5)" in a.flags[0].en


def test_repeated_items_tell_how_steady_a_rater_is() -> None:
    base = ratings(20).filter(pl.col("rater").is_in(["ann", "bo", "cy"]))
    again = base.filter(pl.col("rater") == "bo").head(8)
    moved = again.with_columns(score=pl.col("score") + pl.Series([0, 1, 2, 1, 1, 1, 1, 1]), trial=pl.col("trial") + 999)
    found = diagnose_raters(pl.concat([base, moved]), order="trial")
    bo = found.rater("bo")
    assert (bo.repeats, bo.same_again, bo.repeat_difference) == (8, 1 / 8, 1.0)
    assert bo.n == 28
    assert "unsteady on repeated items (same answer to 12 % of 8, bound 30 %)" in bo.flags[-1].en
    # The first answer counts: nothing else of the others changes.
    assert found.rater("ann").with_others == diagnose_raters(base).rater("ann").with_others
    assert found.rater("ann").repeats == 0


def test_runs_need_the_order_of_trials() -> None:
    scores, trials = [1, 3, 3, 3, 2, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1] * 2
    frame = pl.DataFrame({"rater": list("aaaaabbbbb"), "item": list("vwxyz") * 2, "score": scores, "t": trials})
    assert diagnose_raters(frame, order="t").rater("a").longest_run == 3
    assert diagnose_raters(frame).rater("a").longest_run == 0


def test_thresholds_can_be_set_and_are_signed() -> None:
    strict = diagnose_raters(ratings(), thresholds=Thresholds(weak=0.95))
    assert any("shares little with the rest" in flag.en for flag in strict.rater("ann").flags)
    assert dict(strict.signature().pairs)["threshold weak"] == "0.95"
    none = diagnose_raters(ratings().filter(~pl.col("rater").is_in(["seven", "turned"])))
    assert none.flagged == ()
    assert "none raises a flag" in none.sentence().en


def test_order_of_rows_does_not_matter() -> None:
    one, two = diagnose_raters(ratings()), diagnose_raters(ratings().reverse())
    assert one.table().to_dicts() == two.table().to_dicts()
    assert str(one.signature()) == str(two.signature())


def test_estimates_and_table() -> None:
    found = diagnose_raters(ratings())
    rows = list(found.estimates("raters"))
    flags = {row.by["rater"]: row.value for row in rows if row.statistic == "flags"}
    assert flags == {"ann": 0, "bo": 0, "cy": 0, "di": 0, "seven": 1, "turned": 1}
    assert all(row.signature and row.method for row in rows)
    assert found.table()["flags"].to_list()[4].startswith("nearly always 7")
    assert "flag: nearly always 7" in str(found)


def test_missing_answers_are_counted() -> None:
    frame = ratings().with_columns(score=pl.when(pl.col("trial") == 3).then(None).otherwise(pl.col("score")))
    found = diagnose_raters(frame)
    assert (found.n, found.n_missing) == (179, 1)


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="No column is called 'judge'"):
        diagnose_raters(ratings(), rater="judge")
    with pytest.raises(UserError, match="column 'rater' is String"):
        diagnose_raters(ratings(), rating="rater")
    with pytest.raises(UserError, match="1 rater"):
        diagnose_raters(ratings().filter(pl.col("rater") == "ann"))
    with pytest.raises(UserError, match="No rater is called 'eve'"):
        diagnose_raters(ratings()).rater("eve")
