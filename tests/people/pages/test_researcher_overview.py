"""Does the overview count right, close and open the survey, and lead into a preview that counts for nothing?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from hengliang.people.bots.page_reading import forms_of
from hengliang.people.design.item_files import read_items
from hengliang.people.design.survey_design import design_survey
from hengliang.people.pages.researcher_overview import Part
from hengliang.people.sessions.survey import read_survey
from hengliang.people.storage.progress import ListProgress
from hengliang.people.tasks.library import task_of
from tests.people.survey_folder import small_survey
from tests.people.survey_visitor import Served, Visitor, filled, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(small_survey(tmp_path, places=3)) as held:
        yield held


def press(visitor: Visitor, address: str) -> httpx.Response:
    form = next(each for each in forms_of(visitor.get("/admin").text) if each.action == address)
    return visitor.post(address, filled(form))


def cells(page: str) -> list[list[str]]:
    """Return the cells of all rows of the tables on a page."""
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", page, re.DOTALL)
    return [[re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in rows]


def test_the_chinese_overview_is_in_chinese(tmp_path: Path) -> None:
    rows = [f"{item},第{item}句{word}。,{word}" for item in range(3) for word in "甲乙"]
    (tmp_path / "items.csv").write_text("\n".join(["item,text,system", *rows]), encoding="utf-8")
    designed = design_survey(read_items(tmp_path / "items.csv"), task_of("likert", {}))
    designed.write(tmp_path / "s")
    with serving(read_survey(tmp_path / "s")) as held:
        researcher = held.researcher()
        english, chinese = (researcher.get(f"/admin?language={language}").text for language in ("en", "zh"))
    proof = designed.design.proof
    assert proof in english and proof not in chinese
    # One list of 3 items with 2 variants each.
    assert "1 个列表（同一条目的变体同列）；各列表的目标数 6；有 2 个变体的条目数 3；" in chinese
    assert proof.rpartition("lists ")[2] in chinese and "随机种子 1" in chinese
    counted = chinese.partition("</time>")[2]
    assert counted.startswith("。<span") and english.partition("</time>")[2].startswith(". <span")


def test_a_part_adds_up() -> None:
    part = Part("real", (ListProgress("1", active=2, answers=5), ListProgress("2", finished=1, answers=7)))
    assert part.total == ListProgress("", active=2, finished=1, answers=12)
    assert part.anybody
    assert not Part("pilot", (ListProgress("1"), ListProgress("2"))).anybody


def test_progress_by_list_with_kinds_apart(served: Served) -> None:
    served.participant().finish()
    served.participant()
    served.participant(kind="pilot").finish()
    page = served.researcher().get("/admin").text
    # Two lists of four stimuli with two statements each: eight answers from who finished. Three places a list.
    assert cells(page) == [
        ["List", "Active", "Finished", "Places", "Expired", "Withdrawn", "Excluded", "Answers"],
        ["1", "0", "1", "3", "0", "0", "0", "8"],
        ["2", "1", "0", "3", "0", "0", "0", "0"],
        ["All lists", "1", "1", "6", "0", "0", "0", "8"],
        ["List", "Active", "Finished", "Places", "Expired", "Withdrawn", "Excluded", "Answers"],
        ["1", "0", "1", "3", "0", "0", "0", "8"],
        ["2", "0", "0", "3", "0", "0", "0", "0"],
        ["All lists", "0", "1", "6", "0", "0", "0", "8"],
    ]
    # Nobody was simulated.
    assert page.count("Nobody yet.") == 1


def test_the_fragment_is_the_part_of_the_page_that_changes(served: Served) -> None:
    visitor = served.researcher()
    assert "<html" not in visitor.get("/admin/progress").text
    served.participant()
    fragment = visitor.get("/admin/progress").text
    assert cells(fragment)[1] == ["1", "1", "0", "3", "0", "0", "0", "0"]


def test_closing_lets_nobody_in_but_who_began_finish(served: Served) -> None:
    invitation = served.invitation()
    begun = served.participant()
    researcher = served.researcher()
    assert press(researcher, "/admin/close").headers["location"] == "/admin"
    assert "Closed: nobody new can begin" in researcher.get("/admin").text
    late = served.visitor().get(f"/i/{invitation}")
    assert "takes no new participants" in late.text
    assert served.rows("SELECT COUNT(*) FROM participants") == [(1,)]
    begun.finish()
    assert served.rows("SELECT status FROM participants") == [("finished",)]
    assert press(researcher, "/admin/reopen").status_code == 303
    assert "Open: new participants can begin." in researcher.get("/admin").text
    served.participant()
    assert served.rows("SELECT COUNT(*) FROM participants") == [(2,)]
    kinds = [kind for (kind,) in served.rows("SELECT kind FROM events ORDER BY id")]
    assert kinds.index("closed") < kinds.index("opened")


def test_a_preview_is_marked_holds_no_place_and_can_be_had_again_and_again(served: Served) -> None:
    researcher = served.researcher()
    press(researcher, "/admin/close")
    for _ in range(4):
        # Also a closed survey can be looked at, and each time from the beginning.
        to = press(researcher, "/admin/preview").headers["location"]
        assert to.startswith("/i/")
        researcher.begin(to.removeprefix("/i/"), "en")
        assert "review" in researcher.get("/page").text
    researcher.finish()
    assert served.rows("SELECT kind, COUNT(*) FROM participants GROUP BY kind") == [("preview", 4)]
    assert "Nobody yet." in researcher.get("/admin").text
    # A preview among the invitations would only confuse.
    assert "preview" not in researcher.get("/admin/invitations").text
    assert researcher.get("/admin").status_code == 200


@pytest.mark.browser
def test_the_counts_refresh_by_themselves_and_pages_are_accessible(served: Served, browser: Browser) -> None:
    from axe_playwright_python.sync_playwright import Axe

    from hengliang.people.storage.administration import one_time_link
    from tests.people.survey_browser import WCAG

    context = browser.new_context(base_url=served.url, viewport={"width": 390, "height": 844})
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    failed: list[Any] = []
    page.on("pageerror", lambda error: failed.append(error))
    page.clock.install()
    page.goto(f"/admin/link/{served.database.write(one_time_link, served.clock()).result()}")
    page.get_by_role("button", name="Sign in").press("Enter")
    page.get_by_text("Counted anew every 10 seconds.").wait_for()
    served.participant()
    assert page.locator("tr[data-list='1']").count() == 0
    page.clock.run_for(10_500)
    page.locator("tr[data-list='1']").wait_for()
    who = served.rows("SELECT id FROM participants")[0][0]
    faults = {}
    for address in ("", "/invitations", "/participants", f"/participants/{who}", "/export"):
        for language in ("en", "zh"):
            page.goto(f"/admin{address}?language={language}")
            found = Axe().run(page, options={"runOnly": WCAG, "resultTypes": ["violations"]})
            if found.violations_count:
                faults[address, language] = found.generate_report()
            wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
            assert not wide, address
    context.close()
    assert not faults
    assert not failed
    assert all(url.startswith((served.url, "data:")) for url in asked)
