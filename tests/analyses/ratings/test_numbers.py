"""Is a cell read as the number it means, and a scale as it is written?"""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.analyses.ratings.reading import MISSING, as_numbers, inferred_scale, parse_scale


def read(*cells: str, decimal_comma: bool = False) -> list[float | None]:
    numbers, wrong = as_numbers(pl.Series(cells, dtype=pl.String), decimal_comma=decimal_comma)
    assert not wrong.len()
    return numbers.to_list()


def test_full_width_and_circled_digits_are_digits() -> None:
    assert read("５", " 7 ", "４．５", "③", "−2", "1e1") == [5, 7, 4.5, 3, -2, 10]


def test_what_stands_for_a_missing_rating_is_no_number_and_no_fault() -> None:
    assert read(*MISSING, "NA", "NaN", "N/A") == [None] * (len(MISSING) + 3)


def test_a_decimal_comma_counts_only_where_semicolons_part() -> None:
    assert read("4,5", "3", decimal_comma=True) == [4.5, 3]
    _, wrong = as_numbers(pl.Series(["4,5", "3"]))
    assert wrong.to_list() == [0]


@pytest.mark.parametrize("text", ["gut", "7分", "inf", "-inf", "1 2", "true"])
def test_text_is_found_with_its_place(text: str) -> None:
    _, wrong = as_numbers(pl.Series(["1", text, "2"]))
    assert wrong.to_list() == [1]


@given(st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False, width=32)))
def test_numbers_come_back(values: list[float | None]) -> None:
    assert read(*("" if value is None else repr(value) for value in values)) == values


@pytest.mark.parametrize("text", ["1-7", "1–7", "1 - 7", "１－７", "1..7", "1~7", "1 to 7"])
def test_a_scale_is_read_however_it_is_written(text: str) -> None:
    scale = parse_scale(text)
    assert (scale.low, scale.high, scale.inferred, scale.steps) == (1, 7, False, (1, 2, 3, 4, 5, 6, 7))


def test_a_scale_may_begin_below_zero() -> None:
    assert parse_scale("-3..3").steps == (-3, -2, -1, 0, 1, 2, 3)


@pytest.mark.parametrize("text", ["7", "7-1", "a-b", "", "3-3"])
def test_what_is_no_scale_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="no scale"):
        parse_scale(text)


def test_an_inferred_scale_says_so() -> None:
    scale = inferred_scale(pl.DataFrame({"a": [2.0, 5.0, None], "b": [1.0, 3.0, 3.0]}))
    assert (str(scale), scale.inferred) == ("1–5", True)
    assert "inferred" in scale.note().en and "推断" in scale.note().zh


def test_ratings_that_are_not_steps_have_no_steps() -> None:
    assert inferred_scale(pl.DataFrame({"a": [2.5, 5.0]})).steps == ()
    assert inferred_scale(pl.DataFrame({"a": [0.0, 100.0]})).steps == ()
    assert "no cut-offs" in inferred_scale(pl.DataFrame({"a": [0.0, 100.0]})).note().en
