"""Names, reference levels and columns."""

from __future__ import annotations

import sys

import numpy as np
import polars as pl
import pytest

from hengliang import UserError
from hengliang.statistics.models.design import as_numbers, level_text, model_columns, outer_terms
from hengliang.statistics.models.formula import parse

FRAME = pl.DataFrame(
    {
        "system": ["GPT", "BERT", "人类", "GPT", "BERT", "人类"],
        "order": pl.Series(["lo", "hi", "mid", "lo", "hi", "mid"], dtype=pl.Enum(["lo", "mid", "hi", "never"])),
        "x": [1.0, 2.0, 3.0, 4.0, 5.0, 7.0],
        "n": [1, 2, 2, 1, 3, 3],
        "flag": [True, False, True, True, False, False],
        "v0": ["v1[2]", "a:b", "v1[2]", "a:b", "v1[2]", "a:b"],
    }
)
ROWS = np.arange(6)


def coded(right: str) -> dict[str, list[float]]:
    columns = model_columns(parse(f"y ~ {right}").fixed, FRAME, ROWS)
    return dict(zip(columns.names, columns.values.T.tolist(), strict=True))


def test_text_has_the_first_level_as_reference() -> None:
    assert coded("system") == {
        "(Intercept)": [1] * 6,
        "system[GPT]": [1, 0, 0, 1, 0, 0],
        "system[人类]": [0, 0, 1, 0, 0, 1],
    }


def test_an_enum_keeps_its_order_and_loses_unused_levels() -> None:
    assert list(coded("order")) == ["(Intercept)", "order[mid]", "order[hi]"]


def test_without_intercept_every_level_has_a_column() -> None:
    assert list(coded("0 + system")) == ["system[BERT]", "system[GPT]", "system[人类]"]


def test_interactions_are_products() -> None:
    columns = coded("system*x")
    assert columns["system[GPT]:x"] == [1, 0, 0, 4, 0, 0]
    assert list(columns)[-2:] == ["system[GPT]:x", "system[人类]:x"]


def test_numbers_and_truth_values_as_factors() -> None:
    assert list(coded("C(n)")) == ["(Intercept)", "C(n)[2]", "C(n)[3]"]
    assert coded("flag")["flag[true]"] == [1, 0, 1, 1, 0, 0]


def test_functions_of_numbers() -> None:
    assert coded("log(x)")["log(x)"] == pytest.approx(np.log(FRAME["x"].to_numpy()))
    assert coded("I(x^2)")["I(x^2)"] == [1, 4, 9, 16, 25, 49]
    scaled = np.array(coded("scale(x)")["scale(x)"])
    assert (scaled.mean(), scaled.std(ddof=1)) == pytest.approx((0, 1))


def test_names_that_look_like_places_survive() -> None:
    assert list(coded("v0 + x:v0")) == ["(Intercept)", "v0[v1[2]]", "x:v0[a:b]", "x:v0[v1[2]]"]


def test_new_data_are_coded_like_the_old() -> None:
    new = pl.DataFrame({"system": ["人类"], "x": [3.0]})
    columns = model_columns(parse("y ~ system + scale(x)").fixed, new, np.arange(1), FRAME)
    expected = (3 - FRAME["x"].mean()) / FRAME["x"].std()  # type: ignore[operator]
    assert columns.values.tolist()[0] == pytest.approx([1, 0, 1, expected])
    with pytest.raises(UserError, match="Row 1: 'LLM' is no level of 'system'"):
        model_columns(parse("y ~ system").fixed, pl.DataFrame({"system": ["LLM"]}), np.arange(1), FRAME)


def test_terms_map_to_columns() -> None:
    columns = model_columns(parse("y ~ system*flag").fixed, FRAME, ROWS)
    assert columns.terms == {"system": (1, 2), "flag": (3,), "system:flag": (4, 5)}


def test_outer_terms() -> None:
    assert outer_terms(parse("y ~ a*b + x").fixed) == {"x": "v2", "a:b": "v0:v1"}
    assert outer_terms(parse("y ~ 1").fixed) == {}


def test_level_text() -> None:
    assert [level_text(value) for value in (3.0, 3.5, True, "a", 4)] == ["3", "3.5", "true", "a", "4"]


def test_text_where_a_number_belongs() -> None:
    assert as_numbers(pl.Series("y", ["1", " 2.5"]), np.arange(2)).tolist() == [1, 2.5]
    with pytest.raises(UserError, match=r"Column 'y', row 8: 'n/a' is text where a number belongs\."):
        as_numbers(pl.Series("y", ["1", "n/a"]), np.array([4, 7]))


@pytest.mark.parametrize(
    ("right", "message"),
    [
        ("log(x0)", "row 2: 0 gives no finite number in 'log"),
        ("one", "The factor 'one' has one level only: 'k'"),
        ("day", "neither a number nor a factor"),
        ("sqrt(system)", "text where a number belongs"),
    ],
)
def test_mistakes(right: str, message: str) -> None:
    frame = FRAME.with_columns(
        pl.Series("x0", [1, 0, 1, 1, 1, 1]), pl.lit("k").alias("one"), pl.lit("2020-01-01").str.to_date().alias("day")
    )
    with pytest.raises(UserError, match=message):
        model_columns(parse(f"y ~ {right}").fixed, frame, ROWS)


def test_a_missing_library_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "formulaic", None)
    with pytest.raises(UserError, match=r"hengliang\[mixed\]"):
        coded("system")
