"""Is it found out when an effect differs between the borders of the scale?"""

from __future__ import annotations

import math

import polars as pl
import pytest

from hengliang import UserError
from hengliang.statistics.models.ordinal import fit_ordinal
from hengliang.statistics.models.ordinal.profiles import proportional_odds
from tests.statistics.models.ordinal.oracle_data import INFERENCE, WINE

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


def test_a_level_without_an_inner_answer_keeps_its_thresholds_in_order() -> None:
    # B never says 2. The freest model gives each answer its share: 30 ln(1/3) + 12 ln 0.4 + 18 ln 0.6 = -53.148719.
    # R's nominal_test lets B's thresholds cross, finds -32.958 and LRT = 55.772: B's probabilities are then 1, 0 and 1.
    data = pl.DataFrame(
        {"rating": [1] * 10 + [2] * 10 + [3] * 10 + [1] * 12 + [3] * 18, "group": ["A"] * 30 + ["B"] * 30}
    )
    fit = fit_ordinal("rating ~ group", data)
    found = proportional_odds(fit)["group"]
    freest = 30 * math.log(1 / 3) + 12 * math.log(0.4) + 18 * math.log(0.6)
    assert found.statistic == pytest.approx(2 * (freest - fit.log_likelihood), abs=1e-8)
    assert found.statistic == pytest.approx(15.391709, abs=1e-6)
    assert found.df == (1.0,)
    assert "group[B] = 1" in found.notes[0].en


def test_a_number_whose_thresholds_cross_has_no_p() -> None:
    # At x = 2 nobody says 2, and more and more say 1 and 3: the best lines through the thresholds cross before x = 2.
    rating = [1] * 10 + [2] * 10 + [3] * 10 + [1] * 10 + [2] * 2 + [3] * 10 + [1] * 30 + [3] * 30
    data = pl.DataFrame({"rating": rating, "x": [0] * 30 + [1] * 22 + [2] * 60})
    found = proportional_odds(fit_ordinal("rating ~ x", data))["x"]
    assert found.p is None and math.isnan(found.statistic)
    assert "thresholds cross" in found.notes[0].en
    assert "cannot be tested" in found.sentence().en and "无法检验" in found.sentence().zh


def test_a_level_with_one_answer_only_does_not_stop_the_others() -> None:
    data = pl.DataFrame({"rating": [1, 2, 3, 2, 1, 3, 2, 2, 2], "group": ["a"] * 6 + ["b"] * 3, "x": [*range(8), 3]})
    assert set(proportional_odds(fit_ordinal("rating ~ group + x", data))) == {"group", "x"}


def test_the_signature_tells_links_apart() -> None:
    logit, probit = (
        proportional_odds(fit_ordinal("rating ~ contact", WINE, link=link))["contact"] for link in ("logit", "probit")
    )
    assert logit.statistic != probit.statistic
    assert str(logit.signature()) != str(probit.signature())
