from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from hengliang import Bilingual, Estimate, UserError
from hengliang.core import Layout, StatisticLabel, estimates_frame
from hengliang.report.plots import figure_plan, figure_sentence, figure_table
from tests.report.example import ANALYSES, content, plan_of


def estimate(by: Mapping[str, str], statistic: str, value: float | None, **more: Any) -> Estimate:
    return Estimate("a", by, statistic, value, **more)


def test_one_factor_makes_rows_and_each_statistic_a_panel() -> None:
    plan = plan_of(0)
    assert [panel.statistic for panel in plan.panels] == list(ANALYSES[0].layout.figure_statistics)
    assert [row.en for row in plan.rows] == ["GE", "RULE"]
    assert plan.series == ()


def test_of_two_factors_the_systems_are_told_by_colour() -> None:
    plan = plan_of(1)
    assert [label.zh for label in plan.series] == ["GE", "RULE"]
    assert [label.zh for label in plan.rows] == ["数词＋量词", "指示词", "“每、各、几”", "省略“一”"]
    assert [label.en for label in plan.undrawn] == ["RULE · elided 一 · Accuracy"]
    assert len(plan.panels[0].points) == 7  # eight numbers, one of which does not exist


def test_no_figure_is_no_plan() -> None:
    entry = ANALYSES[2]
    assert figure_plan(content().estimates_of(entry.name), entry.layout) is None
    assert figure_plan(estimates_frame([estimate({}, "s", None)]), Layout(())) is None


def test_an_unknown_figure_is_refused() -> None:
    layout = replace(ANALYSES[0].layout, figure=cast(Any, "bar"))
    with pytest.raises(UserError, match=r"No figure is called 'bar'\. Did you mean bars"):
        figure_plan(content().estimates_of("label_match"), layout)


def test_p_values_are_not_drawn_unless_asked_for() -> None:
    rows = estimates_frame([estimate({}, "rho", 0.5), estimate({}, "p", 0.01)])
    labels = {"p": StatisticLabel(Bilingual("p", "p"), "p", 3)}
    plan = figure_plan(rows, Layout((), statistics=labels))
    asked = figure_plan(rows, Layout((), statistics=labels, figure_statistics=("p",)))
    assert plan is not None and [panel.statistic for panel in plan.panels] == ["rho"]
    assert asked is not None and [panel.statistic for panel in asked.panels] == ["p"]


def test_infinite_numbers_are_not_drawn_and_infinite_bounds_make_no_line() -> None:
    rows = [estimate({"s": "a"}, "odds", math.inf), estimate({"s": "b"}, "odds", 2.0, low=1.0, high=math.inf)]
    plan = figure_plan(estimates_frame(rows), Layout(("s",)))
    assert plan is not None
    assert [(point.value, point.low, point.high) for point in plan.panels[0].points] == [(2.0, 1.0, None)]
    assert [label.en for label in plan.undrawn] == ["a · odds"]


def test_levels_with_the_same_title_stay_apart() -> None:
    rows = [estimate({"s": "a1"}, "x", 1.0), estimate({"s": "a2"}, "x", 2.0)]
    levels = {"a1": Bilingual("model", "模型一"), "a2": Bilingual("model", "模型二")}
    plan = figure_plan(estimates_frame(rows), Layout(("s",), levels=levels))
    assert plan is not None
    assert [(row.en, row.zh) for row in plan.rows] == [("model (a1)", "模型一"), ("model (a2)", "模型二")]


def test_what_is_the_same_in_all_rows_is_no_label() -> None:
    rows = [estimate({"s": s, "with": "GE", "test": test}, "x", 1.0) for s in "ab" for test in ("sign", "ranks")]
    plan = figure_plan(estimates_frame(rows), Layout(("test", "s", "with")))
    assert plan is not None
    told = {label.en for label in (*plan.rows, *plan.series)}
    assert told == {"a", "b", "sign", "ranks"}


def test_the_figure_in_words() -> None:
    sentence = figure_sentence(plan_of(1))
    assert sentence.en == "Accuracy: from 38.8% (GE · quantifier 每, 各, 几) to 93.4% (GE · elided 一)."
    assert sentence.zh == "准确率：最低 38.8%（GE · “每、各、几”），最高 93.4%（GE · 省略“一”）。"


def test_the_figure_as_a_table_has_every_mark() -> None:
    plan = plan_of(1)
    table = figure_table(plan)
    assert len(table) == 7
    assert [str(cell) for cell in table.cells()[0]] == [
        "Accuracy (%)",
        "GE",
        "numeral + classifier",
        "40.2 [38.2, 42.2]",
        "19,870",
    ]
    assert table.frame["value"].to_list() == [point.value for point in plan.panels[0].points]
