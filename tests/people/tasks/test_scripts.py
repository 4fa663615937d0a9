"""Do slider, drawing and speeded response work in a browser, by mouse, by keyboard, and on a narrow screen?"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from itertools import cycle
from typing import TYPE_CHECKING, Any

import pytest

from hengliang.core import LANGUAGES, Language
from hengliang.people.tasks.likert import LikertRating
from hengliang.people.tasks.scenes import kinds_of
from hengliang.people.tasks.slider import SliderRating
from hengliang.people.tasks.speeded import SpeededResponse
from hengliang.scenes import Reconstruction
from tests.people.scene_examples import ANIMALS, SIGNS
from tests.people.tasks.examples import EXAMPLES, HORSE, SCENE, html_of, open_task

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytest.importorskip("jinja2", reason="jinja2 is not installed")
pytest.importorskip("starlette", reason="starlette is not installed")
pytestmark = pytest.mark.browser

PHONE = {"width": 320, "height": 640}


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Give a page on the narrowest screen; whatever its console complains about fails the test."""
    context = browser.new_context(viewport=PHONE)  # type: ignore[arg-type]
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    yield opened
    context.close()
    assert complaints == []


def values(page: Page) -> dict[str, Any]:
    """Return what the form would send."""
    sent: dict[str, Any] = page.evaluate("Object.fromEntries(new FormData(document.querySelector('form')))")
    return sent


def test_an_untouched_slider_sends_nothing(page: Page) -> None:
    open_task(page, html_of(SliderRating(), HORSE))
    slider = page.get_by_role("slider")
    assert slider.get_attribute("aria-valuetext") == "尚未作答"
    assert values(page)["answer-rating"] == ""
    slider.focus()
    assert values(page)["answer-rating"] == ""


def test_a_slider_by_keyboard(page: Page) -> None:
    open_task(page, html_of(SliderRating(), HORSE))
    page.keyboard.press("Tab")
    # The slider stands at 50, which is an answer only when somebody says so.
    page.keyboard.press("Space")
    assert values(page)["answer-rating"] == "50"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert values(page)["answer-rating"] == "52"
    page.keyboard.press("End")
    assert values(page)["answer-rating"] == "100"
    assert page.get_by_role("slider").get_attribute("aria-valuetext") is None


def test_a_slider_by_mouse_and_by_number(page: Page) -> None:
    open_task(page, html_of(SliderRating(), HORSE))
    page.get_by_role("slider").click()
    assert values(page)["answer-rating"] == "50"
    page.get_by_role("spinbutton").fill("80")
    assert page.get_by_role("slider").input_value() == "80"
    page.get_by_role("spinbutton").fill("")
    assert page.get_by_role("slider").get_attribute("aria-valuetext") == "尚未作答"


def test_a_slider_without_number_and_one_that_comes_back(page: Page) -> None:
    open_task(page, html_of(SliderRating(show_number=False), HORSE, fields={"answer-rating": "80"}))
    assert page.get_by_role("spinbutton").count() == 0
    assert page.get_by_role("slider").input_value() == "80"
    assert values(page)["answer-rating"] == "80"


def test_a_scene_is_drawn_and_its_sum_told(page: Page) -> None:
    open_task(page, html_of(EXAMPLES["reconstruction"].task, SCENE, "en"), "en")
    told, drawing = page.locator("[data-sum]"), page.locator("[data-drawing]")
    assert told.text_content() == "0 of 4 placed, 4 to go."
    page.get_by_label("red circles").fill("３")
    assert told.text_content() == "3 of 4 placed, 1 to go."
    assert drawing.locator("circle.thing-red").count() == 3
    page.get_by_label("blue squares").fill("1")
    assert told.text_content() == "4 of 4 placed. The sum is right."
    assert drawing.locator("rect.thing-blue").count() == 1
    page.get_by_label("blue squares").fill("999")
    assert told.text_content() == "1002 placed, 998 more than the 4 in the scene."
    # As many as twice the scene are drawn of a kind, and no more.
    assert drawing.locator("rect").count() == 8
    page.get_by_label("blue squares").fill("x")
    assert told.text_content() == "Please write whole numbers."
    assert told.get_attribute("aria-live") == "polite"


def test_kinds_of_ones_own_are_drawn_in_their_colours_or_only_summed(page: Page) -> None:
    open_task(page, html_of(Reconstruction(kinds=kinds_of(SIGNS)), SCENE, "en"), "en")
    page.get_by_label("ochre diamonds").fill("3")
    page.get_by_label("green triangles").fill("1")
    drawn = page.locator("[data-drawing] polygon")
    colours = [drawn.nth(place).evaluate("thing => getComputedStyle(thing).fill") for place in range(4)]
    # Triangles come first, as in the domain; #b8860b is 184, 134, 11, and green is the stylesheet's #2e7d32.
    assert colours == ["rgb(46, 125, 50)"] + ["rgb(184, 134, 11)"] * 3
    open_task(page, html_of(Reconstruction(kinds=kinds_of(ANIMALS)), SCENE, "en"), "en")
    page.get_by_label("white dogs").fill("4")
    assert page.locator("[data-sum]").text_content() == "4 of 4 placed. The sum is right."
    assert page.locator("svg").count() == 0


def begin(page: Page) -> None:
    page.get_by_role("button", name="开始").click()
    page.locator("[data-text]:not(.unseen)").wait_for(state="visible")


@pytest.mark.parametrize(("key", "label"), [("j", "yes"), ("F", "no")])
def test_a_response_by_key(page: Page, key: str, label: str) -> None:
    open_task(page, html_of(SpeededResponse(fixation=50), HORSE))
    before = time.monotonic()
    begin(page)
    page.wait_for_timeout(300)
    page.keyboard.press(key)
    sent = values(page)
    elapsed = 1000 * (time.monotonic() - before)
    assert sent["answer-response"] == label
    # The text was there 300 ms before the key, but for a frame or two, and not longer than all of this took.
    assert 100 <= float(sent["answer-reaction time"]) < elapsed
    told = json.loads(sent["timing"])["speeded"]
    assert told["device"] == "key"
    assert told["frames"] > 3
    assert told["missed_frame"] == (told["missed_frames"] > 0)
    assert set(told) >= {"events", "frame_interval", "longest_interval", "onset_delay", "early", "reloaded"}
    # Nothing goes on by itself: the focus waits on the button that does.
    assert page.evaluate("document.activeElement.type") == "submit"
    assert page.locator("[data-status]").text_content() == "您的回答已记录。准备好后请继续。"


def test_a_response_by_button_and_only_one(page: Page) -> None:
    open_task(page, html_of(SpeededResponse(fixation=0), HORSE))
    begin(page)
    page.wait_for_timeout(300)
    page.get_by_role("button", name="是").click()
    sent = values(page)
    assert (sent["answer-response"], json.loads(sent["timing"])["speeded"]["device"]) == ("yes", "pointer")
    page.keyboard.press("f")
    assert values(page)["answer-response"] == "yes"


def test_too_early_is_no_response(page: Page) -> None:
    open_task(page, html_of(SpeededResponse(fixation=2000), HORSE))
    page.get_by_role("button", name="开始").click()
    page.keyboard.press("j")
    assert values(page)["answer-response"] == ""
    page.locator("[data-text]:not(.unseen)").wait_for(state="visible")
    page.wait_for_timeout(300)
    page.keyboard.press("f")
    sent = values(page)
    assert (sent["answer-response"], json.loads(sent["timing"])["speeded"]["early"]) == ("no", 1)


def test_keys_work_only_during_the_trial(page: Page) -> None:
    open_task(page, html_of(SpeededResponse(fixation=0), HORSE))
    page.keyboard.press("j")
    assert values(page)["answer-response"] == ""
    assert not page.locator("[data-text]").is_visible()


def test_time_runs_out(page: Page) -> None:
    task = SpeededResponse(fixation=0, timeout=150, text_time=50)
    open_task(page, html_of(task, HORSE))
    page.get_by_role("button", name="开始").click()
    page.locator("[data-status]", has_text="时间到").wait_for()
    reading = task.read(values(page), HORSE, EXAMPLES["speeded"].screen)
    assert [(each.status, each.reason) for each in reading.given] == [("missing", "timeout")] * 2


def test_nobody_responds_twice(page: Page) -> None:
    form = EXAMPLES["speeded"].form
    open_task(page, html_of(SpeededResponse(), HORSE, fields=form))
    assert not page.get_by_role("button", name="开始").is_visible()
    assert {name: values(page)[name] for name in form} == dict(form)


@pytest.mark.parametrize(("name", "language"), list(zip(EXAMPLES, cycle(LANGUAGES), strict=False)))
def test_everybody_can_use_it_on_a_narrow_screen(name: str, language: Language, page: Page) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    example = EXAMPLES[name]
    problems = {
        problem.field: problem.message[language]
        for problem in example.task.read({}, example.stimulus, example.screen).problems
    }
    open_task(page, html_of(example.task, example.stimulus, language, problems=problems), language)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    only = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
    found = axe.Axe().run(page, options=only)
    assert found.violations_count == 0, found.generate_report()
    small = page.evaluate(
        """Array.from(document.querySelectorAll(".task :is(button, input:not([type=hidden]), textarea)"))
        .filter(each => each.offsetParent !== null)
        .map(each => (each.closest("label.answer, label.option") || each).getBoundingClientRect())
        .filter(box => Math.min(box.width, box.height) < 44).length"""
    )
    assert small == 0


def test_answers_stand_below_or_beside_each_other(page: Page) -> None:
    open_task(page, html_of(LikertRating(), HORSE))
    tops = "new Set(Array.from(document.querySelectorAll('.answers')[0].children).map(each => each.offsetTop)).size"
    assert page.evaluate(tops) == 7
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.evaluate(tops) == 1
    page.get_by_role("radio").first.focus()
    page.keyboard.press("ArrowDown")
    assert values(page)["answer-clarity"] == "2"
