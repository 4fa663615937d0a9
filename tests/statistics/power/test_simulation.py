"""Do simulated ratings have the stated shares, effects and spread?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logit

from hengliang.statistics.power.plan import simulate_ratings, thresholds_for, total_spread
from tests.statistics.power.made_plans import PLAN


def test_without_spread_thresholds_are_the_log_odds_of_the_shares() -> None:
    assert thresholds_for((0.2, 0.3, 0.5), 0.0) == pytest.approx(logit([0.2, 0.5]))


def test_spread_moves_thresholds_apart_and_keeps_the_middle() -> None:
    narrow, wide = thresholds_for((0.2, 0.3, 0.3, 0.2), 0.0), thresholds_for((0.2, 0.3, 0.3, 0.2), 2.0)
    assert np.all(np.abs(wide[[0, 2]]) > np.abs(narrow[[0, 2]]))
    assert wide[1] == pytest.approx(0, abs=1e-8)


def test_the_first_system_has_the_stated_shares() -> None:
    plan = replace(PLAN, rater_by_system=0.4, item_by_system=0.5)
    drawn = simulate_ratings(plan, 400, 400, np.random.default_rng(1))
    own = drawn.filter(drawn["system"] == "corpus")["rating"].to_numpy()
    # 400 raters and 400 items of spread .8 and .6: the standard error of a share is about .011.
    assert np.bincount(own, minlength=5)[1:] / len(own) == pytest.approx(plan.shares, abs=0.04)


def test_the_effect_lowers_ratings_and_the_null_has_none() -> None:
    plan = replace(PLAN, rater=0.0, item=0.0)
    for null, low, high in ((False, -0.6, -0.3), (True, -0.05, 0.05)):
        drawn = simulate_ratings(plan, 100, 100, np.random.default_rng(2), null=null)
        means = {system: drawn.filter(drawn["system"] == system)["rating"].mean() for system in plan.systems}
        assert low < means["model"] - means["corpus"] < high  # type: ignore[operator]


def test_all_versions_or_a_latin_square() -> None:
    drawn = simulate_ratings(PLAN, 6, 10, np.random.default_rng(3))
    assert drawn.height == 6 * 10 * 2
    square = simulate_ratings(replace(PLAN, assignment="latin square"), 6, 10, np.random.default_rng(3))
    assert square.height == 6 * 10
    assert square.group_by("rater", "item").len()["len"].max() == 1
    assert square.group_by("rater", "system").len()["len"].unique().to_list() == [5]


def test_items_with_identical_answers_have_no_rows() -> None:
    drawn = simulate_ratings(replace(PLAN, identical=0.5), 4, 1000, np.random.default_rng(4))
    assert 420 < drawn["item"].n_unique() < 580


def test_the_same_seed_draws_the_same_ratings() -> None:
    first, second = (simulate_ratings(PLAN, 5, 5, np.random.default_rng(5)) for _ in range(2))
    assert first.equals(second)


def test_spread_adds_up_as_variances_do() -> None:
    assert total_spread(replace(PLAN, rater=3.0, item=4.0)) == pytest.approx(5.0)
