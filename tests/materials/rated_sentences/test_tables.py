"""Are a user's tables read whatever their form, and their mistakes named by line?"""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.core import TableOptions
from hengliang.materials.rated_sentences.material import rated_sentences
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
    rows = read_rated_table(path, table=TableOptions(sheet="data"))
    # The spreadsheet numbers its rows from 1, and the table begins on its third.
    assert [(row.line, row.text, row.rating) for row in rows] == [(4, "狗叫。", 4), (5, "叫狗。", 2)]
    with pytest.raises(UserError, match=r"No sheet of mine.xlsx is called 'dato'. Did you mean data"):
        read_rated_table(path, table=TableOptions(sheet="dato"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sentence,rating\nDogs bark.,four\n", "line 2: the rating 'four' is no number"),
        ("sentence,rating\nDogs bark.,4\n ,3\n", "line 3: there is no sentence"),
        ("sentence,rating\nDogs, they bark.,4\n", "line 2: there are 3 cells, and 2 columns"),
        ('sentence,rating\n"Dogs bark.,4\n', "line 2: a quotation mark opens a field in this row and is never closed"),
        ("sentence,rating,raters\nDogs bark.,4,2.5\n", "line 2: '2.5' is no number of raters"),
        ("sentence,rating,raters\nDogs bark.,4,0\n", "line 2: '0' is no number of raters"),
        ("sentence,rating,rating_sd\nDogs bark.,4,-1\n", "line 2: the standard deviation -1 is negative"),
        ("sentence,rating,id\nDogs bark.,4,a\n\nCats sleep.,4,a\n", "line 4: the id 'a' is that of line 2"),
        ("sentence,sentence\nDogs bark.,4\n", "two columns called 'sentence'"),
        ("sentence,score\nDogs bark.,4\n", "is called 'rating'"),
        ("text,rating\nDogs bark.,4\n", "is called 'sentence'"),
        ("sentence,rating\n", "holds no rated sentences"),
        ("sentence,rating\nDogs bark.,-1\nCats sleep.,-1\n", "has no ratings: 'rating' is -1 in every row"),
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
    with pytest.raises(UserError, match="line 3: byte 4 of the line is not UTF-8"):
        read_rated_table(latin)
    for content in ("{", "[1]"):
        (tmp_path / "x.jsonl").write_text('{"sentence": "a", "rating": 1}\n' + content)
        with pytest.raises(UserError, match=r"line 2: it is not (a )?JSON"):
            read_rated_table(tmp_path / "x.jsonl")
    for ending in (".parquet", ".xlsx"):
        (tmp_path / f"x{ending}").write_text("no table")
        with pytest.raises(UserError, match=r"is not a whole Parquet file|is no Excel file"):
            read_rated_table(tmp_path / f"x{ending}")
    with pytest.raises(UserError, match="has no sheets"):
        read_rated_table(latin, table=TableOptions(sheet="one"))


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


# --- a row a rating ---------------------------------------------------------------------------------------------------


def ratings_by_row(folder: Path, *, ids: bool, name: str = "j2.csv") -> Path:
    """Write 20 sentences with the ratings of 8 people, in the order of the people: 160 rows."""
    rows = [
        (f"s{sentence}", f"他昨天买了{sentence}本书。", rater, 1 + (sentence + rater) % 5)
        for rater in range(8)
        for sentence in range(20)
    ]
    frame = pl.DataFrame(rows, schema=["id", "sentence", "participant", "rating"], orient="row")
    (frame if ids else frame.drop("id")).write_csv(folder / name)
    return folder / name


@pytest.mark.parametrize("ids", [True, False])
def test_rows_with_single_ratings_are_one_sentence_with_its_ratings(tmp_path: Path, ids: bool) -> None:
    rows = read_rated_table(ratings_by_row(tmp_path, ids=ids))
    assert len(rows) == 20
    assert [row.key for row in rows] == [f"s{number}" if ids else str(number + 1) for number in range(20)]
    # Sentence 3 was rated 1 + (3 + r) mod 5 by r = 0 … 7: 4, 5, 1, 2, 3, 4, 5, 1, which add up to 25.
    assert rows[3].ratings == (4, 5, 1, 2, 3, 4, 5, 1)
    assert (rows[3].rating, rows[3].raters, rows[3].line) == (25 / 8, 8, 5)
    # The squares add up to 97: s² = (97 − 25² / 8) / 7.
    assert rows[3].rating_sd == pytest.approx(((97 - 25**2 / 8) / 7) ** 0.5)
    items = rated_sentences(tmp_path / "j2.csv", text="sentence", rating="rating", segmenter="characters").items()
    assert items.height == 20
    assert items["raters"].unique().to_list() == [8]


def test_modes_are_rated_apart_and_an_empty_rating_is_none(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("sentence,rating,mode\nA.,4,x\nA.,2,x\nA.,1,y\nA.,,y\nB.,,x\nB.,,x\n")
    assert [(row.key, row.mode, row.rating, row.raters) for row in read_rated_table(path)] == [
        ("1", "x", 3, 2),
        ("2", "y", 1, 1),
        ("3", "x", None, None),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # Means, of which one sentence stands there twice: nobody can tell whether these are two items.
        ("sentence,rating\nA.,4\nB.,3\nC.,2\nA.,1\n", "line 5: the sentence is that of line 2"),
        (
            "sentence,rating,origin\nA.,4,en\nA.,3,de\n",
            "line 3: it is a rating of the sentence in line 2, but its 'origin'",
        ),
        ("id,sentence,rating,raters\n1,A.,4,8\n1,A.,3,8\n", "line 3: the id '1' is that of line 2"),
    ],
)
def test_rows_that_may_be_ratings_or_sentences_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(text)
    with pytest.raises(UserError) as caught:
        read_rated_table(path)
    assert message in str(caught.value)
    assert caught.value.remedy


def test_the_same_sentence_in_two_rows_with_ids_or_numbers_of_raters_is_two_items(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    for text in ("sentence,rating,id\nA.,4,a\nA.,3,b\n", "sentence,rating,raters\nA.,4,8\nA.,3,8\n"):
        path.write_text(text)
        assert [row.rating for row in read_rated_table(path)] == [4, 3]


CONTEXTS = "sentence,rating,{}\nA.,1,x\nA.,3,y\nB.,2,x\nB.,4,y\n"


def test_rows_that_a_column_of_another_kind_tells_apart_are_not_merged_in_silence(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    people = "sentence,rating,participant,setting\nA.,1,p,x\nA.,3,q,y\nB.,2,p,y\nB.,4,q,x\n"
    one = "sentence,rating,setting\nA.,1,x\nA.,3,y\n"
    # One person has rated each sentence twice, so that the setting, though a number, is what differs.
    twice = CONTEXTS.format("setting,rater").replace("x\n", "1,p\n").replace("y\n", "2,p\n")
    for text in (CONTEXTS.format("setting"), people, one, twice):
        path.write_text(text)
        with pytest.raises(
            UserError, match=r"line 3: the sentence is that of line 2, but its 'setting' is '[y2]'"
        ) as told:
            read_rated_table(path)
        assert "mode='setting'" in told.value.remedy
        apart = read_rated_table(path, {"mode": "setting"})
        assert [(row.rating, row.mode in ("x", "1")) for row in apart][:2] == [(1, True), (3, False)]
        together = read_rated_table(path, {"id": "sentence"})
        assert (together[0].rating, together[0].ratings) == (2, (1, 3))


@pytest.mark.parametrize(
    "text",
    [
        CONTEXTS.format("评委编号"),
        # What is known of the raters, when they answered and how fast, tells no items apart.
        "sentence,rating,rater,list,rt\nA.,1,p,1,510\nA.,3,q,2,498\nB.,2,p,1,498\nB.,4,q,2,510\n",
        "sentence,rating,rater,gender\nA.,1,p,f\nA.,3,q,m\nB.,2,p,f\nB.,4,q,m\n",
        # Numbers of rows and remarks that never come back.
        "row,sentence,rating,remark\n1,A.,1,\n2,A.,3,odd\n3,B.,2,\n4,B.,4,\n",
    ],
)
def test_rows_that_differ_by_the_rater_are_ratings_of_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(text)
    assert [(row.ratings, row.merged) for row in read_rated_table(path)] == [((1, 3), 2), ((2, 4), 2)]


def test_a_single_row_in_a_table_of_single_ratings_is_one_rating_and_the_merging_is_told(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("sentence,rating,participant\nA.,1,p\nA.,3,q\nB.,2,p\n")
    rows = read_rated_table(path, {"id": "sentence"})
    # One person rated B.: a mean of one rating, without a spread.
    assert [(row.ratings, row.raters, row.rating_sd) for row in rows] == [((1, 3), 2, 2**0.5), ((2,), 1, None)]
    material = rated_sentences(path, id="sentence")
    told = {name.en: value for name, value in material.facts(material.items())}
    assert told["Rows with single ratings"] == "3 rows of the table are 2 sentences with their ratings"
    assert told["Raters a sentence"] == "1–2"
    path.write_text("sentence,rating\nA.,1\nB.,2\n")
    material = rated_sentences(path)
    assert "Rows with single ratings" not in {name.en for name, _ in material.facts(material.items())}


# --- quoting and headers ----------------------------------------------------------------------------------------------


def test_columns_without_names_are_called_by_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "cola.tsv"
    path.write_text('g1\t1\t\tDogs bark.\ng2\t0\t*\t"Bark" dogs.\n')
    rows = read_rated_table(path, {"id": "1", "rating": "2", "text": "4"}, table=TableOptions(header="no"))
    assert [(row.line, row.key, row.text, row.rating) for row in rows] == [
        (1, "g1", "Dogs bark.", 1),
        (2, "g2", '"Bark" dogs.', 0),
    ]
    with pytest.raises(UserError, match="have names"):
        read_rated_table(written(tmp_path, ".jsonl"), table=TableOptions(header="no"))


def test_marks_that_are_part_of_the_text_can_be_said_to_be_so(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text('sentence,rating\n"Dogs bark.,4\n')
    with pytest.raises(UserError, match="--quoting none"):
        read_rated_table(path)
    assert [row.text for row in read_rated_table(path, table=TableOptions(quoting="none"))] == ['"Dogs bark.']
