"""Tests and intervals of coefficients."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hengliang.statistics.models.results import coefficients_of, stars


def test_z_and_t() -> None:
    # z = 1.96: p = .05; t = 2.228139 with 10 degrees of freedom: p = .05 (tables).
    (z,) = coefficients_of(("b",), np.array([1.959964]), np.eye(1), None, 0.95)
    (t,) = coefficients_of(("b",), np.array([2.228139]), np.eye(1), np.array([10.0]), 0.95)
    assert (z.p, z.low, z.high) == pytest.approx((0.05, 0.0, 3.919928), abs=1e-6)
    assert (t.p, t.low, t.high, t.df) == pytest.approx((0.05, 0.0, 4.456278, 10), abs=1e-5)


def test_without_p() -> None:
    (b,) = coefficients_of(("b",), np.array([2.0]), np.eye(1) * 4, None, 0.95, with_p=False)
    assert math.isnan(b.p)
    assert b.statistic == pytest.approx(1.0)


def test_an_unknown_error_gives_no_number() -> None:
    (b,) = coefficients_of(("b",), np.array([2.0]), np.full((1, 1), np.nan), None, 0.95)
    assert math.isnan(b.p)
    assert math.isnan(b.low)
    assert b.estimate == 2.0


@pytest.mark.parametrize(("p", "expected"), [(0.001, "***"), (0.0011, "**"), (0.05, "*"), (0.051, ""), (math.nan, "")])
def test_stars(p: float, expected: str) -> None:
    assert stars(p) == expected
