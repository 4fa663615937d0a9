"""Do Pearson's χ² and G agree with R and SciPy, and do they say what they found?"""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from hengliang import UserError
from hengliang.statistics.contingency.tables import CONVENTIONS, Correction, CountTable, chi_squared, g_test
from hengliang.statistics.conventions import multiverse, with_sensitivity
from tests.statistics.contingency.oracle import squares, tables

counts_2x2 = st.lists(st.integers(0, 60), min_size=4, max_size=4)


@pytest.mark.parametrize("case", tables().values(), ids=tables().keys())
def test_against_r_without_correction(case: dict[str, Any]) -> None:
    result = chi_squared(case["counts"])
    assert result.statistic == pytest.approx(case["chi"], rel=1e-12, abs=1e-12)
    assert result.p == pytest.approx(case["p"], rel=1e-9)
    assert result.df == (case["df"],)
    assert CountTable.of(case["counts"]).expected() == pytest.approx(np.array(case["expected"]))
    assert g_test(case["counts"]).statistic == pytest.approx(case["g"], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("case", squares().values(), ids=squares().keys())
def test_against_r_with_yates(case: dict[str, Any]) -> None:
    result = chi_squared(case["counts"], correction="yates")
    assert result.statistic == pytest.approx(case["yates"]["chi"], rel=1e-12, abs=1e-12)
    assert result.p == pytest.approx(case["yates"]["p"], rel=1e-9)


@given(counts_2x2, st.sampled_from(["none", "yates"]))
def test_against_scipy(cells: list[int], correction: Correction) -> None:
    table = np.reshape(cells, (2, 2))
    assume(table.sum(axis=0).all() and table.sum(axis=1).all())
    for test, kind in ((chi_squared, None), (g_test, "log-likelihood")):
        theirs = chi2_contingency(table, correction=correction == "yates", lambda_=kind)
        ours = test(table, correction=correction)
        assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-9)
        # Where all cells are as expected, χ² is some 1e-32 and its root, which decides p, some 1e-16.
        assert ours.p == pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-7)


@given(counts_2x2)
def test_swapping_labels_keeps_p_and_turns_the_sign_of_phi(cells: list[int]) -> None:
    table = np.reshape(cells, (2, 2))
    assume(table.sum(axis=0).all() and table.sum(axis=1).all())
    one, other, turned = chi_squared(table), chi_squared(table[::-1]), chi_squared(table.T)
    assert one.p == pytest.approx(other.p) and one.p == pytest.approx(turned.p)
    assert one.effect("phi").value == pytest.approx(-other.effect("phi").value, abs=1e-12)
    assert one.effect("phi").value == pytest.approx(turned.effect("phi").value, abs=1e-12)
    # φ² = χ²/N holds for the uncorrected statistic.
    assert one.effect("phi").value ** 2 == pytest.approx(one.statistic / one.n, abs=1e-12)
    corrected = chi_squared(table, correction="yates")
    assert corrected.p is not None and one.p is not None and corrected.p >= one.p - 1e-12


def test_moods_table_of_paper_000() -> None:
    # Table 3: by hand N(ad − bc)²/(row and column sums) = 1200·(408·96 − 476·220)²/(884·316·628·572) = 51.3876.
    result = chi_squared([[408, 476], [220, 96]], names=("match", "no match"))
    assert result.statistic == pytest.approx(1200 * (408 * 96 - 476 * 220) ** 2 / (884 * 316 * 628 * 572))
    sentence = result.sentence()
    assert "χ²(1, N = 1200) = 51.39, p < .001, φ = −.21" in sentence.en
    assert sentence.en.startswith("The answers of match and no match are distributed differently")
    assert "有显著差异" in sentence.zh


def test_cramers_v_for_larger_tables() -> None:
    table = [[3, 2, 1], [1, 2, 8]]
    result = chi_squared(table)
    assert result.effect("cramer-v").value == pytest.approx((result.statistic / 17) ** 0.5)
    assert len(result.notes) == 1


def test_conventions_that_decide_otherwise_are_shown() -> None:
    # small in contingency.R: p = .0134 without, .0510 with Yates's correction.
    table = [[8, 2], [1, 5]]
    plain = with_sensitivity(chi_squared, CONVENTIONS, table)
    assert plain.is_significant
    assert [variant.settings for variant in plain.variants] == [{"correction": "yates"}]
    assert "R (2 × 2)" in plain.sentence().en
    larger = multiverse(chi_squared, CONVENTIONS, [[3, 2, 1], [1, 2, 8]])
    assert len(larger.refused) == 1 and "2 × 2 tables, not 2 × 3" in larger.refused[0][1]


def test_signature_and_estimates() -> None:
    one, other = chi_squared([[8, 2], [1, 5]]), chi_squared([[8, 2], [1, 5]], correction="yates")
    assert one.signature() != other.signature()
    assert "correction:yates" in str(other.signature())
    rows = list(one.estimates("matches", {"measure": "fluency"}))
    assert [row.statistic for row in rows] == ["chi-squared", "phi"]
    assert rows[1].low is not None and rows[1].value is not None and rows[1].low < rows[1].value


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="row 'B' of the table holds no observation"):
        chi_squared([[3, 4], [0, 0]])
    with pytest.raises(UserError, match="correction 'williams'"):
        chi_squared([[3, 4], [1, 2]], correction="williams")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="alpha"):
        g_test([[3, 4], [1, 2]], alpha=2)
