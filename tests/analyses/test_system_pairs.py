"""Which systems are ranked differently, and is p that of all sign changes?"""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy import stats

from hengliang.analyses.judge_levels import compare_systems, label_exchange_p, sign_flip_p, system_means
from hengliang.statistics import permutation as rearrangements

CELLS = pl.DataFrame(
    {
        "item": ["a", "b", "c"] * 2 + ["a", "b"],
        "system": ["M"] * 3 + ["N"] * 3 + ["O"] * 2,
        "first": [1.0, 2, 3, 2, 3, 4, 0, 0],
        "second": [5.0, 5, 6, 4, 4, 5, 1, 2],
    }
)


def test_means_and_ranks() -> None:
    found = system_means(CELLS)
    assert found.select("system", "items", "first", "first_rank", "second_rank").rows() == [
        ("M", 3, 2.0, 2.0, 1.0),
        ("N", 3, 3.0, 1.0, 2.0),
        ("O", 2, 0.0, 3.0, 3.0),
    ]


def test_pairs_are_compared_on_common_items() -> None:
    found = {(pair.system, pair.reference): pair for pair in compare_systems(CELLS)}
    assert [pair for pair, held in found.items() if held.is_ranked_differently] == [("N", "M")]
    pair = found["N", "M"]
    assert (pair.items, pair.first, pair.second) == (3, 1.0, -1.0)
    # All three differences are 1: of 8 sign changes two are as extreme.
    assert (pair.first_p, pair.second_p) == (0.25, 0.25)
    assert found["O", "M"].items == 2


def test_p_is_that_of_full_enumeration() -> None:
    differences = np.random.default_rng(4).normal(0.5, 1, 9).round(1)
    sums = [abs(np.dot(signs, differences)) for signs in product([1, -1], repeat=9)]
    expected = np.mean([total >= abs(differences.sum()) - 1e-9 for total in sums])
    assert sign_flip_p(differences) == expected
    # SciPy, all sign changes of one sample: permutation_type="samples" with a second sample of zeros.
    found = stats.permutation_test(
        (differences, np.zeros(9)), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples",
        vectorized=True, n_resamples=np.inf, alternative="two-sided",
    )  # fmt: skip
    assert sign_flip_p(differences) == pytest.approx(found.pvalue)


def test_drawn_sign_changes_come_close_and_are_never_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    differences = np.random.default_rng(4).normal(0.5, 1, 12).round(1)
    exact = sign_flip_p(differences)
    monkeypatch.setattr(rearrangements, "EXACT_LIMIT", 0)
    # The standard error of a share with 20,000 draws is below .0036.
    assert sign_flip_p(differences, draws=20_000) == pytest.approx(exact, abs=0.012)
    assert sign_flip_p(np.ones(60), draws=999) == 1 / 1000
    assert sign_flip_p(differences, draws=500, seed=7) == sign_flip_p(differences, draws=500, seed=7)


def test_no_difference_has_p_1() -> None:
    assert sign_flip_p(np.zeros(4)) == 1


def test_systems_without_common_items_are_compared_by_their_means() -> None:
    cells = pl.DataFrame(
        {
            "item": list("abcdef"),
            "system": ["M"] * 3 + ["N"] * 3,
            "first": [1.0, 2, 3, 4, 5, 6],
            "second": [5.0, 5, 6, 1, 2, 3],
        }
    )
    (pair,) = compare_systems(cells)
    assert (pair.system, pair.reference, pair.items, pair.paired) == ("N", "M", 6, False)
    assert (pair.first, pair.second) == pytest.approx((3.0, 2 - 16 / 3))
    # Of the 20 ways to choose three of six values, two part them as far: 2/20.
    assert (pair.first_p, pair.second_p) == (0.1, 0.1)
    assert pair.is_ranked_differently


def test_exchanged_labels_as_scipy_exchanges_them() -> None:
    rng = np.random.default_rng(5)
    first, second = rng.normal(0.8, 1, 6).round(1), rng.normal(0, 1, 5).round(1)
    found = stats.permutation_test(
        (first, second), lambda x, y, axis: np.abs(np.mean(x, axis=axis) - np.mean(y, axis=axis)),
        permutation_type="independent", vectorized=True, n_resamples=np.inf, alternative="greater",
    )  # fmt: skip
    assert label_exchange_p(first, second) == pytest.approx(found.pvalue)


def test_float_noise_ranks_nobody_higher() -> None:
    # 0.1 + 0.2 − 0.3 is 6e-17 in binary, and 0 for anybody who reads the ratings; the second judge sees none, too.
    first = {"M": [0.0, 0.0, 0.3], "N": [0.1, 0.2, 0.0]}
    rows = [(f"i{n}", system, first[system][n], 1.0) for system in "MN" for n in range(3)]
    (pair,) = compare_systems(pl.DataFrame(rows, schema=["item", "system", "first", "second"], orient="row"))
    assert (pair.first, pair.second) == (0.0, 0.0)
    assert not pair.is_ranked_differently
    assert pair.first_p == 1.0
