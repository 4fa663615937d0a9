"""Are typed numbers and texts read as they were meant, and is what is no writing refused?"""

from __future__ import annotations

import math
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.people.tasks.fields import (
    UNANSWERED,
    UNREADABLE,
    decimal_number,
    field_id,
    sent,
    text_problem,
    tidied,
    too_long,
    unkept,
    whole_number,
)


@pytest.mark.parametrize(
    ("typed", "number"),
    [("42", 42.0), (" ４２ ", 42.0), ("-3.5", -3.5), ("－３．５", -3.5), ("007", 7.0), ("+1", 1.0)],
)
def test_numbers_in_ordinary_and_full_width_digits(typed: str, number: float) -> None:
    assert decimal_number(typed) == number


@pytest.mark.parametrize(
    "typed", ["", "nan", "NaN", "inf", "-inf", "1e3", "1_000", "0x10", "²", "①", "四", "1,5", "9" * 30]
)
def test_what_is_no_number(typed: str) -> None:
    assert decimal_number(typed) is None
    assert whole_number(typed) is None


def test_whole_numbers_have_no_sign_and_no_part() -> None:
    assert (whole_number("１２"), whole_number("0"), whole_number("-1"), whole_number("1.0")) == (12, 0, None, None)


@given(st.text())
def test_numbers_are_finite_or_none(text: str) -> None:
    number = decimal_number(text)
    assert number is None or math.isfinite(number)


@given(st.text())
def test_tidied_text_is_stable_and_normal(text: str) -> None:
    once = tidied(text)
    assert tidied(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert "\r" not in once


def test_what_shows_nothing_is_empty() -> None:
    assert tidied(" \u3000\u200b\ufeff ") == ""
    assert tidied("e\u0301") == "\u00e9"


@pytest.mark.parametrize("sign", ["\0", "\x1b", "\u202e", "\u2066", "\ud800", "\u2028", "\x7f"])
def test_what_is_no_writing(sign: str) -> None:
    assert unkept(f"匹{sign}马")
    problem = text_problem("answer-x", f"匹{sign}马", 10)
    assert problem is not None
    assert problem.message == UNREADABLE


def test_lines_where_lines_are_written() -> None:
    assert unkept("一\n二")
    assert not unkept("一\n二\t三", lines=True)
    assert text_problem("answer-x", "一\r\n二", 3, lines=True) is None


def test_length_is_counted_in_characters_after_tidying() -> None:
    assert text_problem("answer-x", "  匹马  ", 2) is None
    assert text_problem("answer-x", "e\u0301" * 2, 2) is None
    assert text_problem("answer-x", "匹马马", 2) == too_long("answer-x", 2)
    assert text_problem("answer-x", "马" * 1_000_000, 2) == too_long("answer-x", 2)
    empty = text_problem("answer-x", " \n ", 2)
    assert empty is not None
    assert empty.message == UNANSWERED


@given(st.text(), st.text())
def test_ids_differ_when_fields_do(one: str, other: str) -> None:
    assert (field_id(one) == field_id(other)) == (one == other)
    assert field_id(one).isascii()
    assert " " not in field_id(one)


def test_a_field_that_is_no_text_is_empty() -> None:
    assert sent({"answer-x": 3}, "answer-x") == ""  # type: ignore[dict-item]
    assert sent({}, "answer-x") == ""
