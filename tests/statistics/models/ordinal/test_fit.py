"""Does a fit tell all it knows: modes, deviations, covariances, sentences?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from hengliang.statistics.models.ordinal import fit_ordinal
from tests.statistics.models.ordinal.oracle_data import CASES, WINE
from tests.statistics.models.ordinal.problems import simulated_ratings

FIT = fit_ordinal("rating ~ temp + contact + (1 | judge)", WINE)
SLOPES = fit_ordinal("rating ~ system + (1 + system | rater) + (1 | item)", simulated_ratings(slope=1.0))


def test_conditional_modes_are_those_of_r() -> None:
    case = next(case for case in CASES if case["name"] == "wine")
    ours = dict(zip(FIT.conditional_modes()["level"], FIT.conditional_modes()["mode"], strict=True))
    for level, mode in zip(case["levels"]["judge"], np.ravel(list(case["modes"]["judge"].values())), strict=True):
        assert ours[level] == pytest.approx(mode, abs=2e-4)


def test_conditional_deviations() -> None:
    # R: sqrt(clmm(rating ~ temp + contact + (1 | judge), wine)$condVar) = 0.5538, 0.6148, 0.5954, …
    assert FIT.conditional_modes()["deviation"].to_list()[:3] == pytest.approx([0.5538, 0.6148, 0.5954], abs=2e-4)
    # Knowing a level's ratings leaves less than the variance between levels.
    assert FIT.conditional_modes()["deviation"].max() < FIT.model.components[0].deviation  # type: ignore[operator]


def test_modes_of_correlated_effects() -> None:
    table = SLOPES.conditional_modes()
    assert table.columns == ["group", "level", "effect", "mode", "deviation"]
    assert table.height == 20 * 2 + 16
    assert set(table.filter(table["group"] == "rater")["effect"]) == {"(Intercept)", "system[B]"}
    # Modes add up to nothing at the maximum: 1'Z'(dlog p) = 1'u for each column, and slopes balance.
    effects = SLOPES.effects()
    assert effects[0].shape == (20, 2) and effects[1].shape == (16, 1)
    assert abs(effects[1].mean()) < 0.05


def test_covariance_is_that_of_all_parameters() -> None:
    assert FIT.covariance.shape == (7, 7)
    assert FIT.names[-1] == "judge: (Intercept)"
    errors = np.sqrt(np.diag(FIT.covariance))
    assert errors[4] == FIT.coefficient("temp[warm]").error
    assert FIT.covariance == pytest.approx(FIT.covariance.T)
    assert (np.linalg.eigvalsh(FIT.covariance) > 0).all()


def test_restricted_thresholds_get_errors_by_the_delta_method() -> None:
    fit = fit_ordinal("rating ~ temp + contact + (1 | judge)", WINE, threshold="equidistant")
    first, spacing = fit.threshold_parameters
    assert (first.name, spacing.name) == ("threshold.1", "spacing")
    third = fit.coefficient("3|4")
    assert third.estimate == pytest.approx(first.estimate + 2 * spacing.estimate)
    variance = fit.covariance[0, 0] + 4 * fit.covariance[0, 1] + 4 * fit.covariance[1, 1]
    assert third.error == pytest.approx(math.sqrt(variance))


def test_wald_intervals_and_p() -> None:
    found = FIT.coefficient("contact[yes]")
    assert found.statistic == pytest.approx(found.estimate / found.error)
    assert found.p == pytest.approx(2 * norm.sf(found.statistic))
    assert found.high - found.low == pytest.approx(2 * norm.ppf(0.975) * found.error)
    wide = fit_ordinal("rating ~ temp + contact + (1 | judge)", WINE, level=0.99).coefficient("contact[yes]")
    assert wide.high > found.high and wide.low < found.low


def test_correlations() -> None:
    intercept, slope, _ = SLOPES.model.components
    assert intercept.correlations == () and len(slope.correlations) == 1
    factor = SLOPES.problem.parts(SLOPES.parameters)[2][0]
    covariance = factor @ factor.T
    assert slope.correlations[0] == pytest.approx(covariance[1, 0] / math.sqrt(covariance[0, 0] * covariance[1, 1]))
    assert slope.variance == pytest.approx(covariance[1, 1])


def test_it_says_itself() -> None:
    assert "log-likelihood -81.5654" in FIT.summary() and str(FIT) == FIT.summary()
    assert "temp[warm]: b = 3.063" in FIT.sentence().en and "累积链接混合模型" in FIT.sentence().zh
    line = str(FIT.signature())
    for part in ("link:logit", "threshold:flexible", "approximation:Laplace", "categories:1 < 2 < 3 < 4 < 5"):
        assert part in line
    rows = list(FIT.estimates("wine"))
    assert {row.statistic for row in rows} == {"coefficient", "threshold", "standard deviation", "log-likelihood"}
    other = fit_ordinal("rating ~ temp + contact + (1 | judge)", WINE, link="probit")
    assert other.signature() != FIT.signature()
