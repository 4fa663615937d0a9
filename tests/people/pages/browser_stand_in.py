"""How do the tests of pages ask for them, without a network?"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import Connection, text
from starlette.applications import Starlette

from hengliang.people.bots.page_reading import form_of
from hengliang.people.pages.app import survey_app
from hengliang.people.sessions.survey import Survey
from hengliang.people.storage.database import Database, database_url
from hengliang.people.storage.invitations import invite
from hengliang.people.storage.migrating import migrate
from hengliang.people.storage.tokens import sealed
from hengliang.people.tasks.base import Task
from tests.people.survey_folder import small_survey

URL = "http://127.0.0.1"
ANSWERS = {"answer-clarity": "6", "answer-fluency": "2"}
START = 1_700_000_000.0


LOOP = asyncio.new_event_loop()
"""Where all apps of the tests run, one request at a time."""


def transport_of(app: Starlette, address: str = "127.0.0.1") -> httpx.ASGITransport:
    """Return the way to an app without a network; what it raises becomes the answer that a server would give."""
    return httpx.ASGITransport(app=app, raise_app_exceptions=False, client=(address, 123))


@dataclass
class Clock:
    """A clock that stands until it is moved."""

    now: float = START

    def __call__(self) -> float:
        return self.now


@dataclass
class Site:
    """An app on a real database in a file."""

    survey: Survey
    database: Database
    app: Starlette
    clock: Clock
    steady: Clock
    """The clock that nobody sets; the same one, unless a test wants them apart."""

    def invitation(self, kind: Any = "real", **options: Any) -> str:
        """Return the token of a new invitation."""
        return self.database.write(invite, kind, self.clock.now, **options).result()

    def browser(self, url: str = URL, address: str = "127.0.0.1") -> Browser:
        """Return a browser that knows nothing, on a machine with some address."""
        return Browser(self, httpx.AsyncClient(transport=transport_of(self.app, address), base_url=url))

    def participant(self, language: str = "en", **options: Any) -> Browser:
        """Return the browser of somebody who has just agreed."""
        browser = self.browser()
        answer = browser.agree(self.invitation(**options), language)
        assert answer.status_code == 303, answer.text
        return browser

    def rows(self, query: str, **values: Any) -> list[tuple[Any, ...]]:
        """Return what a query finds."""

        def found(connection: Connection) -> list[tuple[Any, ...]]:
            return [tuple(row) for row in connection.execute(text(query), values)]

        return self.database.read(found).result()


@dataclass
class Browser:
    """One browser with its cookies; it follows no redirect and runs no script."""

    site: Site
    client: httpx.AsyncClient
    sent: dict[str, str] = field(default_factory=dict)
    """What was sent last."""

    @property
    def state(self) -> tuple[Any, ...]:
        """The id, the status and the step of the participant, as the database has them."""
        query = "SELECT p.id, p.status, p.step FROM participants p JOIN sessions s ON s.participant = p.id"
        return self.site.rows(f"{query} WHERE s.token = :token", token=sealed(self.client.cookies["session"]))[0]

    def get(self, address: str, **options: Any) -> httpx.Response:
        """Ask for an address."""
        return self.request("GET", address, **options)

    def post(self, address: str, fields: dict[str, str], **options: Any) -> httpx.Response:
        """Send a form."""
        self.sent = fields
        return self.request("POST", address, data=fields, **options)

    def request(self, method: str, address: str, **options: Any) -> httpx.Response:
        """Send anything."""
        return LOOP.run_until_complete(self.client.request(method, address, **options))

    def consent_fields(self, invitation: str, language: str = "en", query: str = "") -> dict[str, str]:
        """Return the fields of the consent form, agreed to."""
        choice = self.get(f"/i/{invitation}?{query}")
        assert choice.status_code == 200, choice.text
        links = [unescape(link) for link in re.findall(r'href="(/consent[^"]*)"', choice.text)]
        page = self.get(next(link for link in links if f"language={language}" in link))
        assert page.status_code == 200, page.text
        return {**hidden(page.text), "of-age": "yes", "decision": "agree"}

    def agree(self, invitation: str, language: str = "en", query: str = "") -> httpx.Response:
        """Come by an invitation and agree."""
        return self.post("/consent", self.consent_fields(invitation, language, query))

    def page(self) -> str:
        """Return the current page."""
        page = self.get("/page")
        assert page.status_code == 200, page.text
        return page.text

    def send(self, **changes: str) -> httpx.Response:
        """Send the current page, answered; underscores in names of fields stand for hyphens."""
        given = {name.replace("_", "-"): value for name, value in changes.items()}
        return self.post("/submit", {**hidden(self.page()), **ANSWERS, **given})

    def go_to(self, kind: str) -> str:
        """Go on until the current page is of some kind, and return it."""
        while f'data-kind="{kind}"' not in (page := self.page()):
            assert self.send().status_code == 303
        return page


def hidden(page: str) -> dict[str, str]:
    """Return the hidden fields of a page's form."""
    form = form_of(page)
    if form is None:
        return {}
    return {name: held.values[0] for name, held in form.fields.items() if held.kind == "hidden"}


@contextmanager
def open_site(
    folder: Path,
    *,
    task: Task | None = None,
    public_url: str = URL,
    secure: bool = False,
    steady: Clock | None = None,
    **settings: Any,
) -> Iterator[Site]:
    """Give an app that serves a small survey."""
    survey = small_survey(folder / "survey", task=task, **settings)
    url = database_url(survey.folder, None)
    migrate(url)
    clock = Clock()
    with Database.open(url) as database:
        even = steady or clock
        app = survey_app(survey, database, public_url=public_url, secure_cookies=secure, clock=clock, steady=even)
        yield Site(survey, database, app, clock, even)
