"""Are columns taken for numbers or names rightly, and faults named with their row?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.analyses.ratings.modelling import model_frame
from hengliang.analyses.ratings.reading import RatingsFile, parse_scale, read_ratings_file


def file_of(folder: Path, text: str) -> RatingsFile:
    path = folder / "a.csv"
    path.write_text(text, encoding="utf-8")
    return read_ratings_file(path)


def test_numbers_and_names(tmp_path: Path) -> None:
    file = file_of(tmp_path, "y,age,system,rater\n5,1.5,GE,1\n,２,BERT,2\n7,NA,,3\n")
    frame, notes = model_frame(file, "y", ["system", "age", "rater"])
    assert dict(frame.schema) == {"y": pl.Int64, "system": pl.String, "age": pl.Float64, "rater": pl.Int64}
    assert frame["y"].to_list() == [5, None, 7]
    assert frame["system"].to_list() == ["GE", "BERT", None]
    assert frame["age"].to_list() == [1.5, 2.0, None]
    assert not notes


def test_text_in_a_response_of_numbers_is_named_with_its_row(tmp_path: Path) -> None:
    file = file_of(tmp_path, "y,x\n5,1\n6,2\n\n4,3\ngut,4\n7,5\n")
    with pytest.raises(UserError, match="The column 'y' holds 'gut' in row 6"):
        model_frame(file, "y", ["x"])


def test_a_response_of_words_is_one_of_words(tmp_path: Path) -> None:
    frame, notes = model_frame(file_of(tmp_path, "y,x\npoor,1\ngood,2\n"), "y", ["x"])
    assert frame["y"].to_list() == ["poor", "good"] and not notes


def test_another_column_that_is_numbers_but_for_a_cell_is_noted(tmp_path: Path) -> None:
    frame, notes = model_frame(file_of(tmp_path, "y,x\n1,1\n2,2\n3,old\n"), "y", ["x"])
    assert frame.schema["x"] == pl.String
    assert "'x' is taken for names, because row 4 holds 'old'" in notes[0].en


def test_a_rating_outside_the_scale_and_an_unknown_column(tmp_path: Path) -> None:
    file = file_of(tmp_path, "y,x\n1,1\n9,2\n8,2\n")
    with pytest.raises(UserError, match=r"'y' holds 9 in row 3 of .*, outside the scale 1–7; 1 more"):
        model_frame(file, "y", ["x"], scale=parse_scale("1-7"))
    with pytest.raises(UserError, match=r"No column is called 'z'"):
        model_frame(file, "y", ["z"])


def test_labels_make_a_factor_of_codes(tmp_path: Path) -> None:
    file = file_of(tmp_path, "y,system\n1,1\n2,2\n")
    labelled = RatingsFile(file.path, file.frame, "SPSS", "0", {"system": {"1": "规则", "2": "BERT"}})
    assert model_frame(labelled, "y", ["system"])[0]["system"].to_list() == ["规则", "BERT"]
