"""Does the same table come from whatever file it was kept in?"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.analyses.ratings.reading import ROW, read_ratings_file
from hengliang.analyses.ratings.table import Columns, ratings_table
from hengliang.core import TableOptions
from tests.analyses.ratings.made_ratings import made_ratings, write_ratings

FRAME = made_ratings(items=3, raters=2)
EXPECTED = FRAME.with_columns(pl.all().cast(pl.String))


def write(folder: Path, name: str) -> Path:
    path = folder / name
    if path.suffix == ".xlsx":
        FRAME.write_excel(path)
    elif path.suffix == ".parquet":
        FRAME.write_parquet(path)
    elif path.suffix in {".jsonl", ".ndjson"}:
        FRAME.write_ndjson(path)
    elif path.suffix == ".json":
        path.write_text(json.dumps(FRAME.to_dicts(), ensure_ascii=False), encoding="utf-8")
    elif path.suffix == ".sav":
        import pyreadstat

        pyreadstat.write_sav(FRAME.to_pandas(), str(path))
    else:
        path.write_text(FRAME.write_csv(separator="\t" if path.suffix == ".tsv" else ","), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "form", "first"),
    [
        ("r.csv", "comma-separated text, UTF-8", 2),
        ("r.tsv", "tab-separated text, UTF-8", 2),
        ("r.txt", "comma-separated text, UTF-8", 2),
        ("r.jsonl", "JSON Lines, UTF-8", 1),
        ("r.json", "JSON, UTF-8", 1),
        ("r.parquet", "Parquet", 1),
        ("r.xlsx", "Excel, sheet 'Sheet1'", 2),
        ("r.sav", "SPSS", 1),
    ],
)
def test_every_form_gives_the_same_table(tmp_path: Path, name: str, form: str, first: int) -> None:
    file = read_ratings_file(write(tmp_path, name))
    assert file.form == form
    assert file.frame.drop(ROW).equals(EXPECTED)
    assert file.frame[ROW].to_list() == list(range(first, first + FRAME.height))


def test_rows_of_a_spreadsheet_are_numbered_as_it_numbers_them(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    FRAME.write_excel(path, worksheet="ratings", position="B4")
    file = read_ratings_file(path, TableOptions(sheet="ratings"))
    # The header is in row 4 of the sheet, so the first rating is in row 5.
    assert file.frame[ROW].to_list() == list(range(5, 5 + FRAME.height))
    assert file.frame.drop(ROW).equals(EXPECTED)
    with pytest.raises(UserError, match=r"No sheet of a\.xlsx is called 'rating'. Did you mean ratings"):
        read_ratings_file(path, TableOptions(sheet="rating"))


def test_value_labels_of_spss_are_kept(tmp_path: Path) -> None:
    import pandas
    import pyreadstat

    data = pandas.DataFrame({"system": [1.0, 2.0, 1.0], "fluency": [5.0, 6.0, 9.0]})
    labels: dict[str, dict[int | float, str]] = {
        "system": {1: "规则", 2: "BERT"},
        "fluency": {1: "非常不同意", 7: "非常同意"},
    }
    path = tmp_path / "a.sav"
    pyreadstat.write_sav(data, str(path), variable_value_labels=labels, missing_ranges={"fluency": [9]})
    file = read_ratings_file(path)
    assert file.labels == {"system": {"1": "规则", "2": "BERT"}, "fluency": {"1": "非常不同意", "7": "非常同意"}}
    # 9 is declared as missing in the file, and is no rating.
    assert file.frame["fluency"].to_list() == ["5", "6", ""]


def test_numbers_with_a_fraction_keep_it(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"x": [1.5, None, 2.0], "id": [1.0, 2.0, float("nan")]}).write_parquet(path)
    assert read_ratings_file(path).frame.drop(ROW).to_dict(as_series=False) == {
        "x": ["1.5", "", "2.0"],
        "id": ["1", "2", ""],
    }


@pytest.mark.parametrize("name", ["r.xlsx", "r.sav"])
def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    path = write(tmp_path, name)
    monkeypatch.setitem(sys.modules, "fastexcel" if name == "r.xlsx" else "pyreadstat", None)
    with pytest.raises(UserError, match="not installed") as caught:
        read_ratings_file(path)
    assert "pip install 'hengliang[spreadsheets]'" in caught.value.remedy


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"", "holds no ratings"),
        ("a.csv", b"item,fluency\n", "only the header item, fluency"),
        ("a.csv", b"a,a\n1,2\n", "two columns called 'a'"),
        ("a.csv", b"source row,a\n1,2\n", "a name that we need"),
        ("a.doc", b"x", "names no table"),
        ("a.parquet", b"x", "not a whole Parquet file"),
        ("a.xlsx", b"x", "no Excel file"),
        ("a.sav", b"x", "no SPSS file"),
        ("a.jsonl", b'{"a": 1}\n{"a": \n', "line 2: it is not JSON"),
        ("a.json", b"[1, 2]", "line 1: it is not a JSON object"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_message(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UserError, match=said):
        read_ratings_file(path)


def test_a_list_in_a_cell_is_no_rating_and_no_matter_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [{"item": item, "system": system, "fluency": 3 + item, "tags": [item]} for item in (1, 2) for system in "ab"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    file = read_ratings_file(path)
    assert file.frame["tags"].to_list() == ["[1]", "[1]", "[2]", "[2]"]
    assert ratings_table(file, Columns(("fluency",), "system", ("item",))).frame.height == 4
    with pytest.raises(UserError, match=r"'tags' holds '\[1\]' in row 1"):
        ratings_table(file, Columns(("tags",), "system", ("item",)))


def test_rows_that_were_left_out_are_told(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n1,2\n3\n4,5\n")
    with pytest.raises(UserError, match="line 3: there is 1 cell"):
        read_ratings_file(path)
    with pytest.warns(UserWarning, match="line 3: there is 1 cell"):
        file = read_ratings_file(path, TableOptions(errors="skip"))
    assert file.form.endswith("1 of 3 rows left out that cannot be read")


def test_a_file_that_is_not_there_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        read_ratings_file(tmp_path / "none.csv")
    with pytest.raises(UserError, match="is a folder"):
        read_ratings_file(tmp_path)
    path = write_ratings(tmp_path, FRAME)
    with pytest.raises(UserError, match="has no sheets"):
        read_ratings_file(path, TableOptions(sheet="one"))
