"""Do profile intervals follow the likelihood, as R's do?"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from hengliang import UserError
from hengliang.statistics.models.ordinal import fit_ordinal
from hengliang.statistics.models.ordinal.optimisation import estimate
from hengliang.statistics.models.ordinal.profiles import profile_interval, with_profile_intervals
from tests.statistics.models.ordinal.oracle_data import INFERENCE, WINE, data_of

MIXED = fit_ordinal("rating ~ temp + contact + (1 | judge)", WINE)
FIXED = fit_ordinal("rating ~ temp + contact", WINE)


@pytest.mark.parametrize(("name", "term"), [("temp[warm]", "tempwarm"), ("contact[yes]", "contactyes")])
def test_without_random_effects_they_are_those_of_clm(name: str, term: str) -> None:
    found = profile_interval(FIXED, name)
    # R interpolates its profile with a spline, which is good to about 1e-3.
    assert (found.low, found.high) == pytest.approx(INFERENCE["clm_profile"][term], abs=2e-3)


def test_a_coefficient_of_a_mixed_model() -> None:
    # R: clmm2 with the effect held by an offset, and a spline through 41 points.
    found = profile_interval(MIXED, "contact[yes]")
    assert (found.low, found.high) == pytest.approx(INFERENCE["contact_profile"], abs=3e-3)


def test_the_spread_of_a_random_intercept() -> None:
    found = profile_interval(MIXED, "judge: (Intercept)")
    assert (found.low, found.high) == pytest.approx(INFERENCE["judge_sd_profile"], abs=3e-3)


@pytest.mark.parametrize("name", ["temp[warm]", "2|3", "judge: (Intercept)"])
def test_at_both_bounds_the_likelihood_has_fallen_by_half_the_quantile(name: str) -> None:
    found = profile_interval(MIXED, name, level=0.9)
    place = MIXED.names.index(name)
    for bound in (found.low, found.high):
        held = estimate(MIXED.problem, MIXED.parameters, {place: bound}).optimum
        # qchisq(.9, 1) = 2.705543
        assert 2 * (MIXED.log_likelihood - held.log_likelihood) == pytest.approx(2.705543, abs=2e-3)


def test_a_larger_level_gives_a_wider_interval() -> None:
    narrow, wide = (profile_interval(MIXED, "temp[warm]", level=level) for level in (0.8, 0.99))
    assert wide.low < narrow.low < narrow.estimate < narrow.high < wide.high
    assert "99 % profile interval" in str(wide)


def test_a_spread_that_may_be_zero_has_zero_as_its_bound() -> None:
    fit = fit_ordinal("rating ~ system + (1 | rater) + (1 | item)", data_of("a variance near zero"))
    found = profile_interval(fit, "rater: (Intercept)")
    assert found.low == 0
    assert 0 < found.high < 1


def test_an_effect_that_separates_has_no_profile() -> None:
    # All of b's ratings are 3: its effect may be as large as one likes. The estimate is where the search stopped, and
    # its curvature is rounding error, so that steps of such a standard error may leap over the bound.
    data = pl.DataFrame({"rating": [1, 2, 3, 2, 1, 3, 3, 3, 3, 3], "group": ["a"] * 6 + ["b"] * 4})
    fit = fit_ordinal("rating ~ group", data)
    assert fit.model.warnings
    assert math.isnan(fit.coefficient("group[b]").error)
    with pytest.raises(UserError, match=r"'group\[b\]' has no standard error"):
        profile_interval(fit, "group[b]")
    assert math.isnan(with_profile_intervals(fit).coefficient("group[b]").low)
    # The thresholds are those of a's ratings, two of each, and have their profiles: 1|2 is logit(1/3) = -0.69.
    found = profile_interval(fit, "1|2")
    assert found.low < -0.69 < found.high and math.isfinite(found.low) and math.isfinite(found.high)


def test_the_fit_can_show_profile_intervals() -> None:
    shown = with_profile_intervals(MIXED)
    low, high = INFERENCE["contact_profile"]
    coefficient = shown.coefficient("contact[yes]")
    assert (coefficient.low, coefficient.high) == pytest.approx((low, high), abs=3e-3)
    assert coefficient.p == MIXED.coefficient("contact[yes]").p
    assert "profile" in str(shown.signature())
    assert shown.coefficient("1|2").low == MIXED.coefficient("1|2").low


def test_the_evaluations_are_few() -> None:
    assert profile_interval(MIXED, "temp[warm]").evaluations <= 16


def test_names_and_levels_that_do_not_exist() -> None:
    with pytest.raises(UserError, match=r"No parameter is called 'temp'"):
        profile_interval(MIXED, "temp")
    with pytest.raises(UserError, match="level 95"):
        profile_interval(MIXED, "temp[warm]", level=95)


def test_an_entry_of_a_cholesky_factor_has_no_interval() -> None:
    data = data_of("random slope")
    fit = fit_ordinal("rating ~ length + trial + (1 + length | rater)", data)
    assert np.isfinite(profile_interval(fit, "rater: (Intercept)").high)
    with pytest.raises(UserError, match="Cholesky"):
        profile_interval(fit, "rater: length by (Intercept)")


def test_another_level_is_that_of_all_intervals() -> None:
    shown = with_profile_intervals(MIXED, level=0.5)
    threshold = shown.coefficient("1|2")
    # qnorm(.75) = 0.6744898
    assert threshold.high - threshold.estimate == pytest.approx(0.6744898 * threshold.error, rel=1e-6)
    assert shown.threshold_parameters[0].low == threshold.low
    assert (shown.settings.level, shown.model.level) == (0.5, 0.5)
