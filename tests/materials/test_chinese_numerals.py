"""Are Chinese numerals read and written as speakers do?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.materials.chinese_numerals import chinese_numeral, counting_numeral, numeral_value


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0, "零"),
        (2, "二"),
        (10, "十"),
        (12, "十二"),
        (20, "二十"),
        (99, "九十九"),
        (100, "一百"),
        (105, "一百零五"),
        (110, "一百一十"),
        (112, "一百一十二"),
        (400, "四百"),
        (1005, "一千零五"),
        (1050, "一千零五十"),
        (1500, "一千五百"),
        (9999, "九千九百九十九"),
    ],
)
def test_numbers_are_written_as_they_are_said(number: int, written: str) -> None:
    assert chinese_numeral(number) == written
    assert numeral_value(written) == number


@given(st.integers(0, 9999))
def test_what_is_written_is_read_back(number: int) -> None:
    assert numeral_value(chinese_numeral(number)) == number
    assert numeral_value(counting_numeral(number)) == number
    assert numeral_value(str(number)) == number


def test_before_a_classifier_two_is_another_word() -> None:
    assert counting_numeral(2) == "两"
    assert counting_numeral(22) == "二十二"


@pytest.mark.parametrize("text", ["", "一一", "十十", "百", "半", "三x", "二二"])
def test_what_is_no_numeral_has_no_value(text: str) -> None:
    assert numeral_value(text) is None


@pytest.mark.parametrize("number", [-1, 10_000])
def test_numbers_out_of_range_are_refused(number: int) -> None:
    with pytest.raises(UserError, match="0 to 9999"):
        chinese_numeral(number)
