"""Is no text of a CSV file a formula, and can every text be had back?"""

from __future__ import annotations

import csv
import io
import re

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from hengliang.people.collected.delimited import csv_bytes

STARTS = "=+-@＝＋－＠\t\r'"


def read(content: bytes) -> list[str]:
    return [row["label"] for row in csv.DictReader(io.StringIO(content.decode(), newline=""))]


@given(st.lists(st.text(st.sampled_from(STARTS + 'a1 ,"\n马'), max_size=6), min_size=1, max_size=5))
def test_taking_one_apostrophe_away_gives_every_text_back(texts: list[str]) -> None:
    found = read(csv_bytes(pl.DataFrame({"id": range(len(texts)), "label": texts})))
    assert not any(text[:1] in set("=+-@＝＋－＠\t\r\n") - {""} for text in found if text)
    assert [re.sub(r"^'(?='*[=+\-@＝＋－＠\x00-\x1f])", "", text) for text in found] == texts


def test_numbers_and_plain_texts_stay_as_they_are() -> None:
    table = pl.DataFrame({"value": [-1.5], "label": ["it's"], "participant": ["-x"], "own": ["=1"]})
    assert csv_bytes(table) == b"value,label,participant,own\n-1.5,it's,-x,=1\n"
    assert csv_bytes(table, ["own"]).endswith(b"'=1\n")
