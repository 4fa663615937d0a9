"""Which task, stimulus and right form do the tests of tasks use, and how is a task's part of a page made?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hengliang import Span
from hengliang.core import Language
from hengliang.people.tasks.base import Screen, Stimulus, Task
from hengliang.people.tasks.cloze import Cloze
from hengliang.people.tasks.forced_choice import ForcedChoice
from hengliang.people.tasks.free_text import FreeText
from hengliang.people.tasks.likert import LikertRating
from hengliang.people.tasks.slider import SliderRating
from hengliang.people.tasks.speeded import SpeededResponse
from hengliang.scenes import Reconstruction

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route


@dataclass(frozen=True)
class Example:
    """A task with something to show and a form that answers it."""

    task: Task
    stimulus: Stimulus
    form: Mapping[str, str]

    @property
    def screen(self) -> Screen:
        """The first screen of the first participant."""
        return self.task.screens(0)[0]


HORSE = Stimulus("horse-1", "horse", "山坡上有两匹马。", (Span("target", 15, 18),), ("tested",))
GAP = Stimulus("horse-gap", "horse", "山坡上有两马。", (Span("slot", 15, 15),))
PAIR = Stimulus(
    "pair", "pair", "", details={"options": [{"id": "pi", "text": "两匹马"}, {"id": "tou", "text": "两头马"}]}
)
SCENE = Stimulus("scene", "scene", "Half of them are red squares.", details={"scene_size": 4})

EXAMPLES: dict[str, Example] = {
    example.task.name: example
    for example in (
        Example(LikertRating(), HORSE, {"answer-clarity": "7", "answer-fluency": "1"}),
        Example(ForcedChoice(), PAIR, {"answer-choice": "tou", "detail-order": "2,1"}),
        Example(SliderRating(), HORSE, {"answer-rating": "42"}),
        Example(Cloze(), GAP, {"answer-filled": "匹"}),
        Example(FreeText(), HORSE, {"answer-text": "那里有马。"}),
        Example(
            Reconstruction(),
            SCENE,
            {
                **{"answer-red circle": "1", "answer-red square": "2"},
                **{"answer-blue circle": "0", "answer-blue square": "1"},
            },
        ),
        Example(SpeededResponse(), HORSE, {"answer-response": "yes", "answer-reaction time": "612.4"}),
    )
}
"""One example a task, by the task's name."""


def html_of(
    task: Task,
    stimulus: Stimulus,
    language: Language = "zh",
    *,
    number: int = 0,
    screen: Screen | None = None,
    fields: Mapping[str, str] | None = None,
    problems: Mapping[str, str] | None = None,
) -> str:
    """Return a task's part of a page, as the page's own environment makes it."""
    from hengliang.people.pages.highlighting import marked_text
    from hengliang.people.pages.rendering import Pages

    shown = task.shown(stimulus, screen or task.screens(number)[0], language, number)
    context: dict[str, Any] = {**shown, "shown": shown, "fields": fields or {}, "problems": problems or {}}
    context |= {"text": marked_text(stimulus, True), "stimulus": stimulus, "screen": screen, "example": False}
    return Pages().render(f"tasks/{task.template}", language, **context)


def open_task(page: Page, html: str, language: Language = "zh", text: str = "") -> None:
    """Show a task's part in a browser, within a form as pages have it, with its styles and scripts and no server."""
    from hengliang.people.pages.rendering import STATIC

    kinds = {".css": "text/css", ".js": "text/javascript"}

    def answer(route: Route) -> None:
        name = route.request.url.partition("?")[0].rpartition("/")[2]
        file = STATIC / name
        if "/static/" in route.request.url and file.is_file():
            route.fulfill(status=200, content_type=kinds[file.suffix], body=file.read_bytes())
        elif name == "page":
            route.fulfill(status=200, content_type="text/html; charset=utf-8", headers=POLICY, body=whole)
        else:
            route.fulfill(status=404, body="")

    whole = (
        f'<!doctype html><html lang="{language}"><head><title>t</title><meta name="viewport" '
        'content="width=device-width, initial-scale=1"><link rel="stylesheet" href="/static/survey.css">'
        '<link rel="stylesheet" href="/static/tasks.css"></head>'
        f'<body><main><h1>t</h1><form method="post" action="/submit" novalidate><p class="stimulus">{text}</p>{html}'
        '<input type="hidden" name="timing" value=""><button type="submit">OK</button></form></main></body></html>'
    )
    page.route("**/*", answer)
    page.goto("http://survey.test/page")


POLICY = {"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:"}
"""What the server's pages allow, as far as it concerns a task: no script or style within a page."""
