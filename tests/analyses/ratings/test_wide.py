"""Does a table with a column a system become one row a rating?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.analyses.ratings.reading import ROW, RatingsFile, melt, melted_part, read_ratings_file


@pytest.fixture
def wide(tmp_path: Path) -> RatingsFile:
    path = tmp_path / "wide.csv"
    path.write_text("item,rater,GE,BERT\ns1,p1,3,6\ns1,p2,4,\n", encoding="utf-8")
    return read_ratings_file(path)


def test_each_rating_column_becomes_rows(wide: RatingsFile) -> None:
    long = melt(wide, "fluency", "system", ("item", "rater"))
    assert long.frame.select(ROW, "item", "rater", "system", "fluency").rows() == [
        (2, "s1", "p1", "GE", "3"),
        (3, "s1", "p2", "GE", "4"),
        (2, "s1", "p1", "BERT", "6"),
        (3, "s1", "p2", "BERT", ""),
    ]
    assert long.form.endswith("wide, one column a system")


def test_the_part_that_is_no_column_is_what_the_columns_stand_for() -> None:
    assert melted_part("system", ("item", "rater"), ("item", "rater")) == "system"
    assert melted_part("system", ("item", "rater"), ("item", "system", "note")) == "rater"
    with pytest.raises(UserError, match="could stand for system or rater") as caught:
        melted_part("system", ("item", "rater"), ("item",))
    assert "--wide item,rater" in caught.value.remedy
    with pytest.raises(UserError, match="stand for nothing"):
        melted_part("system", ("item",), ("item", "system"))


def test_what_cannot_be_melted(wide: RatingsFile) -> None:
    with pytest.raises(UserError, match=r"No column is called 'items'. Did you mean item"):
        melt(wide, "fluency", "system", ("items",))
    with pytest.raises(UserError, match="'item' is named by --measure and by --wide"):
        melt(wide, "item", "system", ("item",))
    with pytest.raises(UserError, match="has 1 columns besides"):
        melt(wide, "fluency", "system", ("item", "rater", "GE"))


def test_labels_of_the_rating_columns_become_those_of_the_measure(wide: RatingsFile) -> None:
    labelled = RatingsFile(wide.path, wide.frame, "SPSS", "0", {"GE": {"1": "bad"}, "item": {"s1": "first"}})
    assert melt(labelled, "fluency", "system", ("item", "rater")).labels == {
        "item": {"s1": "first"},
        "fluency": {"1": "bad"},
    }
    assert isinstance(labelled.frame, pl.DataFrame)
