"""Does our cumulative-link mixed model agree with R's `ordinal` (and glmer, for two categories)?

The expected values are in tests/oracles/ordinal.json, made by tests/oracles/ordinal.R with tightened tolerances.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
import pytest

from hengliang.statistics.models.ordinal import OrdinalFit, fit_ordinal
from tests.statistics.models.ordinal.oracle_data import CASES

BY_NAME = {case["name"]: case for case in CASES}
NAMES = list(BY_NAME)
# There the likelihood is flat or the estimate lies on the border: only likelihood and fixed effects are compared.
INNER = [name for name in NAMES if name not in {"wine, crossed", "a variance near zero"}]


@cache
def fitted(name: str) -> OrdinalFit:
    case = BY_NAME[name]
    data = pl.DataFrame(case["data"])
    return fit_ordinal(
        case["formula"],
        data,
        link=case["link"],
        threshold=case["threshold"],
        thresholds_by=case.get("thresholds_by"),
    )


def plain(name: str) -> str:
    """`system[rule]` is `systemrule` in R."""
    return name.replace("[", "").replace("]", "")


def test_there_are_enough_cases() -> None:
    assert len([case for case in CASES if case.get("components")]) >= 12


@pytest.mark.parametrize("name", NAMES)
def test_the_likelihood_is_never_lower(name: str) -> None:
    assert fitted(name).model.log_likelihood >= BY_NAME[name]["log_likelihood"] - 1e-6
    assert fitted(name).model.log_likelihood == pytest.approx(BY_NAME[name]["log_likelihood"], rel=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_fixed_effects(name: str) -> None:
    ours = {plain(c.name): c.estimate for c in fitted(name).model.coefficients}
    theirs = BY_NAME[name]["beta"]
    assert ours.keys() == theirs.keys()
    scale = max(abs(value) for value in theirs.values())
    for term, value in theirs.items():
        # Relative to the largest effect where one is next to nothing: R's own optimum is good to about 1e-5.
        assert ours[term] == pytest.approx(value, rel=1e-4, abs=1e-4 * scale)


@pytest.mark.parametrize("name", [name for name in NAMES if BY_NAME[name].get("theta")])
def test_thresholds(name: str) -> None:
    theirs = BY_NAME[name]["theta"]
    expected = [value for held in theirs.values() for value in held] if isinstance(theirs, dict) else theirs
    ours = [c.estimate for c in fitted(name).model.thresholds]
    assert ours == pytest.approx(expected, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize(
    "name", [name for name in INNER if BY_NAME[name].get("errors") and not BY_NAME[name].get("thresholds_by")]
)
def test_standard_errors(name: str) -> None:
    ours = {plain(c.name): c.error for c in (*fitted(name).model.coefficients, *fitted(name).model.thresholds)}
    for term, error in BY_NAME[name]["errors"].items():
        # Spacings of restricted thresholds are parameters of R's, not thresholds.
        if term in ours:
            assert ours[term] == pytest.approx(error, rel=1e-4), term


@pytest.mark.parametrize("name", [name for name in INNER if BY_NAME[name].get("components")])
def test_standard_deviations_of_random_effects(name: str) -> None:
    theirs = sorted(np.ravel([sd for held in BY_NAME[name]["components"].values() for sd in np.ravel(held["sd"])]))
    ours = sorted(component.deviation for component in fitted(name).model.components)
    assert ours == pytest.approx(theirs, rel=1e-4)


@pytest.mark.parametrize("name", ["random slope", "random slopes of a factor"])
def test_correlations_of_random_effects(name: str) -> None:
    theirs = np.array(BY_NAME[name]["components"]["rater"]["correlation"])
    expected = [list(theirs[row, :row]) for row in range(len(theirs))]
    ours = [list(c.correlations) for c in fitted(name).model.components if c.group == "rater"]
    assert [len(row) for row in ours] == [len(row) for row in expected]
    for mine, other in zip(ours, expected, strict=True):
        assert mine == pytest.approx(other, abs=1e-3)


def test_the_wine_data_as_printed() -> None:
    # summary(clmm(rating ~ temp + contact + (1 | judge), ordinal::wine)): logLik −81.57; thresholds −1.6237, 1.5134,
    # 4.2285, 6.0888.
    fit = fitted("wine").model
    assert fit.log_likelihood == pytest.approx(-81.565413, abs=5e-7)
    assert [round(c.estimate, 4) for c in fit.thresholds] == [-1.6237, 1.5134, 4.2285, 6.0888]
    assert fit.parameters == 7
