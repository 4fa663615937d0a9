"""Are tables of scores read from every kind of file, and others refused?"""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from hengliang.analysis.agreement.score_files import read_score_file
from hengliang.errors import UserError

FRAME = pl.DataFrame({"item": ["a", "b"], "score": [1.5, 2.0]})


def test_every_kind_of_file_gives_the_same(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "t.csv")
    FRAME.write_csv(tmp_path / "t.tsv", separator="\t")
    FRAME.write_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.json").write_text(json.dumps(FRAME.to_dicts()), encoding="utf-8")
    lines = "\n".join(json.dumps(row) for row in FRAME.to_dicts())
    (tmp_path / "t.jsonl").write_text(lines + "\n\n", encoding="utf-8")
    for suffix in ("csv", "tsv", "parquet", "json", "jsonl"):
        assert read_score_file(tmp_path / f"t.{suffix}").equals(FRAME), suffix


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("t.doc", "x", "of a kind that is not read here"),
        ("t.csv", "item,score\n", "has no rows"),
        ("t.csv", "", "cannot be read as CSV"),
        ("t.json", '{"item": 1}', "holds no table"),
        ("t.json", "[1, 2]", "holds no table"),
        ("t.json", "{", "is not a JSON file"),
        ("t.jsonl", "{\n", "cannot be read as JSONL"),
        ("t.parquet", "x", "is not a whole Parquet file"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, name: str, text: str, problem: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=problem):
        read_score_file(tmp_path / name)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        read_score_file(tmp_path / "none.csv")
