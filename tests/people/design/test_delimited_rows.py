"""Are tables read as spreadsheets and editors save them, and what would be read wrongly refused?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.people.design.delimited_rows import delimited_rows


def written(tmp_path: Path, content: str, name: str = "items.csv") -> Path:
    file = tmp_path / name
    file.write_text(content, encoding="utf-8", newline="")
    return file


def test_what_spreadsheets_and_editors_add(tmp_path: Path) -> None:
    # A mark at the beginning, spaces around names, an index without a name, empty rows, lines that end otherwise.
    file = written(tmp_path, '\ufeff,item , text\r\n0,1,"他说：""好, 走""。"\r\n,,\r\n\r\n1,2\r\n', "items.CSV")
    columns, rows = delimited_rows(file)
    assert columns == ["item", "text"]
    assert rows == [(2, {"item": "1", "text": '他说："好, 走"。'}), (5, {"item": "2"})]


def test_a_text_of_several_lines(tmp_path: Path) -> None:
    assert delimited_rows(written(tmp_path, 'item\ttext\n1\t"上\n下"\n', "items.tsv"))[1] == [
        (3, {"item": "1", "text": "上\n下"})
    ]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.csv",
            "item;text\n1;好\n",
            r"has semicolons .*: 'item;text'\. A \.csv file has commas\. Save",
        ),
        ("a.csv", "item\ttext\n1\t好\n", r"has tabs between its columns: .* Call it .*a\.tsv"),
        ("a.tsv", "item,text\n1,好\n", r"has commas between its columns: .* Call it .*a\.csv"),
        ("a.csv", "item,text\n1,好,坏\n", r"line 2: there are more cells than columns \(3, not 2\)\. Put a text"),
        (
            "a.tsv",
            'item\ttext\n1\t"好"\n2\t"坏\n',
            "line 2: a cell stands between quotation marks, but in another line",
        ),
        ("a.csv", 'item,text\n1,"好\n2,坏\n', "line 3: this is no table: unexpected end of data"),
        # Read with good will, the marks would be lost.
        ("a.csv", 'item,text\n1,"好"他说\n', "line 2: this is no table: .*expected after"),
        # The longest cell that Python takes has 131,072 characters.
        ("a.csv", f"item,text\n1,{'长' * 131_073}\n", "line 2: this is no table: field larger than field limit"),
    ],
)
def test_what_would_be_read_wrongly(name: str, content: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        delimited_rows(written(tmp_path, content, name))
