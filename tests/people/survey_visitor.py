"""How do the tests of surveys speak to a served one: as a participant, as a researcher, as somebody who means harm?"""

from __future__ import annotations

import re
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import text

from hengliang.people.bots.page_reading import Form, form_of, forms_of
from hengliang.people.pages.addresses import Address
from hengliang.people.pages.connections import Limits
from hengliang.people.pages.serving import running
from hengliang.people.sessions.survey import Survey
from hengliang.people.storage.administration import one_time_link
from hengliang.people.storage.database import Database, database_url
from hengliang.people.storage.facts import bind_design
from hengliang.people.storage.invitations import invite
from hengliang.people.storage.migrating import migrate
from hengliang.people.storage.participants import Kind

COOKIE = "session"


@dataclass
class Clock:
    """A clock that tests move."""

    ahead: float = 0.0

    def __call__(self) -> float:
        """Return the time of the machine, and what was added."""
        return time.time() + self.ahead


@dataclass
class Served:
    """A survey that is being served, with its database and a clock that can be put forward."""

    survey: Survey
    database: Database
    url: str
    clock: Clock = field(default_factory=Clock)

    def invitation(self, kind: Kind = "real", **options: Any) -> str:
        """Return the token of a new invitation."""
        return self.database.write(invite, kind, self.clock(), **options).result()

    def visitor(self) -> Visitor:
        """Return a new browser that knows nothing."""
        return Visitor(self)

    def participant(self, language: str = "en", external: str = "", kind: Kind = "real") -> Visitor:
        """Return a browser whose owner has just given consent."""
        visitor = self.visitor()
        visitor.begin(self.invitation(kind), language, external)
        return visitor

    def researcher(self) -> Visitor:
        """Return a browser that is signed in as a researcher."""
        visitor = self.visitor()
        visitor.sign_in(self.database.write(one_time_link, self.clock()).result())
        return visitor

    def rows(self, query: str, **values: Any) -> list[tuple[Any, ...]]:
        """Return the rows that a query finds in the database."""

        def ask(connection: Any) -> list[tuple[Any, ...]]:
            return [tuple(row) for row in connection.execute(text(query), values)]

        return self.database.read(ask).result()

    def dump(self) -> dict[str, list[tuple[Any, ...]]]:
        """Return everything that the database holds, by table."""
        from hengliang.people.storage.tables import metadata

        # The last sign of life moves with every page that is shown.
        def ask(connection: Any) -> dict[str, list[tuple[Any, ...]]]:
            return {
                table.name: sorted(
                    (
                        tuple(row)
                        for row in connection.execute(
                            table.select().with_only_columns(
                                *(each for each in table.c if each.name not in ("seen", "reserved"))
                            )
                        )
                    ),
                    key=repr,
                )
                for table in metadata.sorted_tables
            }

        return self.database.read(ask).result()


@cache
def _certificates() -> ssl.SSLContext:
    """Return whom a browser trusts; to read it takes longer than several requests, so all browsers share it."""
    return httpx.create_ssl_context(trust_env=False)


@dataclass
class Visitor:
    """One browser with its cookies; it follows no redirect by itself."""

    served: Served
    client: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self.client = httpx.Client(
            base_url=self.served.url, timeout=20, follow_redirects=False, trust_env=False, verify=_certificates()
        )

    @property
    def session(self) -> str:
        """The participant's secret, as the browser holds it."""
        return next(value for name, value in self.client.cookies.items() if name.endswith(COOKIE))

    @property
    def id(self) -> str:
        """The participant's id in the database."""
        from hengliang.people.storage.tokens import sealed

        found = self.served.rows("SELECT participant FROM sessions WHERE token = :token", token=sealed(self.session))
        return str(found[0][0])

    def get(self, path: str, **options: Any) -> httpx.Response:
        """Ask for an address."""
        return self.client.get(path, **options)

    def post(self, path: str, fields: Mapping[str, str], **headers: str) -> httpx.Response:
        """Send a form as a browser does from a page of the survey."""
        said = {"Origin": self.served.url, "Sec-Fetch-Site": "same-origin", **headers}
        said = {name.replace("_", "-"): value for name, value in said.items() if value}
        return self.client.post(path, data=dict(fields), headers=said)

    def consent_form(self, token: str, language: str = "en", external: str = "") -> Form:
        """Return the consent form that an invitation leads to."""
        query = {"PROLIFIC_PID": external} if external else {}
        page = self.get(f"/i/{token}", params=query)
        assert page.status_code == 200, page.text
        links = re.findall(r'href="(/consent\?[^"]*)"', page.text)
        asked = self.get(next(unescape(link) for link in links if f"language={language}" in link))
        assert asked.status_code == 200, asked.text
        form = form_of(asked.text, "/consent")
        assert form is not None
        return form

    def begin(self, token: str, language: str = "en", external: str = "") -> None:
        """Give consent."""
        answer = self.post("/consent", agreed(self.consent_form(token, language, external)))
        assert answer.status_code == 303, answer.text

    def form(self) -> Form:
        """Return the form of the current page."""
        page = self.get("/page")
        assert page.status_code == 200, page.text
        form = form_of(page.text, "/submit")
        assert form is not None, page.text
        return form

    def answer(self, **changes: str) -> httpx.Response:
        """Fill in the current page and send it."""
        return self.post("/submit", {**filled(self.form()), **changes})

    def until(self, field_name: str) -> Form:
        """Go on to the first page that has a field of this name."""
        while field_name not in (form := self.form()).fields:
            assert self.post("/submit", filled(form)).status_code == 303
        return form

    def finish(self) -> str:
        """Answer all pages and return the last one."""
        for _ in range(200):
            page = self.get("/page")
            form = form_of(page.text, "/submit")
            if form is None:
                return page.text
            assert self.post("/submit", filled(form)).status_code == 303
        raise AssertionError("the survey does not end")

    def sign_in(self, token: str) -> httpx.Response:
        """Sign in as a researcher by a one-time link."""
        page = self.get(f"/admin/link/{token}")
        form = forms_of(page.text)[0]
        answer = self.post(form.action, filled(form))
        assert answer.status_code == 303, answer.text
        return answer

    def close(self) -> None:
        """Hang up."""
        self.client.close()


def agreed(form: Form) -> dict[str, str]:
    """Return what is sent by somebody who agrees."""
    return {**filled(form), "decision": "agree"}


def filled(form: Form, typed: str = "") -> dict[str, str]:
    """Return what a browser sends when somebody fills in a form with the first choices, and `typed` in free fields."""
    sent: dict[str, str] = {}
    for name, held in form.fields.items():
        if held.kind == "radio" or held.kind == "select":
            sent[name] = next((value for value in held.values if value), "")
        elif held.kind == "checkbox":
            if held.required:
                sent[name] = held.values[0]
        elif held.kind == "hidden":
            sent[name] = held.values[0]
        elif held.kind in ("number", "range"):
            sent[name] = held.attributes.get("min", "") if held.required else ""
        else:
            sent[name] = typed or ("x" if held.required else "")
    return sent


@contextmanager
def serving(
    survey: Survey, url: str | None = None, address: Address | None = None, limits: Limits | None = None
) -> Iterator[Served]:
    """Serve a survey over HTTP while the block runs."""
    where = database_url(survey.folder, url)
    migrate(where)
    clock = Clock()
    with Database.open(where) as database:
        database.write(bind_design, survey.digest).result()
        with running(survey, database, address=address, clock=clock, steady=clock, limits=limits) as server:
            yield Served(survey, database, server.url if address is None else f"http://127.0.0.1:{server.port}", clock)


def sqlite_bytes(folder: Path) -> bytes:
    """Return all bytes that the database's files hold, the write-ahead log among them."""
    return b"".join(file.read_bytes() for file in sorted(folder.glob("survey.sqlite*")))
