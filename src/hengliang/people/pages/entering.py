"""How does somebody come to take part, or go on elsewhere?

Until somebody agrees, nothing is stored: the language, the invitation and a panel's id travel in the addresses and the
form, and the cookie that is to be the session belongs to nobody yet. It is made before the consent form is sent, so a
form that is sent twice finds the participant of the first time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from hengliang.bilingual import LANGUAGES, Bilingual, Language
from hengliang.people.pages.faults import KEEP, SESSION, VISIT, forbidden, to_page, told, too_many
from hengliang.people.pages.form_reading import form_of
from hengliang.people.pages.rendering import Pages
from hengliang.people.pages.security import (
    check_form_token,
    client_of,
    cookie,
    delete_cookie,
    form_token,
    set_cookie,
)
from hengliang.people.pages.words import WORDS
from hengliang.people.storage.facts import is_open
from hengliang.people.storage.invitations import Invitation, invitation_of
from hengliang.people.storage.participants import (
    Participant,
    new_session,
    participant_of_resume,
    participant_of_session,
)
from hengliang.people.storage.registration import CLOSED, REVOKED, UNKNOWN, USED_UP, Refused, Registered, register
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
    visit_taken: bool
    """Whether somebody has agreed with the cookie of this visit."""


def standing_of(
    connection: Connection, invitation: str, session: str | None, visit: str | None, now: float
) -> Standing:
    """Return what is known about an invitation and about a browser's cookies."""
    return Standing(
        invitation_of(connection, invitation),
        participant_of_session(connection, session) if session else None,
        is_open(connection, now),
        visit is not None and participant_of_session(connection, visit) is not None,
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
        standing_of, entry.invitation, cookie(request, SESSION), cookie(request, VISIT), state.clock()
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
    visit = cookie(request, VISIT)
    # With a cookie with which somebody has agreed nobody else can; the next person gets a new one.
    visit = new_token() if visit is None or standing.visit_taken else visit
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
    entry = entry_of(form, form.get("invitation", ""))
    language = entry.language
    if language is None:
        return forbidden(request)
    if form.get("decision") != "agree":
        return _declined(request, language)
    settings = state.survey.settings
    if settings.minimum_age and not form.get("of-age"):
        return _consent_page(request, entry, visit, status=422, problem="of_age_needed")
    if form.get("seal") != settings.consent_seal:
        return _consent_page(request, entry, visit, status=409, notice="text_changed")
    try:
        # The cookie becomes the session. A form that is sent twice finds the participant of the first time.
        registered: Registered = await state.database.writing(
            register, state.survey, entry.invitation, language, entry.external or None, state.clock(), session=visit
        )
    except Refused as refused:
        return told(request, 403, WORDS["refused_title"], refused.reason)
    response = to_page()
    set_cookie(request, response, SESSION, registered.session, COOKIE_SECONDS)
    set_cookie(request, response, KEEP, registered.resume, COOKIE_SECONDS)
    return response


def _declined(request: Request, language: Language) -> Response:
    pages: Pages = request.app.state.pages
    response = pages.respond(
        "message.html",
        language,
        title=request.app.state.survey.experiment.title[language],
        heading=WORDS["declined"][language],
        text=WORDS["declined_text"][language],
    )
    delete_cookie(request, response, VISIT)
    return response


async def _resume(request: Request) -> Response:
    """Go on with the participant's own link, on whatever device."""
    state = request.app.state
    client, now = client_of(request), state.clock()
    resume, session = request.path_params["token"], cookie(request, SESSION)
    found: Participant | None = await state.database.reading(participant_of_resume, resume)
    if found is None:
        # Who has the right link is never kept waiting by others who guess.
        if not state.guesses.allows(client, now):
            return too_many(request)
        state.guesses.wrong(client, now)
        return told(request, 404, WORDS["no_session"], WORDS["unknown_resume"])
    here: Participant | None = await state.database.reading(participant_of_session, session) if session else None
    if here is None or here.id != found.id:
        session = await state.database.writing(new_session, found.id, now)
    response = to_page()
    set_cookie(request, response, SESSION, session or "", COOKIE_SECONDS)
    set_cookie(request, response, KEEP, resume, COOKIE_SECONDS)
    return response
