from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.people.pages.form_reading import (
    FIELDS,
    LONGEST_TIMING,
    NotAForm,
    read_form,
    seconds_of,
    timing_of,
    whole_number,
)


@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=20),
        st.text(st.characters(codec="utf-8")),
        max_size=20,
    )
)
def test_what_a_browser_sends_is_read_as_it_was(fields: dict[str, str]) -> None:
    # Character zero alone is not kept: PostgreSQL has no such character.
    expected = {name.replace("\0", "\ufffd"): value.replace("\0", "\ufffd") for name, value in fields.items()}
    assert read_form(urlencode(fields).encode()) == expected


@given(st.binary(max_size=300))
def test_anything_else_is_a_form_or_no_form(body: bytes) -> None:
    try:
        read = read_form(body)
    except NotAForm:
        return
    assert all("\0" not in name + value for name, value in read.items())


@pytest.mark.parametrize(
    "body",
    [
        b"a=%ff",
        b"a=%C3",
        "a=马".encode(),
        b"no pair",
        b"a=1&&b",
        b"&".join([b"a=1"] * (FIELDS + 1)),
        b"n" * 200 + b"=1",
    ],
)
def test_what_is_no_form(body: bytes) -> None:
    with pytest.raises(NotAForm):
        read_form(body)


def test_the_last_of_two_counts_and_nothing_is_an_empty_form() -> None:
    assert read_form(b"a=1&a=2&b=") == {"a": "2", "b": ""}
    assert read_form(b"") == {}


@pytest.mark.parametrize(
    ("value", "number"), [("0", 0), ("17", 17), ("", None), ("-1", None), ("1.5", None), ("٣", None), ("9" * 12, None)]
)
def test_whole_numbers(value: str, number: int | None) -> None:
    assert whole_number({"step": value}, "step") == number
    assert whole_number({}, "step") is None


@pytest.mark.parametrize(
    ("claimed", "seconds"),
    [
        ("3.25", 3.25),
        ("0", 0.0),
        # The server has known the page for 10 s: what goes far beyond that, or is no time, is its own measure.
        ("39", 39.0),
        ("41", 10.0),
        ("-1", 10.0),
        ("nan", 10.0),
        ("inf", 10.0),
        ("", 10.0),
        ("1e400", 10.0),
        ("soon", 10.0),
    ],
)
def test_seconds_by_the_browser_or_else_by_the_server(claimed: str, seconds: float) -> None:
    assert seconds_of({"seconds": claimed}, 10.0) == seconds


def test_seconds_are_at_most_a_day() -> None:
    assert seconds_of({}, 1e9) == 86_400.0


def test_a_server_whose_clock_was_set_back_takes_the_browser_s_word_and_makes_no_zero_of_what_nobody_knows() -> None:
    assert seconds_of({"seconds": "45.2"}, -3600.0) == 45.2
    assert seconds_of({"seconds": "86401"}, -3600.0) is None
    assert seconds_of({}, -5.0) is None


def test_timing_is_a_json_object_of_some_length() -> None:
    assert (
        timing_of({"timing": '{ "page": {"visibility": [[12, "hidden"]]} }'})
        == '{"page":{"visibility":[[12,"hidden"]]}}'
    )
    assert timing_of({}) == ""
    assert timing_of({"timing": "[1]"}) == ""
    assert timing_of({"timing": "{"}) == ""
    assert timing_of({"timing": "[" * 7_000}) == ""
    assert timing_of({"timing": json.dumps({"a": "b" * LONGEST_TIMING})}) == ""
