"""How does a simulated participant go through the pages of a served survey, over HTTP?

It opens the invitation, chooses a language, agrees, and answers page after page, as a browser would. A submit whose
answer does not come, or comes as a failure of the server, is sent again as it was until it is acknowledged: so a server
that is killed and started again meets what real browsers do to it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import parse_qsl, urlencode, urlsplit

from hengliang.core.errors import Failure
from hengliang.core.terms import Language
from hengliang.people.bots.drawing import exponential, uniform
from hengliang.people.bots.form_filling import FormFilling
from hengliang.people.bots.http_client import Answer, Client, ConnectionLost
from hengliang.people.bots.ledger import Ledger
from hengliang.people.bots.page_reading import Form, form_of, forms_of, links_of
from hengliang.people.bots.simulated_rater import SimulatedRater
from hengliang.people.sessions.survey import Survey

Ending = Literal["finished", "left", "refused", "stopped"]
AGREE = ("decision", "agree")
"""The button by which one agrees."""
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0


@dataclass
class Times:
    """How long submits took, in seconds."""

    begun: list[float] = field(default_factory=list)
    """When each submit was begun, by the monotonic clock."""
    submits: list[float] = field(default_factory=list)
    """From the first byte of a submit to its acknowledgement, retries included."""
    turns: list[float] = field(default_factory=list)
    """From the first byte of a submit to the next page."""
    retries: int = 0

    def add(self, begun: float, submit: float, turn: float) -> None:
        """Note one submit, with the page that followed."""
        self.begun.append(begun)
        self.submits.append(submit)
        self.turns.append(turn)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a bot waits: for thinking, and for a server that is away."""

    think: float = 0.0
    """Mean seconds before each submit, exponentially distributed."""
    away: float = 60.0
    """Seconds after which a server that does not come back is given up."""
    timeout: float = 30.0
    """Seconds to wait for one answer."""


@dataclass
class HttpBot:
    """One simulated participant."""

    survey: Survey
    url: str
    invitation: str
    rater: SimulatedRater
    ledger: Ledger
    times: Times = field(default_factory=Times)
    patience: Patience = field(default_factory=Patience)
    until: float | None = None
    """When to stop between two pages, by the monotonic clock; never, unless said."""

    async def play(self) -> Ending:
        """Go through the survey and return how it ended."""
        client = Client(self.url, self.patience.timeout)
        try:
            return await self.answer(client) if await self.enter(client) else "refused"
        finally:
            await client.close()

    async def enter(self, client: Client) -> bool:
        """Open the invitation, choose a language and agree; return whether one may take part."""
        form = await self._consent(client)
        if form is None:
            return False
        fields = FormFilling(self.survey, self.rater).fields(form)
        answer = await self._sent(
            client, form, {**fields, **dict(button for button in form.buttons if button == AGREE)}
        )
        return answer.status == 303

    async def _consent(self, client: Client) -> Form | None:
        """Open the invitation, choose the language, and return the form by which one agrees."""
        opened = await self._opened(client, f"/i/{self.invitation}")
        address = consent_address(opened.text, self.rater.language) if opened.status == 200 else None
        if address is None:
            return None
        asked = await self._opened(client, address)
        forms = [form for form in forms_of(asked.text) if form.action == "/consent" and form.method == "post"]
        return forms[0] if asked.status == 200 and forms else None

    async def answer(self, client: Client) -> Ending:
        """Answer page after page, after consent, and return how it ended."""
        filling, pages = FormFilling(self.survey, self.rater), 0
        page = await self._opened(client, "/page")
        while (form := form_of(page.text, "/submit")) is not None:
            if self.rater.leaves(form.step):
                return "left"
            if not await self._think(pages := pages + 1):
                return "stopped"
            sent = filling.fields(form)
            begun = time.monotonic()
            answer = await self._sent(client, form, sent)
            acknowledged = time.monotonic()
            if answer.status != 303:
                raise Failure(f"The page {form.step} about '{form.about}' was not taken: {answer.status}, {sent}.")
            self.ledger.add(filling.acknowledged(form, sent))
            page = await self._opened(client, "/page")
            self.times.add(begun, acknowledged - begun, time.monotonic() - begun)
        return "finished" if page.status == 200 else "refused"

    async def _think(self, page: int) -> bool:
        """Wait as long as somebody thinks; return whether there is time for one more page."""
        mean = self.patience.think
        pause = exponential(mean, self.rater.seed, "think", self.rater.number, page) if mean else 0.0
        if self.until is not None and time.monotonic() + pause > self.until:
            return False
        if pause:
            await asyncio.sleep(pause)
        return True

    async def _opened(self, client: Client, path: str) -> Answer:
        return await self._patiently(client, path, None)

    async def _sent(self, client: Client, form: Form, fields: Mapping[str, str]) -> Answer:
        return await self._patiently(client, form.action, fields)

    async def _patiently(self, client: Client, path: str, fields: Mapping[str, str] | None) -> Answer:
        """Ask until the server answers with something else than a failure of its own."""
        pause = FIRST_PAUSE
        until = time.monotonic() + self.patience.away
        while True:
            reason = ""
            try:
                answer = await (client.get(path) if fields is None else client.post(path, fields))
                if answer.status < 500:
                    return answer
                reason = f"the status {answer.status}"
            except ConnectionLost as error:
                reason = str(error)
            if time.monotonic() > until:
                raise Failure(f"The server at {self.url} does not come back: {reason}")
            self.times.retries += 1
            # Bots that were thrown out together should not come back together.
            await asyncio.sleep(pause * (0.5 + uniform(self.rater.seed, self.rater.number, self.times.retries)))
            pause = min(2 * pause, LONGEST_PAUSE)


def consent_address(page: str, language: Language) -> str | None:
    """Return where a choice of languages leads for one of them."""
    for link in links_of(page):
        parts = urlsplit(link)
        if parts.path == "/consent" and dict(parse_qsl(parts.query)).get("language") == language:
            return link
    form = form_of(page, "/consent")
    return None if form is None else f"/consent?{urlencode({**form.hidden(), 'language': language})}"
