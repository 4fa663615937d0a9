"""Are a user's tables read whatever their form, and their mistakes named by line?"""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from hengliang.errors import UserError
from hengliang.materials.rated_sentences.tables import read_rated_table

ROWS: list[dict[str, str | float | None]] = [
    {"sentence": 'The dog, she said, "barked".', "rating": 3.5, "raters": 4, "mode": "slider"},
    {"sentence": "Dog the barked.", "rating": 1.25, "raters": 4, "mode": "slider"},
    {"sentence": "A cat sleeps.", "rating": None, "raters": None, "mode": "slider"},
]


def written(folder: Path, ending: str) -> Path:
    frame = pl.DataFrame(ROWS)
    path = folder / f"mine{ending}"
    if ending == ".csv":
        frame.write_csv(path)
    elif ending == ".tsv":
        frame.write_csv(path, separator="\t")
    elif ending == ".txt":
        frame.write_csv(path, separator=";", include_bom=True, line_terminator="\r\n")
    elif ending == ".jsonl":
        path.write_text("\n".join(json.dumps(row) for row in ROWS) + "\n\n")
    elif ending == ".parquet":
        frame.write_parquet(path)
    else:
        pytest.importorskip("xlsxwriter")
        pytest.importorskip("fastexcel")
        frame.write_excel(path)
    return path


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".txt", ".jsonl", ".parquet", ".xlsx"])
def test_every_form_gives_the_same_rows(tmp_path: Path, ending: str) -> None:
    rows = read_rated_table(written(tmp_path, ending))
    assert [row.text for row in rows] == [row["sentence"] for row in ROWS]
    assert [row.rating for row in rows] == [3.5, 1.25, None]
    assert [row.raters for row in rows] == [4, 4, None]
    assert {row.mode for row in rows} == {"slider"}
    assert [row.key for row in rows] == ["1", "2", "3"]


def test_columns_may_be_called_anything(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text('no,Satz,Urteile,genre,from\n7,Dogs bark.,"4, 2",news,x\n8,Bark dogs.,1,,x\n')
    rows = read_rated_table(
        path,
        {"text": "Satz", "ratings": "Urteile", "id": "no", "source_sentence": "from"},
        keep=["genre"],
    )
    assert [(row.key, row.rating, row.ratings, row.raters) for row in rows] == [("7", 3, (4, 2), 2), ("8", 1, (1,), 1)]
    # Of 4 and 2 the deviation is √2, of one rating there is none.
    assert rows[0].rating_sd == pytest.approx(2**0.5)
    assert rows[1].rating_sd is None
    assert rows[0].further == (("genre", "news"),)
    assert {row.source_sentence for row in rows} == {"x"}


def test_lists_in_json_are_lists(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text('{"sentence": "Dogs bark.", "ratings": [4, 3, 4]}\n')
    (row,) = read_rated_table(path)
    assert row.ratings == (4, 3, 4)
    assert row.rating == pytest.approx(11 / 3)


def test_a_sheet_by_its_name(tmp_path: Path) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    pytest.importorskip("fastexcel")
    path = tmp_path / "mine.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        book.add_worksheet("notes").write(0, 0, "nothing here")
        sheet = book.add_worksheet("data")
        for row, cells in enumerate([("sentence", "rating"), ("狗叫。", 4), ("叫狗。", 2)], 2):
            for column, cell in enumerate(cells):
                sheet.write(row, column, cell)
    rows = read_rated_table(path, sheet="data")
    # The spreadsheet numbers its rows from 1, and the table begins on its third.
    assert [(row.line, row.text, row.rating) for row in rows] == [(4, "狗叫。", 4), (5, "叫狗。", 2)]
    with pytest.raises(UserError, match=r"No sheet of mine.xlsx is called 'dato'. Did you mean data"):
        read_rated_table(path, sheet="dato")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sentence,rating\nDogs bark.,four\n", "line 2: the rating 'four' is no number"),
        ("sentence,rating\nDogs bark.,4\n ,3\n", "line 3: there is no sentence"),
        ("sentence,rating\nDogs, they bark.,4\n", "line 2: there are 3 cells, in the header 2"),
        ('sentence,rating\n"Dogs bark.,4\n', "line 2: a quotation mark is not closed"),
        ("sentence,rating,raters\nDogs bark.,4,2.5\n", "line 2: '2.5' is no number of raters"),
        ("sentence,rating,raters\nDogs bark.,4,0\n", "line 2: '0' is no number of raters"),
        ("sentence,rating,rating_sd\nDogs bark.,4,-1\n", "line 2: the standard deviation -1 is negative"),
        ("sentence,rating,id\nDogs bark.,4,a\n\nCats sleep.,4,a\n", "line 4: the id 'a' is that of line 2"),
        ("sentence,sentence\nDogs bark.,4\n", "two columns called 'sentence'"),
        ("sentence,score\nDogs bark.,4\n", "is called 'rating'"),
        ("text,rating\nDogs bark.,4\n", "is called 'sentence'"),
        ("sentence,rating\n", "holds no rated sentences"),
        ("", "holds no rated sentences"),
    ],
)
def test_mistakes_are_named_by_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(text)
    with pytest.raises(UserError) as caught:
        read_rated_table(path)
    assert message in str(caught.value)


def test_broken_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        read_rated_table(tmp_path / "none.csv")
    with pytest.raises(UserError, match="names no table that can be read"):
        read_rated_table(written(tmp_path, ".csv").rename(tmp_path / "mine.doc"))
    latin = tmp_path / "latin.csv"
    latin.write_bytes(b"sentence,rating\nDogs bark.,4\nCaf\xe9s close.,4\n")
    with pytest.raises(UserError, match="line 3: it is not UTF-8"):
        read_rated_table(latin)
    for content in ("{", "[1]"):
        (tmp_path / "x.jsonl").write_text('{"sentence": "a", "rating": 1}\n' + content)
        with pytest.raises(UserError, match="line 2: it is no JSON"):
            read_rated_table(tmp_path / "x.jsonl")
    for ending in (".parquet", ".xlsx"):
        (tmp_path / f"x{ending}").write_text("no table")
        with pytest.raises(UserError, match=r"is not a whole Parquet file|is no Excel file"):
            read_rated_table(tmp_path / f"x{ending}")
    with pytest.raises(UserError, match="has no sheets"):
        read_rated_table(latin, sheet="one")


def test_columns_that_are_not_there_or_not_free(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("sentence,rating,genre,system\nDogs bark.,4,news,x\n")
    with pytest.raises(UserError, match=r"'gender'. Did you mean genre"):
        read_rated_table(path, keep=["gender"])
    with pytest.raises(UserError, match="'system' cannot be kept"):
        read_rated_table(path, keep=["system"])
    with pytest.raises(UserError, match="'Mode'"):
        read_rated_table(path, {"mode": "Mode"})
    with pytest.raises(UserError, match=r"No purpose of a column is called 'rater'. Did you mean raters"):
        read_rated_table(path, {"rater": "x"})
