"""Is the sentence of each row found, and what is wrong with a row said of that row alone?"""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hengliang.core.io import fields_of, scanned
from hengliang.corpora.sentence_files import EMPTY_LINE, NUL, Layout, RowChunk, Sentences, on_one_line


def read(layout: Layout, *rows: bytes, **faults: str) -> Sentences:
    return RowChunk(1, rows, {int(place[1:]): fault for place, fault in faults.items()}, layout).sentences()


def test_plain_lines_lose_their_ends_and_nothing_else() -> None:
    found = read(Layout(), "他 来 了 。\r\n".encode(), " 好\n".encode(), "没有 行尾".encode())
    assert found.texts.to_list() == ["他 来 了 。", "好", "没有 行尾"]
    assert found.ids.to_list() == ["1", "2", "3"]
    assert found.numbers.tolist() == [1, 2, 3]
    assert found.problems == {}


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (b"\n", EMPTY_LINE),
        (b" \t\x1c\r\n", EMPTY_LINE),
        ("　\n".encode(), EMPTY_LINE),
        ("他\0来\n".encode(), NUL),
        # 好 is E5 A5 BD in UTF-8 and 他 is CB FB in GB 18030: no encoding reads a line of both.
        ("好".encode() + "他\n".encode("gb18030"), "not utf-8: byte 4 does not decode"),
        ("他来了。\n".encode("gb18030"), "not utf-8: byte 1 does not decode; it may be gb18030"),
        (b"\xff\n", "not utf-8: byte 1 does not decode"),
        (
            "字".encode() * 21 + b"\n",
            "a line of 21 characters is too long for a sentence; --longest raises the limit",
        ),
    ],
)
def test_a_line_that_is_no_sentence_says_why_and_the_others_are_read(row: bytes, problem: str) -> None:
    found = read(Layout(longest=20), "好\n".encode(), row, "字".encode() * 20)
    assert found.problems == {1: problem}
    assert found.texts.to_list() == ["好", "", "字" * 20]
    assert found.written.to_list() == ["好", None, "字" * 20]


def test_what_was_wrong_when_rows_were_cut_comes_first() -> None:
    found = read(Layout(), b"\xff", b"\n", _0="cut off")
    assert found.problems == {0: "cut off", 1: EMPTY_LINE}


def test_the_key_of_a_chunk_tells_everything_in_it() -> None:
    chunks = [
        RowChunk(first, rows, faults, Layout(encoding=encoding))
        for first in (1, 2)
        for rows in ((b"a\n",), (b"a\n", b"b\n"))
        for faults in ({}, {0: "bad"})
        for encoding in ("utf-8", "gb18030")
    ]
    assert len({chunk.key for chunk in chunks}) == len(chunks)
    assert (chunks[0].last, chunks[-1].last) == (1, 3)


# --- tables ---------------------------------------------------------------------------------------------------------

TABLE = Layout("csv", fields=("key", "text"), column="text", id_column="key")


def test_rows_of_a_table_have_fields_quoted_or_not() -> None:
    found = read(TABLE, 'a,"他说：""好"",\n走了"\r\n'.encode(), "b,好\n".encode())
    assert found.texts.to_list() == ['他说："好",走了', "好"]
    assert found.ids.to_list() == ["a", "b"]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("a,他来了,走了\n", "the row has 3 fields instead of 2; a comma within a field needs quotation marks"),
        ("a\n", "the row has 1 field instead of 2"),
        ("\n", EMPTY_LINE),
        ("a,\n", "the field 'text' is empty"),
        (",他\n", "the field 'key' is empty"),
        (f"a,{'字' * 21}\n", "a text of 21 characters is too long for a sentence; --longest raises the limit"),
    ],
)
def test_a_row_that_does_not_fit_the_header_says_so(row: str, problem: str) -> None:
    layout = Layout("csv", longest=20, fields=("key", "text"), column="text", id_column="key")
    found = read(layout, row.encode(), "b,好\n".encode())
    assert found.problems == {0: problem}
    assert found.texts.to_list() == ["", "好"]
    assert found.ids[1] == "b"


FIELDS = st.lists(st.text(st.sampled_from('ab,"\n\t好 '), max_size=6), min_size=1, max_size=4)


@given(FIELDS, st.sampled_from([",", "\t"]))
@example(["", '"'], ",")
def test_fields_are_those_that_the_standard_library_writes_and_reads(fields: list[str], delimiter: str) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=delimiter, lineterminator="\n").writerow(fields)
    row = stream.getvalue()
    assert fields_of(row, delimiter) == fields
    open_, lines = False, row.encode().splitlines(keepends=True)
    for place, line in enumerate(lines, start=1):
        open_, pairs, _ = scanned(line, delimiter.encode(), open_)
        assert (open_, pairs) == (place < len(lines), True)


@given(st.text(st.sampled_from('ab,"好'), max_size=12))
def test_a_row_that_is_not_well_formed_is_read_as_the_standard_library_reads_it(row: str) -> None:
    assert not row or fields_of(row, ",") == next(csv.reader([row]))


# --- JSON -----------------------------------------------------------------------------------------------------------

OBJECTS = Layout("jsonl", longest=20, column="text", id_column="key")


def test_objects_give_the_value_of_a_key() -> None:
    found = read(OBJECTS, *(json.dumps({"key": key, "text": "他\n来"}).encode() for key in ("a", 7)))
    assert found.texts.to_list() == ["他来", "他来"]
    assert found.ids.to_list() == ["a", "7"]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ('{"key": 1, "text": "他"', "not JSON: Expecting ',' delimiter at character 24"),
        ('["他"]', "the line is a list, not a JSON object"),
        ('"他"', "the line is text, not a JSON object"),
        ("", EMPTY_LINE),
        ("[" * 100_000, "not JSON: maximum recursion depth exceeded"),
        ({"key": 1, "txt": "他"}, "the object has no key 'text'; it has: key, txt"),
        ({"key": 1, "text": None}, "the value of 'text' is null, not text"),
        ({"key": 1, "text": 3}, "the value of 'text' is a number, not text"),
        ({"key": 1, "text": ["他"]}, "the value of 'text' is a list, not text"),
        ({"key": 1, "text": " "}, "the field 'text' is empty"),
        ({"text": "他"}, "the object has no key 'key'; it has: text"),
        ({"key": {}, "text": "他"}, "the value of 'key' is an object, not text"),
        ('{"key": 1, "text": "\\ud83d"}', "character 1 of 'text' is half a character (U+D83D)"),
        ('{"key": 1, "text": "a\\u0000"}', NUL),
    ],
)
def test_a_line_that_is_no_such_object_says_why(value: Any, problem: str) -> None:
    row = value if isinstance(value, str) else json.dumps(value)
    found = read(OBJECTS, f"{row}\n".encode(), b'{"key": "b", "text": "ok"}\n')
    assert list(found.problems) == [0]
    assert found.problems[0].startswith(problem)
    assert found.texts.to_list() == ["", "ok"]
    assert found.ids[1] == "b"


def test_bytes_that_are_no_text_at_all_are_named_so_in_any_form() -> None:
    assert read(OBJECTS, b"\xff\n").problems == {0: "not utf-8: byte 1 does not decode"}
    assert read(TABLE, b"a,\xff\n").problems == {0: "not utf-8: byte 3 does not decode"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("他和我\n都来了。", "他和我都来了。"),  # no word ends at a line end that was put there for the eye
        ("他和我，\r\n  都来了。", "他和我，都来了。"),
        ("他 和 我\n都 来 了 。", "他 和 我 都 来 了 。"),  # the words stand apart, and so do these two
        ("They came\nand went.", "They came and went."),
        ("Yes\nNo", "Yes No"),
        ("他用\nPython\n写", "他用Python写"),
        ("好", "好"),
    ],
)
def test_line_ends_within_a_field_cut_no_chinese_word(text: str, expected: str) -> None:
    assert on_one_line(text) == expected
    quoted = f'a,"{text}"\n'.encode()
    assert read(TABLE, quoted).texts.to_list() == [expected]
