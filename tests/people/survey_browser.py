"""How do the tests play a survey in Chromium, and what do they watch meanwhile?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe

from hengliang import Bilingual
from hengliang.experiments import Experiment, stimuli_frame, write_experiment
from hengliang.people.sessions.settings import Settings
from hengliang.people.sessions.survey import Design, Survey, read_survey, write_survey
from hengliang.people.tasks.library import task_of
from tests.people.survey_visitor import Served

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page, Request

Size = Literal["desktop", "phone", "narrow"]
SIZES: dict[Size, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "has_touch": True,
        "is_mobile": True,
        "device_scale_factor": 2,
    },
    "narrow": {"viewport": {"width": 320, "height": 640}},
}
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
LONGEST_PATH = 60


class Visit:
    """One browser window, with all that it asked for and complained about."""

    def __init__(self, browser: Browser, served: Served, size: Size = "desktop", **options: Any) -> None:
        self.served = served
        self.context = browser.new_context(**{"locale": "en-GB", **SIZES[size], **options})
        self.context.set_default_timeout(8000)
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.context.on("request", self._ask)
        self.context.on("console", lambda message: self._complain(message.type, message.text))
        self.context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        self.context.on("dialog", lambda dialog: self.complaints.append(f"dialog {dialog.message}"))
        self.page = self.context.new_page()

    def _ask(self, request: Request) -> None:
        self.asked.append(request.url)

    def _complain(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(text)

    def elsewhere(self) -> list[str]:
        """Return what was asked of another origin."""
        own = urlsplit(self.served.url).netloc
        return [url for url in self.asked if urlsplit(url).scheme != "data" and urlsplit(url).netloc != own]

    def go(self, path: str) -> None:
        """Ask for an address."""
        self.page.goto(self.served.url + path)

    def begin(self, language: str = "en", token: str = "") -> None:
        """Come by an invitation, choose the language, agree."""
        self.go(f"/i/{token or self.served.invitation()}")
        self.choose(language)
        self.agree()

    def choose(self, language: str) -> None:
        """Choose a language."""
        self.page.locator(f'a[href*="language={language}"]').first.click()
        self.page.wait_for_url("**/consent*")

    def agree(self) -> None:
        """Agree on the consent page."""
        page = self.page
        for box in page.locator("form[action='/consent'] input[type=checkbox]").all():
            box.check()
        page.locator("button[name=decision][value=agree]").click()
        page.wait_for_url("**/page")

    @property
    def step(self) -> int:
        """The number of the current page; -1 at the end."""
        form = self.page.locator("form[action='/submit']")
        return int(form.get_attribute("data-step") or -1) if form.count() else -1

    @property
    def about(self) -> str:
        """The stimulus on the current page, if there is one."""
        form = self.page.locator("form[action='/submit']")
        return (form.get_attribute("data-about") or "") if form.count() else ""

    def fill(self, place: int = 0) -> None:
        """Answer what must be answered on the current page; `place` chooses among options."""
        page = self.page
        form = page.locator("form[action='/submit']")
        if form.locator("[data-start]").count():
            self._speeded()
            return
        for field in form.locator("fieldset:has(input[type=radio][name^='answer-'])").all():
            field.locator("label:has(input[type=radio])").nth(place).click()
        counts = form.locator("input[data-shape]").all()
        if counts:
            size = int(form.locator("[data-size]").get_attribute("data-size") or 0)
            for number, each in enumerate(counts):
                each.fill(str(size if number == place else 0))
        slider = form.locator("input[type=range]")
        if slider.count():
            slider.focus()
            page.keyboard.press("ArrowRight")
        elif form.locator("input[type=number][name^='answer-']").count():
            form.locator("input[type=number][name^='answer-']").fill("50")
        for text in form.locator(
            "textarea[name^='answer-'], input[type=text][name^='answer-']:not([data-shape])"
        ).all():
            text.fill("只")

    def _speeded(self) -> None:
        page = self.page
        page.locator("[data-start]").click()
        page.wait_for_function("() => !document.querySelector('[data-text]').classList.contains('unseen')")
        page.wait_for_timeout(50)
        page.keyboard.press(page.locator("[data-key]").first.get_attribute("data-key") or "f")
        page.wait_for_function("() => document.querySelector('[data-answer]').value !== ''")

    def send(self) -> None:
        """Press the button of the current page and wait for the next one."""
        before = self.step
        self.page.locator(
            "form[action='/submit'] button[type=submit], form[action='/submit'] button:not([type])"
        ).last.click()
        self.wait_after(before)

    def wait_after(self, step: int) -> None:
        """Wait until another page than the one with this number is shown."""
        self.page.wait_for_function(
            "step => { const form = document.querySelector(\"form[action='/submit']\");"
            " return document.readyState !== 'loading' && (!form || Number(form.dataset.step) !== step); }",
            arg=step,
        )

    def finish(self) -> int:
        """Answer all pages and return how many there were."""
        for number in range(LONGEST_PATH):
            if self.step < 0:
                return number
            self.fill()
            self.send()
        raise AssertionError("the survey does not end")

    def until(self, selector: str) -> None:
        """Go on until something is on the page."""
        for _ in range(LONGEST_PATH):
            if self.page.locator(selector).count():
                return
            assert self.step >= 0, f"there is no {selector}"
            self.fill()
            self.send()

    def close(self) -> None:
        """Close the window and say what was wrong."""
        self.context.close()

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def violations(page: Page) -> list[str]:
    """Return what axe finds against WCAG 2.1 A and AA on a page, with the element."""
    options = {"runOnly": {"type": "tag", "values": WCAG}, "resultTypes": ["violations"]}
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{each['id']}: {node['html'][:120]} {node['failureSummary'][:200]}" for each in found for node in each["nodes"]
    ]


def overflow(page: Page) -> int:
    """Return by how many pixels a page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def focused(page: Page) -> dict[str, Any]:
    """Return which element has the focus, what it is called, and whether one can see that it has it."""
    found: dict[str, Any] = page.evaluate(
        """() => {
          const held = document.activeElement;
          if (!held || held === document.body) return {tag: "body"};
          const style = getComputedStyle(held), box = held.getBoundingClientRect();
          const ring = element => {
            const shown = getComputedStyle(element);
            return (shown.outlineStyle !== "none" && parseFloat(shown.outlineWidth) > 0) || shown.boxShadow !== "none";
          };
          return {
            tag: held.tagName.toLowerCase(), type: held.type || "", name: held.name || "", value: held.value || "",
            href: held.getAttribute("href") || "", text: (held.innerText || "").trim(),
            seen: ring(held) || (held.closest("label") !== null && ring(held.closest("label"))),
            width: box.width, height: box.height, visibility: style.visibility,
          };
        }"""
    )
    return found


TASKS: dict[str, dict[str, Any]] = {
    "likert": {},
    "forced_choice": {"options": ["只", "条", "匹"]},
    "slider": {},
    "cloze": {},
    "free_text": {},
    "reconstruction": {"scene_size": 12},
    "speeded": {},
}
"""Every task, with the details that its stimuli need."""


def task_survey(folder: Path, name: str, **settings: Any) -> Survey:
    """Write a survey of two items for a task into the folder and read it."""
    task = task_of(name, {})
    frame, word = "窗台上睡着一{}猫。", "只"
    start = len(frame.partition("{}")[0].encode())
    span = {"name": "slot" if name == "cloze" else "target", "start": start, "end": start + len(word.encode())}
    text = "大约一半的圆形是蓝色的，方形都是红色的。" if name == "reconstruction" else frame.format(word)
    spans = [] if name == "reconstruction" else [span]
    stimuli = [
        {
            "about": f"cat-{n}",
            "item": str(n),
            "text": text,
            "spans": spans,
            "systems": ["tested"],
            "details": json.dumps(TASKS[name]),
        }
        for n in (1, 2)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    title = Bilingual("A small survey", "一项小调查")
    write_experiment(folder, Experiment("small", title, task.scales(), stimuli_frame(stimuli)))
    write_survey(folder, task, Design(), Settings(**{"demographics": (), **settings}))
    return read_survey(folder)
