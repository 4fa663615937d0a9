"""Do invitations let in whom they should?"""

from __future__ import annotations

import pytest

from hengliang import UserError
from hengliang.people.storage.database import Database
from hengliang.people.storage.events import events
from hengliang.people.storage.invitations import invitation_of, invitations, invite, revoke


def test_an_invitation_is_known_by_its_token_only(database: Database) -> None:
    token = database.write(invite, "pilot", 5.0, label="Seminar 语言学", uses=3, version="2").result()
    found = database.read(invitation_of, token).result()
    assert found is not None
    assert (found.kind, found.label, found.uses, found.used, found.version, found.created, found.revoked) == (
        *("pilot", "Seminar 语言学", 3, 0, "2"),
        *(5.0, None),
    )
    assert found.usable
    assert database.read(invitation_of, token + "x").result() is None
    assert database.read(invitation_of, found.id).result() is None
    assert database.read(invitations).result() == [found]


def test_a_revoked_invitation_stays_revoked(database: Database) -> None:
    token = database.write(invite, "real", 5.0).result()
    found = database.read(invitation_of, token).result()
    assert found is not None
    assert [database.write(revoke, found.id, now).result() for now in (6.0, 7.0)] == [True, False]
    assert not database.write(revoke, "nobody", 8.0).result()
    again = database.read(invitation_of, token).result()
    assert again is not None
    assert again.revoked == 6.0
    assert not again.usable
    assert [each.kind for each in database.read(events).result()] == ["invited", "revoked"]


def test_what_cannot_be_is_refused(database: Database) -> None:
    with pytest.raises(UserError, match=r"No kind of participant is called 'reel'\. Did you mean real"):
        database.write(invite, "reel", 5.0).result()  # type: ignore[arg-type]
    with pytest.raises(UserError, match="cannot be used 0 times"):
        database.write(invite, "real", 5.0, uses=0).result()
    assert database.read(invitations).result() == []
