"""Are combinations of coefficients those that another coding of the same model gives, and that can be had by hand?"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.statistics.models.mixed import MixedFit, contrast, fit_mixed, odds_ratio

LEVELS = ("a", "b", "c")


def rows(seed: int = 3) -> pl.DataFrame:
    generator = np.random.default_rng(seed)
    ease = generator.normal(0, 1, 25)
    held = [
        {"item": f"i{item}", "x": level, "success": int(ease[item] + 0.7 * place + generator.logistic() > 0)}
        for item in range(25)
        for place, level in enumerate(LEVELS)
        for _ in range(3)
    ]
    return pl.DataFrame(held)


def fitted(data: pl.DataFrame, first: str = "a") -> MixedFit:
    order = pl.Enum([first, *(level for level in LEVELS if level != first)])
    return fit_mixed("success ~ x + (1 | item)", data.with_columns(pl.col("x").cast(order)), family="binomial")


def test_a_contrast_is_the_coefficient_of_another_coding() -> None:
    """c − b from a fit with the reference a is the effect c of a fit with the reference b."""
    data = rows()
    found, other = contrast(fitted(data), {"x[c]": 1, "x[b]": -1}), fitted(data, "b").coefficient("x[c]")
    assert found.estimate == pytest.approx(other.estimate, abs=1e-4)
    assert found.error == pytest.approx(other.error, abs=1e-4)
    assert found.p == pytest.approx(other.p, abs=1e-4)


def test_one_coefficient_with_weight_one_is_itself() -> None:
    fit = fitted(rows())
    found, own = contrast(fit, {"x[b]": 1.0}, "x[b]"), fit.coefficient("x[b]")
    assert (found.name, found.estimate, found.low, found.high) == pytest.approx(
        (own.name, own.estimate, own.low, own.high)
    )


def test_an_odds_ratio_is_that_of_the_counts_where_items_do_not_differ() -> None:
    """Every item has the same answers, so that items add nothing: the ratio is that of a table of four counts."""
    right = {"a": 2, "b": 4, "c": 5}
    data = pl.DataFrame(
        [
            {"item": f"i{item}", "x": level, "success": int(number < count)}
            for item in range(10)
            for level, count in right.items()
            for number in range(6)
        ]
    )
    found = odds_ratio(contrast(fitted(data), {"x[c]": 1, "x[b]": -1}))
    # 50 right and 10 wrong against 40 right and 20 wrong.
    assert found.value == pytest.approx((50 / 10) / (40 / 20), rel=1e-4)
    error = math.sqrt(1 / 50 + 1 / 10 + 1 / 40 + 1 / 20)
    assert math.log(found.high / found.low) / 2 == pytest.approx(1.959964 * error, rel=1e-3)


@given(st.lists(st.floats(-3, 3), min_size=3, max_size=3), st.floats(0.1, 4))
def test_a_contrast_is_linear(weights: list[float], factor: float) -> None:
    fit = FIT
    names = fit.design.fixed_names
    one = contrast(fit, dict(zip(names, weights, strict=True)))
    scaled = contrast(fit, {name: factor * weight for name, weight in zip(names, weights, strict=True)})
    assert one.estimate == pytest.approx(sum(w * b for w, b in zip(weights, fit.coefficients, strict=True)), abs=1e-9)
    assert scaled.estimate == pytest.approx(factor * one.estimate, abs=1e-9)
    if not math.isnan(one.p) and one.error > 1e-6:
        assert scaled.p == pytest.approx(one.p, abs=1e-6)


FIT = fitted(rows())


def test_what_is_no_contrast_is_refused() -> None:
    with pytest.raises(UserError, match=r"x\[d\]"):
        contrast(FIT, {"x[d]": 1.0})
    with pytest.raises(UserError, match="names no coefficient"):
        contrast(FIT, {})
    linear = fit_mixed("success ~ x + (1 | item)", rows())
    with pytest.raises(UserError, match="no degrees of freedom"):
        contrast(linear, {"x[b]": 1.0})
