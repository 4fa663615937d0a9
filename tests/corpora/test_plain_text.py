"""Is a text file read line by line, whatever its encoding and its faults?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.corpora.plain_text import read_plain


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_numbers_count_the_lines_of_the_file(tmp_path: Path) -> None:
    file = write(tmp_path / "a.txt", "\ufeff一行\r\n\r\n　\n  三 行 \n末行".encode())
    assert list(read_plain(file)) == [(1, "一行"), (4, "三 行"), (5, "末行")]


def test_only_the_first_line_may_have_a_byte_order_mark(tmp_path: Path) -> None:
    file = write(tmp_path / "a.txt", "\ufeff一\n\ufeff二\n".encode())
    assert [text for _, text in read_plain(file)] == ["一", "\ufeff二"]


@pytest.mark.parametrize("encoding", ["gb18030", "GBK", "big5", "utf-8-sig", "UTF8"])
def test_other_encodings(tmp_path: Path, encoding: str) -> None:
    file = write(tmp_path / "a.txt", "一二三\n四五六\n".encode(encoding))
    assert list(read_plain(file, encoding=encoding)) == [(1, "一二三"), (2, "四五六")]


def test_bytes_that_do_not_decode_name_line_and_encodings(tmp_path: Path) -> None:
    file = write(tmp_path / "a.txt", "好\n".encode() + "好".encode("gb18030") + b"\n")
    with pytest.raises(UserError) as caught:
        list(read_plain(file))
    assert f"{file}, line 2 is not utf-8: byte 1 of the line" in caught.value.problem
    assert caught.value.valid == "Encodings to try: gb18030, big5, big5hkscs."
    assert "encoding='gb18030'" in caught.value.remedy


def test_broken_lines_can_be_left_out_and_counted(tmp_path: Path) -> None:
    file = write(tmp_path / "a.txt", b"\xff\n" * 12 + "好\n".encode() + b"\xff")
    reading = read_plain(file, errors="skip")
    assert reading.skipped == 0
    assert list(reading) == [(13, "好")]
    assert reading.skipped == 13
    assert len(reading.problems) == 10
    assert "line 1 " in reading.problems[0].problem


def test_nothing_but_broken_lines(tmp_path: Path) -> None:
    file = write(tmp_path / "a.txt", b"\xff\n\xff\n")
    with pytest.raises(UserError, match=r"holds no text: all of its 2 lines.*line 1 is not utf-8"):
        list(read_plain(file, errors="skip"))


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf", b" \r\n"])
def test_an_empty_file_is_said_to_be_empty(tmp_path: Path, content: bytes) -> None:
    file = write(tmp_path / "a.txt", content)
    with pytest.raises(UserError, match="holds no text"):
        list(read_plain(file))


@pytest.mark.parametrize("encoding", ["utf-9", "", "base64", "rot13", "undefined", "utf-8\0"])
def test_unknown_encodings(tmp_path: Path, encoding: str) -> None:
    file = write(tmp_path / "a.txt", b"a\n")
    with pytest.raises(UserError, match=r"The encoding .* does not exist.*utf-8, gb18030"):
        read_plain(file, encoding=encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le"])
def test_the_encoding_is_recognised(tmp_path: Path, encoding: str) -> None:
    file = write(tmp_path / "a.txt", ("a\n" * 9 + "一二三\r\n\n四五六\n").encode(encoding))
    assert list(read_plain(file))[-2:] == [(10, "一二三"), (12, "四五六")]
    assert list(read_plain(file, encoding=encoding)) == list(read_plain(file))


def test_mistakes_are_told_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Cannot read"):
        read_plain(tmp_path / "none.txt")
    with pytest.raises(UserError, match="it is a folder"):
        read_plain(tmp_path)
    with pytest.raises(UserError, match="Valid: raise, skip"):
        read_plain(write(tmp_path / "a.txt", b"a"), errors="ignore")  # type: ignore[arg-type]
