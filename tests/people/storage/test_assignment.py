"""Do lists fill evenly, whoever comes and goes at the same moment?"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import Connection, insert

from hengliang.people.storage import tables
from hengliang.people.storage.assignment import Filling, fillings, has_place, least_filled
from hengliang.people.storage.database import Database
from hengliang.people.storage.invitations import invite
from hengliang.people.storage.migrating import migrate
from hengliang.people.storage.participants import Kind, participants
from hengliang.people.storage.registration import Refused, register
from tests.people.storage.small_survey import NOW, small_survey


def person(
    version: str, status: str, reserved: float | None = None, kind: str = "real", number: int = 0
) -> dict[str, object]:
    return {
        **{"kind": kind, "status": status, "language": "zh", "version": version, "number": number, "seed": 1},
        **{"order": "[]", "step": 0, "steps": 4, "since": NOW, "consent": "1:a", "consented": NOW, "seen": NOW},
        **{"reserved": reserved, "reason": ""},
    }


def put(connection: Connection, rows: list[dict[str, object]]) -> None:
    connection.execute(insert(tables.participants), [{**row, "id": f"p{place}"} for place, row in enumerate(rows)])


def test_finished_ones_and_live_reservations_count(database: Database) -> None:
    rows = [
        person("1", "finished"),
        person("1", "active", NOW + 1),
        person("1", "active", NOW),
        person("1", "active", NOW + 1, kind="pilot"),
        *(person("2", status) for status in ("expired", "withdrawn", "excluded")),
    ]
    database.write(put, rows).result()
    found = database.read(fillings, ["1", "2", "3"], "real", NOW).result()
    # List 1: one finished, one reservation that runs, one that has just run out; the pilot is counted apart.
    assert found == {"1": Filling("1", 2, 3), "2": Filling("2", 0, 3), "3": Filling("3", 0, 0)}
    # 2 and 3 are equally empty; 3 has had fewer participants.
    assert database.read(least_filled, small_survey(3), "real", NOW).result() == "3"
    # Nobody of the kind: the first name.
    assert database.read(least_filled, small_survey(3), "simulated", NOW).result() == "1"
    assert [database.read(has_place, "1", places, "real", NOW).result() for places in (None, 3, 2, 1)] == [
        *(True, True),
        *(False, False),
    ]
    assert database.read(least_filled, small_survey(1, places=2), "real", NOW).result() is None


def test_previews_and_pilots_are_never_too_many(database: Database) -> None:
    kinds: tuple[Kind, ...] = ("real", "simulated", "pilot", "preview")
    database.write(put, [person("1", "finished", kind=kind) for kind in kinds]).result()
    full = small_survey(1, places=1)
    found = {kind: database.read(least_filled, full, kind, NOW).result() for kind in kinds}
    assert found == {"real": None, "simulated": None, "pilot": "1", "preview": "1"}
    assert {kind: database.read(has_place, "1", 1, kind, NOW).result() for kind in kinds} == {
        kind: version is not None for kind, version in found.items()
    }


def test_many_who_come_at_once_fill_lists_evenly(database: Database) -> None:
    survey = small_survey(4)
    token = database.write(invite, "real", NOW).result()
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda _: database.write(register, survey, token, "zh", None, NOW).result(), range(42)))
    people = database.read(participants).result()
    # 42 on four lists: two lists of 11 and two of 10; the earlier names get the eleventh.
    assert Counter(each.version for each in people) == {"1": 11, "2": 11, "3": 10, "4": 10}
    for version in "1234":
        numbers = sorted(each.number for each in people if each.version == version)
        assert numbers == list(range(len(numbers)))


def test_nobody_gets_the_same_last_place(database: Database) -> None:
    survey = small_survey(2, places=3)
    token = database.write(invite, "real", NOW).result()

    def come(_: int) -> bool:
        try:
            database.write(register, survey, token, "zh", None, NOW).result()
        except Refused as refused:
            assert refused.reason.en.startswith("All places are taken")
            return False
        return True

    with ThreadPoolExecutor(20) as pool:
        assert sum(pool.map(come, range(30))) == 6
    assert Counter(each.version for each in database.read(participants).result()) == {"1": 3, "2": 3}


def test_two_servers_on_one_postgresql_share_the_places(postgres_url: str) -> None:
    survey = small_survey(3)
    migrate(postgres_url)
    with Database.open(postgres_url) as one, Database.open(postgres_url) as other:
        token = one.write(invite, "real", NOW).result()
        futures = [server.write(register, survey, token, "zh", None, NOW) for _ in range(15) for server in (one, other)]
        for future in futures:
            future.result()
        people = one.read(participants).result()
    assert Counter(each.version for each in people) == {"1": 10, "2": 10, "3": 10}
