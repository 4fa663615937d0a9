from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.statistics.conventions import multiverse
from hengliang.statistics.correlation.dependent import (
    CONVENTIONS,
    Triple,
    correlations_of_three,
    dependent_correlations,
    zou_interval,
)
from tests.statistics.correlation.oracle import DATA, ORACLE

shared, first, second = (np.array(DATA[name]) for name in ("shared", "first", "second"))


@pytest.mark.parametrize(("coefficient", "key"), [("pearson", "dependent"), ("spearman", "dependent_ranks")])
@pytest.mark.parametrize("method", ["williams", "meng", "hittner"])
def test_formulas_are_those_of_the_papers_in_r(coefficient: Any, key: str, method: Any) -> None:
    result = dependent_correlations(shared, first, second, coefficient=coefficient, method=method)
    expected = ORACLE[key]
    assert list(result.details.values())[:3] == pytest.approx(expected["r"], rel=1e-10)
    assert result.statistic == pytest.approx(expected[method].get("t", expected[method].get("z")), rel=1e-9)
    assert result.p == pytest.approx(expected[method]["p"], rel=1e-9)
    assert (result.effects[0].low, result.effects[0].high) == pytest.approx(expected["zou"], rel=1e-9)


def test_published_examples() -> None:
    # Zou (2007), example of overlapping correlations, n = 66: −.093 to .517 for the difference of .396 and .179.
    interval = zou_interval(Triple(0.396, 0.179, 0.088, 66), 0.95)
    assert interval == pytest.approx((-0.093, 0.517), abs=5e-4)


def test_permutation_is_going_through_all_swaps() -> None:
    columns = [column[:8] for column in (shared, first, second)]
    result = dependent_correlations(*columns, method="permutation")
    a, b, c = ((column - column.mean()) / column.std() for column in columns)
    values = []
    for swaps in product([False, True], repeat=8):
        left, right = np.where(swaps, c, b), np.where(swaps, b, c)
        values.append(np.corrcoef(a, left)[0, 1] - np.corrcoef(a, right)[0, 1])
    observed = values[0]
    assert result.statistic == pytest.approx(observed)
    assert result.p == pytest.approx(np.mean(np.abs(values) >= abs(observed) - 1e-9))
    greater = dependent_correlations(*columns, method="permutation", alternative="greater")
    assert greater.p == pytest.approx(np.mean(np.array(values) >= observed - 1e-9))


def test_copies_of_observations_change_nothing_when_items_are_swapped_whole() -> None:
    columns = [column[:10] for column in (shared, first, second)]
    many = [np.repeat(column, 4) for column in columns]
    items = np.repeat(np.arange(10), 4)
    plain = dependent_correlations(*columns, method="permutation")
    assert dependent_correlations(*many, method="permutation", items=items).p == pytest.approx(plain.p)
    drawn = [
        dependent_correlations(*columns, method="bootstrap", draws=500).effects[0],
        dependent_correlations(*many, method="bootstrap", items=items, draws=500).effects[0],
    ]
    assert (drawn[0].low, drawn[0].high) == pytest.approx((drawn[1].low, drawn[1].high))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(5, 30), st.sampled_from(["williams", "meng", "hittner", "permutation"]))
def test_changing_places_turns_the_sign_and_keeps_p(seed: int, n: int, method: Any) -> None:
    a, b, c = np.random.default_rng(seed).normal(size=(3, n))
    forth, back = (dependent_correlations(a, *pair, method=method, draws=199) for pair in ((b, c), (c, b)))
    assert forth.statistic == pytest.approx(-back.statistic)
    assert forth.p == pytest.approx(back.p)
    low, high = forth.effects[0].low, forth.effects[0].high
    assert low is not None and high is not None
    assert low <= forth.effects[0].value <= high
    assert (-high, -low) == pytest.approx((back.effects[0].low, back.effects[0].high))


@pytest.mark.parametrize("method", ["williams", "permutation"])
def test_under_the_null_five_in_a_hundred(method: Any) -> None:
    # 400 samples of 25: standard error of the rate √(.05 · .95 / 400) = .011.
    generator = np.random.default_rng(8)
    rejected = 0
    for _ in range(400):
        a = generator.normal(size=25)
        common = generator.normal(size=25)
        b, c = (0.5 * a + 0.5 * common + generator.normal(size=25) for _ in range(2))
        rejected += dependent_correlations(a, b, c, method=method, draws=199).is_significant
    assert 0.02 < rejected / 400 < 0.085


def test_what_is_said() -> None:
    result = dependent_correlations(shared, first, second, names=("readers", "SLOR", "LogProb"))
    assert result.sentence().en.startswith("SLOR correlates higher with readers than LogProb does")
    assert "SLOR与readers的相关高于LogProb" in result.sentence().zh
    assert "Williams" in str(result.signature())
    assert len(multiverse(dependent_correlations, CONVENTIONS, shared, first, second).variants) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"items": np.arange(30)}, "independent"),
        ({"items": np.arange(30) % 5, "raters": np.arange(30) % 6, "method": "permutation"}, "not both"),
        ({"method": "anova"}, "method"),
        ({"coefficient": "kendall"}, "coefficient"),
        ({"items": np.zeros(30), "method": "bootstrap"}, "One cluster"),
    ],
)
def test_mistakes_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        dependent_correlations(shared, first, second, **arguments)


def test_a_measure_cannot_be_compared_with_itself() -> None:
    with pytest.raises(UserError, match="same but for scale"):
        correlations_of_three(shared, first, 2 * first)
    with pytest.raises(UserError, match="has no Fisher"):
        dependent_correlations(first, 3 * first, second, method="meng")


def test_one_sided_sentences_speak_of_their_side_only() -> None:
    good, bad = shared + 0.1 * first, second
    told = dependent_correlations(shared, bad, good, names=("R", "B", "G"), alternative="greater").sentence()
    assert told.en.startswith("B was not found to correlate higher with R than G does (")
    assert told.zh.startswith("未发现B与R的相关高于G（")
    told = dependent_correlations(shared, bad, good, names=("R", "B", "G"), alternative="less").sentence()
    assert told.en.startswith("B correlates lower with R than G does (")
    assert told.zh.startswith("B与R的相关低于G（")
