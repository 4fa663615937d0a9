"""Do the general recomputations give what counting by hand gives?"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Bilingual
from hengliang.analysis.replication.claims import (
    from_rounded,
    needs_raw,
    possible_mean,
    possible_sd,
    product,
    standard_deviations,
    through_rounding,
    total,
)
from hengliang.analysis.replication.published import Claim, published
from hengliang.analysis.replication.verdicts import Printed, judge

PAPER = published("000")


def claim(text: str, **inputs: object) -> Claim:
    return Claim("x.y", "1", Bilingual("", ""), "", text, inputs)


def test_sums_and_products() -> None:
    assert total(PAPER, claim("5", parts=[9, -4])).value == 5
    assert total(PAPER, claim("5", parts=[9, -4])).note.en == "9 − 4"
    assert product(PAPER, claim("800", factors=[200, 4])).value == 800


def test_a_range_follows_from_rounded_inputs() -> None:
    # x − y with x in [0.95, 1.05] and y in [0.45, 0.55]: from 0.4 to 0.6.
    def difference(values: Sequence[float]) -> float:
        return values[0] - values[1]

    value, low, high = through_rounding(difference, [Printed.parse("1.0"), Printed.parse("0.5")])
    assert (value, low, high) == pytest.approx((0.5, 0.4, 0.6))
    zero = through_rounding(difference, [Printed.parse("1.0"), Printed.parse("0.0")], exact_zeros=True)
    assert zero == pytest.approx((1.0, 0.95, 1.05))
    found = from_rounded(difference, [Printed.parse("1.0"), Printed.parse("0.5")], Bilingual("", ""))
    assert found.ends() == pytest.approx((0.4, 0.6))


@given(st.lists(st.integers(1, 5), min_size=3, max_size=60))
def test_a_mean_that_occurred_is_possible(values: list[int]) -> None:
    text = f"{statistics.fmean(values):.2f}"
    found = possible_mean(PAPER, claim(text, n=[len(values)]))
    assert judge(text, found) == "compatible"


def test_a_mean_that_cannot_be_is_told() -> None:
    # Of 36 ratings 124/36 = 3.444 and 125/36 = 3.472, of 66 228/66 = 3.4545 and 229/66 = 3.4697: never 3.46.
    found = possible_mean(PAPER, claim("3.46", n=[36, 66]))
    assert judge("3.46", found) == "differs"
    assert found.value == pytest.approx(228 / 66)
    assert "rounded twice" in found.note.en


def test_standard_deviations_by_full_enumeration() -> None:
    # Every multiset of four whole numbers from 2 to 6 in which 2 and 6 occur and whose mean prints as 4.0.
    mean = Printed.parse("4.0")
    expected = sorted(
        {
            round(statistics.stdev(values), 10)
            for values in itertools.combinations_with_replacement(range(2, 7), 4)
            if min(values) == 2 and max(values) == 6 and mean.agrees(statistics.fmean(values))
        }
    )
    assert [round(value, 10) for value in standard_deviations(4, 2, 6, mean)] == expected


def test_a_standard_deviation_beyond_the_range_is_told() -> None:
    # Eight ages from 25 to 62 with mean 36.0 can spread by 16.8 at most.
    assert judge("12.0", possible_sd(PAPER, claim("12.0", n=8, low=25, high=62, mean="36.0"))) == "compatible"
    assert judge("17.5", possible_sd(PAPER, claim("17.5", n=8, low=25, high=62, mean="36.0"))) == "differs"


def test_what_needs_raw_data_says_which() -> None:
    found = needs_raw(PAPER, claim(".43", missing="scores"))
    assert found.value is None
    assert "scores" in found.note.en
