import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import tiecorrect

from hengliang import UserError
from hengliang.statistics.ranks.samples import (
    check_names,
    expand_counts,
    take_differences,
    take_groups,
    tell_direction,
    tie_sum,
)


def test_groups_lose_missing_values_and_keep_their_names() -> None:
    groups = take_groups(([1, math.nan, 3], [2, 2]), ("BERT", "GE"))
    assert groups.names == ("BERT", "GE")
    assert groups.n_missing == 1
    assert groups.pooled.tolist() == [1, 3, 2, 2]


def test_groups_that_cannot_be_compared() -> None:
    with pytest.raises(UserError, match="1 sample"):
        take_groups(([1, 2],), None)
    with pytest.raises(UserError, match="Sample GE holds 0"):
        take_groups(([1, 2], []), ("BERT", "GE"))
    with pytest.raises(UserError, match="Sample B holds something"):
        take_groups(([1, 2], ["high"]), None)
    with pytest.raises(UserError, match="One name a sample"):
        take_groups(([1, 2], [3]), ("BERT",))


def test_names_are_letters_unless_given() -> None:
    assert check_names(None, 3) == ("A", "B", "C")
    assert check_names(None, 30)[29] == "group 30"


def test_float_noise_makes_no_false_differences() -> None:
    # 0.3 − 0.2 = 0.09999999999999998 and 0.2 − 0.1 = 0.1 in binary; 0.1 + 0.2 − 0.3 = 5.6e-17 is no difference.
    x, y = [0.3, 0.2, 0.1 + 0.2], [0.2, 0.1, 0.3]
    assert len(set(take_differences(x, y, None).values.tolist())) == 3
    taken = take_differences(x, y, 10).values
    assert taken[0] == taken[1] != 0
    assert taken[2] == 0


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=20), st.integers(-200, 200))
def test_rounding_keeps_the_order_whatever_the_unit(values: list[int], power: int) -> None:
    scaled = take_differences([value * 10.0**power for value in values], None, 10).values
    assert np.array_equal(np.sign(np.subtract.outer(scaled, scaled)), np.sign(np.subtract.outer(values, values)))
    assert np.array_equal(np.sign(scaled), np.sign(values))


def test_pairs_with_a_missing_half_are_counted() -> None:
    taken = take_differences([1, 2, math.nan], [0, math.nan, 4], 10)
    assert taken.values.tolist() == [1]
    assert taken.n_missing == 2


@pytest.mark.parametrize(("x", "y", "digits"), [([], [], 10), ([1, 2], [1], 10), ([1], [2], 0), ([1], [2], 99)])
def test_pairs_that_are_none(x: list[float], y: list[float], digits: int) -> None:
    with pytest.raises(UserError):
        take_differences(x, y, digits)


def test_counts_become_ratings() -> None:
    assert expand_counts([0, 2, 1], [-1, 0, 1]).tolist() == [0, 0, 1]
    assert len(expand_counts([45, 36, 45, 27, 61, 162, 212])) == 588
    for wrong in ([1, -1], [1.5, 2], [1, math.nan]):
        with pytest.raises(UserError, match="no counts"):
            expand_counts(wrong)
    with pytest.raises(UserError, match="2 counts but 3"):
        expand_counts([1, 2], [1, 2, 3])


@given(st.lists(st.integers(1, 7), min_size=2, max_size=40))
def test_tie_sum_is_that_of_scipy(values: list[int]) -> None:
    n = len(values)
    from scipy.stats import rankdata

    assert 1 - tie_sum(values) / (n**3 - n) == pytest.approx(tiecorrect(rankdata(values)))


def test_sentences_name_who_is_higher() -> None:
    assert tell_direction(("GE", "MLM"), -1, "two-sided")[0].en == "MLM tends to be higher than GE"
    assert tell_direction(("GE", "MLM"), 1, "two-sided")[0].zh == "GE 倾向于高于 MLM"
    assert tell_direction(("GE", "MLM"), -1, "greater")[1].en == "GE was not found to be higher than MLM"
    assert tell_direction(("GE", "MLM"), -1, "less")[0].zh == "GE 倾向于低于 MLM"
