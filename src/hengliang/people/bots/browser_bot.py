"""How does a simulated participant go through the survey in a real browser?

The same model decides; the mouse clicks, the keyboard writes, and the page's own scripts do what they do for people. It
is slow, and it is the only bot that sees what scripts and styles do.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from hengliang.core.errors import Failure, UserError
from hengliang.people.bots.drawing import exponential
from hengliang.people.bots.form_filling import NOT_UNDERSTOOD, FormFilling
from hengliang.people.bots.http_bot import Ending, Patience, Times
from hengliang.people.bots.ledger import Ledger
from hengliang.people.bots.page_reading import Form, form_of
from hengliang.people.bots.simulated_rater import SimulatedRater
from hengliang.people.sessions.survey import Survey
from hengliang.people.tasks.fields import field_of
from hengliang.people.tasks.speeded import RESPONSE, TIME, SpeededResponse

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page, Response

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
STEP = "#step-form"
"""The form of the current page."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Give a Chromium without a window, or say what is missing."""
    program = next((found for found in map(shutil.which, PROGRAMS) if found), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise UserError("Playwright is not installed.", remedy="pip install playwright") from None
    if program is None:
        raise UserError("Chromium is not installed.", remedy="apt-get install chromium fonts-noto-cjk")
    with sync_playwright() as playwright:
        # Chromium's own sandbox does not work for root, as whom containers run.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class BrowserBot:
    """One simulated participant with a browser of its own."""

    survey: Survey
    url: str
    invitation: str
    rater: SimulatedRater
    ledger: Ledger
    times: Times = field(default_factory=Times)
    patience: Patience = field(default_factory=Patience)

    def play(self, browser: Browser) -> Ending:
        """Go through the survey and return how it ended."""
        context = browser.new_context(locale="zh-CN" if self.rater.language == "zh" else "en-GB")
        try:
            return self._play(context.new_page())
        finally:
            context.close()

    def _play(self, page: Page) -> Ending:
        page.goto(f"{self.url}/i/{self.invitation}")
        if not self._enter(page):
            return "refused"
        filling = FormFilling(self.survey, self.rater)
        while (form := form_of(page.content(), "/submit")) is not None:
            if self.rater.leaves(form.step):
                return "left"
            self._think(form)
            wanted = filling.fields(form)
            self._fill(page, form, wanted)
            sent = self._submit(page, form)
            self.ledger.add(filling.acknowledged(form, sent))
        return "finished"

    def _enter(self, page: Page) -> bool:
        language = page.locator(f"a[href^='/consent?'][href*='language={self.rater.language}']")
        if not language.count():
            return False
        language.first.click()
        for box in page.locator("form[action='/consent'] input[type=checkbox]").all():
            box.check()
        page.locator("form[action='/consent'] button[value='agree']").click()
        page.wait_for_load_state("load")
        return page.locator(STEP).count() > 0

    def _think(self, form: Form) -> None:
        if self.patience.think:
            time.sleep(exponential(self.patience.think, self.rater.seed, "think", self.rater.number, form.step))

    def _fill(self, page: Page, form: Form, wanted: Mapping[str, str]) -> None:
        """Put everything where somebody would see it; hidden fields are the page's own business."""
        if form.task == SpeededResponse.name and NOT_UNDERSTOOD not in wanted:
            self._respond(page, wanted)
        for name, held in form.fields.items():
            if name not in wanted or held.kind == "hidden":
                continue
            found = page.locator(f"{STEP} [name='{name}']")
            if held.kind == "radio":
                page.locator(f"{STEP} [name='{name}'][value='{wanted[name]}']").check()
            elif held.kind == "checkbox":
                found.check()
            elif held.kind == "select":
                found.select_option(wanted[name])
            elif wanted[name]:
                self._write(page, found, wanted[name])

    def _write(self, page: Page, where: Locator, value: str) -> None:
        # A comment is written in a part of the page that one has to open first.
        folded = where.locator("xpath=ancestor::details[not(@open)]")
        if folded.count():
            folded.locator("summary").click()
        if where.is_visible():
            where.fill(value)
        else:
            page.locator(f"{STEP} input[type=range]").fill(value)

    def _respond(self, page: Page, wanted: Mapping[str, str]) -> None:
        """Start a speeded trial, read as long as the model says, and press the button, or let the time run out."""
        page.locator(f"{STEP} [data-start]").click()
        page.locator(f"{STEP} [data-text]:not(.unseen)").wait_for()
        response, milliseconds = wanted[field_of(RESPONSE)], wanted[field_of(TIME)]
        if response:
            time.sleep(float(milliseconds) / 1000)
            pressed = page.locator(f"{STEP} [data-response='{response}']")
            # The time may have run out while we were looking for the button.
            if pressed.is_visible():
                pressed.dispatch_event("click")
        page.locator(f"{STEP} [data-status]:not(:empty)").wait_for()

    def _submit(self, page: Page, form: Form) -> dict[str, str]:
        """Press the button, and return what the browser sent when the server has acknowledged it."""
        begun = time.monotonic()
        # The page's own script sends again after failures of the server, with the same id.
        with page.expect_response(_says_what_became_of_it, timeout=1000 * self.patience.away) as waiting:
            page.locator(f"{STEP} button[type=submit]").click()
        response, acknowledged = waiting.value, time.monotonic()
        sent = dict(parse_qsl(response.request.post_data or "", keep_blank_values=True))
        if response.status != 303:
            raise Failure(f"The page {form.step} about '{form.about}' was not taken: {response.status}, {sent}.")
        page.locator(f"main:not(:has({STEP})), {STEP}:not([data-step='{form.step}'])").first.wait_for(state="attached")
        page.wait_for_load_state("load")
        self.times.add(begun, acknowledged - begun, time.monotonic() - begun)
        return sent


def _says_what_became_of_it(response: Response) -> bool:
    return response.request.method == "POST" and response.url.endswith("/submit") and response.status < 500
