"""Is it found out when an effect differs between the borders of the scale?"""

from __future__ import annotations

import polars as pl
import pytest

from hengliang.analysis.models.ordinal import fit_ordinal
from hengliang.analysis.models.ordinal.proportional_odds import proportional_odds
from hengliang.errors import UserError
from tests.analysis.models.ordinal.oracle_data import INFERENCE, WINE

SKEWED = INFERENCE["skewed"]


def test_without_random_effects_it_is_the_nominal_test_of_r() -> None:
    found = proportional_odds(fit_ordinal("rating ~ group + length", pl.DataFrame(SKEWED["data"])))
    expected = dict(zip(SKEWED["term"], zip(SKEWED["statistic"], SKEWED["df"], SKEWED["p"], strict=True), strict=True))
    for term, result in found.items():
        statistic, df, p = expected[term]
        assert result.statistic == pytest.approx(statistic, rel=1e-5)
        assert result.df == (df,)
        assert result.p == pytest.approx(p, rel=1e-4)
    assert found["group"].is_significant
    assert "differs between the borders" in found["group"].sentence().en
    assert not found["length"].is_significant
    assert "未发现" in found["length"].sentence().zh


def test_the_wine_data_keep_proportional_odds() -> None:
    found = proportional_odds(fit_ordinal("rating ~ temp + contact", WINE))
    expected = dict(zip(INFERENCE["nominal_test"]["term"], INFERENCE["nominal_test"]["statistic"], strict=True))
    assert found["contact"].statistic == pytest.approx(expected["contact"], rel=1e-4)
    # No cold wine got a 5, so one threshold runs away; the likelihood still has a limit, and R's is the same.
    assert found["temp"].statistic == pytest.approx(expected["temp"], abs=1e-3)
    assert found["temp"].notes


def test_a_mixed_model_is_checked_too() -> None:
    found = proportional_odds(fit_ordinal("rating ~ contact + (1 | judge)", WINE))
    assert set(found) == {"contact"}
    assert found["contact"].df == (3.0,)
    assert found["contact"].p is not None
    assert found["contact"].p > 0.05


def test_what_cannot_be_checked_is_refused() -> None:
    with pytest.raises(UserError, match="equidistant"):
        proportional_odds(fit_ordinal("rating ~ temp", WINE, threshold="equidistant"))
    two = WINE.with_columns(rating=(pl.col("rating") > 3).cast(pl.Int64))
    with pytest.raises(UserError, match="two categories"):
        proportional_odds(fit_ordinal("rating ~ contact", two))
