"""Do estimates come back from JSON as they went?"""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from hengliang import Estimate, UserError
from hengliang.core import estimates_frame, json_number, number_from_json
from hengliang.core.io.estimate_rows import estimate_rows, estimates_from_rows, estimates_object

numbers = st.one_of(st.none(), st.floats(allow_nan=False))
estimates = st.builds(
    Estimate,
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    st.dictionaries(st.sampled_from(["system", "结构"]), st.sampled_from(["GE", "个"])),
    st.sampled_from(["accuracy", "p"]),
    numbers,
    numbers,
    numbers,
    st.lists(st.floats(), max_size=2).map(tuple),
    numbers,
    st.one_of(st.none(), st.integers(0, 10**9)),
    st.one_of(st.none(), st.integers(0, 10**9)),
    st.sampled_from(["", "mean"]),
    st.sampled_from(["", "a:b|c:d"]),
)


@given(st.lists(estimates, max_size=6))
def test_estimates_come_back_from_strict_json(rows: list[Estimate]) -> None:
    frame = estimates_frame(rows)
    text = json.dumps(estimates_object(frame), allow_nan=False)
    back = json.loads(text)
    assert back["schema_version"] == 1
    assert_frame_equal(estimates_from_rows(back["estimates"]), frame, check_exact=True)


def test_a_nan_is_no_number() -> None:
    frame = estimates_frame([Estimate("a", {}, "s", math.nan, low=-math.inf)])
    assert estimate_rows(frame)[0]["value"] is None
    assert estimate_rows(frame)[0]["low"] == "-Infinity"


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ({"analysis": "a"}, "no 'by'"),
        ({"analysis": "a", "by": {}, "statistic": "s", "value": 1, "colour": "red"}, "no field 'colour'"),
        ({"analysis": "a", "by": {}, "statistic": "s", "value": "many"}, "'many' is not a number"),
    ],
)
def test_wrong_rows_are_named(row: dict[str, Any], named: str) -> None:
    with pytest.raises(UserError, match=named):
        estimates_from_rows([row])


@given(st.floats(allow_nan=False))
def test_every_number_comes_back_from_strict_json(number: float) -> None:
    written = json.dumps(json_number(number), allow_nan=False)
    assert number_from_json(json.loads(written)) == number


def test_a_row_is_a_plain_object_with_every_field() -> None:
    made = Estimate("match", {"system": "GE"}, "F", 4.5, 4.0, math.inf, (2.0, 57.0), 0.01, 60, 1, "ANOVA", "a:b")
    assert estimate_rows(estimates_frame([made])) == [
        {
            "analysis": "match",
            "by": {"system": "GE"},
            "statistic": "F",
            "value": 4.5,
            "low": 4.0,
            "high": "Infinity",
            "df": [2.0, 57.0],
            "p": 0.01,
            "n": 60,
            "n_missing": 1,
            "method": "ANOVA",
            "signature": "a:b",
        }
    ]


def test_fields_that_are_not_given_are_not_zero() -> None:
    frame = estimates_from_rows([{"analysis": "a", "by": {}, "statistic": "s", "value": 1}])
    row = frame.row(0, named=True)
    assert (row["value"], row["method"], row["signature"], row["df"]) == (1.0, "", "", [])
    assert [row[name] for name in ("low", "high", "p", "n", "n_missing")] == [None] * 5


def test_an_unknown_degree_of_freedom_does_not_move_the_other() -> None:
    frame = estimates_frame([Estimate("a", {}, "F", 4.5, df=(math.nan, 57.0))])
    rows = estimate_rows(frame)
    assert rows[0]["df"] == [None, 57.0]
    between, within = estimates_from_rows(rows)["df"][0]
    assert math.isnan(between) and within == 57.0
