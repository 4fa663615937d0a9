"""Is no text of a CSV file a formula, however a spreadsheet parts it, and can every text be had back?"""

from __future__ import annotations

import csv
import io
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core.io.spreadsheet_guards import KEY, csv_bytes, guarded, is_export, unguarded

STARTS = "=+-@＝＋－＠\t\r'"
FORMULAS = set("=+-@＝＋－＠")


def read(content: bytes) -> list[str]:
    return [row["label"] for row in csv.DictReader(io.StringIO(content.decode(), newline=""))]


@given(st.lists(st.text(st.sampled_from(STARTS + 'a1 ,;"\n马'), max_size=8), min_size=1, max_size=5))
def test_taking_the_apostrophes_away_gives_every_text_back(texts: list[str]) -> None:
    content = csv_bytes(pl.DataFrame({"id": range(len(texts)), "label": texts}))
    found = read(content)
    assert not any(text[:1] in set("=+-@＝＋－＠\t\r\n") - {""} for text in found if text)
    assert [unguarded(text) for text in found] == texts
    # What another program takes for a cell, where it parts at semicolons, tabs and line breaks and knows no quotation
    # marks: none of them begins with a formula, whatever marks and spaces it passes over.
    cells = re.split(r"[;\t\r\n]", content.decode())
    assert not any(cell.strip('" \t')[:1] in FORMULAS for cell in cells if cell.strip('" \t'))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("fine;=1+1;x", '"fine;\'=1+1;x"'),
        ("fine\t@x", '"fine\t\'@x"'),
        ("fine\n-x", '"fine\n\'-x"'),
        ('fine;"=A1;x', '"fine;\'""=A1;x"'),
        ("fine; ＝A1", '"fine;\' ＝A1"'),
        ("good; bad", '"good; bad"'),
        ("well-known, 1+1=2", '"well-known, 1+1=2"'),
        (" =1", "' =1"),
        ("", '""'),
    ],
)
def test_a_formula_behind_a_separator_is_guarded_and_the_text_is_quoted(text: str, written: str) -> None:
    assert csv_bytes(pl.DataFrame({"label": [text]})) == f"label\n{written}\n".encode()
    assert unguarded(guarded(text)) == text


def test_numbers_and_plain_texts_stay_as_they_are_and_every_column_of_text_is_guarded() -> None:
    table = pl.DataFrame(
        {"value": [-1.5, None], "label": ["it's", None], "item": ["-x", "x"], "systems": ["A;B", "=1"]}
    )
    assert csv_bytes(table) == b"value,label,item,systems\n-1.5,it's,'-x,\"A;B\"\n,,x,'=1\n"
    assert csv_bytes(pl.DataFrame({"=1": [1], "a,b": [True]})) == b'\'=1,"a,b"\n1,true\n'


def test_a_table_of_answers_is_known_by_its_first_columns() -> None:
    assert is_export([*KEY, "text"]) and not is_export(["item", "rater", "system"])
