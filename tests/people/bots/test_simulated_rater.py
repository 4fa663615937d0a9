"""Do simulated participants answer by the stated model, whatever they are asked first?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hengliang.people.bots.response_model import ResponseModel, ScaleModel
from hengliang.people.bots.simulated_rater import SimulatedRater
from hengliang.people.tasks.base import Stimulus

SHARES = (0.10, 0.08, 0.07, 0.07, 0.15, 0.25, 0.28)


def stimulus(item: int, system: str = "A") -> Stimulus:
    return Stimulus(f"{item}-{system}", str(item), "他养了一条狗。", (), (system,))


def ratings(model: ResponseModel, scale: str = "fluency", system: str = "A") -> np.ndarray:
    """Return ratings of 60 items by 60 raters."""
    raters = [SimulatedRater(model, 7, number) for number in range(60)]
    return np.array([[rater.rating(scale, 7, stimulus(item, system)) for item in range(60)] for rater in raters])


def test_the_answers_have_the_stated_shares() -> None:
    # With a spread of raters and items of 0.5 log-odds each, the share of an answer varies between samples of 60 by 60
    # by about 0.25 · 0.5 · √(2/60) = 0.023; three times that is allowed.
    found = ratings(ResponseModel(shares=SHARES, rater=0.5, item=0.5, rater_by_system=0, item_by_system=0))
    cumulative = np.cumsum([np.mean(found == answer) for answer in range(1, 8)])
    assert cumulative == pytest.approx(np.cumsum(SHARES), abs=0.07)


def test_an_effect_moves_the_log_odds_by_itself() -> None:
    still = ResponseModel(rater=0.0, item=0.0, rater_by_system=0.0, item_by_system=0.0)
    model = replace(still, shares=(0.5, 0.5), effects={"B": 1.0}, correlation=0.0)
    share = np.mean([SimulatedRater(model, 1, k).rating("f", 2, stimulus(k, "B")) == 2 for k in range(4000)])
    # Odds of one: log-odds 0 without the effect, 1 with it; expit(1) = 0.7311, standard error 0.007.
    assert share == pytest.approx(0.7311, abs=0.021)


def test_scales_correlate_as_stated() -> None:
    model = ResponseModel(correlation=0.8)
    pairs = [
        (rater.latent("clarity", stimulus(item)), rater.latent("fluency", stimulus(item)))
        for item in range(60)
        for rater in [SimulatedRater(model, 3, number) for number in range(60)]
    ]
    # The latent parts correlate by 0.8 each; raters and items are 60, so the sample correlation scatters by some 0.03.
    assert stats.pearsonr(*zip(*pairs, strict=True)).statistic == pytest.approx(0.8, abs=0.08)
    none = ResponseModel(correlation=0.0, rater=0, item=0, rater_by_system=0, item_by_system=0)
    independent = [
        (SimulatedRater(none, 3, k).latent("a", stimulus(k)), SimulatedRater(none, 3, k).latent("b", stimulus(k)))
        for k in range(2000)
    ]
    assert abs(stats.pearsonr(*zip(*independent, strict=True)).statistic) < 0.06


@given(st.permutations(range(8)), st.integers(0, 1000))
def test_the_order_of_questions_changes_nothing(order: list[int], seed: int) -> None:
    model = ResponseModel(inattentive=0.3, not_understood=0.3)
    questions = [(rater, item) for rater in range(2) for item in range(4)]

    def asked(place: int) -> tuple[object, ...]:
        number, item = questions[place]
        rater, shown = SimulatedRater(model, seed, number), stimulus(item)
        return (rater.rating("s", 7, shown), rater.at_a_loss(shown), rater.seconds(20, item), rater.language)

    assert {place: asked(place) for place in order} == {place: asked(place) for place in range(8)}


def test_a_repeated_item_is_judged_alike_but_not_always_the_same() -> None:
    model = ResponseModel(rater=2.0, item=2.0)
    raters = [SimulatedRater(model, 5, number) for number in range(400)]
    first = [rater.rating("s", 7, stimulus(rater.number), 1) for rater in raters]
    second = [rater.rating("s", 7, stimulus(rater.number), 2) for rater in raters]
    assert first != second and stats.spearmanr(first, second).statistic > 0.5


@settings(max_examples=50)
@given(st.dictionaries(st.text(min_size=1), st.integers(0, 12), min_size=1, max_size=4), st.integers(0, 99))
def test_remembered_counts_add_up(true: dict[str, int], seed: int) -> None:
    for noise in (0.0, 0.5):
        found = SimulatedRater(ResponseModel(noise=noise), seed, 1).counts(true, stimulus(1))
        assert sum(found.values()) == sum(true.values()) and list(found) == list(true)
        assert noise or found == true


@settings(max_examples=50)
@given(st.integers(0, 10_000), st.booleans())
def test_everything_stays_within_its_bounds(seed: int, inattentive: bool) -> None:
    rater = SimulatedRater(ResponseModel(inattentive=float(inattentive)), seed, 3)
    shown = stimulus(1)
    assert 1 <= rater.rating("s", 5, shown) <= 5
    assert -10 <= rater.position("s", -10, 10, shown) <= 10
    assert rater.choice("s", ("yes", "no"), shown) in ("yes", "no")
    assert rater.text("s", ("甲", "乙"), shown) in ("甲", "乙")
    assert rater.reaction(shown) > 0 and rater.fails(shown) >= inattentive


def test_weights_and_effects_of_options() -> None:
    model = ResponseModel(weights={"yes": 3.0}, effects={"A": 1.0}, scales={"other": ScaleModel(effects={"A": -30.0})})
    raters = [SimulatedRater(model, 1, number) for number in range(3000)]
    yes = np.mean([rater.choice("s", ("yes", "no"), stimulus(1)) == "yes" for rater in raters])
    assert yes == pytest.approx(0.75, abs=0.03)
    systems = {"a": ("A",), "b": ("B",)}
    first = np.mean([rater.choice("s", ("a", "b"), stimulus(1), systems=systems) == "a" for rater in raters])
    # e / (e + 1)
    assert first == pytest.approx(0.7311, abs=0.03)
    assert {rater.choice("other", ("a", "b"), stimulus(1), systems=systems) for rater in raters} == {"b"}
    nothing = ResponseModel(weights={"yes": 0.0, "no": 0.0})
    assert SimulatedRater(nothing, 1, 1).choice("s", ("yes", "no"), stimulus(1)) in ("yes", "no")


def test_shares_of_behaviour() -> None:
    model = ResponseModel(chinese=0.25, inattentive=0.1, drop_out=0.05, comments=0.3)
    raters = [SimulatedRater(model, 2, number) for number in range(3000)]
    assert np.mean([rater.language == "zh" for rater in raters]) == pytest.approx(0.25, abs=0.03)
    assert np.mean([rater.inattentive for rater in raters]) == pytest.approx(0.1, abs=0.02)
    assert np.mean([rater.leaves(3) for rater in raters]) == pytest.approx(0.05, abs=0.015)
    assert np.mean([rater.comments(stimulus(1)) for rater in raters]) == pytest.approx(0.3, abs=0.03)
    # The median of a lognormal variable is its first parameter: 1 + 80 / 8 = 11 seconds.
    assert np.median([rater.seconds(80, 1) for rater in raters]) == pytest.approx(11, abs=0.5)
