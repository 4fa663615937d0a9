from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.statistics.permutation import (
    EXACT_LIMIT,
    Rearrangement,
    inverted_interval,
    label_exchanges,
    rearranged_p,
    sign_flips,
)


def test_all_signs_come_once() -> None:
    plan, chunks = sign_flips(5, draws=10, seed=1)
    rows = {tuple(row) for row in np.concatenate(list(chunks)).tolist()}
    assert plan.exact and plan.describe() == "all 32"
    assert rows == set(product([1.0, -1.0], repeat=5))


def test_many_signs_are_drawn_evenly_and_by_seed() -> None:
    plan, chunks = sign_flips(40, draws=4000, seed=1)
    signs = np.concatenate(list(chunks))
    assert not plan.exact and plan.run == 4000
    assert np.abs(signs.mean(axis=0)).max() < 0.08  # standard error 1/√4000 = .016
    assert (np.concatenate(list(sign_flips(40, 4000, 1)[1])) == signs).all()
    assert (np.concatenate(list(sign_flips(40, 4000, 2)[1])) != signs).any()


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=2, max_size=6))
def test_all_exchanges_are_the_different_orders_within_strata(clusters: list[tuple[int, int]]) -> None:
    chosen, strata = (np.array(column) for column in zip(*clusters, strict=True))
    plan, chunks = label_exchanges(chosen, strata, draws=10, seed=1)
    rows = np.concatenate(list(chunks))
    found = {tuple(row) for row in rows.tolist()}
    counts = {stratum: chosen[strata == stratum].sum() for stratum in strata}
    expected = {
        order
        for order in permutations(chosen.tolist())
        if all(sum(np.array(order)[strata == stratum]) == count for stratum, count in counts.items())
    }
    assert found == expected
    assert len(rows) == plan.total == len(expected)


def test_random_exchanges_keep_the_number_in_each_stratum() -> None:
    chosen, strata = np.array([1, 0] * 12), np.repeat([0, 1, 2], 8)
    plan, chunks = label_exchanges(chosen, strata, draws=500, seed=3)
    rows = np.concatenate(list(chunks))
    assert plan.total == 70**3 > EXACT_LIMIT
    for stratum in range(3):
        assert (rows[:, strata == stratum].sum(axis=1) == 4).all()
    assert np.abs(rows.mean(axis=0) - 0.5).max() < 0.1


def test_p_counts_itself() -> None:
    sampled = Rearrangement(10**6, 99, 1)
    assert sampled.probability(0) == 0.01
    assert sampled.error(0.5) == pytest.approx(0.05)
    whole = Rearrangement(8, 99, 1)
    assert (whole.probability(2), whole.error(0.25)) == (0.25, 0.0)
    with pytest.raises(UserError, match="random rearrangements"):
        sign_flips(40, 0, 1)


def test_sides() -> None:
    plan, values = Rearrangement(5, 1, 1), np.array([-3.0, -1.0, 0.0, 1.0, 2.0])
    assert rearranged_p(2.0, values, plan) == 0.4
    assert rearranged_p(2.0, values, plan, "doubled") == 0.4
    assert rearranged_p(-3.0, values, plan, "doubled") == 0.4
    assert rearranged_p(-3.0, values, plan) == 0.2
    assert rearranged_p(1.0, values, plan, alternative="greater") == 0.4
    assert rearranged_p(1.0, values, plan, alternative="less") == 0.8
    assert rearranged_p(0.1 + 0.2, np.array([0.3]), Rearrangement(1, 1, 1), alternative="greater") == 1.0


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-10, 10), min_size=6, max_size=9), st.floats(-3, 3))
def test_the_interval_holds_what_the_test_does_not_reject(values: list[float], shift: float) -> None:
    # The test at every shift, run anew, decides as the interval does; shifts at a bound itself are left to rounding.
    differences = np.array(values)
    plan, chunks = sign_flips(len(differences), 1, 1)
    signs = np.concatenate(list(chunks))
    n = len(differences)
    interval = inverted_interval(differences.mean(), signs @ differences / n, signs.sum(axis=1) / n, plan, 0.9)
    assert interval is not None
    low, high = interval
    assert low <= differences.mean() + 1e-9 and high >= differences.mean() - 1e-9
    if min(abs(shift - low), abs(shift - high)) < 1e-6:
        return
    moved = differences - shift
    p = rearranged_p(moved.mean(), signs @ moved / n, plan, "doubled")
    assert (low < shift < high) == (p > 0.1 + 1e-12)


def test_too_few_rearrangements_give_no_interval() -> None:
    plan, chunks = sign_flips(4, 1, 1)
    signs = np.concatenate(list(chunks))
    # 16 flips: the smallest one-sided p is 1/16, above 2.5 %.
    assert inverted_interval(1.0, signs.mean(axis=1), signs.mean(axis=1), plan, 0.95) is None


def test_the_scale_of_the_data_changes_nothing() -> None:
    # Differences 1, 2, … 8 of one sign: only all + and all − are as extreme, 2 of 2⁸. Probabilities of a language model
    # are as small as 1e-13.
    differences = np.arange(1.0, 9.0)
    for scale in (1.0, 1e-13, 1e13):
        plan, chunks = sign_flips(8, 10, 1)
        sums = np.concatenate([signs @ (scale * differences) for signs in chunks])
        assert rearranged_p(scale * 36.0, sums, plan) == 2 / 256


def test_a_few_huge_values_do_not_blur_the_others() -> None:
    # Of t values some may be near infinite; 1.5 and 2 stay apart all the same.
    values = np.array([1.5, -1.5, 2.0, -2.0, 1e12, np.inf, -np.inf, 0.5])
    plan = Rearrangement(len(values), 10, 1)
    assert rearranged_p(2.0, values, plan) == 5 / 8


def test_a_bound_of_zero_is_zero() -> None:
    # The mean of 0.8 and −0.8 is a bound of these seven differences; as 2e-16 it would speak against p = 4/2⁶.
    differences = np.array([0.8, -0.8, 1.0, 0.4, 1.6, 1.5, 2.4])
    plan, chunks = sign_flips(7, 10, 1)
    signs = np.concatenate(list(chunks))
    values, slopes = signs @ differences / 7, signs.sum(axis=1) / 7
    assert rearranged_p(float(differences.mean()), values, plan) == 4 / 64
    bounds = inverted_interval(float(differences.mean()), values, slopes, plan, 0.95)
    assert bounds is not None
    assert bounds[0] == 0.0
