import math
import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import brunnermunzel
from statsmodels.stats.nonparametric import rank_compare_2indep

from hengliang import UserError
from hengliang.statistics.conventions import multiverse
from hengliang.statistics.ranks.brunner_munzel import CONVENTIONS, Reference, brunner_munzel_test
from tests.statistics.ranks.oracle import SIDES

ratings = st.lists(st.integers(1, 7), min_size=2, max_size=20)


def overlap(x: list[int], y: list[int]) -> bool:
    return max(x) >= min(y) and max(y) >= min(x) and len({*x, *y}) > 1


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("reference", ["t", "normal"])
@given(x=ratings, y=ratings)
def test_statistic_and_p_of_scipy(reference: Reference, side: str, x: list[int], y: list[int]) -> None:
    assume(overlap(x, y))
    with np.errstate(all="ignore"):
        theirs = brunnermunzel(x, y, alternative=side, distribution=reference)
    assume(math.isfinite(theirs.statistic))
    found = brunner_munzel_test(x, y, reference=reference, alternative=side)
    assert found.statistic == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-9)
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-7, abs=1e-12)


@given(ratings, ratings)
def test_estimate_and_interval_of_statsmodels(x: list[int], y: list[int]) -> None:
    assume(overlap(x, y))
    theirs = rank_compare_2indep(y, x, use_t=True)  # its prob1 is P(first > second)
    assume(theirs.var_prob > 1e-9)
    effect = brunner_munzel_test(x, y).effect("probability")
    assert effect.value == pytest.approx(theirs.prob1)
    low, high = theirs.conf_int()
    assert (effect.low, effect.high) == pytest.approx((max(0, low), min(1, high)), rel=1e-7, abs=1e-9)


@settings(max_examples=15)
@given(st.lists(st.integers(1, 5), min_size=3, max_size=4), st.lists(st.integers(1, 5), min_size=3, max_size=4))
def test_permutation_agrees_with_all_ways_to_share_out(x: list[int], y: list[int]) -> None:
    assume(overlap(x, y))
    pooled, n_x = np.array(x + y), len(x)
    try:
        observed = brunner_munzel_test(x, y).statistic
    except UserError:
        return
    statistics = []
    for chosen in combinations(range(len(pooled)), n_x):
        first, second = pooled[list(chosen)], np.delete(pooled, chosen)
        share = np.mean([(b > a) + 0.5 * (a == b) for a in first for b in second])
        try:
            statistics.append(brunner_munzel_test(first, second).statistic)
        except UserError:
            statistics.append(math.copysign(math.inf, share - 0.5))
    lower = np.mean([value <= observed + 1e-9 for value in statistics])
    higher = np.mean([value >= observed - 1e-9 for value in statistics])
    found = {side: brunner_munzel_test(x, y, reference="permutation", alternative=side).p for side in SIDES}
    assert found["greater"] == pytest.approx(lower)
    assert found["less"] == pytest.approx(higher)
    assert found["two-sided"] == pytest.approx(min(1, 2 * min(lower, higher)))


def test_greater_asks_whether_the_first_sample_is_higher() -> None:
    high, low = [5, 6, 7, 6, 4, 7, 5], [1, 2, 5, 3, 4, 2, 3]
    result = brunner_munzel_test(high, low, alternative="greater", names=("BERT", "GE"))
    assert result.p is not None and result.p < 0.01
    assert result.statistic < 0
    assert result.effect("probability").value < 0.5
    assert result.effect("cliff-delta").value > 0
    assert result.sentence().en.startswith("BERT tends to be higher than GE")


def test_samples_that_do_not_overlap_need_permutation() -> None:
    with pytest.raises(UserError, match="do not overlap"):
        brunner_munzel_test([1, 2, 3], [4, 5, 6])
    # One of C(6, 3) = 20 ways is as far out on either side.
    result = brunner_munzel_test([1, 2, 3], [4, 5, 6], reference="permutation")
    assert result.p == pytest.approx(2 / 20)
    assert result.statistic == math.inf
    assert result.effect("probability").low is None


def test_random_permutations_have_a_seed_and_come_near_t() -> None:
    random = np.random.default_rng(2)
    x, y = random.normal(0, 1, 30), random.normal(0.5, 2, 25)
    first = brunner_munzel_test(x, y, reference="permutation", draws=4000, seed=7)
    again = brunner_munzel_test(x, y, reference="permutation", draws=4000, seed=7)
    assert first.p == again.p
    assert first.conventions["seed"] == 7
    assert first.p == pytest.approx(brunner_munzel_test(x, y).p, abs=0.03)


def test_conventions_and_bad_samples() -> None:
    assert len(multiverse(brunner_munzel_test, CONVENTIONS, [1, 2, 4, 3], [2, 3, 5]).variants) == 3
    with pytest.raises(UserError, match="All observations are equal"):
        brunner_munzel_test([2, 2], [2, 2], reference="permutation")
    with pytest.raises(UserError, match="Sample A holds 1"):
        brunner_munzel_test([2], [2, 3])
    with pytest.raises(UserError, match="draws"):
        brunner_munzel_test(range(30), range(5, 40), reference="permutation", draws=0)


def test_many_values_are_permuted_in_bounded_memory() -> None:
    # 20 draws of 300,000 values at once would take 1 GB for values, ranks and copies; a chunk holds 2 million numbers.
    random = np.random.default_rng(5)
    x, y = random.integers(1, 8, 150_000), random.integers(1, 8, 150_000)
    tracemalloc.start()
    p = brunner_munzel_test(x, y, reference="permutation", draws=20).p
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert p is not None and 2 / 21 <= p <= 1
    assert most < 250e6
