"""Are the correlations of scores and ratings right, clustered, complete, and pooled only where one asks for it?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Estimate, Tables, UserError
from hengliang.analysis.rating_correlation import in_words, rating_correlation
from hengliang.core import estimate_records
from hengliang.report import estimate_table
from tests import ORACLES
from tests.analysis.rated_scores import invented, rated, turned

ORACLE: dict[str, Any] = json.loads((ORACLES / "rating_correlation.json").read_text(encoding="utf-8"))


def estimates(tables: Tables, **options: Any) -> list[Estimate]:
    found = rating_correlation(**{"parts": "SLOR", "draws": 100, **options}).estimate(tables)
    return list(estimate_records(found))


def oracle_tables() -> Tables:
    return rated(ORACLE["rating"], {"first": ORACLE["first"], "second": ORACLE["second"]})


def test_the_values_are_those_of_r() -> None:
    found = {(row.statistic, row.by["system"]): row for row in estimates(oracle_tables())}
    assert list(found) == [(c, s) for c in ("pearson", "spearman", "kendall") for s in ("first", "second")]
    for system in ("first", "second"):
        for coefficient in ("pearson", "spearman", "kendall"):
            row = found[coefficient, system]
            # cor.test and cor of R in tests/oracles/rating_correlation.R.
            assert row.value == pytest.approx(ORACLE[f"of_{system}"][coefficient], abs=1e-9)
            assert (row.n, row.n_missing) == (40, 0)
            assert row.by == {"dataset": "BNC", "mode": "MOP2", "part": "SLOR", "system": system}


def test_single_sources_give_an_interval_near_fishers() -> None:
    rows = estimates(oracle_tables(), coefficient="pearson", draws=4000)
    for row, name in zip(rows, ("of_first", "of_second"), strict=True):
        # cor.test's interval; 40 sentences that are not quite normal leave room between the two methods.
        assert (row.low, row.high) == pytest.approx(ORACLE[name]["fisher"], abs=0.1)
        assert "40 levels of source_sentence drawn" in row.method


def test_versions_of_one_source_are_drawn_together() -> None:
    ratings, scores, _ = invented(40)
    five = {"A": list(np.repeat(scores, 5))}
    alone = estimates(rated(list(ratings), {"A": list(scores)}), coefficient="pearson", draws=500)[0]
    sources = [f"q{number:02d}" for number in np.repeat(np.arange(40), 5)]
    together = estimates(rated(list(np.repeat(ratings, 5)), five, sources=sources), coefficient="pearson", draws=500)[0]
    # Five copies of each sentence are 200 rows and no more evidence.
    assert (together.value, together.low, together.high) == pytest.approx((alone.value, alone.low, alone.high))
    assert together.n == 200
    apart = estimates(rated(list(np.repeat(ratings, 5)), five), coefficient="pearson", draws=500)[0]
    assert apart.high - apart.low < 0.6 * (together.high - together.low)  # type: ignore[operator]


def test_missing_scores_are_left_out_and_counted() -> None:
    ratings, first, second = (list(column) for column in invented(30))
    gaps = [None if number in (3, 7) else value for number, value in enumerate(second)]
    rated_gaps = [None if number == 5 else value for number, value in enumerate(ratings)]
    rows = {
        row.by["system"]: row for row in estimates(rated(rated_gaps, {"A": first, "B": gaps}), coefficient="pearson")
    }
    keep = [number for number in range(30) if number not in (3, 5, 7)]
    assert (rows["A"].n, rows["A"].n_missing) == (29, 1)
    assert (rows["B"].n, rows["B"].n_missing) == (27, 3)
    # The same as if these sentences had never been there.
    assert rows["B"].value == pytest.approx(np.corrcoef(np.array(second)[keep], np.array(ratings)[keep])[0, 1])


def test_cells_without_a_number_say_why_and_the_rest_stands() -> None:
    ratings = [1.0, 2.0, 3.0, 4.0, 1.0, 2.0]
    modes = ["m1", "m1", "m1", "m1", "m2", "m2"]
    scores: dict[str, list[float | None]] = {
        "flat": [5, 5, 5, 5, 1, 2],
        "good": [1, 2, 3, 5, 1, 2],
        "silent": [None] * 5 + [1.0],
    }
    analysis = rating_correlation(parts="SLOR", coefficient="pearson", draws=50)
    conclusion = analysis.conclude(rated(ratings, scores, mode=modes))
    found = {(row.by["mode"], row.by["system"]): row for row in estimate_records(conclusion.estimates)}
    assert "all 4 scores of flat are 5" in found["m1", "flat"].method
    assert "too few sentences have a score and a rating (0)" in found["m1", "silent"].method
    assert found["m1", "silent"].n_missing == 4
    assert found["m1", "good"].value == pytest.approx(np.corrcoef([1, 2, 3, 5], ratings[:4])[0, 1])
    assert "too few sentences have a score and a rating (2)" in found["m2", "good"].method
    assert all(row.value is None and row.low is None for key, row in found.items() if key != ("m1", "good"))
    assert conclusion.sentences[-1].en == "5 of 6 correlations have no number; the method of each says why."


def test_pooling_mixes_scales_as_the_paper_does() -> None:
    # Within each mode the score follows the rating perfectly; the second mode's scale is a hundred times larger.
    ratings = [1.0, 2.0, 3.0, 4.0, 100.0, 200.0, 300.0, 400.0]
    scores = {"A": [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0]}
    tables = rated(ratings, scores, mode=["MOP2"] * 4 + ["MOP100"] * 4, sources=["a", "b", "c", "d"] * 2)
    apart = estimates(tables, coefficient="pearson")
    assert [row.value for row in apart] == pytest.approx([1.0, 1.0])
    (pooled,) = estimates(tables, coefficient="pearson", pooled=True, scale=10)
    # Hand: cov 101 · 1.25 / 2 = 63.125, variance of scores 1.25, of ratings (30 + 300000)/8 − 126.25² = 21564.6875.
    assert pooled.value == pytest.approx(10 * np.corrcoef(ratings, scores["A"])[0, 1])
    assert pooled.value == pytest.approx(10 * 63.125 / np.sqrt(1.25 * 21564.6875))
    assert pooled.by == {"dataset": "BNC", "part": "SLOR", "system": "A"}
    assert "times 10" in pooled.method and "pooled, as in the paper" in pooled.method
    analysis = rating_correlation(pooled=True, scale=10, where={"dataset": "BNC"})
    assert analysis.name == "rating correlation by dataset (BNC), pooled"
    assert "as in the paper" in analysis.title.en and "论文做法" in analysis.title.zh
    assert "scales mix" in analysis.explanation.en and "量表混杂" in analysis.explanation.zh
    assert "times 10" in analysis.explanation.en


@pytest.mark.mirror
def test_pooling_explains_the_papers_times_ten(mirror: Path) -> None:
    lines = (mirror / "smog" / "bnc.csv").read_text(encoding="utf-8").splitlines()[1:]
    modes = [line.split("\t")[0] for line in lines]
    ratings = np.array([float(line.split("\t")[5]) for line in lines])
    perfect = np.empty(len(ratings))
    for mode in set(modes):
        own = np.array(modes) == mode
        perfect[own] = (ratings[own] - ratings[own].mean()) / ratings[own].std()
    tables = rated(list(ratings), {"A": list(perfect)}, mode=modes)
    apart = estimates(tables, coefficient="pearson", draws=2)
    (pooled,) = estimates(tables, coefficient="pearson", draws=2, pooled=True)
    assert [row.value for row in apart] == pytest.approx([1, 1, 1])
    # A score that knows every rating within its mode reaches .154 once the modes are thrown together: times ten, 1.54.
    assert pooled.value == pytest.approx(0.154, abs=0.0005)
    assert pooled.n == 5250


def test_the_table_has_the_papers_layout() -> None:
    ratings, first, second = (list(column) for column in invented(30))
    systems = {
        "4-gram SP": {"LogProb": first, "SLOR": second},
        "2-gram SP": {"LogProb": second, "SLOR": first},
    }
    analysis = rating_correlation(parts=("LogProb", "SLOR"), coefficient="pearson", draws=50, pooled=True, scale=10)
    tables = rated(ratings, systems)
    table = estimate_table(analysis.estimate(tables), analysis.layout())
    # Rows are measures in the order asked for, columns are systems in the order of the study.
    assert [table.heading(column) for column in table.columns] == [
        *("Dataset", "Statistic", "Measure", "4-gram SP", "2-gram SP", "n", "Missing"),
    ]
    assert table.to_polars()["part"].to_list() == ["LogProb", "SLOR"]
    assert [str(row[1]) for row in table.cells()] == ["Pearson's r × 10"] * 2


def test_seeds_have_the_mean_of_their_correlations() -> None:
    ratings, first, second = (list(column) for column in invented(30))
    tables = rated(ratings, {"a": first, "b": second}, seeds={"a": ("LSTM", 1), "b": ("LSTM", 2)})
    (row,) = estimates(tables, coefficient="pearson")
    assert row.value == pytest.approx(np.mean([np.corrcoef(one, ratings)[0, 1] for one in (first, second)]))
    assert "mean over 2 seeds" in row.method
    apart = estimates(tables, coefficient="pearson", by=("dataset", "seed"))
    assert [one.by["seed"] for one in apart] == ["1", "2"]


def test_the_best_score_is_told_in_both_languages() -> None:
    ratings, first, second = (list(column) for column in invented(100))
    analysis = rating_correlation(parts="SLOR", coefficient="pearson", draws=50)
    told = analysis.conclude(rated(ratings, {"A": first, "B": second})).sentences
    assert len(told) == 1
    assert told[0].en.startswith(
        "BNC, MOP2: of 2 scores, SLOR of B has the highest correlation with the ratings (r = ."
    )
    assert "B 的 SLOR 与评分的相关最高" in told[0].zh


def test_places_in_words() -> None:
    assert in_words({}).en == "All sentences"
    assert in_words({"dataset": "BNC", "entities": "1"}).en == "BNC, 1 entity"
    assert in_words({"dataset": "BNC", "entities": "3+"}).zh == "BNC、实体数 3+"
    assert in_words({"entities": "(none)"}).en == "entities not counted"


def test_mistakes_are_named() -> None:
    tables = oracle_tables()
    for options, message in (
        ({"coefficient": "phi"}, "The coefficient 'phi' does not exist"),
        ({"scale": 0}, "cannot multiply a correlation"),
        ({"draws": 0}, "0 draws"),
        ({"by": "genre"}, "No column is called 'genre'"),
    ):
        with pytest.raises(UserError, match=message):
            estimates(tables, **options)


def test_it_keeps_the_promises_of_an_analysis() -> None:
    assert [finding for finding in rating_correlation().conformance() if not finding.kept] == []
    tables = oracle_tables()
    assert (
        rating_correlation(parts="SLOR", draws=50)
        .estimate(turned(tables))
        .equals(rating_correlation(parts="SLOR", draws=50).estimate(tables))
    )
    one, other = rating_correlation(scale=1.0), rating_correlation(scale=10.0)
    assert one.signature() != other.signature()


@settings(max_examples=8, deadline=None)
@given(st.permutations(range(12)), st.floats(0.1, 50))
def test_order_scale_and_monotone_changes_do_not_matter(order: list[int], factor: float) -> None:
    ratings, scores, _ = invented(12)
    sources = [f"q{number // 3}" for number in range(12)]
    usual = estimates(rated(list(ratings), {"A": list(scores)}, sources=sources), draws=20)
    held = np.array(order)
    # Sentences in another order have other names, and the sources go with them.
    mixed = rated(list(ratings[held]), {"A": list(scores[held])}, sources=[sources[place] for place in order])
    for before, after in zip(usual, estimates(mixed, draws=20), strict=True):
        assert (after.value, after.low, after.high) == pytest.approx((before.value, before.low, before.high))
    scaled = estimates(rated(list(ratings), {"A": list(factor * scores - 1)}, sources=sources), draws=20)
    bent = estimates(rated(list(ratings), {"A": list(np.exp(factor / 50 * scores))}, sources=sources), draws=20)
    assert [row.value for row in scaled] == pytest.approx([row.value for row in usual])
    # Ranks do not see a monotone change: Spearman and Kendall, the second and the third.
    assert [row.value for row in bent[1:]] == pytest.approx([row.value for row in usual[1:]])


def test_one_measure_has_a_figure_and_many_in_groups_have_none() -> None:
    assert rating_correlation(parts="SLOR").layout().figure == "intervals"
    assert rating_correlation().layout().figure == "none"
    assert rating_correlation(by=()).layout().figure == "intervals"
