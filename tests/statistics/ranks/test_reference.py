from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, rankdata

from hengliang import UserError
from hengliang.statistics.ranks.samples import exact_p, normal_p, rank_sum_p, signed_rank_p
from tests.statistics.ranks.oracle import SIDES


def tails(sums: np.ndarray, observed: float, side: str) -> float:
    greater, less = float((sums >= observed - 1e-9).mean()), float((sums <= observed + 1e-9).mean())
    return {"greater": greater, "less": less}.get(side, min(1.0, 2 * min(greater, less)))


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(1, 4), st.booleans()), min_size=1, max_size=9), st.sampled_from(SIDES))
def test_signed_ranks_agree_with_all_sign_flips(pairs: list[tuple[int, bool]], side: str) -> None:
    ranks, positive = rankdata([size for size, _ in pairs]), np.array([sign for _, sign in pairs])
    flips = np.array(list(product([0, 1], repeat=len(ranks))))
    assert signed_rank_p(ranks, positive, side) == pytest.approx(tails(flips @ ranks, ranks[positive].sum(), side))


@settings(max_examples=60)
@given(st.lists(st.integers(1, 5), min_size=2, max_size=10), st.data(), st.sampled_from(SIDES))
def test_rank_sums_agree_with_all_choices(values: list[int], data: st.DataObject, side: str) -> None:
    n_first = data.draw(st.integers(1, len(values) - 1))
    ranks = rankdata(values)
    sums = np.array([ranks[list(chosen)].sum() for chosen in combinations(range(len(values)), n_first)])
    assert rank_sum_p(ranks, n_first, side) == pytest.approx(tails(sums, ranks[:n_first].sum(), side))


def test_normal_p_corrects_towards_the_expectation() -> None:
    assert normal_p(3, 2, "two-sided", correction=False) == pytest.approx((1.5, 2 * norm.sf(1.5)))
    assert normal_p(-3, 2, "two-sided", correction=True) == pytest.approx((-1.25, 2 * norm.sf(1.25)))
    assert normal_p(3, 2, "greater", correction=True) == pytest.approx((1.25, norm.sf(1.25)))
    assert normal_p(3, 2, "less", correction=True) == pytest.approx((1.75, norm.cdf(1.75)))
    assert normal_p(0, 2, "two-sided", correction=True) == (0, 1)


def test_two_sided_p_is_twice_the_smaller_tail_and_at_most_one() -> None:
    assert exact_p(np.array([0.25, 0.5, 0.25]), 2, "two-sided") == 0.5
    assert exact_p(np.array([0.25, 0.5, 0.25]), 1, "two-sided") == 1


def test_what_would_take_too_long_is_refused() -> None:
    with pytest.raises(UserError, match="500"):
        signed_rank_p(np.arange(1.0, 502), np.ones(501, dtype=bool), "greater")
    with pytest.raises(UserError, match="600 and 600"):
        rank_sum_p(np.arange(1.0, 1201), 600, "greater")
