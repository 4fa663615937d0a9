from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from hengliang.analysis.layout import Layout, StatisticLabel
from hengliang.bilingual import Bilingual
from hengliang.errors import UserError
from hengliang.records import Estimate, estimates_frame
from hengliang.report import figures
from hengliang.report.plots import FigurePlan, figure_plan, figure_sentence, figure_table
from tests.report.example import ANALYSES, content
from tests.report.pages import read_page


def plan_of(number: int) -> FigurePlan:
    entry = ANALYSES[number]
    plan = figure_plan(content().estimates_of(entry.name), entry.layout)
    assert plan is not None
    return plan


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


# --- drawing ----------------------------------------------------------------------------------------------------------


def test_the_specification_holds_every_number_and_no_address() -> None:
    plan = plan_of(0)
    found = figures.specification(plan, "zh")
    marks = [mark for data in found["datasets"].values() for mark in data]
    assert sorted(mark["value"] for mark in marks) == sorted(p.value for panel in plan.panels for p in panel.points)
    assert marks[0]["text"] == "GE\n准确率 43.1% [41.2, 45.0]\nn = 31,204"
    assert "://" not in json.dumps(found)
    assert [panel["title"]["text"] for panel in found["concat"]] == [panel.title.zh for panel in plan.panels]


def test_equal_plans_are_drawn_alike() -> None:
    first, second = figures.specification(plan_of(1), "en"), figures.specification(plan_of(1), "en")
    assert json.dumps(first) == json.dumps(second)
    assert figures.still_picture(first) == figures.still_picture(second)


@pytest.mark.parametrize("kind", ["intervals", "bars"])
def test_the_still_picture_has_a_mark_for_each_number_in_the_colours_of_the_page(kind: Any) -> None:
    plan = replace(plan_of(1), kind=kind)
    picture = read_page(figures.still_picture(figures.specification(plan, "zh")))
    marks = [
        path
        for group in picture.all("g")
        if group.attributes.get("class", "").startswith("mark-rect" if kind == "bars" else "mark-symbol")
        and "role-mark" in group.attributes["class"]
        for path in group.all("path")
    ]
    assert len(marks) == 7
    assert {path.attributes["fill"] for path in marks} == {"var(--series-1)", "var(--series-2)"}
    assert "数词＋量词" in picture.text


def test_percentages_share_an_axis_and_other_numbers_do_not() -> None:
    labels = {name: StatisticLabel(Bilingual(name, name), "percent", 0) for name in ("p1", "p2")}
    rows = [estimate({}, "p1", 0.2), estimate({}, "p2", 0.8), estimate({}, "x", 40.0)]
    plan = figure_plan(estimates_frame(rows), Layout((), statistics=labels))
    assert plan is not None
    domains = [
        panel["layer"][-1]["encoding"]["x"]["scale"]["domain"] for panel in figures.specification(plan, "en")["concat"]
    ]
    assert domains[0] == domains[1]
    assert domains[0][0] < 0.2 and 0.8 < domains[0][1] <= 1
    assert domains[2][0] < 40 < domains[2][1]


def test_bars_begin_at_zero() -> None:
    plan = figure_plan(estimates_frame([estimate({}, "x", 40.0)]), Layout((), figure="bars"))
    assert plan is not None
    scale = figures.specification(plan, "en")["concat"][0]["layer"][0]["encoding"]["x"]["scale"]
    assert scale["domain"][0] == 0


@pytest.mark.parametrize(
    ("panels", "width", "label", "expected"),
    [
        # By hand: 700 - 36 - 14 = 650, of which 160 each fit 4 times; 7 panels need 2 rows, so 4 columns;
        # (650 - 4 * 28) // 4 = 134.
        (7, 700, 36, (4, 134)),
        # 6 panels in 2 rows make 3 columns; (650 - 84) // 3 = 188.
        (6, 700, 36, (3, 188)),
        # A phone: 358 - 86 - 14 = 258, in which one fits; 258 - 28 = 230.
        (7, 358, 86, (1, 230)),
        (1, 700, 36, (1, 622)),
        # Narrower than any panel: the figure scrolls.
        (2, 100, 90, (1, 132)),
    ],
)
def test_panels_fill_the_width(panels: int, width: int, label: int, expected: tuple[int, int]) -> None:
    assert figures.panel_grid(panels, width, label) == expected


@pytest.mark.parametrize(
    ("width", "expected"),
    [(600, 0), (500, 0), (499, 4), (300, 2), (50, 1)],  # by hand: (499 - 90) // 100 = 4, (300 - 90) // 100 = 2
)
def test_the_legend_breaks_when_it_must(width: int, expected: int) -> None:
    assert figures.legend_columns(width, figures.TextWidths(rows=10, series=100, legend=500)) == expected


def test_labels_of_several_factors_have_a_line_each() -> None:
    rows = [estimate({"class": "garden path", "modifier": "none"}, "x", 1.0)]
    plan = figure_plan(estimates_frame(rows), Layout(("class", "modifier")))
    assert plan is not None
    assert figures.text_widths(plan, "en").rows == round(7.2 * len("garden path"))
    picture = read_page(figures.still_picture(figures.specification(plan, "en")))
    assert [line.text for line in picture.all("tspan")] == ["garden path", "none"]


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(0)
    monkeypatch.setitem(sys.modules, "altair", None)
    assert not figures.figures_available()
    with pytest.raises(UserError, match=r"pip install 'hengliang\[figures\]'"):
        figures.chart(plan, "en")
