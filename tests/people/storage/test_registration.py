"""Does somebody who agreed get one place, once, and nobody else any?"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from hengliang import Bilingual
from hengliang.people.design.item_order import participant_order
from hengliang.people.storage import registration
from hengliang.people.storage.database import Database
from hengliang.people.storage.endings import withdraw
from hengliang.people.storage.events import events
from hengliang.people.storage.facts import close_survey
from hengliang.people.storage.invitations import invitation_of, invite, revoke
from hengliang.people.storage.participants import participant_of_session, participants
from hengliang.people.storage.registration import Refused, register, resume_of, withdrawal_code
from tests.people.storage.small_survey import NOW, small_survey

SURVEY = small_survey(2, reservation_minutes=30.0)


def test_a_participant_begins_with_everything_that_pages_need(database: Database) -> None:
    token = database.write(invite, "real", NOW).result()
    made = database.write(register, SURVEY, token, "en", "panel-7", NOW).result()
    person = made.participant
    assert (person.kind, person.status, person.language, person.version) == ("real", "active", "en", "1")
    assert (person.number, person.step, person.external) == (0, 0, "panel-7")
    assert person.order == participant_order(SURVEY, "1", 0)
    # Demographics, instructions, three trials and the end.
    assert person.steps == len(SURVEY.steps("1", person.order, 0)) == 6
    assert person.consent == SURVEY.settings.consent_seal
    # Who has not answered an item holds a place for 15 minutes; the 30 of this survey are for who has.
    assert (person.since, person.consented, person.seen, person.reserved) == (NOW, NOW, NOW, NOW + 900)
    assert (made.resume, made.withdrawal) == (resume_of(made.session), withdrawal_code(made.resume))
    assert made.completion == person.completion
    found = database.read(invitation_of, token).result()
    assert found is not None
    assert (found.used, found.id) == (1, person.invitation)
    assert [(each.kind, each.participant) for each in database.read(events).result()] == [
        ("invited", None),
        ("consented", person.id),
    ]


def test_one_completion_code_for_everybody_if_the_panel_wants_it(database: Database) -> None:
    token = database.write(invite, "real", NOW).result()
    survey = replace(SURVEY, settings=replace(SURVEY.settings, completion_code="C1234"))
    shared = [database.write(register, survey, token, "zh", None, NOW).result().completion for _ in range(2)]
    own = [database.write(register, SURVEY, token, "zh", None, NOW).result().completion for _ in range(2)]
    assert shared == ["C1234", "C1234"]
    assert len(set(own)) == 2


def test_who_agrees_twice_is_registered_once(database: Database) -> None:
    token = database.write(invite, "real", NOW, uses=1).result()
    cookie = "the cookie of a visit"

    def agree(_: int) -> registration.Registered:
        return database.write(register, SURVEY, token, "zh", "panel-7", NOW, session=cookie).result()

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(agree, range(8)))
    assert len(set(made)) == 1
    people = database.read(participants).result()
    assert [each.participant for each in made] == people * 8
    assert database.read(participant_of_session, cookie).result() == people[0]


def refused(database: Database, token: str, external: str | None = None) -> Bilingual:
    before = database.read(participants).result()
    with pytest.raises(Refused) as caught:
        database.write(register, SURVEY, token, "zh", external, NOW).result()
    assert database.read(participants).result() == before
    return caught.value.reason


def test_who_may_not_come_is_told_why(database: Database) -> None:
    assert refused(database, "guessed") == registration.UNKNOWN
    once = database.write(invite, "real", NOW, uses=1).result()
    database.write(register, SURVEY, once, "zh", "panel-7", NOW).result()
    assert refused(database, once) == registration.USED_UP
    token = database.write(invite, "real", NOW).result()
    assert refused(database, token, "panel-7") == registration.TAKEN_PART
    assert refused(database, token, "x" * 129) == refused(database, token, "a\0b") == registration.LONG_ID
    strange = database.write(invite, "real", NOW, version="9").result()
    assert refused(database, strange) == registration.UNKNOWN
    found = database.read(invitation_of, token).result()
    assert found is not None
    database.write(revoke, found.id, NOW).result()
    assert refused(database, token) == registration.REVOKED


def test_a_panel_id_takes_part_once_within_its_kind_also_after_it_withdrew(database: Database) -> None:
    real, pilot = (database.write(invite, kind, NOW).result() for kind in ("real", "pilot"))
    first = database.write(register, SURVEY, real, "zh", "panel-7", NOW).result()
    database.write(register, SURVEY, pilot, "zh", "panel-7", NOW).result()
    assert refused(database, real, "panel-7") == registration.TAKEN_PART
    assert database.write(withdraw, first.withdrawal, NOW).result()
    # Who asks is not told whether somebody with this id takes part or withdrew.
    assert refused(database, real, "panel-7") == registration.TAKEN_PART
    assert database.write(register, SURVEY, real, "zh", "panel-77", NOW).result().participant.external == "panel-77"
    # Without an id nobody is compared with anybody.
    for empty in (None, ""):
        assert database.write(register, SURVEY, real, "zh", empty, NOW).result().participant.external is None


def test_a_closed_survey_takes_previews_only(database: Database) -> None:
    real, preview = (database.write(invite, kind, NOW).result() for kind in ("real", "preview"))
    database.write(close_survey, NOW).result()
    assert refused(database, real) == registration.CLOSED
    assert database.write(register, SURVEY, preview, "zh", None, NOW).result().participant.kind == "preview"


def test_an_invitation_may_lead_to_one_list_while_it_has_places(database: Database) -> None:
    survey = replace(SURVEY, settings=replace(SURVEY.settings, places=2))
    token = database.write(invite, "real", NOW, version="2").result()
    made = [database.write(register, survey, token, "zh", None, NOW).result().participant for _ in range(2)]
    assert [(each.version, each.number) for each in made] == [("2", 0), ("2", 1)]
    with pytest.raises(Refused) as caught:
        database.write(register, survey, token, "zh", None, NOW).result()
    assert caught.value.reason == registration.FULL
    # An hour later the reservations have run out, whether anybody wrote that down or not.
    assert database.write(register, survey, token, "zh", None, NOW + 3600).result().participant.number == 2


def test_every_reason_is_said_in_both_languages() -> None:
    reasons = [value for value in vars(registration).values() if isinstance(value, Bilingual)]
    assert len(reasons) == 8
    assert all(each.en.endswith(".") and each.zh.endswith("。") for each in reasons)
