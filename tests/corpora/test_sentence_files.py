"""Is a file of any form read whole, in order and with little memory, as it was when it was opened?"""

from __future__ import annotations

import hashlib
import io
import os
import tracemalloc
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import Failure, TableOptions, TableWarning, read_user_table
from hengliang.core.io import AS_RECOGNISED, UNCLOSED
from hengliang.corpora.sentence_files import EMPTY_LINE, STILL_WRITTEN, SentenceReading


def written(path: Path, *lines: str | bytes) -> Path:
    path.write_bytes(b"".join(line.encode() if isinstance(line, str) else line for line in lines))
    return path


def read(reading: SentenceReading) -> tuple[list[str], list[str], dict[int, str]]:
    """Return ids, texts and problems by number of all rows."""
    ids: list[str] = []
    texts: list[str] = []
    problems: dict[int, str] = {}
    for chunk in reading:
        found = chunk.sentences()
        ids += found.ids.to_list()
        texts += found.texts.to_list()
        problems |= {chunk.first + place: problem for place, problem in found.problems.items()}
    return ids, texts, problems


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=8), min_size=1, max_size=12),
    st.integers(1, 5),
    st.booleans(),
)
def test_rows_are_verbatim_whatever_the_batch(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], batch: int, ended: bool
) -> None:
    raw = "\n".join([*lines, *([""] if ended else [])]).encode() or b"\n"
    file = written(tmp_path_factory.mktemp("rows") / "a.txt", raw)
    reading = SentenceReading(file, batch=batch, table=TableOptions(encoding="utf-8"))
    chunks = list(reading)
    assert reading.head + b"".join(row for chunk in chunks for row in chunk.rows) == raw
    assert [chunk.first for chunk in chunks] == list(range(1, reading.rows + 1, batch))
    assert reading.checksum == hashlib.sha256(raw).hexdigest()
    assert (reading.size, reading.grown) == (len(raw), 0)


def test_a_byte_order_mark_and_windows_line_ends_are_no_text(tmp_path: Path) -> None:
    file = written(tmp_path / "a.txt", b"\xef\xbb\xbf", "他\r\n来\r\n")
    reading = SentenceReading(file)
    assert reading.head == b"\xef\xbb\xbf"
    assert read(reading)[1] == ["他", "来"]


def test_a_file_in_another_encoding_that_is_named(tmp_path: Path) -> None:
    file = written(tmp_path / "a.txt", "他来了。\n".encode("gb18030"))
    assert read(SentenceReading(file, table=TableOptions(encoding="gb18030")))[1] == ["他来了。"]


def test_a_line_of_a_megabyte_is_reported_without_being_held(tmp_path: Path) -> None:
    file = written(tmp_path / "a.txt", "好\n", "字" * 1_000_000, "\n", "走\n", "x" * 30_000_000)
    tracemalloc.start()
    _, texts, problems = read(SentenceReading(file))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert texts == ["好", "", "走", ""]
    assert problems == {
        2: "a line of 1,000,000 characters is too long for a sentence; --longest raises the limit",
        4: "a line of 30,000,000 characters is too long for a sentence; --longest raises the limit",
    }
    assert peak < 15_000_000  # of a file of 33 MB
    assert read(SentenceReading(file, longest=1_000_000))[1][1] == "字" * 1_000_000


def test_many_long_rows_make_a_chunk_full(tmp_path: Path) -> None:
    file = written(tmp_path / "a.txt", *["x" * 10_000 + "\n"] * 2000)
    sizes = [len(chunk) for chunk in SentenceReading(file, batch=10_000)]
    assert sum(sizes) == 2000
    assert max(sizes) < 1000  # a chunk has 8 MB at most, 839 of these rows


# --- tables and JSON ------------------------------------------------------------------------------------------------


def test_a_table_by_its_header(tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv", b"\xef\xbb\xbf", "key,sentence,score\r\n", 'a,"他\r\n来",1\r\n', "b,好,2\r\n")
    reading = SentenceReading(file, id_column="key")
    assert reading.head == b"\xef\xbb\xbfkey,sentence,score\r\n"
    assert (reading.layout.column, reading.layout.fields) == ("sentence", ("key", "sentence", "score"))
    assert read(reading) == (["a", "b"], ["他来", "好"], {})


@pytest.mark.parametrize(
    ("name", "header", "row", "column"),
    [
        ("a.csv", "text,other", "他,来", "text"),
        ("a.csv", "本文", "他", "本文"),
        ("a.csv", "本文", "12", "本文"),
        ("a.tsv", "n\t句\tp", "1\t他\t0.5", "句"),
        ("a.jsonl", "", '{"n": 1, "句": "他"}', "句"),
        ("a.ndjson", "", '{"a": "他", "sentence": "来"}', "sentence"),
    ],
)
def test_the_column_that_must_be_meant(tmp_path: Path, name: str, header: str, row: str, column: str) -> None:
    file = written(tmp_path / name, *([f"{header}\n"] if header else []), f"{row}\n")
    assert SentenceReading(file).layout.column == column


def test_an_id_is_not_taken_for_the_sentence(tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv", "key,句\na,他\n")
    assert SentenceReading(file, id_column="key").layout.column == "句"
    with pytest.raises(UserError, match=r"not clear which column.*Columns: key, 句.*--column"):
        SentenceReading(file)


def test_a_form_that_the_name_does_not_tell(tmp_path: Path) -> None:
    file = written(tmp_path / "a.dat", "text\n他\n")
    assert read(SentenceReading(file, form="csv"))[1] == ["他"]
    assert read(SentenceReading(file))[1] == ["text", "他"]


def test_a_quotation_mark_that_is_never_closed_spoils_its_own_row_only(tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv", "text,n\n", "好,1\n", '"他,2\n', "来,3\n", "走,4\n")
    _, texts, problems = read(SentenceReading(file))
    assert texts == ["好", "", "来", "走"]
    assert problems == {2: UNCLOSED}


def test_a_quotation_mark_within_a_field_is_a_character(tmp_path: Path) -> None:
    file = written(tmp_path / "a.tsv", 'text\tn\n他说"好\t1\n来\t2\n')
    assert read(SentenceReading(file)) == (["1", "2"], ['他说"好', "来"], {})


def test_a_quotation_mark_that_opens_a_row_of_tabs_swallows_no_others(tmp_path: Path) -> None:
    file = written(tmp_path / "a.tsv", 'n\ttext\n1\t" 他来了。\n2\t我走了。\n3\t"好。\n4\t走。\n')
    reading = SentenceReading(file)
    assert not reading.layout.quoted
    assert read(reading) == (["1", "2", "3", "4"], ['" 他来了。', "我走了。", '"好。', "走。"], {})
    # Taken for quoting, the marks spoil their own rows, and no others.
    assert read(SentenceReading(file, table=TableOptions(quoting="standard")))[1:] == (
        ["", "我走了。", "", "走。"],
        {1: UNCLOSED, 3: UNCLOSED},
    )


def test_lines_that_may_be_rows_are_not_joined_in_silence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = 'n,text\n1,"好。\n2,走。"\n3,来。\n'
    file = written(tmp_path / "a.csv", raw)
    with pytest.raises(UserError, match=r"a\.csv, line 2: a quotation mark opens a field that is closed 1 line below"):
        SentenceReading(file)
    assert read(SentenceReading(file, table=TableOptions(quoting="none")))[1] == ['"好。', '走。"', "来。"]
    assert read(SentenceReading(file, table=TableOptions(quoting="standard")))[1] == ["好。2,走。", "来。"]
    # Of a pipe only the first million bytes are seen before: what comes later is refused when it is reached.
    header, rest = raw.split("\n", 1)
    far = f"{header}\n" + f"0,{'好' * 1000}\n" * 400 + rest
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(far.encode())))
    reading = SentenceReading("-", form="csv")
    with pytest.raises(UserError, match="standard input, line 402: a quotation mark"):
        list(reading)


def test_a_pipe_tells_by_its_beginning_whether_it_is_quoted(tmp_path: Path) -> None:
    """However little of it arrives at a time."""
    import threading

    os.mkfifo(tmp_path / "pipe.tsv")
    lines = ["n\ttext\n", '1\t" 他来了。\n', "2\t我走了。\n", '3\t"好。\n']

    def write_slowly() -> None:
        with (tmp_path / "pipe.tsv").open("wb", buffering=0) as stream:
            for line in lines:
                stream.write(line.encode())

    writer = threading.Thread(target=write_slowly)
    writer.start()
    assert read(SentenceReading(tmp_path / "pipe.tsv"))[1] == ['" 他来了。', "我走了。", '"好。']
    writer.join()


def test_columns_without_names_are_called_by_their_numbers(tmp_path: Path) -> None:
    file = written(tmp_path / "a.tsv", "k1\t1\t\t他来了\nk2\t0\t*\t来他了\n")
    reading = SentenceReading(file, table=TableOptions(header="no"), column="4", id_column="1")
    assert reading.head == b""
    assert read(reading) == (["k1", "k2"], ["他来了", "来他了"], {})
    with pytest.raises(UserError, match=r"(?s)No column is called '4'.*--no-header"):
        SentenceReading(file, column="4")
    with pytest.raises(UserError, match=r"not clear which column .* Columns: 1, 2, 3, 4"):
        SentenceReading(file, table=TableOptions(header="no"))
    with pytest.raises(UserError, match="No column is called '5'"):
        SentenceReading(file, table=TableOptions(header="no"), column="5")


def test_json_is_read_by_the_line_or_as_an_array(tmp_path: Path) -> None:
    assert read(SentenceReading(written(tmp_path / "a.json", '{"text": "他"}\n{"text": "来"}\n')))[1] == ["他", "来"]
    printed = '{\n "schema_version": 1,\n "rows": [\n  {\n   "text": "他"\n  }\n ],\n "model": "a"\n}\n'
    for array in ('[{"text": "他"}]', '\n [\n{"text": "他"}\n]\n', printed):
        for encoding in ("utf-8", "utf-16", "gb18030"):
            assert read(SentenceReading(written(tmp_path / "a.json", array.encode(encoding))))[1] == ["他"]


def test_rows_of_json_of_which_some_are_broken(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl", "{\n", '{"text": "他"}\n', "\n", '{"txt": 1}\n')
    _, texts, problems = read(SentenceReading(file))
    assert texts == ["", "他", "", ""]
    assert list(problems) == [1, 3, 4]
    assert problems[3] == EMPTY_LINE


# --- files that change ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("half", [b"", "还没".encode()])
def test_a_file_that_grows_is_read_as_it_was(tmp_path: Path, half: bytes) -> None:
    file = written(tmp_path / "a.txt", "他\n来\n", half)
    reading = SentenceReading(file, batch=1)
    rows = iter(reading)
    first = next(rows)
    with file.open("ab") as stream:
        stream.write("写完\n又一行\n".encode())
    rest = list(rows)
    chunks = [first, *rest]
    problems = {chunk.first: chunk.faults for chunk in chunks if chunk.faults}
    assert reading.rows == 2 + bool(half)
    # 写完 and 又一行 are five characters of three bytes, with two line ends.
    assert reading.grown == 17
    assert problems == ({3: {0: STILL_WRITTEN}} if half else {})


def test_a_file_that_shrinks_is_a_failure_that_says_so(tmp_path: Path) -> None:
    file = written(tmp_path / "a.txt", *["x" * 100 + "\n"] * 30_000)
    rows = iter(SentenceReading(file, batch=1))
    next(rows)
    os.truncate(file, 1_500_000)
    with pytest.raises(Failure, match=r"became shorter while it was read: it had 3,030,000 bytes, and now ends after"):
        list(rows)


def test_reading_can_stop_after_so_many_bytes(tmp_path: Path) -> None:
    file = written(tmp_path / "a.txt", "他\n来\n走\n")
    assert read(SentenceReading(file, size=8))[1] == ["他", "来"]


# --- pipes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("binary", [True, False])
def test_standard_input(binary: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    stream: Any = io.TextIOWrapper(io.BytesIO("他\n来".encode())) if binary else io.StringIO("他\n来")
    monkeypatch.setattr("sys.stdin", stream)
    reading = SentenceReading("-", batch=1)
    assert (reading.name, reading.size) == ("standard input", None)
    assert read(reading)[1] == ["他", "来"]
    assert reading.grown == 0


def test_a_named_pipe_is_read_once(tmp_path: Path) -> None:
    import subprocess

    os.mkfifo(tmp_path / "pipe")
    written(tmp_path / "a.txt", "他\n来\n")
    with subprocess.Popen(["cp", str(tmp_path / "a.txt"), str(tmp_path / "pipe")]):
        reading = SentenceReading(tmp_path / "pipe")
        assert reading.size is None
        assert read(reading)[1] == ["他", "来"]


# --- mistakes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("a.txt", "", {}, "holds no sentences"),
        ("a.csv", "text\n", {}, "holds no sentences"),
        ("a.csv", "", {}, "has no header"),
        ("a.csv", "a,a\n1,2\n", {}, "two columns called 'a'"),
        ("a.csv", b"\xff\n", {}, "The header of .* cannot be read: it is not utf-8"),
        ("a.csv", "text\n他\n", {"column": "txt"}, r"No column is called 'txt'. Did you mean text\?"),
        ("a.csv", "text\n他\n", {"id_column": "key"}, "No column is called 'key'"),
        ("a.jsonl", '{"text": "他"}\n', {"column": "txt"}, r"No column is called 'txt'. Did you mean text\?"),
        ("a.jsonl", "{\n", {}, "not clear which column .* none that can be read"),
        ("a.txt", "他\n", {"column": "text"}, "plain text, which has no column 'text'"),
        ("a.txt", "他\n", {"table": TableOptions(encoding="klingon")}, "'klingon' does not exist"),
        ("a.txt", "他\n", {"table": TableOptions(sheet="one")}, "has no sheets"),
        ("a.txt", "他\n", {"form": "xml"}, "No form of a file is called 'xml'"),
        ("a.txt", "他\n", {"batch": 0}, "A batch of 0 rows"),
        ("a.txt", "他\n", {"longest": 0}, "at most 0 characters"),
        ("a.parquet", "PAR1", {}, "is not a whole Parquet file"),
        ("a.txt.gz", "x", {}, r"zcat .*a.txt.gz \| hengliang score -"),
    ],
)
def test_what_cannot_be_read_is_refused(
    tmp_path: Path, name: str, content: str | bytes, options: dict[str, Any], message: str
) -> None:
    file = written(tmp_path / name, content)
    with pytest.raises(UserError, match=message):
        list(SentenceReading(file, **options))


TWO = [{"sentence": "他来了。", "n": "1"}, {"sentence": "她走了。", "n": "2"}]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030"])
@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_encoding_and_delimiter_are_recognised(tmp_path: Path, encoding: str, delimiter: str) -> None:
    text = "".join(f"{delimiter.join(cells)}\n" for cells in (("sentence", "n"), *(tuple(row.values()) for row in TWO)))
    table = AS_RECOGNISED if delimiter != "|" else TableOptions(delimiter="|")
    reading = SentenceReading(written(tmp_path / "a.csv", text.encode(encoding)), id_column="n", table=table)
    assert read(reading) == (["1", "2"], ["他来了。", "她走了。"], {})
    assert reading.checksum == hashlib.sha256(text.encode(encoding)).hexdigest()
    assert (reading.size, reading.grown) == (len(text.encode(encoding)), 0)
    plain = written(tmp_path / "a.txt", text.encode(encoding))
    assert len(read(SentenceReading(plain))[1]) == 3


@pytest.mark.parametrize("ending", ["xlsx", "parquet"])
def test_tables_that_are_no_text_are_read_as_a_whole(tmp_path: Path, ending: str) -> None:
    frame, file = pl.DataFrame(TWO), tmp_path / f"a.{ending}"
    (frame.write_excel if ending == "xlsx" else frame.write_parquet)(file)
    reading = SentenceReading(file, id_column="n")
    assert read(reading) == (["1", "2"], ["他来了。", "她走了。"], {})
    assert reading.checksum == hashlib.sha256(file.read_bytes()).hexdigest()


def test_a_table_that_is_no_text_is_told_by_what_it_was_when_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(given := b'[{"text": "\xe4\xb8\x80"}]')
    reading = SentenceReading(path)
    path.write_bytes(b'[{"text": "another one"}]')
    assert [text for chunk in reading for text in chunk.sentences().texts] == ["一"]
    assert (reading.size, reading.checksum) == (len(given), hashlib.sha256(given).hexdigest())


def test_what_is_no_row_of_an_array_is_told_and_stops_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"text": "一"},\n2,\n{"text": "三"}]', encoding="utf-8")
    with pytest.warns(TableWarning, match="1 line of a.json could not be read and is left out"):
        reading = SentenceReading(path)
    assert [text for chunk in reading for text in chunk.sentences().texts] == ["一", "三"]


def test_the_delimiter_of_a_table_of_two_lines_is_recognised_as_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("id,text\n1,一\n", encoding="utf-8")
    assert [text for chunk in SentenceReading(path) for text in chunk.sentences().texts] == ["一"]
    assert list(read_user_table(path).rows) == [("1", "一")]


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Cannot read"):
        SentenceReading(tmp_path / "none.txt")
    with pytest.raises(UserError, match="it is a folder"):
        SentenceReading(tmp_path)


@pytest.mark.parametrize(
    ("name", "lines", "message"),
    [
        ("a.csv", "sentence;score\n他来了。;3\n", "has one column, called 'sentence;score'"),
        ("a.csv", "sentence\tscore\n他来了。\t3\n", "Read it with --format tsv"),
        ("a.csv", "他来了。,3\n她走了。,4\n", "has no header: '他来了。' is a sentence"),
    ],
)
def test_a_table_that_is_stated_to_be_another_or_without_header_is_refused(
    tmp_path: Path, name: str, lines: str, message: str
) -> None:
    with pytest.raises(UserError, match=message) as caught:
        SentenceReading(written(tmp_path / name, lines), table=TableOptions(delimiter="comma"))
    assert caught.value.remedy


def test_the_first_rows_can_be_seen_beforehand(tmp_path: Path) -> None:
    reading = SentenceReading(written(tmp_path / "a.txt", "一\n", b"\xff\n", "三\n"), batch=2)
    assert reading.peek(2).sentences().texts.to_list() == ["一", ""]
    assert reading.peek().rows == ("一\n".encode(), b"\xff\n", "三\n".encode())
    assert [(chunk.first, len(chunk)) for chunk in reading] == [(1, 2), (3, 1)]
    assert reading.rows == 3
