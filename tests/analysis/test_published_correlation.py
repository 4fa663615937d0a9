"""Are the printed correlations the paper's, and do ours stand beside them computed in its way?"""

from __future__ import annotations

import numpy as np
import pytest

from hengliang import Tables, UserError
from hengliang.analysis.published_correlation import (
    PublishedCorrelation,
    published_correlation,
    published_correlations,
    published_scale,
    same_dataset,
)
from hengliang.core import estimate_records
from hengliang.measures.acceptability import SENTENCE_PARTS
from hengliang.replication import paper_003
from hengliang.report import estimate_table
from tests.analysis.rated_scores import invented, rated

SYSTEMS = ("2-gram SP", "2-gram SP+RNE", "3-gram SP", "3-gram SP+RNE", "4-gram SP", "4-gram SP+RNE")


def tables(dataset: str = "bnc") -> Tables:
    """Return a run in which all systems but the 4-grams score 24 sentences in two modes; RNE always does better."""
    ratings, first, second = (list(column) for column in invented(24))
    parts = {name: dict.fromkeys(SENTENCE_PARTS, second if "RNE" in name else first) for name in SYSTEMS[:4]}
    modes = ["MOP2"] * 12 + ["MOP4"] * 12
    return rated(ratings, parts, dataset=dataset, mode=modes)


def test_the_values_are_those_of_tables_5_to_8() -> None:
    # One cell of each corner of the tables, read from the paper.
    assert published_correlations("BNC")["LogProb", "4-gram SP+RNE"] == "0.65"
    assert published_correlations("BNC")["Norm LP (Sub)", "2-gram SP+RNE"] == "0.13"
    assert published_correlations("ENWIKI")["SLOR", "4-gram SP+RNE"] == "0.34"
    assert published_correlations("ADGER")["LogProb", "2-gram SP"] == "0.06"
    assert published_correlations("ADGER-FILTERED")["Norm LP (Div)", "3-gram SP"] == "0.35"
    for dataset in ("BNC", "ENWIKI", "ADGER", "ADGER-FILTERED"):
        printed = published_correlations(dataset)
        assert {part for part, _ in printed} == set(SENTENCE_PARTS)
        assert [system for part, system in printed if part == "SLOR"] == list(SYSTEMS)
        assert all(len(text) == 4 and 0 < float(text) < 1 for text in printed.values())
    assert [published_scale(dataset) for dataset in ("BNC", "ADGER")] == [10, 1]


def test_the_sums_of_the_rows_are_those_of_the_paper() -> None:
    # Added up by hand from the paper's tables: SLOR of BNC, ENWIKI, ADGER and ADGER-FILTERED.
    sums = {
        dataset: round(
            sum(float(text) for (part, _), text in published_correlations(dataset).items() if part == "SLOR"), 2
        )
        for dataset in ("BNC", "ENWIKI", "ADGER", "ADGER-FILTERED")
    }
    assert sums == {"BNC": 3.39, "ENWIKI": 1.62, "ADGER": 0.80, "ADGER-FILTERED": 2.03}
    assert paper_003().tables["4"]["rows"]["ENWIKI"] == ["2500", "17.21", "2.07", "0.23"]


def test_ours_are_pooled_and_times_ten_beside_the_papers() -> None:
    held = tables()
    rows = list(estimate_records(published_correlation("BNC", draws=50).estimate(held)))
    found = {(row.statistic, row.by["part"], row.by["system"]): row for row in rows}
    ratings, first, _ = invented(24)
    ours = found["ours", "SLOR", "2-gram SP"]
    # Pearson's r over both modes together, times ten.
    assert ours.value == pytest.approx(10 * np.corrcoef(ratings, first)[0, 1])
    assert ours.n == 24 and ours.value is not None and ours.low is not None and "pooled, as in the paper" in ours.method
    paper = found["paper", "SLOR", "2-gram SP"]
    assert paper.value == 0.53 and "as printed in Table 5" in paper.method and "times 10" in paper.method
    assert found["difference", "SLOR", "2-gram SP"].value == pytest.approx(ours.value - 0.53)
    absent = found["ours", "SLOR", "4-gram SP"]
    assert absent.value is None and "'4-gram SP' did not score 'SLOR' in this run" in absent.method
    assert found["difference", "SLOR", "4-gram SP"].value is None


def test_datasets_that_a_run_does_not_have_leave_our_place_empty() -> None:
    rows = list(
        estimate_records(published_correlation(["BNC", "ADGER-FILTERED"], draws=20).estimate(tables("adger filtered")))
    )
    ours = [row for row in rows if row.statistic == "ours"]
    assert all("no sentences of BNC" in row.method for row in ours if row.by["dataset"] == "BNC")
    # The names of datasets may differ in case and hyphens.
    assert any(row.value is not None for row in ours if row.by["dataset"] == "ADGER-FILTERED")


def test_systems_can_have_names_of_their_own() -> None:
    ratings, first, _ = (list(column) for column in invented(24))
    own = rated(ratings, {"bigram": dict.fromkeys(SENTENCE_PARTS, first)})
    rows = estimate_records(published_correlation("BNC", {"2-gram SP": "bigram"}, draws=20).estimate(own))
    found = {(row.statistic, row.by["part"], row.by["system"]): row.value for row in rows}
    assert found["ours", "SLOR", "2-gram SP"] is not None
    with pytest.raises(UserError, match="No system of the paper is called '5-gram'"):
        published_correlation("BNC", {"5-gram": "x"}).estimate(own)
    with pytest.raises(UserError, match=r"No dataset of the paper is called 'BNCC'\. Did you mean BNC"):
        published_correlation("BNCC").estimate(own)


def test_directions_are_counted() -> None:
    (told,) = published_correlation("BNC", draws=20).conclude(tables()).sentences
    # Ours always rises. Table 5: 2-gram rises for LogProb only (1 of 5), 3-gram for all five; no 4-grams in this run.
    assert told.en.startswith("BNC, modes pooled: ")
    assert "in 6 of 10 comparisons" in told.en and "not so in 4" in told.en
    assert "10 项比较" in told.zh and "一致者 6 项" in told.zh
    # Two modes, two orders, five measures; the second score follows the ratings more closely in both halves.
    assert "Within modes of presentation it raises our value in 20 of 20." in told.en
    assert "20 项中有 20 项上升" in told.zh


def test_pooling_can_turn_what_every_mode_says() -> None:
    # RNE is better in each mode, but the sentences of the slider happen to have lower scores with it.
    ratings, first, second = invented(24)
    slider = np.arange(24) >= 12
    mixed = np.where(slider, 100 + 20 * ratings, ratings)
    parts = {"2-gram SP": list(first), "2-gram SP+RNE": list(second - 3 * slider)}
    scores = {name: dict.fromkeys(SENTENCE_PARTS, column) for name, column in parts.items()}
    held = rated(list(mixed), scores, dataset="bnc", mode=["MOP2"] * 12 + ["MOP100"] * 12)
    (told,) = published_correlation("BNC", draws=20).conclude(held).sentences
    # Ours falls, and of the five printed values of the 2-gram one rises.
    assert "in 4 of 5 comparisons" in told.en and "not so in 1" in told.en
    assert "raises our value in 10 of 10." in told.en


def test_one_mode_is_not_called_pooled() -> None:
    ratings, first, second = (list(column) for column in invented(24))
    parts = {"2-gram SP": first, "2-gram SP+RNE": second}
    held = rated(ratings, {name: dict.fromkeys(SENTENCE_PARTS, one) for name, one in parts.items()}, dataset="adger")
    (told,) = published_correlation("ADGER", draws=20).conclude(held).sentences
    assert told.en.startswith("ADGER: ") and "Within modes" not in told.en


def test_the_table_has_the_papers_layout() -> None:
    analysis = published_correlation("BNC", draws=20)
    table = estimate_table(analysis.estimate(tables()), analysis.layout())
    assert [table.heading(column) for column in table.columns][:9] == ["Dataset", "Measure", "Statistic", *SYSTEMS]
    assert len(table) == 15
    assert str(table.cells()[0][0]) == "BNC (Table 5, × 10)"
    assert analysis.explanation.en.startswith("Table 5 of ") and "表 5，以及" in analysis.explanation.zh
    assert published_correlation().explanation.en.startswith("Tables 5, 6, 7 and 8 of ")
    assert published_correlation(["BNC", "ADGER"]).explanation.en.startswith("Tables 5 and 7 of ")


def test_the_tables_are_those_of_the_datasets_that_a_run_has() -> None:
    rows = list(estimate_records(published_correlation(draws=20).estimate(tables("smog-enwiki"))))
    assert {row.by["dataset"] for row in rows} == {"ENWIKI"}
    printed = {(row.by["part"], row.by["system"]): row.value for row in rows if row.statistic == "paper"}
    assert printed["Mean LP", "2-gram SP"] == 0.14 and printed["Norm LP (Div)", "4-gram SP+RNE"] == 0.35  # Table 6
    # Five measures by six systems, of which this run has four.
    assert len([row for row in rows if row.statistic == "ours" and row.value is not None]) == 5 * 4
    (told,) = published_correlation(draws=20).conclude(tables("smog-enwiki")).sentences
    assert told.en.startswith("ENWIKI")
    # A run without any of them says so of all four.
    none = estimate_records(published_correlation(draws=20).estimate(tables("mine")))
    assert {row.by["dataset"] for row in none} == {"BNC", "ENWIKI", "ADGER", "ADGER-FILTERED"}


def test_the_analysis_keeps_its_promises() -> None:
    findings = list(PublishedCorrelation().conformance())
    assert findings and all(finding.kept for finding in findings), findings
    assert "nothing for or against" in PublishedCorrelation().explanation.en


def test_a_dataset_of_smog_is_known_by_the_name_in_the_paper() -> None:
    assert same_dataset("smog-bnc", "BNC")
    assert same_dataset("smog-adger-filtered", "ADGER-FILTERED")
    assert not same_dataset("smog-adger-filtered", "ADGER")
