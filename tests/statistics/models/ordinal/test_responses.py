"""Are ratings put in their order, and are those beside the scale named?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl
import pytest

from hengliang import UserError
from hengliang.statistics.models.design import design
from hengliang.statistics.models.ordinal.links import CodedResponse, code_response, describe_categories


def coded(values: Sequence[object], scale: object = None, dtype: pl.DataType | None = None) -> CodedResponse:
    frame = pl.DataFrame({"rating": pl.Series(values, dtype=dtype), "x": range(len(values))})
    return code_response(design("rating ~ x", frame), scale)  # type: ignore[arg-type]


def test_numbers_are_ordered_by_value() -> None:
    found = coded([10, 2, 9, 2, 10])
    assert found.categories == ("2", "9", "10")
    assert found.codes.tolist() == [2, 0, 1, 0, 2]
    assert describe_categories(found) == "2 < 9 < 10"


def test_numbers_as_text_are_ordered_by_value_too() -> None:
    assert coded(["10", "2", " 9"]).categories == ("2", "9", "10")


def test_truth_values() -> None:
    assert coded([True, False, True]).codes.tolist() == [1, 0, 1]


def test_categories_that_nobody_gave_are_left_out() -> None:
    found = coded([1.0, 3.0, 7.0], (1, 7))
    assert found.categories == ("1", "3", "7")
    assert found.unused == ("2", "4", "5", "6")


def test_words_in_a_stated_order() -> None:
    found = coded(["fair", "poor", "good"], ("poor", "fair", "good"))
    assert found.codes.tolist() == [1, 0, 2]
    enum = pl.Enum(["poor", "fair", "good", "superb"])
    found = coded(["fair", "poor", "good"], dtype=enum)
    assert found.codes.tolist() == [1, 0, 2] and found.unused == ("superb",)


@pytest.mark.parametrize(("value", "shown"), [(8, "'8'"), (2.5, "'2.5'"), (0, "'0'")])
def test_a_rating_beside_the_scale_is_named_with_its_row(value: float, shown: str) -> None:
    with pytest.raises(UserError, match=f"Column 'rating', row 3: {shown} is not on the scale") as error:
        coded([1, 2, value, 4], (1, 7), pl.Float64())
    assert error.value.valid == "The scale: 1, 2, 3, 4, 5, 6, 7."


def test_rows_are_those_of_the_table() -> None:
    frame = pl.DataFrame({"rating": [None, 1, 2, 9, 9], "x": [1.0, 2.0, None, 4.0, 5.0]})
    with pytest.raises(UserError, match=r"row 4: '9' is not on the scale \(2 such rows\)"):
        code_response(design("rating ~ x", frame), (1, 7))


def test_words_without_an_order_are_refused() -> None:
    with pytest.raises(UserError, match="row 2: 'good' is text") as error:
        coded(["3", "good", "4"])
    assert 'scale=("poor", "fair", "good")' in error.value.valid


def test_scales_that_are_none() -> None:
    with pytest.raises(UserError, match="has no width"):
        coded([1, 2], (7, 1))
    with pytest.raises(UserError, match="two or more different"):
        coded(["a", "b"], ("a", "a"))


def test_a_measurement_is_no_rating() -> None:
    with pytest.raises(UserError, match="60 different values"):
        coded([place / 7 for place in range(60)])


def test_equal_numbers_written_differently_are_one_answer() -> None:
    # 3 and 3.0 are the same rating: three categories, not five.
    found = coded(["3", "3.0", "1", " 1.0 ", "2"])
    assert found.categories == ("1", "2", "3")
    assert found.codes.tolist() == [2, 2, 0, 0, 1]
    assert coded(["3.0", "1", "2"], (1, 5)).unused == ("4", "5")


def test_an_enum_may_have_spaces() -> None:
    assert coded(["good", "poor "], dtype=pl.Enum(["poor ", "good"])).codes.tolist() == [1, 0]


def test_infinite_ratings_are_refused() -> None:
    with pytest.raises(UserError, match="infinite"):
        coded([1.0, 2.0, float("inf")])
    with pytest.raises(UserError, match="row 3: 'inf' is text"):
        coded(["1", "2", "inf"])


def test_many_numbers_as_text_are_no_rating_either() -> None:
    with pytest.raises(UserError, match="60 different values"):
        coded([str(place / 8) for place in range(60)])


def test_no_ratings_at_all() -> None:
    held = design("rating ~ 1", pl.DataFrame({"rating": [1, 2]}))
    with pytest.raises(UserError, match="no ratings"):
        code_response(replace(held, response=held.response[:0]))
