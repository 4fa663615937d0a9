"""Are draws the same whenever they are asked for, and distributed as they should be?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hengliang.people.bots.drawing import (
    chosen,
    exponential,
    happens,
    logistic_of,
    lognormal,
    normal,
    uniform,
)

NAMES = st.lists(st.one_of(st.integers(), st.text()), min_size=1, max_size=4)


@given(NAMES)
def test_the_same_name_gives_the_same_number_within_bounds(name: list[object]) -> None:
    drawn = uniform(*name)
    assert 0 < drawn < 1 and drawn == uniform(*name)
    assert math.isfinite(logistic_of(normal(*name))) and exponential(5, *name) > 0


def test_draws_with_different_names_look_like_the_distributions() -> None:
    # Kolmogorov–Smirnov: with 4,000 draws D stays below 1.63/√4000 = 0.0258 in 99 of 100 samples; these are fixed.
    drawn = range(4000)
    for sample, expected in (
        ([uniform("u", k) for k in drawn], stats.uniform()),
        ([normal("n", k) for k in drawn], stats.norm()),
        ([logistic_of(normal("l", k)) for k in drawn], stats.logistic()),
        ([exponential(5.0, "e", k) for k in drawn], stats.expon(scale=5.0)),
        ([lognormal(0.6, 0.3, "r", k) for k in drawn], stats.lognorm(0.3, scale=0.6)),
    ):
        assert stats.kstest(sample, expected.cdf).statistic < 0.0258


def test_choices_follow_their_weights() -> None:
    picked = [chosen("abc", [1.0, 0.0, 3.0], "c", k) for k in range(4000)]
    # A share of 1/4 has the standard error √(.25 · .75 / 4000) = 0.0068.
    assert picked.count("a") / 4000 == pytest.approx(0.25, abs=0.02) and "b" not in picked
    assert np.mean([happens(0.1, "h", k) for k in range(4000)]) == pytest.approx(0.1, abs=0.015)
    assert not any(happens(0.0, k) for k in range(50)) and all(happens(1.0, k) for k in range(50))
