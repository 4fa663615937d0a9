"""Which addresses do researchers have?

Everything under `/admin` but the entry and the page that refuses is wrapped here, in one place, so that no page can be
added that forgets to ask who is there.
"""

from __future__ import annotations

from starlette.routing import BaseRoute, Route

from hengliang.people.pages.researcher_access import REFUSED, Endpoint, enter, entry, guarded, leave, lost, refused
from hengliang.people.pages.researcher_export import download, export_page
from hengliang.people.pages.researcher_invitations import invitations_page, make_invitation, revoke_invitation
from hengliang.people.pages.researcher_overview import close, free_places, fresh_progress, overview, preview, reopen
from hengliang.people.pages.researcher_participants import (
    exclude_participant,
    participant_page,
    participants_page,
    readmit_participant,
    withdraw_for_participant,
)

OPEN: tuple[tuple[str, str, Endpoint], ...] = (
    ("GET", "/admin/link/{link}", entry),
    ("POST", "/admin/link/{link}", enter),
    ("GET", REFUSED, refused),
)
"""What anybody may ask for."""

GUARDED: tuple[tuple[str, str, Endpoint], ...] = (
    ("GET", "/admin", overview),
    ("GET", "/admin/progress", fresh_progress),
    ("POST", "/admin/close", close),
    ("POST", "/admin/reopen", reopen),
    ("POST", "/admin/free-places", free_places),
    ("POST", "/admin/preview", preview),
    ("GET", "/admin/invitations", invitations_page),
    ("POST", "/admin/invitations", make_invitation),
    ("POST", "/admin/invitations/{invitation}/revoke", revoke_invitation),
    ("GET", "/admin/participants", participants_page),
    ("GET", "/admin/participants/{participant}", participant_page),
    ("POST", "/admin/participants/{participant}/exclude", exclude_participant),
    ("POST", "/admin/participants/{participant}/readmit", readmit_participant),
    ("POST", "/admin/participants/{participant}/withdraw", withdraw_for_participant),
    ("GET", "/admin/export", export_page),
    ("POST", "/admin/export", download),
    ("POST", "/admin/sign-out", leave),
    # Last, because the first that matches answers: an unknown address looks like any other to who has no access.
    ("GET", "/admin/{rest:path}", lost),
    ("POST", "/admin/{rest:path}", lost),
)
"""What only researchers may ask for."""


def routes() -> list[BaseRoute]:
    """Return the routes under `/admin`."""
    free = [Route(path, endpoint, methods=[method]) for method, path, endpoint in OPEN]
    return [*free, *(Route(path, guarded(endpoint), methods=[method]) for method, path, endpoint in GUARDED)]
