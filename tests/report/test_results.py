"""Does the report show each number, how it was made, and the same in a figure, in words and as a table?"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Bilingual, Estimate
from hengliang.core import Layout, estimates_frame
from hengliang.report import words
from hengliang.report.content import AnalysisEntry, ReportContent
from hengliang.report.figures import text_widths
from hengliang.report.plots import MOST_ROWS, figure_sentence
from hengliang.report.results import figure_html, results_section
from tests.report.example import ANALYSES, content, plan_of
from tests.report.pages import Element, read_page

TITLE = Bilingual("Title", "标题")


def shown(made: ReportContent) -> Element:
    return read_page(results_section(made).body)


@cache
def example() -> Element:
    return shown(content())


def results_of(rows: list[Estimate], layout: Layout | None = None) -> Element:
    """Return the results of one analysis with these numbers, without a figure."""
    entry = AnalysisEntry("a", TITLE, Bilingual("", ""), layout or Layout((), figure="none"))
    return shown(
        ReportContent("x", Bilingual("?", "？"), "2026-01-01", analyses=(entry,), estimates=estimates_frame(rows))
    )


def number_rows(page: Element) -> list[Element]:
    return [row for row in page.all("tr") if "-number-" in row.attributes.get("id", "")]


def number_cells(row: Element) -> list[str]:
    return [cell.text for cell in row.all("td")]


# --- analyses ---------------------------------------------------------------------------------------------------------


def test_analyses_stand_in_order_under_their_titles_and_the_contents_list_them() -> None:
    section = results_section(content())
    assert section.parts == tuple((f"analysis-{number + 1}", entry.title) for number, entry in enumerate(ANALYSES))
    articles = example().all("article")
    assert [article.attributes["id"] for article in articles] == [anchor for anchor, _ in section.parts]
    for article, entry in zip(articles, ANALYSES, strict=True):
        heading = article.all("h3", id=article.attributes["aria-labelledby"])
        assert [span.text for span in heading[0].all("span")] == [entry.title.en, entry.title.zh]
        assert entry.explanation.zh in article.text


def test_how_to_read_a_table_is_said_once() -> None:
    assert example().text.count(words.TABLE_KEY.en) == 1


def test_an_analysis_without_estimates_says_so() -> None:
    half = shown(replace(content(), estimates=content().estimates_of("label_match")))
    assert [words.NO_ESTIMATES.en in article.text for article in half.all("article")] == [False, True, True]
    nothing = shown(replace(content(), estimates=content().estimates.head(0)))
    assert words.NO_ESTIMATES.zh in nothing.all("p")[0].text
    assert words.TABLE_KEY.en not in nothing.text
    assert not nothing.all("table")


# --- every number and its signature -----------------------------------------------------------------------------------


def test_every_number_is_accounted_for() -> None:
    """Each estimate has a row with its method, and a link to its whole signature."""
    made, rows = content(), number_rows(example())
    assert len(rows) == made.estimates.height
    ids = {element.attributes["id"]: element for element in example().all("li") if "id" in element.attributes}
    expected = [
        (method, signature)
        for entry in made.analyses
        for method, signature in made.estimates_of(entry.name).select("method", "signature").rows()
    ]
    for row, (method, signature) in zip(rows, expected, strict=True):
        assert method in row.text
        assert ids[row.all("a")[0].attributes["href"][1:]].all("code")[0].text == signature


def test_a_value_in_a_table_links_to_its_making() -> None:
    links = [link for link in example().all("a") if link.attributes.get("class") == "value"]
    by_id = {row.attributes["id"]: row for row in number_rows(example())}
    assert len(links) == content().estimates.height
    first = by_id[links[0].attributes["href"][1:]]
    assert links[0].text == "43.1" and "0.4312" in first.text


cells = st.fixed_dictionaries(
    {},
    optional={"system": st.sampled_from(["GE", "RULE"]), "part": st.sampled_from(["a", "b", "量"])},
).map(lambda by: tuple(sorted(by.items())))
keys = st.tuples(cells, st.sampled_from(["accuracy", "f1"]))
held = st.tuples(st.none() | st.floats(0.125, 1, width=16), st.sampled_from(["", "a:1", "a:2", "a:<3>|b:1"]))


@settings(max_examples=50)
@given(st.dictionaries(keys, held, min_size=1, max_size=10), st.sampled_from([("system",), ("part", "system"), ()]))
def test_whatever_the_layout_a_link_leads_to_its_number_and_its_signature(
    numbers: dict[Any, tuple[float | None, str]], rows: tuple[str, ...]
) -> None:
    estimates = [
        Estimate("a", dict(by), statistic, value, n=number, signature=signature)
        for number, ((by, statistic), (value, signature)) in enumerate(numbers.items())
    ]
    page = results_of(estimates, Layout(rows, figure="none"))
    ids = {element.attributes["id"]: element for element in page.all() if "id" in element.attributes}
    for number, estimate in enumerate(estimates):
        row = ids[f"analysis-1-number-{number}"]
        value, _, n, *_, link = number_cells(row)
        assert n == str(number)
        assert (
            value.startswith("—") if estimate.value is None else float(value) == pytest.approx(estimate.value, rel=1e-5)
        )
        if estimate.signature:
            assert ids[row.all("a")[0].attributes["href"][1:]].all("code")[0].text == estimate.signature
        else:
            assert link == "—" and not row.all("a")
    linked = [link.attributes["href"][1:] for link in page.all("a") if link.attributes.get("class") == "value"]
    assert sorted(linked) == sorted(f"analysis-1-number-{number}" for number in range(len(estimates)))
    # A signature that several numbers share stands once.
    lines = [code.text for code in page.all("code")]
    assert sorted(lines) == sorted({estimate.signature for estimate in estimates} - {""})


def test_a_row_has_levels_statistic_value_interval_counts_and_method() -> None:
    rows = [
        Estimate("a", {"system": "GE"}, "x", 0.123456789, 0.1, None, n=31_204, n_missing=0, method="mean"),
        Estimate("a", {"part": "b"}, "x", -2.0, -3.0, -1.0, df=(2.0, 57.0), p=0.0001),
    ]
    first, second = number_rows(results_of(rows))
    assert [cell.text for cell in first.all("th")] == ["GE", "all全部", "x"]
    assert [cell.text for cell in second.all("th")] == ["all全部", "b", "x"]
    # Six significant digits; one unknown bound is a dash; a count that is not known is no zero.
    assert number_cells(first) == ["0.123457", "[0.1, —]", "31,204", "0", "mean", "—"]
    assert number_cells(second) == ["−2 df = 2, 57 p < .001", "[−3, −1]", "—", "—", "—", "—"]


@pytest.mark.parametrize(
    ("value", "n", "reason"),
    [
        (None, 0, "no_data"),
        (None, 5, "not_computable"),
        (float("nan"), 5, "not_computable"),
        (None, None, "not_computable"),
    ],
)
def test_a_number_that_is_not_there_has_its_reason(value: float | None, n: int | None, reason: str) -> None:
    found = number_rows(results_of([Estimate("a", {}, "x", value, n=n)]))[0].all("td")[0]
    said = words.REASONS[reason]
    assert found.text == f"— {said.en}{said.zh}"


def test_a_missing_number_is_a_dash_with_its_reason() -> None:
    spans = [[part.attributes.get("class") for part in cell.all("span")] for cell in example().all("td")]
    cells = [cell for cell, classes in zip(example().all("td"), spans, strict=True) if "reason" in classes]
    assert len(cells) == 2  # the one number that does not exist: in the table, and among the details
    assert all(cell.text.startswith("—") and "no data" in cell.text for cell in cells)


# --- the figure -------------------------------------------------------------------------------------------------------


def test_figures_have_a_picture_a_name_and_a_table() -> None:
    figures = example().all("figure")
    assert len(figures) == 2  # the third analysis wants none
    for figure, entry, number in zip(figures, ANALYSES, (0, 1), strict=False):
        images, sentence = figure.all("div", role="img"), figure_sentence(plan_of(number))
        assert [len(image.all("svg")) for image in images] == [1, 1]
        assert [image.attributes["aria-label"] for image in images] == [
            f"{entry.title.en}. {sentence.en}",
            f"{entry.title.zh}. {sentence.zh}",
        ]
        assert len(figure.all("details")[0].all("table")) == 1
        for script in figure.all("script"):
            assert json.loads(script.text)["concat"]


def test_the_script_is_told_how_wide_the_labels_are() -> None:
    drawings = example().all("figure")[1].all("div", **{"class": "drawing"})
    widths = text_widths(plan_of(1), "zh")
    assert [drawing.attributes["lang"] for drawing in drawings] == ["en", "zh-Hans"]
    told = [drawings[1].attributes[f"data-{name}"] for name in ("rows", "series", "legend")]
    assert told == [str(widths.rows), str(widths.series), str(widths.legend)]


def test_a_short_sentence_is_the_caption_and_a_long_one_goes_with_the_table() -> None:
    few, many = (read_page(figure_html(plan_of(number), "a", TITLE)) for number in (1, 0))  # one panel, seven panels
    assert figure_sentence(plan_of(1)).en in few.all("figcaption")[0].text
    assert figure_sentence(plan_of(1)).en not in few.all("details")[0].text
    assert many.all("figcaption")[0].text.strip() == ""
    assert figure_sentence(plan_of(0)).en in many.all("details")[0].text


def test_what_is_not_drawn_is_named_in_the_caption() -> None:
    caption = read_page(figure_html(plan_of(1), "a", TITLE)).all("figcaption")[0].text
    assert "Not drawn, for want of a value: RULE · elided 一 · Accuracy." in caption
    assert "因无数值而未绘出：RULE · 省略“一” · 准确率。" in caption
    assert words.FIGURE_MISSING.en not in read_page(figure_html(plan_of(0), "a", TITLE)).text


def test_a_figure_that_nobody_could_read_is_left_out() -> None:
    many = [Estimate("a", {"item": str(number)}, "x", float(number)) for number in range(MOST_ROWS + 1)]
    large = results_of(many, Layout(("item",)))
    assert not large.all("svg")
    assert words.FIGURE_TOO_LARGE.en in large.text
    assert len(number_rows(large)) == MOST_ROWS + 1


def test_without_the_extra_the_figure_is_a_table_and_a_line_on_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    page = read_page(figure_html(plan_of(1), "a", TITLE))
    assert not page.all("svg")
    assert page.all("p")[0].all("code")[0].text == "pip install 'hengliang[figures]'"
    assert len(page.all("tbody")[0].all("tr")) == 7
