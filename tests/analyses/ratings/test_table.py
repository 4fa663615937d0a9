"""Is every fault of a ratings file named with its column, its row and what to do?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.analyses.ratings.reading import ROW, RatingsFile, read_ratings_file
from hengliang.analyses.ratings.table import Columns, Ratings, ratings_table
from tests.analyses.ratings.made_ratings import made_ratings, write_ratings

PARTS = Columns(("fluency",), "system", ("item", "rater"))


def table(folder: Path, frame: pl.DataFrame, columns: Columns = PARTS, scale: str | None = None) -> Ratings:
    return ratings_table(read_ratings_file(write_ratings(folder, frame)), columns, scale=scale)


def changed(row: int, **cells: object) -> pl.DataFrame:
    """Return small ratings in which one row of the file (its header is row 1) holds other cells."""
    frame = made_ratings(items=4, raters=3).with_columns(pl.all().cast(pl.String))
    place = pl.int_range(pl.len()) == row - 2
    return frame.with_columns(
        pl.when(place).then(pl.lit(value)).otherwise(pl.col(name)).alias(name) for name, value in cells.items()
    )


def test_good_ratings_are_numbers_with_their_rows(tmp_path: Path) -> None:
    frame = made_ratings(items=4, raters=3)
    found = table(tmp_path, frame)
    assert found.frame["fluency"].to_list() == frame["fluency"].to_list()
    assert found.frame[ROW].to_list() == list(range(2, 2 + frame.height))
    assert found.levels == ("CORPUS", "RULE", "LSTM", "BERT")
    assert found.values("fluency", "BERT") == frame.filter(pl.col("system") == "BERT")["fluency"].to_list()
    assert found.scale.inferred and [note.en for note in found.notes if "inferred" in note.en]


def test_pairs_are_rows_in_an_order_of_their_own(tmp_path: Path) -> None:
    frame = made_ratings(items=4, raters=3)
    found = table(tmp_path, frame).paired("fluency")
    assert found.shape == (12, 4)
    assert (
        table(tmp_path, frame.sample(fraction=1, shuffle=True, seed=1))
        .paired("fluency")
        .select(found.columns)
        .equals(found)
    )


def test_a_level_may_be_called_like_a_column(tmp_path: Path) -> None:
    frame = made_ratings(items=4, raters=3).with_columns(pl.col("system").replace({"BERT": "item", "RULE": ROW}))
    assert table(tmp_path, frame).paired("fluency").columns == ["CORPUS", ROW, "LSTM", "item"]


@pytest.mark.parametrize(
    ("cells", "scale", "said", "remedy"),
    [
        ({"fluency": "9"}, "1-7", "'fluency' holds 9 in row 5, outside the scale 1–7.", "--scale"),
        ({"fluency": "0"}, "1-7", "'fluency' holds 0 in row 5, outside", "--scale"),
        ({"fluency": "gut"}, None, "'fluency' holds 'gut' in row 5 of .*, where a number belongs.", "Correct"),
        ({"rater": "p3"}, None, "item 's01', rater 'p3', system '.*' is rated 2 times, in rows 5, ", "Remove"),
    ],
)
def test_a_faulty_cell_is_named(
    tmp_path: Path, cells: dict[str, str], scale: str | None, said: str, remedy: str
) -> None:
    with pytest.raises(UserError, match=said) as caught:
        table(tmp_path, changed(5, **cells), scale=scale)
    assert remedy in caught.value.remedy


def test_duplicates_suggest_the_column_that_may_tell_them_apart(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is rated 3 times") as caught:
        table(tmp_path, made_ratings(items=4, raters=3), Columns(("fluency",), "system", ("item",)))
    assert "--pair item,rater" in caught.value.remedy


def test_several_faulty_cells_are_counted(tmp_path: Path) -> None:
    frame = made_ratings(items=4, raters=3).with_columns(pl.lit("好").alias("fluency"))
    with pytest.raises(UserError, match=r"'好' in row 2 .*; 47 more such cells, in rows 3, 4, 5, …"):
        table(tmp_path, frame)


def test_a_factor_with_one_level_and_ratings_without_difference(tmp_path: Path) -> None:
    frame = made_ratings(items=4, raters=3)
    with pytest.raises(UserError, match="'system' has one level only, 'BERT', in all rows \\(rows 2 to 13\\)"):
        table(tmp_path, frame.filter(pl.col("system") == "BERT"))
    with pytest.raises(UserError, match="All 48 ratings in the column 'fluency' are 7 \\(rows 2 to 49\\)"):
        table(tmp_path, frame.with_columns(pl.lit(7).alias("fluency")))


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (Columns(("fluncy",), "system"), "No column is called 'fluncy'. Did you mean fluency?"),
        (Columns(("fluency",), "sytem"), "Did you mean system?"),
        (Columns(("fluency",), "system", ("item", "raters")), "Did you mean rater?"),
        (Columns(("fluency",), "system", split="mach"), "Did you mean match?"),
        (Columns(("fluency",), "system", response="respons"), "Did you mean response?"),
        (Columns(("fluency",), "fluency"), "named by --measure and by --by"),
    ],
)
def test_an_unknown_column_is_named_with_the_nearest(tmp_path: Path, columns: Columns, said: str) -> None:
    with pytest.raises(UserError) as caught:
        table(tmp_path, made_ratings(items=2, raters=2), columns)
    assert said in str(caught.value)


def test_missing_ratings_and_pairs_that_are_not_whole_are_counted(tmp_path: Path) -> None:
    found = table(tmp_path, changed(2, fluency="NA"))
    assert found.n_missing("fluency") == found.n_missing("fluency", "CORPUS") == 1
    notes = " ".join(note.en for note in found.notes)
    assert "1 of 48 ratings 'fluency' are missing (CORPUS 1)" in notes
    assert "1 of 12 pairs (item × rater) lack a rating" in notes


def test_rows_without_a_place_are_left_out_and_counted(tmp_path: Path) -> None:
    found = table(tmp_path, changed(3, rater=""))
    assert found.frame.height == 47 and ROW in found.frame.columns
    assert any("1 rows have no rater and are left out (rows 3)" in note.en for note in found.notes)


def test_all_ratings_of_a_level_missing(tmp_path: Path) -> None:
    frame = made_ratings(items=2, raters=2).with_columns(
        pl.when(pl.col("system") == "RULE").then(None).otherwise(pl.col("fluency")).alias("fluency")
    )
    with pytest.raises(UserError, match="All ratings 'fluency' of system 'RULE' are missing"):
        table(tmp_path, frame)


def test_levels_can_be_chosen(tmp_path: Path) -> None:
    file = read_ratings_file(write_ratings(tmp_path, made_ratings(items=2, raters=2)))
    assert ratings_table(file, PARTS, levels=("BERT", "RULE")).levels == ("BERT", "RULE")
    with pytest.raises(UserError, match=r"No level of 'system' is called 'BART'. Did you mean BERT"):
        ratings_table(file, PARTS, levels=("BART", "RULE"))


def test_a_fault_in_a_wide_file_names_its_own_column(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("item,rater,GE,BERT\ns1,p1,3,6\ns1,p2,4,x\n", encoding="utf-8")
    with pytest.raises(UserError, match="The column 'BERT' holds 'x' in row 3"):
        ratings_table(
            read_ratings_file(path), Columns(("fluency",), "system", ("item", "rater"), wide=("item", "rater"))
        )
    path.write_text("item,rater,GE,BERT\ns1,p1,3,6\ns1,p2,4,8\n", encoding="utf-8")
    parts = Columns(("fluency",), "system", ("item", "rater"), wide=("item", "rater"))
    with pytest.raises(UserError, match="The column 'BERT' holds 8 in row 3, outside"):
        ratings_table(read_ratings_file(path), parts, scale="1-7")
    assert ratings_table(read_ratings_file(path), parts).levels == ("GE", "BERT")


def test_labels_of_spss_name_the_levels(tmp_path: Path) -> None:
    file = read_ratings_file(write_ratings(tmp_path, made_ratings(items=2, raters=2)))
    labelled = RatingsFile(file.path, file.frame, "SPSS", file.checksum, {"system": {"RULE": "规则"}})
    assert ratings_table(labelled, PARTS).levels == ("CORPUS", "规则", "LSTM", "BERT")
