"""Which published conclusions stay under every convention, and are the others named?"""

from __future__ import annotations

import json

import pytest

from hengliang.analysis.replication.conventions import ClaimMultiverse, claim_multiverse
from hengliang.analysis.replication.published import claims_of, published


def of(paper: str, name: str) -> ClaimMultiverse:
    held = published(paper)
    found = claim_multiverse(held, held.claim(name))
    assert found is not None
    return found


def against(found: ClaimMultiverse) -> set[str]:
    return {row.convention.en for row in found.rows if row.stays is False}


def test_the_median_test_stays_under_every_convention() -> None:
    found = of("000", "median-test.chi2")
    assert found.kept == found.decided == 13
    by_name = {row.convention.en: row for row in found.rows}
    # SPSS's way is the χ² of Table 3; ties above the median is the cut at 4, 79.85.
    assert by_name["Mood's median test: ties = below, correction = none"].statistic == pytest.approx(51.3876, abs=1e-4)
    assert by_name["Mood's median test: ties = above, correction = none"].statistic == pytest.approx(79.8467, abs=1e-4)


@pytest.mark.parametrize("cut", [1, 2, 3, 4, 6])
def test_every_cut_off_stays(cut: int) -> None:
    found = of("000", f"cut-offs.chi2-{cut}")
    assert found.kept == found.decided == 9


def test_hypothesis_5_is_lost_under_bonferroni_with_two_sides_only() -> None:
    found = of("000", "hypotheses-2.h5-decision")
    assert (found.kept, found.decided) == (1, 8)
    assert "two-sided, Bonferroni correction over 5" not in against(found)
    p_values = {row.convention.en: row.p for row in found.rows}
    assert p_values["two-sided, Holm correction over 5"] == pytest.approx(0.024)  # 2 · .012, below .05
    assert p_values["one-sided, Bonferroni correction over 5"] == pytest.approx(0.03)  # 5 · .006
    assert p_values["two-sided, Bonferroni correction over 5"] == pytest.approx(0.06)


def test_hypothesis_1_is_lost_under_bonferroni_only() -> None:
    found = of("000", "hypotheses-2.h1-decision")
    kept = {row.convention.en for row in found.rows if row.stays}
    assert kept == {"two-sided, Bonferroni correction over 5", "one-sided, Bonferroni correction over 5"}
    closely = of("000", "hypotheses-2.h1-p")
    assert (closely.kept, closely.decided) == (2, 14)
    assert all(row.p is not None for row in closely.rows)


@pytest.mark.parametrize("number", [2, 3, 4])
def test_the_other_hypotheses_stay(number: int) -> None:
    found = of("000", f"hypotheses-2.h{number}-decision")
    assert found.kept == found.decided


def test_no_difference_rests_on_the_threshold_of_another_family() -> None:
    found = of("000", "no-difference.exp2-fluency-random")
    assert [row.convention.en for row in found.rows if row.stays] == ["two-sided, the 0.010 of the five hypotheses"]
    assert of("000", "no-difference.exp1-fluency").kept == 9


def test_what_n_counts_changes_the_word() -> None:
    found = of("000", "hypotheses-2.h5-r")
    assert against(found) == {"N = 1176 ratings"}  # .07 is very small
    clear = of("000", "wilcoxon-2.clarity-random-r")
    assert against(clear) == {"N = 77 pairs that can differ"}  # .21 is small
    held = published("000")
    assert claim_multiverse(held, held.claim("hypotheses-2.h2-r")) is None  # p is a bound


def test_correlations_stay_when_each_rating_counts_once() -> None:
    found = of("000", "correlation.exp1-p")
    assert found.kept == found.decided == 2
    assert "df ≈ 640" in found.rows[1].convention.en  # 321 items, two raters


def test_spreads() -> None:
    assert of("001", "spread.A-anova").kept == 4
    assert against(of("001", "spread.A-tukey-4-9")) == {"Games–Howell test"}  # p = .034 with unequal variances
    assert against(of("001", "spread.B-tukey-6-10")) == set()


def test_every_multiverse_can_be_told_and_stored() -> None:
    found = [each for paper, claim in claims_of() if (each := claim_multiverse(paper, claim))]
    assert len(found) > 30
    for each in found:
        assert 0 <= each.kept <= each.decided <= len(each.rows)
        assert each.sentence().en.startswith(f"{each.kept} of {each.decided} ")
        assert str(each.kept) in each.sentence().zh
        stored = json.loads(json.dumps(each.to_json(), allow_nan=False))
        assert len(stored["rows"]) == len(each.rows)


def test_a_claim_without_conventions_has_none() -> None:
    held = published("000")
    assert claim_multiverse(held, held.claim("means.clarity-RULE")) is None
