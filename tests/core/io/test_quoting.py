"""Is it found out whether quotation marks quote the fields of a table, so that none of its rows is lost?"""

from __future__ import annotations

import csv
import io
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.acceptability import read_rated_table
from hengliang.analyses import read_ratings_file
from hengliang.classifiers import read_speakers
from hengliang.core import TableOptions, read_delimited, read_user_table
from hengliang.core.errors import UserError
from hengliang.core.io import delimited
from hengliang.core.io.delimited import Quoting, all_quoted, fields_of, is_quoted, joined_rows, parsed_rows
from hengliang.corpora import SentenceReading
from hengliang.grammar.pairs import Cells, read_cells

TABS = 'id\ttext\n1\t" 他来了。\n2\t我走了。\n3\t"好。\n4\t走。\n'


def cells(text: str, delimiter: str = "\t") -> list[list[str]]:
    parsed = parsed_rows(text.encode(), "a.tsv", TableOptions(delimiter=delimiter))
    assert not parsed.bad
    return [list(row.cells) for row in parsed.rows]


def quoted(text: str, delimiter: str, name: str, quoting: Quoting = "auto") -> bool:
    return is_quoted(text.encode().splitlines(keepends=True), delimiter.encode(), name, quoting)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TABS, [["1", '" 他来了。'], ["2", "我走了。"], ["3", '"好。'], ["4", "走。"]]),
        # Somebody begins to speak in one row and ends in the next: the marks pair up, but the lines are rows.
        ('id\ttext\n1\t"好。\n2\t走。"\n', [["1", '"好。'], ["2", '走。"']]),
        # One row shows that the marks of all are text.
        ('id\ttext\n1\t"好。"\n2\t"走\n', [["1", '"好。"'], ["2", '"走']]),
        ('id\ttext\n1\t""好"" 他说。\n', [["1", '""好"" 他说。']]),
        # Quoting as spreadsheets and other programs write it.
        ('id\ttext\n1\t"他说""好""。"\n2\t走。\n', [["1", '他说"好"。'], ["2", "走。"]]),
        ('id\ttext\n1\t"上\n下"\n2\t走。\n', [["1", "上\n下"], ["2", "走。"]]),
        ('id\ttext\n1\t"上\t下"\n', [["1", "上\t下"]]),
    ],
)
def test_tab_separated_tables_tell_whether_they_are_quoted(text: str, expected: list[list[str]]) -> None:
    assert cells(text) == [["id", "text"], *expected]


SIGNS = st.text(st.sampled_from('ab"，好 '), max_size=6)


@given(st.lists(st.tuples(SIGNS, SIGNS.map("x{}".format)), min_size=1, max_size=8))
def test_no_row_of_an_unquoted_table_is_lost(rows: list[tuple[str, str]]) -> None:
    text = "\n".join(["a\tb", *("\t".join(row) for row in rows)])
    assert len(cells(text)) == 1 + len(rows)


@given(st.lists(st.tuples(*[st.text(st.sampled_from('ab"\n，好 '), max_size=6)] * 2, st.just("x")), max_size=6))
def test_what_a_program_writes_with_quoting_comes_back(rows: list[tuple[str, ...]]) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter="\t", lineterminator="\n").writerows([("a", "b", "c"), *rows])
    assert cells(stream.getvalue())[1:] == [list(row) for row in rows]


def test_a_broken_row_of_a_quoted_table_does_not_make_it_an_unquoted_one() -> None:
    text = 'id\ttext\n1\t"上\n下"\n2\t"左\n右"\n3\t"走\n'
    # Quoted, one row is broken; unquoted, two lines would have one field of two.
    assert quoted(text, "\t", "a.tsv")
    assert [bad.line for bad in parsed_rows(text.encode(), "a.tsv", TableOptions(delimiter="\t")).bad] == [6]


def test_a_quoted_table_of_tabs_with_lines_that_may_be_rows_is_refused() -> None:
    # Two cells hold line ends, so that marks quote here; but lines 6 and 7 would be two rows as well as one.
    text = 'id\ttext\n1\t"上\n下"\n2\t"左\n右"\n3\t"好。\n4\t走。"\n'
    with pytest.raises(UserError, match=r"^a\.tsv, line 6: .* each of these lines is a row by itself"):
        quoted(text, "\t", "a.tsv")


def test_a_cell_of_two_lines_does_not_turn_the_quoting_of_one_column_into_text(tmp_path: Path) -> None:
    # A program wrote this: marks inside a cell are doubled, which nobody does in text.
    text = 'text\n"他说 ""好"" 的。"\n"上\n下"\n走。\n'
    assert cells(text) == [["text"], ['他说 "好" 的。'], ["上\n下"], ["走。"]]
    file = tmp_path / "one.tsv"
    file.write_text(text, encoding="utf-8")
    # A sentence has no line ends: Chinese lines are joined without a space.
    texts = [sentence for chunk in SentenceReading(file) for sentence in chunk.sentences().texts]
    assert texts == ['他说 "好" 的。', "上下", "走。"]


def test_marks_of_one_column_that_are_text_stay_text() -> None:
    # A program would have quoted the first cell, in which marks stand: the lines 3 and 4 are two sentences.
    text = 'text\n他说"好"。\n"来。\n走。"\n'
    assert cells(text) == [["text"], ['他说"好"。'], ['"来。'], ['走。"']]
    # Here a field is never closed, so that the marks of all are text.
    assert cells('text\n"来。\n走。"\n"好\n') == [["text"], ['"来。'], ['走。"'], ['"好']]


def test_one_column_that_can_be_read_in_two_ways_is_refused(tmp_path: Path) -> None:
    text = 'text\n"来。\n走。"\n好。\n'
    with pytest.raises(UserError, match=r"^a\.tsv, line 2: .* closed 1 line below.*--quoting none"):
        quoted(text, "\t", "a.tsv")
    file = tmp_path / "one.tsv"
    file.write_text(text, encoding="utf-8")
    for quoting, count in (("standard", 2), ("none", 3)):
        chunks = list(SentenceReading(file, table=TableOptions(quoting=quoting)))  # type: ignore[arg-type]
        assert sum(len(chunk.sentences().texts) for chunk in chunks) == count
    with pytest.raises(UserError, match=r"one\.tsv, line 2: "):
        list(SentenceReading(file))


def test_commas_are_quoted_as_the_standard_has_it() -> None:
    assert cells('a,b\n"一,\n二",x\n三,y\n', ",") == [["a", "b"], ["一,\n二", "x"], ["三", "y"]]
    assert quoted('id,text\n1,"好\n', ",", "a.csv")


def test_a_table_of_commas_that_can_be_read_in_two_ways_is_refused() -> None:
    text = 'id,text\n1,"好。\n2,走。"\n3,来。\n'
    with pytest.raises(
        UserError, match=r"^a\.csv, line 2: .* closed 1 line below.*--quoting standard .*--quoting none"
    ):
        quoted(text, ",", "a.csv")
    assert quoted(text, ",", "a.csv", "standard")
    assert not quoted(text, ",", "a.csv", "none")
    with pytest.raises(UserError, match="No quoting is called 'off'"):
        quoted(text, ",", "a.csv", "off")  # type: ignore[arg-type]


def test_every_reader_of_tables_reads_all_rows(tmp_path: Path) -> None:
    file = tmp_path / "q.tsv"
    file.write_text(TABS, encoding="utf-8")
    texts = ['" 他来了。', "我走了。", '"好。', "走。"]
    read = read_delimited(file.read_bytes(), file.name)
    assert [row[1] for row in read.rows] == texts
    assert [row["text"] for _, row in read_user_table(file)] == texts
    assert read.form == "tab-separated text, UTF-8, quotation marks as text"
    assert [row.cells[1] for row in read_cells(file) if isinstance(row, Cells)][1:] == texts
    chunks = list(SentenceReading(file))
    assert [text for chunk in chunks for text in chunk.sentences().texts] == texts
    assert [row.text for row in read_rated_table(file, {"text": "text", "rating": "id"})] == texts
    file.write_text(
        'participant\tanswer\tsentence\nP1\t"本\t桌上有三<CL>书。\nP2\t本\t桌上有三<CL>书。\nP3\t"本\t桌上有三<CL>书。\n',
        encoding="utf-8",
    )
    assert read_speakers(file).table["participant"].to_list() == ["P1", "P2", "P3"]


@pytest.mark.mirror
@pytest.mark.parametrize(("name", "rows"), [("enwiki", 2500), ("bnc", 5250)])
def test_the_files_of_smog_are_read_whole(mirror: Path, tmp_path: Path, name: str, rows: int) -> None:
    # As many as there are lines after the header. Once with marks doubled, as the file has them, and once with single
    # ones and no space before them, so that two sentences of the BNC begin with one.
    given = (mirror / "smog" / f"{name}.csv").read_text(encoding="utf-8")
    for text in (given, given.replace('""', '"').replace("\t ", "\t")):
        file = tmp_path / f"{name}.tsv"
        file.write_text(text, encoding="utf-8")
        written = [line.split("\t")[2] for line in text.splitlines()[1:]]
        assert len(written) == rows
        assert read_ratings_file(file).frame["text"].to_list() == written
        texts = [sentence for chunk in SentenceReading(file) for sentence in chunk.sentences().texts]
        assert texts == [sentence.strip() for sentence in written]


# --- rows that are known by counts ----------------------------------------------------------------------------------

CELLS = st.sampled_from(
    ['""', '"a"', '","', '",', '"', ",", '"a""b"', '"a,b"', "a", "", '"\n"', '" "', "1", '"1"', "\r"]
)
ROWS = st.lists(st.one_of(CELLS, st.text('",a\r', max_size=5)), max_size=5).map(",".join)


def slowly(patch: pytest.MonkeyPatch) -> None:
    def known(row: str | bytes, delimiter: str | bytes, mark: str | bytes) -> int:
        return 0

    patch.setattr(delimited, "all_quoted", known)


@given(ROWS, st.sampled_from(["", "\n", "\r\n", "\r\r\n"]), st.sampled_from([",", "\t", "a"]))
def test_a_row_that_is_known_by_counts_is_read_as_sign_by_sign(row: str, end: str, delimiter: str) -> None:
    def read() -> object:
        lines = [(line, "") for line in f"{row}{end}".encode().splitlines(keepends=True)]
        return fields_of(row + end, delimiter), list(joined_rows(iter(lines), delimiter.encode()))

    quickly = read()
    with pytest.MonkeyPatch.context() as patch:
        slowly(patch)
        assert quickly == read()


@given(st.lists(st.one_of(st.just('"a","b"'), st.just('"1","""b"""'), ROWS), max_size=6), st.sampled_from([",", "\t"]))
def test_a_table_is_read_as_sign_by_sign(rows: list[str], delimiter: str) -> None:
    raw = "\n".join(['"a","b"', *rows]).replace(",", delimiter).encode()

    def read() -> object:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                return parsed_rows(raw, "a.csv", TableOptions(delimiter=delimiter)), [str(one.message) for one in told]
            except UserError as error:
                return str(error)

    quickly = read()
    with pytest.MonkeyPatch.context() as patch:
        slowly(patch)
        assert quickly == read()


@pytest.mark.parametrize(
    ("row", "fields"),
    [
        ('"a","","b,c"', 3),
        ('""', 1),
        ('"",","', 2),
        # A mark is doubled, or no delimiter follows it; what looks like a border begins with the first mark.
        ('"a""b"', 0),
        ('"a"b","c"', 0),
        ('","x"y"', 0),
        ('"', 0),
        ('"a",b', 0),
        ("", 0),
    ],
)
def test_which_rows_are_known_by_counts(row: str, fields: int) -> None:
    assert all_quoted(row, ",", '"') == fields
    assert all_quoted(row.encode(), b",", b'"') == fields
