import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, f_oneway, norm, rankdata, ttest_1samp, ttest_ind

from hengliang import UserError
from hengliang.statistics.effect_sizes import (
    Zeros,
    cliffs_delta,
    cohen_r_squared_label,
    cohens_d,
    cramers_v,
    epsilon_squared,
    eta_squared,
    hedges_correction,
    matched_rank_biserial,
    omega_squared,
    paired_values,
    phi,
    phi_from_chi_squared,
    r_from_z,
    rank_biserial,
)
from hengliang.statistics.results import Effect

ratings = st.lists(st.integers(1, 7), min_size=2, max_size=30)
counts = st.lists(st.integers(1, 300), min_size=4, max_size=4)


def interval(effect: Effect) -> tuple[float, float]:
    assert effect.low is not None
    assert effect.high is not None
    return effect.low, effect.high


# φ


def test_phi_of_paper_000_table_3() -> None:
    # χ² = 51.39 with N = 1200, so that |φ| = √(51.39/1200) = .207. Rows: match or not; columns: at most 5 or above.
    # Those that do not match are low more often, against the main diagonal.
    assert phi([[408, 476], [220, 96]]).value == pytest.approx(-math.sqrt(51.39 / 1200), abs=1e-4)
    assert str(phi([[408, 476], [220, 96]])) == "φ = −.21, 95 % CI [−.26, −.15]"


@given(counts)
def test_phi_squared_is_chi_squared_by_n_and_turns_with_the_columns(cells: list[int]) -> None:
    table = np.reshape(cells, (2, 2))
    effect = phi(table)
    chi_squared = chi2_contingency(table, correction=False).statistic
    assert effect.value**2 == pytest.approx(chi_squared / table.sum(), abs=1e-12)
    turned = phi(table[:, ::-1])
    low, high = interval(effect)
    assert turned.value == pytest.approx(-effect.value, abs=1e-12)
    assert interval(turned) == pytest.approx((-high, -low), abs=1e-9)
    assert interval(phi(table.T)) == pytest.approx((low, high), abs=1e-9)
    assert low < effect.value < high


def test_standard_error_of_phi_is_the_multinomial_delta_method() -> None:
    # Independent derivation: numerical gradient of φ in the cell shares, variance of a multinomial around it.
    cells = np.array([[30.0, 12.0], [9.0, 49.0]])
    total = cells.sum()

    def value(shares: np.ndarray) -> float:
        a, b, c, d = shares
        return float((a * d - b * c) / math.sqrt((a + b) * (c + d) * (a + c) * (b + d)))

    shares = cells.ravel() / total
    steps = np.eye(4) * 1e-6
    gradient = np.array([(value(shares + step) - value(shares - step)) / 2e-6 for step in steps])
    variance = (gradient**2 @ shares - (gradient @ shares) ** 2) / total
    low, high = interval(phi(cells))
    width = math.atanh(high) - math.atanh(low)
    assert width == pytest.approx(2 * norm.isf(0.025) * math.sqrt(variance) / (1 - value(shares) ** 2), rel=1e-6)


def test_phi_from_chi_squared_knows_size_or_sign() -> None:
    size = phi_from_chi_squared(51.39, 1200)
    assert size.value == pytest.approx(0.2069, abs=5e-5)
    # noncentral χ²(1): λ bounds are (√51.39 ± 1.96)² to 1e-6, as the other tail is empty here.
    assert interval(size) == pytest.approx(tuple((math.sqrt(51.39) + k * 1.959964) / math.sqrt(1200) for k in (-1, 1)))
    negative = phi_from_chi_squared(51.39, 1200, sign=-1)
    assert negative.value == -size.value
    assert interval(negative)[1] < 0


@pytest.mark.parametrize(
    "table", [[[1, 2, 3], [4, 5, 6]], [[0, 0], [3, 4]], [[1, -2], [3, 4]], [["a", 1], [2, 3]], [[0, 0], [0, 0]]]
)
def test_tables_that_have_no_phi(table: list[list[object]]) -> None:
    with pytest.raises(UserError):
        phi(table)  # type: ignore[arg-type]


def test_phi_of_a_perfect_table_has_no_interval_and_says_so() -> None:
    effect = phi([[7, 0], [0, 9]])
    assert effect.value == pytest.approx(1)
    assert effect.low is None
    assert "edge" in effect.method


# r = z/√N


def test_r_is_a_correlation_with_fishers_interval() -> None:
    # r = .5 with N = 28: atanh(.5) = .549306, SE = 1/5, ± .391993 → tanh(.157313) = .156028, tanh(.941299) = .735818.
    effect = r_from_z(0.5 * math.sqrt(28), 28)
    assert (effect.value, *interval(effect)) == pytest.approx((0.5, 0.156028, 0.735818), abs=1e-5)
    assert "√28" in effect.method


def test_r_refuses_z_beyond_its_n_and_gives_no_interval_for_three() -> None:
    with pytest.raises(UserError, match="beyond 1"):
        r_from_z(5.0, 4)
    assert r_from_z(1.0, 3).low is None
    with pytest.raises(UserError):
        r_from_z(1.0, 0)


# rank-biserial of pairs


@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "split"])
@given(values=st.lists(st.integers(-4, 4), min_size=2, max_size=25).filter(any))
def test_matched_rank_biserial_is_the_simple_difference_of_rank_sums(zeros: Zeros, values: list[int]) -> None:
    held = np.array([value for value in values if value] if zeros == "wilcox" else values)
    ranks = rankdata(np.abs(held))
    favour, against, none = (ranks[condition].sum() for condition in (held > 0, held < 0, held == 0))
    if zeros == "split":
        favour, against = favour + none / 2, against + none / 2
    effect = matched_rank_biserial(values, zeros=zeros)
    assert effect.value == pytest.approx((favour - against) / (favour + against), abs=1e-12)
    low, high = interval(effect)
    assert -1 <= low <= effect.value <= high <= 1
    mirrored = matched_rank_biserial([-value for value in values], zeros=zeros)
    assert interval(mirrored) == pytest.approx((-high, -low), abs=1e-12)


def test_variance_of_matched_rank_biserial_is_that_of_the_left_out_values() -> None:
    # The jackknife proper, with 40 recomputations, comes to the same standard error within a few per cent.
    values = np.random.default_rng(3).normal(0.4, 1, 40)
    effect = matched_rank_biserial(values)
    left = np.array([matched_rank_biserial(np.delete(values, place)).value for place in range(40)])
    error = math.sqrt(39 / 40 * np.square(left - left.mean()).sum())
    low, high = interval(effect)
    width = (math.atanh(high) - math.atanh(low)) / (2 * norm.isf(0.025))
    assert width * (1 - effect.value**2) == pytest.approx(error, rel=0.05)


def test_differences_of_one_sign_get_wilsons_bound() -> None:
    # Wilson's lower bound for 10 of 10 is 10/(10 + 3.841459) = .722467; as a difference of shares 2p − 1 = .444934.
    assert interval(matched_rank_biserial(range(1, 11))) == pytest.approx((0.444934, 1), abs=1e-6)
    assert interval(cliffs_delta([1] * 10, [2] * 12)) == pytest.approx((-1, -0.444934), abs=1e-6)
    with pytest.raises(UserError):
        matched_rank_biserial([0, 0, math.nan])


# Cliff's δ


@given(ratings, ratings)
def test_delta_is_the_mean_sign_of_all_pairs_with_cliffs_variance(x: list[int], y: list[int]) -> None:
    signs = np.sign(np.subtract.outer(x, y))
    effect = cliffs_delta(x, y)
    assert effect.value == pytest.approx(signs.mean(), abs=1e-12)
    assert rank_biserial(x, y).value == effect.value
    if len({*x, *y}) == 1:
        assert (effect.low, effect.high) == (None, None)  # nothing is known of how far apart they could have been
        return
    low, high = interval(effect)
    assert -1 <= low <= effect.value <= high <= 1
    assert interval(cliffs_delta(y, x)) == pytest.approx((-high, -low), abs=1e-9)
    if abs(effect.value) == 1:
        return
    # Cliff (1996): consistent variance from the matrix of signs; Feng and Cliff (2004): its asymmetric interval.
    d, n, m = signs.mean(), len(x), len(y)
    by_row = np.square(signs.mean(axis=1) - d).sum() / (n - 1)
    by_column = np.square(signs.mean(axis=0) - d).sum() / (m - 1)
    by_cell = np.square(signs - d).sum() / ((n - 1) * (m - 1))
    variance = ((m - 1) * by_row + (n - 1) * by_column + by_cell) / (n * m)
    z = 1.959963984540054
    root = z * math.sqrt(variance) * math.sqrt((1 - d**2) ** 2 + z**2 * variance)
    bounds = [(d - d**3 + side * root) / (1 - d**2 + z**2 * variance) for side in (-1, 1)]
    assert (low, high) == pytest.approx((max(-1, bounds[0]), min(1, bounds[1])), abs=1e-9)


@given(ratings, ratings)
def test_delta_stays_under_a_monotone_transformation(x: list[int], y: list[int]) -> None:
    before, after = cliffs_delta(x, y), cliffs_delta(np.exp(x), np.exp(y))
    assert (before.low, before.high) == (after.low, after.high)


def test_intervals_of_rank_effects_cover_the_truth_in_simulated_samples() -> None:
    # Normal samples one deviation apart: δ = 2Φ(1/√2) − 1. Matched: E r = P(D₁ + D₂ > 0)·2 − 1 = 2Φ(0.5·√2) − 1 for
    # D ~ N(0.5, 1). Of 1,000 intervals 950 are expected to cover; 920–980 is more than four standard errors wide.
    random = np.random.default_rng(11)
    truth_delta, truth_matched = 2 * norm.cdf(1 / math.sqrt(2)) - 1, 2 * norm.cdf(0.5 * math.sqrt(2)) - 1
    covered = np.zeros(2)
    for _ in range(1000):
        low, high = interval(cliffs_delta(random.normal(1, 1, 30), random.normal(0, 1, 40)))
        covered[0] += low <= truth_delta <= high
        low, high = interval(matched_rank_biserial(random.normal(0.5, 1, 40)))
        covered[1] += low <= truth_matched <= high
    assert ((covered > 920) & (covered < 980)).all(), covered


def test_samples_without_delta() -> None:
    with pytest.raises(UserError, match="0 and 2"):
        cliffs_delta([math.nan], [1, 2])
    assert cliffs_delta([2], [1, 2, 3, 3]).low is None
    with pytest.raises(UserError, match="no number"):
        rank_biserial(["high"], [1, 2])


# V, η², d


def test_cramers_v_is_phi_for_two_by_two_and_bounded_by_noncentral_chi_squared() -> None:
    table = np.array([[20, 15, 5], [10, 25, 15]])
    chi_squared = chi2_contingency(table).statistic
    effect = cramers_v(chi_squared, 90, 2, 3)
    assert effect.value == pytest.approx(math.sqrt(chi_squared / 90))
    low, high = interval(effect)
    assert 0 < low < effect.value < high < 1
    square = cramers_v(51.39, 1200, 2, 2)
    assert interval(square) == interval(phi_from_chi_squared(51.39, 1200))


def test_interval_that_would_not_hold_its_value_is_withheld() -> None:
    effect = cramers_v(2.0, 100, 5, 6)  # χ² far below its 20 degrees of freedom
    assert effect.low is None
    assert "does not hold" in effect.method
    assert epsilon_squared(0.5, 3, 40).value < 0


def test_eta_squared_is_the_share_of_squares() -> None:
    groups = [np.array(values, dtype=float) for values in ([1, 2, 4, 5], [3, 5, 6, 8], [7, 7, 9, 6])]
    pooled = np.concatenate(groups)
    within = sum(np.square(group - group.mean()).sum() for group in groups)
    total = np.square(pooled - pooled.mean()).sum()
    f = f_oneway(*groups).statistic
    assert eta_squared(f, 2, 9).value == pytest.approx(1 - within / total)
    # ε² = (SSb − df₁·MSw)/SSt and ω² = the same over SSt + MSw
    assert epsilon_squared(f, 2, 9).value == pytest.approx((total - within - 2 * within / 9) / total)
    assert omega_squared(f, 2, 9).value == pytest.approx((total - within - 2 * within / 9) / (total + within / 9))


def test_interval_of_eta_squared_follows_steigers_formula() -> None:
    # F(4, 50) = 6.5: λ bounds with noncentral F leave 2.5 % on either side; η² = λ/(λ + N), N = 55.
    from scipy.stats import ncf

    low, high = (bound * 55 / (1 - bound) for bound in interval(eta_squared(6.5, 4, 50)))
    assert ncf.sf(6.5, 4, 50, low) == pytest.approx(0.025, abs=1e-6)
    assert ncf.cdf(6.5, 4, 50, high) == pytest.approx(0.025, abs=1e-6)


def test_cohens_d_agrees_with_t() -> None:
    x, y = [5, 6, 7, 5, 4, 7], [3, 4, 6, 2, 5]
    unpaired = cohens_d(x, y)
    assert unpaired.value * math.sqrt(30 / 11) == pytest.approx(ttest_ind(x, y).statistic)
    paired = cohens_d(x[:5], y, paired=True)
    assert paired.value * math.sqrt(5) == pytest.approx(ttest_1samp(np.subtract(x[:5], y), 0).statistic)
    assert (unpaired.symbol, paired.symbol) == ("d", "d_z")
    low, high = interval(unpaired)
    assert interval(cohens_d(y, x)) == pytest.approx((-high, -low))
    assert not unpaired.bounded


def test_hedges_g_shrinks_by_the_gamma_ratio() -> None:
    # J(10) = Γ(5)/(√5·Γ(4.5)) = 24/(2.236068 × 11.631728) = .922746; the usual approximation 1 − 3/(4·10 − 1) = .9231.
    assert hedges_correction(10) == pytest.approx(0.922746, abs=1e-6)
    x, y = [1.0, 2, 3, 4, 5, 6], [2.0, 4, 6, 8, 10, 12]
    plain, corrected = cohens_d(x, y), cohens_d(x, y, hedges=True)
    assert corrected.value == pytest.approx(plain.value * hedges_correction(10))
    assert corrected.symbol == "g"
    assert interval(corrected) == interval(plain)


def test_interval_of_d_covers_the_truth_in_simulated_samples() -> None:
    # Noncentral t is exact for normal samples: of 800 intervals 760 cover on average, with a standard error of 6.2.
    random = np.random.default_rng(5)
    covered = 0
    for _ in range(800):
        low, high = interval(cohens_d(random.normal(0.8, 1, 12), random.normal(0, 1, 9)))
        covered += low <= 0.8 <= high
    assert 735 < covered < 785


@pytest.mark.parametrize(
    ("x", "y", "paired"),
    [([0.1] * 3, [0.1] * 3, False), ([1.1, 2.1], [0.1, 1.1], True), ([1], [2], False), ([], [1], False)],
)
def test_samples_without_spread_have_no_d(x: list[float], y: list[float], paired: bool) -> None:
    with pytest.raises(UserError):
        cohens_d(x, y, paired=paired)


def test_pairs_must_be_pairs_and_lose_missing_halves() -> None:
    with pytest.raises(UserError, match="3 and 2"):
        cohens_d([1, 2, 3], [1, 2], paired=True)
    whole = cohens_d([1, 2, 4], [0, 3, 1], paired=True)
    lacking = np.array([1, None, 2, 4, 9], dtype=object)
    assert cohens_d(lacking, [0, 5, 3, 1, math.nan], paired=True) == whole


@pytest.mark.parametrize(
    ("r_squared", "word"),
    [
        (0, "very weak"),
        (0.0199, "very weak"),
        (0.02, "weak"),
        (0.13, "moderate"),
        (0.26, "substantial"),
        (1, "substantial"),
    ],
)
def test_cohens_words(r_squared: float, word: str) -> None:
    assert cohen_r_squared_label(r_squared).en == word
    assert cohen_r_squared_label(r_squared).zh


def test_r_squared_is_a_share() -> None:
    with pytest.raises(UserError, match="R² = 1"):
        cohen_r_squared_label(1.2)


def test_equal_differences_have_no_deviation_but_noise() -> None:
    # 100.1 − 100, 200.1 − 200, …: all 0.1, but some 1e-14 apart in binary, which would make a d of 1e13.
    with pytest.raises(UserError, match="all differences are equal"):
        cohens_d([100.1, 200.1, 300.1, 50.1], [100, 200, 300, 50], paired=True)


@pytest.mark.parametrize("missing", [None, math.nan, np.float32("nan"), pd.NA, np.nan])
def test_a_pair_with_any_kind_of_missing_half_is_left_out(missing: Any) -> None:
    # A NaN of numpy's float32 is no Python float; left in one sample only, it would move all pairs by one.
    x, y = paired_values([missing, 1, 2, 5], [1, 3, 4, 9])
    assert x.tolist() == [1, 2, 5]
    assert y.tolist() == [3, 4, 9]


def test_what_an_array_masks_is_missing_with_its_pair() -> None:
    x, y = paired_values(np.ma.masked_equal([99, 1, 2, 5], 99), [1, 3, 4, 9])
    assert (x.tolist(), y.tolist()) == ([1, 2, 5], [3, 4, 9])
