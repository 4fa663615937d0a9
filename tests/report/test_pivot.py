from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Bilingual, Estimate, UserError
from hengliang.core import ESTIMATE_SCHEMA, Layout, StatisticLabel, estimates_frame
from hengliang.report.pivot import estimate_table
from tests.report.example import ANALYSES, content

ACCURACY = {"accuracy": StatisticLabel(Bilingual("Accuracy", "准确率"), "percent", 0)}


def estimate(by: Mapping[str, str], statistic: str = "accuracy", value: float | None = 0.5, **more: Any) -> Estimate:
    return Estimate("a", by, statistic, value, **more)


def shown(estimates: list[Estimate], layout: Layout) -> list[list[str]]:
    table = estimate_table(estimates_frame(estimates), layout)
    return [
        [table.heading(column) for column in table.columns],
        *([str(cell) for cell in row] for row in table.cells()),
    ]


def test_statistics_make_columns() -> None:
    rows = [estimate({"system": "GE"}, n=9), estimate({"system": "RULE"}, value=0.25, low=0.2, high=0.3, n=8)]
    assert shown(rows, Layout(("system",), statistics=ACCURACY, factors={"system": Bilingual("System", "系统")})) == [
        ["System", "Accuracy (%)", "n"],
        ["GE", "50", "9"],
        ["RULE", "25 [20, 30]", "8"],
    ]


def test_a_factor_makes_columns_and_the_statistic_then_makes_rows() -> None:
    rows = [
        estimate({"system": "GE"}),
        estimate({"system": "RULE"}, value=0.25),
        estimate({"system": "GE"}, "kappa", 0.125),
    ]
    assert shown(rows, Layout((), "system", ACCURACY)) == [
        ["Statistic", "GE", "RULE"],
        ["Accuracy (%)", "50", "25"],  # each row in the style of its statistic
        ["kappa", "0.125", "— (not estimated)"],
    ]


def test_rows_are_grouped_and_keep_the_order_in_which_levels_first_occur() -> None:
    rows = [estimate({"system": s, "c": c}) for c in ("z", "a") for s in ("RULE", "GE")]
    table = shown(rows, Layout(("system", "c")))
    assert [row[:2] for row in table[1:]] == [["RULE", "z"], ["RULE", "a"], ["GE", "z"], ["GE", "a"]]


def test_an_estimate_without_a_factor_is_about_all_levels() -> None:
    rows = [estimate({"system": "GE"}), estimate({"system": "GE", "c": "numeral"})]
    assert [row[:2] for row in shown(rows, Layout(("system", "c")))[1:]] == [["GE", "all"], ["GE", "numeral"]]


def test_a_factor_that_the_layout_forgets_joins_the_rows() -> None:
    rows = [estimate({"system": "GE", "seed": "1"}), estimate({"system": "GE", "seed": "2"})]
    assert [row[:2] for row in shown(rows, Layout(("system",)))] == [["system", "seed"], ["GE", "1"], ["GE", "2"]]


def test_a_factor_that_does_not_occur_is_left_out() -> None:
    assert shown([estimate({"system": "GE"})], Layout(("system", "genre")))[0] == ["system", "accuracy"]


def test_two_methods_of_one_number_stand_in_two_rows() -> None:
    rows = [
        estimate({"system": "GE"}, "wilcoxon", method="zeros dropped"),
        estimate({"system": "GE"}, "wilcoxon", method="Pratt"),
    ]
    assert [row[:2] for row in shown(rows, Layout(("system",)))[1:]] == [["GE", "zeros dropped"], ["GE", "Pratt"]]


def test_a_number_that_is_given_twice_is_refused() -> None:
    with pytest.raises(UserError, match=re.escape("'accuracy' of {'system': 'GE'} twice")):
        shown([estimate({"system": "GE"}), estimate({"system": "GE"}, value=0.6)], Layout(("system",)))


def test_reasons_for_missing_numbers() -> None:
    rows = [
        estimate({"s": "a"}, value=None, n=0),
        estimate({"s": "b"}, value=None, n=5),
        estimate({"s": "c"}, value=float("nan"), n=5),
        estimate({"s": "d"}, "other"),
    ]
    column = [row[1] for row in shown(rows, Layout(("s",)))[1:]]
    assert column == ["— (no data)", "— (not computable)", "— (not computable)", "— (not estimated)"]


def test_one_n_for_a_row_or_one_in_each_cell() -> None:
    same = [estimate({"s": "a"}, n=5), estimate({"s": "a"}, "f1", n=5), estimate({"s": "b"}, n=6)]
    assert shown(same, Layout(("s",)))[0] == ["s", "accuracy", "f1", "n"]
    differing = [estimate({"s": "a"}, n=5), estimate({"s": "a"}, "f1", n=4, n_missing=1)]
    assert shown(differing, Layout(("s",))) == [
        ["s", "accuracy", "f1"],
        ["a", "0.500, n = 5", "0.500, n = 4, 1 missing"],
    ]


def test_tests_show_degrees_of_freedom_and_p() -> None:
    rows = [estimate({}, "F", 4.5, df=(2.0, 57.0), p=0.0153)]
    layout = Layout((), statistics={"F": StatisticLabel(Bilingual("F", "F"), "number", 2)})
    assert shown(rows, layout) == [["F"], ["4.50, df = 2, 57, p = .015"]]


def test_names_that_clash_are_told_apart() -> None:
    rows = [estimate({"accuracy": "high", "n": "x"}, n=3)]
    table = estimate_table(estimates_frame(rows), Layout(("accuracy", "n")))
    assert table.frame.columns == ["accuracy", "n", "accuracy_2", "n_2"]
    assert table.frame.row(0) == ("high", "x", 0.5, 3)


def test_a_factor_may_be_called_statistic() -> None:
    rows = [estimate({"statistic": "mean"}), estimate({"statistic": "median"}, value=0.25)]
    table = estimate_table(estimates_frame(rows), Layout(("statistic",), "statistic"))
    assert sorted(number for column in table.columns for number in column.keys if number is not None) == [0, 1]


def test_no_estimates_make_an_empty_table() -> None:
    assert len(estimate_table(pl.DataFrame(schema=ESTIMATE_SCHEMA), Layout(("system",)))) == 0


def test_the_example_in_chinese() -> None:
    table = estimate_table(content().estimates_of("by_construction"), ANALYSES[1].layout, "zh")
    assert [table.heading(column) for column in table.columns] == ["系统", "结构", "准确率 (%)", "n", "缺失"]
    assert [str(cell) for cell in table.cells()[-1]] == ["RULE", "省略“一”", "— (无数据)", "0", "61"]


levels = st.sampled_from(["a", "b", "个"])
numbers = st.one_of(st.none(), st.floats(0, 1))
cells = st.tuples(
    st.dictionaries(st.sampled_from(["system", "genre", "statistic", "method"]), levels),
    st.sampled_from(["accuracy", "f1", "system"]),
)


@given(
    st.dictionaries(
        cells.map(lambda cell: (tuple(sorted(cell[0].items())), cell[1])), numbers, min_size=1, max_size=12
    ),
    st.lists(st.sampled_from(["system", "genre", "statistic"]), unique=True),
    st.sampled_from(["statistic", "system", "genre"]),
)
def test_no_estimate_is_lost_and_none_hides_another(
    given: dict[Any, float | None], rows: list[str], columns: str
) -> None:
    estimates = [estimate(dict(by), statistic, value) for (by, statistic), value in given.items()]
    table = estimate_table(estimates_frame(estimates), Layout(tuple(rows), columns))
    held = {
        number: table.frame[column.name][row]
        for column in table.columns
        for row, number in enumerate(column.keys)
        if number is not None
    }
    assert held == {number: one.value for number, one in enumerate(estimates)}
