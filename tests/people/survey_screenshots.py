"""What do the pages of a survey look like, for the documentation?

    python -m tests.people.survey_screenshots docs/images

Serves small surveys with sentences of ours on this machine, plays them in Chromium and writes `survey-*.png`.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from hengliang import Bilingual
from hengliang.people.storage.administration import one_time_link
from tests.people.survey_browser import Visit, task_survey
from tests.people.survey_folder import small_survey
from tests.people.survey_visitor import Served, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ITEM = "form[data-about]:not([data-about=''])"


def judged(browser: Browser, folder: Path, out: Path) -> None:
    """Show an item on a desktop and on a phone, the consent, and the researchers' overview."""
    survey = small_survey(
        folder,
        practice=True,
        institution="Institute of Linguistics, Example University",
        contact="Wang Li, wang.li@example.org",
        ethics="Faculty ethics committee, approval 2026-17",
        payment=Bilingual("6 euros", "6 欧元"),
        minutes=15,
        places=20,
    )
    with serving(survey) as served:
        with Visit(browser, served, viewport={"width": 1000, "height": 760}) as visit:
            visit.go(f"/i/{served.invitation()}")
            visit.choose("en")
            shoot(visit, out / "survey-consent.png", whole=True)
        with Visit(browser, served, viewport={"width": 1000, "height": 760}) as visit:
            item(visit)
            shoot(visit, out / "survey-item.png", whole=True)
        with Visit(browser, served, "phone", device_scale_factor=1) as visit:
            item(visit)
            shoot(visit, out / "survey-item-phone.png", whole=True)
        overview(browser, served, out / "survey-researcher.png")


def item(visit: Visit) -> None:
    """Go to an item in the middle, in Chinese, and answer one of its statements."""
    visit.begin("zh")
    visit.until(ITEM)
    # Past the practice item and two others, so that the bar has something to show.
    for _ in range(4):
        visit.fill()
        visit.send()
    visit.page.locator("fieldset:has(input[type=radio])").first.locator("label").nth(5).click()


def overview(browser: Browser, served: Served, target: Path) -> None:
    """Show the researchers' overview of a survey on which some are at work."""
    for number in range(7):
        visitor = served.participant("zh" if number % 3 else "en")
        if number < 4:
            visitor.finish()
        else:
            visitor.until("comment")
    link = served.database.write(one_time_link, served.clock()).result()
    with Visit(browser, served, viewport={"width": 1000, "height": 760}) as visit:
        visit.go(f"/admin/link/{link}?language=en")
        visit.page.locator("form button").last.click()
        visit.page.wait_for_url("**/admin")
        shoot(visit, target, whole=True)


def reconstructed(browser: Browser, folder: Path, out: Path) -> None:
    """Show a scene that is being reconstructed."""
    with (
        serving(task_survey(folder, "reconstruction")) as served,
        Visit(browser, served, viewport={"width": 1000, "height": 760}) as visit,
    ):
        visit.begin("zh")
        visit.until(ITEM)
        for field, count in zip(visit.page.locator("input[data-shape]").all(), (3, 4, 3, 1), strict=True):
            field.fill(str(count))
        shoot(visit, out / "survey-reconstruction.png", whole=True)


def shoot(visit: Visit, target: Path, *, whole: bool) -> None:
    """Write a picture of the page as it is, without a blinking cursor."""
    visit.page.evaluate("document.activeElement && document.activeElement.blur()")
    visit.page.screenshot(path=str(target), full_page=whole, caret="hide", animations="disabled")
    print(target)


def main(out: Path) -> None:
    """Write all pictures into a folder."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        raise SystemExit("Chromium is not installed: apt-get install chromium fonts-noto-cjk")
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as places, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        judged(browser, Path(places) / "judged", out)
        reconstructed(browser, Path(places) / "reconstructed", out)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images"))
