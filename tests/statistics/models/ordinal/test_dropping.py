"""Is each term tested by what is lost without it?"""

from __future__ import annotations

import pytest

from hengliang import UserError
from hengliang.statistics.models.ordinal import fit_ordinal
from hengliang.statistics.models.ordinal.profiles import drop_ordinal_terms
from tests.statistics.models.ordinal.oracle_data import INFERENCE, WINE


def test_without_random_effects_it_is_drop1_of_r() -> None:
    found = drop_ordinal_terms(fit_ordinal("rating ~ temp + contact", WINE))
    expected = dict(zip(INFERENCE["drop1"]["term"], INFERENCE["drop1"]["statistic"], strict=True))
    for term, result in found.items():
        assert result.statistic == pytest.approx(expected[term], rel=1e-6)
    assert found["temp"].p == pytest.approx(2.1118e-07, rel=1e-3)


def test_a_mixed_model_as_anova_of_r() -> None:
    fit = fit_ordinal("rating ~ temp + contact + (1 | judge)", WINE)
    found = drop_ordinal_terms(fit, random=True)
    assert found["contact"].statistic == pytest.approx(INFERENCE["contact_ratio"]["statistic"], rel=1e-5)
    assert found["contact"].p == pytest.approx(INFERENCE["contact_ratio"]["p"], rel=1e-4)
    judges = found["((Intercept) | judge)"]
    assert judges.statistic == pytest.approx(INFERENCE["judge_ratio"], rel=1e-5)
    assert judges.notes
    assert "improves the model" in judges.sentence().en


def test_a_main_effect_within_an_interaction_is_not_tested() -> None:
    found = drop_ordinal_terms(fit_ordinal("rating ~ temp * contact + (1 | judge)", WINE))
    assert set(found) == {"temp:contact"}
    # R: logLik −81.535964 with and −81.565413 without the interaction.
    assert found["temp:contact"].statistic == pytest.approx(2 * (81.565412777 - 81.535964023), abs=1e-6)


def test_nothing_to_drop() -> None:
    with pytest.raises(UserError, match="no term that could be taken out"):
        drop_ordinal_terms(fit_ordinal("rating ~ 1 + (1 | judge)", WINE))
