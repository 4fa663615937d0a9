"""Are lines, objects and cells read with their line numbers, whatever the line ends, and are broken ones named?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.grammar.pairs.pair_set import BrokenLine, Cells, Row, first_cells, first_object, read_cells, read_objects


def test_objects_with_and_without_mark_and_with_both_line_ends(tmp_path: Path) -> None:
    lines = ['{"Good": "他来了。"}', '{"good": "她走了。"}']
    for name, start, end in (("a", b"", "\n"), ("b", b"\xef\xbb\xbf", "\n"), ("c", b"\xef\xbb\xbf", "\r\n")):
        file = tmp_path / f"{name}.jsonl"
        file.write_bytes(start + end.join(lines).encode())
        rows = list(read_objects(file))
        assert [(row.line, row.text("good")) for row in rows if isinstance(row, Row)] == [
            (1, "他来了。"),
            (2, "她走了。"),
        ]


def test_broken_lines_are_named_and_the_others_read(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes('{"a": "好"}\n\n{"a": \n[1]\n'.encode() + b'{"a": "\xff"}\n' + '{"a": "对"}\n'.encode())
    rows = list(read_objects(file))
    assert [row.line for row in rows] == [1, 2, 3, 4, 5, 6]
    assert [type(row).__name__ for row in rows] == ["Row", *["BrokenLine"] * 4, "Row"]
    problems = [row.problem for row in rows if isinstance(row, BrokenLine)]
    assert problems[0] == "the line is empty"
    assert "not JSON" in problems[1]
    assert problems[2] == "it is not a JSON object"
    assert problems[3] == "byte 8 of the line is not UTF-8"


def test_an_array_gives_the_line_on_which_each_object_begins(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('[\n {"a": 1,\n  "b": "x"},\n {"a": 2}, {"a": 3}\n]\n', encoding="utf-8")
    rows = [row for row in read_objects(file) if isinstance(row, Row)]
    assert [(row.line, row.text("A")) for row in rows] == [(2, "1"), (4, "2"), (4, "3")]


def test_an_array_that_breaks_off_keeps_what_came_before(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('[{"a": 1},\n {"a": ', encoding="utf-8")
    first, second = read_objects(file)
    assert isinstance(first, Row)
    assert isinstance(second, BrokenLine)
    assert second.line == 2


def test_cells_have_the_line_on_which_their_row_begins(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(b"\xef\xbb\xbf" + 'a,b\r\n"一,\n二",x\r\n,\r\n三,y\r\n'.encode())
    rows = list(read_cells(file))
    # The second row holds a line break: the rows begin on lines 1, 2, 4 and 5.
    assert [row.line for row in rows] == [1, 2, 4, 5]
    assert [list(row.cells) for row in rows if isinstance(row, Cells)] == [["a", "b"], ["一,\n二", "x"], ["三", "y"]]
    assert isinstance(rows[2], BrokenLine)


def test_a_quote_that_never_ends_is_a_broken_line(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text('一,x\n"二,y\n', encoding="utf-8")
    rows = list(read_cells(file))
    assert isinstance(rows[0], Cells)
    assert isinstance(rows[1], BrokenLine)
    assert rows[1].line == 2


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_in_another_encoding_or_with_another_delimiter_is_recognised(
    tmp_path: Path, encoding: str, delimiter: str
) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(f"sentence{delimiter}label\n他来了。{delimiter}1\n".encode(encoding))
    assert list(read_cells(file)) == [Cells(1, ["sentence", "label"]), Cells(2, ["他来了。", "1"])]
    objects = tmp_path / "a.jsonl"
    objects.write_bytes('{"good": "他来了。"}\n'.encode(encoding))
    assert list(read_objects(objects)) == [Row(1, {"good": "他来了。"})]


def test_the_first_of_another_kind_of_file_is_none(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("a,b\n", encoding="utf-8")
    assert first_object(file) is None
    assert first_cells(file) == Cells(1, ["a", "b"])
    empty = tmp_path / "a.jsonl"
    empty.write_text("", encoding="utf-8")
    assert first_object(empty) is None
    assert first_cells(empty) is None


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"Cannot read .*nothing\.jsonl"):
        list(read_objects(tmp_path / "nothing.jsonl"))


@given(st.lists(st.dictionaries(st.sampled_from(["a", "b"]), st.text()), min_size=1))
def test_lines_and_array_hold_the_same(tmp_path_factory: pytest.TempPathFactory, objects: list[dict[str, str]]) -> None:
    folder = tmp_path_factory.mktemp("rows")
    (folder / "a.jsonl").write_text("\n".join(map(json.dumps, objects)), encoding="utf-8")
    (folder / "a.json").write_text(json.dumps(objects, indent=1), encoding="utf-8")
    lines, array = (
        [row.values for row in read_objects(folder / name) if isinstance(row, Row)] for name in ("a.jsonl", "a.json")
    )
    assert lines == array == objects
