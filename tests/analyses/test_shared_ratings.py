from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.analyses.observations import copies, shared_ratings, unique_ratings, with_system_indicators

# 一___马: GE says 个, RULE and BERT say 匹; 一___书: all say 本. Two raters see each response once.
ROWS = [
    ("horse", "r1", "个", 2, "GE"),
    ("horse", "r2", "个", 3, "GE"),
    ("horse", "r1", "匹", 7, "RULE"),
    ("horse", "r2", "匹", 6, "RULE"),
    ("horse", "r1", "匹", 7, "BERT"),
    ("horse", "r2", "匹", 6, "BERT"),
    ("book", "r1", "本", 7, "GE"),
    ("book", "r1", "本", 7, "RULE"),
    ("book", "r1", "本", 7, "BERT"),
    ("book", "r2", "本", None, "GE"),
    ("book", "r2", "本", None, "RULE"),
    ("book", "r2", "本", None, "BERT"),
]
NAMES = ["item", "rater", "response", "rating", "system"]
TABLE = pl.DataFrame(ROWS, schema=NAMES, orient="row")


def test_copies_are_merged_and_missing_ratings_counted() -> None:
    shared = unique_ratings(TABLE)
    assert shared.ratings.rows() == [
        ("horse", "r1", "个", 2.0),
        ("horse", "r2", "个", 3.0),
        ("horse", "r1", "匹", 7.0),
        ("horse", "r2", "匹", 6.0),
        ("book", "r1", "本", 7.0),
    ]
    assert (shared.n_copies, shared.n_missing) == (4, 3)
    assert shared.systems == ["BERT", "GE", "RULE"]
    assert shared.responses_of("GE").rows() == [("horse", "个"), ("book", "本")]


def test_indicators_and_shares() -> None:
    table = with_system_indicators(unique_ratings(TABLE))
    assert table["n_systems"].to_list() == [1, 1, 2, 2, 3]
    assert table["gave_RULE"].to_list() == [0, 0, 1, 1, 1]
    assert table["share_RULE"].to_list() == pytest.approx([0, 0, 1 / 2, 1 / 2, 1 / 3])
    assert table.select(pl.sum_horizontal(r"^share_.*$")).to_series().to_list() == pytest.approx([1] * 5)
    assert table["unit"].unique().to_list() == ["unique ratings"]


def test_copies_say_what_they_are() -> None:
    table = copies(unique_ratings(TABLE))
    assert table.height == 9
    assert table["unit"].unique().to_list() == ["copies"]
    assert sorted(table.select(NAMES).rows()) == sorted(
        (*row[:3], float(row[3]), row[4]) for row in ROWS if row[3] is not None
    )
    assert table.filter(pl.col("item") == "book")["n_systems"].to_list() == [3, 3, 3]


def test_ratings_that_stand_once_and_who_gave_the_responses() -> None:
    shared = unique_ratings(TABLE)
    again = shared_ratings(shared.ratings, shared.givers)
    assert again.ratings.equals(shared.ratings)
    assert (again.checksum(), again.n_copies) == (shared.checksum(), 0)


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(len(ROWS))))
def test_the_order_of_rows_does_not_matter(order: list[int]) -> None:
    shared = unique_ratings(TABLE[order])
    plain = unique_ratings(TABLE)
    key = ["item", "rater", "response"]
    assert shared.ratings.sort(key).equals(plain.ratings.sort(key))
    assert unique_ratings(copies(plain)).ratings.sort(key).equals(plain.ratings.sort(key))


def test_other_names_of_columns() -> None:
    other = TABLE.rename({"item": "句子", "system": "系统"})
    shared = unique_ratings(other, item="句子", system="系统")
    assert shared.ratings.columns == ["句子", "rater", "response", "rating"]
    assert with_system_indicators(shared)["n_systems"].to_list() == [1, 1, 2, 2, 3]


def replaced(row: int, column: str, value: object) -> pl.DataFrame:
    rows = [list(held) for held in ROWS]
    rows[row][NAMES.index(column)] = value  # type: ignore[call-overload]
    return pl.DataFrame(rows, schema=NAMES, orient="row", strict=False)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (replaced(4, "rating", 1), "'rating' holds 7 in row 3 and 1 in row 5, which are copies of one rating"),
        (replaced(4, "system", "RULE"), "Rows 3 and 5 have the same item \\(horse\\)"),
        (replaced(2, "rater", None), "'rater' is empty in row 3"),
        (TABLE.with_columns(rating=pl.lit("good")), "'rating' holds 'good' in row 1"),
        (TABLE.drop("system"), "No column is called 'system'"),
        (TABLE.clear(), "empty"),
    ],
)
def test_mistakes_name_row_and_column(table: pl.DataFrame, message: str) -> None:
    with pytest.raises(UserError, match=message):
        unique_ratings(table)


def test_mistakes_between_the_two_tables() -> None:
    shared = unique_ratings(TABLE)
    with pytest.raises(UserError, match="Row 3 rates the response '匹' to item 'horse', which no system gave"):
        shared_ratings(shared.ratings, shared.givers.filter(pl.col("response") != "匹"))
    with pytest.raises(UserError, match="Rows 1 and 6 have the same"):
        shared_ratings(pl.concat([shared.ratings, shared.ratings[:1]]), shared.givers)
    with pytest.raises(UserError, match="No system is called 'LSTM'"):
        shared.responses_of("LSTM")
    two = pl.concat([shared.givers, pl.DataFrame({"item": ["horse"], "response": ["匹"], "system": ["GE"]})])
    with pytest.raises(UserError, match="'GE' has 2 responses to item 'horse'"):
        shared_ratings(shared.ratings, two).responses_of("GE")
