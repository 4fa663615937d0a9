"""Does the same table come from whatever file it was kept in, with every row of it?"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from hengliang.core import TableOptions, TableWarning, UserError, UserTable, read_user_table
from hengliang.core.io.delimited import AS_RECOGNISED, recognised_delimiter, recognised_encoding

COLUMNS = ("编号", "text", "评分")
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030")


def read(folder: Path, name: str, content: bytes, options: TableOptions = AS_RECOGNISED) -> UserTable:
    path = folder / name
    path.write_bytes(content)
    return read_user_table(path, options)


def written(rows: Sequence[Sequence[str]], delimiter: str = ",", line_end: str = "\n", *, quoted: bool = False) -> str:
    stream = io.StringIO(newline="")
    csv.writer(
        stream, delimiter=delimiter, lineterminator=line_end, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    ).writerows(rows)
    return stream.getvalue()


# --- every table comes back -------------------------------------------------------------------------------------------

# What tables are broken by: marks, delimiters, line ends, full-width signs, a byte-order mark, zero bytes.
NASTY = st.text(st.sampled_from("ab1好，“\"',;|\t\n\r \u3000Ａ５\ufeff\0"), max_size=8) | st.text(
    st.sampled_from('a"\t\n'), max_size=8
)
# A row without any text is none, so each has a number.
ROWS = st.lists(st.tuples(NASTY, NASTY, st.integers(1, 7).map(str)), min_size=1, max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@example([("\t", "1\nb\t", "4")], "\t", "\n", "utf-8", True)
@example([('\ta"\t\n', "\t", "1")], "\t", "\r\n", "gb18030", False)
@example([("\t\n", "\t", "1"), ("\t\n", "\t", "2"), ("\t", "", "3")], "\t", "\n", "utf-16", False)
@given(ROWS, st.sampled_from(",\t;|"), st.sampled_from(["\n", "\r\n"]), st.sampled_from(ENCODINGS), st.booleans())
def test_delimited_text_comes_back_cell_by_cell(
    tmp_path: Path, rows: list[tuple[str, ...]], delimiter: str, line_end: str, encoding: str, quoted: bool
) -> None:
    # Before Python 3.13 a carriage return is not quoted where lines end without one: the file does not say which is it.
    assume(line_end == "\r\n" or quoted or not any("\r" in cell for row in rows for cell in row))
    content = written([COLUMNS, *rows], delimiter, line_end, quoted=quoted).encode(encoding)
    table = read(tmp_path, "a.csv", content, TableOptions(quoting="standard"))
    assert table.columns == COLUMNS
    assert list(table.rows) == rows
    assert (table.delimiter, table.quoting) == (delimiter, "standard")
    # Recognised as well, without a word, unless a row with line ends may be so many rows: then the table is refused, or
    # where tabs part the cells and every line is a row, its lines are the rows, and that is told.
    lines_in_cells = any("\n" in cell for row in rows for cell in row)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            recognised = read(tmp_path, "a.csv", content)
        except UserError as error:
            assert lines_in_cells and not told
            assert re.search(r"a\.csv, line \d+: .* but each of these lines is a row by itself\.$", error.problem)
            assert "--quoting standard" in error.remedy and "--quoting none" in error.remedy
            return
    if recognised.quoting == "standard":
        assert list(recognised.rows) == rows and not told
        return
    assert delimiter == "\t" and lines_in_cells
    lines = [line.removesuffix("\r").split("\t") for line in content.decode(encoding).split("\n")]
    # A line without any text is no row.
    filled = [tuple(line) for line in lines if any(cell.strip() for cell in line)]
    assert [recognised.columns, *recognised.rows] == [tuple(cell.strip() for cell in filled[0]), *filled[1:]]
    (note,) = told
    assert re.search(
        r"they would make one row of the lines \d+ to \d+\. --quoting standard .*, --quoting none", str(note.message)
    )


def test_a_quoted_table_with_lines_that_may_be_rows_is_refused_if_the_marks_can_be_no_text(tmp_path: Path) -> None:
    # Lines 2 and 3 have two cells each, and so do lines 4 and 5; but the marks of line 6 are quoting: there are three.
    content = b'a\tb\n"\t\n"\t1\n"\t\n"\t2\n"\t"\t3\n'
    for errors in ("raise", "skip"):
        with pytest.raises(UserError, match=r"a\.csv, line 2: .* each of these lines is a row by itself"):
            read(tmp_path, "a.csv", content, TableOptions(errors=errors))
    table = read(tmp_path, "a.csv", content, TableOptions(quoting="standard"))
    assert list(table.rows) == [("\t\n", "1"), ("\t\n", "2"), ("\t", "3")]


def test_the_line_of_a_table_that_can_be_read_in_two_ways_is_counted_past_broken_ones(tmp_path: Path) -> None:
    content = "id,文\n".encode() + b"0,\xe5\xa5\n" + '1,"好。\n2,走。"\n3,来。\n'.encode()
    with pytest.raises(UserError, match=r"a\.csv, line 3: a quotation mark opens a field that is closed 1 line below"):
        read(tmp_path, "a.csv", content, TableOptions(errors="skip"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(ROWS)
def test_other_forms_come_back_cell_by_cell(tmp_path: Path, rows: list[tuple[str, ...]]) -> None:
    frame = pl.DataFrame(rows, schema=list(COLUMNS), orient="row")
    objects = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    contents = {
        "a.jsonl": "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects).encode(),
        "a.ndjson": "".join(json.dumps(one) + "\r\n" for one in objects).encode("utf-16"),
        "a.json": json.dumps(objects, ensure_ascii=False, indent=1).encode("gb18030"),
    }
    for name, content in contents.items():
        assert list(read(tmp_path, name, content).rows) == rows
    frame.write_parquet(tmp_path / "a.parquet")
    assert list(read_user_table(tmp_path / "a.parquet").rows) == rows
    stream = io.BytesIO()
    frame.write_csv(stream)
    assert list(read(tmp_path, "a.csv", stream.getvalue(), TableOptions(quoting="standard")).rows) == rows


def test_a_workbook_comes_back(tmp_path: Path) -> None:
    # XML holds no zero bytes, and a line end in a cell is one sign.
    rows = [('他说"好"，\n走。', ",;\t|", "5"), ("  ５", "'=1+1", "6"), ("", "", "7")]
    pl.DataFrame(rows, schema=list(COLUMNS), orient="row").write_excel(tmp_path / "a.xlsx")
    table = read_user_table(tmp_path / "a.xlsx")
    assert (table.columns, list(table.rows), table.numbers) == (COLUMNS, rows, (2, 3, 4))


# --- encodings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("text", ["项目,评分\n句一,５\n句二,6\n", "item,rating\n1,5\n", "句子\n上\n下\n"])
def test_encodings_are_recognised(encoding: str, text: str) -> None:
    content = text.encode(encoding)
    assert content.decode(recognised_encoding(content)) == text


def test_a_broken_line_does_not_make_another_encoding_of_the_others(tmp_path: Path) -> None:
    content = "句子,评分\n好的,1\n".encode() + "坏的,2\n".encode("gb18030") + "好极,3\n".encode()
    said = r"a\.csv, line 3: byte 1 of the line is not UTF-8 \(it may be GB18030\)"
    with pytest.raises(UserError, match=said) as caught:
        read(tmp_path, "a.csv", content)
    assert "--errors skip" in caught.value.remedy
    table = read(tmp_path, "a.csv", content, TableOptions(errors="skip"))
    assert list(table.rows) == [("好的", "1"), ("好极", "3")]
    assert table.numbers == (2, 4)
    note = table.skipped_note()
    assert note is not None
    assert note.en.startswith("1 line of a.csv could not be read and is left out (line 3: byte 1 of the line is not")
    assert "第 3 行" in note.zh


@pytest.mark.parametrize(
    ("encoding", "broken"),
    [
        ("utf-8", b"\xe5\xa5,3\n"),
        # A lead byte before a line end; in UTF-16, half of a character without the other, or half of a sign.
        ("gb18030", b"\x81\n"),
        ("big5", b"\x81\n"),
        ("utf-16-le", "\ud800,3\n".encode("utf-16-le", "surrogatepass")),
        ("utf-16-le", "a,3".encode("utf-16-le") + b"a"),
    ],
)
def test_a_byte_that_does_not_decode_is_named_by_its_line(tmp_path: Path, encoding: str, broken: bytes) -> None:
    content = "句,分\n好,1\n".encode(encoding) + broken
    with pytest.raises(UserError, match="line 3"):
        read(tmp_path, "a.csv", content, TableOptions(encoding=encoding))
    table = read(tmp_path, "a.csv", content, TableOptions(encoding=encoding, errors="skip"))
    assert list(table.rows) == [("好", "1")]
    assert [bad.line for bad in table.skipped] == [3]


def test_zero_bytes_in_a_cell_are_text_and_in_the_header_tell_of_utf_16(tmp_path: Path) -> None:
    assert list(read(tmp_path, "a.csv", b"a,b\n\0,1\n").rows) == [("\0", "1")]
    with pytest.raises(UserError, match="it is an Excel workbook or another ZIP"):
        read(tmp_path, "a.csv", b"PK\x03\x04\0\0\0\0")
    with pytest.raises(UserError, match="'klingon' does not exist"):
        read(tmp_path, "a.csv", b"a\n1\n", TableOptions(encoding="klingon"))
    with pytest.raises(UserError, match=r"a\.csv is not UTF-32"):
        read(tmp_path, "a.csv", b"a\n1\n", TableOptions(encoding="utf-32"))


# --- delimiter, quoting and header ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "usual", "delimiter"),
    [
        ("id,text\n1,一;二;三;四\n2,一;二;三;四\n", ",", ","),  # signs in cells do not part the header
        ("id;note\n1;4,5\n2;3,5\n", ",", ";"),
        ("id\ttext\n1\t一,二\n", ",", "\t"),
        ('"a;b",c\n1,2\n', ",", ","),
        ("text\n一,二\n", "\t", "\t"),
        ("id,text\n1,一\n", "\t", ","),  # called .tsv, and all of its lines have two cells between commas
        ("text\n好\n", ",", ","),
    ],
)
def test_the_delimiter_parts_the_header_and_the_rows_alike(text: str, usual: str, delimiter: str) -> None:
    assert recognised_delimiter(text.encode().splitlines(keepends=True), usual) == delimiter


def test_a_delimiter_can_be_named(tmp_path: Path) -> None:
    content = b"a,b;c\n1,2;3\n"
    assert list(read(tmp_path, "a.csv", content, TableOptions(delimiter="semicolon")).rows) == [("1,2", "3")]
    assert list(read(tmp_path, "a.csv", b"a#b\n1#2\n", TableOptions(delimiter="#")).rows) == [("1", "2")]
    with pytest.raises(UserError, match="'::' is no delimiter"):
        read(tmp_path, "a.csv", content, TableOptions(delimiter="::"))


def test_a_first_row_that_cannot_be_names_is_a_row(tmp_path: Path) -> None:
    table = read(tmp_path, "a.csv", "我走了。,5\n他来了。,6\n".encode())
    assert (table.columns, len(table), table.numbers, table.header) == (("1", "2"), 2, (1, 2), False)
    assert table.form == "comma-separated text, UTF-8, without a header"
    assert len(read(tmp_path, "a.csv", b"5,5,1\n6,6,2\n")) == 2
    # Where each sentence has a column, it is its name.
    wide = read(tmp_path, "a.csv", "rater,我走了。,他来了。\n王,5,6\n".encode())
    assert (wide.columns, list(wide.rows)) == (("rater", "我走了。", "他来了。"), [("王", "5", "6")])
    # Numbers may be names of columns: raters, say.
    assert len(read(tmp_path, "a.csv", b"1,2,3\n6,6,2\n")) == 1
    assert len(read(tmp_path, "a.csv", b"1,2,3\n6,6,2\n", TableOptions(header="no"))) == 2
    assert read(tmp_path, "a.csv", "走。,b\n6,6\n".encode(), TableOptions(header="yes")).columns == ("走。", "b")
    with pytest.raises(UserError, match=r"The columns of a\.jsonl have names"):
        read(tmp_path, "a.jsonl", b'{"a": 1}\n', TableOptions(header="no"))


def test_columns_without_a_name_are_left_out_and_told_unless_they_are_an_index_or_empty(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = read(tmp_path, "a.csv", b",a,b,\n0,1,2,\n1,3,4,\n")
    assert (table.columns, list(table.rows)) == (("a", "b"), [("1", "2"), ("3", "4")])
    with pytest.warns(TableWarning, match=r"a\.csv has in columns without a name is left out: 2, 4\."):
        table = read(tmp_path, "a.csv", b"a,,b,,\n1,x,2,y,\n")
    assert list(table.rows) == [("1", "2")]


def test_lines_are_counted_as_an_editor_counts_them(tmp_path: Path) -> None:
    table = read(tmp_path, "a.csv", b'\n\na,b\n1,"x\ny"\n\n , \n3,4\n')
    # The header is line 3; the cell with a line break fills lines 4 and 5; lines 6 and 7 are blank.
    assert (table.numbers, list(table.rows)) == ((4, 8), [("1", "x\ny"), ("3", "4")])
    # As Excel for old Macintoshes wrote it: rows end with a carriage return, lines of a cell with a line feed.
    table = read(tmp_path, "a.csv", b'a,b\r1,"x\ny"\r3,4\r')
    assert (table.numbers, list(table.rows)) == ((2, 4), [("1", "x\ny"), ("3", "4")])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"1,2,3", r"line 3: there are 3 cells, and 2 columns\."),
        (b"1", r"line 3: there is 1 cell, and 2 columns\."),
        (b'"1,2', "line 3: a quotation mark opens a field in this row and is never closed"),
        (b'"1" x,2', "line 3: a quotation mark closes a cell, and more text follows"),
    ],
)
def test_a_line_that_is_no_row_is_refused_or_left_out_and_told(tmp_path: Path, line: bytes, said: str) -> None:
    content = b"a,b\n1,2\n" + line + b"\n3,4,,\n"
    with pytest.raises(UserError, match=said):
        read(tmp_path, "a.csv", content)
    table = read(tmp_path, "a.csv", content, TableOptions(errors="skip"))
    # Empty cells beyond the last column are no fault.
    assert (table.numbers, list(table.rows)) == ((2, 4), [("1", "2"), ("3", "4")])
    assert [bad.line for bad in table.skipped] == [3]


def test_a_line_with_too_few_cells_is_not_filled_up(tmp_path: Path) -> None:
    # A program that leaves empty cells at the end away writes line 2. A text with a line end that nobody quoted gives
    # the lines 3 and 4: filled up, they would be two more rows, with wrong cells.
    content = "id,text,rating\n1,好。\n2,上\n下,5\n3,走。,4\n".encode()
    with pytest.raises(UserError, match=r"a\.csv, line 2: there are 2 cells, and 3 columns\.") as caught:
        read(tmp_path, "a.csv", content)
    assert "If only empty cells are missing at its end, write their delimiters" in caught.value.remedy
    assert caught.value.remedy.endswith("To leave such lines out: --errors skip")
    table = read(tmp_path, "a.csv", content, TableOptions(errors="skip"))
    assert (table.numbers, [bad.line for bad in table.skipped]) == ((5,), [2, 3, 4])


def test_the_questions_and_ids_of_qualtrics_are_no_rows(tmp_path: Path) -> None:
    rows = [
        ("ResponseId", "Q1", "Q2"),
        ("Response ID", "How natural is\nthis?", "Comments"),
        ('{"ImportId":"_recordId"}', '{"ImportId":"QID1","choiceId":"1"}', '{"ImportId":"QID2_TEXT"}'),
        ("R_1", "5", ""),
        ("R_2", "3", "好"),
    ]
    for table in (
        read(tmp_path, "a.csv", written(rows).encode("utf-8-sig")),
        read(tmp_path, "a.tsv", written(rows, "\t").encode("utf-16")),
    ):
        assert list(table.rows) == rows[3:]
        # The question fills lines 2 and 3, the ids are line 4.
        assert table.numbers == (5, 6)
        assert table.form.endswith("the two rows of questions below the header left out")
    pl.DataFrame(rows[1:], schema=list(rows[0]), orient="row").write_excel(tmp_path / "a.xlsx")
    assert list(read_user_table(tmp_path / "a.xlsx").rows) == rows[3:]


# --- other forms ------------------------------------------------------------------------------------------------------


def test_objects_are_numbered_by_their_lines_and_lists_are_carried_through(tmp_path: Path) -> None:
    table = read(tmp_path, "a.jsonl", b'{"a": 1.0, "c": [1, null]}\n\n{"a": true, "b": "x"}\n')
    assert (table.columns, table.numbers) == (("a", "c", "b"), (1, 3))
    assert list(table.rows) == [("1", "[1, null]", ""), ("true", "", "x")]
    table = read(tmp_path, "a.json", b'[{"a": 1},\n\n{"a": 2}]')
    assert (table.numbers, table.row_name) == ((1, 3), "line")
    table = read(tmp_path, "a.json", b'[{"a": 1}, {"a": 2}]')
    assert (table.numbers, table.row_name) == ((1, 2), "object")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.jsonl", b'{"a": 1}\n{"a": \n', "line 2: it is not JSON"),
        ("a.json", b'[{"a": 1},\n 1]', "line 2: it is not a JSON object"),
        ("a.jsonl", b'{"a": 1}\n{"a": "\\ud800"}\n', "line 2: half a character"),
        ("a.jsonl", b'{"a": 1}\n{"\\ud800": 2}\n', "line 2: half a character"),
    ],
)
def test_what_is_no_object_is_refused_or_left_out_and_told(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    with pytest.raises(UserError, match=said):
        read(tmp_path, name, content)
    table = read(tmp_path, name, content, TableOptions(errors="skip"))
    assert list(table.rows) == [("1",)]
    assert [bad.line for bad in table.skipped] == [2]


def test_an_array_that_breaks_off_is_refused_for_nobody_knows_what_it_lacks(tmp_path: Path) -> None:
    for errors in ("raise", "skip"):
        with pytest.raises(UserError, match="line 2: it is not JSON from here on"):
            read(tmp_path, "a.json", b'[{"a": 1},\n {"a"', TableOptions(errors=errors))
        with pytest.raises(UserError, match=r"line 2: it is not JSON from here on \(more follows the end of the array"):
            read(tmp_path, "a.json", b'[{"a": 1}\n] [{"a": 2}]', TableOptions(errors=errors))


def test_what_no_table_is_says_so(tmp_path: Path) -> None:
    for name, content, said in (
        ("a.csv", b"", "holds no rows"),
        ("a.csv", b"a,b\n", "only the header a, b"),
        ("a.csv", b"a,a\n1,2\n", "two columns called 'a'"),
        ("a.json", b"[{}]", "holds no rows"),
        ("a.doc", b"x", "names no table that can be read"),
        ("a.parquet", b"x", "not a whole Parquet file"),
        ("a.xlsx", b"x", "no Excel file"),
        ("a.sav", b"x", "no SPSS file"),
    ):
        with pytest.raises(UserError, match=said):
            read(tmp_path, name, content)
    with pytest.raises(UserError, match="is a folder"):
        read_user_table(tmp_path)
    with pytest.raises(UserError, match="no such file"):
        read_user_table(tmp_path / "none.csv")


@pytest.mark.parametrize(("name", "module"), [("a.xlsx", "fastexcel"), ("a.sav", "pyreadstat")])
def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, module: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UserError, match="not installed") as caught:
        read(tmp_path, name, b"x")
    assert "pip install 'hengliang[spreadsheets]'" in caught.value.remedy
