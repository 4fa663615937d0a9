"""Does the analysis of variance agree with R and SciPy and with paper 001?"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import f_oneway
from statsmodels.stats.oneway import anova_oneway

from hengliang import UserError
from hengliang.statistics.conventions import with_sensitivity
from hengliang.statistics.variance.anova import CONVENTIONS, Summary, one_way_anova
from tests.statistics.variance.oracle import SETS, TABLE_4, TABLE_5

groups = st.lists(
    st.lists(st.integers(-50, 50).map(float), min_size=3, max_size=8).filter(lambda values: len(set(values)) > 1),
    min_size=2,
    max_size=5,
)


@pytest.mark.parametrize("case", SETS.values(), ids=SETS.keys())
def test_against_r(case: dict[str, Any]) -> None:
    samples = case["data"].values()
    for variances, name in (("equal", "anova"), ("unequal", "welch")):
        result = one_way_anova(*samples, variances=variances)  # type: ignore[arg-type]
        assert result.statistic == pytest.approx(case[name]["f"], rel=1e-10)
        assert result.p == pytest.approx(case[name]["p"], rel=1e-9)
        assert result.df == pytest.approx(case[name]["df"], rel=1e-10)


def test_paper_001() -> None:
    # Printed 2.2167e-06 for Table 4; from the printed deviations, which have three decimals, 2.2154e-06 follows.
    table_4 = one_way_anova(*TABLE_4.values(), names=list(TABLE_4))
    assert table_4.p == pytest.approx(2.2167e-06, rel=1e-3)
    # Printed 0.0008 for Table 5.
    assert one_way_anova(*TABLE_5.values()).p == pytest.approx(0.0008, abs=0.00005)
    assert table_4.sentence().en.startswith("The means of 4, 9 and 20 differ (One-way analysis of variance")
    assert "F(2, 27, N = 30) = 21.92, p < .001, η² = .62" in table_4.sentence().zh


def test_summaries_are_as_good_as_samples() -> None:
    summaries = [Summary(len(x), float(np.mean(x)), float(np.std(x, ddof=1))) for x in TABLE_4.values()]
    for variances in ("equal", "unequal"):
        whole = one_way_anova(*TABLE_4.values(), variances=variances)
        told = one_way_anova(*summaries, variances=variances)
        assert told.statistic == pytest.approx(whole.statistic)
        assert told.effects[0].low == pytest.approx(whole.effects[0].low)
        assert told.signature() != whole.signature()


@settings(max_examples=40, deadline=None)
@given(groups)
def test_against_scipy_and_statsmodels(samples: list[list[float]]) -> None:
    ours, theirs = one_way_anova(*samples), f_oneway(*samples)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-8, abs=1e-9)
    if ours.statistic > 1e-9:  # SciPy's F of equal means may be −1e-16, and its p is then NaN
        assert ours.p == pytest.approx(theirs.pvalue, rel=1e-7)
    welch, other = one_way_anova(*samples, variances="unequal"), anova_oneway(samples, use_var="unequal")
    assert welch.statistic == pytest.approx(other.statistic, rel=1e-8, abs=1e-9)
    assert welch.p == pytest.approx(other.pvalue, rel=1e-7)


@given(groups, st.floats(-10, 10), st.floats(0.1, 10))
def test_order_shift_and_scale_do_not_matter(samples: list[list[float]], shift: float, scale: float) -> None:
    moved = [[shift + scale * value for value in sample] for sample in samples[::-1]]
    one, other = one_way_anova(*samples), one_way_anova(*moved)
    assert other.statistic == pytest.approx(one.statistic, rel=1e-6, abs=1e-6)
    # η² = SS between / SS total
    pooled = np.concatenate(samples)
    between = sum(len(x) * (np.mean(x) - pooled.mean()) ** 2 for x in samples)
    assert one.effect("eta-squared").value == pytest.approx(between / ((pooled - pooled.mean()) ** 2).sum(), abs=1e-9)


def test_sensitivity_to_the_variances() -> None:
    # A small group with a large spread. R: oneway.test(v ~ g) gives .3108966, with var.equal = TRUE .01295996.
    result = with_sensitivity(one_way_anova, CONVENTIONS, [1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 2, 3], [2, 4, 11])
    assert result.p == pytest.approx(0.01295996, rel=1e-6)
    assert [variant.settings for variant in result.variants] == [{"variances": "unequal"}]
    assert result.variants[0].p == pytest.approx(0.3108966, rel=1e-6)


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="do not vary"):
        one_way_anova([1, 1], [2, 2])
    with pytest.raises(UserError, match="variances 'some'"):
        one_way_anova([1, 2], [2, 3], variances="some")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="B has no spread"):
        one_way_anova([1, 2], [2, 2], variances="unequal")
    with pytest.raises(UserError, match="names"):
        one_way_anova([1, 2], [2, 3], names=["x"])
