"""Can everybody read and use the pages: with a screen reader, on a narrow screen, with large text?

Nothing runs there that should not, either. axe-core with the rules of WCAG 2.1 A and AA on every kind of page, in both
languages.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api")
pytest.importorskip("axe_playwright_python")

from hengliang.people.storage.administration import one_time_link
from tests.people.survey_browser import TASKS, Visit, overflow, task_survey, violations
from tests.people.survey_folder import small_survey
from tests.people.survey_hostility import MARKUP
from tests.people.survey_visitor import Served, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
ZOOMED = "document.documentElement.style.fontSize = '200%'"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    survey = small_survey(
        tmp_path_factory.mktemp("survey"), practice=True, pause_every=2, contact="lab@example.org", minutes=10
    )
    with serving(survey) as held:
        yield held


def faults(visit: Visit) -> list[str]:
    """Return what is wrong with the current page: for readers of all kinds, and on a narrow screen."""
    found = violations(visit.page)
    page = visit.page
    before = page.viewport_size
    page.set_viewport_size({"width": 320, "height": 640})
    if overflow(page) > 0:
        found.append(f"320 px: {overflow(page)} px too wide")
    # A style sheet set from the outside stands in for the browser's own setting of a larger text.
    page.evaluate(ZOOMED)
    page.set_viewport_size({"width": 640, "height": 640})
    if overflow(page) > 0:
        found.append(f"200 %: {overflow(page)} px too wide")
    page.evaluate("document.documentElement.style.fontSize = ''")
    if before:
        page.set_viewport_size(before)
    if page.locator("h1").count() != 1:
        found.append("not one heading of the first level")
    return found


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_page_of_participants(browser: Browser, served: Served, language: str) -> None:
    found: dict[str, list[str]] = {}
    with Visit(browser, served) as visit:
        token = served.invitation()
        visit.go(f"/i/{token}")
        found["language"] = faults(visit)
        visit.choose(language)
        found["consent"] = faults(visit)
        visit.agree()
        kinds = []
        for _ in range(40):
            form = visit.page.locator("form[action='/submit']")
            kind = form.get_attribute("data-kind") if form.count() else "end"
            if kind not in kinds:
                kinds.append(kind)
                found[str(kind)] = faults(visit)
                if kind == "trial":
                    form.locator("button[type=submit]").click()
                    visit.page.wait_for_selector("#problems")
                    found["problems"] = faults(visit)
            if kind == "end":
                break
            visit.fill()
            visit.send()
        assert {"demographics", "instructions", "practice done", "trial", "pause", "end"} <= set(kinds)
        visit.go(f"/withdraw?language={language}")
        found["withdraw"] = faults(visit)
        visit.page.locator("form[action='/withdraw'] button").click()
        visit.page.wait_for_selector("#problems")
        found["withdraw problems"] = faults(visit)
        visit.context.clear_cookies()
        visit.go("/page")
        found["no session"] = faults(visit)
        assert {page: held for page, held in found.items() if held} == {}
        # A page that says 403 or 422 is told as an error in the console; nothing else is.
        assert [each for each in visit.complaints if "status of 4" not in each] == []
        assert visit.elsewhere() == []


@pytest.mark.parametrize("name", sorted(TASKS))
def test_every_task(browser: Browser, tmp_path: Path, name: str) -> None:
    """Its page in Chinese; in English with something missing and, where that changes the page, all answered."""
    found: dict[str, list[str]] = {}
    with serving(task_survey(tmp_path, name)) as held:
        for language in ("zh", "en"):
            with Visit(browser, held) as visit:
                visit.begin(language)
                visit.send()
                if language == "zh":
                    found["trial"] = faults(visit)
                else:
                    visit.page.locator("form[action='/submit'] button[type=submit]").click()
                    visit.page.wait_for_selector("#problems")
                    found["problems"] = faults(visit)
                visit.fill()
                if language == "en" and name in ("reconstruction", "slider", "speeded"):
                    # Their scripts change the page while one answers.
                    found["answered"] = faults(visit)
                visit.send()
                assert visit.elsewhere() == []
                assert [each for each in visit.complaints if "status of 4" not in each] == []
        stored = held.rows("SELECT count(*) FROM answers")
        scales = len(held.survey.task.scales())
    assert {page: each for page, each in found.items() if each} == {}
    # One item in each language.
    assert stored == [(2 * scales,)]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_page_of_researchers(browser: Browser, served: Served, language: str) -> None:
    who = served.participant(external="panel-1-" + language)
    who.until("comment")
    who.answer(comment="这一题很有意思。")
    link = served.database.write(one_time_link, served.clock()).result()
    found: dict[str, list[str]] = {}
    with Visit(browser, served) as visit:
        visit.go(f"/admin/link/{link}?language={language}")
        found["sign in"] = faults(visit)
        visit.page.locator("form button").last.click()
        visit.page.wait_for_url("**/admin")
        pages = ("", "/invitations", "/participants?panel=1", f"/participants/{who.id}", "/export", "/nothing")
        for page in pages:
            visit.go(f"/admin{page}")
            assert visit.page.locator("html").get_attribute("lang") == {"zh": "zh-Hans", "en": "en"}[language]
            found[page] = faults(visit)
        visit.go("/admin/invitations")
        visit.page.locator("#label").fill("new")
        visit.page.locator("form[action='/admin/invitations'] button").click()
        visit.page.wait_for_selector("code.link")
        found["new link"] = faults(visit)
        assert visit.elsewhere() == []
        assert [each for each in visit.complaints if "status of 4" not in each] == []
    with Visit(browser, served) as stranger:
        stranger.go(f"/admin?language={language}")
        found["no access"] = faults(stranger)
    assert {page: each for page, each in found.items() if each} == {}


def test_a_hostile_text_runs_nowhere_in_a_real_browser(browser: Browser, served: Served) -> None:
    visitor = served.participant(external=MARKUP)
    visitor.until("comment")
    assert visitor.answer(comment=MARKUP).status_code == 303
    link = served.database.write(one_time_link, served.clock()).result()
    with Visit(browser, served) as visit:
        visit.go(f"/admin/link/{link}")
        visit.page.locator("form button").last.click()
        visit.page.wait_for_url("**/admin")
        for page in ("/participants?panel=1", f"/participants/{visitor.id}"):
            visit.go(f"/admin{page}")
            visit.page.wait_for_timeout(100)
            assert "onerror" in visit.page.inner_text("main")
            assert visit.page.locator("main img, main script, hostile").count() == 0
        assert visit.complaints == []
        assert visit.elsewhere() == []
