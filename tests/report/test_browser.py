"""Does the page do in a real browser what it promises?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hengliang.report.index import index_entry, render_index
from hengliang.report.page import render_page
from tests.grammar.toy_suites import suites_view
from tests.report.example import content
from tests.report.hostile import hostile
from tests.tagging.toy_tagging import pairs_view

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no browser at {CHROMIUM}"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pages")
    (made / "report.html").write_text(render_page(content()), encoding="utf-8")
    (made / "hostile.html").write_text(render_page(hostile(content())), encoding="utf-8")
    (made / "suites.html").write_text(render_page(replace(content(), views=(suites_view(),))), encoding="utf-8")
    (made / "taggers.html").write_text(render_page(replace(content(), views=(pairs_view(),))), encoding="utf-8")
    entries = [index_entry(content(), "report.html"), index_entry(content(simulated=True), "hostile.html")]
    (made / "index.html").write_text(render_index(entries), encoding="utf-8")
    return made


class Visit:
    """One open page, with everything it asked for and everything it complained about."""

    def __init__(self, browser: Any, file: Path, **options: Any) -> None:
        settings = {"locale": "en-GB", "viewport": {"width": 1280, "height": 900}, **options}
        self.context = browser.new_context(**settings)
        self.page = self.context.new_page()
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog {dialog.message}"))
        self.page.goto(file.as_uri())

    def wait_for_figures(self) -> None:
        self.page.wait_for_selector("#analysis-2 .drawing.is-live:visible", timeout=20_000)
        self.page.wait_for_selector("#analysis-1 .drawing.is-live:visible", timeout=20_000)

    def css(self, selector: str, name: str) -> str:
        found = self.page.evaluate(
            "([selector, name]) => getComputedStyle(document.querySelector(selector))[name]", [selector, name]
        )
        return str(found)

    def check_quiet(self) -> None:
        assert self.complaints == []
        assert all(url.startswith("file:") for url in self.asked), self.asked
        assert len(self.asked) == 1, self.asked


@pytest.fixture
def visit(browser: Any, folder: Path) -> Iterator[Any]:
    opened: list[Visit] = []

    def go(name: str = "report.html", **options: Any) -> Visit:
        opened.append(Visit(browser, folder / name, **options))
        return opened[-1]

    yield go
    for one in opened:
        one.context.close()


def test_the_page_asks_for_nothing_and_complains_about_nothing(visit: Any) -> None:
    one = visit()
    one.wait_for_figures()
    one.check_quiet()


def test_the_policy_forbids_the_network(visit: Any) -> None:
    one = visit()
    refused = one.page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'loaded', () => 'refused')")
    assert refused == "refused"
    assert any("Content Security Policy" in text for text in one.complaints)


@pytest.mark.parametrize(("locale", "language", "heading"), [("zh-CN", "zh-Hans", "结果"), ("de-DE", "en", "Results")])
def test_the_browser_s_language_is_the_default(visit: Any, locale: str, language: str, heading: str) -> None:
    one = visit(locale=locale)
    assert one.page.evaluate("document.documentElement.lang") == language
    assert one.page.locator("#results-title").inner_text() == heading


def test_the_language_switch_works_and_is_remembered(visit: Any) -> None:
    one = visit()
    assert one.page.locator("#systems-title").inner_text() == "Systems"
    one.page.get_by_label("中文").check()
    assert one.page.locator("#systems-title").inner_text() == "系统"
    assert "准确率 (%)" in one.page.locator("#analysis-1 > .scroll table").inner_text()
    assert "Accuracy" not in one.page.locator("#results").inner_text()
    one.wait_for_figures()
    assert "指示词" in one.page.locator("#analysis-2 .drawing:visible .live").inner_text()
    # Chromium keeps what a page remembers in another process, which short of memory may forget it: then choose again.
    for _ in range(5):
        one.page.reload()
        if one.page.locator("#systems-title").inner_text() == "系统":
            break
        one.page.get_by_label("中文").check()
    assert one.page.locator("#systems-title").inner_text() == "系统"
    assert one.complaints == []


def test_the_keyboard_reaches_language_colours_and_details(visit: Any) -> None:
    one = visit()
    one.page.keyboard.press("Tab")
    assert one.page.evaluate("document.activeElement.className") == "skip"
    one.page.keyboard.press("Tab")
    assert one.page.evaluate("document.activeElement.id") == "language-en"
    one.page.keyboard.press("ArrowRight")
    assert one.page.locator("#systems-title").inner_text() == "系统"
    one.page.keyboard.press("Tab")
    one.page.keyboard.press("ArrowLeft")
    assert one.page.evaluate("document.querySelector('input[name=theme]:checked').value") == "dark"
    one.page.locator("#analysis-1 > details > summary").focus()
    one.page.keyboard.press("Enter")
    assert one.page.locator("#analysis-1-number-0").is_visible()


@pytest.mark.parametrize(("scheme", "paper"), [("light", "rgb(253, 252, 250)"), ("dark", "rgb(23, 25, 28)")])
def test_light_and_dark_follow_the_system(visit: Any, scheme: str, paper: str) -> None:
    assert visit(color_scheme=scheme).css("body", "backgroundColor") == paper


def test_colours_can_be_chosen_and_figures_follow_without_being_drawn_anew(visit: Any) -> None:
    one = visit(color_scheme="light")
    one.wait_for_figures()
    mark = "#analysis-1 .drawing:not([lang=zh-Hans]) .live .mark-symbol path"
    assert one.css(mark, "fill") == "rgb(31, 95, 139)"  # --series-1 for light, #1f5f8b
    one.page.get_by_label("Dark").check()
    assert one.css("body", "backgroundColor") == "rgb(23, 25, 28)"
    assert one.css(mark, "fill") == "rgb(127, 184, 224)"  # --series-1 for dark, #7fb8e0
    one.page.reload()
    assert one.css("body", "backgroundColor") == "rgb(23, 25, 28)"
    one.page.get_by_label("Light").check()
    assert one.css("body", "backgroundColor") == "rgb(253, 252, 250)"


def test_pointing_at_a_mark_shows_its_number(visit: Any) -> None:
    one = visit()
    one.wait_for_figures()
    one.page.locator("#analysis-1 .drawing:visible .live .mark-symbol path").first.hover()
    tooltip = one.page.locator("#vg-tooltip-element.visible")
    tooltip.wait_for(timeout=5_000)
    assert tooltip.inner_text().splitlines() == ["GE", "Accuracy 43.1% [41.2, 45.0]", "n = 31,204"]


def test_choosing_a_number_opens_how_it_was_made(visit: Any) -> None:
    one = visit()
    row = one.page.locator("#analysis-2-number-3")
    assert not row.is_visible()
    one.page.locator("#analysis-2 a.value", has_text="93.4").click()
    row.wait_for(state="visible", timeout=5_000)
    assert "Wilson interval" in row.inner_text()
    row.locator("a").click()
    assert one.page.locator("#analysis-2-signature-1").is_visible()


def test_all_details_open_and_close(visit: Any) -> None:
    one = visit()
    button = one.page.locator("#open-all")
    button.click()
    assert one.page.locator("main details:not([open])").count() == 0
    button.click()
    assert one.page.locator("main details[open]").count() == 0


@pytest.mark.parametrize(("width", "locale"), [(360, "zh-CN"), (390, "en-GB"), (768, "zh-CN"), (1600, "en-GB")])
def test_no_width_makes_the_page_itself_scroll_sideways(visit: Any, width: int, locale: str) -> None:
    one = visit(viewport={"width": width, "height": 800}, locale=locale)
    one.wait_for_figures()
    assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    drawing = one.page.locator("#analysis-1 .drawing:visible")
    assert drawing.evaluate("element => element.scrollWidth - element.clientWidth") <= 0


def test_figures_are_laid_out_anew_when_the_window_changes(visit: Any) -> None:
    one = visit()
    one.wait_for_figures()
    # While a figure is drawn anew it has no size for a moment.
    size = (
        "() => { const svg = document.querySelector('#analysis-1 .drawing:not([lang=zh-Hans]) .live svg');"
        " return svg ? {width: svg.getBoundingClientRect().width, height: svg.getBoundingClientRect().height} : null; }"
    )
    wide = one.page.evaluate(size)
    one.page.set_viewport_size({"width": 390, "height": 800})
    for _ in range(100):
        narrow = one.page.evaluate(size)
        if narrow and 0 < narrow["width"] < 390:
            break
        one.page.wait_for_timeout(100)
    assert narrow["width"] < 390 < wide["width"]
    assert narrow["height"] > wide["height"]  # the panels stand below each other now


def test_without_scripts_the_page_shows_still_pictures_and_the_switches_work(visit: Any) -> None:
    one = visit(java_script_enabled=False)
    still = one.page.locator("#analysis-2 .still svg")
    assert [picture.is_visible() for picture in still.all()] == [True, False]
    one.page.get_by_label("中文").check()
    assert [picture.is_visible() for picture in still.all()] == [False, True]
    assert one.page.locator("#systems-title").inner_text() == "系统"
    one.check_quiet()


def test_paper_is_light_and_has_still_pictures_and_no_controls(visit: Any) -> None:
    one = visit(color_scheme="dark")
    one.wait_for_figures()
    one.page.emulate_media(media="print")
    assert one.css("body", "backgroundColor") == "rgb(255, 255, 255)"
    assert one.css("h1", "color") == "rgb(34, 37, 42)"  # the ink of the light page, #22252a
    for hidden in ("nav", "fieldset", "#analysis-2 .live"):
        assert not one.page.locator(hidden).first.is_visible()
    assert one.page.locator("#analysis-2 .still svg").first.is_visible()
    assert not one.page.locator("#analysis-1 > details").is_visible()
    one.page.locator("#analysis-1 > details").evaluate("element => element.open = true")
    assert one.page.locator("#analysis-1-number-0").is_visible()
    pages = one.page.pdf(format="A4", prefer_css_page_size=True)
    assert pages.startswith(b"%PDF")
    # A4 less the margins is 178 mm, 673 px of a browser: no table may be wider.
    one.page.set_viewport_size({"width": 673, "height": 900})
    assert one.page.evaluate("document.documentElement.scrollWidth") <= 673


def test_a_hostile_study_runs_nothing_and_is_drawn_all_the_same(visit: Any) -> None:
    one = visit("hostile.html")
    one.wait_for_figures()
    one.page.locator("#open-all").click()
    one.page.locator("#analysis-1 .drawing:visible .live .mark-symbol path").first.hover()
    one.page.locator("#vg-tooltip-element.visible").wait_for(timeout=5_000)
    assert one.page.evaluate("window.broken") is None
    assert one.page.locator("img").count() == 0
    assert "<img src=x" in one.page.locator("#vg-tooltip-element").inner_text()
    one.check_quiet()


def test_an_item_that_is_opened_shows_its_words_shaded_by_surprisal(visit: Any) -> None:
    one = visit("suites.html")
    item = one.page.locator("#failing-items .item").first
    cells = item.locator(".surprisals").first.locator("tbody tr").first.locator("td")
    assert not cells.first.is_visible()
    item.locator("summary").focus()
    one.page.keyboard.press("Enter")
    cells.first.wait_for(state="visible", timeout=5_000)
    one.page.wait_for_selector("[data-shade]", timeout=5_000)
    assert cells.all_inner_texts() == ["1.0", "2.0", "0.5", "4.0", "3.0"]
    # A step is three nats; what is below three has no shade.
    assert [cell.get_attribute("data-shade") for cell in cells.all()] == [None, None, None, "1", "1"]
    assert "rgba(0, 0, 0, 0)" not in one.css("[data-shade]", "backgroundColor")
    one.check_quiet()


def test_items_can_be_narrowed_to_those_that_one_model_fails(visit: Any) -> None:
    one = visit("suites.html")
    items = one.page.locator("#failing-items .item")
    assert [item.is_visible() for item in items.all()] == [True, True]
    one.page.get_by_label("Failed by").select_option("second")
    assert [item.is_visible() for item in items.all()] == [True, False]  # the second model was not judged in item 3
    one.page.get_by_label("Failed by").select_option("all")
    assert [item.is_visible() for item in items.all()] == [True, True]


def test_without_scripts_items_open_and_there_is_no_filter(visit: Any) -> None:
    one = visit("suites.html", java_script_enabled=False)
    assert not one.page.locator("#failed-by").is_visible()
    one.page.locator(".item > summary").first.click()
    assert one.page.locator(".item .surprisals td").first.is_visible()


@pytest.mark.parametrize("width", [360, 1280])
def test_open_items_scroll_by_themselves_in_both_languages(visit: Any, width: int) -> None:
    one = visit("suites.html", viewport={"width": width, "height": 800}, locale="zh-CN")
    one.page.locator("#open-all").click()
    assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    shown = one.page.locator("#failing-items").inner_text()
    assert "未打分：the model is out" in shown and "not scored" not in shown
    assert one.page.locator(".surprisals .words").first.is_visible()  # the words stand on both pages


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_arrows_between_tags_are_seen_on_any_paper(visit: Any, scheme: str) -> None:
    one = visit("taggers.html", color_scheme=scheme)
    paper = one.css("body", "backgroundColor")
    for kind in ("about-tags", "about-words"):
        line, head = one.css(f"path.{kind}", "stroke"), one.css(f"marker.{kind} path", "fill")
        assert line == head != paper
    assert one.css(".tag-point text", "fill") != one.css(".tag-point ellipse", "fill")
    one.check_quiet()


@pytest.mark.parametrize("width", [360, 1280])
def test_error_pairs_open_down_to_sentences(visit: Any, width: int) -> None:
    one = visit("taggers.html", viewport={"width": width, "height": 800}, locale="zh-CN")
    pair = one.page.locator("#error-pairs > details.item").first
    pair.locator("summary").first.click()
    word = pair.locator("details.word").first
    assert not word.locator("mark").first.is_visible()
    word.locator("summary").click()
    assert word.locator("mark").first.inner_text() == "工作"
    assert word.locator("tbody tr").first.inner_text().split() == ["语料", "工作/v"]
    assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    # A label lies within its mark.
    for mark in one.page.locator(".tag-point").all():
        outer, inner = mark.locator("ellipse").bounding_box(), mark.locator("text").bounding_box()
        assert outer["x"] <= inner["x"] and inner["x"] + inner["width"] <= outer["x"] + outer["width"]


def test_the_index_leads_to_a_report(visit: Any) -> None:
    one = visit("index.html", locale="zh-CN")
    one.check_quiet()
    assert one.page.locator("h1").inner_text() == "报告"
    one.page.locator("article a").first.click()
    one.page.wait_for_url("**/report.html")
    assert one.page.locator("h1").inner_text() == "classifier choice"
    assert one.complaints == []
