from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hengliang import UserError
from hengliang.statistics.conventions import multiverse, with_sensitivity
from hengliang.statistics.correlation.coefficients import (
    KENDALL_CONVENTIONS,
    SPEARMAN_CONVENTIONS,
    fisher_interval,
    kendall,
    pearson,
    spearman,
)
from tests.statistics.correlation.oracle import DATA, ORACLE, R_SIDES

SIDES = ["two-sided", "greater", "less"]
x, y = DATA["shared"], DATA["first"]
tied_x, tied_y = DATA["likert_x"], DATA["likert_y"]


# --- against R ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", SIDES)
def test_pearson_is_cor_test(side: str) -> None:
    result, expected = pearson(x, y, alternative=side), ORACLE["pearson"][R_SIDES[side]]
    assert result.statistic == pytest.approx(expected["statistic"], rel=1e-12)
    assert result.p == pytest.approx(expected["p"], rel=1e-9)
    assert result.effects[0].value == pytest.approx(expected["estimate"], rel=1e-12)
    # Ours has two sides whatever is tested; R narrows the interval with the alternative.
    both = ORACLE["pearson"]["two.sided"]["interval"]
    assert (result.effects[0].low, result.effects[0].high) == pytest.approx(both, rel=1e-12)


def test_the_level_of_an_interval_is_kept() -> None:
    effect = pearson(x, y, level=0.9).effects[0]
    assert (effect.low, effect.high) == pytest.approx(ORACLE["pearson_90"]["interval"], rel=1e-12)


@pytest.mark.parametrize("side", SIDES)
def test_spearman_with_ties_is_cor_test_with_t(side: str) -> None:
    result, expected = spearman(tied_x, tied_y, p_method="t", alternative=side), ORACLE["spearman_t"][R_SIDES[side]]
    assert result.effects[0].value == pytest.approx(expected["estimate"], rel=1e-12)
    assert result.p == pytest.approx(expected["p"], rel=1e-9)


@pytest.mark.parametrize("side", SIDES)
def test_spearman_counts_orders_as_cor_test_does_below_ten(side: str) -> None:
    result = spearman(DATA["small_x"], DATA["small_y"], alternative=side)
    expected = ORACLE["spearman_exact"][R_SIDES[side]]
    assert result.symbol == "S"
    assert result.statistic == pytest.approx(expected["statistic"])
    assert result.p == pytest.approx(expected["p"], rel=1e-9)


@pytest.mark.parametrize("side", SIDES)
def test_kendall_counts_orders_as_cor_test_does(side: str) -> None:
    result, expected = kendall(x, y, alternative=side), ORACLE["kendall_exact"][R_SIDES[side]]
    assert result.effects[0].value == pytest.approx(expected["estimate"], rel=1e-12)
    # R's T is the number of concordant pairs; ours is concordant minus discordant of all 435.
    assert (result.statistic + 435) / 2 == pytest.approx(expected["statistic"])
    assert result.p == pytest.approx(expected["p"], rel=1e-9)


@pytest.mark.parametrize("method", ["asymptotic", "continuity"])
@pytest.mark.parametrize("side", SIDES)
def test_kendall_with_ties_is_cor_test(method: str, side: str) -> None:
    result = kendall(tied_x, tied_y, p_method=method, alternative=side)  # type: ignore[arg-type]
    expected = ORACLE[{"asymptotic": "kendall_normal", "continuity": "kendall_continuity"}[method]][R_SIDES[side]]
    assert result.statistic == pytest.approx(expected["statistic"], rel=1e-12)
    assert result.p == pytest.approx(expected["p"], rel=1e-9)
    assert result.effects[0].value == pytest.approx(expected["estimate"], rel=1e-12)


def test_tau_c() -> None:
    result = kendall(tied_x, tied_y, variant="c")
    assert result.effects[0].value == pytest.approx(ORACLE["tau_c"], rel=1e-12)
    assert result.effects[0].value == pytest.approx(stats.kendalltau(tied_x, tied_y, variant="c").statistic)


# --- against SciPy and by enumeration -------------------------------------------------------------------------------


def test_scipy_gives_the_same() -> None:
    assert pearson(tied_x, tied_y).p == pytest.approx(stats.pearsonr(tied_x, tied_y).pvalue, rel=1e-9)
    assert spearman(tied_x, tied_y).p == pytest.approx(stats.spearmanr(tied_x, tied_y).pvalue, rel=1e-9)
    assert kendall(tied_x, tied_y).p == pytest.approx(stats.kendalltau(tied_x, tied_y).pvalue, rel=1e-9)
    low, high = stats.pearsonr(x, y).confidence_interval(0.95)
    assert (pearson(x, y).effects[0].low, pearson(x, y).effects[0].high) == pytest.approx((low, high), rel=1e-9)


def test_intervals_of_rank_correlations_by_hand() -> None:
    # ρ = 1 − 6 S / (n (n² − 1)) with n = 8; z ± 1.96 times the stated standard error of z, brought back by tanh.
    rho = 1 - ORACLE["spearman_exact"]["two.sided"]["statistic"] * 6 / (8 * 63)
    z = math.atanh(rho)
    bounds = {}
    for kind, factor in (("bonett-wright", 1 + rho**2 / 2), ("fieller", 1.06)):
        reach = 1.959963984540054 * math.sqrt(factor / 5)
        bounds[kind] = (math.tanh(z - reach), math.tanh(z + reach))
    for kind, expected in bounds.items():
        effect = spearman(DATA["small_x"], DATA["small_y"], interval=kind).effects[0]  # type: ignore[arg-type]
        assert (effect.low, effect.high) == pytest.approx(expected)
    tau = kendall(DATA["small_x"], DATA["small_y"]).effects[0]
    assert tau.low == pytest.approx(math.tanh(math.atanh(tau.value) - 1.959963984540054 * math.sqrt(0.437 / 4)))


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=4, max_size=5), st.sampled_from(SIDES))
def test_counting_orders_is_going_through_all_of_them(pairs: list[tuple[int, int]], side: str) -> None:
    first, second = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return
    for test, coefficient in ((spearman, stats.spearmanr), (kendall, stats.kendalltau)):
        found = test(first, second, p_method="exact", alternative=side)
        values = np.array([coefficient(first, order).statistic for order in permutations(second)])
        observed = coefficient(first, second).statistic
        extreme = {
            "two-sided": np.abs(values) >= abs(observed) - 1e-9,
            "greater": values >= observed - 1e-9,
            "less": values <= observed + 1e-9,
        }[side]
        assert found.p == pytest.approx(extreme.mean())
        assert found.effects[0].value == pytest.approx(observed)


# --- properties -----------------------------------------------------------------------------------------------------

numbers = st.lists(
    st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=5, max_size=25, unique_by=(lambda p: p[0],)
)


@settings(max_examples=20, deadline=None)
@given(numbers, st.permutations(range(25)))
def test_symmetry_sign_order_and_scale(pairs: list[tuple[int, int]], order: list[int]) -> None:
    first, second = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    if np.ptp(second) == 0:
        return
    shuffled = [place for place in order if place < len(first)]
    for test in (pearson, spearman, kendall):
        plain = test(first, second)
        value, p = plain.effects[0].value, plain.p
        assert -1 <= value <= 1
        assert test(second, first).effects[0].value == pytest.approx(value)
        assert test(first, -second).effects[0].value == pytest.approx(-value)
        assert test(first[shuffled], second[shuffled]).effects[0].value == pytest.approx(value)
        assert test(3 * first + 7, second).p == pytest.approx(p)
        low, high = plain.effects[0].low, plain.effects[0].high
        assert low is None or high is None or low <= value <= high
    for test in (spearman, kendall):
        # Ranks do not change under a monotone transformation.
        assert test(np.exp(first / 10), second).effects[0].value == pytest.approx(test(first, second).effects[0].value)


def test_missing_pairs_are_left_out_and_counted() -> None:
    result = pearson([*x, 1.0, None, math.nan], [*y, None, 2.0, 3.0])
    assert (result.n, result.n_missing) == (30, 3)
    assert result.p == pearson(x, y).p


# --- bootstrap ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", [pearson, spearman, kendall])
def test_repeating_each_rating_widens_nothing_when_items_are_drawn(test: type) -> None:
    # Five copies of each observation are no news when whole items are drawn, and pretended news when rows are.
    plain = test(x, y, interval="bootstrap", draws=300).effects[0]
    items = np.repeat(np.arange(30), 5)
    many = np.repeat(x, 5), np.repeat(y, 5)
    clustered = test(*many, interval="bootstrap", items=items, draws=300)
    naive = test(*many, interval="bootstrap", draws=300).effects[0]
    assert (clustered.effects[0].low, clustered.effects[0].high) == pytest.approx((plain.low, plain.high))
    assert naive.high - naive.low < 0.7 * (plain.high - plain.low)
    assert "30 levels of item" in clustered.effects[0].method
    assert clustered.notes


def test_both_ways_are_wider_than_one() -> None:
    generator = np.random.default_rng(4)
    items, raters = np.repeat(np.arange(20), 6), np.tile(np.arange(6), 20)
    first = generator.normal(size=20)[items] + generator.normal(size=6)[raters] + generator.normal(size=120)
    second = first + generator.normal(size=6)[raters] + generator.normal(size=120)
    both = pearson(first, second, interval="bootstrap", items=items, raters=raters).effects[0]
    one = pearson(first, second, interval="bootstrap", items=items).effects[0]
    assert both.low is not None and both.high is not None and one.low is not None and one.high is not None
    assert both.high - both.low > one.high - one.low
    assert "pigeonhole" in both.method


# --- what is said ---------------------------------------------------------------------------------------------------


def test_sentence_signature_and_estimates() -> None:
    result = spearman(tied_x, tied_y, names=("Clarity", "Fluency"))
    assert result.sentence().en.startswith(
        "Fluency rises as Clarity rises (Spearman correlation, two-sided: t(28, N = "
    )
    assert result.sentence().zh.startswith("Clarity与Fluency呈正相关（斯皮尔曼相关，双侧：")
    assert "Bonett" in str(result.signature())
    assert [row.statistic for row in result.estimates("a")] == ["spearman", "Spearman's ρ"]
    assert (
        pearson([1, 2, 3, 4], [1, 2, 3, 4.5], seed=2).signature() == pearson([1, 2, 3, 4], [1, 2, 3, 4.5]).signature()
    )


def test_conventions_run_and_say_where_they_part() -> None:
    # n = 6 with one swap of neighbours: ρ = 1 − 12/210 = .943. Counted: 2 · (1 + 5)/720 = .0167; t(4) gives .0048.
    first, second = [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 6, 5]
    found = multiverse(spearman, SPEARMAN_CONVENTIONS, first, second)
    assert [variant.p for variant in found.variants] == pytest.approx([12 / 720, 0.0048046], rel=1e-4)
    strict = with_sensitivity(spearman, SPEARMAN_CONVENTIONS, first, second, alpha=0.01)
    assert [variant.users for variant in strict.variants] == [("SciPy", "SPSS")]
    ways = multiverse(kendall, KENDALL_CONVENTIONS, tied_x, tied_y)
    assert len(ways.variants) == 2 and "too many orders" in ways.refused[0][1]


def test_perfect_agreement_has_no_fisher_interval() -> None:
    result = pearson([1, 2, 3, 4, 5], [2, 4, 6, 8, 10])
    assert (result.effects[0].value, result.effects[0].low, result.p) == (1.0, None, 0.0)
    assert "no interval" in result.effects[0].method
    assert "∞" in result.summary()
    assert fisher_interval(-1.0, 0.5, 0.95) is None
    assert kendall([1, 2, 3, 4], [1, 2, 4, 3]).effects[0].low is None  # √(0.437 / (n − 4)) is infinite


@pytest.mark.parametrize(
    ("arguments", "settings_", "message"),
    [
        (([1, 2, 3], [1, 2, 3]), {}, "too few"),
        (([1, 1, 1, 1], [1, 2, 3, 4]), {"names": ("length", "score")}, "All values of 'length' are 1"),
        (([1, 2, 3, 4], [1, 2, 3]), {}, "has 4 values"),
        ((["a", 2, 3, 4], [1, 2, 3, 4]), {}, "no number"),
        (([1, 2, 3, math.inf], [1, 2, 3, 4]), {}, "row 4"),
        (([1, 2, 3, 4], [1, 3, 2, 4]), {"interval": "wald"}, "interval"),
        (([1, 2, 3, 4], [1, 3, 2, 4]), {"items": [1, 2, 3, 4]}, "bootstrap"),
        (([1, 2, 3, 4], [1, 3, 2, 4]), {"items": [1, 2], "interval": "bootstrap"}, "2 labels"),
        (([1, 2, 3, 4], [1, 3, 2, 4]), {"alternative": "both"}, "alternative"),
        (([1, 2, 3, 4], [1, 3, 2, 4]), {"level": 95}, "level"),
    ],
)
def test_mistakes_are_named(
    arguments: tuple[list[float], list[float]], settings_: dict[str, object], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        pearson(*arguments, **settings_)  # type: ignore[arg-type]


def test_exact_refuses_what_it_cannot_count() -> None:
    with pytest.raises(UserError, match="too many orders"):
        spearman(x, y, p_method="exact")
    with pytest.raises(UserError, match="with ties"):
        kendall(tied_x, tied_y, p_method="exact")
    with pytest.raises(UserError, match="τ-b"):
        kendall(x, y, variant="c", interval="bootstrap")


def test_one_sided_sentences_speak_of_their_side_only() -> None:
    rising = [1, 2, 3, 4, 5, 6, 8, 7]
    told = pearson(rising, rising[::-1], alternative="greater").sentence()
    assert told.en.startswith("y was not found to rise as x rises (")
    assert told.zh.startswith("未发现x与y呈正相关（")
    told = pearson(rising, rising[::-1], alternative="less").sentence()
    assert told.en.startswith("y falls as x rises (")
    assert told.zh.startswith("x与y呈负相关（")
