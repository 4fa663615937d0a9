"""How does somebody come to take part, or go on elsewhere?

Until somebody agrees, nothing is stored: the language, the invitation and a panel's id travel in the addresses and the
form, and the cookie of the visit belongs to nobody. The session is new with the consent: it follows from the visit and
from the random number of the page on which somebody agreed, so a form that is sent twice finds the participant of the
first time, and a cookie that a stranger put into the browser beforehand opens nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from hengliang.core.terms import LANGUAGES, Bilingual, Language
from hengliang.people.pages.connections import network_of
from hengliang.people.pages.faults import KEEP, SESSION, VISIT, forbidden, to_page, told, too_many
from hengliang.people.pages.form_reading import form_of
from hengliang.people.pages.rendering import Pages
from hengliang.people.pages.security import (
    check_form_token,
    client_of,
    cookie,
    delete_cookie,
    form_token,
    is_token,
    session_after_consent,
    set_cookie,
)
from hengliang.people.pages.step_pages import return_address
from hengliang.people.pages.words import WORDS
from hengliang.people.storage.events import record
from hengliang.people.storage.facts import is_open
from hengliang.people.storage.invitations import Invitation, invitation_of
from hengliang.people.storage.newcomers import Arrival
from hengliang.people.storage.participants import (
    Participant,
    new_session,
    participant_of_resume,
    participant_of_session,
)
from hengliang.people.storage.prepared_orders import OrderNeeded
from hengliang.people.storage.registration import (
    CLOSED,
    CROWDED,
    REVOKED,
    UNKNOWN,
    USED_UP,
    Refused,
    Registered,
    register,
)
from hengliang.people.storage.tokens import new_token

PURPOSE = "consent"
EXTERNAL = ("PROLIFIC_PID", "participant", "external")
"""The names under which a panel may give its own id of a participant; the first that is there counts."""
LONGEST_EXTERNAL = 128
COOKIE_SECONDS = 90 * 86_400
VISIT_SECONDS = 86_400


def routes() -> list[BaseRoute]:
    """Return the addresses by which one comes in."""
    return [
        Route("/i/{token}", _invitation),
        Route("/consent", _consent),
        Route("/consent", _decide, methods=["POST"]),
        Route("/resume/{token}", _resume),
    ]


@dataclass(frozen=True, slots=True)
class Entry:
    """What travels with somebody who has not yet agreed."""

    invitation: str
    external: str
    language: Language | None = None

    def query(self, language: Language) -> str:
        """Return the address of the consent page in a language."""
        held = {"language": language, "invitation": self.invitation}
        return f"/consent?{urlencode({**held, **({'external': self.external} if self.external else {})})}"


@dataclass(frozen=True, slots=True)
class Standing:
    """What the database knows about somebody at the door."""

    invitation: Invitation | None
    participant: Participant | None
    is_open: bool


def standing_of(connection: Connection, invitation: str, session: str | None, now: float) -> Standing:
    """Return what is known about an invitation and about a browser's session."""
    return Standing(
        invitation_of(connection, invitation),
        participant_of_session(connection, session) if session else None,
        is_open(connection, now),
    )


def entry_of(held: Mapping[str, str], invitation: str) -> Entry:
    """Return what an address or a form says; an id that a panel failed to fill in, or that is no id, is left out."""
    given = next((held[name].strip() for name in EXTERNAL if held.get(name, "").strip()), "")
    usable = len(given) <= LONGEST_EXTERNAL and given.isprintable() and not given.startswith("{{")
    language = held.get("language", "")
    chosen = language if language in LANGUAGES else None
    return Entry(invitation, given if usable else "", chosen)


def goes_on(standing: Standing, entry: Entry) -> bool:
    """Return whether this browser's participant is who the invitation is for: nobody takes part twice by reopening it.

    Another invitation, or another id from the panel, is another person at the same computer.
    """
    participant, invitation = standing.participant, standing.invitation
    if participant is None or invitation is None:
        return False
    return participant.invitation == invitation.id and entry.external in ("", participant.external)


async def _standing(request: Request, entry: Entry) -> Standing:
    state = request.app.state
    found: Standing = await state.database.reading(
        standing_of, entry.invitation, cookie(request, SESSION), state.clock()
    )
    return found


def _refusal(standing: Standing) -> Bilingual | None:
    """Return why somebody cannot come in, as far as it can be said before a place is reserved."""
    invitation = standing.invitation
    if invitation is None:
        return UNKNOWN
    if invitation.revoked is not None:
        return REVOKED
    if not invitation.usable:
        return USED_UP
    return None if standing.is_open or invitation.kind == "preview" else CLOSED


async def _invitation(request: Request) -> Response:
    """Let somebody choose the language, in both languages at once."""
    entry = entry_of(request.query_params, request.path_params["token"])
    standing = await _standing(request, entry)
    if goes_on(standing, entry):
        return to_page()
    refusal = _refusal(standing)
    if refusal:
        return told(request, 403, WORDS["refused_title"], refusal)
    pages: Pages = request.app.state.pages
    return pages.respond(
        "language.html",
        "zh",
        title=request.app.state.survey.experiment.title,
        choices={language: entry.query(language) for language in LANGUAGES},
    )


async def _consent(request: Request) -> Response:
    """Show what one agrees to."""
    entry = entry_of(request.query_params, request.query_params.get("invitation", ""))
    standing = await _standing(request, entry)
    if goes_on(standing, entry):
        return to_page()
    refusal = _refusal(standing)
    if refusal:
        return told(request, 403, WORDS["refused_title"], refusal)
    if entry.language is None:
        held = {"external": entry.external} if entry.external else {}
        return RedirectResponse(f"/i/{entry.invitation}?{urlencode(held)}", 303)
    # Kept where there is one: the same page may be open in another tab.
    visit = cookie(request, VISIT) or new_token()
    response = _consent_page(request, entry, visit)
    set_cookie(request, response, VISIT, visit, VISIT_SECONDS)
    return response


def _consent_page(
    request: Request, entry: Entry, visit: str, *, status: int = 200, problem: str = "", notice: str = ""
) -> Response:
    state = request.app.state
    pages: Pages = state.pages
    settings = state.survey.settings
    language = entry.language or "zh"
    return pages.respond(
        "consent.html",
        language,
        status=status,
        title=state.survey.experiment.title[language],
        settings=settings,
        seal=settings.consent_seal,
        entry=entry,
        token=form_token(state.secret, visit, PURPOSE),
        submission=new_token(),
        problem=problem,
        notice=notice,
    )


async def _decide(request: Request) -> Response:
    """Take in somebody who agrees; of somebody who declines nothing is kept."""
    state = request.app.state
    form = await form_of(request)
    visit = cookie(request, VISIT)
    if visit is None or not check_form_token(state.secret, visit, PURPOSE, form.get("token", "")):
        return forbidden(request)
    entry, submission = entry_of(form, form.get("invitation", "")), form.get("submission", "")
    language = entry.language
    if language is None or not is_token(submission):
        return forbidden(request)
    if form.get("decision") != "agree":
        return _declined(request, entry, language)
    settings = state.survey.settings
    if settings.minimum_age and not form.get("of-age"):
        return _consent_page(request, entry, visit, status=422, problem="of_age_needed")
    if form.get("seal") != settings.consent_seal:
        return _consent_page(request, entry, visit, status=409, notice="text_changed")
    session = session_after_consent(state.secret, visit, submission)
    # Agreed already in another tab.
    if cookie(request, SESSION) != session and goes_on(await _standing(request, entry), entry):
        return to_page()
    try:
        # A form that is sent twice finds the participant of the first time.
        registered = await _register(
            request, state.survey, entry.invitation, language, entry.external or None, state.clock(), session=session
        )
    except Refused as refused:
        if refused.reason is CROWDED:
            return await crowded(request, form)
        return told(request, 403, WORDS["refused_title"], refused.reason)
    # Of a form that is sent twice the first page may be long over.
    state.openings.begin(registered.participant.id, registered.participant.step, state.steady())
    response = to_page()
    set_cookie(request, response, SESSION, registered.session, COOKIE_SECONDS)
    set_cookie(request, response, KEEP, registered.resume, COOKIE_SECONDS)
    return response


def arrival_of(request: Request) -> Arrival:
    """Return from where somebody comes: what the connection says, or the proxy that is stated."""
    state = request.app.state
    return Arrival(state.newcomers, network_of(client_of(request)), tuple(state.survey.lists))


async def crowded(request: Request, form: Mapping[str, str] | None = None) -> Response:
    """Ask for patience where many from one address have begun and not answered; the researchers are told.

    A form that was sent can be sent again.
    """
    state = request.app.state
    now = state.clock()
    if state.newcomers.refuse(now, state.steady()):
        detail = {"refused": state.newcomers.refused}
        await state.database.writing(record, "many from one address", None, detail, now)
    wait = {"retry-after": "120"}
    link = "" if form is not None else request.url.path
    return told(request, 429, WORDS["refused_title"], CROWDED, link=link, again=form, headers=wait)


async def _register(request: Request, *args: Any, **kwargs: Any) -> Registered:
    """Take a place with an order that has been drawn before: nobody else can write while a place is taken."""
    state = request.app.state
    prepared = {"orders": state.orders, "arrival": arrival_of(request)}
    while True:
        try:
            made: Registered = await state.database.writing(register, *args, **kwargs, **prepared)
        except OrderNeeded as needed:
            # Somebody else may take this place meanwhile; then another order is needed, and one of us has gone on.
            await asyncio.wrap_future(state.orders.prepare(needed.version, needed.number))
        else:
            following, places = made.participant.number + 1, state.survey.settings.places
            if places is None or following < places:
                state.orders.prepare(made.participant.version, following)
            return made


def _declined(request: Request, entry: Entry, language: Language) -> Response:
    pages: Pages = request.app.state.pages
    response = pages.respond(
        "message.html",
        language,
        title=request.app.state.survey.experiment.title[language],
        heading=WORDS["declined"][language],
        text=WORDS["declined_text"][language],
        panel=return_address(request.app.state.survey.settings, entry.external),
    )
    delete_cookie(request, response, VISIT)
    return response


async def _resume(request: Request) -> Response:
    """Go on with the participant's own link, on whatever device."""
    state = request.app.state
    network, guessed_at = network_of(client_of(request)), state.steady()
    resume, session = request.path_params["token"], cookie(request, SESSION)
    found: Participant | None = await state.database.reading(participant_of_resume, resume)
    if found is None:
        # Who has the right link is never kept waiting by others who guess.
        if not state.guesses.allows(network, guessed_at):
            return too_many(request)
        state.guesses.wrong(network, guessed_at)
        return told(request, 404, WORDS["no_session"], WORDS["unknown_resume"])
    here: Participant | None = await state.database.reading(participant_of_session, session) if session else None
    if here is None or here.id != found.id:
        session = await state.database.writing(new_session, found.id, state.clock())
    response = to_page()
    set_cookie(request, response, SESSION, session or "", COOKIE_SECONDS)
    set_cookie(request, response, KEEP, resume, COOKIE_SECONDS)
    return response
