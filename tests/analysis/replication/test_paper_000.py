"""Do the statistics of paper 000 follow from its tables of frequencies where they should, and only there?"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2, chi2_contingency, mannwhitneyu

from hengliang.analysis.replication.paper_000 import likert_mean, mann_whitney, table_test
from hengliang.replication import Replicated, recompute, replicate
from hengliang.replication import published_numbers as published

PAPER = published("000")


def of(name: str) -> Replicated:
    return recompute(PAPER, PAPER.claim(name))


@pytest.mark.parametrize("group", ["row-totals", "means"])
def test_all_row_totals_and_means_follow(group: str) -> None:
    rows = replicate(("000",), group)
    assert len(rows) == {"row-totals": 24, "means": 8}[group]
    assert {row.verdict for row in rows} == {"same"}


def test_a_mean_by_hand() -> None:
    # RULE, Clarity: (58 + 2·46 + 3·30 + 4·20 + 5·61 + 6·95 + 7·90)/400 = 1825/400 = 4.5625, printed 4.563.
    assert likert_mean(PAPER.rows("1")["RULE"]) == 1825 / 400
    assert of("means.clarity-RULE").verdict == "same"


def test_the_median_tests_chi_squared_does_not_follow() -> None:
    expected = chi2_contingency([[408, 476], [220, 96]], correction=False)
    row = of("median-test.chi2")
    assert row.recomputed.value == pytest.approx(expected.statistic)
    assert (row.text(), row.verdict) == ("51.388", "differs")
    assert "407 gives 53.29" in row.recomputed.note.en
    assert table_test(PAPER, "3").p == pytest.approx(expected.pvalue, rel=1e-6)
    for name in ("p", "phi", "phi-table", "median", "n", "at-most-median", "above-median"):
        assert of(f"median-test.{name}").verdict == "same"
    assert of("median-test.cell").verdict == "compatible"


def test_the_cut_offs() -> None:
    verdicts = {cut: of(f"cut-offs.chi2-{cut}").verdict for cut in (1, 2, 3, 4, 6)}
    assert verdicts == {1: "same", 2: "same", 3: "differs", 4: "same", 6: "same"}
    assert "only when it is rounded twice" in of("cut-offs.chi2-3").recomputed.note.en
    assert {row.verdict for row in replicate(("000",), "cut-offs") if "chi2" not in row.claim.id} == {"same"}
    # The largest p of the five is that of 12.11, and five times it stays below .05: .0025.
    assert 5 * chi2.sf(12.105, 1) == pytest.approx(0.0025, abs=5e-5)
    assert of("cut-offs.bonferroni").recomputed.note.en.endswith(".0025")


def test_the_mann_whitney_test_is_two_sided() -> None:
    first = np.repeat(np.arange(1, 8), PAPER.rows("6")["BERT"])
    second = np.repeat(np.arange(1, 8), PAPER.rows("8")["BERT"])
    claim = PAPER.claim("hypotheses-2.h1-p")
    two = mannwhitneyu(first, second, use_continuity=False, method="asymptotic").pvalue
    one = mannwhitneyu(first, second, use_continuity=False, method="asymptotic", alternative="greater").pvalue
    assert mann_whitney(PAPER, claim).p == pytest.approx(two, rel=1e-9)
    assert mann_whitney(PAPER, claim, "greater").p == pytest.approx(one, rel=1e-9)
    assert of("hypotheses-2.h1-p").verdict == "same"  # .0434, printed .043
    assert "one-sided p = .022" in of("hypotheses-2.h1-p").recomputed.note.en  # .0217
    assert of("hypotheses-2.h1-r").text() == ".059"


def test_accuracies() -> None:
    # Figure 1: (78.30·85917 + 29.91·10817 + 22.47·11317 + 39.98·28170)/136221 = 61.8948, printed 61.90.
    assert of("accuracy.figure1-RULE").verdict == "within rounding"
    assert {of(f"accuracy.figure1-{name}").verdict for name in ("LSTM", "MLM", "BERT", "n")} == {"same"}
    assert {of(f"accuracy.{name}").verdict for name in ("RULE", "LSTM", "BERT")} == {"not recomputable"}
    assert "73.67 %" in of("accuracy.BERT").recomputed.note.en  # 884/1200


def test_all_directions_are_those_of_the_means() -> None:
    rows = [row for row in replicate(("000",)) if row.claim.id.endswith("direction")]
    assert len(rows) == 15
    assert {row.verdict for row in rows} == {"same"}


def test_spearmans_rho_lies_within_what_the_frequencies_allow() -> None:
    for name in ("exp1", "random", "infrequent"):
        row = of(f"correlation.{name}-rho")
        assert row.verdict == "compatible"
        low, high = row.recomputed.ends()
        assert -1 <= low < -0.9 < 0.9 < high < 1


def test_words_for_effects() -> None:
    assert of("labels.bert-rule").verdict == "same"  # .31 is medium
    assert of("labels.h1").verdict == "same"  # .06 is very small
    assert of("labels.h4").verdict == "compatible"  # .25 small-medium: between small and medium
