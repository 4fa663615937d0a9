"""Can people do the survey in a real browser, whatever they and their connection do?

Chromium against a served survey: both languages, phone and desktop, by keyboard alone, with Back, reload, two tabs,
impatience, a connection that breaks off, a server that is started again, and without JavaScript.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api")
pytest.importorskip("axe_playwright_python")

from hengliang.people.pages.serving import running
from hengliang.people.storage.database import Database, database_url
from hengliang.people.storage.tokens import sealed
from tests.people.survey_browser import Size, Visit, focused
from tests.people.survey_folder import small_survey
from tests.people.survey_visitor import Served, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    # Two items a list are enough for the way; practice and a pause belong to it.
    survey = small_survey(tmp_path_factory.mktemp("survey"), versions=2, practice=True, pause_every=2)
    with serving(survey) as held:
        yield held


@pytest.fixture
def visit(browser: Browser, served: Served) -> Iterator[Visit]:
    with Visit(browser, served) as held:
        yield held


def participant(visit: Visit) -> str:
    """Return the id of whose browser this is."""
    token = next(each["value"] for each in visit.context.cookies() if each["name"] == "session")
    found = visit.served.rows("SELECT participant FROM sessions WHERE token = :token", token=sealed(token))
    return str(found[0][0])


def answers(visit: Visit) -> list[tuple[str, str, float]]:
    """Return what is stored of this browser's participant."""
    query = "SELECT about, scale, value FROM answers WHERE participant = :id ORDER BY id"
    return [tuple(row) for row in visit.served.rows(query, id=participant(visit))]


def at_first_item(visit: Visit, language: str = "en") -> Visit:
    visit.begin(language)
    visit.until("form[data-about]:not([data-about=''])")
    return visit


# A practice item, four of the list (two sentences, two variants each), on two scales.
ALL_ANSWERS = (1 + 4) * 2


@pytest.mark.parametrize("size", ["desktop", "phone"])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_whole_way(browser: Browser, served: Served, language: str, size: Size) -> None:
    with Visit(browser, served, size) as visit:
        visit.begin(language)
        assert visit.page.locator("html").get_attribute("lang") == {"zh": "zh-Hans", "en": "en"}[language]
        visit.finish()
        last = visit.page.inner_text("main")
        assert {"zh": "谢谢", "en": "Thank you"}[language] in last
        assert re.search(r"\b[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}\b", last)
        assert len(answers(visit)) == ALL_ANSWERS
        stored = served.rows("SELECT DISTINCT language FROM answers WHERE participant = :id", id=participant(visit))
        assert stored == [(language,)]
        assert visit.elsewhere() == []
        assert visit.complaints == []


def test_the_target_word_is_bold_and_blue(visit: Visit) -> None:
    at_first_item(visit)
    mark = visit.page.locator(".stimulus mark, .stimulus strong, .stimulus b").first
    red, green, blue = map(int, re.findall(r"\d+", mark.evaluate("each => getComputedStyle(each).color"))[:3])
    assert blue > 2 * max(red, green)
    assert int(mark.evaluate("each => getComputedStyle(each).fontWeight")) >= 600


def test_the_language_is_kept_whatever_the_browser_prefers(browser: Browser, served: Served) -> None:
    with Visit(browser, served, locale="en-GB") as visit:
        visit.begin("zh")
        visit.go("/page?language=en")
        assert visit.page.locator("html").get_attribute("lang") == "zh-Hans"


# By keyboard alone.


def press_until(visit: Visit, reached: str, key: str = "Tab") -> None:
    """Press a key until an element has the focus; every one on the way can be seen to have it."""
    for _ in range(80):
        visit.page.keyboard.press(key)
        held = focused(visit.page)
        assert held["tag"] == "body" or held["seen"], held
        if visit.page.evaluate("selector => document.activeElement.matches(selector)", reached):
            return
    raise AssertionError(f"the focus never comes to {reached}")


def test_the_whole_way_by_keyboard(visit: Visit) -> None:
    page = visit.page
    visit.go(f"/i/{visit.served.invitation()}")
    press_until(visit, "a[href*='language=en']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/consent*")
    press_until(visit, "#field-of-age")
    page.keyboard.press("Space")
    press_until(visit, "button[value=agree]")
    page.keyboard.press("Enter")
    page.wait_for_url("**/page")
    for _ in range(40):
        if visit.step < 0:
            break
        before = visit.step
        groups = page.eval_on_selector_all(
            "form[action='/submit'] input[type=radio]", "all => [...new Set(all.map(each => each.name))]"
        )
        for name in groups:
            press_until(visit, f"input[name='{name}']")
            # The arrow goes to the second answer and chooses it.
            page.keyboard.press("ArrowDown")
            assert page.locator(f"input[name='{name}']:checked").get_attribute("value") == "2"
        press_until(visit, "form[action='/submit'] button[type=submit]")
        page.keyboard.press("Enter")
        visit.wait_after(before)
    assert visit.step == -1
    assert {value for _, _, value in answers(visit)} == {2.0}
    assert len(answers(visit)) == ALL_ANSWERS


def test_the_focus_is_never_trapped(visit: Visit) -> None:
    """Round and round: every stop on an item's page is reached, and the first again after the last."""
    at_first_item(visit)
    stops: list[str] = []
    for _ in range(60):
        visit.page.keyboard.press("Tab")
        held = focused(visit.page)
        stops.append(f"{held['tag']} {held.get('type')} {held.get('name')} {held.get('text', '')[:20]}")
    assert any(stop.startswith("button submit") for stop in stops)
    assert any("not-understood" in stop for stop in stops)
    assert stops.count(stops[0]) >= 2


def test_a_forgotten_answer_is_said_and_the_focus_is_led_there(visit: Visit) -> None:
    at_first_item(visit)
    visit.page.locator("fieldset:has(input[type=radio])").first.locator("label").nth(4).click()
    visit.page.locator("form[action='/submit'] button[type=submit]").click()
    visit.page.wait_for_selector("#problems")
    assert visit.page.locator("input[type=radio]:checked").get_attribute("value") == "5"
    assert focused(visit.page).get("tag") == "section"
    visit.page.locator("#problems a").first.click()
    held = visit.page.evaluate("document.activeElement.closest('fieldset') !== null")
    assert held
    assert answers(visit) == []


# What people do.


def test_back_shows_the_current_page(visit: Visit) -> None:
    at_first_item(visit)
    visit.fill()
    visit.send()
    now, stored = visit.about, answers(visit)
    visit.page.go_back()
    visit.page.wait_for_load_state()
    assert visit.about == now
    visit.page.reload()
    assert visit.about == now
    for path in ("/", "/page/1", "/submit", "/consent", "/nothing"):
        visit.go(path)
        assert visit.about == now, path
    assert answers(visit) == stored


def test_a_second_tab_that_is_behind_changes_nothing(visit: Visit) -> None:
    at_first_item(visit)
    late = visit.context.new_page()
    late.goto(visit.served.url + "/page")
    visit.fill(0)
    visit.send()
    now, stored = visit.about, answers(visit)
    for field in late.locator("fieldset:has(input[type=radio])").all():
        field.locator("label").nth(6).click()
    late.locator("form[action='/submit'] button[type=submit]").click()
    late.wait_for_selector(f"form[data-about='{now}']")
    assert answers(visit) == stored


def test_a_double_click_sends_once(visit: Visit) -> None:
    at_first_item(visit)
    first = visit.step
    visit.fill()
    visit.page.locator("form[action='/submit'] button[type=submit]").dblclick()
    visit.wait_after(first)
    assert len(answers(visit)) == 2
    assert visit.step == first + 1
    visit.page.reload()
    assert visit.step == first + 1


def test_a_consent_sent_twice_is_one_participant(visit: Visit) -> None:
    before = len(visit.served.rows("SELECT 1 FROM participants"))
    visit.go(f"/i/{visit.served.invitation()}")
    visit.choose("en")
    visit.page.locator("#field-of-age").check()
    visit.page.locator("button[value=agree]").dblclick()
    visit.page.wait_for_url("**/page")
    visit.page.reload()
    assert len(visit.served.rows("SELECT 1 FROM participants")) == before + 1


# What connections do.


def test_an_answer_that_arrived_but_whose_acknowledgement_was_lost_is_stored_once(visit: Visit) -> None:
    at_first_item(visit)
    first, about = visit.step, visit.about
    lost: list[int] = []

    def lose(route: Route) -> None:
        if not lost:
            lost.append(route.fetch(max_redirects=0).status)
            route.abort("connectionreset")
        else:
            route.continue_()

    visit.context.route("**/submit", lose)
    visit.fill()
    visit.page.locator("form[action='/submit'] button[type=submit]").click()
    visit.wait_after(first)
    assert lost == [303]
    assert visit.step == first + 1
    assert [held for held, _, _ in answers(visit)] == [about, about]


def test_an_answer_is_kept_while_there_is_no_connection(visit: Visit) -> None:
    at_first_item(visit)
    first = visit.step
    visit.fill(3)
    visit.context.set_offline(True)
    visit.page.locator("form[action='/submit'] button[type=submit]").click()
    visit.page.wait_for_function("() => document.querySelector('#status').textContent.includes('interrupted')")
    assert visit.page.locator("input[type=radio]:checked").count() == 2
    visit.context.set_offline(False)
    visit.wait_after(first)
    assert {value for _, _, value in answers(visit)} == {4.0}


def test_a_server_that_is_started_again_goes_on_where_it_was(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    survey = small_survey(tmp_path_factory.mktemp("again"), demographics=())
    with serving(survey) as held:
        port = int(held.url.rpartition(":")[2])
        visit = Visit(browser, held)
        at_first_item(visit)
        visit.fill(1)
        visit.send()
        step = visit.step
        visit.fill(2)
    # Nobody listens now: the answer waits in the page.
    with visit:
        visit.page.locator("form[action='/submit'] button[type=submit]").click()
        visit.page.wait_for_function("() => document.querySelector('#status').textContent.includes('interrupted')")
        with (
            Database.open(database_url(survey.folder, None)) as database,
            running(survey, database, port=port) as server,
        ):
            visit.served = Served(survey, database, server.url)
            visit.wait_after(step)
            assert visit.step == step + 1
            assert [value for _, _, value in answers(visit)] == [2.0, 2.0, 3.0, 3.0]


def test_the_own_link_goes_on_on_another_device(visit: Visit, browser: Browser, served: Served) -> None:
    visit.begin("zh")
    link = visit.page.locator("a[href*='/resume/']").get_attribute("href")
    assert link is not None
    visit.until("form[data-about]:not([data-about=''])")
    with Visit(browser, served, "phone") as other:
        other.page.goto(link)
        other.page.wait_for_url("**/page")
        assert (other.about, other.step) == (visit.about, visit.step)
        assert other.page.locator("html").get_attribute("lang") == "zh-Hans"
        other.finish()
    # The first device is behind; what it sends now changes nothing.
    stored = answers(visit)
    assert len(stored) == ALL_ANSWERS
    visit.fill(6)
    visit.send()
    assert visit.step == -1
    assert answers(visit) == stored


# Without JavaScript.


def test_the_whole_way_without_javascript(browser: Browser, served: Served) -> None:
    with Visit(browser, served, java_script_enabled=False) as visit:
        visit.go(f"/i/{served.invitation()}")
        visit.page.locator("a[href*='language=zh']").click()
        visit.page.locator("#field-of-age").check()
        visit.page.locator("button[value=agree]").click()
        for _ in range(40):
            form = visit.page.locator("form[action='/submit']")
            if not form.count():
                break
            for field in form.locator("fieldset:has(input[type=radio][name^='answer-'])").all():
                field.locator("label").first.click()
            form.locator("button[type=submit]").click()
        assert "谢谢" in visit.page.inner_text("main")
        assert len(answers(visit)) == ALL_ANSWERS


def test_a_withdrawal_in_the_browser(visit: Visit) -> None:
    visit.begin("en")
    code = visit.page.locator("#withdrawal-code").inner_text()
    who = participant(visit)
    visit.until("form[data-about]:not([data-about=''])")
    visit.fill()
    visit.send()
    visit.go("/withdraw")
    visit.page.locator("#field-code").fill(code.lower())
    visit.page.locator("#field-sure").check()
    visit.page.locator("form[action='/withdraw'] button").click()
    visit.page.wait_for_selector("h1:has-text('deleted')")
    assert visit.served.rows("SELECT status FROM participants WHERE id = :id", id=who) == [("withdrawn",)]
    assert visit.served.rows("SELECT 1 FROM answers WHERE participant = :id", id=who) == []
