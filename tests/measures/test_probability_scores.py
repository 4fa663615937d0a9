from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, log_loss

from hengliang import Measure, UserError
from hengliang.core import find_registered as find
from hengliang.measures.probability_scores import (
    NO_PROBABILITY,
    PARTS,
    TOO_MUCH,
    TWICE,
    ProbabilityScores,
    probability_scores,
)
from tests.measures.rankings import Ranked, judged, ranked, slot, unanswered

CLASSES = ("个", "本", "张", "条", "把")
BOOK = [slot("book", "书", "本")]


def scores(choices: Ranked, gold: str = "本", measure: Measure | None = None) -> dict[str, float]:
    found = judged(measure or ProbabilityScores(classes=CLASSES), [slot("x", "书", gold)], [ranked("x", choices)])
    return dict(zip(found["part"].to_list(), found["value"].to_list(), strict=True))


def test_a_whole_ranking_by_hand() -> None:
    found = scores([("个", 0.5), ("本", 0.3), ("张", 0.2), ("条", 0.0), ("把", 0.0)])
    assert found["log loss"] == pytest.approx(-math.log(0.3))
    # (.5)² + (.3 − 1)² + (.2)² = .25 + .49 + .04
    assert found["Brier"] == pytest.approx(0.78)
    assert (found["gold probability"], found["confidence"]) == (0.3, 0.5)


def test_what_a_ranking_does_not_give_away_is_spread_over_the_classes_it_does_not_name() -> None:
    # .7 is named; 本, 张, 条 and 把 get .075 each.
    found = scores([("个", 0.7)])
    assert found["gold probability"] == pytest.approx(0.075)
    assert found["log loss"] == pytest.approx(-math.log(0.075))
    assert found["Brier"] == pytest.approx(0.7**2 + 3 * 0.075**2 + (1 - 0.075) ** 2)


def test_a_label_beyond_the_classes_takes_none_of_their_room() -> None:
    # 册 is no class: the remaining .4 goes to all five classes.
    assert scores([("册", 0.6)])["gold probability"] == pytest.approx(0.08)


def test_the_floor_keeps_impossible_answers_finite() -> None:
    found = scores([("个", 1.0)])
    assert found["log loss"] == pytest.approx(-math.log(1e-6))
    assert (found["gold probability"], found["Brier"]) == (0.0, 2.0)
    # A gold answer that is neither named nor a class has nothing, also where something is left.
    assert scores([("个", 0.5)], gold="匹")["log loss"] == pytest.approx(-math.log(1e-6))
    assert scores([("个", 1.0)], measure=ProbabilityScores(classes=CLASSES, floor=0.01))["log loss"] == pytest.approx(
        math.log(100)
    )


def test_certainty_that_is_right_is_perfect() -> None:
    assert scores([("本", 1.0)]) == {"log loss": 0.0, "Brier": 0.0, "gold probability": 1.0, "confidence": 1.0}


def test_with_no_class_left_the_rest_goes_nowhere() -> None:
    found = scores([("本", 0.5), ("个", 0.25)], measure=ProbabilityScores(classes=("个", "本")))
    assert found["Brier"] == pytest.approx(0.5**2 + 0.25**2)


@pytest.mark.parametrize(
    ("choices", "problem"),
    [
        ([("本", float("nan"))], NO_PROBABILITY),
        ([("本", -0.5)], NO_PROBABILITY),
        ([("本", 1.5)], NO_PROBABILITY),
        ([("本", 0.8), ("个", 0.8)], TOO_MUCH),
        ([("本", 0.4), ("本", 0.4)], TWICE),
    ],
)
def test_what_is_no_probability_is_no_score(choices: Ranked, problem: str) -> None:
    found = judged(ProbabilityScores(classes=CLASSES), BOOK, [ranked("book", choices)])
    assert found["value"].null_count() == len(PARTS)
    assert set(found["reason"]) == {problem} and set(found["status"]) == {"missing"}


def test_sums_that_rounding_made_too_large_are_taken() -> None:
    assert scores([("本", 0.500001), ("个", 0.500001)])["Brier"] == pytest.approx(0.5, abs=1e-5)


def test_missing_answers_have_a_row_a_part_and_no_value() -> None:
    found = judged(ProbabilityScores(), BOOK, [unanswered("book", "failed", "broke down")])
    assert found.select("part", "value", "status").rows() == [(part, None, "failed") for part in PARTS]
    assert judged(ProbabilityScores(), BOOK, []).height == 0


def test_seeds_of_a_system_are_judged_apart() -> None:
    pair = [ranked("book", [("本", 0.9)], seed=1), ranked("book", [("本", 0.6)], seed=2)]
    found = judged(ProbabilityScores("confidence"), BOOK, pair)
    assert found.select("scored_system", "value").rows() == [("A (seed 1)", 0.9), ("A (seed 2)", 0.6)]


WEIGHTS = st.lists(st.integers(0, 20), min_size=5, max_size=5).filter(any)


@given(st.lists(st.tuples(st.sampled_from(CLASSES), WEIGHTS), min_size=1, max_size=8), st.integers(1, 5))
@settings(max_examples=25, deadline=None)
def test_scikit_learn_gives_the_same(answers: list[tuple[str, list[int]]], top: int) -> None:
    """Spread what a truncated ranking leaves by hand, then let scikit-learn compute."""
    items, responses, rows = [], [], []
    for n, (gold, weights) in enumerate(answers):
        whole = {label: weight / sum(weights) for label, weight in zip(CLASSES, weights, strict=True)}
        named = sorted(whole.items(), key=lambda pair: -pair[1])[:top]
        items.append(slot(f"i{n}", "物", gold))
        responses.append(ranked(f"i{n}", named))
        rest = (1 - sum(p for _, p in named)) / (5 - top) if top < 5 else 0.0
        rows.append([dict(named).get(label, rest) for label in CLASSES])
    found = judged(ProbabilityScores(classes=CLASSES), items, responses)
    mean = {part: found.filter(pl.col("part") == part)["value"].mean() for part in PARTS}
    truth = [gold for gold, _ in answers]
    probabilities = np.array(rows)[:, np.argsort(CLASSES)]  # scikit-learn wants the labels sorted
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    brier = brier_score_loss(truth, probabilities, labels=sorted(CLASSES), scale_by_half=False)
    assert mean["Brier"] == pytest.approx(brier, abs=1e-9)
    floored = np.maximum(probabilities, 1e-6)
    picked = floored[np.arange(len(truth)), [sorted(CLASSES).index(gold) for gold in truth]]
    assert mean["log loss"] == pytest.approx(-np.log(picked).mean(), abs=1e-9)
    if probabilities.min() > 1e-6:  # else the floor counts; rounding leaves 2e-16 of nothing
        assert mean["log loss"] == pytest.approx(log_loss(truth, probabilities, labels=sorted(CLASSES)), abs=1e-9)


@given(WEIGHTS, st.sampled_from(CLASSES), st.integers(1, 5))
@settings(max_examples=25, deadline=None)
def test_scores_are_bounded(weights: list[int], gold: str, top: int) -> None:
    whole = [(label, weight / sum(weights)) for label, weight in zip(CLASSES, weights, strict=True)]
    found = scores(sorted(whole, key=lambda pair: -pair[1])[:top], gold)
    assert 0 <= found["log loss"] <= -math.log(1e-6) + 1e-9
    assert 0 <= found["Brier"] <= 2 + 1e-9
    assert 0 <= found["gold probability"] <= found["confidence"] + 1e-9 <= 1 + 2e-9


def test_bad_settings_are_refused() -> None:
    with pytest.raises(UserError, match="confidence"):
        judged(ProbabilityScores(("briar",)), BOOK, [])
    with pytest.raises(UserError, match="0 < floor < 1"):
        judged(ProbabilityScores(floor=0), BOOK, [])


def test_it_is_registered_and_keeps_its_promises() -> None:
    assert find("measure", "probability scores").kind is ProbabilityScores
    assert probability_scores().signature() == ProbabilityScores().signature()
    assert probability_scores().signature() != probability_scores(classes=CLASSES).signature()
    assert [finding for finding in ProbabilityScores().conformance() if not finding.kept] == []
