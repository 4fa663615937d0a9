"""Are encoding, delimiter and line numbers of a text file found out rightly?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.analysis.ratings.delimited import DELIMITERS, decode, read_delimited, sniff_delimiter

TEXT = "项目,评分\n句一,５\n句二,6\n"


@pytest.mark.parametrize(
    ("encoding", "said"),
    [("utf-8", "UTF-8"), ("utf-8-sig", "UTF-8 with byte order mark"), ("gb18030", "GB18030"), ("utf-16", "UTF-16")],
)
def test_the_encoding_is_found_out_and_said(encoding: str, said: str) -> None:
    lines = read_delimited(TEXT.encode(encoding), "a.csv")
    assert lines.header == ("项目", "评分")
    assert lines.rows == (("句一", "５"), ("句二", "6"))
    assert lines.form == f"comma-separated text, {said}"


def test_an_encoding_can_be_named() -> None:
    assert read_delimited("系統,評分\n".encode("big5"), "a.csv", encoding="big5").header == ("系統", "評分")


def test_bytes_that_are_no_text_are_named_with_their_line() -> None:
    with pytest.raises(UserError, match="line 2") as caught:
        decode(b"a,b\n\xff\xff\xff,1\n", "a.csv")
    assert "--encoding" in caught.value.remedy
    with pytest.raises(UserError, match="'klingon' does not exist"):
        decode(b"a", "a.csv", "klingon")
    with pytest.raises(UserError, match="zero bytes"):
        read_delimited(b"a,b\n\x00,1\n", "a.csv")


@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_each_delimiter_is_sniffed(delimiter: str) -> None:
    text = "item;rater|x".replace(";", delimiter).replace("|", delimiter)
    body = "".join(f"\n{delimiter.join(('a b', 'c', str(number)))}" for number in range(4))
    assert sniff_delimiter(text + body) == delimiter
    assert DELIMITERS[delimiter] in read_delimited((text + body).encode(), "x.csv").form


def test_a_delimiter_within_quotation_marks_counts_for_nothing() -> None:
    assert sniff_delimiter('a;b\n"1,2,3";4\n"5,6,7";8\n') == ";"


def test_lines_keep_their_numbers_across_blank_lines_and_line_breaks_in_cells() -> None:
    lines = read_delimited(b'\n\na,b\n1,"x\ny"\n\n , \n3,4\n', "a.csv")
    # The header is line 3; the cell with a line break fills lines 4 and 5; lines 6 and 7 are blank.
    assert lines.numbers == (4, 8)
    assert lines.rows == (("1", "x\ny"), ("3", "4"))


def test_short_lines_are_filled_and_long_ones_refused() -> None:
    assert read_delimited(b"a,b\n1\n2,3,,\n", "a.csv").rows == (("1", ""), ("2", "3"))
    with pytest.raises(UserError, match="line 3 has 3 cells, the header has 2"):
        read_delimited(b"a,b\n1,2\n1,2,3\n", "a.csv")


def test_an_open_quotation_mark_is_named() -> None:
    with pytest.raises(UserError, match="line 2: a quotation mark"):
        read_delimited(b'a,b\n"1,2\n3,4\n', "a.csv")


def test_the_questions_and_ids_below_the_header_of_qualtrics_are_no_ratings() -> None:
    text = (
        "ResponseId,Q1,Q2\n"
        'Response ID,"How natural is\nthis, in your view?",Comments\n'
        '"{""ImportId"":""_recordId""}","{""ImportId"":""QID1"",""choiceId"":""1""}","{""ImportId"":""QID2_TEXT""}"\n'
        "R_1,5,\nR_2,3,好\n"
    )
    lines = read_delimited(text.encode(), "a.csv")
    assert lines.rows == (("R_1", "5", ""), ("R_2", "3", "好"))
    # The question fills lines 2 and 3, the ids are line 4.
    assert lines.numbers == (5, 6)
    assert lines.form == "comma-separated text, UTF-8, the two rows of questions below the header left out"


def test_windows_and_old_macintosh_line_ends() -> None:
    assert read_delimited(b"a,b\r\n1,2\r\n", "a.csv").rows == (("1", "2"),)
    assert read_delimited(b"a,b\r1,2\r", "a.csv").rows == (("1", "2"),)


cell = st.text(st.characters(exclude_categories=("C", "Z"), exclude_characters=",;|\t\"'"), min_size=1, max_size=4)


@given(st.lists(st.tuples(cell, cell, cell), min_size=3, max_size=8), st.sampled_from([",", "\t", ";"]))
def test_what_is_written_comes_back(rows: list[tuple[str, str, str]], delimiter: str) -> None:
    text = "\n".join(delimiter.join(row) for row in rows)
    lines = read_delimited(text.encode(), "x.csv")
    assert [lines.header, *lines.rows] == [tuple(part.strip() for part in rows[0]), *rows[1:]]
    assert lines.numbers == tuple(range(2, len(rows) + 1))
