from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.statistics.correlation.coefficients import pearson
from hengliang.statistics.correlation.regression import linear_regression
from tests.statistics.correlation.oracle import DATA, ORACLE

shared, first, second = (np.array(DATA[name]) for name in ("shared", "first", "second"))


@pytest.mark.parametrize(
    ("key", "response", "predictors"),
    [
        ("one_predictor", first, {"shared": shared}),
        ("two_predictors", second, {"shared": shared, "first": first}),
    ],
)
def test_it_is_lm(key: str, response: Any, predictors: dict[str, Any]) -> None:
    result, expected = linear_regression(response, predictors), ORACLE[key]
    for coefficient, row, interval in zip(
        result.coefficients, expected["coefficients"], expected["intervals"], strict=True
    ):
        found = (coefficient.estimate, coefficient.error, coefficient.statistic, coefficient.p)
        assert found == pytest.approx(row, rel=1e-9)
        assert (coefficient.low, coefficient.high) == pytest.approx(interval, rel=1e-9)
    assert result.r_squared.value == pytest.approx(expected["r_squared"], rel=1e-10)
    assert result.adjusted_r_squared == pytest.approx(expected["adjusted"], rel=1e-10)
    assert (result.f, *result.df) == pytest.approx(expected["f"], rel=1e-10)
    assert result.p == pytest.approx(expected["p"], rel=1e-9)
    assert result.residual_error == pytest.approx(expected["sigma"], rel=1e-10)
    # R's pf is good to about six digits in the tails of a noncentral F.
    assert (result.r_squared.low, result.r_squared.high) == pytest.approx(expected["r_squared_interval"], abs=1e-5)
    robust = linear_regression(response, predictors, errors="hc3")
    assert [c.error for c in robust.coefficients] == pytest.approx(expected["hc3"], rel=1e-9)


def test_statsmodels_gives_the_same() -> None:
    table = sm.add_constant(np.column_stack([shared, first]))
    fit = sm.OLS(second, table).fit()
    ours = linear_regression(second, {"shared": shared, "first": first}, level=0.9)
    assert [c.estimate for c in ours.coefficients] == pytest.approx(fit.params, rel=1e-9)
    assert [(c.low, c.high) for c in ours.coefficients] == [pytest.approx(tuple(row)) for row in fit.conf_int(0.1)]
    assert ours.residual_error == pytest.approx(math.sqrt(fit.mse_resid))
    robust = linear_regression(second, {"shared": shared, "first": first}, errors="hc3")
    assert [c.error for c in robust.coefficients] == pytest.approx(fit.HC3_se, rel=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(6, 40), st.floats(-5, 5), st.floats(0.1, 10))
def test_one_predictor_is_the_square_of_r_and_scale_does_not_matter(
    seed: int, n: int, shift: float, scale: float
) -> None:
    x, y = np.random.default_rng(seed).normal(size=(2, n))
    plain = linear_regression(y, x)
    correlation = pearson(x, y)
    assert plain.r_squared.value == pytest.approx(correlation.effects[0].value ** 2, abs=1e-12)
    assert plain.p == pytest.approx(correlation.p, rel=1e-6)
    moved = linear_regression(y, scale * x + shift)
    assert moved.r_squared.value == pytest.approx(plain.r_squared.value, abs=1e-9)
    assert moved.coefficient("x").estimate == pytest.approx(plain.coefficient("x").estimate / scale, rel=1e-6)
    low, high = plain.r_squared.low, plain.r_squared.high
    assert low is not None and high is not None
    assert 0 <= low <= high < 1
    assert plain.adjusted_r_squared <= plain.r_squared.value


def test_what_is_said() -> None:
    result = linear_regression(first, {"length": shared}, name="swaps")
    assert result.sentence().en.startswith(
        "swaps follows in part from length (linear regression: R² = .55, substantial, 95 % CI [.27, .70], F(1, 28) = 34"
    )
    assert "残差标准误 = 0.974" in result.sentence().zh
    assert "adjusted R² = .54" in result.summary()
    assert "predictors:length" in str(result.signature())
    rows = list(result.estimates("regression", {"group": "g"}))
    assert [row.statistic for row in rows][:4] == ["R²", "adjusted R²", "F", "residual standard error"]
    assert rows[-1].by == {"group": "g", "term": "length"}
    assert "was not found to follow" in linear_regression(second[:6], shared[:6]).sentence().en


def test_a_frame_is_taken_by_column_and_missing_rows_are_counted() -> None:
    frame = pl.DataFrame({"y": [*first, None], "x": [*shared, 1.0]})
    result = linear_regression(frame["y"], {"x": frame["x"]})
    assert (result.n, result.n_missing) == (30, 1)
    assert result.data == linear_regression(first, {"x": shared}).data


def test_an_exact_line() -> None:
    result = linear_regression(2 * shared + 1, shared)
    assert (result.r_squared.value, result.residual_error, result.p) == (1.0, 0.0, 0.0)
    assert result.r_squared.low is None
    assert next(row for row in result.estimates("a") if row.statistic == "F").value is None


@pytest.mark.parametrize(
    ("response", "predictors", "message"),
    [
        (second, {"a": shared, "b": 3 * shared - 2}, "The predictor 'b' follows exactly from a"),
        (second, {"a": shared, "b": first, "c": shared + first}, "The predictor 'c' follows exactly from a, b"),
        (second, {"a": shared, "same": np.full(30, 4.0)}, "The predictor 'same' is the same for all"),
        (np.ones(30), {"a": shared}, "nothing to explain"),
        (second, {}, "no predictor"),
        (second, {"y": shared}, "both response and predictor"),
        (second, {"a": shared[:5]}, "has 5"),
        (second[:2], {"a": shared[:2]}, "too few"),
        (second, {"a": ["x"] * 30}, "'a' holds something that is no number"),
    ],
)
def test_mistakes_are_named(response: Any, predictors: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        linear_regression(response, predictors)


def test_an_unknown_coefficient() -> None:
    with pytest.raises(UserError, match="Coefficients: \\(Intercept\\), x"):
        linear_regression(first, shared).coefficient("z")
