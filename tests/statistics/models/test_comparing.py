"""Are two nested models compared rightly, and are others refused?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from hengliang import UserError
from hengliang.statistics.models.comparison import likelihood_ratio
from hengliang.statistics.models.results import VarianceComponent
from tests.statistics.models.made_fits import LARGER, SMALLER


def test_the_likelihood_ratio_of_nested_models() -> None:
    result = likelihood_ratio(SMALLER, LARGER)
    # 2 (89 − 81.565413) = 14.869174; pchisq(14.869174, 1, lower.tail = FALSE) = 0.00011523
    assert result.statistic == pytest.approx(14.869174)
    assert result.p == pytest.approx(0.00011523, rel=1e-3)
    assert (result.df, result.notes) == ((1.0,), ())


def test_a_variance_on_the_border_is_noted() -> None:
    more = replace(LARGER, components=(*LARGER.components, VarianceComponent("bottle", "(Intercept)", 0.0, 8)))
    assert "border" in likelihood_ratio(SMALLER, more).notes[0].en


@pytest.mark.parametrize(
    ("change", "said"),
    [({"data": "other"}, "different observations"), ({"comparable": False}, "REML"), ({"parameters": 6}, "no more")],
)
def test_models_that_cannot_be_compared_are_refused(change: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said):
        likelihood_ratio(SMALLER, replace(LARGER, **change))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("smaller", "larger", "said"),
    [
        ({"family": "binomial"}, {}, "different kinds"),
        ({"conventions": {"link": "probit"}}, {}, "link probit and ordinal, link logit"),
        ({"conventions": {"link": "logit", "thresholds_by": "judge"}}, {}, "thresholds by 'judge'"),
        ({}, {"log_likelihood": -90.0}, "fits worse"),
    ],
)
def test_models_that_do_not_hold_each_other_are_refused(
    smaller: dict[str, object], larger: dict[str, object], said: str
) -> None:
    with pytest.raises(UserError, match=said):
        likelihood_ratio(replace(SMALLER, **smaller), replace(LARGER, **larger))  # type: ignore[arg-type]


def test_alpha_is_a_probability() -> None:
    with pytest.raises(UserError, match="alpha = 5"):
        likelihood_ratio(SMALLER, LARGER, alpha=5)


def test_the_comparison_tells_what_changes_the_likelihood() -> None:
    # The same formulas and ratings, but another link or other predictors: another number, so another signature.
    signatures = set()
    for conventions in ({"link": "logit"}, {"link": "probit"}, {"link": "logit", "predictors": "other"}):
        models = [replace(model, conventions=conventions) for model in (SMALLER, LARGER)]
        signatures.add(str(likelihood_ratio(*models).signature()))
    assert len(signatures) == 3
