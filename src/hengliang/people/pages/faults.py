"""What does a browser see when something is refused or fails?

Who it is, and hence which language they read, may be unknown at that moment, so these pages speak both.
"""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from hengliang.core.terms import Bilingual
from hengliang.people.pages.form_reading import NotAForm, read_form
from hengliang.people.pages.rendering import Pages
from hengliang.people.pages.security import cookie
from hengliang.people.pages.words import WORDS
from hengliang.people.storage.database import DatabaseAway

SESSION = "session"
"""The cookie of a participant's device."""
VISIT = "visit"
"""The cookie of somebody who has not yet agreed; who agrees gets a session that does not follow from it alone."""
KEEP = "keep"
"""The cookie with the participant's own token, from which the link to go on with and the code that deletes follow."""
PAGE = "/page"
RETRY_SECONDS = 5
_SENT_AGAIN = ("/submit", "/consent", "/withdraw")


def to_page() -> Response:
    """Lead to the current page."""
    return RedirectResponse(PAGE, 303)


def told(
    request: Request,
    status: int,
    title: Bilingual,
    text: Bilingual | None = None,
    *,
    link: str = "",
    again: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
) -> HTMLResponse:
    """Return a page in both languages: a title, a text, a link to the current page, or a form to send once more."""
    pages: Pages = request.app.state.pages
    return pages.respond(
        "fault.html",
        "zh",
        status=status,
        headers=headers,
        title=title,
        text=text,
        link=link,
        label=WORDS["try_again" if status >= 500 else "to_page"],
        again=again,
        action=request.url.path,
        both=WORDS,
    )


async def elsewhere(request: Request, _: Exception | None) -> Response:
    """Answer for an address that does not exist: a participant is led to the current page."""
    return to_page() if cookie(request, SESSION) else no_session(request, 404)


def no_session(request: Request, status: int = 403) -> Response:
    """Say that one has to come by an invitation."""
    return told(request, status, WORDS["no_session"], WORDS["no_session_text"])


def forbidden(request: Request) -> Response:
    """Refuse a form that was not made for this person."""
    return told(request, 403, WORDS["bad_request"], WORDS["forbidden"], link=PAGE)


def too_many(request: Request) -> Response:
    """Ask somebody who guesses to wait."""
    return told(request, 429, WORDS["bad_request"], WORDS["too_many"], headers={"retry-after": "60"})


async def fault_page(request: Request, status: int, error: Exception | None, body: bytes) -> Response:
    """Return the page for a request that was refused before it came to a page, or that failed."""
    if isinstance(error, DatabaseAway):
        return _away(request, body)
    if isinstance(error, NotAForm):
        return told(request, 400, WORDS["bad_request"], WORDS["malformed"], link=PAGE)
    if status == 403:
        return forbidden(request)
    if status == 413:
        return told(request, 413, WORDS["bad_request"], WORDS["too_large"], link=PAGE)
    if status < 500:
        return told(request, status, WORDS["bad_request"])
    return told(request, 500, WORDS["failed"], WORDS["failed_text"], link=PAGE)


def _away(request: Request, body: bytes) -> Response:
    """Ask for patience; what was sent stays on the page and can be sent again, with the same id."""
    again: dict[str, str] | None = None
    if request.method == "POST" and request.url.path in _SENT_AGAIN:
        try:
            again = read_form(body)
        except NotAForm:
            again = None
    retry = {"retry-after": str(RETRY_SECONDS)}
    link = "" if again is not None else request.url.path
    return told(request, 503, WORDS["away"], WORDS["away_text"], link=link, again=again, headers=retry)
