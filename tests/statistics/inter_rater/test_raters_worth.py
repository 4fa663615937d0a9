"""Is a score that was made of the votes of three raters worth three?"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from hengliang import UserError
from hengliang.statistics.inter_rater.raters_worth import crossing, raters_worth, worth_by_reliability, worth_of
from hengliang.statistics.inter_rater.score_tables import RatingLists, ScoreTable
from hengliang.statistics.resampling import Resampling
from tests.statistics.inter_rater.test_noise_ceiling import people

ITEMS, RATERS, NOISE = 1500, 8, 1.5
HOW = Resampling(100, 1)


def simulated(seed: int = 6) -> tuple[np.ndarray, RatingLists]:
    generator = np.random.default_rng(seed)
    truth = generator.normal(size=ITEMS)
    ratings = truth[:, None] + generator.normal(0, NOISE, (ITEMS, RATERS))
    return truth, RatingLists(ratings.ravel(), np.full(ITEMS, RATERS))


@pytest.mark.parametrize("votes", [2, 4])
def test_the_mean_of_so_many_other_raters_is_worth_so_many(votes: int) -> None:
    truth, ratings = simulated()
    score = truth + np.random.default_rng(votes).normal(0, NOISE, (votes, ITEMS)).mean(axis=0)
    found = worth_of(score, ratings, np.arange(ITEMS), ("score", "people"), splits=20, how=HOW)
    direct, modelled = found.values[:2]
    for value in (direct, modelled):
        assert value.low < votes < value.high
        assert value.value == pytest.approx(votes, rel=0.2)
    assert f"is worth about {direct.value:.1f} raters" in found.sentence().en
    assert f"约相当于 {direct.value:.1f} 名评分者" in found.sentence().zh


def test_less_than_one_none_and_more_than_all() -> None:
    truth, ratings = simulated()
    generator = np.random.default_rng(3)

    def worth(score: np.ndarray) -> tuple[float, str]:
        found = worth_of(score, ratings, np.arange(ITEMS), ("score", "people"), splits=10, how=Resampling(50))
        return found.value, found.sentence().en

    value, sentence = worth(truth + generator.normal(0, 4 * NOISE, ITEMS))
    assert 0 < value < 1
    assert "is worth less than one rater" in sentence
    value, sentence = worth(-truth)
    assert value == 0
    assert "is worth no rater" in sentence
    value, sentence = worth(truth)
    assert math.isnan(value)
    assert "is worth more than 7 raters" in sentence
    assert "better than the mean of 7 raters" in sentence


def test_curves_cross_on_a_straight_line() -> None:
    people = np.array([[0.4, 0.6, 0.7], [0.6, 0.7, 0.8], [0.4, 0.5, 0.6], [np.nan, 0.5, 0.5]])
    score = np.array([[0.6, 0.5, 0.4], [0.3, 0.3, 0.3], [0.8, 0.8, 0.8], [0.5, 0.5, 0.5]])
    found = crossing(people, score)
    # The lead goes from −.2 with one rater to .1 with two: 1 + 2/3. Half of one rater's correlation: (.3/.6)². Never.
    assert found[:2].tolist() == pytest.approx([1 + 2 / 3, 0.25])
    assert math.isinf(found[2])
    assert math.isnan(found[3])


def test_reliability_by_hand() -> None:
    # One rater has the reliability .4, so four have 4·.4 / (1 + 3·.4) = 1.6/2.2. A score that correlates
    # √.4 · √(1.6/2.2) with their mean correlates √.4 with the truth, as one rater does.
    reliability = np.array([1.6 / 2.2])
    with_truth, raters = worth_by_reliability(np.sqrt(0.4 * reliability), reliability, 4)
    assert with_truth[0] == pytest.approx(math.sqrt(0.4))
    assert raters[0] == pytest.approx(1)
    assert math.isinf(worth_by_reliability(np.array([0.99]), np.array([0.5]), 4)[1][0])
    assert worth_by_reliability(np.array([-0.2]), np.array([0.5]), 4)[1][0] == 0
    assert math.isnan(worth_by_reliability(np.array([0.2]), np.array([-0.5]), 4)[1][0])


def test_curves_are_given_for_every_number_of_raters() -> None:
    truth, ratings = simulated()
    found = worth_of(truth, ratings, np.arange(ITEMS), ("score", "people"), splits=5, how=Resampling(10))
    curve = {(value.by["who"], value.by["raters"]): value.value for value in found.values[4:]}
    assert len(curve) == 14
    # One against seven is seven against one.
    assert curve["people", "1"] == pytest.approx(curve["people", "7"], abs=0.03)
    # Truth with one rater: 1 / √(1 + 2.25).
    assert curve["score", "7"] == pytest.approx(1 / math.sqrt(3.25), abs=0.04)


def test_from_tables_with_mistakes_named() -> None:
    generator = np.random.default_rng(2)
    scores = generator.normal(size=30) + generator.normal(size=(4, 30))
    held = people(scores)
    names = sorted(set(held.frame["item"].to_list()))
    machine = ScoreTable.of(pl.DataFrame({"item": names, "score": scores.mean(axis=0)}), name="machine")
    found = raters_worth(machine, held, splits=10, draws=20)
    assert found.n == 30
    assert "For agreement with people, machine is worth more than 3 raters" in found.sentence().en
    with pytest.raises(UserError, match="'machine' has no single ratings"):
        raters_worth(held, machine)
    flat = ScoreTable.of(pl.DataFrame({"item": names, "score": [1.0] * 30}), name="flat")
    with pytest.raises(UserError, match="All scores of 'flat' are equal"):
        raters_worth(flat, held)
    with pytest.raises(UserError, match="2 items have two ratings"):
        raters_worth(machine, ScoreTable.of(held.frame.filter(pl.col("item").is_in(names[:2]))))
