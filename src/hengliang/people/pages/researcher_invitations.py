"""Who is let in by which link?

The database keeps a digest of a link only, so a new link is shown once: on the next page that this session asks for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from hengliang.people.pages.form_reading import form_of
from hengliang.people.pages.researcher_access import (
    acting,
    language_of,
    lost,
    moment,
    now,
    page,
    see,
)
from hengliang.people.pages.researcher_words import words
from hengliang.people.storage.invitations import Invitation, invitations, invite, revoke
from hengliang.people.storage.participants import Kind

KINDS: tuple[Kind, ...] = ("real", "pilot")
"""Bots make links of their own; a person who came by one of those would count as a program."""
ADDRESS = "/admin/invitations"
LONGEST_LABEL = 200
MOST_USES = 100_000
_EMPTY = {"label": "", "kind": "real", "uses": "", "version": ""}


@dataclass(frozen=True, slots=True)
class NewLink:
    """A link that was made and not yet shown."""

    url: str
    kind: str
    label: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a researcher asks for."""

    kind: Kind
    label: str
    uses: int | None
    version: str | None


def read_wanted(fields: Mapping[str, str], versions: Mapping[str, Any]) -> Wanted | list[str]:
    """Return what the form asks for, or the names of the words that say what is wrong with it."""
    label, kind, uses, version = (fields.get(name, "").strip() for name in ("label", "kind", "uses", "version"))
    number = int(uses) if re.fullmatch(r"[0-9]{1,6}", uses) else 0
    problems = [
        name
        for name, wrong in (
            ("wrong_label", len(label) > LONGEST_LABEL),
            ("wrong_kind", kind not in KINDS),
            ("wrong_uses", bool(uses) and not 1 <= number <= MOST_USES),
            ("wrong_version", bool(version) and version not in versions),
        )
        if wrong
    ]
    return problems or Wanted(cast(Kind, kind), label, number or None, version or None)


async def invitations_page(request: Request) -> Response:
    """Show all links, and once the ones that are new."""
    return await _page(request, _taken(request), _EMPTY, [], 200)


async def make_invitation(request: Request) -> Response:
    """Make a link, and lead to the page that shows it once."""
    fields = await form_of(request)
    wanted = read_wanted(fields, request.app.state.survey.lists)
    if isinstance(wanted, list):
        given = {name: fields.get(name, "") for name in _EMPTY}
        return await _page(request, [], given, wanted, 422)
    token = await request.app.state.database.writing(_invite, request, wanted)
    link = NewLink(f"{request.app.state.public_url}/i/{token}", wanted.kind, wanted.label)
    _new_links(request).setdefault(acting(request), []).append(link)
    return see(ADDRESS)


async def revoke_invitation(request: Request) -> Response:
    """Make a link useless; who has begun through it goes on."""
    found = await request.app.state.database.writing(_revoke, request, request.path_params["invitation"])
    return see(ADDRESS) if found else await lost(request)


def _invite(connection: Connection, request: Request, wanted: Wanted) -> str:
    return invite(connection, wanted.kind, now(request), label=wanted.label, uses=wanted.uses, version=wanted.version)


def _revoke(connection: Connection, request: Request, invitation: str) -> bool:
    return revoke(connection, invitation, now(request))


async def _page(
    request: Request, new_links: list[NewLink], given: Mapping[str, str], problems: list[str], status: int
) -> Response:
    held = await request.app.state.database.reading(invitations)
    say = words(language_of(request))
    return page(
        request,
        "invitations.html",
        here="invitations",
        status=status,
        new_links=new_links,
        given=given,
        problems=[say[problem] for problem in problems],
        kinds=KINDS,
        versions=list(request.app.state.survey.lists),
        rows=[_row(each) for each in sorted(held, key=_made, reverse=True) if each.kind != "preview"],
    )


def _made(invitation: Invitation) -> float:
    return invitation.created


def _row(invitation: Invitation) -> dict[str, Any]:
    return {
        "id": invitation.id,
        "kind": invitation.kind,
        "label": invitation.label,
        "version": invitation.version,
        "used": invitation.used,
        "uses": invitation.uses,
        "made": moment(invitation.created),
        "state": "valid" if invitation.usable else "used_up" if invitation.revoked is None else "revoked",
    }


def _new_links(request: Request) -> dict[str, list[NewLink]]:
    """Return the links that wait to be shown, by session; in memory alone, since nobody else may ever read them."""
    state = request.app.state
    if not hasattr(state, "new_links"):
        state.new_links = {}
    waiting: dict[str, list[NewLink]] = state.new_links
    return waiting


def _taken(request: Request) -> list[NewLink]:
    return _new_links(request).pop(acting(request), [])
