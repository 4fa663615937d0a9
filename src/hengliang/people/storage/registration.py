"""How does somebody who agreed become a participant, with a place on a list?

In one transaction, behind one lock: the invitation is checked and counted, the least filled list found, the place
reserved, the participant written. Two who agree at the same moment never get the same last place.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from hengliang.core.terms import Bilingual, Language
from hengliang.people.design.item_order import participant_order
from hengliang.people.sessions.survey import Survey
from hengliang.people.storage import tables
from hengliang.people.storage.assignment import Filling, fillings, has_place, least_filled, lock_places
from hengliang.people.storage.events import record
from hengliang.people.storage.facts import has_withdrawn, is_open
from hengliang.people.storage.invitations import Invitation, invitation_of
from hengliang.people.storage.newcomers import Arrival, is_counted
from hengliang.people.storage.participants import Kind, Participant, keep_session, participant, participant_of_session
from hengliang.people.storage.prepared_orders import PreparedOrders
from hengliang.people.storage.tokens import code_of, new_code, new_id, new_token, sealed, token_of

RESUME = "resume"
WITHDRAWAL = "withdrawal"
EXTERNAL_LENGTH = 128

CLOSED = Bilingual("This survey takes no new participants any more.", "本调查已不再接受新的参与者。")
UNKNOWN = Bilingual("This invitation link is not valid.", "此邀请链接无效。")
REVOKED = Bilingual("This invitation has been withdrawn by the researchers.", "研究者已撤回此邀请。")
USED_UP = Bilingual("This invitation has already been used.", "此邀请已被使用。")
TAKEN_PART = Bilingual(
    "Somebody with this id has begun already. Please go on with the link that you were shown then. Who has withdrawn "
    "cannot take part again.",
    "该编号的参与者已经开始作答。请使用当时显示的链接继续。已退出者不能再次参加。",
)
LONG_ID = Bilingual("The id in the link is too long.", "链接中的编号过长。")
FULL = Bilingual("All places are taken at the moment. Please try again later.", "目前名额已满，请稍后再试。")


CROWDED = Bilingual(
    "Several people have just begun from your network and have not answered anything yet. Please try again in a few "
    "minutes.",
    "您所在的网络刚有多人开始参加，但尚未作答。请过几分钟再试。",
)


class Refused(Exception):
    """Somebody cannot take part; the reason is told in their language."""

    def __init__(self, reason: Bilingual) -> None:
        self.reason = reason
        super().__init__(reason.en)


@dataclass(frozen=True, slots=True)
class Registered:
    """A new participant, and the secrets that only they are told: none of them can be read from the database."""

    participant: Participant
    session: str
    """The cookie of this device."""
    resume: str
    """The token of the link by which they go on elsewhere: `resume_of(session)`."""
    withdrawal: str
    """The code that deletes their answers: `withdrawal_code(resume)`, so who keeps `resume` can be shown it again."""
    completion: str


def resume_of(session: str) -> str:
    """Return the token to go on elsewhere of the participant who registered with this cookie."""
    return token_of(session, RESUME)


def withdrawal_code(resume: str) -> str:
    """Return the code that deletes the answers of whoever holds this token to go on elsewhere."""
    return code_of(resume, WITHDRAWAL)


def register(
    connection: Connection,
    survey: Survey,
    invitation_token: str,
    language: Language,
    external: str | None,
    now: float,
    *,
    session: str | None = None,
    orders: PreparedOrders | None = None,
    arrival: Arrival | None = None,
) -> Registered:
    """Make a participant of somebody who agreed, or raise `Refused`; with `orders`, also `OrderNeeded`.

    `session` is the cookie that the browser has got already, if it has. Whoever agrees twice with the same one, because
    an answer of ours was lost, is registered once and told the same again.
    """
    lock_places(connection)
    session = session or new_token()
    already = participant_of_session(connection, session)
    if already is not None:
        return _registered(already, session)
    invitation = _invitation(connection, invitation_token, now)
    external = external or None
    if external is not None:
        _check_external(connection, invitation.kind, external)
    filling = _list_for(connection, survey, invitation, now)
    counted = arrival if is_counted(survey.settings, invitation) else None
    if counted is not None and not counted.may_take(connection, survey.settings, invitation, now):
        raise Refused(CROWDED)
    resume, id = resume_of(session), new_id()
    row = _row(survey, filling, now, orders)
    secrets = {"resume": sealed(resume), "withdrawal": sealed(withdrawal_code(resume))}
    known = {"id": id, "kind": invitation.kind, "invitation": invitation.id, "external": external, "language": language}
    connection.execute(insert(tables.participants), {**row, **secrets, **known})
    held = tables.invitations.c
    connection.execute(update(tables.invitations).where(held.id == invitation.id).values(used=held.used + 1))
    keep_session(connection, session, id, now)
    detail = {"kind": invitation.kind, "list": filling.version, "number": filling.ever, "language": language}
    record(connection, "consented", id, {**detail, "consent": row["consent"], "invitation": invitation.id}, now)
    made = participant(connection, id)
    if made is None:
        raise Refused(UNKNOWN)
    if counted is not None:
        counted.takes(id)
    return _registered(made, session)


def _registered(person: Participant, session: str) -> Registered:
    resume = resume_of(session)
    return Registered(person, session, resume, withdrawal_code(resume), person.completion or "")


def _invitation(connection: Connection, token: str, now: float) -> Invitation:
    found = invitation_of(connection, token, locked=True)
    if found is None:
        raise Refused(UNKNOWN)
    if found.revoked is not None:
        raise Refused(REVOKED)
    if not found.usable:
        raise Refused(USED_UP)
    # Researchers look at their pages also when nobody else may come.
    if found.kind != "preview" and not is_open(connection, now):
        raise Refused(CLOSED)
    return found


def _check_external(connection: Connection, kind: Kind, external: str) -> None:
    if len(external) > EXTERNAL_LENGTH or "\0" in external:
        raise Refused(LONG_ID)
    held = tables.participants.c
    known = connection.execute(select(held.id).where(held.kind == kind, held.external == external)).first()
    # One answer to both, or anybody with an invitation could ask who has withdrawn.
    if known or has_withdrawn(connection, kind, external):
        raise Refused(TAKEN_PART)


def _list_for(connection: Connection, survey: Survey, invitation: Invitation, now: float) -> Filling:
    kind = invitation.kind
    version = invitation.version
    if version is None:
        version = least_filled(connection, survey, kind, now)
    elif version not in survey.lists:
        raise Refused(UNKNOWN)
    elif not has_place(connection, version, survey.settings.places, kind, now):
        version = None
    if version is None:
        raise Refused(FULL)
    return fillings(connection, [version], kind, now)[version]


def _row(survey: Survey, filling: Filling, now: float, orders: PreparedOrders | None) -> dict[str, object]:
    """Return what follows from the list and the participant's number on it."""
    version, number = filling.version, filling.ever
    order = participant_order(survey, version, number) if orders is None else orders.ready(version, number)
    return {
        "status": "active",
        "completion": survey.settings.completion_code or new_code(),
        "version": version,
        "number": number,
        "seed": survey.design.seed,
        "order": json.dumps(order, separators=(",", ":")),
        "step": 0,
        "steps": len(survey.steps(version, order, number)),
        "since": now,
        "consent": survey.settings.consent_seal,
        "consented": now,
        "seen": now,
        "reserved": now + 60 * survey.settings.held_minutes(answered=False),
        "ended": None,
        "reason": "",
    }
