import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import f as f_distribution
from scipy.stats import ncf, nct, ncx2
from statsmodels.stats import effect_size as statsmodels_effects

from hengliang import UserError
from hengliang.statistics.effect_sizes import check_level, noncentral_chi_squared, noncentral_f, noncentral_t


@pytest.mark.parametrize(("t", "df"), [(2.5, 30), (-2.5, 30), (0.0, 5), (12.0, 3), (40.0, 500)])
def test_interval_of_t_is_that_of_statsmodels(t: float, df: float) -> None:
    theirs = statsmodels_effects._noncentrality_t(t, df, alpha=0.05).confint
    assert noncentral_t(t, df) == pytest.approx(tuple(theirs), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(("chi_squared", "df"), [(12.0, 4), (51.39, 1), (3.0, 1), (300.0, 20)])
def test_interval_of_chi_squared_is_that_of_statsmodels(chi_squared: float, df: float) -> None:
    theirs = statsmodels_effects._noncentrality_chisquare(chi_squared, df, alpha=0.05).confint
    assert noncentral_chi_squared(chi_squared, df) == pytest.approx(tuple(theirs), rel=1e-5, abs=1e-6)


def test_interval_of_f_is_that_of_statsmodels_within_its_tolerance() -> None:
    # Their bounds leave .97499 and .0249996 in the tails, ours .975 and .025 (next test); hence the 1e-3.
    theirs = statsmodels_effects._noncentrality_f(4.2, 3, 60, alpha=0.05).confint
    assert noncentral_f(4.2, 3, 60) == pytest.approx(tuple(theirs), rel=1e-3)


@given(st.floats(0.1, 200), st.integers(1, 12), st.integers(2, 300), st.floats(0.5, 0.99))
def test_bounds_leave_the_tails_they_promise(value: float, df1: int, df2: int, level: float) -> None:
    tail = (1 - level) / 2
    low, high = noncentral_chi_squared(value, df1, level)
    assert 0 <= low <= high
    assert low == 0 or ncx2.sf(value, df1, low) == pytest.approx(tail, rel=1e-5)
    assert high == 0 or ncx2.cdf(value, df1, high) == pytest.approx(tail, rel=1e-5)
    low, high = noncentral_f(value, df1, df2, level)
    assert 0 <= low <= high
    assert low == 0 or ncf.sf(value, df1, df2, low) == pytest.approx(tail, rel=1e-5)
    assert high == 0 or ncf.cdf(value, df1, df2, high) == pytest.approx(tail, rel=1e-5)
    low, high = noncentral_t(value, df2, level)
    assert low < value
    assert nct.sf(value, df2, low) == pytest.approx(tail, rel=1e-5)
    assert nct.cdf(value, df2, high) == pytest.approx(tail, rel=1e-5)


def test_lower_bound_is_zero_exactly_where_the_tail_test_is_not_significant() -> None:
    critical = float(f_distribution.isf(0.025, 3, 60))
    assert noncentral_f(critical * 0.999, 3, 60)[0] == 0
    assert noncentral_f(critical * 1.001, 3, 60)[0] > 0


@pytest.mark.parametrize("level", [0, 1, 95, -0.5])
def test_a_level_that_is_no_level_is_refused(level: float) -> None:
    with pytest.raises(UserError, match=str(level)):
        check_level(level)


@pytest.mark.parametrize(
    ("t", "df", "expected"),
    [
        # R: f <- function(p) uniroot(function(d) integrate(function(z) dnorm(z) * pchisq((pmax(z + d, 0) / 100)^2, 1,
        #    lower = FALSE), -9, 9, rel.tol = 1e-10)$value - p, c(-1, 400), tol = 1e-9)$root; c(f(.975), f(.025))
        (100, 1, (3.133718, 224.151479)),
        # So far out z does not matter: √(χ²₁) has the quantiles norm.ppf(.5125) and norm.ppf(.9875), times t.
        (1e5, 1, (0.031337982e5, 2.241402728e5)),
    ],
)
def test_large_t_with_few_degrees_of_freedom(t: float, df: float, expected: tuple[float, float]) -> None:
    # SciPy's noncentral t gives NaN on the way.
    assert noncentral_t(t, df) == pytest.approx(expected, rel=1e-6)
    low, high = noncentral_t(-t, df)
    assert (-high, -low) == noncentral_t(t, df)
