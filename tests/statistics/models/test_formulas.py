"""What a formula picks out of a table, and what it refuses."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.statistics.models.design import design, numeric_response, parse, prediction_columns

N = 48
RNG = np.random.default_rng(0)
DATA = pl.DataFrame(
    {
        "y": RNG.normal(size=N).round(3),
        "system": ["GPT", "BERT", "human"] * 16,
        "x": RNG.normal(size=N),
        "rater": np.arange(N) // 6 + 1,
        "class": ["b", "a", "a", "b"] * 12,
        "one": ["k"] * N,
        "weight": RNG.normal(size=N),
        "word": ["good"] * 5 + ["bad"] * (N - 5),
    }
).with_columns((pl.col("x") * 2 + 1).alias("x2"), pl.Series("gap", [None, float("nan"), *RNG.normal(size=N - 2)]))


def test_rows_with_a_missing_value_are_left_out_and_counted() -> None:
    held = design("y ~ gap + (1 | rater)", DATA)
    assert (held.n, held.n_missing) == (N - 2, 2)
    assert held.rows.tolist() == list(range(2, N))
    assert held.frame.columns == ["y", "gap", "rater"]
    assert design("y ~ x", DATA).n_missing == 0  # a gap in a column that is not used does not count


def test_columns_terms_and_groups() -> None:
    held = design("y ~ system*x + (1 + system | rater) + (1 | rater:class)", DATA)
    assert held.fixed_names == ("(Intercept)", "system[GPT]", "system[human]", "x", "system[GPT]:x", "system[human]:x")
    assert held.terms == {"system": (1, 2), "x": (3,), "system:x": (4, 5)}
    first, second = held.random
    assert (first.group, first.width, first.levels) == ("rater", 3, tuple("12345678"))
    assert (second.group, second.levels[:3], len(second.levels)) == ("rater:class", ("1:a", "1:b", "2:a"), 16)
    labels = [f"{rater}:{kind}" for rater, kind in DATA.select("rater", "class").iter_rows()]
    assert [second.levels[code] for code in second.codes] == labels


def test_double_bars_part_the_columns() -> None:
    held = design("y ~ x + (x || rater)", DATA)
    assert [term.names for term in held.random] == [("(Intercept)",), ("x",)]


def test_numeric_groups_are_sorted_as_numbers() -> None:
    held = design("y ~ 1 + (1 | rater)", DATA.with_columns(pl.col("rater") * 5.0))
    assert held.random[0].levels[:3] == ("5", "10", "15")


def test_the_response_may_pass_through_a_function() -> None:
    held = design("log(z) ~ 1", DATA.with_columns(pl.col("y").exp().alias("z")))
    assert held.response_name == "log(z)"
    assert numeric_response(held) == pytest.approx(DATA["y"].to_numpy())


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("y ~ sistem", r"No column is called 'sistem'. Did you mean system\?\nColumns: class, gap"),
        ("y ~ one", "The factor 'one' has one level only: 'k'"),
        ("y ~ x + x2", r"'x2' says nothing beyond \(Intercept\), x"),
        ("y ~ x + (1 | one)", "The group 'one' of '(1 | one)' has one level only"),
        ("y ~ x + (1 | weight)", "Column 'weight', row 1: .* names no group"),
        ("y ~ x + (1 | log(rater))", "is no group"),
        ("one ~ x", "The response 'one' is 'k' in all 48 rows"),
        ("y ~ none", "No row is left .* none 48"),
        ("y ~ x + (1 | rater) + (x | rater)", "'.Intercept.' varies by 'rater' twice"),
        ("y ~ x + (0 | rater)", "has no effects"),
        ("scale(y) ~ x", "cannot be put through scale"),
        ("y ~ word*pair", "is zero in every row"),
    ],
)
def test_mistakes_are_explained(formula: str, message: str) -> None:
    data = DATA.with_columns(
        pl.lit(None, dtype=pl.Float64).alias("none"),
        pl.when(pl.col("word") == "good").then(pl.lit("p")).otherwise(pl.lit("q")).alias("pair"),
    )
    pattern = message.replace("(1 | one)", r"\(1 \| one\)")
    with pytest.raises(UserError, match=pattern):
        design(formula, data)


def test_text_as_response_is_shown_with_its_row() -> None:
    data = pl.DataFrame({"y": [None, "3", "four", "5"], "x": [1.0, 2.0, 4.0, 3.0]})
    with pytest.raises(UserError, match="Column 'y', row 3: 'four' is text"):
        numeric_response(design("y ~ x", data))


def test_more_columns_than_rows() -> None:
    with pytest.raises(UserError, match="only 2 rows"):
        design("y ~ x + weight", DATA.head(2))


def test_new_data_meet_the_same_columns() -> None:
    parsed = parse("y ~ system + (x || rater)")
    held = design(parsed, DATA)
    fixed, random, rows = prediction_columns(parsed, held, DATA.drop("y").tail(5))
    assert fixed == pytest.approx(held.fixed[-5:])
    assert rows.tolist() == [0, 1, 2, 3, 4]
    for new, old in zip(random, held.random, strict=True):
        assert new.columns == pytest.approx(old.columns[-5:])
        assert new.codes.tolist() == old.codes[-5:].tolist()
    _, random, _ = prediction_columns(parsed, held, DATA.with_columns(pl.lit(99).alias("rater")))
    assert set(random[0].codes.tolist()) == {-1}


@given(st.permutations(range(N)))
def test_the_order_of_rows_does_not_matter(order: list[int]) -> None:
    first, second = design("y ~ system*x + (1 | rater)", DATA), design("y ~ system*x + (1 | rater)", DATA[order])
    assert second.fixed_names == first.fixed_names
    assert np.array_equal(second.fixed, first.fixed[order])
    assert np.array_equal(second.random[0].codes, first.random[0].codes[order])


def test_two_groups_with_the_same_rows_are_refused() -> None:
    # Each reader saw a list of their own, so reader and list are one group under two names.
    data = pl.DataFrame(
        {"y": [1.0, 2, 3, 5, 4, 6], "reader": [1, 1, 2, 2, 3, 3], "list": ["c", "c", "a", "a", "b", "b"]}
    )
    with pytest.raises(UserError, match="'list' parts the rows just as 'reader' does"):
        design("y ~ 1 + (1 | reader) + (1 | list)", data)
    apart = data.with_columns(pl.Series("list", ["c", "a", "a", "a", "b", "b"]))
    assert len(design("y ~ 1 + (1 | reader) + (1 | list)", apart).random) == 2


def test_a_column_that_never_varies_is_no_combination_of_levels() -> None:
    with pytest.raises(UserError, match=r"'scale\(x\)' of the model is zero in every row: it never varies"):
        design("y ~ scale(x)", pl.DataFrame({"y": [1.0, 2.0, 3.0], "x": [5.0, 5.0, 5.0]}))
