from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Estimate
from hengliang.core import estimates_frame
from hengliang.report.compare import compare_estimates, differing_keys, interval_relation
from tests.report.example import content


def estimate(value: float | None, low: float | None = None, high: float | None = None, **more: Any) -> Estimate:
    return Estimate("match", {"system": "GE"}, "accuracy", value, low, high, n=5, **more)


def test_two_runs_are_lined_up() -> None:
    left = estimates_frame([estimate(0.5, 0.4, 0.6, signature="data:a|seed:1"), Estimate("old", {}, "x", 1.0)])
    right = estimates_frame(
        [Estimate("new", {}, "x", 2.0), estimate(0.75, 0.7, 0.8, signature="data:a|seed:2|zeros:no")]
    )
    table = compare_estimates(left, right)
    assert [[str(cell) for cell in row] for row in table.cells()] == [
        ["match", "system: GE", "accuracy", "0.5 [0.4, 0.6]", "0.75 [0.7, 0.8]", "0.25", "apart", "seed, zeros"],
        ["old", "all", "x", "1", "— (only in the left run)", "—", "—", "—"],
        ["new", "all", "x", "— (only in the right run)", "2", "—", "—", "—"],
    ]
    assert "no test" in str(table)


def test_the_order_of_factors_does_not_matter() -> None:
    left = estimates_frame([Estimate("a", {"x": "1", "y": "2"}, "s", 1.0)])
    right = estimates_frame([Estimate("a", {"y": "2", "x": "1"}, "s", 1.0)])
    assert compare_estimates(left, right).frame["difference"].to_list() == [0.0]


def test_numbers_by_two_methods_are_lined_up_in_order() -> None:
    rows = [Estimate("a", {}, "s", 1.0, method="m"), Estimate("a", {}, "s", 2.0, method="k")]
    table = compare_estimates(estimates_frame(rows), estimates_frame(rows))
    assert table.frame.select("left", "right").rows() == [(1.0, 1.0), (2.0, 2.0)]


def test_a_missing_number_has_no_difference() -> None:
    table = compare_estimates(estimates_frame([estimate(None)]), estimates_frame([estimate(0.5)]))
    assert [str(cell) for cell in table.cells()[0]][3:6] == ["— (not computable)", "0.5", "—"]
    assert table.frame["difference"].to_list() == [None]


def test_a_run_equals_itself() -> None:
    frame = content().estimates
    table = compare_estimates(frame, frame)
    assert len(table) == frame.height
    assert set(table.frame["signatures"]) == {"same"}
    assert set(table.frame["difference"].drop_nulls()) == {0.0}


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("a:1|b:2", "a:1|b:2", "same"),
        ("a:1|b:2", "b:2|a:1", "same"),  # the order of pairs changes no number
        ("a:1|b:2", "a:1|b:3", "b"),
        ("a:1", "c:1", "a, c"),
        ("", "a:1", "a"),
    ],
)
def test_differing_keys(left: str, right: str, expected: str) -> None:
    assert differing_keys(left, right) == expected


bounds = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted)


@given(bounds, bounds)
def test_intervals_overlap_when_they_share_a_point(first: list[int], second: list[int]) -> None:
    shared = set(range(first[0], first[1] + 1)) & set(range(second[0], second[1] + 1))
    relation = interval_relation(estimate(0, *first), estimate(0, *second))
    assert relation == ("overlap" if shared else "apart")
    assert interval_relation(estimate(0, *first), estimate(0, second[0], None)) is None
