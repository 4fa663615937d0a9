"""How does somebody have their answers deleted?

The code alone decides, on whatever device and long after the end. A foreign page does not know it and can do nothing
with the form, so the form needs no token.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from hengliang.core.terms import LANGUAGES, Language
from hengliang.people.pages.connections import network_of
from hengliang.people.pages.faults import KEEP, SESSION, too_many
from hengliang.people.pages.form_reading import form_of
from hengliang.people.pages.rendering import Pages
from hengliang.people.pages.security import client_of, cookie, delete_cookie
from hengliang.people.pages.words import WORDS
from hengliang.people.storage.endings import withdraw
from hengliang.people.storage.participants import Participant, participant_of_session

LONGEST_CODE = 64


def routes() -> list[BaseRoute]:
    """Return the address of withdrawal."""
    return [Route("/withdraw", _form), Route("/withdraw", _withdraw, methods=["POST"])]


async def language_of_request(request: Request) -> Language:
    """Return the language that is asked for, or the participant's, or the browser's."""
    asked = request.query_params.get("language", "")
    if asked in LANGUAGES:
        return asked
    session = cookie(request, SESSION)
    known: Participant | None = (
        await request.app.state.database.reading(participant_of_session, session) if session else None
    )
    if known is not None:
        return known.language
    return "en" if request.headers.get("accept-language", "").lower().startswith("en") else "zh"


def _page(
    request: Request, language: Language, *, status: int = 200, code: str = "", problems: dict[str, str] | None = None
) -> Response:
    pages: Pages = request.app.state.pages
    return pages.respond(
        "withdraw.html",
        language,
        status=status,
        title=request.app.state.survey.experiment.title[language],
        code=code,
        problems=problems or {},
        other="en" if language == "zh" else "zh",
        contact=request.app.state.survey.settings.contact,
    )


async def _form(request: Request) -> Response:
    return _page(request, await language_of_request(request))


async def _withdraw(request: Request) -> Response:
    state = request.app.state
    network, guessed_at = network_of(client_of(request)), state.steady()
    if not state.guesses.may_try(network, guessed_at):
        return too_many(request)
    form = await form_of(request)
    sent = form.get("language", "")
    language = sent if sent in LANGUAGES else await language_of_request(request)
    code = form.get("code", "").strip()[:LONGEST_CODE]
    if not form.get("sure"):
        said = {"sure": WORDS["withdraw_unsure"][language]}
        return _page(request, language, status=422, code=code, problems=said)
    if not code or not await state.database.writing(withdraw, code, state.clock()):
        # Who has the right code is never kept waiting by others who guess elsewhere.
        allowed = state.guesses.allows(network, guessed_at)
        state.guesses.wrong(network, guessed_at)
        if not allowed:
            return too_many(request)
        said = {"code": WORDS["withdraw_unknown"][language]}
        return _page(request, language, status=422, code=code, problems=said)
    pages: Pages = state.pages
    response = pages.respond(
        "message.html",
        language,
        title=state.survey.experiment.title[language],
        heading=WORDS["withdrawn"][language],
        text=WORDS["withdrawn_text"][language],
        panel="",
    )
    delete_cookie(request, response, SESSION)
    delete_cookie(request, response, KEEP)
    return response
