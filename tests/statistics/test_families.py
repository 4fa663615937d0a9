"""Are the p-values of a family corrected as stated, and does the family say what another correction would decide?"""

import json
import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from hengliang import Bilingual, UserError
from hengliang.statistics.multiple_testing import CORRECTIONS, Correction, Family, adjust, family
from hengliang.statistics.results import TestResult
from tests import ORACLES

PAPER = [("H1", 0.043), ("H2", 0.0009), ("H3", 0.0009), ("H4", 0.0009), ("H5", 0.012)]
"""Experiment 2 of paper 000, section 6.5; `p < .001` entered as .0009."""

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=12)
methods = st.sampled_from(list(CORRECTIONS))


def test_paper_000_bonferroni_keeps_three_and_holm_all_five() -> None:
    bonferroni = family(PAPER, method="bonferroni")
    assert bonferroni.significant == ("H2", "H3", "H4")
    # Holm by hand: .0009 × 5, × 4, × 3 → .0045 (monotone); .012 × 2 = .024; .043 × 1 = .043: all five below .05.
    holm = family(PAPER, method="holm")
    assert holm.significant == ("H1", "H2", "H3", "H4", "H5")
    assert [member.adjusted for member in holm.members] == pytest.approx([0.043, 0.0045, 0.0045, 0.0045, 0.024])
    assert holm.sensitivity == {"bonferroni": ("H1", "H5")}
    assert bonferroni.sensitivity == {
        "holm": ("H1", "H5"),
        "benjamini-hochberg": ("H1", "H5"),
        "none": ("H1", "H5"),
    }


def test_values_of_r() -> None:
    p = [0.01, 0.02, 0.03, 0.005]
    # R: p.adjust(c(.01,.02,.03,.005), "holm") = .03 .04 .04 .02; "BH" = .02 .0266667 .03 .02;
    # "bonferroni" = .04 .08 .12 .02
    assert adjust(p, "holm") == pytest.approx((0.03, 0.04, 0.04, 0.02))
    assert adjust(p, "benjamini-hochberg") == pytest.approx((0.02, 0.08 / 3, 0.03, 0.02))
    assert adjust(p, "bonferroni") == pytest.approx((0.04, 0.08, 0.12, 0.02))
    assert adjust(p, "none") == tuple(p)


def test_against_r() -> None:
    # tests/oracles/contingency.R: p.adjust(p, method) and p.adjust(p, method, n = 12)
    truth = json.loads((ORACLES / "contingency.json").read_text())["families"]
    names: dict[Correction, str] = {"bonferroni": "bonferroni", "holm": "holm", "benjamini-hochberg": "BH"}
    for method, name in names.items():
        assert adjust(truth["p"], method) == pytest.approx(truth["adjusted"][name])
        assert adjust(truth["p"], method, size=12) == pytest.approx(truth["adjusted"][f"{name}_of_12"])


def test_missing_p_values_stay_missing_and_count_as_stated() -> None:
    p = [0.01, None, math.nan, 0.02]
    assert adjust(p, "bonferroni") == (0.04, None, None, 0.08)
    assert adjust(p, "bonferroni", missing="ignore") == (0.02, None, None, 0.04)
    assert adjust(p, "bonferroni", size=10) == pytest.approx((0.1, None, None, 0.2))
    # R: p.adjust(c(.01, .02), "holm", n = 4) = .04 .06; "BH" = .04 .04
    assert adjust(p, "holm") == (0.04, None, None, 0.06)
    assert adjust(p, "benjamini-hochberg") == (0.04, None, None, 0.04)
    result = family([("a", 0.01), ("b", None)], method="bonferroni")
    assert result.members[1].significant is None
    assert "b: p not defined (counted)" in result.summary()


@given(p_values, methods)
def test_an_adjusted_p_is_a_probability_not_below_p_and_keeps_the_order(p: list[float], method: Correction) -> None:
    adjusted = [value for value in adjust(p, method) if value is not None]
    assert len(adjusted) == len(p)
    assert all(before - 1e-12 <= after <= 1 for before, after in zip(p, adjusted, strict=True))
    order = sorted(range(len(p)), key=lambda i: p[i])
    assert all(adjusted[a] <= adjusted[b] + 1e-12 for a, b in pairwise(order))


@given(p_values)
def test_corrections_are_ordered_and_benjamini_hochberg_agrees_with_scipy(p: list[float]) -> None:
    bonferroni, holm, rate = (adjust(p, m) for m in ("bonferroni", "holm", "benjamini-hochberg"))
    for a, b, c in zip(bonferroni, holm, rate, strict=True):
        assert a is not None and b is not None and c is not None
        assert a + 1e-12 >= b >= c - 1e-12
    assert rate == pytest.approx(tuple(false_discovery_control(p, method="bh")), abs=1e-12)


@given(p_values, methods)
def test_unknown_members_count_as_p_of_one(p: list[float], method: Correction) -> None:
    padded = adjust([*p, 1.0, 1.0, 1.0], method)[: len(p)]
    assert adjust(p, method, size=len(p) + 3) == pytest.approx(padded)
    assert adjust([*p, None, None, None], method)[: len(p)] == pytest.approx(padded)


def a_test(p: float | None) -> TestResult:
    nothing = Bilingual("x", "x")
    return TestResult(
        test="sign", title=nothing, symbol="z", statistic=1.0, p=p, alternative="two-sided", n=3,
        significant=nothing, otherwise=nothing,
    )  # fmt: skip


def test_a_family_of_tests_says_itself() -> None:
    result = family([("A – B", a_test(0.01)), ("A – C", a_test(0.03)), ("B – C", a_test(None))], method="holm")
    assert result.table().rows() == [
        ("A – B", 0.01, 0.03, True),
        ("A – C", 0.03, 0.06, False),
        ("B – C", None, None, None),
    ]
    sentence = result.sentence()
    assert sentence.en == (
        "1 of 3 tests is significant at α = 0.05 (Holm correction, family of 3): A – B. "
        "Another decision with Benjamini–Hochberg correction: A – C. Another decision with no correction: A – C."
    )
    assert "检验族大小 3" in sentence.zh and "有 1 项显著" in sentence.zh
    assert "size:3" in str(result.signature()) and "correction:holm" in str(result.signature())
    rows = list(result.estimates("comparisons", {"measure": "fluency"}))
    assert [row.value for row in rows[:3]] == [0.03, 0.06, None]
    assert rows[0].by == {"measure": "fluency", "test": "A – B"}
    assert rows[3].by["convention"] == "benjamini-hochberg" and rows[3].value == pytest.approx(0.045)


def test_signature_changes_with_what_can_change_a_decision() -> None:
    signatures = {
        str(family(PAPER, **settings).signature())
        for settings in ({}, {"method": "bonferroni"}, {"alpha": 0.01}, {"size": 6}, {"missing": "ignore"})
    }
    assert len(signatures) == 5
    assert family(PAPER).signature() != family([*PAPER[:4], ("H5", 0.013)]).signature()


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match=r"1\.2 is no p-value"):
        adjust([0.1, 1.2])
    with pytest.raises(UserError, match="'small' is no p-value"):
        adjust(["small"])  # type: ignore[list-item]
    with pytest.raises(UserError, match="size 1 cannot hold 2"):
        adjust([0.1, 0.2], size=1)
    with pytest.raises(UserError, match="method 'sidak'"):
        adjust([0.1], "sidak")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="called 'a'"):
        family([("a", 0.1), ("a", 0.2)])
    with pytest.raises(UserError, match="without tests"):
        family([])
    with pytest.raises(UserError, match="alpha"):
        family(PAPER, alpha=5)


def test_family_settings_adjust_like_the_function() -> None:
    assert Family("bonferroni").adjust([0.2, 0.3]) == adjust([0.2, 0.3], "bonferroni") == (0.4, 0.6)
