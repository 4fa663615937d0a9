"""Who is a researcher, and how does a page know it?

A one-time link leads to a page with a button; it spends the link and gives this browser a session for half a day.
Programs that look at links beforehand (mail filters, chat previews) press no buttons. Without a session every address
under `/admin`, known or not, leads to the same page that says no more than that. A session's forms carry a token that
only this server can make for this session.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import wraps
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hengliang.core.terms import LANGUAGES, Language
from hengliang.people.pages.form_reading import form_of
from hengliang.people.pages.researcher_words import words
from hengliang.people.pages.security import check_form_token, form_token
from hengliang.people.storage.administration import SESSION_SECONDS, is_administrator, redeem, sign_out
from hengliang.people.storage.events import record
from hengliang.people.storage.tokens import sealed

COOKIE = "researcher"
LANGUAGE_COOKIE = "researcher-language"
REFUSED = "/admin/no-access"
PURPOSE = "researcher"
ENTRY_PURPOSE = "researcher-entry"

Endpoint = Callable[[Request], Awaitable[Response]]


def cookie_name(request: Request) -> str:
    """Return what the session's cookie is called; over TLS with the prefix that keeps it from being set without TLS."""
    return f"__Secure-{COOKIE}" if request.app.state.secure_cookies else COOKIE


def session_of(request: Request) -> str:
    """Return the session that the browser claims to have, or nothing."""
    return request.cookies.get(cookie_name(request), "")


def acting(request: Request) -> str:
    """Return who acts, for the log: a few digits of the session's digest, which open nothing."""
    return sealed(session_of(request))[:8]


def log(connection: Connection, request: Request, kind: str, participant: str | None = None, **detail: Any) -> None:
    """Append what a researcher did to the log of events."""
    record(connection, kind, participant, {"by": acting(request), **detail}, now(request))


def now(request: Request) -> float:
    """Return the time by the app's clock."""
    return float(request.app.state.clock())


def language_of(request: Request) -> Language:
    """Return the language of the page: as asked for, as chosen before, else as the browser prefers."""
    preferred = request.headers.get("accept-language", "").strip().lower().startswith("zh")
    for wanted in (request.query_params.get("language"), request.cookies.get(LANGUAGE_COOKIE)):
        if wanted in LANGUAGES:
            return wanted
    return "zh" if preferred else "en"


def page(request: Request, template: str, *, here: str = "", status: int = 200, **context: Any) -> Response:
    """Return a researchers' page; one with `here` is for who is signed in and has the menu and a form token."""
    language = language_of(request)
    state = request.app.state
    say = words(language)
    token = form_token(state.secret, session_of(request), PURPOSE) if here else ""
    response: Response = state.pages.respond(
        f"researcher/{template}",
        language,
        status=status,
        say=say,
        # Who has no access is not told to what.
        name=state.survey.experiment.title[language] if here else say["researchers"],
        here=here,
        token=token,
        **context,
    )
    if request.query_params.get("language") in LANGUAGES:
        response.set_cookie(
            LANGUAGE_COOKIE,
            language,
            path="/admin",
            httponly=True,
            samesite="strict",
            secure=state.secure_cookies,
            max_age=365 * 24 * 60 * 60,
        )
    return response


def message(request: Request, name: str, status: int, *, here: str = "", back: str = "", command: str = "") -> Response:
    """Return a page with a heading and a sentence, `NAME_title` and `NAME_explained` among the words."""
    say = words(language_of(request))
    return page(
        request,
        "message.html",
        here=here,
        status=status,
        heading=say[f"{name}_title"],
        explained=say[f"{name}_explained"],
        back=back,
        command=command,
    )


def see(address: str) -> Response:
    """Return the answer to a form that was obeyed: the browser asks for the page at `address`."""
    return RedirectResponse(address, 303)


def guarded(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint for researchers only, and for forms of their own only."""

    @wraps(endpoint)
    async def checked(request: Request) -> Response:
        state = request.app.state
        session = session_of(request)
        if not session or not await state.database.reading(is_administrator, session, now(request)):
            return see(REFUSED)
        if request.method == "POST":
            given = (await form_of(request)).get("token", "")
            if not check_form_token(state.secret, session, PURPOSE, given):
                return message(request, "stale", 403, here="overview", back="/admin")
        return await endpoint(request)

    return checked


async def entry(request: Request) -> Response:
    """Show the button that spends a one-time link; whether the link is a good one is not told before."""
    link = request.path_params["link"]
    entry_token = form_token(request.app.state.secret, link, ENTRY_PURPOSE)
    return page(request, "enter.html", address=f"/admin/link/{quote(link, safe='')}", entry_token=entry_token)


async def enter(request: Request) -> Response:
    """Spend a one-time link and begin a session."""
    state = request.app.state
    link = request.path_params["link"]
    given = (await form_of(request)).get("token", "")
    if not check_form_token(state.secret, link, ENTRY_PURPOSE, given):
        return see(REFUSED)
    session = await state.database.writing(redeem, link, now(request))
    if session is None:
        return see(REFUSED)
    response = see("/admin")
    response.set_cookie(
        cookie_name(request),
        session,
        max_age=int(SESSION_SECONDS),
        path="/admin",
        httponly=True,
        samesite="strict",
        secure=state.secure_cookies,
    )
    return response


async def leave(request: Request) -> Response:
    """End the session."""
    await request.app.state.database.writing(sign_out, session_of(request), now(request))
    response = see(REFUSED)
    response.delete_cookie(
        cookie_name(request),
        path="/admin",
        httponly=True,
        samesite="strict",
        secure=request.app.state.secure_cookies,
    )
    return response


async def refused(request: Request) -> Response:
    """Say that there is no access, to whatever it was."""
    return message(request, "refused", 403, command="hengliang survey invite DIR --researcher")


async def lost(request: Request) -> Response:
    """Say to a researcher that there is nothing at this address."""
    return message(request, "lost", 404, here="lost", back="/admin")


def moment(at: float) -> dict[str, str]:
    """Return a time for machines and for people, in UTC."""
    told = datetime.fromtimestamp(at, UTC)
    return {"machine": told.strftime("%Y-%m-%dT%H:%M:%SZ"), "people": told.strftime("%Y-%m-%d %H:%M:%S UTC")}
