"""Do Tukey's and Games and Howell's comparisons agree with R, SciPy, statsmodels and paper 001?"""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import tukey_hsd as scipy_tukey
from statsmodels.stats.multicomp import pairwise_tukeyhsd

from hengliang import UserError
from hengliang.statistics.variance.anova import Summary
from hengliang.statistics.variance.t_tests import t_test
from hengliang.statistics.variance.tukey import games_howell, tukey_hsd
from tests.statistics.variance.oracle import SETS, TABLE_4, TABLE_5


@pytest.mark.parametrize("case", SETS.values(), ids=SETS.keys())
def test_tukey_against_r(case: dict[str, Any]) -> None:
    results = tukey_hsd(*case["data"].values())
    truth = case["tukey"] if isinstance(case["tukey"]["p"], list) else {k: [v] for k, v in case["tukey"].items()}
    effects = [result.effects[0] for result in results]
    # TukeyHSD rounds p to 7 decimals.
    assert [result.p for result in results] == pytest.approx(truth["p"], abs=1e-6)
    assert [effect.value for effect in effects] == pytest.approx(truth["difference"])
    assert [effect.low for effect in effects] == pytest.approx(truth["low"], rel=1e-5)
    assert [effect.high for effect in effects] == pytest.approx(truth["high"], rel=1e-5)


@pytest.mark.parametrize("case", SETS.values(), ids=SETS.keys())
def test_games_howell_against_r(case: dict[str, Any]) -> None:
    results = games_howell(*case["data"].values())
    truth = {key: np.ravel(value).tolist() for key, value in case["games_howell"].items()}
    assert [result.statistic for result in results] == pytest.approx(truth["q"])
    assert [result.df[1] for result in results] == pytest.approx(truth["df"])
    # ptukey is good to 1e-6 or so at such few degrees of freedom.
    assert [result.p for result in results] == pytest.approx(truth["p"], rel=2e-4, abs=1e-8)
    half = [result.effects[0].high - result.effects[0].value for result in results]  # type: ignore[operator]
    assert half == pytest.approx(truth["half"], rel=2e-4)


def test_paper_001() -> None:
    by_pair = [result.p for result in tukey_hsd(*TABLE_4.values(), names=list(TABLE_4))]
    # 4–9, 4–20, 9–20; printed .458, .001 and .001, of which .001 is a floor of the package.
    assert by_pair == pytest.approx([0.4559647, 4.1876e-06, 3.3620e-05], rel=1e-4)
    by_pair = [result.p for result in tukey_hsd(*TABLE_5.values(), names=list(TABLE_5))]
    # 6–10, 6–16, 10–16; printed .900 (a cap), .002 and .004.
    assert by_pair == pytest.approx([0.95427, 0.0017116, 0.0037810], rel=1e-4)


def test_unequal_variances_change_a_conclusion_of_paper_001() -> None:
    # The variances of Table 4 differ (Levene p = .0003). With those of each pair, 4 and 9 differ too: p = .034.
    found = games_howell(*TABLE_4.values(), names=list(TABLE_4))[0]
    assert found.p == pytest.approx(0.034389, rel=1e-4)
    assert found.sentence().en.startswith("The mean of 9 is higher than that of 4 (Games–Howell test")
    tukey = tukey_hsd(*TABLE_4.values(), names=list(TABLE_4))[0]
    assert tukey.sentence().en.startswith("A difference between the means of 4 and 9 was not shown")
    assert "q(3, 27, N = 21) = 1.72, p = .456" in tukey.sentence().zh


samples = st.lists(
    st.lists(st.integers(0, 30).map(float), min_size=3, max_size=7).filter(lambda values: len(set(values)) > 1),
    min_size=3,
    max_size=4,
)


@pytest.mark.untraced
@settings(max_examples=8, deadline=None)
@given(samples)
def test_against_scipy_and_statsmodels(values: list[list[float]]) -> None:
    theirs = scipy_tukey(*values)
    interval = theirs.confidence_interval(0.95)
    ours = tukey_hsd(*values)
    index = [(i, j) for i in range(len(values)) for j in range(i + 1, len(values))]
    for result, (i, j) in zip(ours, index, strict=True):
        assert result.p == pytest.approx(theirs.pvalue[i, j], abs=1e-9)
        assert result.effects[0].low == pytest.approx(interval.low[i, j], rel=1e-6, abs=1e-6)
    labels = np.repeat(np.arange(len(values)), [len(each) for each in values])
    other = pairwise_tukeyhsd(np.concatenate(values), labels)
    # statsmodels turns the sign: second less first; its p comes from a table-like approximation.
    assert [result.effects[0].value for result in ours] == pytest.approx((-other.meandiffs).tolist())
    assert [result.p for result in ours] == pytest.approx(other.pvalues.tolist(), abs=2e-3)


@settings(max_examples=15, deadline=None)
@given(samples)
def test_turning_the_order_turns_signs_and_a_significant_interval_excludes_0(values: list[list[float]]) -> None:
    for compare in (tukey_hsd, games_howell):
        one, other = compare(*values), compare(*values[::-1])
        assert sorted(result.p or 0 for result in one) == pytest.approx(sorted(result.p or 0 for result in other))
        assert sorted(r.effects[0].value for r in one) == pytest.approx(
            sorted(-r.effects[0].value for r in other), abs=1e-12
        )
        for result in one:
            effect = result.effects[0]
            assert effect.low is not None and effect.high is not None and result.p is not None
            if abs(result.p - 0.05) > 1e-6:
                assert (result.p < 0.05) == (effect.low > 0 or effect.high < 0)


def test_two_groups_are_a_t_test() -> None:
    first, second = SETS["two"]["data"].values()
    for compare, variances in ((tukey_hsd, "equal"), (games_howell, "unequal")):
        (result,) = compare(first, second)
        single = t_test(first, second, variances=variances)  # type: ignore[arg-type]
        assert result.p == pytest.approx(single.p, rel=1e-9)
        assert result.statistic == pytest.approx(math.sqrt(2) * abs(single.statistic))
        assert (result.effects[0].low, result.effects[0].high) == pytest.approx(
            (single.effects[0].low, single.effects[0].high)
        )


def test_p_is_never_0_and_summaries_will_do() -> None:
    far = tukey_hsd(Summary(10, 0.0, 1.0), Summary(10, 60.0, 1.0), Summary(10, 0.1, 1.0))
    assert 0 < (far[0].p or 0) < 1e-30
    assert far[1].p == pytest.approx(0.9728404141, rel=1e-9)  # R: ptukey(.1/sqrt(.1), 3, 27, lower.tail = FALSE)


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="level"):
        tukey_hsd([1, 2], [3, 5], level=1.5)
    with pytest.raises(UserError, match="A has no spread"):
        games_howell([1, 1], [3, 5])


def test_missing_values_are_counted_for_their_pair() -> None:
    groups = [1, 2, math.nan, 4], [3, 5, 6], [2, 7, math.nan, math.nan, 9]
    for tests in (tukey_hsd(*groups), games_howell(*groups)):
        assert [(test.n, test.n_missing) for test in tests] == [(6, 1), (6, 3), (6, 2)]
