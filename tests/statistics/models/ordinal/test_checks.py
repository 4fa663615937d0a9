"""Does every fault of a fit get a sentence that names it, in both languages?"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from hengliang import UserError
from hengliang.statistics.models.design import design
from hengliang.statistics.models.ordinal import OrdinalFit, fit_design, fit_ordinal
from hengliang.statistics.models.ordinal.checks import flat_directions
from tests.statistics.models.ordinal.oracle_data import WINE
from tests.statistics.models.ordinal.problems import simulated_ratings

RATINGS = simulated_ratings()


def warned(fit: OrdinalFit, english: str, chinese: str) -> bool:
    return any(english in warning.en and chinese in warning.zh for warning in fit.model.warnings)


def test_a_sound_fit_has_no_warnings() -> None:
    fit = fit_ordinal("rating ~ system + (1 | rater) + (1 | item)", RATINGS)
    assert fit.model.warnings == () and fit.model.converged


def test_a_variance_at_zero_names_the_group() -> None:
    fit = fit_ordinal("rating ~ temp + contact + (1 | judge) + (1 | bottle)", WINE)
    assert warned(fit, "the variance of bottle is zero", "bottle 的方差为零")
    assert fit.model.converged
    assert np.isnan(fit.covariance[-1, -1]) and np.isfinite(fit.covariance[:-1, :-1]).all()


def test_a_correlation_of_one() -> None:
    # Simulated without a slope; in these data its best value follows the intercept.
    fit = fit_ordinal("rating ~ system + (1 + length | rater)", simulated_ratings(0, 12, 12, rater=1.5, item=0.0))
    assert warned(fit, "length by rater is a fixed combination", "length by rater 完全由其前面的效应决定")
    assert abs(fit.model.components[1].correlations[0]) == pytest.approx(1.0)
    assert fit.model.converged


def test_few_levels() -> None:
    data = RATINGS.with_columns(half=pl.col("rater").str.slice(2).cast(pl.Int64) % 3)
    fit = fit_ordinal("rating ~ system + (1 | half)", data)
    assert warned(fit, "'half' has 3 levels only", "“half”只有 3 个水平")


def test_a_level_for_every_observation() -> None:
    data = RATINGS.with_row_index("trial").with_columns(good=pl.col("rating") > 3)
    fit = fit_ordinal("good ~ system + (1 | trial)", data)
    assert warned(fit, "With two categories its variance is not identified", "其方差不可识别")


def test_separation_names_the_column() -> None:
    data = RATINGS.with_columns(rating=pl.when(pl.col("system") == "B").then(5).otherwise("rating"))
    fit = fit_ordinal("rating ~ system + length + (1 | rater)", data)
    assert warned(fit, "Separation: system[B]", "完全分离：system[B]")
    assert not fit.model.converged
    # Its error would be rounding error, of any size.
    assert np.isnan(fit.coefficient("system[B]").error)
    assert "SE = —, p not defined" in fit.coefficient("system[B]").describe()
    # The other effect is still estimated, with a sensible error.
    assert 0.05 < fit.coefficient("length").error < 0.5


def test_a_random_effect_that_runs_away() -> None:
    data = RATINGS.with_columns(split=(pl.col("rater") < "r10"))
    fit = fit_ordinal("split ~ 1 + (1 | rater)", data)
    assert warned(fit, "part the categories almost completely", "几乎完全区分了类别")


def test_categories_that_nobody_gave() -> None:
    fit = fit_ordinal("rating ~ system", RATINGS, scale=(1, 7))
    assert warned(fit, "Nobody gave the categories 6, 7", "类别 6, 7")
    assert fit.model.conventions["dropped_categories"] == "6, 7"


def test_a_rater_who_skips_categories() -> None:
    data = RATINGS.with_columns(
        rating=pl.when((pl.col("rater") == "r00") & (pl.col("rating") == 3)).then(4).otherwise("rating")
    ).filter(pl.col("rater").is_in(["r00", "r01", "r02", "r03"]))
    fit = fit_ordinal("rating ~ system", data, thresholds_by="rater")
    assert warned(fit, "Not all categories were used by rater r00", "没有使用全部类别")
    assert fit.coefficient("rater r00: 2|3").estimate == fit.coefficient("rater r00: 3|4").estimate


def test_columns_that_the_thresholds_hold_already() -> None:
    with pytest.raises(UserError, match=r"'system\[B\]' says nothing that the thresholds, system\[A\]"):
        fit_ordinal("rating ~ 0 + system", RATINGS)
    data = RATINGS.with_columns(team=pl.when(pl.col("rater") < "r10").then(pl.lit("x")).otherwise(pl.lit("y")))
    with pytest.raises(UserError, match=r"'team\[y\]' says nothing that the thresholds, system"):
        fit_ordinal("rating ~ system + team", data, thresholds_by="rater")


def test_flat_directions() -> None:
    covariance, lost = flat_directions(-np.diag([4.0, 1.0]), ["a", "b"])
    assert covariance == pytest.approx(np.diag([0.25, 1.0])) and lost == ()
    # b and c only matter by their sum: neither has a variance, a has.
    covariance, lost = flat_directions(-np.array([[4.0, 0, 0], [0, 1, 1], [0, 1, 1]]), ["a", "b", "c"])
    assert lost == ("b", "c")
    assert covariance[0, 0] == pytest.approx(0.25) and np.isnan(covariance[1:, 1:]).all()


def test_thresholds_that_cross_are_told() -> None:
    # With the mark nobody gives 2, so its two thresholds run past each other: P(1) + P(2) + P(3) = 2.
    frame = pl.DataFrame({"y": [1, 2, 3] * 6 + [1, 3] * 6, "mark": [0.0] * 18 + [1.0] * 12})
    fit = fit_design(design("y ~ mark", frame), nominal=["mark"])
    assert not fit.model.converged
    assert any("thresholds cross" in warning.en for warning in fit.model.warnings)
    whole = fit_design(design("y ~ mark", frame.with_columns(y=pl.Series([1, 2, 3] * 10))), nominal=["mark"])
    assert not any("thresholds cross" in warning.en for warning in whole.model.warnings)


def test_a_column_far_from_zero_is_to_be_centred() -> None:
    # Seconds since 1970 over twenty minutes: the thresholds would lie at 10^9 slopes, and all digits would be theirs.
    frame = pl.DataFrame({"y": [1, 2, 3, 2, 1, 3, 2, 3], "time": [1.7e9 + 150 * place for place in range(8)]})
    with pytest.raises(UserError, match="'time' varies so little") as error:
        fit_ordinal("y ~ time", frame)
    assert "scale(time)" in error.value.remedy
    near = frame.with_columns(pl.col("time") - 1.7e9)
    centred = fit_ordinal("y ~ scale(time)", frame).log_likelihood
    assert centred == pytest.approx(fit_ordinal("y ~ time", near).log_likelihood)


def test_symmetric_thresholds_of_a_rater_who_skips_answers_may_cross() -> None:
    # b never gives 2 or 4. Symmetric thresholds c₁ − s, c₁, c₂, c₂ + s of b make 1 and 5 likelier with s < 0, which no
    # rating of b forbids: the categories then overlap. One spacing > 0 is needed for the answer 3 if all are equal.
    counts = {"a": (6, 6, 6, 6, 6), "b": (10, 0, 6, 0, 10)}
    rows = [(rater, y + 1) for rater, held in counts.items() for y, count in enumerate(held) for _ in range(count)]
    frame = pl.DataFrame(rows, schema=["rater", "y"], orient="row")
    for kind in ("flexible", "symmetric", "equidistant"):
        fit = fit_ordinal("y ~ 1", frame, thresholds_by="rater", threshold=kind)
        sums = fit.predict().to_numpy().sum(axis=1)
        crossed = any("thresholds cross for rater b" in warning.en for warning in fit.model.warnings)
        assert crossed == bool((abs(sums - 1) > 1e-6).any())
        assert crossed == (kind == "symmetric")
