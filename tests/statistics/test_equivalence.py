"""Do two one-sided tests agree with statsmodels and R, and do they decide as their intervals do?"""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import brunnermunzel, mannwhitneyu, wilcoxon
from statsmodels.stats.proportion import tost_proportions_2indep
from statsmodels.stats.weightstats import ttost_ind, ttost_paired

from hengliang import UserError
from hengliang.statistics.equivalence import (
    superiority,
    tost_mann_whitney,
    tost_means,
    tost_paired_means,
    tost_proportions,
    tost_signed_ranks,
    tost_superiority,
)
from hengliang.statistics.variance.anova import Summary

ratings = st.lists(st.tuples(st.integers(1, 7), st.integers(1, 7)), min_size=6, max_size=30)
X = [5, 6, 4, 7, 6, 5, 3, 6, 5, 7, 2, 6]
Y = [5, 5, 4, 7, 7, 5, 4, 6, 5, 6, 3, 6]


@given(ratings, st.floats(0.2, 2))
def test_means_against_statsmodels(pairs: list[tuple[int, int]], margin: float) -> None:
    x, y = np.array(pairs, dtype=float).T
    assume(x.std() > 0 and y.std() > 0 and (x - y).std() > 0)
    for variances, theirs in (("equal", "pooled"), ("unequal", "unequal")):
        ours = tost_means(x, y, margin=margin, variances=variances)  # type: ignore[arg-type]
        assert ours.p == pytest.approx(ttost_ind(x, y, -margin, margin, usevar=theirs)[0], rel=1e-7)
    paired = tost_paired_means(x, y, margin=margin)
    assert paired.p == pytest.approx(ttost_paired(x, y, -margin, margin)[0], rel=1e-7, abs=1e-14)


@given(ratings, st.floats(0.2, 2))
def test_verdicts_of_means_are_those_of_their_interval(pairs: list[tuple[int, int]], margin: float) -> None:
    x, y = np.array(pairs, dtype=float).T
    assume((x - y).std() > 0)
    result = tost_paired_means(x, y, margin=margin)
    low, high = result.effect.low, result.effect.high
    assert low is not None and high is not None and result.p is not None and result.p_beyond is not None
    if min(abs(result.p - 0.05), abs(result.p_beyond - 0.05)) > 1e-9:
        assert result.is_equivalent == (-margin < low and high < margin)
        assert result.is_beyond == (low > margin or high < -margin)
    turned = tost_paired_means(y, x, margin=margin)
    assert turned.p == pytest.approx(result.p, rel=1e-6) and turned.verdict == result.verdict


def test_proportions_against_statsmodels() -> None:
    theirs = tost_proportions_2indep(45, 100, 50, 110, -0.15, 0.15, method="wald")
    assert tost_proportions((45, 50), (100, 110), margin=0.15, method="wald").p == pytest.approx(theirs.pvalue)
    score = tost_proportions((45, 50), (100, 110), margin=0.15)
    assert score.verdict == "equivalent"
    assert score.sentence().en.startswith(
        "A and B are equivalent within the margin ±.15 (Two one-sided tests of shares"
    )


def test_signed_ranks_against_scipy() -> None:
    gaps = np.array(X, dtype=float) - np.array(Y)
    result = tost_signed_ranks(X, Y, margin=0.7, method="asymptotic")
    settings = {"method": "asymptotic", "correction": False}
    lower = wilcoxon(np.round(gaps + 0.7, 10), alternative="greater", **settings).pvalue
    upper = wilcoxon(np.round(gaps - 0.7, 10), alternative="less", **settings).pvalue
    assert result.p == pytest.approx(max(lower, upper))
    # Hodges–Lehmann: the median of all 78 averages of two differences.
    averages = [(gaps[i] + gaps[j]) / 2 for i, j in product(range(12), repeat=2) if i <= j]
    assert result.effect.value == pytest.approx(np.median(averages))
    assert result.p_difference == pytest.approx(wilcoxon(gaps, method="asymptotic", correction=False).pvalue)


def test_signed_ranks_exactly_by_enumeration() -> None:
    x, y = [4.0, 6.0, 5.0, 7.0, 2.0], [4.5, 5.8, 5.1, 6.6, 2.3]
    gaps = np.array(x) - np.array(y)

    def share(values: np.ndarray, sign: int) -> float:
        order = np.abs(values).argsort().argsort() + 1
        observed = sum(order[sign * values > 0])
        sums = [sum(rank for rank, on in zip(order, signs, strict=True) if on) for signs in product([0, 1], repeat=5)]
        return float(np.mean([total >= observed for total in sums]))

    result = tost_signed_ranks(x, y, margin=1.0, method="exact")
    assert result.p == pytest.approx(max(share(gaps + 1, 1), share(gaps - 1, -1)))


def test_mann_whitney_against_scipy() -> None:
    x, y = np.array(X, dtype=float), np.array(Y, dtype=float)
    result = tost_mann_whitney(x, y, margin=0.5, method="asymptotic")
    settings = {"method": "asymptotic", "use_continuity": False}
    lower = mannwhitneyu(x + 0.5, y, alternative="greater", **settings).pvalue
    upper = mannwhitneyu(x - 0.5, y, alternative="less", **settings).pvalue
    assert result.p == pytest.approx(max(lower, upper))
    assert result.effect.value == pytest.approx(np.median(np.subtract.outer(x, y)))


@pytest.mark.untraced
def test_shift_intervals_cover_about_as_often_as_they_say() -> None:
    # 300 samples of 25 pairs from a logistic distribution shifted by 0.4, level 90 %: four standard errors are .07.
    generator = np.random.default_rng(1)
    covered = {"pairs": 0, "groups": 0}
    for _ in range(300):
        x, y = generator.logistic(0.4, 1, 25), generator.logistic(0, 1, 25)
        for name, test in (("pairs", tost_signed_ranks), ("groups", tost_mann_whitney)):
            effect = test(x, y, margin=1, method="asymptotic").effect
            assert effect.low is not None and effect.high is not None
            covered[name] += effect.low <= 0.4 <= effect.high
    assert covered["pairs"] / 300 == pytest.approx(0.9, abs=0.07)
    assert covered["groups"] / 300 == pytest.approx(0.9, abs=0.07)


@settings(max_examples=40, deadline=None)
@given(ratings)
def test_superiority_against_scipy(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=float).T
    greater = (x[:, None] > y).mean() + 0.5 * (x[:, None] == y).mean()
    try:
        found = superiority(x, y)
    except UserError:
        # No error only where each placement is the same: no overlap, or nothing but ties.
        assert abs(greater - 0.5) in (0.0, 0.5)
        return
    assert found.value == pytest.approx(greater)
    result = tost_superiority(x, y, margin=0.2)
    # SciPy's statistic is positive where its second sample is higher.
    theirs = brunnermunzel(y, x)
    assert (found.value - 0.5) / found.error == pytest.approx(theirs.statistic, abs=1e-9)
    assert result.p_difference == pytest.approx(theirs.pvalue, rel=1e-6)
    turned = tost_superiority(y, x, margin=0.2)
    assert turned.p == pytest.approx(result.p, abs=1e-9)
    assert turned.effect.value == pytest.approx(1 - result.effect.value)


def test_a_monotone_transformation_of_ratings_changes_no_superiority() -> None:
    one, other = tost_superiority(X, Y, margin=0.2), tost_superiority(np.exp(X), np.exp(Y), margin=0.2)
    assert one.p == pytest.approx(other.p)


def test_all_four_verdicts_in_words() -> None:
    generator = np.random.default_rng(5)
    base = generator.normal(0, 0.4, 80)
    other = generator.normal(0, 0.4, 80)
    verdicts = {
        shift: tost_means(base - base.mean() + shift, other - other.mean(), margin=0.5).verdict
        for shift in (0.0, 0.2, 0.45, 1.0)
    }
    assert list(verdicts.values()) == ["equivalent", "different and equivalent", "undecided", "not equivalent"]


def test_a_result_says_itself() -> None:
    result = tost_paired_means([*X, math.nan], [*Y, 3.0], margin=0.6, names=("RULE", "BERT"))
    assert (result.n, result.n_missing) == (12, 1)
    assert "RULE and BERT are equivalent within the margin ±0.60" in result.sentence().en
    assert "RULE与BERT在界值 ±0.60 内等效（配对均值的双单侧检验：p" in result.sentence().zh
    assert "差异检验：p" in result.sentence().zh
    assert "90 % CI" in result.summary() and "1 missing left out" in result.summary()
    rows = list(result.estimates("comparison"))
    assert [row.statistic for row in rows] == ["mean-difference", "tost-paired-means"]
    assert rows[1].p == result.p
    assert "margin_low:-0.6" in str(result.signature())


def test_summaries_will_do() -> None:
    x, y = np.array(X, dtype=float), np.array(Y, dtype=float)
    told = tost_means(Summary(12, x.mean(), x.std(ddof=1)), Summary(12, y.mean(), y.std(ddof=1)), margin=(-1.0, 1.5))
    assert told.p == pytest.approx(tost_means(X, Y, margin=(-1.0, 1.5)).p)


def test_equal_ratings_are_no_obstacle_to_ranks() -> None:
    same = tost_signed_ranks([3, 4, 5, 6, 2, 4], [3, 4, 5, 6, 2, 4], margin=0.5)
    assert same.p_difference == 1.0
    assert same.p == pytest.approx(1 / 2**6)  # all six signs in favour, on both sides
    assert same.verdict == "equivalent"


def test_few_observations_have_no_interval_of_the_shift() -> None:
    result = tost_signed_ranks([1, 2], [1.5, 2.2], margin=1)
    assert result.effect.low is None
    assert result.verdict == "undecided"


def test_mistakes_are_named() -> None:
    with pytest.raises(UserError, match="does not enclose"):
        tost_means(X, Y, margin=0)
    with pytest.raises(UserError, match=r"alpha = 0\.6"):
        tost_paired_means(X, Y, margin=1, alpha=0.6)
    with pytest.raises(UserError, match="no pair"):
        tost_signed_ranks([math.nan], [1.0], margin=1)
    with pytest.raises(UserError, match="do not overlap"):
        tost_superiority([5, 6, 7], [1, 2, 3], margin=0.1)
    with pytest.raises(UserError, match="values and are no pairs"):
        tost_paired_means([1, 2, 3], [1, 2], margin=1)


def test_the_scale_of_the_ratings_changes_nothing() -> None:
    # Ten decimals are all of a rating and nothing of a probability of 1e-12.
    x, y = np.array(X, dtype=float), np.array(Y, dtype=float)
    for test in (tost_signed_ranks, tost_mann_whitney):
        plain, small = test(x, y, margin=0.75), test(1e-12 * x, 1e-12 * y, margin=0.75e-12)
        assert (small.p, small.p_beyond, small.p_difference) == (plain.p, plain.p_beyond, plain.p_difference)
        assert small.effect.value == pytest.approx(1e-12 * plain.effect.value)


def test_margins_that_nothing_can_lie_beyond() -> None:
    with pytest.raises(UserError, match=r"nothing could ever lie beyond.*above -1 and below 1"):
        tost_proportions((3, 4), (10, 10), margin=1.0)
    with pytest.raises(UserError, match=r"reaches to -0\.2 and 1\.2"):
        tost_superiority(X, Y, margin=0.7)


def test_a_bound_on_the_border_is_told_and_elsewhere_p_and_interval_agree() -> None:
    # Averages of two whole numbers are multiples of one half: 0.5 may be a bound, 0.4 and 0.6 may not.
    random, told = np.random.default_rng(2), 0
    for _ in range(30):
        x = random.integers(1, 8, 40)
        y = np.clip(x + random.integers(-1, 2, 40), 1, 7)
        told += bool(tost_signed_ranks(x, y, margin=0.5).notes)
        for margin in (0.4, 0.6):
            result = tost_signed_ranks(x, y, margin=margin)
            low, high = result.effect.low, result.effect.high
            assert low is not None and high is not None
            assert result.is_equivalent == (-margin < low and high < margin)
            assert not result.notes
    assert told > 10
