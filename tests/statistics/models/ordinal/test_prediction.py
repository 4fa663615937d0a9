"""Are predicted probabilities those of the model, for old and new observations?"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

from hengliang import UserError
from hengliang.statistics.models.ordinal import fit_ordinal
from hengliang.statistics.models.ordinal.fit import category_probabilities
from tests.statistics.models.ordinal.oracle_data import WINE
from tests.statistics.models.ordinal.problems import random_problem, simulated_ratings

RATINGS = simulated_ratings()
FIT = fit_ordinal("rating ~ system + scale(length) + (1 + length | rater) + (1 | item)", RATINGS)


def test_by_hand() -> None:
    # thresholds −1.62367, 1.51336, …; a cold wine without contact, a typical judge: P(1) = F(−1.62367).
    fit = fit_ordinal("rating ~ temp + contact + (1 | judge)", WINE)
    new = pl.DataFrame({"temp": ["cold", "warm"], "contact": ["no", "yes"], "judge": ["j1", "nobody"]})
    shares = fit.predict(new, random=False)
    assert shares["1"][0] == pytest.approx(expit(-1.62367), abs=1e-5)
    assert shares["2"][0] == pytest.approx(expit(1.51336) - expit(-1.62367), abs=1e-5)
    shift = 3.06300 + 1.83490
    assert shares["5"][1] == pytest.approx(1 - expit(6.08877 - shift), abs=1e-5)
    # An unknown judge counts as typical, a known one does not.
    with_judges = fit.predict(new)
    assert with_judges.row(1) == pytest.approx(shares.row(1))
    mode = fit.conditional_modes().filter(pl.col("level") == "j1")["mode"][0]
    assert with_judges["1"][0] == pytest.approx(expit(-1.62367 - mode), abs=1e-5)


def test_probabilities_sum_to_one_and_follow_the_data() -> None:
    shares = FIT.predict().to_numpy()
    assert shares.sum(axis=1) == pytest.approx(1.0)
    assert (shares > 0).all()
    expected = shares.sum(axis=0)
    observed = np.bincount(FIT.problem.codes)
    assert expected == pytest.approx(observed, rel=0.1)  # effects are drawn towards 0, so not exactly


def test_the_observations_of_the_fit_are_predicted_alike_as_new_ones() -> None:
    # scale(length) keeps the centre and the scale of the fit, also for half of the rows.
    half = RATINGS[100:200].drop("rating")
    assert FIT.predict(half).to_numpy() == pytest.approx(FIT.predict().to_numpy()[100:200], abs=1e-12)
    typical = FIT.predict(half, random=False).to_numpy()
    assert typical == pytest.approx(FIT.predict(random=False).to_numpy()[100:200], abs=1e-12)


def test_the_likelihood_is_that_of_the_predictions() -> None:
    shares = FIT.predict().to_numpy()
    total = np.log(shares[np.arange(FIT.problem.n), FIT.problem.codes]).sum()
    penalty = 0.5 * float(FIT.optimum.mode.u @ FIT.optimum.mode.u)
    assert FIT.optimum.mode.factor is not None
    assert FIT.log_likelihood == pytest.approx(total - penalty - 0.5 * FIT.optimum.mode.factor.log_determinant)


def test_thresholds_of_each_rater() -> None:
    data = RATINGS.filter(pl.col("rater") < "r04")
    fit = fit_ordinal("rating ~ length + (1 | item)", data, thresholds_by="rater")
    assert fit.predict(data).to_numpy() == pytest.approx(fit.predict().to_numpy())
    with pytest.raises(UserError, match="no thresholds were estimated for 'rater r17'"):
        fit.predict(RATINGS.filter(pl.col("rater") == "r17"))
    with pytest.raises(UserError, match="No column is called 'rater'"):
        fit.predict(data.drop("rater"))


def test_what_new_data_may_not_be() -> None:
    with pytest.raises(UserError, match="No column is called 'system'"):
        FIT.predict(RATINGS.drop("system"))
    with pytest.raises(UserError, match="'C' is no level of 'system'"):
        FIT.predict(RATINGS.with_columns(system=pl.lit("C")))


def test_small_probabilities_keep_their_digits() -> None:
    problem, parameters = random_problem(1, categories=3)
    far = np.array([-60.0, 60.0])
    shares = category_probabilities(problem, parameters, np.zeros(2, dtype=np.int64), np.zeros((2, 0)), far)
    # P(top | η = −60) = F(−60 − θ₂) = e^(−60 − θ₂) to all digits.
    assert shares[0, 2] == pytest.approx(np.exp(-60 - parameters[1]), rel=1e-10)
    assert shares[1, 0] == pytest.approx(np.exp(parameters[0] - 60), rel=1e-10)


def test_a_typical_level_needs_no_column_of_its_group() -> None:
    new = RATINGS[:5].select("system", "length")
    assert FIT.predict(new, random=False).equals(FIT.predict(RATINGS[:5], random=False))
    with pytest.raises(UserError, match="No column is called 'rater'"):
        FIT.predict(new)
