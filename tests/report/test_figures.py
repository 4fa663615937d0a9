"""Is every number drawn, where it belongs, in the page's colours and within the page's width?"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import altair
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Bilingual, Estimate, UserError
from hengliang.core import FigureKind, Layout, StatisticFormat, StatisticLabel, estimates_frame
from hengliang.report import figures
from hengliang.report.plots import MOST_SERIES, FigurePlan, figure_plan
from hengliang.report.shell import resource
from tests.report.example import plan_of
from tests.report.pages import Element, read_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def estimate(by: Mapping[str, str], statistic: str, value: float | None, **more: Any) -> Estimate:
    return Estimate("a", by, statistic, value, **more)


def planned(rows: list[Estimate], layout: Layout) -> FigurePlan:
    plan = figure_plan(estimates_frame(rows), layout)
    assert plan is not None
    return plan


def domain(plan: FigurePlan, panel: int = 0) -> list[float]:
    """Return the ends of the axis on which the numbers of a panel are drawn."""
    found: list[float] = figures.specification(plan, "en")["concat"][panel]["layer"][-1]["encoding"]["x"]["scale"][
        "domain"
    ]
    return found


def drawn(plan: FigurePlan, kind: str, shape: str = "path") -> list[Element]:
    """Return the marks of one kind in the still picture."""
    picture = read_page(figures.still_picture(figures.specification(plan, "zh")))
    groups = [group for group in picture.all("g") if f"mark-{kind} role-mark" in group.attributes.get("class", "")]
    return [mark for group in groups for mark in group.all(shape)]


def test_the_specification_holds_every_number_and_no_address() -> None:
    plan = plan_of(0)
    found = figures.specification(plan, "zh")
    marks = [mark for data in found["datasets"].values() for mark in data]
    assert sorted(mark["value"] for mark in marks) == sorted(p.value for panel in plan.panels for p in panel.points)
    assert marks[0]["text"] == "GE\n准确率 43.1% [41.2, 45.0]\nn = 31,204"
    assert "://" not in json.dumps(found)
    assert [panel["title"]["text"] for panel in found["concat"]] == [panel.title.zh for panel in plan.panels]


@pytest.mark.parametrize("number", range(2))
def test_the_specification_keeps_to_the_schema(number: int) -> None:
    # What `specification` leaves out for the sake of speed.
    specification = figures.specification(plan_of(number), "zh")
    altair.ConcatChart.from_dict(specification, validate=True)
    with pytest.raises(Exception, match="'none' is not of type 'array'"):
        altair.ConcatChart.from_dict({**specification, "concat": "none"}, validate=True)


def test_equal_plans_are_drawn_alike() -> None:
    first, second = figures.specification(plan_of(1), "en"), figures.specification(plan_of(1), "en")
    assert json.dumps(first) == json.dumps(second)
    assert figures.still_picture(first) == figures.still_picture(second)


@pytest.mark.parametrize("kind", ["intervals", "bars"])
def test_the_still_picture_has_a_mark_for_each_number_in_the_colours_of_the_page(kind: Any) -> None:
    plan = replace(plan_of(1), kind=kind)
    marks = drawn(plan, "rect" if kind == "bars" else "symbol")
    assert len(marks) == 7
    assert {path.attributes["fill"] for path in marks} == {"var(--series-1)", "var(--series-2)"}
    assert "数词＋量词" in figures.still_picture(figures.specification(plan, "zh"))


def test_an_interval_is_drawn_with_both_bounds_or_not_at_all() -> None:
    rows = [
        estimate({"s": "a"}, "x", 1.0, low=0.5, high=1.5),
        estimate({"s": "b"}, "x", 1.0, low=0.5),
        estimate({"s": "c"}, "x", 1.0, high=1.5),
        estimate({"s": "d"}, "x", 1.0),
    ]
    plan = planned(rows, Layout(("s",)))
    assert len(drawn(plan, "symbol")) == 4
    assert len(drawn(plan, "rule", "line")) == 1


def test_series_are_told_apart_by_shape_as_well_as_by_colour() -> None:
    names = [f"system {number}" for number in range(MOST_SERIES)]
    rows = [estimate({"system": name, "part": part}, "x", 1.0) for name in names for part in "ab"]
    plan = planned(rows, Layout(("system", "part")))
    assert len(plan.series) == MOST_SERIES
    encoding = figures.specification(plan, "en")["concat"][0]["layer"][-1]["encoding"]
    shapes, colours = (encoding[channel]["scale"]["range"] for channel in ("shape", "color"))
    assert len(set(shapes)) == len(set(colours)) == MOST_SERIES
    assert all(f"{colour[4:-1]}: light-dark(" in resource("styles.css") for colour in colours)  # var(--series-1) …


def test_a_label_with_a_line_separator_stays_on_its_line() -> None:
    plan = planned([estimate({"s": "a\u2028b\nc"}, "x\u2029y", 1.0)], Layout(("s",)))
    found = figures.specification(plan, "en")
    assert found["concat"][0]["title"]["text"] == "x y"
    assert [row["row"] for data in found["datasets"].values() for row in data] == ["a b c"]
    assert "a b c" in figures.still_picture(found)


# --- the axis ---------------------------------------------------------------------------------------------------------


def test_percentages_share_an_axis_and_other_numbers_do_not() -> None:
    labels = {name: StatisticLabel(Bilingual(name, name), "percent", 0) for name in ("p1", "p2")}
    rows = [estimate({}, "p1", 0.2), estimate({}, "p2", 0.8), estimate({}, "x", 40.0)]
    plan = planned(rows, Layout((), statistics=labels))
    # By hand: 4 % of 0.8 - 0.2 on either side.
    assert domain(plan, 0) == domain(plan, 1) == pytest.approx([0.176, 0.824])
    # A number alone has a tenth of itself on either side.
    assert domain(plan, 2) == pytest.approx([36, 44])


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("bars", 40.0, [0, 41.6]),
        ("bars", -40.0, [-41.6, 0]),
        # Two systems that answer alike differ by 0: the axis has a length all the same, and 0 is its beginning.
        ("intervals", 0.0, [0, 0.5]),
        ("bars", 0.0, [0, 0.5]),
    ],
)
def test_an_axis_ends_at_zero_where_the_numbers_do(kind: FigureKind, value: float, expected: list[float]) -> None:
    assert domain(planned([estimate({}, "x", value)], Layout((), figure=kind))) == pytest.approx(expected)


values = st.floats(-1e12, 1e12)


@pytest.mark.untraced
@settings(max_examples=40)
@given(
    st.lists(st.tuples(values, st.none() | values, st.none() | values), min_size=1, max_size=3),
    st.sampled_from(["intervals", "bars"]),
    st.sampled_from(["percent", "number"]),
)
def test_the_axis_reaches_every_number_and_bound(
    rows: list[tuple[float, float | None, float | None]], kind: FigureKind, format: StatisticFormat
) -> None:
    estimates = [
        estimate({"s": str(number)}, "x", value, low=low, high=high) for number, (value, low, high) in enumerate(rows)
    ]
    label = StatisticLabel(Bilingual("x", "x"), format)
    low, high = domain(planned(estimates, Layout(("s",), statistics={"x": label}, figure=kind)))
    ends = [end for row in rows for end in row if end is not None]
    assert low < high
    assert low <= min(ends) and max(ends) <= high
    # Nothing is shown below 0 or above 100 % where no number is.
    assert low >= 0 or min(ends) < 0
    assert high <= 1 or max(ends) > 1 or format != "percent"


# --- the width --------------------------------------------------------------------------------------------------------


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
    plan = planned([estimate({"class": "garden path", "modifier": "none"}, "x", 1.0)], Layout(("class", "modifier")))
    assert figures.text_widths(plan, "en").rows == round(7.2 * len("garden path"))
    picture = read_page(figures.still_picture(figures.specification(plan, "en")))
    assert [line.text for line in picture.all("tspan")] == ["garden path", "none"]


@given(st.integers(1, 30), st.integers(100, 2000), st.integers(0, 190))
def test_no_panel_is_too_narrow_no_row_is_empty_and_the_width_is_kept(panels: int, width: int, label: int) -> None:
    columns, panel_width = figures.panel_grid(panels, width, label)
    rows = -(-panels // columns)
    assert 1 <= columns <= panels
    assert (rows - 1) * columns < panels <= rows * columns
    assert panel_width >= 132
    free = width - label - 14
    if free >= 132 + 28:
        assert columns * (panel_width + 28) <= free


@pytest.mark.parametrize(("width", "expected"), [(700, 190), (500, 190), (400, 152), (211, 80), (100, 80)])
def test_labels_have_some_two_fifths_of_the_width(width: int, expected: int) -> None:
    assert figures.label_limit(width) == expected  # by hand: 38 % of 400 is 152, of 211 it is 80.18


def test_a_chinese_character_is_as_wide_as_it_is_high() -> None:
    # By hand, 12.5 a Chinese character and 7.2 any other. Rows: “每、各、几” is 5 · 12.5 + 2 · 7.2 = 76.9, more than
    # 数词＋量词 with 62.5. Series: GE 14.4 and RULE 28.8, each with 34 for the symbol. Legend: 系统 25 + 14, and both.
    assert figures.text_widths(plan_of(1), "zh") == figures.TextWidths(rows=77, series=63, legend=39 + 48 + 63)


def test_a_figure_is_as_wide_as_was_asked_and_labels_stand_at_the_left() -> None:
    # By hand: the label RULE is 29 wide; 700 - 29 - 14 = 657 has room for 4 of 160; 7 panels in 2 rows make 4 columns
    # of (657 - 4 · 28) // 4 = 136. On a phone, 358 - 29 - 14 = 315 has room for one of 315 - 28 = 287.
    still, phone = (figures.chart(plan_of(0), "en", width).to_dict() for width in (700, 358))
    assert (still["columns"], {panel["width"] for panel in still["concat"]}) == (4, {136})
    assert (phone["columns"], {panel["width"] for panel in phone["concat"]}) == (1, {287})
    labels = [panel["layer"][0]["encoding"]["y"]["axis"]["labels"] for panel in still["concat"]]
    assert labels == [True, False, False, False, True, False, False]


@pytest.mark.browser
def test_the_script_of_the_page_does_the_same_sums(browser: Browser) -> None:
    sums = re.search(r"const gap = .*?(?=\n  const fitted)", resource("page.js"), re.DOTALL)
    assert sums is not None
    widths = [*range(100, 1700, 37), 358, 390, 700]
    cases = [(panels, width, label) for panels in (1, 2, 5, 7) for width in widths for label in (0, 36, 190)]
    context = browser.new_context()
    found = context.new_page().evaluate(
        f"""cases => {{ {sums[0]}
        return cases.map(([panels, width, label]) => [
            labelLimit(width), panelGrid(panels, width, label), legendColumns(width, {{series: "100", legend: "500"}}),
        ]); }}""",
        cases,
    )
    context.close()
    text = figures.TextWidths(rows=0, series=100, legend=500)
    assert found == [
        [
            figures.label_limit(width),
            list(figures.panel_grid(panels, width, label)),
            figures.legend_columns(width, text),
        ]
        for panels, width, label in cases
    ]


# --- the libraries ----------------------------------------------------------------------------------------------------


def test_the_library_gives_the_page_what_its_script_calls() -> None:
    assert "vegaEmbed" in figures.library()
    assert "window.vegaEmbed" in resource("page.js")


def test_a_newer_altair_is_drawn_by_the_newest_library_of_its_series(monkeypatch: pytest.MonkeyPatch) -> None:
    found = figures.specification(plan_of(1), "en")
    expected = figures.still_picture(found)
    altair = pytest.importorskip("altair")
    series = altair.SCHEMA_VERSION.split(".")[0]
    monkeypatch.setattr(altair, "SCHEMA_VERSION", f"{series}.999.0")
    assert figures.still_picture(found) == expected


@pytest.mark.parametrize("missing", ["altair", "vl_convert"])
def test_without_the_extra_the_error_says_what_to_install(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert figures.figures_available()
    plan = plan_of(0)
    monkeypatch.setitem(sys.modules, missing, None)
    assert not figures.figures_available()
    with pytest.raises(UserError, match=r"pip install 'hengliang\[figures\]'"):
        figures.still_picture(figures.specification(plan, "en"))
