from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hengliang import UserError
from hengliang.statistics.conventions import multiverse
from hengliang.statistics.permutation import CONVENTIONS, label_permutation, paired_permutation

generator = np.random.default_rng(12)
first, second = generator.normal(0.6, 1, 10), generator.normal(0, 1, 10)


def difference(x: Any, y: Any, axis: int = -1) -> Any:
    return np.mean(x, axis=axis) - np.mean(y, axis=axis)


# --- pairs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
def test_pairs_are_scipys_and_the_interval_near_that_of_t(side: str) -> None:
    result = paired_permutation(first, second, alternative=side)
    expected = stats.permutation_test(
        (first, second), difference, permutation_type="samples", n_resamples=2000, alternative=side
    )
    assert result.conventions["rearrangements"] == "all 1024"
    assert result.p == pytest.approx(expected.pvalue)
    t = stats.ttest_1samp(first - second, 0).confidence_interval()
    assert (result.effects[0].low, result.effects[0].high) == pytest.approx((t.low, t.high), abs=0.2)


def test_whole_items_flip() -> None:
    items = np.array([0, 0, 0, 1, 1, 2, 3, 3, 4, 5])
    result = paired_permutation(first, second, items=items)
    sums = np.bincount(items, weights=first - second)
    values = [np.dot(signs, sums) for signs in product([1, -1], repeat=6)]
    assert result.p == pytest.approx(np.mean(np.abs(values) >= abs(sums.sum()) - 1e-9))
    assert result.conventions["unit"] == "6 × item"


def test_random_flips_come_near_all_flips_and_state_their_error() -> None:
    x = np.random.default_rng(3).normal(0.35, 1, 30)
    result = paired_permutation(x, np.zeros(30), draws=20_000)
    again = paired_permutation(x, np.zeros(30), draws=20_000, seed=9)
    assert result.p is not None and again.p is not None
    assert result.p == pytest.approx(stats.ttest_1samp(x, 0).pvalue, abs=0.02)
    error = result.details["Monte-Carlo standard error of p"]
    assert error == pytest.approx(np.sqrt(result.p * (1 - result.p) / 20_001))
    assert 0 < abs(again.p - result.p) < 6 * error
    assert result.conventions["p"] == "(b + 1) / (m + 1)"


def test_p_near_alpha_is_marked() -> None:
    x = np.random.default_rng(3).normal(0.35, 1, 30)
    p = paired_permutation(x, np.zeros(30), draws=199).p
    assert p is not None
    assert any("raise draws" in note.en for note in paired_permutation(x, np.zeros(30), draws=199, alpha=p).notes)
    assert not paired_permutation(x, np.zeros(30), draws=199, alpha=0.9).notes


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(3, 9), st.floats(-2, 2))
def test_swapping_sides_turns_the_sign_and_shifting_moves_the_interval(seed: int, n: int, shift: float) -> None:
    x, y = np.random.default_rng(seed).normal(size=(2, n))
    forth, back = paired_permutation(x, y, level=0.7), paired_permutation(y, x, level=0.7)
    assert forth.p == pytest.approx(back.p)
    assert forth.effects[0].value == pytest.approx(-back.effects[0].value)
    low, high = forth.effects[0].low, forth.effects[0].high
    assert low is not None and high is not None
    assert (low, high) == pytest.approx((-(back.effects[0].high or 0), -(back.effects[0].low or 0)))
    moved = paired_permutation(x + shift, y, level=0.7).effects[0]
    assert (moved.low, moved.high) == pytest.approx((low + shift, high + shift), abs=1e-6)
    # p and interval agree about zero.
    assert forth.p is not None
    if abs(low) > 1e-9 and abs(high) > 1e-9:
        assert (low < 0 < high) == (forth.p > 0.3 + 1e-12)


@pytest.mark.untraced
def test_level_with_raters_and_items() -> None:
    # Null with effects of items (sd 1), raters (sd 1) and ratings (sd 1): 30 × 8, 200 samples, standard error .015.
    # Flipping items alone rejects about three in ten, both ways about one in twenty.
    random = np.random.default_rng(4)
    items, raters = np.repeat(np.arange(30), 8), np.tile(np.arange(8), 30)
    both = alone = 0
    for _ in range(200):
        x = random.normal(size=30)[items] + random.normal(size=8)[raters] + random.normal(size=240)
        zero = np.zeros(240)
        both += paired_permutation(x, zero, items=items, raters=raters, draws=199).is_significant
        alone += paired_permutation(x, zero, items=items, draws=199).is_significant
    assert 0.005 < both / 200 < 0.1
    assert alone / 200 > 0.2


def test_one_rater_an_item_is_flipping_raters() -> None:
    raters = [0, 0, 1, 1, 2, 2, 3, 4, 5, 5]
    both = paired_permutation(first, second, items=range(10), raters=raters)
    assert both.p == paired_permutation(first, second, raters=raters).p
    assert both.conventions["unit"] == "6 × rater"


def test_missing_halves_are_left_out() -> None:
    result = paired_permutation([*first, None, 3], [*second, 1, float("nan")], items=[*range(10), 10, 11])
    assert (result.n, result.n_missing) == (10, 2)
    assert result.p == paired_permutation(first, second).p


# --- labels ---------------------------------------------------------------------------------------------------------


def test_labels_are_scipys_and_the_interval_near_that_of_t() -> None:
    x, y = first[:7], second[:6]
    result = label_permutation([*x, *y], ["x"] * 7 + ["y"] * 6, two_sided="doubled")
    expected = stats.permutation_test((x, y), difference, n_resamples=10_000)
    assert result.conventions["rearrangements"] == "all 1716"
    assert result.p == pytest.approx(expected.pvalue)
    t = stats.ttest_ind(x, y).confidence_interval()
    assert (result.effects[0].low, result.effects[0].high) == pytest.approx((t.low, t.high), abs=0.3)


def test_whole_clusters_exchange_labels() -> None:
    clusters = np.array([0, 0, 1, 2, 2, 2, 3, 4, 4, 5])
    groups = np.where(clusters < 3, "old", "new")
    result = label_permutation(first, groups, clusters=clusters)
    values = []
    for chosen in combinations(range(6), 3):
        inside = np.isin(clusters, chosen)
        values.append(first[inside].mean() - first[~inside].mean())
    observed = first[clusters < 3].mean() - first[clusters >= 3].mean()
    assert result.statistic == pytest.approx(observed)
    assert result.p == pytest.approx(np.mean(np.abs(values) >= abs(observed) - 1e-9))


def test_strata_of_two_are_pairs() -> None:
    # Exchanging two labels within each item is flipping the sign of its difference.
    result = label_permutation([*first, *second], ["A"] * 10 + ["B"] * 10, strata=[*range(10), *range(10)])
    paired = paired_permutation(first, second)
    assert result.p == pytest.approx(paired.p)
    assert (result.effects[0].low, result.effects[0].high) == pytest.approx(
        (paired.effects[0].low, paired.effects[0].high)
    )


def test_random_exchanges_come_near_the_t_test() -> None:
    x, y = generator.normal(0.4, 1, 30), generator.normal(0, 1, 25)
    result = label_permutation([*x, *y], ["x"] * 30 + ["y"] * 25, draws=5000)
    assert result.p == pytest.approx(stats.ttest_ind(x, y).pvalue, abs=0.02)


def test_names_order_the_labels() -> None:
    groups = ["x"] * 5 + ["y"] * 5
    forth, back = label_permutation(first, groups), label_permutation(first, groups, names=("y", "x"))
    assert forth.statistic == pytest.approx(-back.statistic)
    assert forth.p == pytest.approx(back.p)


# --- what is said ---------------------------------------------------------------------------------------------------


def test_sentences_and_conventions() -> None:
    result = paired_permutation(np.arange(1, 9), np.zeros(8), names=("BERT", "RULE"))
    assert result.sentence().en.startswith(
        "BERT was higher than RULE (paired permutation test, two-sided: N = 8, p = .008"
    )
    assert "BERT高于RULE" in result.sentence().zh
    assert "all 256" in str(result.signature())
    found = multiverse(label_permutation, CONVENTIONS, [1, 2, 9, 4, 5, 16], list("aabbab"))
    assert [variant.users for variant in found.variants] == [(), ("SciPy",)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paired_permutation([1, 2], [1]), "A has 2 values, B has 1"),
        (lambda: paired_permutation([1], [2]), "1 complete pairs"),
        (lambda: paired_permutation([1, 2], [2, 4], items=["a", "a"]), "one item"),
        (lambda: paired_permutation(["x", "y"], [2, 4]), "no number"),
        (lambda: paired_permutation([1, 2], [2, 4], two_sided="both"), "two_sided"),  # type: ignore[arg-type]
        (lambda: label_permutation([1, 2, 3], ["a", "b", "c"]), "two different labels"),
        (lambda: label_permutation([1, 2, 3], ["a", "b", "a"], clusters=[1, 1, 2]), "more than one label"),
        (lambda: label_permutation([1, 2, 3, 4], list("abab"), clusters=[1, 2, 1, 2], strata=[1, 1, 2, 1]), "stratum"),
        (lambda: label_permutation([1, 2, 3, 4], list("aabb"), strata=[1, 1, 2, 2]), "nothing to exchange"),
    ],
)
def test_mistakes_are_named(call: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        call()


def test_few_items_have_p_but_no_interval() -> None:
    effect = paired_permutation([1, 2, 3, 4], [0, 0, 0, 0]).effects[0]
    assert effect.low is None
    assert "too few" in effect.method


def test_the_interval_says_what_the_doubled_test_rejects() -> None:
    random = np.random.default_rng(3)
    for shift in (0.0, 0.8, 1.6) * 6:
        values = np.concatenate([random.exponential(size=4) + shift, random.exponential(size=9)])
        result = label_permutation(values, ["a"] * 4 + ["b"] * 9, two_sided="doubled")
        effect = result.effects[0]
        assert effect.low is not None and effect.high is not None and result.p is not None
        assert (result.p <= 0.05) == (not effect.low <= 0 <= effect.high)
        assert effect.method == "all differences that neither one-sided test rejects at half the error"


def test_one_sided_sentences_speak_of_their_side_only() -> None:
    low, high = [1, 2, 3, 2, 1, 2, 3, 1], [5, 6, 7, 6, 5, 7, 6, 6]
    told = paired_permutation(low, high, alternative="greater").sentence()
    assert told.en.startswith("A was not found to be higher than B (")
    assert told.zh.startswith("未发现A高于B（")
    told = paired_permutation(low, high, alternative="less").sentence()
    assert told.en.startswith("A was lower than B (")
    assert told.zh.startswith("A低于B（")
