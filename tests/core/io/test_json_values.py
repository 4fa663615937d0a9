"""Is JSON that is not as expected refused with its path?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hengliang.core.errors import UserError
from hengliang.core.io.json_values import Value, read_value


@pytest.mark.parametrize(
    ("ask", "held", "problem"),
    [
        (Value.object, [], "an array stands here"),
        (Value.array, {}, "an object stands here"),
        (Value.text, 3, "a number stands here"),
        (Value.text, None, "null stands here"),
        (Value.name, "", "'' is no name"),
        (Value.name, ' "', "is no name"),
        (Value.name, "a\nb", "is no name"),
        (Value.word, "a b", "'a b' is no word"),
        (Value.word, "a\u3000b", "is no word"),
        (Value.truth, 1, "a number stands here"),
        (Value.number, True, "true or false stands here"),
        (Value.number, float("nan"), "the number is nan"),
        (Value.whole, 1.5, "a number stands here"),
        (Value.whole, "1", "a text stands here"),
    ],
)
def test_another_type_is_refused_with_its_path(ask: Callable[[Value], object], held: object, problem: str) -> None:
    with pytest.raises(UserError) as caught:
        ask(Value(held, "f.json", "$.a[2]"))
    assert caught.value.problem.startswith("f.json, at $.a[2]: ")
    assert problem in caught.value.problem


def test_paths_grow_with_keys_and_places() -> None:
    inner = Value({"a": [{"b": 1}]}, "f").object()["a"].array()[0].object()["b"]
    assert (inner.path, inner.whole()) == ("$.a[0].b", 1)


def test_needed_and_unknown_keys() -> None:
    value = Value({"a": 1, "c": 2}, "f")
    assert set(value.object(("a",))) == {"a", "c"}
    with pytest.raises(UserError, match="there is no 'b'"):
        value.object(("a", "b"))
    with pytest.raises(UserError, match="'c' is unknown") as caught:
        value.object(("a",), ("b",))
    assert caught.value.valid == "Known: a, b."


def test_the_right_types_are_given_back() -> None:
    assert Value("e\u0301", "f").text() == "\u00e9"
    assert Value("two words", "f").name() == "two words"
    assert Value(3, "f").number(at_least=3) == 3.0
    assert Value(False, "f").truth() is False
    with pytest.raises(UserError, match="the array has 0 elements"):
        Value([], "f").array(at_least=1)
    with pytest.raises(UserError, match="the number is inf"):
        Value(10**400, "f").number()
    with pytest.raises(UserError, match="the number is 2"):
        Value(2, "f").number(at_least=3)


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b'{"a": 1', "line 1, character 8: it is not JSON"),
        (b'{"a": 1,\n "a": 2}', "an object has the key 'a' twice"),
        (b'{"a": NaN}', "NaN is no number of JSON"),
        (b'{"a": "\xff"}', "x.json, line 1: byte 8 of the line is not UTF-8"),
    ],
)
def test_files_that_are_no_json(tmp_path: Path, raw: bytes, problem: str) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(raw)
    with pytest.raises(UserError) as caught:
        read_value(file)
    assert problem in caught.value.problem
    assert str(file) in caught.value.problem


def test_a_byte_order_mark_is_taken_off(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text('["好"]', encoding="utf-8-sig")
    assert read_value(file).array()[0].text() == "好"
    with pytest.raises(UserError, match="Cannot read"):
        read_value(tmp_path / "nothing.json")
