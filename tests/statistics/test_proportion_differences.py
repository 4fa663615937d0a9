"""Are differences of shares held against the likeliest shares?"""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import xlogy
from scipy.stats import norm
from statsmodels.stats.proportion import confint_proportions_2indep, test_proportions_2indep

from hengliang import UserError
from hengliang.statistics.proportions import ProportionDifference

counts = st.tuples(st.integers(1, 40), st.integers(1, 40), st.floats(0, 1), st.floats(0, 1)).map(
    lambda each: ((round(each[0] * each[2]), round(each[1] * each[3])), (each[0], each[1]))
)
test_proportions_2indep.__test__ = False


@given(counts, st.floats(-0.9, 0.9))
def test_score_uses_the_shares_that_maximise_the_likelihood(
    case: tuple[tuple[int, int], tuple[int, int]], at: float
) -> None:
    (x, y), (n, m) = case
    assume(abs(at) > 0.01)

    def minus_log_likelihood(p: float) -> float:
        return -float(xlogy(x, p + at) + xlogy(n - x, 1 - p - at) + xlogy(y, p) + xlogy(m - y, 1 - p))

    found = minimize_scalar(
        minus_log_likelihood, bounds=(max(0.0, -at), min(1.0, 1 - at)), method="bounded", options={"xatol": 1e-12}
    )
    # Independent of the cubic. statsmodels (0.15.0) cannot serve here: its cubic has the successes of the second group
    # where its total belongs.
    second = float(found.x)
    error = ((second + at) * (1 - second - at) / n + second * (1 - second) / m) ** 0.5
    assume(error > 1e-3)
    z = (x / n - y / m - at) / error
    assert ProportionDifference(*case).p_value("greater", at) == pytest.approx(float(norm.sf(z)), abs=1e-5)


def test_without_a_difference_score_is_the_pooled_z_test() -> None:
    # Pooled share 95/210; z² is Pearson's χ² of the 2 × 2 table.
    found = ProportionDifference((45, 50), (100, 110))
    pooled = 95 / 210
    error = (pooled * (1 - pooled) * (1 / 100 + 1 / 110)) ** 0.5
    assert found.z(0.0) == pytest.approx((0.45 - 50 / 110) / error)


@given(counts, st.floats(-0.5, 0.5))
def test_wald_against_statsmodels(case: tuple[tuple[int, int], tuple[int, int]], at: float) -> None:
    (x, y), (n, m) = case
    assume(0 < x < n and 0 < y < m)
    found = ProportionDifference(*case, method="wald")
    theirs = test_proportions_2indep(x, n, y, m, value=at, method="wald", compare="diff", alternative="smaller")
    assert found.p_value("less", at) == pytest.approx(theirs.pvalue, abs=1e-9)
    assert found.interval(0.9) == pytest.approx(confint_proportions_2indep(x, n, y, m, method="wald", alpha=0.1))


@given(counts, st.sampled_from(["score", "wald"]))
def test_interval_holds_what_the_test_does_not_reject(
    case: tuple[tuple[int, int], tuple[int, int]], method: str
) -> None:
    found = ProportionDifference(*case, method=method)
    low, high = found.interval(0.9)
    assert low <= found.value + 1e-9 and found.value <= high + 1e-9
    if method == "score":
        assert low >= -1 and high <= 1
        if low > -1:
            assert found.p_value("greater", low) == pytest.approx(0.05, abs=1e-4)
        if high < 1:
            assert found.p_value("less", high) == pytest.approx(0.05, abs=1e-4)
    turned = ProportionDifference(case[0][::-1], case[1][::-1], method=method).interval(0.9)
    assert (low, high) == pytest.approx((-turned[1], -turned[0]), abs=1e-7)


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="11 of 10"):
        ProportionDifference((11, 3), (10, 10))
    with pytest.raises(UserError, match="0 of 0"):
        ProportionDifference((1, 0), (10, 0))
    with pytest.raises(UserError, match="method 'exact'"):
        ProportionDifference((1, 0), (10, 2), method="exact")
