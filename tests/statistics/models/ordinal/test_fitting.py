"""Does the model behave as a cumulative-link model must, whatever names, orders and scales the data have?"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.statistics.models.comparison import likelihood_ratio
from hengliang.statistics.models.design import design
from hengliang.statistics.models.ordinal import fit_design, fit_ordinal, refit
from tests.statistics.models.ordinal.oracle_data import WINE
from tests.statistics.models.ordinal.problems import simulated_ratings

FORMULA = "rating ~ system + length + (1 | rater) + (1 | item)"
RATINGS = simulated_ratings(2)
FIT = fit_ordinal(FORMULA, RATINGS)


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_turning_the_scale_round_turns_the_signs(link: str) -> None:
    here = fit_ordinal(FORMULA, RATINGS, link=link)  # type: ignore[arg-type]
    there = fit_ordinal(FORMULA, RATINGS.with_columns(rating=6 - pl.col("rating")), link=link)  # type: ignore[arg-type]
    assert there.log_likelihood == pytest.approx(here.log_likelihood, abs=1e-8)
    for mine, other in zip(here.model.coefficients, there.model.coefficients, strict=True):
        assert other.estimate == pytest.approx(-mine.estimate, abs=1e-6)
        assert other.error == pytest.approx(mine.error, rel=1e-5)
    thresholds = [c.estimate for c in here.model.thresholds]
    assert [c.estimate for c in there.model.thresholds] == pytest.approx(
        [-value for value in reversed(thresholds)], abs=1e-6
    )


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 1000))
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    mixed = RATINGS.sample(fraction=1.0, shuffle=True, seed=seed)
    again = fit_ordinal(FORMULA, mixed)
    assert again.log_likelihood == pytest.approx(FIT.log_likelihood, abs=1e-8)
    assert again.parameters == pytest.approx(FIT.parameters, abs=1e-6)


def test_names_do_not_matter() -> None:
    renamed = RATINGS.with_columns(rater="z" + pl.col("rater").str.reverse(), rating=pl.col("rating") * 10)
    again = fit_ordinal(FORMULA, renamed)
    assert again.log_likelihood == pytest.approx(FIT.log_likelihood, abs=1e-8)
    assert again.parameters == pytest.approx(FIT.parameters, abs=1e-6)
    assert [c.name for c in again.model.thresholds] == ["10|20", "20|30", "30|40", "40|50"]


def test_categories_nobody_gave_do_not_matter() -> None:
    again = fit_ordinal(FORMULA, RATINGS.with_columns(rating=pl.col("rating") + 2), scale=(1, 9))
    assert again.log_likelihood == pytest.approx(FIT.log_likelihood, abs=1e-8)
    assert [c.name for c in again.model.thresholds] == ["3|4", "4|5", "5|6", "6|7"]


def test_the_unit_of_a_column_does_not_matter() -> None:
    again = fit_ordinal(FORMULA, RATINGS.with_columns(length=pl.col("length") * 1000 + 5000))
    assert again.log_likelihood == pytest.approx(FIT.log_likelihood, abs=1e-7)
    assert again.coefficient("length").estimate == pytest.approx(FIT.coefficient("length").estimate / 1000, rel=1e-4)
    assert again.coefficient("length").error == pytest.approx(FIT.coefficient("length").error / 1000, rel=1e-4)


def test_the_truth_is_found() -> None:
    # Simulated with system B better by 0.8, thresholds −1.5, −0.5, 0.7, 2, deviations 1 and 0.6.
    fit = fit_ordinal("rating ~ system + (1 | rater) + (1 | item)", simulated_ratings(5, 120, 100))
    effect = fit.coefficient("system[B]")
    assert abs(effect.estimate - 0.8) < 3 * effect.error and effect.error < 0.05
    spread = [component.deviation for component in fit.model.components]
    assert spread == pytest.approx([1.0, 0.6], abs=0.2)
    for held, truth in zip(fit.model.thresholds, (-1.5, -0.5, 0.7, 2.0), strict=True):
        assert abs(held.estimate - truth) < 3 * held.error


def test_two_copies_of_a_threshold_set_are_one() -> None:
    # With thresholds by system and no effect of it, the freer model holds `~ system` inside it.
    free = fit_ordinal("rating ~ length + (1 | rater) + (1 | item)", RATINGS, thresholds_by="system")
    assert free.log_likelihood >= FIT.log_likelihood - 1e-8
    assert free.model.parameters == FIT.model.parameters + 3
    # The same model by nominal columns: R's nominal = ~ system.
    nominal = refit(FIT, nominal=("system[B]",))
    assert nominal.log_likelihood == pytest.approx(free.log_likelihood, abs=1e-7)
    shift = nominal.coefficient("2|3: system[B]").estimate
    difference = free.coefficient("system B: 2|3").estimate - free.coefficient("system A: 2|3").estimate
    assert shift == pytest.approx(difference, abs=1e-5)


def test_missing_values_are_left_out_and_counted() -> None:
    holes = RATINGS.with_columns(
        length=pl.when(pl.int_range(pl.len()) % 10 == 0).then(None).otherwise("length"),
        rater_2=pl.when(pl.int_range(pl.len()) % 10 == 1).then(None).otherwise("rater"),
    )
    fit = fit_ordinal("rating ~ length + (1 | item)", holes)
    assert fit.model.n == 288 and fit.model.n_missing == 32
    by = fit_ordinal("rating ~ length", holes, thresholds_by="rater_2", threshold="equidistant")
    assert by.model.n == 256 and by.model.n_missing == 64


def test_refitting_a_smaller_design() -> None:
    smaller = fit_ordinal("rating ~ length + (1 | rater) + (1 | item)", RATINGS)
    again = refit(FIT, design=design("rating ~ length + (1 | rater) + (1 | item)", RATINGS))
    assert again.log_likelihood == pytest.approx(smaller.log_likelihood, abs=1e-10)
    test = likelihood_ratio(again.model, FIT.model)
    assert test.df == (1.0,) and test.p is not None and test.p < 1e-3


def test_a_design_made_elsewhere() -> None:
    held = design("rating ~ temp + contact + (1 | judge)", WINE)
    assert fit_design(held).log_likelihood == pytest.approx(-81.5654128, abs=1e-7)
    start = fit_design(held).parameters + 0.1
    assert fit_design(held, start=start).log_likelihood == pytest.approx(-81.5654128, abs=1e-7)


def test_no_effects_at_all() -> None:
    fit = fit_ordinal("rating ~ 1", WINE)
    counts = np.bincount(WINE["rating"].to_numpy())[1:]
    assert fit.log_likelihood == pytest.approx(float((counts * np.log(counts / 72)).sum()))
    assert fit.model.title.en == "cumulative-link model" and fit.model.coefficients == ()
    assert fit.conditional_modes().height == 0


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"link": "cloglog"}, "link 'cloglog'"),
        ({"threshold": "even"}, "threshold 'even'"),
        ({"thresholds_by": "reader"}, "No column is called 'reader'"),
        ({"thresholds_by": "one"}, "has one level only"),
        ({"level": 95}, "level 95"),
        ({"alpha": 0}, "alpha = 0"),
        ({"start": [1.0]}, "The start has 1 numbers, the model 8 parameters"),
        ({"scale": (2, 5)}, r"row \d+: '1' is not on the scale"),
    ],
)
def test_bad_settings(settings_: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        fit_ordinal(FORMULA, RATINGS.with_columns(one=pl.lit("x")), **settings_)  # type: ignore[arg-type]


def test_bad_data() -> None:
    with pytest.raises(UserError, match="rating"):
        fit_ordinal(FORMULA, RATINGS.with_columns(rating=pl.lit(7)))
    with pytest.raises(UserError, match="No column is called 'rator'"):
        fit_ordinal("rating ~ system + (1 | rator)", RATINGS)
    with pytest.raises(UserError, match="one level"):
        fit_ordinal(FORMULA, RATINGS.with_columns(system=pl.lit("A")))
    with pytest.raises(UserError, match=r"No column is called 'system\[C\]'"):
        refit(FIT, nominal=("system[C]",))


def test_nan_is_no_set_of_thresholds() -> None:
    half = RATINGS.with_columns(half=(pl.int_range(pl.len()) % 2).cast(pl.Float64))
    gaps = half.with_columns(pl.when(pl.int_range(pl.len()) < 40).then(float("nan")).otherwise("half").alias("half"))
    held = fit_ordinal("rating ~ system", gaps, thresholds_by="half")
    assert held.problem.thresholds.cells == ("half 0", "half 1")
    assert held.model.n_missing == 40
    assert held.log_likelihood == pytest.approx(
        fit_ordinal("rating ~ system", half[40:], thresholds_by="half").log_likelihood
    )
