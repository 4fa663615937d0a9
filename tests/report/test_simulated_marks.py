"""Does every figure of made-up answers say so, in whatever form somebody takes it along?"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hengliang.core import LANGUAGES, Language
from hengliang.report import figures, words
from hengliang.report.content import ReportContent
from hengliang.report.html import LANGUAGE_TAGS
from hengliang.report.markdown import render_json, render_markdown
from hengliang.report.page import render_page
from hengliang.report.plots import figure_sentence
from tests.report.example import content, plan_of
from tests.report.pages import Element, read_page
from tests.tagging.toy_tagging import pairs_view

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MARK = words.SIMULATED_MARK


@cache
def made(simulated: bool) -> ReportContent:
    return replace(content(simulated=simulated), views=(pairs_view(simulated),))


@cache
def source(simulated: bool) -> str:
    return render_page(made(simulated))


@cache
def page(simulated: bool) -> Element:
    return read_page(source(simulated))


def test_every_figure_says_it_in_picture_name_and_caption() -> None:
    shown = page(True).all("figure")
    assert len(shown) >= 3
    for figure in shown:
        caption = figure.all("figcaption")[0].text
        assert MARK.en in caption and MARK.zh in caption
        pictures = [element for element in figure.all() if element.attributes.get("role") == "img"]
        assert pictures
        for picture in pictures:
            assert any(MARK[language] in picture.attributes["aria-label"] for language in LANGUAGES)


def test_every_drawing_has_the_mark_in_its_specification_and_in_its_still_picture() -> None:
    drawings = page(True).all(**{"class": "drawing"})
    assert len(drawings) >= 4
    for drawing in drawings:
        language = next(key for key in LANGUAGES if LANGUAGE_TAGS[key] == drawing.attributes["lang"])
        specification = json.loads(drawing.all("script")[0].text)
        assert specification["title"]["text"] == MARK[language]
        still = drawing.all(**{"class": "still"})[0]
        assert MARK[language] in [text.text for text in still.all("text")]


def test_graphs_that_are_drawn_by_hand_say_it_inside() -> None:
    graphs = page(True).all("svg", **{"class": "error-graph"})
    assert graphs
    for graph in graphs:
        assert f"{MARK.en} · {MARK.zh}" in [text.text for text in graph.all("text")]


def test_figures_of_people_never_say_it() -> None:
    plain = source(False)
    assert MARK.en not in plain and MARK.zh not in plain
    assert "title" not in figures.specification(plan_of(0), "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_exported_picture_has_it(language: Language) -> None:
    vl_convert = pytest.importorskip("vl_convert")
    plan = replace(plan_of(0), simulated=True)
    specification = figures.specification(plan, language)
    assert MARK[language] in figures.still_picture(specification)
    marked, plain = (
        vl_convert.vegalite_to_png(held, vl_version=figures._library_version())
        for held in (specification, figures.specification(plan_of(0), language))
    )
    # The marked picture is higher by a line: bytes 20 to 23 of a PNG are its height.
    assert int.from_bytes(marked[20:24], "big") > int.from_bytes(plain[20:24], "big")
    assert figure_sentence(plan)[language].startswith(MARK[language])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_table_of_the_markdown_and_the_json_have_it(language: Language) -> None:
    text = render_markdown(made(True), language)
    analyses = made(True).all_analyses()
    assert text.count(f"**{MARK[language]}**") == len(analyses) > 2
    assert MARK[language] not in render_markdown(made(False), language)
    held: Any = json.loads(render_json(made(True)))
    assert held["simulated"] is True


@pytest.mark.browser
def test_the_live_figure_shows_it_too(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(source(True), encoding="utf-8")
    visited = browser.new_page(locale="en-GB")
    try:
        visited.goto(file.as_uri())
        visited.wait_for_function("document.querySelectorAll('.drawing.is-live').length > 0")
        visited.wait_for_timeout(300)
        live = visited.locator(".drawing.is-live:visible")
        assert live.count() >= 2
        for place in range(live.count()):
            assert live.nth(place).locator(".live svg text", has_text=MARK.en).count() == 1
    finally:
        visited.close()
