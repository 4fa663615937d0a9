"""Are formulas written, factors coded and constant cells found as the model means them?"""

from __future__ import annotations

import polars as pl
import pytest

from hengliang import UserError
from hengliang.analyses.grouped_models import (
    Cell,
    factors_of,
    known_terms,
    left_out_remark,
    level_in,
    separations,
    sum_columns,
    term_of,
    usable_random,
    written,
)
from hengliang.statistics import model_design as design
from hengliang.statistics import parse_model_formula as parse

FORMULA = parse("value ~ structured * modifier + x + (1 + x | frame) + (x || model:seed) + (1 | data)")
ROWS = pl.DataFrame(
    {
        "value": [1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
        "structured": [True, True, True, True, False, False, False, False],
        "modifier": ["none", "none", "long", "long"] * 2,
        "x": [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.5],
        "frame": ["a", "b"] * 4,
        "model": ["m", "m", "m", "m", "n", "n", "n", "n"],
        "seed": [1, 2] * 4,
        "data": ["small"] * 8,
    }
)


def test_a_written_formula_means_the_same() -> None:
    again = parse(written(FORMULA, {}, FORMULA.random))
    assert [(part.group_name, part.terms.text, part.correlated) for part in again.random] == [
        ("frame", "1 + x", True), ("model:seed", "x", False), ("data", "1", True),
    ]  # fmt: skip
    one = design(f"{FORMULA.response.source} ~ {FORMULA.fixed.text}", ROWS)
    two = design(written(FORMULA, {}, ()), ROWS)
    assert one.fixed_names == two.fixed_names
    assert (one.fixed == two.fixed).all()


def test_a_group_of_one_level_has_no_random_term() -> None:
    kept, left = usable_random(FORMULA, ROWS)
    assert [part.group_name for part in kept] == ["frame", "model:seed"]
    assert left == ("data",)
    assert usable_random(FORMULA, ROWS.clear())[1] == ()
    assert left_out_remark(["data"]).en == "data has one level here, so that no random term of it is in the model."
    assert left_out_remark(["data", "seed"]).zh == "此处data和seed只有一个水平，模型不含其随机项。"


def test_sum_coding_is_that_of_r() -> None:
    # R: contr.sum(3) has the rows (1, 0), (0, 1), (-1, -1).
    found = sum_columns("m", ["a", "b", "c"])
    assert {name: list(values.values()) for name, values in found.items()} == {"m[a]": [1, 0, -1], "m[b]": [0, 1, -1]}
    assert list(sum_columns("m", ["a", "b", "c"], "a")) == ["m[b]", "m[c]"]
    assert sum_columns("s", [False, True]) == {"s[false]": {False: 1.0, True: -1.0}}
    with pytest.raises(UserError, match="The reference 'd' of 'm' does not occur here"):
        sum_columns("m", ["a", "b"], "d")


def test_sum_coded_columns_stand_in_the_place_of_their_factor() -> None:
    text = written(FORMULA, {"modifier": ["modifier[long]", "modifier[short]"]}, FORMULA.random[:1])
    assert text == "value ~ 1 + (structured*(`modifier[long]` + `modifier[short]`)) + x + (1 + x | frame)"
    assert known_terms(parse(text)) == ["x", "structured:modifier[long]", "structured:modifier[short]"]


def test_coefficients_name_terms_and_levels() -> None:
    assert term_of("structured[true]:modifier[none]") == "structured:modifier"
    assert known_terms(FORMULA) == ["x", "structured:modifier"]
    assert level_in("structured[true]:modifier[none]", "modifier", ["long", "none"]) == "none"
    assert level_in("premodifier[none]", "modifier", ["none"]) is None


def test_cells_in_which_nothing_varies_are_found() -> None:
    assert list(separations(FORMULA, ROWS, "value")) == [Cell({"structured": "true", "modifier": "none"}, "1", 2)]
    # Without the interaction both levels of either factor vary, and a number has no cells.
    assert list(separations(parse("value ~ structured + modifier + x"), ROWS, "value")) == []


@pytest.mark.parametrize(
    ("levels", "coefficient", "summed", "rests"),
    [
        ({"a": "2"}, "a[2]", (), True),
        ({"a": "2"}, "a[3]", (), False),
        ({"a": "1"}, "a[3]", (), True),  # the reference is part of every comparison
        ({"a": "2"}, "b[y]", (), False),
        ({"a": "2"}, "(Intercept)", (), False),
        ({"a": "2", "b": "x"}, "a[2]", (), True),
        ({"a": "2", "b": "x"}, "b[y]", (), False),  # at the reference of a
        ({"a": "2", "b": "x"}, "a[2]:b[y]", (), True),
        ({"a": "2", "b": "y"}, "a[2]", (), False),  # at the reference of b
        ({"a": "2", "b": "y"}, "a[2]", ("b",), True),  # a mean over b
        ({"a": "1", "b": "x"}, "a[3]:b[y]", (), True),
    ],
)
def test_an_effect_rests_on_the_cells_that_it_compares(
    levels: dict[str, str], coefficient: str, summed: tuple[str, ...], rests: bool
) -> None:
    rows = pl.DataFrame({"a": ["1", "2", "3"], "b": ["x", "y", "x"]})
    factors = factors_of(parse("y ~ a * b"), rows, {}, summed)
    assert factors.rests_on(coefficient, Cell(levels, "1", 3)) is rests


def test_the_reference_comes_first() -> None:
    factors = factors_of(FORMULA, ROWS, {"modifier": "none"}, ())
    assert factors.levels == {"structured": ("false", "true"), "modifier": ("none", "long")}


def test_a_cell_says_itself() -> None:
    cell = Cell({"structured": "true", "modifier": "none"}, "1", 12)
    assert str(cell) == "all 12 answers with structured = true, modifier = none are 1"
    assert cell.chinese == "structured = true、modifier = none 的 12 个回答全部为 1"
